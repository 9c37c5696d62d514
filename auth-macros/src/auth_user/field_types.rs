//! Reports types that certainly cannot hold their role.
//!
//! The compiler would reject them too, but the message here says what to write instead. A type that may be correct is left
//! to the compiler.

use super::lifetimes::lasting;
use super::role::{Holds, Mapped, SUSPENDED_AT};
use super::type_shape::{Kind, TypeShape, shown};
use crate::errors::Errors;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Generics, Type};

/// A mistake in a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// It holds something else. The text may say why that is wrong.
    Content(&'static str),
    /// It is a reference.
    Borrowed,
    /// It is never null, but the field is null at first.
    NeverNull,
    /// It can be null, but the field is never null.
    Nullable,
    /// It is an `Option` of an `Option`.
    TwiceNullable,
}

/// Reports a type that certainly cannot hold the role. Returns whether there is none.
pub(crate) fn check(field: &Mapped<'_>, generics: &Generics, errors: &mut Errors) -> bool {
    let shape = TypeShape::of(field.ty, generics);
    if lasting(field.ty, generics).is_some() {
        // It was reported with the struct's lifetimes.
        return false;
    }
    let Some(wrong) = wrong(field.holds, &shape) else { return true };
    let (name, ty, role) = (field.name, shown(field.ty), field.role);
    let headline = match wrong {
        _ if matches!(field.holds, Holds::Flag) => format!("`{name}` must be {}, found `{ty}`", role.content),
        Wrong::Content(why) => format!("`{name}` must hold {}, found `{ty}`{why}", role.content),
        Wrong::Borrowed => format!("`{name}` must own its data, found the reference `{ty}`"),
        Wrong::NeverNull => format!("`{name}` must be optional, found `{ty}`: it is null {}", role.null),
        Wrong::Nullable => format!("`{name}` must not be optional, found `{ty}`"),
        Wrong::TwiceNullable => format!("`{name}` must be a single `Option`, found `{ty}`"),
    };
    if let (Holds::Flag, true, Some(attribute)) =
        (field.holds, shape.is_called_an_optional_time(), field.claim)
    {
        let help =
            format!("write `#[auth({SUSPENDED_AT})]`: the account is suspended while the field holds a time");
        errors.report(attribute, format!("{headline}\n\nhelp: {help}"));
        return false;
    }
    let help = format!("write `{}`", shown(instead(field.holds, &shape)));
    let note = note(field.holds, wrong);
    let note = note.map(|note| format!("\nnote: {note}")).unwrap_or_default();
    errors.report_all(field.ty, format!("{headline}\n\nhelp: {help}{note}"));
    false
}

/// The type itself, or the one to write instead.
pub(crate) fn right(holds: Holds, ty: &Type, generics: &Generics) -> TokenStream {
    let shape = TypeShape::of(ty, generics);
    match wrong(holds, &shape) {
        Some(_) => instead(holds, &shape),
        None => ty.to_token_stream(),
    }
}

fn wrong(holds: Holds, shape: &TypeShape<'_>) -> Option<Wrong> {
    let nulls = usize::from(holds.is_nullable());
    match shape.kind {
        Some(kind) if !suits(holds, kind) => Some(Wrong::Content(why(holds, kind))),
        Some(_) if shape.is_borrowed => Some(Wrong::Borrowed),
        Some(_) if shape.nulls < nulls => Some(Wrong::NeverNull),
        _ if shape.nulls <= nulls => None,
        _ if nulls == 0 => Some(Wrong::Nullable),
        _ => Some(Wrong::TwiceNullable),
    }
}

/// Whether a type of this kind can hold it, apart from references and `Option`s.
fn suits(holds: Holds, kind: Kind) -> bool {
    match holds {
        Holds::Id => !matches!(kind, Kind::SharedText | Kind::Several | Kind::Tick),
        Holds::Text | Holds::TextOrNull | Holds::NullableText => {
            matches!(kind, Kind::Text | Kind::SharedText | Kind::BareText)
        }
        Holds::NullableTimestamp => kind == Kind::Time,
        Holds::Flag => kind == Kind::Flag,
    }
}

