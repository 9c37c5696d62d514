//! `POST /register`.

use crate::every_route::features_off::service_is_there_only_with;
use crate::support::routers::{self, on_both_routers};
use crate::support::{Account, App, EMAIL, PASSWORD, at_once, registration};
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::error::FieldErrors;
use axum_auth_module::feature::Feature;
use axum_auth_module::services::RegistrationService;
use axum_auth_module::user::{NewUser, UserField};
use axum_auth_module::{StandardActions, async_trait};
use serde_json::{Value, json};

on_both_routers![
    a_registration_answers_tokens_that_work_and_stores_a_hash,
    everything_wrong_with_the_fields_is_said_at_once,
    an_address_is_taken_in_whatever_spelling_it_comes,
    a_longest_password_is_verified_whole,
    a_longest_password_has_fewer_characters_in_other_scripts,
    only_the_fields_that_the_action_asks_for_reach_it,
    the_standard_action_is_given_nothing_extra,
    a_client_may_register_twenty_times_a_minute,
    a_minimum_that_is_configured_counts,
    a_feature_that_is_off_is_an_unknown_route,
    an_account_that_is_registered_as_suspended_gets_no_session,
    an_action_that_returns_a_user_of_before_logs_nobody_in,
    an_action_that_returns_somebody_else_logs_nobody_in,
];

on_both_routers![threads: of_twenty_registrations_of_one_address_at_once_one_succeeds];

async fn a_registration_answers_tokens_that_work_and_stores_a_hash() {
    let app = App::start().await;
    let answer = app.post("/auth/register").json(&registration(EMAIL)).await.expect(201);
    assert_eq!(answer.members_beside_the_session(), ["twoFactor"]);
    assert_eq!(answer.body["twoFactor"], false);
    let tokens = answer.tokens();
    assert_eq!(app.me(&tokens.access).await.expect(200).text, EMAIL);
    let stored = app.users.by_email(EMAIL).unwrap();
    assert!(stored.password.starts_with("$2b$04$"), "{}", stored.password);
    assert_eq!((stored.name.as_str(), stored.email_verified_at), ("Ada", None));
    let event = app.event().await;
    assert_eq!((event.name(), event.user_id.as_deref()), ("auth.registered", Some("1")));
    assert_eq!(event.client, Some("192.0.2.1".parse().unwrap()));
    app.login(EMAIL).await;
}

async fn everything_wrong_with_the_fields_is_said_at_once() {
    let app = App::start().await;
    let register = async |body: Value| app.post("/auth/register").json(&body).await.field_errors();
    assert_eq!(
        register(json!({})).await,
        ["name: required", "email: required", "password: required", "passwordConfirmation: required"]
    );
    assert_eq!(
        register(json!({ "name": 1, "email": ["a@b.co"], "password": {}, "passwordConfirmation": true }))
            .await,
        ["name: wrong_type", "email: wrong_type", "password: wrong_type", "passwordConfirmation: wrong_type"]
    );
    assert_eq!(
        register(json!({ "name": "", "email": "a@b", "password": "short", "passwordConfirmation": "other" }))
            .await,
        ["name: required", "email: invalid", "password: too_short", "passwordConfirmation: mismatch"]
    );
    for (field, value, error) in [
        ("name", json!("x".repeat(256)), "name: too_long"),
        ("name", json!("a\u{0}b"), "name: invalid"),
        ("name", json!(null), "name: required"),
        ("email", json!("Ada <ada@example.com>"), "email: invalid"),
        ("email", json!("ada@example.com, eve@example.com"), "email: invalid"),
        ("email", json!("ada@example.com\r\nBcc: eve@example.com"), "email: invalid"),
        ("email", json!("\u{212a}elvin@example.com"), "email: invalid"),
        ("email", json!(format!("{}@{}co", "a".repeat(64), "b.".repeat(100))), "email: too_long"),
        ("email", json!(format!("{}@{}.co", "a".repeat(65), "b".repeat(60))), "email: invalid"),
    ] {
        let mut body = registration(EMAIL);
        body[field] = value.clone();
        assert_eq!(register(body).await, [error], "{field} {value}");
    }
    for (password, error) in [
        ("x".repeat(73), "password: too_long"),
        ("ü".repeat(37), "password: too_long"),
        ("x".repeat(1_000), "password: too_long"),
        ("1234567\0".to_owned(), "password: invalid"),
        ("1234567".to_owned(), "password: too_short"),
    ] {
        let mut body = registration(EMAIL);
        body["password"] = json!(password);
        body["passwordConfirmation"] = json!(password);
        assert_eq!(register(body).await, [error]);
    }
    assert!(app.users.all().is_empty());
}

async fn an_address_is_taken_in_whatever_spelling_it_comes() {
    let app = App::start().await;
    app.register(EMAIL).await;
    for spelling in [EMAIL, "ADA@example.com", "  Ada@Example.COM "] {
        app.post("/auth/register").json(&registration(spelling)).await.refused(409, "email_taken");
    }
    assert_eq!(app.users.all().len(), 1);
}

