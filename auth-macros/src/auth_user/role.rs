//! The roles that fields can have. Only this table lists them.

use super::type_shape::TypeShape;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Generics, Ident, Type};

/// A role. Its word is the one in `#[auth(…)]`, and the name of a field that has the role without an attribute.
#[derive(Debug)]
pub(crate) struct Role {
    /// `email_verified_at`
    pub(crate) word: &'static str,
    /// The kind of its content.
    pub(crate) holds: Holds,
    /// The content in a message: "must hold …".
    pub(crate) content: &'static str,
    /// When it is null, in a message: "it is null …".
    pub(crate) null: &'static str,
}

/// A role and the field that has it.
#[derive(Clone, Copy)]
pub(crate) struct Mapped<'a> {
    pub(crate) role: &'static Role,
    pub(crate) name: &'a Ident,
    pub(crate) ty: &'a Type,
    /// The place of the attribute's word, if an attribute gives it the role.
    pub(crate) claim: Option<Span>,
    /// The kind of content of this field. Those of the password and of the user name depend on the field's type.
    pub(crate) holds: Holds,
}

impl<'a> Mapped<'a> {
    pub(crate) fn new(
        role: &'static Role,
        (name, ty): (&'a Ident, &'a Type),
        claim: Option<Span>,
        generics: &Generics,
    ) -> Self {
        let is_optional = || TypeShape::of(ty, generics).nulls > 0;
        let holds = match role.word {
            PASSWORD if is_optional() => Holds::TextOrNull,
            USERNAME if is_optional() => Holds::NullableText,
            _ => role.holds,
        };
        Self { role, name, ty, claim, holds }
    }
}

/// The kind of a field's content, which decides the types that it can have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Holds {
    Id,
    Text,
    /// An optional text, for which null and the empty text mean the same.
    TextOrNull,
    NullableText,
    NullableTimestamp,
    Flag,
}

/// The two roles whose fields can be optional or not.
pub(crate) const PASSWORD: &str = "password";
pub(crate) const USERNAME: &str = "username";

/// The two roles from which `AuthUser::is_active` is made.
pub(crate) const IS_ACTIVE: &str = "is_active";
pub(crate) const SUSPENDED_AT: &str = "suspended_at";

/// The nine fields in the order of specification §2.1, the id first.
pub(crate) static REQUIRED: [Role; 9] = [
    role("id", Holds::Id, "a value that implements `Display` and `FromStr`", "never"),
    role("name", Holds::Text, "text", "never"),
    role("email", Holds::Text, "text", "never"),
    role(PASSWORD, Holds::Text, "the password's hash as text", "never"),
    role("email_verified_at", Holds::NullableTimestamp, "a point in time", "until the address is verified"),
    role("two_factor_secret", Holds::NullableText, "an encrypted text", "while two-factor is off"),
    role(
        "two_factor_recovery_codes",
        Holds::NullableText,
        "all codes as one encrypted text",
        "while two-factor is off",
    ),
    role(
        "two_factor_confirmed_at",
        Holds::NullableTimestamp,
        "a point in time",
        "until two-factor is confirmed",
    ),
    role(
        "password_confirmed_at",
        Holds::NullableTimestamp,
        "a point in time",
        "until the password is confirmed",
    ),
];

/// The roles that are optional and given only by attribute: a field that is named `is_active`, `language` or `username` may mean
/// something else in the host.
pub(crate) static OPTIONAL: [Role; 4] = [
    role(IS_ACTIVE, Holds::Flag, "a `bool`", "never"),
    role(SUSPENDED_AT, Holds::NullableTimestamp, "a point in time", "while the account is not suspended"),
    role("language", Holds::NullableText, "the name of a language as text", "until the user has chosen one"),
    role(USERNAME, Holds::Text, "text", "while the user has no user name"),
];

const fn role(word: &'static str, holds: Holds, content: &'static str, null: &'static str) -> Role {
    Role { word, holds, content, null }
}

impl Role {
    /// The role that an attribute's word names.
    pub(crate) fn by_word(word: &str) -> Option<&'static Self> {
        REQUIRED.iter().chain(&OPTIONAL).find(|role| role.word == word)
    }

    /// Every word that `#[auth(…)]` takes on a field.
    pub(crate) fn words() -> impl Iterator<Item = &'static str> + Clone {
        REQUIRED.iter().chain(&OPTIONAL).map(|role| role.word)
    }

    /// The role's variant of `UserField` and `UserChange`: `EmailVerifiedAt`.
    pub(crate) fn change(&self) -> String {
        self.word.split('_').map(capitalised).collect()
    }
}

impl Holds {
    /// A type to write for a field that is missing.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Id => "i64",
            Self::Text => "String",
            Self::TextOrNull | Self::NullableText => "Option<String>",
            Self::NullableTimestamp => "Option<std::time::SystemTime>",
            Self::Flag => "bool",
        }
    }

    /// Whether it can be null.
    pub(crate) fn is_nullable(self) -> bool {
        matches!(self, Self::TextOrNull | Self::NullableText | Self::NullableTimestamp)
    }

    /// A type that every host has, without the `Option` of a nullable field.
    pub(crate) fn content_type(self) -> TokenStream {
        match self {
            Self::Id | Self::Text | Self::TextOrNull | Self::NullableText => quote!(String),
            Self::NullableTimestamp => quote!(std::time::SystemTime),
            Self::Flag => quote!(bool),
        }
    }

    /// The trait in `axum_auth_module::private` that the field's type must implement.
    pub(crate) fn requirement(self) -> &'static str {
        match self {
            Self::Id => "UserId",
            Self::Text => "Text",
            Self::TextOrNull | Self::NullableText => "NullableText",
            Self::NullableTimestamp => "NullableTimestamp",
            Self::Flag => "Flag",
        }
    }

    /// What `AuthUser`'s method of the role's name returns.
    pub(crate) fn returns(self, id_type: impl ToTokens) -> TokenStream {
        match self {
            // Not `&Self::Id`: a struct without `Clone` would be reported for the method as well.
            Self::Id => quote!(&#id_type),
            Self::Text | Self::TextOrNull => quote!(&::core::primitive::str),
            Self::NullableText => quote!(::core::option::Option<&::core::primitive::str>),
            Self::NullableTimestamp => quote!(::core::option::Option<::std::time::SystemTime>),
            Self::Flag => quote!(::core::primitive::bool),
        }
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
