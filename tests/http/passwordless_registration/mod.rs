//! PASSWORDLESS_REGISTRATION: who has proven an address creates an account for it.

mod refusals;
mod tokens;

use crate::email_login::{begin, with_code};
use crate::every_route::features_off::service_is_there_only_with;
use crate::support::answer::Answer;
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Call, EMAIL};
use axum_auth_module::actions::{
    ActionContext, ActionError, CreatesPasswordlessUsers, PasswordlessRegistrationData,
};
use axum_auth_module::assurance::Method;
use axum_auth_module::async_trait;
use axum_auth_module::delivery::{EmailLoginMessage, EmailLoginPurpose};
use axum_auth_module::events::EventKind;
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::services::PasswordlessRegistrationService;
use axum_auth_module::user::NewUser;
use serde_json::{Value, json};

on_both_routers![
    who_has_proven_an_address_is_asked_for_a_name_and_gets_an_account,
    the_account_has_no_password_and_a_session_that_is_confirmed,
    without_the_feature_nothing_is_mailed_to_an_address_without_an_account,
    an_account_of_which_nothing_is_asked_exists_at_once,
    an_action_that_refuses_what_it_knows_is_asked_again,
    only_the_fields_that_the_action_asks_for_reach_it,
    a_field_that_the_action_asks_for_is_required,
    a_field_of_the_user_record_is_never_asked_for,
];

/// Proves an address without an account, and returns the response.
async fn prove(app: &App, email: &str) -> Answer {
    let begun = begin(app, email).await;
    with_code(app, &begun.flow, begun.code()).await
}

/// Proves an address without an account, and returns the registration token.
pub(crate) async fn registration_token(app: &App, email: &str) -> String {
    let proven = prove(app, email).await.expect(200);
    proven.body["registrationToken"].as_str().unwrap().to_owned()
}

fn register(app: &App, body: &Value) -> Call {
    app.post("/auth/register/passwordless").json(body)
}

pub(crate) fn with_name(app: &App, token: &str) -> Call {
    register(app, &json!({ "registrationToken": token, "name": "Ada" }))
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<PasswordlessRegistrationService>(Feature::PASSWORDLESS_REGISTRATION).await;
}

async fn who_has_proven_an_address_is_asked_for_a_name_and_gets_an_account() {
    let app = App::with_everything().await;
    let begun = begin(&app, " Ada@Example.COM ").await;
    assert_eq!(begun.mail.purpose, EmailLoginPurpose::Registration);
    assert_eq!((begun.mail.email.as_str(), begun.mail.name.as_deref()), (EMAIL, None));
    let proven = with_code(&app, &begun.flow, begun.code()).await.expect(200);
    assert_eq!(proven.members(), ["email", "expiresIn", "name", "registration", "registrationToken"]);
    assert_eq!((&proven.body["registration"], &proven.body["expiresIn"]), (&json!(true), &json!(1800)));
    assert_eq!((&proven.body["email"], &proven.body["name"]), (&json!(EMAIL), &Value::Null));
    assert!(proven.session().is_none() && app.users.all().is_empty());
    let token = proven.body["registrationToken"].as_str().unwrap();
    let answer = with_name(&app, token).await.expect(201);
    assert_eq!(answer.members_beside_the_session(), ["twoFactor"]);
    let tokens = answer.tokens();
    assert_eq!(app.me(&tokens.access).await.expect(200).text, EMAIL);
    assert_eq!(app.users.by_email(EMAIL).unwrap().name, "Ada");

    let sent = app.event().await;
    assert_eq!((sent.name(), sent.user_id), ("auth.login-code-sent", None));
    let registered = app.event().await;
    assert_eq!(registered.kind, EventKind::Registered { methods: Method::Email.into() });
    assert_eq!(registered.user_id.as_deref(), Some("1"));
    assert_eq!(app.event_names().await, ["auth.email-verified"]);
}

async fn the_account_has_no_password_and_a_session_that_is_confirmed() {
    let app = App::with_everything().await;
    let token = registration_token(&app, EMAIL).await;
    let tokens = with_name(&app, &token).await.expect(201).tokens();
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(user.password.is_empty() && user.email_verified_at.is_some());
    assert_eq!(app.get("/verified").bearer(&tokens.access).await.expect(200).text, EMAIL);
    app.get("/confirmed").bearer(&tokens.access).await.expect(200);
    let methods = app.get("/auth/user/sign-in-methods").bearer(&tokens.access).await.expect(200).body;
    assert_eq!((&methods["password"], &methods["email"]), (&json!(false), &json!(true)));
    let sessions = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200).body;
    assert_eq!(sessions["sessions"][0]["authenticatedBy"], json!(["email"]));
    // From now on the mail leads to a session.
    let begun = begin(&app, EMAIL).await;
    assert_eq!((begun.mail.purpose, begun.mail.email_verified), (EmailLoginPurpose::Login, true));
    with_code(&app, &begun.flow, begun.code()).await.expect(200).tokens();
}

