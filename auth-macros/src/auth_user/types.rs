//! Types that certainly cannot hold their role.
//!
//! The compiler would refuse them too, by traits that no host has heard of. Here it is known what is meant, and so what
//! to write. A type that is not certain is the compiler's to judge.

use super::lifetimes::lasting;
use super::model::Mapped;
use super::role::{Holds, Role};
use super::written::{Kind, Written, shown};
use crate::errors::Errors;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Generics, Type};

/// What is wrong with a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// It holds something else, and perhaps why that is no such thing.
    Content(&'static str),
    /// It belongs to somebody else.
    Borrowed,
    /// It is never null, and has to be at first.
    NeverNull,
    /// It can be null, and must not be.
    Nullable,
    /// It can be null in two ways.
    TwiceNullable,
}

/// Reports the field at its type when that cannot hold the role, and answers whether it can.
pub(crate) fn check(field: &Mapped<'_>, generics: &Generics, errors: &mut Errors) -> bool {
    let written = Written::of(field.ty, generics);
    if lasting(field.ty, generics).is_some() {
        // It has been reported with the struct's lifetimes.
        return false;
    }
    let Some(wrong) = wrong(field.role.holds, &written) else { return true };
    let (name, ty, role) = (field.name, shown(field.ty), field.role);
    let headline = match wrong {
        Wrong::Content(why) => format!("`{name}` holds {}, and `{ty}` does not{why}", role.content),
        Wrong::Borrowed => format!("`{name}` is owned by the record, and `{ty}` is borrowed"),
        Wrong::NeverNull => format!("`{name}` is null {}, and `{ty}` never is", role.null),
        Wrong::Nullable => format!("`{name}` is {} null, and `{ty}` can be", role.null),
        Wrong::TwiceNullable => format!("`{name}` is null in one way, and `{ty}` in several"),
    };
    let instead = shown(instead(role.holds, &written));
    let message = format!("{headline}\n\nhelp: write `{instead}`{}", note(role, wrong));
    errors.absorb(syn::Error::new_spanned(field.ty, message));
    false
}

/// The type itself, or the one to write in its place.
pub(crate) fn right(holds: Holds, ty: &Type, generics: &Generics) -> TokenStream {
    let written = Written::of(ty, generics);
    match wrong(holds, &written) {
        Some(_) => instead(holds, &written),
        None => ty.to_token_stream(),
    }
}

fn wrong(holds: Holds, written: &Written<'_>) -> Option<Wrong> {
    let nulls = usize::from(holds.is_nullable());
    match written.kind {
        Some(kind) if !suits(holds, kind) => Some(Wrong::Content(why(holds, kind))),
        Some(_) if written.is_borrowed => Some(Wrong::Borrowed),
        Some(_) if written.nulls < nulls => Some(Wrong::NeverNull),
        _ if written.nulls <= nulls => None,
        _ if nulls == 0 => Some(Wrong::Nullable),
        _ => Some(Wrong::TwiceNullable),
    }
}

/// Whether a type of this kind may hold it, once it is owned and null where it has to be.
fn suits(holds: Holds, kind: Kind) -> bool {
    match holds {
        Holds::Id => !matches!(kind, Kind::SharedText | Kind::Several | Kind::Tick),
        Holds::Text | Holds::NullableText => matches!(kind, Kind::Text | Kind::SharedText | Kind::BareText),
        Holds::NullableTimestamp => kind == Kind::Time,
        Holds::Flag => kind == Kind::Flag,
    }
}

/// Why something that tells of time is no point in it.
fn why(holds: Holds, kind: Kind) -> &'static str {
    match (holds, kind) {
        (Holds::NullableTimestamp, Kind::TimeWithoutZone) => ": it has no time zone",
        (Holds::NullableTimestamp, Kind::DateWithoutTime) => ": it has no time of day",
        (Holds::NullableTimestamp, Kind::Tick) => ": it means nothing to another process",
        _ => "",
    }
}