/// Why a type of a time library is no point in time.
fn why(holds: Holds, kind: Kind) -> &'static str {
    match (holds, kind) {
        (Holds::NullableTimestamp, Kind::TimeWithoutZone) => ": it has no time zone",
        (Holds::NullableTimestamp, Kind::DateWithoutTime) => ": it has no time of day",
        (Holds::NullableTimestamp, Kind::Tick) => ": it has no meaning in another process",
        _ => "",
    }
}

/// The type to write: as much of the host's own as possible.
fn instead(holds: Holds, shape: &TypeShape<'_>) -> TokenStream {
    let core = match shape.kind {
        _ if matches!(holds, Holds::Flag) => holds.content_type(),
        Some(Kind::TimeWithoutZone | Kind::DateWithoutTime) if suits(holds, Kind::Time) => zoned(shape.core),
        Some(kind) if kind == Kind::BareText || !suits(holds, kind) => holds.content_type(),
        _ => shape.core.to_token_stream(),
    };
    if holds.is_nullable() { quote!(Option<#core>) } else { core }
}

/// The type of the same crate that is a point in time.
fn zoned(ty: &Type) -> TokenStream {
    let Type::Path(path) = ty else { return Holds::NullableTimestamp.content_type() };
    let mut library = path.path.clone();
    let is_of_time = library.segments.pop().is_some_and(|name| name.ident == "PrimitiveDateTime");
    library.segments.pop_punct();
    let library = match () {
        () if !library.segments.is_empty() => library.into_token_stream(),
        () if is_of_time => quote!(time),
        () => quote!(chrono),
    };
    if is_of_time { quote!(#library::OffsetDateTime) } else { quote!(#library::DateTime<#library::Utc>) }
}

fn note(holds: Holds, wrong: Wrong) -> Option<&'static str> {
    Some(match (holds, wrong) {
        (Holds::Id, Wrong::Content(_)) => {
            "`i64`, `uuid::Uuid` and other types with `Display` and `FromStr` are possible too"
        }
        (Holds::NullableTimestamp, Wrong::Content(_)) => {
            "`chrono::DateTime<Utc>`, `time::OffsetDateTime` and `jiff::Timestamp` are possible too"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::role::Role;
    use super::*;
    use syn::parse_quote;

    /// The message for a field of this role and type in a struct with the parameter `DateTime`.
    fn said(word: &str, ty: &str) -> String {
        let (name, ty) = (parse_quote!(field), syn::parse_str(ty).unwrap());
        let claim = Some(proc_macro2::Span::call_site());
        let generics = parse_quote!(<DateTime>);
        let field = Mapped::new(Role::by_word(word).unwrap(), (&name, &ty), claim, &generics);
        let mut errors = Errors::new();
        let is_right = check(&field, &generics, &mut errors);
        assert_eq!(is_right, errors.is_empty());
        errors.into_compile_errors().map(crate::testing::messages).unwrap_or_default()
    }

    /// Each kind of mistake, with the type to write instead.
    #[test]
    fn the_message_for_a_wrong_type_contains_a_right_one() {
        let wrong = [
            ("id", "Option<Uuid>", "Uuid"),
            ("id", "std::vec::Vec<u8>", "String"),
            ("id", "()", "String"),
            ("id", "std::sync::Arc<str>", "String"),
            ("id", "&'static str", "String"),
            ("name", "Option<Name>", "Name"),
            ("name", "&'static std::string::String", "std::string::String"),
            ("name", "char", "String"),
            ("email", "Option<Box<str>>", "Box<str>"),
            ("email", "Option<std::vec::Vec<u8>>", "String"),
            ("password", "[u8; 60]", "String"),
            ("password", "Option<[u8; 60]>", "Option<String>"),
            ("password", "Option<Option<Hash>>", "Option<Hash>"),
            ("two_factor_secret", "std::borrow::Cow<'static, str>", "Option<std::borrow::Cow<'static, str>>"),
            ("two_factor_secret", "Option<&'static str>", "Option<String>"),
            ("two_factor_recovery_codes", "Option<[String; 8]>", "Option<String>"),
            ("email_verified_at", "chrono::DateTime<Utc>", "Option<chrono::DateTime<Utc>>"),
            ("email_verified_at", "Option<i64>", "Option<std::time::SystemTime>"),
            ("email_verified_at", "chrono::NaiveDateTime", "Option<chrono::DateTime<chrono::Utc>>"),
            (
                "email_verified_at",
                "Option<sqlx::types::chrono::NaiveDate>",
                "Option<sqlx::types::chrono::DateTime<sqlx::types::chrono::Utc>>",
            ),
            ("two_factor_confirmed_at", "Option<time::PrimitiveDateTime>", "Option<time::OffsetDateTime>"),
            ("two_factor_confirmed_at", "Option<Option<Moment>>", "Option<Moment>"),
            ("password_confirmed_at", "Option<bool>", "Option<std::time::SystemTime>"),
            ("is_active", "Option<bool>", "bool"),
            ("is_active", "u8", "bool"),
            ("is_active", "Option<Standing>", "bool"),
            ("is_active", "chrono::DateTime<Utc>", "bool"),
            ("suspended_at", "bool", "Option<std::time::SystemTime>"),
            ("suspended_at", "chrono::DateTime<Utc>", "Option<chrono::DateTime<Utc>>"),
            ("language", "Option<&'static str>", "Option<String>"),
            ("language", "Option<bool>", "Option<String>"),
        ];
        for (word, ty, right) in wrong {
            let said = said(word, ty);
            let (headline, help) = said.split_once("\n\n").unwrap_or_else(|| panic!("{word}: {ty} passes"));
            assert!(headline.starts_with("`field` ") && headline.contains(&format!("`{ty}`")), "{said}");
            assert!(help.starts_with(&format!("help: write `{right}`")), "{said}");
            assert_eq!(self::said(word, right), "", "the type to write instead of {ty} for {word} is wrong");
        }
    }

    #[test]
    fn a_type_that_may_be_right_passes() {
        let right = [
            ("id", "NaiveDate"),
            ("id", "Vec<u8>"),
            ("name", "SystemTime"),
            ("two_factor_secret", "String"),
            ("email_verified_at", "Option<NaiveDateTime>"),
            ("is_active", "String"),
            ("id", "AccountId"),
            ("name", "Cow<'static, str>"),
            ("email", "EmailAddress"),
            ("password", "SecretString"),
            ("password", "Option<String>"),
            ("password", "std::option::Option<Hash>"),
            ("two_factor_secret", "Nothing"),
            ("two_factor_recovery_codes", "Option<Arc<str>>"),
            ("email_verified_at", "DateTime"),
            ("email_verified_at", "Option<DateTime>"),
            ("two_factor_confirmed_at", "DateTime<Utc>::Nullable"),
            ("password_confirmed_at", "Option<time::OffsetDateTime>"),
            ("is_active", "Standing"),
            ("language", "Option<Locale>"),
        ];
        for (word, ty) in right {
            assert_eq!(said(word, ty), "");
        }
    }

    /// Whatever the names mean: no optional type is a `bool`.
    #[test]
    fn an_optional_time_that_should_say_who_is_active_gets_another_role() {
        for ty in ["Option<DateTime<Utc>>", "Option<std::time::SystemTime>", "std::option::Option<Timestamp>"]
        {
            let said = said("is_active", ty);
            let headline =
                format!("`field` must be a `bool`, found `{ty}`\n\nhelp: write `#[auth(suspended_at)]`");
            assert!(said.starts_with(&headline), "{said}");
        }
    }

    #[test]
    fn a_message_says_when_the_field_is_null() {
        let said = said("email_verified_at", "std::time::SystemTime");
        assert!(
            said.starts_with(
                "`field` must be optional, found `std::time::SystemTime`: it is null until the address is verified"
            ),
            "{said}"
        );
    }
}
