//! Expansions as snapshots, and the number of errors for each mistake.

use super::assemble;
use super::vocabulary::{DEPLOYMENTS, Key, keys};
use crate::catalog::{OPTIONAL, Place};
use crate::testing::{in_every_build, messages, reports, slips, snapshot, words_for_editors};
use insta::assert_snapshot;
use proc_macro2::TokenStream;
use quote::quote;

const ONE_BY_ONE: &str = "
config: AuthConfig::from_env()?,
features: [REGISTRATION],
user_repo: Accounts::new(pool.clone()),
actions: { CreatesNewUsers: CreateAccount { default_plan: free } },
events: AuditLog,
store: shared_store().await?,
";

/// Every feature, with every provider by its name.
fn every_feature() -> String {
    let features: String = in_every_build().iter().map(|row| format!("    {},\n", row.word)).collect();
    let own = given(Place::Own, "", "Repository::new(pool.clone())");
    let actions = given(Place::Actions, "    ", "StandardActions");
    let delivery = given(Place::Delivery, "    ", "Mailer::new(smtp)");
    format!(
        "
config: AuthConfig::from_env()?,
features: [
{features}],
user_repo: SqlUsers::<Account>::new(pool.clone()),
{own}actions: {{
{actions}}},
delivery: {{
{delivery}}},
events: AuditLog,
"
    )
}

/// The same features in another order, with one value for all actions and one for all deliveries.
fn one_for_all() -> String {
    let features: String = in_every_build().iter().rev().map(|row| format!("    {},\n", row.word)).collect();
    let own = given(Place::Own, "", "repository");
    format!(
        "
delivery: mailer,
features: enabled(settings.features) within [
{features}],
actions: StandardActions,
{own}user_repo: accounts,
config: config
"
    )
}

/// This value for each provider of a place, one a line.
fn given(place: Place, indent: &str, value: &str) -> String {
    let features = in_every_build();
    let needs = features.iter().flat_map(|row| row.needs).filter(|provider| provider.place == place);
    let optional = OPTIONAL.iter().filter(|provider| provider.place == place && !indent.is_empty());
    needs.chain(optional).map(|provider| format!("{indent}{}: {value},\n", provider.word)).collect()
}