/// As much of the type as can stay, null where it has to be.
fn instead(holds: Holds, written: &Written<'_>) -> TokenStream {
    let core = match written.kind {
        Some(Kind::TimeWithoutZone | Kind::DateWithoutTime) if suits(holds, Kind::Time) => {
            zoned(written.core)
        }
        Some(kind) if kind == Kind::BareText || !suits(holds, kind) => holds.content_type(),
        _ => written.core.to_token_stream(),
    };
    if holds.is_nullable() { quote!(Option<#core>) } else { core }
}

/// What the same crate has for a point in time.
fn zoned(ty: &Type) -> TokenStream {
    let Type::Path(path) = ty else { return Holds::NullableTimestamp.content_type() };
    let mut krate = path.path.clone();
    let is_of_time = krate.segments.pop().is_some_and(|name| name.ident == "PrimitiveDateTime");
    krate.segments.pop_punct();
    let krate = match () {
        () if !krate.segments.is_empty() => krate.into_token_stream(),
        () if is_of_time => quote!(time),
        () => quote!(chrono),
    };
    if is_of_time { quote!(#krate::OffsetDateTime) } else { quote!(#krate::DateTime<#krate::Utc>) }
}

fn note(role: &Role, wrong: Wrong) -> &'static str {
    match (role.holds, wrong) {
        (Holds::Id, Wrong::Content(_)) => {
            "\nnote: `i64`, `uuid::Uuid` and whatever else is `Display + FromStr` will do as well"
        }
        (Holds::NullableTimestamp, Wrong::Content(_)) => {
            "\nnote: chrono's `DateTime<Utc>`, time's `OffsetDateTime` and jiff's `Timestamp` will do as well"
        }
        (Holds::Text, Wrong::Nullable) if role.word == "password" => {
            "\nnote: the password of an account that has none is an empty text"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    /// What is said of a field of this role and type in a struct with the parameter `DateTime`.
    fn said(word: &str, ty: &str) -> String {
        let (name, ty) = (parse_quote!(field), syn::parse_str(ty).unwrap());
        let field = Mapped { role: Role::by_word(word).unwrap(), name: &name, ty: &ty };
        let mut errors = Errors::new();
        let is_right = check(&field, &parse_quote!(<DateTime>), &mut errors);
        assert_eq!(is_right, errors.is_empty());
        errors.into_compile_errors().map(crate::testing::messages).unwrap_or_default()
    }

    /// Each kind of mistake, by what is to be written.
    #[test]
    fn a_type_that_is_certainly_wrong_is_told_what_is_right() {
        let wrong = [
            ("id", "Option<Uuid>", "Uuid"),
            ("id", "Vec<u8>", "String"),
            ("id", "()", "String"),
            ("id", "Arc<str>", "String"),
            ("id", "&'static str", "String"),
            ("name", "Option<Name>", "Name"),
            ("name", "&'static String", "String"),
            ("name", "char", "String"),
            ("email", "Option<Box<str>>", "Box<str>"),
            ("email", "Option<Vec<u8>>", "String"),
            ("password", "[u8; 60]", "String"),
            ("two_factor_secret", "Cow<'static, str>", "Option<Cow<'static, str>>"),
            ("two_factor_secret", "Option<&'static str>", "Option<String>"),
            ("two_factor_recovery_codes", "Option<Vec<String>>", "Option<String>"),
            ("email_verified_at", "chrono::DateTime<Utc>", "Option<chrono::DateTime<Utc>>"),
            ("email_verified_at", "Option<i64>", "Option<std::time::SystemTime>"),
            ("email_verified_at", "NaiveDateTime", "Option<chrono::DateTime<chrono::Utc>>"),
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
        ];
        for (word, ty, right) in wrong {
            let said = said(word, ty);
            let (headline, help) = said.split_once("\n\n").unwrap_or_else(|| panic!("{word}: {ty} passes"));
            assert!(headline.starts_with("`field` ") && headline.contains(&format!("`{ty}`")), "{said}");
            assert!(help.starts_with(&format!("help: write `{right}`")), "{said}");
            assert_eq!(self::said(word, right), "", "what {word} is told to write in place of {ty} is wrong");
        }
    }

    #[test]
    fn a_type_that_may_be_right_passes() {
        let right = [
            ("id", "NaiveDate"),
            ("id", "AccountId"),
            ("name", "Cow<'static, str>"),
            ("email", "EmailAddress"),
            ("password", "SecretString"),
            ("two_factor_secret", "Nothing"),
            ("two_factor_recovery_codes", "Option<Arc<str>>"),
            ("email_verified_at", "DateTime"),
            ("email_verified_at", "Option<DateTime>"),
            ("two_factor_confirmed_at", "DateTime<Utc>::Nullable"),
            ("password_confirmed_at", "Option<time::OffsetDateTime>"),
            ("is_active", "Standing"),
        ];
        for (word, ty) in right {
            assert_eq!(said(word, ty), "");
        }
    }

    #[test]
    fn a_role_says_why() {
        let said = said("email_verified_at", "SystemTime");
        assert!(
            said.starts_with("`field` is null until the address is verified, and `SystemTime` never is"),
            "{said}"
        );
    }
}
