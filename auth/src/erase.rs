//! Type erasure of a host's providers.

/// Generates a trait function that only erases the provider's type.
///
/// The code that `auth_module!` generates wraps every provider in a call of it. If a provider's type does not implement
/// the trait, the compiler then reports the error at the host's value, without a note that points into this library.
/// `of` adds a parameter whose type is inferred first, so that the message names the host's user type.
macro_rules! provided {
    ($erased:ty $(, of: $of:ty)?) => {
        #[doc(hidden)]
        fn provided($(_: &$of,)? this: ::std::sync::Arc<Self>) -> ::std::sync::Arc<$erased>
        where
            Self: Sized,
        {
            this
        }
    };
}

pub(crate) use provided;

use std::any::Any;
use std::sync::Arc;

/// Erases the provider's type. A provider that is already an `Arc<D>` is returned without a second `Arc`.
///
/// The caller must name `D`: an inferred `D` could be `P`, and the result an `Arc` of an `Arc`.
pub(crate) fn erase<D: ?Sized + 'static, P: 'static>(provider: P, erase: fn(Arc<P>) -> Arc<D>) -> Arc<D> {
    match (&provider as &dyn Any).downcast_ref::<Arc<D>>() {
        Some(provider) => Arc::clone(provider),
        None => erase(Arc::new(provider)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Display;

    #[test]
    fn an_erased_provider_is_not_wrapped_again() {
        let shared: Arc<dyn Display> = Arc::new(1);
        let kept = erase::<dyn Display, _>(Arc::clone(&shared), |value| value);
        assert!(Arc::ptr_eq(&shared, &kept));
        assert_eq!(erase::<dyn Display, _>(2, |value| value).to_string(), "2");
    }
}
