//! Expansions as snapshots, and errors.

use super::derive;
use super::role::Role;
use crate::testing::{messages, slips, snapshot, words_for_editors};
use insta::assert_snapshot;

const BY_NAME: &str = "
#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    plan: String,
}";

const BY_ATTRIBUTE: &str = "
#[derive(Clone, AuthUser)]
#[auth(crate = crate::vendored::auth)]
struct Account<Id, Extra: Debug> where Extra: Default {
    #[auth(id)] key: Id,
    #[auth(name)] display_name: String,
    name: Extra,
    email: Box<str>,
    #[auth(password)] r#type: String,
    email_verified_at: Option<OffsetDateTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<OffsetDateTime>,
    password_confirmed_at: Option<OffsetDateTime>,
    #[auth(is_active)] active: bool,
    #[auth(suspended_at)] deleted_at: Option<OffsetDateTime>,
    #[auth(language)] locale: Option<Box<str>>,
}";

fn expansion(input: &str) -> String {
    snapshot(input, derive, |items| items)
}

fn errors(input: &str) -> String {
    messages(derive(input.parse().unwrap()))
}

#[test]
fn fields_take_roles_by_their_names() {
    assert_snapshot!(expansion(BY_NAME));
}

#[test]
fn fields_take_roles_by_attributes() {
    assert_snapshot!(expansion(BY_ATTRIBUTE));
}

/// There are implementations beside the error, so that no further error follows.
#[test]
fn an_incomplete_struct_gets_other_implementations() {
    assert_snapshot!(expansion("struct Account<T: Copy> { id: T, email: String }"));
}

#[test]
fn a_correct_struct_has_no_errors() {
    assert_eq!(errors(BY_NAME), "");
    assert_eq!(errors(BY_ATTRIBUTE), "");
}

/// The database may be unable to read another type.
#[test]
fn a_time_that_is_missing_is_of_the_type_of_the_others() {
    let errors = errors(
        "struct Account { id: String, name: String, email: String, password: String, \
         email_verified_at: Option<DateTime<Utc>>, two_factor_secret: Option<String>, \
         two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<DateTime<Utc>> }",
    );
    assert!(errors.contains("password_confirmed_at: Option<DateTime<Utc>>,"), "{errors}");
    assert!(!errors.contains("jiff"), "{errors}");
}

/// An attribute takes precedence over a name.
#[test]
fn a_field_with_an_attribute_has_no_role_by_its_name() {
    let input = BY_NAME.replace("email: String", "#[auth(name)] email: String");
    let errors = errors(&input);
    assert!(errors.contains("`Account` lacks a field") && errors.contains("email: String,"), "{errors}");
}

/// Only an attribute makes a field decide whether the account is active.
#[test]
fn is_active_is_never_taken_by_name() {
    let expansion = expansion(&BY_NAME.replace("plan: String", "is_active: bool"));
    assert!(!expansion.contains("fn is_active"), "{expansion}");
}

#[test]
fn a_time_of_suspension_alone_decides_who_is_active() {
    let input = BY_NAME.replace("plan: String", "#[auth(suspended_at)] deleted_at: Option<SystemTime>");
    let flat = expansion(&input).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("fn is_active(&self) -> ::core::primitive::bool { ::core::option::Option::is_none("),
        "{flat}"
    );
    let by_name = expansion(&BY_NAME.replace("plan: String", "suspended_at: Option<SystemTime>"));
    assert!(!by_name.contains("fn is_active"), "{by_name}");
}

/// A field that is named so may hold a programming language.
#[test]
fn language_is_never_taken_by_name() {
    let expansion = expansion(&BY_NAME.replace("plan: String", "language: Option<String>"));
    assert!(!expansion.contains("fn language"), "{expansion}");
}

/// A field that is named so may hold the name of an account at another service.
#[test]
fn username_is_never_taken_by_name() {
    let expansion = expansion(&BY_NAME.replace("plan: String", "username: String"));
    assert!(!expansion.contains("fn username") && !expansion.contains("HasUsername"), "{expansion}");
}

#[test]
fn a_user_name_can_be_optional() {
    let of =
        |ty: &str| expansion(&BY_NAME.replace("plan: String", &format!("#[auth(username)] handle: {ty}")));
    assert_snapshot!("a_user_name_of_every_user", of("String"));
    assert_snapshot!("a_user_name_that_can_be_null", of("Option<String>"));
}

#[test]
fn a_field_that_borrows_is_reported_once() {
    let borrowing = BY_NAME.replace("struct Account", "struct Account<'a>");
    let errors = errors(&borrowing.replace("name: String", "name: &'a str"));
    assert_eq!(errors.matches("`name` must own its data").count(), 1, "{errors}");
}

#[test]
fn an_input_that_is_not_a_type_is_an_error() {
    assert!(!errors("fn account() {}").is_empty());
    assert!(!errors("").is_empty());
}

#[test]
fn no_missing_or_repeated_token_panics() {
    for slip in slips(BY_NAME).into_iter().chain(slips(BY_ATTRIBUTE)) {
        let expansion = derive(slip.clone());
        assert!(syn::parse2::<syn::File>(expansion).is_ok(), "what {slip} expands to is not Rust");
    }
}

/// The roles that editors know are those that the derive knows.
#[test]
fn editors_know_every_role() {
    let mut known: Vec<_> = Role::words().collect();
    known.sort_unstable();
    assert_eq!(words_for_editors("roles"), known);
}
