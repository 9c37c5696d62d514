//! How tables of texts for people are written.

/// Generates an enum of texts from one list, so that no text can lack its name, its wording in English or its description.
///
/// A row is: variant, name, text, when or where it is said.
macro_rules! texts {
    (
        $(#[$doc:meta])*
        pub enum $name:ident;
        $($variant:ident $key:literal $text:literal, $description:literal;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!($description, ". English: “", $text, "”")] $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name of the text, which never changes.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key,)* }
            }

            /// The text in English. A name in braces, such as `{number}`, stands for a value.
            #[must_use]
            pub const fn english(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// When or where it is said.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $description,)* }
            }
        }
    };
}

pub(crate) use texts;
