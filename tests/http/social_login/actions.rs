//! What the host's action for newcomers decides (PASSWORDLESS_REGISTRATION): what it asks for, and whom it refuses.

use super::site::{Rules, Site, ada};
use super::visitor::Visitor;
use crate::support::answer::Answer;
use crate::support::routers::{is_browser, on_both_routers};
use crate::support::{Account, EMAIL};
use axum_auth_module::actions::{
    ActionContext, ActionError, CreatesPasswordlessUsers, PasswordlessRegistrationData,
};
use axum_auth_module::error::FieldErrors;
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::values::UserName;
use axum_auth_module::{StandardActions, async_trait};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

on_both_routers![
    an_action_that_asks_for_nothing_creates_the_account_at_once,
    what_the_action_asks_for_is_asked_after_the_visit,
    fields_that_the_action_refuses_can_be_typed_again,
    without_fields_a_refusal_of_the_action_is_final,
    an_action_that_fails_creates_nothing,
    a_newcomer_who_is_created_as_suspended_gets_no_session,
];

/// What an action does at present.
const CREATES: u8 = 0;
const REFUSES: u8 = 1;
const FAILS: u8 = 2;
const SUSPENDS: u8 = 3;

#[derive(Clone, Default)]
struct Action {
    asks_for: &'static [&'static str],
    extra_fields: &'static [&'static str],
    does: Arc<AtomicU8>,
    users: Arc<OnceLock<MemoryUsers<Account>>>,
}

#[async_trait]
impl CreatesPasswordlessUsers<Account> for Action {
    async fn create(
        &self,
        mut data: PasswordlessRegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        match self.does.load(Ordering::SeqCst) {
            REFUSES => Err(FieldErrors::one("name", "unknown_name", "Nobody has this name.").into()),
            FAILS => Err(std::io::Error::other("the host is broken").into()),
            does => {
                let plan = data.extra.get("plan").and_then(Value::as_str).map(str::to_owned);
                data.name = data.name.or_else(|| UserName::parse("Nobody").ok());
                let account = StandardActions.create(data, context).await?;
                self.users.get().unwrap().update(&account.email, |account| {
                    (account.active, account.plan) = (does != SUSPENDS, plan);
                });
                Ok(account)
            }
        }
    }

    fn asks_for(&self) -> &[&'static str] {
        self.asks_for
    }

    fn extra_fields(&self) -> &[&'static str] {
        self.extra_fields
    }
}

/// A host with this action, which does this.
async fn with(action: &Action, does: u8) -> Site {
    action.does.store(does, Ordering::SeqCst);
    let rules = Rules { action: Some(Arc::new(action.clone())), ..Rules::default() };
    let site = Site::with(|_| {}, rules).await;
    assert!(action.users.set(site.app.users.clone()).is_ok());
    site
}

fn asking_for(asks_for: &'static [&'static str], extra_fields: &'static [&'static str]) -> Action {
    Action { asks_for, extra_fields, ..Action::default() }
}

/// Completes the registration with these fields.
async fn complete(visitor: &Visitor, token: &str, mut fields: Value) -> Answer {
    if !is_browser() {
        fields["registrationToken"] = token.into();
    }
    visitor.post("/auth/register/passwordless", &fields).await
}

async fn an_action_that_asks_for_nothing_creates_the_account_at_once() {
    let site = with(&asking_for(&[], &[]), CREATES).await;
    site.sign_in("acme", &ada()).await.registered();
    assert!(site.identity("acme", "ada-at-acme").await.is_some());
}

async fn what_the_action_asks_for_is_asked_after_the_visit() {
    let site = with(&asking_for(&["name", "plan"], &["plan"]), CREATES).await;
    let visitor = site.visitor();
    let outcome = visitor.sign_in(&site, "acme", &ada().named("Ada Lovelace")).await;
    if let Some(answer) = outcome.answer() {
        assert_eq!(answer.body["name"], "Ada Lovelace");
    }
    let token = outcome.asked_to_register();
    if is_browser() {
        let pending = visitor.get("/auth/oauth/pending").await.expect(200).body;
        assert_eq!(
            (&pending["registration"]["name"], &pending["registration"]["asksFor"]),
            (&json!("Ada Lovelace"), &json!(["plan"]))
        );
    }
    assert_eq!(complete(&visitor, &token, json!({})).await.field_errors(), ["plan: required"]);
    complete(&visitor, &token, json!({ "plan": "pro" })).await.expect(201);
    let account = site.account(EMAIL);
    assert_eq!((account.name.as_str(), account.plan.as_deref()), ("Ada Lovelace", Some("pro")));
}

async fn fields_that_the_action_refuses_can_be_typed_again() {
    let action = asking_for(&["name"], &[]);
    let site = with(&action, REFUSES).await;
    let visitor = site.visitor();
    let token = visitor.sign_in(&site, "acme", &ada().named("Ada")).await.asked_to_register();
    let again = complete(&visitor, &token, json!({ "name": "Eve" })).await;
    assert_eq!(again.field_errors(), ["name: unknown_name"]);
    assert!(site.app.users.all().is_empty());
    action.does.store(CREATES, Ordering::SeqCst);
    complete(&visitor, &token, json!({ "name": "Grace" })).await.expect(201);
    assert_eq!(site.account(EMAIL).name, "Grace");
}

async fn without_fields_a_refusal_of_the_action_is_final() {
    let site = with(&asking_for(&[], &[]), REFUSES).await;
    site.sign_in("acme", &ada().named("Ada")).await.refused(403, "registration_closed");
    assert!(site.app.users.all().is_empty() && site.identity("acme", "ada-at-acme").await.is_none());
}

async fn an_action_that_fails_creates_nothing() {
    let action = asking_for(&["name"], &[]);
    let site = with(&action, FAILS).await;
    site.sign_in("acme", &ada().named("Ada")).await.refused(500, "internal_error");
    assert!(site.app.users.all().is_empty() && site.identity("acme", "ada-at-acme").await.is_none());
    action.does.store(CREATES, Ordering::SeqCst);
    site.sign_in("acme", &ada().named("Ada")).await.registered();
}

async fn a_newcomer_who_is_created_as_suspended_gets_no_session() {
    let site = with(&asking_for(&["name"], &[]), SUSPENDS).await;
    site.sign_in("acme", &ada().named("Ada")).await.refused(401, "unauthenticated");
    site.app.users.update(EMAIL, |account| account.active = true);
    site.sign_in("acme", &ada()).await.signed_in();
}