async fn without_the_feature_nothing_is_mailed_to_an_address_without_an_account() {
    let off = FeatureSet::from([Feature::PASSWORDLESS_REGISTRATION]);
    let app = App::with_everything_and(
        |config| config,
        |module| module.enabled(FeatureSet::all().difference(off)).unwrap(),
    )
    .await;
    app.post("/auth/login/email").json(&json!({ "email": EMAIL })).await.expect(200);
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<EmailLoginMessage>().is_none());
}

/// Creates users as it is told to.
struct Join {
    asks_for: &'static [&'static str],
    extra_fields: &'static [&'static str],
}

#[async_trait]
impl CreatesPasswordlessUsers<Account> for Join {
    async fn create(
        &self,
        data: PasswordlessRegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        assert_eq!((data.proven_by, data.provider.as_deref()), (Method::Email, None));
        let known = |field: &String| ["plan", "coupon"].contains(&field.as_str());
        assert!(data.extra.keys().all(known), "{:?}", data.extra);
        let name = data.name.map_or_else(|| "Somebody".to_owned(), String::from);
        if name == "Somebody" && self.extra_fields.contains(&"plan") {
            let missing = axum_auth_module::error::FieldErrors::one("name", "wanted", "Who are you?");
            return Err(missing.into());
        }
        let plan = data.extra.get("plan").cloned().unwrap_or(Value::Null);
        Ok(context.users().create(NewUser::new(name, data.email, "").with_extra("plan", plan)).await?)
    }

    fn asks_for(&self) -> &[&'static str] {
        self.asks_for
    }

    fn extra_fields(&self) -> &[&'static str] {
        self.extra_fields
    }
}

async fn with_action(asks_for: &'static [&'static str], extra_fields: &'static [&'static str]) -> App {
    let action = Join { asks_for, extra_fields };
    App::with_everything_and(|config| config, |module| module.passwordless_registration(action)).await
}

async fn an_account_of_which_nothing_is_asked_exists_at_once() {
    let app = with_action(&[], &[]).await;
    let answer = prove(&app, EMAIL).await.expect(201);
    assert_eq!(answer.members_beside_the_session(), ["twoFactor"]);
    let tokens = answer.tokens();
    assert_eq!(app.get("/verified").bearer(&tokens.access).await.expect(200).text, EMAIL);
    let names = app.event_names().await;
    assert_eq!(names, ["auth.login-code-sent", "auth.registered", "auth.email-verified"]);
    assert_eq!(app.users.by_email(EMAIL).unwrap().name, "Somebody");
}

async fn an_action_that_refuses_what_it_knows_is_asked_again() {
    let app = with_action(&[], &["plan"]).await;
    let token = registration_token(&app, EMAIL).await;
    let body = json!({ "registrationToken": token });
    assert_eq!(register(&app, &body).await.field_errors(), ["name: wanted"]);
    with_name(&app, &token).await.expect(201);
}

async fn only_the_fields_that_the_action_asks_for_reach_it() {
    let app = with_action(&["name", "plan"], &["coupon", "emailVerifiedAt"]).await;
    let body = json!({
        "registrationToken": registration_token(&app, EMAIL).await, "name": "Ada", "plan": "pro", "isAdmin": true,
        "id": "7", "email": "eve@example.com", "password": "correct horse", "emailVerifiedAt": null,
        "twoFactorSecret": "x", "twoFactorRecoveryCodes": "x", "twoFactorConfirmedAt": "2020-01-01T00:00:00Z",
        "passwordConfirmedAt": "2020-01-01T00:00:00Z",
    });
    register(&app, &body).await.expect(201);
    let user = app.users.by_email(EMAIL).unwrap();
    assert_eq!((user.id, user.plan.as_deref(), user.password.as_str()), (1, Some("pro"), ""));
    assert!(user.two_factor_secret.is_none() && user.two_factor_confirmed_at.is_none());
}

async fn a_field_that_the_action_asks_for_is_required() {
    let app = with_action(&["name", "plan"], &["coupon"]).await;
    let token = registration_token(&app, EMAIL).await;
    for (fields, errors) in [
        (json!({}), vec!["name: required", "plan: required"]),
        (json!({ "name": null, "plan": null }), vec!["name: required", "plan: required"]),
        (json!({ "name": "a\u{0}b" }), vec!["name: invalid", "plan: required"]),
        (json!({ "name": 7, "plan": "pro" }), vec!["name: wrong_type"]),
        (json!({ "name": "", "plan": "pro" }), vec!["name: required"]),
    ] {
        let mut body = fields.clone();
        body["registrationToken"] = token.as_str().into();
        assert_eq!(register(&app, &body).await.field_errors(), errors, "{fields}");
    }
    register(&app, &json!({ "registrationToken": token, "name": "Ada", "plan": "pro" })).await.expect(201);
}

async fn a_field_of_the_user_record_is_never_asked_for() {
    let app = with_action(&["email", "password"], &[]).await;
    prove(&app, EMAIL).await.expect(201);
    let app = with_action(&["name", "password"], &[]).await;
    let token = registration_token(&app, EMAIL).await;
    with_name(&app, &token).await.expect(201);
}