fn expansion(input: &str) -> String {
    snapshot(input, from_shell, |module| quote!(fn host() { let auth = #module; }))
}

fn errors(input: &str) -> String {
    messages(from_shell(input.parse().unwrap()))
}

/// What the `macro_rules!` of the library does.
pub(super) fn from_shell(input: TokenStream) -> TokenStream {
    assemble(TokenStream::from_iter([quote!((::axum_auth_module)), input]))
}

#[test]
fn a_module_of_one_feature() {
    assert_snapshot!(expansion(ONE_BY_ONE));
}

#[test]
fn every_feature_is_a_call() {
    assert_snapshot!(expansion(&every_feature()));
}

#[test]
fn one_value_for_all_actions_and_one_for_all_deliveries() {
    assert_snapshot!(expansion(&one_for_all()));
}

/// The host names one action and gives a value for the others.
#[test]
fn a_base_value_is_used_for_what_is_not_named() {
    assert_snapshot!(expansion(
        "config: config, features: [REGISTRATION, UPDATE_PASSWORDS, UPDATE_PROFILE_INFORMATION, EMAIL_VERIFICATION], \
         user_repo: accounts, actions: { CreatesNewUsers: CreateAccount, ..StandardActions }, delivery: { ..mailer }"
    ));
}

/// The correct parts are there beside the errors, with the right types.
#[test]
fn a_missing_provider_is_replaced() {
    assert_snapshot!(expansion(
        "config: config, features: [RESET_PASSWORDS], user_repo: accounts, delivery: { PasswordReset: mailer }"
    ));
}

#[test]
fn a_missing_configuration_is_replaced() {
    assert_snapshot!(expansion("features: [], user_repo: accounts"));
}

#[test]
fn the_error_takes_the_place_of_a_missing_repository() {
    assert_snapshot!(expansion("config: config, features: [UPDATE_PASSWORDS], actions: actions"));
}

#[test]
fn a_correct_module_has_no_errors() {
    assert_eq!(errors(ONE_BY_ONE), "");
    assert_eq!(errors(&every_feature()), "");
    assert_eq!(errors(&one_for_all()), "");
    assert_eq!(errors("config: config, features: [], user_repo: accounts, actions: {}"), "");
}

#[test]
fn a_block_is_one_value_and_not_a_map() {
    let block =
        ONE_BY_ONE.replace("{ CreatesNewUsers: CreateAccount { default_plan: free } }", "{ let a = b; a }");
    assert_eq!(errors(&block), "");
    assert_eq!(errors(&one_for_all().replace("StandardActions", "{ actions }")), "");
}

/// After each of these mistakes parsing continues, and no error follows from it.
#[test]
fn each_mistake_is_one_error() {
    for (right, wrong) in [
        ("config:", "confg:"),
        ("config: AuthConfig::from_env()?,", "config: AuthConfig::from_env()?"),
        ("config: AuthConfig::from_env()?", "config:"),
        ("config: AuthConfig::from_env()?", "config"),
        ("config: AuthConfig::from_env()?", "config = AuthConfig::from_env()?"),
        ("config: AuthConfig::from_env()?", "config: AuthConfig::from_env()? or else"),
        ("config: AuthConfig::from_env()?", "config: match"),
        ("config: AuthConfig::from_env()?", "config: { one other }"),
        ("config: AuthConfig::from_env()?", "\"config\": AuthConfig::from_env()?"),
        ("config: AuthConfig::from_env()?", "axum_auth_module::config: AuthConfig::from_env()?"),
        ("config: AuthConfig::from_env()?", "config: one, config: two"),
        ("[REGISTRATION]", ""),
        ("[REGISTRATION]", "settings.features"),
        ("[REGISTRATION]", "enabled(settings.features)"),
        ("[REGISTRATION]", "enabled() within [REGISTRATION]"),
        ("[REGISTRATION]", "enabled(a b) within [REGISTRATION]"),
        ("[REGISTRATION]", "[REGISTRATION, REGISTRATION]"),
        ("[REGISTRATION]", "[REGISTRATON]"),
        ("[REGISTRATION]", "[TELEPATHY]"),
        ("[REGISTRATION]", "[registration]"),
        ("[REGISTRATION]", "[\"registration\"]"),
        ("[REGISTRATION]", "[Feature::REGISTRATION]"),
        ("[REGISTRATION]", "[REGISTRATION,,]"),
        ("[REGISTRATION]", "[REGISTRATION 5]"),
        ("[REGISTRATION]", "[REGISTRATION, EMAIL_VERIFICATION]"),
        ("[REGISTRATION]", "[]"),
        ("CreatesNewUsers:", "CreateNewUsers:"),
        ("CreatesNewUsers:", "axum_auth_module::actions::CreatesNewUsers:"),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", "CreatesNewUsers"),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", "CreatesNewUsers: 1, CreatesNewUsers: 2"),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", ""),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", ".."),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", "..,"),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", "..!"),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", "..one, ..other"),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", "CreatesNewUsers: 1, ..other"),
        ("events: AuditLog", "..other"),
        ("config: AuthConfig::from_env()?", "config ="),
        ("store: shared_store().await?", "deployment ="),
        ("store: shared_store().await?", "deployment: many, session_repo: sessions"),
        ("store: shared_store().await?", "store: shared_store().await?, deployment: many"),
        ("store: shared_store().await?", "deployment: some"),
        ("store: shared_store().await?", "deployment: \"one\""),
        ("store: shared_store().await?", "deployment: 3"),
        ("store: shared_store().await?", "deployment: settings.deployment"),
        ("store: shared_store().await?", "deployment: one, deployment: one"),
        ("events: AuditLog", "handlers: { CreatesNewUsers: StandardActions }"),
        (
            "actions: { CreatesNewUsers: CreateAccount { default_plan: free } }",
            "delivery: { actions: { CreatesNewUsers: StandardActions } }",
        ),
        ("events:", "password_reset_repo:"),
        ("events:", "password_reset_repos:"),
        ("events:", "delivery:"),
        ("events: AuditLog", "delivery: { Notices: notices }"),
        ("[REGISTRATION]", "[REGISTRATION, EMAIL_VERIFICATION], delivery: { Notices: notices }"),
        (
            "[REGISTRATION]",
            "[REGISTRATION, EMAIL_VERIFICATION], delivery: { Notices, EmailVerification: mailer }",
        ),
        (
            "[REGISTRATION]",
            "[REGISTRATION, EMAIL_VERIFICATION], delivery: { Notices: one, Notices: two, ..mailer }",
        ),
        ("events:", "actionz:"),
    ] {
        assert!(ONE_BY_ONE.contains(right), "{right}");
        let errors = errors(&ONE_BY_ONE.replace(right, wrong));
        let count = errors.split("\n----\n").filter(|message| !message.is_empty()).count();
        assert_eq!(count, 1, "`{wrong}` in place of `{right}`:\n{errors}");
    }
}

/// It is not reported at the whole macro, but where the rest was expected.
#[test]
fn an_unfinished_value_is_reported_at_its_end() {
    for (input, place) in [
        ("features: [], user_repo: accounts, config: load() +", 50..51),
        ("config: load(), user_repo: accounts, features: enabled(all -) within []", 60..61),
        (
            "config: load(), user_repo: accounts, features: [REGISTRATION], actions: { CreatesNewUsers: ! }",
            93..94,
        ),
    ] {
        let reports = reports(from_shell(input.parse().unwrap()));
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert_eq!(reports[0].place, Some(place), "{input}");
    }
}

/// The words of features and providers are generated for editors. The others are those that the macro knows.
#[test]
fn editors_know_every_word() {
    let fixed = keys().filter(|(_, key)| !matches!(key, Key::Own(_) | Key::Actions | Key::Delivery));
    let known = [
        ("keys", fixed.map(|(word, _)| word).collect::<Vec<_>>()),
        ("deployment", DEPLOYMENTS.iter().map(|(word, _)| *word).collect()),
    ];
    for (kind, mut known) in known {
        known.sort_unstable();
        assert_eq!(words_for_editors(kind), known, "the words of `{kind}`");
    }
}

#[test]
fn no_missing_or_repeated_token_panics() {
    let inputs = [ONE_BY_ONE.to_owned(), every_feature(), one_for_all()];
    for slip in inputs.iter().flat_map(|input| slips(input)) {
        let expansion = from_shell(slip.clone());
        assert!(syn::parse2::<syn::Expr>(expansion).is_ok(), "what {slip} expands to is no expression");
    }
}