async fn of_twenty_registrations_of_one_address_at_once_one_succeeds() {
    let app = App::start().await;
    let calls = (0..20).map(|_| app.post("/auth/register").json(&registration(EMAIL)).into_future());
    let mut statuses: Vec<_> = at_once(calls).await.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses[0], 201);
    assert!(statuses[1..].iter().all(|status| *status == 409), "{statuses:?}");
    assert_eq!(app.users.all().len(), 1);
}

async fn a_longest_password_is_verified_whole() {
    let app = App::start().await;
    let password = "x".repeat(72);
    let mut body = registration(EMAIL);
    body["password"] = json!(password);
    body["passwordConfirmation"] = json!(password);
    app.post("/auth/register").json(&body).await.expect(201);
    app.login_call(EMAIL, &password).await.expect(200);
    app.login_call(EMAIL, &password[1..]).await.refused(401, "invalid_credentials");
    app.login_call(EMAIL, &format!("{password}y")).await.refused(401, "invalid_credentials");
}

/// 72 bytes are 36 characters of two bytes, 24 of three, and 18 of four.
async fn a_longest_password_has_fewer_characters_in_other_scripts() {
    let app = App::start().await;
    for (number, (character, most)) in
        [('\u{3c0}', 36), ('\u{d55c}', 24), ('\u{1f980}', 18)].into_iter().enumerate()
    {
        let email = format!("user{number}@example.com");
        let register = |length| {
            let password = character.to_string().repeat(length);
            let mut body = registration(&email);
            body["password"] = json!(password);
            body["passwordConfirmation"] = json!(password);
            app.post("/auth/register").json(&body)
        };
        assert_eq!(register(most + 1).await.field_errors(), ["password: too_long"]);
        register(most).await.expect(201);
        app.login_call(&email, &character.to_string().repeat(most)).await.expect(200);
    }
}

/// Asks for two fields of its own and, in vain, for one of the record.
struct WithPlan;

#[async_trait]
impl<U: axum_auth_module::AuthUser> CreatesNewUsers<U> for WithPlan {
    fn extra_fields(&self) -> &[&'static str] {
        &["plan", "coupon", "emailVerifiedAt"]
    }

    async fn create(&self, data: RegistrationData, context: &ActionContext<U>) -> Result<U, ActionError> {
        assert!(
            data.extra.keys().all(|name| ["plan", "coupon"].contains(&name.as_str())),
            "{:?}",
            data.extra
        );
        let plan = data.extra.get("plan").and_then(Value::as_str).unwrap_or("free");
        if plan == "gold" {
            return Err(FieldErrors::one("plan", "unknown_plan", "The plan is free or pro.").into());
        }
        if plan == "broken" {
            Err(std::io::Error::other("secret of the host"))?;
        }
        let hash = context.passwords().hash(&data.password).await?;
        let user = NewUser::new(data.name.as_str(), data.email.as_str(), hash).with_extra("plan", plan);
        Ok(context.users().create(user).await?)
    }
}

async fn only_the_fields_that_the_action_asks_for_reach_it() {
    let app = App::with(|config| config, |module| module.registration(WithPlan)).await;
    let register = |plan: &str, email: &str| {
        let mut body = registration(email);
        for (field, value) in [
            ("plan", json!(plan)),
            ("id", json!("7")),
            ("isAdmin", json!(true)),
            ("active", json!(false)),
            ("emailVerifiedAt", json!("2020-01-01T00:00:00Z")),
            ("twoFactorSecret", json!("x")),
            ("twoFactorRecoveryCodes", json!("x")),
            ("twoFactorConfirmedAt", json!("2020-01-01T00:00:00Z")),
            ("passwordConfirmedAt", json!("2020-01-01T00:00:00Z")),
        ] {
            body[field] = value;
        }
        app.post("/auth/register").json(&body)
    };
    register("pro", EMAIL).await.expect(201);
    let stored = app.users.by_email(EMAIL).unwrap();
    assert_eq!((stored.id, stored.plan.as_deref(), stored.active), (1, Some("pro"), true));
    assert!(stored.email_verified_at.is_none() && stored.two_factor_secret.is_none());

    assert_eq!(register("gold", "b@example.com").await.field_errors(), ["plan: unknown_plan"]);
    let failed = register("broken", "c@example.com").await.refused(500, "internal_error");
    assert!(!failed.text.contains("secret of the host"));
}

async fn the_standard_action_is_given_nothing_extra() {
    let app = App::with(|config| config, |module| module.registration(StandardActions)).await;
    let mut body = registration(EMAIL);
    body["plan"] = json!("pro");
    app.post("/auth/register").json(&body).await.expect(201);
    assert_eq!(app.users.by_email(EMAIL).unwrap().plan, None);
}

