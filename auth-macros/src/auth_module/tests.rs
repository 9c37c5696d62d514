//! Expansions as snapshots, and inputs that no host should have to write to find out.

use super::assemble;
use crate::testing::{messages, slips, snapshot};
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

const ONE_FOR_ALL: &str = "
features: enabled(settings.features) within [REGISTRATION],
actions: StandardActions,
user_repo: accounts,
config: config
";

fn expansion(input: &str) -> String {
    snapshot(input, from_shell, |module| quote!(fn host() { let auth = #module; }))
}

fn errors(input: &str) -> String {
    messages(from_shell(input.parse().unwrap()))
}

/// What the `macro_rules!` shell in `auth` does.
fn from_shell(input: TokenStream) -> TokenStream {
    assemble(TokenStream::from_iter([quote!((::auth)), input]))
}

#[test]
fn each_feature_is_a_call() {
    assert_snapshot!(expansion(ONE_BY_ONE));
}

#[test]
fn one_value_can_be_all_actions() {
    assert_snapshot!(expansion(ONE_FOR_ALL));
}

/// What is good is still there, with the right type, beside the error.
#[test]
fn a_feature_without_its_provider_is_left_out() {
    assert_snapshot!(expansion("config: config, features: [REGISTRATION], user_repo: accounts"));
}

#[test]
fn without_a_configuration_the_users_say_the_type() {
    assert_snapshot!(expansion("features: [], user_repo: accounts"));
}

#[test]
fn without_users_there_is_only_the_error() {
    assert_snapshot!(expansion("config: config, features: []"));
}

#[test]
fn a_good_module_has_no_errors() {
    assert_eq!(errors(ONE_BY_ONE), "");
    assert_eq!(errors(ONE_FOR_ALL), "");
    assert_eq!(errors("config: config, features: [], user_repo: accounts, actions: {}"), "");
}

#[test]
fn a_block_is_one_value_and_not_a_map() {
    let block =
        ONE_BY_ONE.replace("{ CreatesNewUsers: CreateAccount { default_plan: free } }", "{ let a = b; a }");
    assert_eq!(errors(&block), "");
    assert_eq!(errors(&ONE_FOR_ALL.replace("StandardActions", "{ actions }")), "");
}

/// After each of these mistakes the reader goes on, and says nothing that follows from it.
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
        ("config: AuthConfig::from_env()?", "\"config\": AuthConfig::from_env()?"),
        ("config: AuthConfig::from_env()?", "auth::config: AuthConfig::from_env()?"),
        ("config: AuthConfig::from_env()?", "config: one, config: two"),
        ("[REGISTRATION]", ""),
        ("[REGISTRATION]", "settings.features"),
        ("[REGISTRATION]", "enabled(settings.features)"),
        ("[REGISTRATION]", "enabled() within [REGISTRATION]"),
        ("[REGISTRATION]", "enabled(a b) within [REGISTRATION]"),
        ("[REGISTRATION]", "[REGISTRATION, REGISTRATION]"),
        ("[REGISTRATION]", "[REGISTRATON]"),
        ("[REGISTRATION]", "[PASSKEYS]"),
        ("[REGISTRATION]", "[registration]"),
        ("[REGISTRATION]", "[\"registration\"]"),
        ("[REGISTRATION]", "[Feature::REGISTRATION]"),
        ("[REGISTRATION]", "[REGISTRATION,,]"),
        ("[REGISTRATION]", "[REGISTRATION 5]"),
        ("[REGISTRATION]", "[REGISTRATION, RESET_PASSWORDS]"),
        ("[REGISTRATION]", "[]"),
        ("CreatesNewUsers:", "CreateNewUsers:"),
        ("CreatesNewUsers:", "auth::CreatesNewUsers:"),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", "CreatesNewUsers"),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", "CreatesNewUsers: 1, CreatesNewUsers: 2"),
        ("CreatesNewUsers: CreateAccount { default_plan: free }", ""),
        ("events:", "password_reset_repo:"),
        ("events:", "password_reset_repos:"),
        ("events:", "delivery:"),
        ("events:", "actionz:"),
    ] {
        assert!(ONE_BY_ONE.contains(right), "{right}");
        let errors = errors(&ONE_BY_ONE.replace(right, wrong));
        let count = errors.split("\n----\n").filter(|message| !message.is_empty()).count();
        assert_eq!(count, 1, "`{wrong}` in place of `{right}`:\n{errors}");
    }
}

#[test]
fn no_slip_of_the_pen_panics() {
    for slip in slips(ONE_BY_ONE).into_iter().chain(slips(ONE_FOR_ALL)) {
        let expansion = from_shell(slip.clone());
        assert!(syn::parse2::<syn::Expr>(expansion).is_ok(), "what {slip} expands to is no expression");
    }
}
