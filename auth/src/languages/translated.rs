//! How a table of texts is written that has each text in both languages of the library.

/// Generates what `texts!` generates, and the German texts.
///
/// A row is: variant, name, text in English, text in German, when or where it is said.
macro_rules! translated_texts {
    (
        $(#[$doc:meta])*
        pub enum $name:ident;
        $($variant:ident $key:literal $english:literal $german:literal, $description:literal;)*
    ) => {
        crate::error::texts! {
            $(#[$doc])*
            pub enum $name;
            $($variant $key $english, $description;)*
        }

        impl $name {
            /// The text in German.
            pub(super) const fn german(self) -> &'static str {
                match self { $(Self::$variant => $german,)* }
            }
        }
    };
}

pub(super) use translated_texts;