async fn a_client_may_register_twenty_times_a_minute() {
    let app = App::start().await;
    for n in 0..20 {
        app.post("/auth/register").json(&registration(&format!("u{n}@example.com"))).await.expect(201);
    }
    let invalid = json!({ "name": "Ada" });
    assert_eq!(app.post("/auth/register").json(&invalid).await.status, 422, "fields come before the limit");
    let refused =
        app.post("/auth/register").json(&registration(EMAIL)).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("60"));
    app.post("/auth/register").json(&registration(EMAIL)).from("192.0.2.2").await.expect(201);
    app.advance(60);
    app.post("/auth/register").json(&registration("later@example.com")).await.expect(201);
}

async fn a_minimum_that_is_configured_counts() {
    let app = App::configured(|config| config.password_min_characters(30)).await;
    let errors = app.post("/auth/register").json(&registration(EMAIL)).await.field_errors();
    assert_eq!((errors, PASSWORD.len() < 30), (vec!["password: too_short".to_owned()], true));
}

async fn a_feature_that_is_off_is_an_unknown_route() {
    let built_without = App::with(|config| config, |module| module).await;
    let switched_off = App::with(
        |config| config,
        |module| module.registration(StandardActions).enabled(routers::features([])).unwrap(),
    );
    for app in [built_without, switched_off.await] {
        for method in ["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
            let method: reqwest::Method = method.parse().unwrap();
            let off = app.request(method.clone(), "/auth/register").json(&registration(EMAIL)).await;
            let unknown = app.request(method.clone(), "/auth/nonsense").json(&registration(EMAIL)).await;
            let off = off.refused(404, "not_found");
            assert_eq!(off.text, unknown.text);
            let headers = |answer: &crate::support::answer::Answer| {
                let mut headers = answer.headers.clone();
                headers.remove("date");
                headers
            };
            assert_eq!(headers(&off), headers(&unknown));
        }
    }
}

#[tokio::test]
async fn a_feature_that_was_not_built_in_cannot_be_switched_on() {
    let users = crate::support::memory_users();
    let config = axum_auth_module::testing::config().build().unwrap();
    let error = axum_auth_module::AuthModule::builder(config, users)
        .enabled([axum_auth_module::feature::Feature::REGISTRATION])
        .err()
        .unwrap();
    assert!(error.to_string().contains("features: this module is built without registration"), "{error}");
}

/// Registers accounts that an administrator must approve.
struct CreateSuspended(axum_auth_module::testing::MemoryUsers<crate::support::Account>);

#[async_trait]
impl CreatesNewUsers<crate::support::Account> for CreateSuspended {
    async fn create(
        &self,
        data: RegistrationData,
        context: &ActionContext<crate::support::Account>,
    ) -> Result<crate::support::Account, ActionError> {
        let account = StandardActions.create(data, context).await?;
        self.0.update(EMAIL, |account| account.active = false);
        Ok(crate::support::Account { active: false, ..account })
    }
}

async fn an_account_that_is_registered_as_suspended_gets_no_session() {
    let users = crate::support::memory_users();
    let action = CreateSuspended(users.clone());
    let app = App::on(users.clone(), users, |config| config, |module| module.registration(action)).await;
    let response = app.post("/auth/register").json(&registration(EMAIL)).await;
    assert!(!response.has_credentials(), "{}", response.text);
    response.refused(401, "unauthenticated");
    assert_eq!(app.event_names().await, ["auth.registered"]);
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    app.users.update(EMAIL, |account| account.active = true);
    app.login(EMAIL).await;
}

/// An action of a host that returns the user with this address, if there is one.
struct FindOrCreate;

#[async_trait]
impl CreatesNewUsers<Account> for FindOrCreate {
    async fn create(
        &self,
        data: RegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        match context.users().find_by_field(UserField::Email, data.email.as_str()).await? {
            Some(user) => Ok(user),
            None => StandardActions.create(data, context).await,
        }
    }
}

/// One that always returns Ada.
struct AlwaysAda;

#[async_trait]
impl CreatesNewUsers<Account> for AlwaysAda {
    async fn create(
        &self,
        _: RegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        let ada = context.users().find_by_field(UserField::Email, EMAIL).await?;
        ada.ok_or_else(|| ActionError::internal("there is no Ada"))
    }
}

async fn an_action_that_returns_a_user_of_before_logs_nobody_in() {
    let app = App::with(|config| config, |module| module.registration(FindOrCreate)).await;
    app.register(EMAIL).await;
    let again = app.post("/auth/register").json(&registration(EMAIL)).await;
    assert!(!again.has_credentials(), "{}", again.text);
    again.refused(409, "email_taken");
    app.register("grace@example.com").await;
}

async fn an_action_that_returns_somebody_else_logs_nobody_in() {
    let users = crate::support::memory_users();
    App::on(users.clone(), users.clone(), |config| config, |module| module.registration(StandardActions))
        .await
        .register(EMAIL)
        .await;
    let app = App::on(users.clone(), users, |config| config, |module| module.registration(AlwaysAda)).await;
    let other = app.post("/auth/register").json(&registration("eve@example.com")).await;
    assert!(!other.has_credentials(), "{}", other.text);
    other.refused(500, "internal_error");
}

#[tokio::test]
async fn its_service_is_there_only_with_the_feature() {
    service_is_there_only_with::<RegistrationService>(Feature::Registration).await;
}
