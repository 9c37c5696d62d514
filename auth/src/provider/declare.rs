//! The declaration of a provider: one text, from which come its trait and what the library does with every implementation.
//!
//! ```ignore
//! provider! { resets;
//! /// Stores one reset token for each e-mail address.
//! #[async_trait]
//! #[diagnostic::on_unimplemented(message = "Missing provider: …")]
//! pub trait PasswordResetRepository: Send + Sync + 'static {
//!     /// The token stored for an address, or `None`.
//!     async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError>;
//!
//!     provided!(dyn PasswordResetRepository);
//! }
//! }
//! ```
//!
//! The trait is compiled as it is written, so that documentation, editors and the compiler's messages show these lines. It is not
//! indented, so that they show it as a trait outside of a macro. Before it stands what the provider is:
//!
//! * `resets;` is the provider's name. `Arc` of an implementation implements the trait. So does
//!   [`Intercepted`](super::Intercepted), which makes each call as the [`ProviderMethod`](super::ProviderMethod)
//!   `resets.find_by_email`: a method without a row there does not compile. A method without `async` is passed on.
//! * `action;` is for what is called with the host's user type: only `Arc` implements it.
//! * `marker;` is for a trait without methods that marks implementations of another one.
//!
//! A method takes `&self` and arguments that are names.

/// Declares a provider. The module's documentation says how.
macro_rules! provider {
    (marker; $(#$attribute:tt)* pub trait $Marker:ident: $Provider:ident $body:tt) => {
        $(#$attribute)*
        pub trait $Marker: $Provider $body

        #[diagnostic::do_not_recommend]
        impl<P: $Marker + ?Sized> $Marker for ::std::sync::Arc<P> {}

        #[diagnostic::do_not_recommend]
        impl<P: $Marker, A: $crate::provider::Interceptor> $Marker for $crate::provider::Intercepted<P, A> {}
    };
    ($name:ident; $($declaration:tt)*) => {
        $($declaration)*

        $crate::provider::declare::implemented! { $name $($declaration)* }
    };
}

/// Reads a declaration, a method at a time, and implements the trait for what holds an implementation.
macro_rules! implemented {
    (
        $name:ident $(#$attribute:tt)*
        pub trait $Trait:ident $(<$Of:ident: $Bound:ident>)?: Send + Sync + 'static { $($body:tt)* }
    ) => {
        $crate::provider::declare::implemented! {
            @methods { $name $Trait [$($Of: $Bound)?] } [] [] [] $($body)*
        }
    };
    (
        @methods $of:tt [] [] []
        $(#$attribute:tt)* type $Type:ident: $bound:path; $($rest:tt)*
    ) => {
        $crate::provider::declare::implemented! { @methods $of [$Type] [] [] $($rest)* }
    };
    (
        @methods $of:tt $types:tt [$($waiting:tt)*] $others:tt
        $(#$attribute:tt)* async fn $method:ident(&self $(, $argument:ident: $type:ty)* $(,)?) -> $result:ty;
        $($rest:tt)*
    ) => {
        $crate::provider::declare::implemented! {
            @methods $of $types [$($waiting)* { $method($($argument: $type),*) -> $result }] $others $($rest)*
        }
    };
    (
        @methods $of:tt $types:tt [$($waiting:tt)*] $others:tt
        $(#$attribute:tt)* async fn $method:ident(&self $(, $argument:ident: $type:ty)* $(,)?) -> $result:ty $default:block
        $($rest:tt)*
    ) => {
        $crate::provider::declare::implemented! {
            @methods $of $types [$($waiting)* { $method($($argument: $type),*) -> $result }] $others $($rest)*
        }
    };
    (
        @methods $of:tt $types:tt $waiting:tt [$($others:tt)*]
        $(#$attribute:tt)* fn $method:ident(&self $(, $argument:ident: $type:ty)* $(,)?) -> $result:ty $default:block
        $($rest:tt)*
    ) => {
        $crate::provider::declare::implemented! {
            @methods $of $types $waiting [$($others)* { $method($($argument: $type),*) -> $result }] $($rest)*
        }
    };
    // `provided` is the last item of every trait. No implementation replaces it.
    (@methods $of:tt $types:tt $waiting:tt $others:tt provided!($($erased:tt)*);) => {
        $crate::provider::declare::implemented! { @arc $of $types $waiting $others }
        $crate::provider::declare::implemented! { @surrounded $of $types $waiting $others }
    };
    (
        @methods $of:tt $types:tt $waiting:tt $others:tt
        $(#$attribute:tt)* fn provided $($function:tt)*
    ) => {
        $crate::provider::declare::implemented! { @methods $of $types $waiting $others provided!(); }
    };
    (
        @arc { $name:ident $Trait:ident [$($Of:ident: $Bound:ident)?] } [$($Type:ident)?]
        [$({ $waiting:ident($($argument:ident: $type:ty),*) -> $result:ty })*]
        [$({ $other:ident($($other_argument:ident: $other_type:ty),*) -> $other_result:ty })*]
    ) => {
        #[::async_trait::async_trait]
        #[diagnostic::do_not_recommend]
        impl<$($Of: $Bound,)? P: $Trait $(<$Of>)? + ?Sized> $Trait $(<$Of>)? for ::std::sync::Arc<P> {
            $(type $Type = P::$Type;)?

            $(async fn $waiting(&self, $($argument: $type),*) -> $result {
                (**self).$waiting($($argument),*).await
            })*

            $(fn $other(&self, $($other_argument: $other_type),*) -> $other_result {
                (**self).$other($($other_argument),*)
            })*
        }
    };
    (@surrounded { action $($of:tt)* } $types:tt $waiting:tt $others:tt) => {};
    (
        @surrounded { $name:ident $Trait:ident [$($Of:ident: $Bound:ident)?] } [$($Type:ident)?]
        [$({ $waiting:ident($($argument:ident: $type:ty),*) -> $result:ty })*]
        [$({ $other:ident($($other_argument:ident: $other_type:ty),*) -> $other_result:ty })*]
    ) => {
        #[::async_trait::async_trait]
        #[diagnostic::do_not_recommend]
        impl<$($Of: $Bound,)? P: $Trait $(<$Of>)?, A: $crate::provider::Interceptor> $Trait $(<$Of>)?
            for $crate::provider::Intercepted<P, A>
        {
            $(type $Type = P::$Type;)?

            $(async fn $waiting(&self, $($argument: $type),*) -> $result {
                const METHOD: $crate::provider::ProviderMethod =
                    $crate::provider::ProviderMethod::named(stringify!($name), stringify!($waiting));
                self.around.around(METHOD, self.provider.$waiting($($argument),*)).await
            })*

            $(fn $other(&self, $($other_argument: $other_type),*) -> $other_result {
                self.provider.$other($($other_argument),*)
            })*
        }
    };
}

pub(crate) use {implemented, provider};
