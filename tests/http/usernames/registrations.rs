//! `POST /register` with a user name.

use super::{ADA, EVE, host, is_known, log_in, register_as, with_ada};
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Builder, EMAIL, PASSWORD, at_once, registration};
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::async_trait;
use axum_auth_module::client::ClientAddress;
use axum_auth_module::error::AuthError;
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::policy::{PasswordOwner, Policy, PolicyError};
use axum_auth_module::services::RegistrationService;
use axum_auth_module::user::NewUser;
use axum_auth_module::values::{EmailAddress, NewPassword, UserName, Username};
use serde_json::{Value, json};

on_both_routers![
    a_user_name_is_stored_in_small_letters,
    an_account_can_be_without_a_user_name,
    everything_wrong_with_a_user_name_is_said_at_once,
    a_reserved_user_name_is_refused,
    a_host_reserves_names_of_its_own,
    a_service_that_is_called_without_http_refuses_the_same_names,
    a_user_name_is_never_a_field_of_the_host,
    without_the_feature_a_field_of_that_name_is_the_hosts_own,
    a_policy_knows_the_user_name,
];

in_every_place![on_both_routers:
    a_user_name_that_is_taken_is_a_conflict,
    of_twenty_registrations_of_one_user_name_at_once_one_succeeds,
];

async fn a_user_name_is_stored_in_small_letters() {
    let app = host().await;
    for (email, sent, stored) in [
        ("a@example.com", "ADA", "ada"),
        ("b@example.com", "x_1", "x_1"),
        ("c@example.com", "A.-_9", "a.-_9"),
        ("d@example.com", &"Z".repeat(32), &"z".repeat(32)),
    ] {
        register_as(&app, email, sent).await.expect(201);
        assert_eq!(app.users.by_email(email).unwrap().username.as_deref(), Some(stored));
    }
}

async fn an_account_can_be_without_a_user_name() {
    let app = host().await;
    app.register(EMAIL).await;
    register_as(&app, EVE, Value::Null).await.expect(201);
    for email in [EMAIL, EVE] {
        assert_eq!(app.users.by_email(email).unwrap().username, None);
    }
}

async fn everything_wrong_with_a_user_name_is_said_at_once() {
    let app = host().await;
    for (username, error) in [
        (json!(""), "username: required"),
        (json!("ab"), "username: too_short"),
        (json!("x".repeat(33)), "username: too_long"),
        (json!("7up"), "username: invalid"),
        (json!(".ada"), "username: invalid"),
        (json!("ada lovelace"), "username: invalid"),
        (json!(" ada"), "username: invalid"),
        (json!(EMAIL), "username: invalid"),
        (json!("ad\u{e4}"), "username: invalid"),
        (json!("\u{212a}elvin"), "username: invalid"),
        (json!("ada\0"), "username: invalid"),
        (json!(7), "username: wrong_type"),
        (json!({ "ada": 1 }), "username: wrong_type"),
    ] {
        assert_eq!(register_as(&app, EMAIL, username.clone()).await.field_errors(), [error], "{username}");
    }
    let mut body = registration("no address");
    body["username"] = "admin".into();
    let answer = app.post("/auth/register").json(&body).await;
    assert_eq!(answer.field_errors(), ["email: invalid", "username: reserved"]);
    assert!(app.users.all().is_empty());
}

async fn a_reserved_user_name_is_refused() {
    let app = host().await;
    let reserved = axum_auth_module::config::RESERVED_USERNAMES;
    assert_eq!(reserved.len(), 10);
    for name in reserved.iter().chain(&["ADMIN", "Root"]) {
        assert_eq!(register_as(&app, EMAIL, *name).await.field_errors(), ["username: reserved"], "{name}");
    }
    register_as(&app, EMAIL, "admin1").await.expect(201);
}

async fn a_host_reserves_names_of_its_own() {
    let config = |config: axum_auth_module::config::AuthConfigBuilder| config.reserved_usernames(["Billing"]);
    let app = App::with_everything_and(config, |module| module).await;
    assert_eq!(register_as(&app, EMAIL, "billing").await.field_errors(), ["username: reserved"]);
    register_as(&app, EMAIL, "admin").await.expect(201);
}

async fn a_service_that_is_called_without_http_refuses_the_same_names() {
    let app = host().await;
    let password = NewPassword::parse(PASSWORD.to_owned(), PASSWORD, 8).unwrap();
    let mut data =
        RegistrationData::new(UserName::parse("Ada").unwrap(), EmailAddress::parse(EMAIL).unwrap(), password);
    data.username = Some(Username::parse("root").unwrap());
    let service = app.auth.service::<RegistrationService>().unwrap();
    let refused = service.register(data, ClientAddress::UNKNOWN).await.err().unwrap();
    assert!(matches!(refused, AuthError::ValidationFailed(_)), "{refused}");
    assert!(app.users.all().is_empty());
}

