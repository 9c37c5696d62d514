//! A provider whose calls are surrounded.

/// A provider, and what surrounds each of its calls. The declarations of the providers' traits implement them for it.
#[derive(Clone)]
pub struct Intercepted<P, A> {
    pub(crate) provider: P,
    pub(crate) around: A,
}
