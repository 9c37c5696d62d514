//! How `auth_module!` passes a host's providers on.

/// A function of a provider's trait that only erases the type.
///
/// Generated code calls it around every value, and not the builder alone: if the value's type does not implement the trait,
/// the compiler reports that at the value and does not show where the bound is in this library. `of` is a parameter that must
/// be known before, so that the message names the host's user type.
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

/// The provider behind the one pointer that the module keeps. A provider that is erased already is not put behind a
/// second pointer. `D` must be named: an inferred `D` would be `P`, and the result a pointer to a pointer.
pub(crate) fn erased<D: ?Sized + 'static, P: 'static>(provider: P, erase: fn(Arc<P>) -> Arc<D>) -> Arc<D> {
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
    fn what_is_shared_already_is_not_put_behind_another_pointer() {
        let shared: Arc<dyn Display> = Arc::new(1);
        let kept = erased::<dyn Display, _>(Arc::clone(&shared), |value| value);
        assert!(Arc::ptr_eq(&shared, &kept));
        assert_eq!(erased::<dyn Display, _>(2, |value| value).to_string(), "2");
    }
}
