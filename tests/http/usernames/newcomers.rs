//! `POST /register/passwordless` with a user name.

use super::{ADA, EVE, register_as, with_ada};
use crate::passwordless_registration::registration_token;
use crate::support::answer::Answer;
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, EMAIL};
use axum_auth_module::actions::{
    ActionContext, ActionError, CreatesPasswordlessUsers, PasswordlessRegistrationData,
};
use axum_auth_module::async_trait;
use axum_auth_module::user::NewUser;
use serde_json::{Value, json};

on_both_routers![
    a_newcomer_chooses_a_user_name_or_none,
    everything_wrong_with_the_fields_is_said_at_once,
    a_user_name_that_is_taken_leaves_the_token,
    an_action_can_ask_for_the_user_name,
    without_the_feature_nobody_is_asked_for_a_user_name,
];

async fn register(app: &App, token: &str, name: impl Into<Value>, username: impl Into<Value>) -> Answer {
    let body = json!({ "registrationToken": token, "name": name.into(), "username": username.into() });
    app.post("/auth/register/passwordless").json(&body).await
}

async fn a_newcomer_chooses_a_user_name_or_none() {
    let app = super::host().await;
    let token = registration_token(&app, EMAIL).await;
    register(&app, &token, "Ada", "Ada.L").await.expect(201);
    assert_eq!(app.users.by_email(EMAIL).unwrap().username.as_deref(), Some(ADA));
    let token = registration_token(&app, EVE).await;
    register(&app, &token, "Eve", Value::Null).await.expect(201);
    assert_eq!(app.users.by_email(EVE).unwrap().username, None);
}

async fn everything_wrong_with_the_fields_is_said_at_once() {
    let app = super::host().await;
    let token = registration_token(&app, EMAIL).await;
    for (username, code) in [
        (json!(""), "required"),
        (json!("ab"), "too_short"),
        (json!(EMAIL), "invalid"),
        (json!(7), "wrong_type"),
        (json!("root"), "reserved"),
    ] {
        let answer = register(&app, &token, Value::Null, username).await;
        assert_eq!(answer.field_errors(), [format!("username: {code}"), "name: required".to_owned()]);
    }
    register(&app, &token, "Ada", ADA).await.expect(201);
}

async fn a_user_name_that_is_taken_leaves_the_token() {
    let app = super::host().await;
    with_ada(&app).await;
    let token = registration_token(&app, EVE).await;
    register(&app, &token, "Eve", "ADA.l").await.refused(409, "username_taken");
    assert!(app.users.by_email(EVE).is_none());
    register(&app, &token, "Eve", "eve").await.expect(201);
    register(&app, &token, "Eve", "eve2").await.refused(422, "invalid_flow_token");
}

/// Wants a user name of everybody who comes without a password, which the record does not.
struct WantsUsernames;

#[async_trait]
impl CreatesPasswordlessUsers<Account> for WantsUsernames {
    async fn create(
        &self,
        data: PasswordlessRegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        let username = data.username.expect("a user name");
        assert!(data.extra.is_empty(), "{:?}", data.extra);
        let user = NewUser::new(username.as_str(), data.email, "").with_username(username);
        Ok(context.users().create(user).await?)
    }

    fn asks_for(&self) -> &[&'static str] {
        &["username"]
    }
}

async fn an_action_can_ask_for_the_user_name() {
    let action = |module: crate::support::Builder| module.passwordless_registration(WantsUsernames);
    let app = App::with_everything_and(super::without_limits, action).await;
    let token = registration_token(&app, EMAIL).await;
    assert_eq!(register(&app, &token, "Ada", Value::Null).await.field_errors(), ["username: required"]);
    register(&app, &token, Value::Null, ADA).await.expect(201);
    // Others need none.
    app.register(EVE).await;
}

async fn without_the_feature_nobody_is_asked_for_a_user_name() {
    let app = super::host_without_the_feature().await;
    let token = registration_token(&app, EMAIL).await;
    register(&app, &token, "Ada", "No name!").await.expect(201);
    assert_eq!(app.users.by_email(EMAIL).unwrap().username, None);
    register_as(&app, EVE, ADA).await.expect(201);
    assert_eq!(app.login_call(ADA, "x").await.field_errors(), ["email: invalid"]);
}
