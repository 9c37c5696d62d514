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