/// Reads a field of the user record as its own, which never reaches it.
struct Greedy;

#[async_trait]
impl CreatesNewUsers<Account> for Greedy {
    async fn create(
        &self,
        data: RegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        assert!(data.extra.is_empty(), "{:?}", data.extra);
        let user = NewUser::new(data.name, data.email, context.passwords().hash(&data.password).await?);
        Ok(context.users().create(user).await?)
    }

    fn extra_fields(&self) -> &[&'static str] {
        &["username"]
    }
}

async fn a_user_name_is_never_a_field_of_the_host() {
    let app = App::with_everything_and(|config| config, |module| module.registration(Greedy)).await;
    register_as(&app, EMAIL, ADA).await.expect(201);
    assert_eq!(app.users.by_email(EMAIL).unwrap().username, None);
}

/// Has had a field of its own with this name since before the feature.
struct Own;

#[async_trait]
impl CreatesNewUsers<Account> for Own {
    async fn create(
        &self,
        data: RegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        let own = data.extra.get("username").and_then(Value::as_str).unwrap_or_default();
        let hash = context.passwords().hash(&data.password).await?;
        Ok(context.users().create(NewUser::new(own, data.email, hash)).await?)
    }

    fn extra_fields(&self) -> &[&'static str] {
        &["username"]
    }
}

async fn without_the_feature_a_field_of_that_name_is_the_hosts_own() {
    let others = FeatureSet::all().difference([Feature::USERNAMES].into());
    let module = |module: Builder| module.registration(Own).enabled(others).unwrap();
    let app = App::with_everything_and(|config| config, module).await;
    register_as(&app, EMAIL, "Ada, the first!").await.expect(201);
    let user = app.users.by_email(EMAIL).unwrap();
    assert_eq!((user.name.as_str(), user.username), ("Ada, the first!", None));
}

/// No password with the user name.
struct NoUserNames;

#[async_trait]
impl Policy<Account> for NoUserNames {
    async fn allows_password(
        &self,
        password: &NewPassword,
        owner: &PasswordOwner<'_, Account>,
    ) -> Result<(), PolicyError> {
        match owner.username.is_some_and(|username| password.as_password().expose().contains(username)) {
            true => Err(PolicyError::refused("has_your_user_name", "The password contains your user name.")),
            false => Ok(()),
        }
    }
}

async fn a_policy_knows_the_user_name() {
    let app = App::with_everything_and(|config| config, |module| module.policy(NoUserNames)).await;
    let refused = register_as(&app, EMAIL, "horse").await.field_errors();
    assert_eq!(refused, ["password: has_your_user_name"]);
    let tokens = with_ada(&app).await;
    let password = format!("{ADA} and more");
    let body = json!({ "currentPassword": PASSWORD, "password": password, "passwordConfirmation": password });
    let changed = app.put("/auth/user/password").bearer(&tokens.access).json(&body).await;
    assert_eq!(changed.field_errors(), ["password: has_your_user_name"]);
}

async fn a_user_name_that_is_taken_is_a_conflict(place: &Place) {
    let app = place.start_with(super::without_limits).await;
    with_ada(&app).await;
    for spelling in [ADA, "ADA.L"] {
        register_as(&app, EVE, spelling).await.refused(409, "username_taken");
    }
    assert!(place.find(EVE).await.is_none());
    // If both are taken, the address is reported.
    register_as(&app, EMAIL, ADA).await.refused(409, "email_taken");
    register_as(&app, EMAIL, "another").await.refused(409, "email_taken");
    register_as(&app, EVE, "ada.l2").await.expect(201);
    // Accounts without a user name do not exclude each other.
    app.register("grace@example.com").await;
    app.register("linus@example.com").await;
}

async fn of_twenty_registrations_of_one_user_name_at_once_one_succeeds(place: &Place) {
    let app = place.start_with(super::without_limits).await;
    let calls = (0..20).map(|n| register_as(&app, &format!("ada{n}@example.com"), ADA).into_future());
    let answers = at_once(calls).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!((made.len(), refused.len()), (1, 19));
    for answer in refused {
        answer.refused(409, "username_taken");
    }
    assert!(is_known(&app, ADA).await);
    log_in(&app, ADA, "another password").await.refused(401, "invalid_credentials");
}

#[tokio::test]
async fn a_reserved_name_that_is_no_user_name_is_a_configuration_error() {
    for wrong in ["no name", "ab", "", "admin@example.com"] {
        let error = crate::support::config().reserved_usernames(["admin", wrong]).build().err().unwrap();
        let (error, named) = (error.to_string(), format!("{wrong:?} is no user name"));
        assert!(error.contains("reserved_usernames") && error.contains(&named), "{error}");
        assert!(!error.contains("\"admin\""), "{error}");
    }
}
