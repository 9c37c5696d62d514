//! How `auth_module!` hands over what a host gave.

/// A function of a provider's trait that does nothing but erase the type.
///
/// Generated code calls it, and not the builder alone, for the sake of the host: of a type that lacks the trait the
/// compiler then says that, at the value, and nothing of where the bound stands in this library. `of` is what has to be
/// known beforehand for the message to name the host's user type.
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
