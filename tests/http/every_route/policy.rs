//! The host's policy: what it is asked, and what its refusals lead to (specification §7.6).

use crate::reset_passwords::reset_password::{NEW, reset, token};
use crate::support::authenticator::Enrolled;
use crate::support::providers::CAUSE;
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Call, EMAIL, PASSWORD, addresses_of_profiles, registration};
use axum::body::Bytes;
use axum::http::{Request, Response};
use axum_auth_module::async_trait;
use axum_auth_module::client::ClientAddress;
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::http::{HttpClient, HttpError};
use axum_auth_module::policy::{BreachedPasswords, CommonPasswords, PasswordOwner, Policy, PolicyError};
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use axum_auth_module::values::{EmailAddress, NewPassword};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

on_both_routers![
    a_registration_that_is_refused_names_both_fields_and_creates_nobody,
    a_new_password_that_is_refused_changes_nothing_and_costs_nothing,
    a_reset_that_is_refused_leaves_its_token,
    another_address_that_is_refused_is_not_stored,
    a_login_that_is_refused_starts_no_session_after_the_right_password_alone,
    the_second_step_of_a_login_is_asked_for_too,
    a_registration_that_may_not_log_in_starts_no_session,
    a_policy_that_fails_shows_nothing,
    of_several_policies_the_first_refusal_counts,
    common_passwords_are_refused,
    what_a_policy_computes_delays_no_other_route_and_has_the_clients_places,
    a_policy_that_panics_shows_nothing,
    what_is_computed_is_asked_first,
    leaked_passwords_are_refused_and_an_outage_refuses_nothing,
];

/// What a host does not allow at present, and what it was asked.
#[derive(Clone, Default)]
pub(crate) struct Rules(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    refused: Vec<&'static str>,
    asked: Vec<String>,
    fails: bool,
}

impl Rules {
    pub(crate) fn refuse(&self, refused: &[&'static str]) {
        self.0.lock().unwrap().refused = refused.to_vec();
    }

    pub(crate) fn fail(&self, fails: bool) {
        self.0.lock().unwrap().fails = fails;
    }

    /// What was asked since the last time.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().asked)
    }

    fn decide(&self, what: &'static str, of: String) -> Result<(), PolicyError> {
        let mut state = self.0.lock().unwrap();
        state.asked.push(format!("{what}: {of}"));
        if state.fails {
            return Err(PolicyError::failed(CAUSE));
        }
        match state.refused.contains(&what) {
            true => Err(PolicyError::refused(format!("no_{what}"), format!("The {what} is refused."))),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl Policy<Account> for Rules {
    async fn allows_password(
        &self,
        password: &NewPassword,
        owner: &PasswordOwner<'_, Account>,
    ) -> Result<(), PolicyError> {
        let (id, chars) = (owner.user.map(|user| user.id), password.as_password().expose().len());
        let of = format!("{} {} {} {id:?} {chars}", owner.name, owner.email, owner.app_name);
        self.decide("password", of)
    }

    async fn allows_email(&self, email: &EmailAddress, user: Option<&Account>) -> Result<(), PolicyError> {
        self.decide("email", format!("{} {:?}", email.as_str(), user.map(|user| user.id)))
    }

    async fn allows_login(&self, user: &Account, client: ClientAddress) -> Result<(), PolicyError> {
        self.decide("login", format!("{} {}", user.id, client.ip().unwrap()))
    }
}

async fn with(policy: impl Policy<Account>) -> App {
    App::with_everything_and(
        |config| config.app_name("Shop"),
        |module| addresses_of_profiles(module.policy(policy)),
    )
    .await
}

/// A host with these rules.
async fn with_rules() -> (App, Rules) {
    let rules = Rules::default();
    (with(rules.clone()).await, rules)
}

async fn a_registration_that_is_refused_names_both_fields_and_creates_nobody() {
    let (app, rules) = with_rules().await;
    rules.refuse(&["password", "email"]);
    let refused = app.post("/auth/register").json(&registration(EMAIL)).await;
    let detail = refused.body["errors"][0]["detail"].clone();
    assert_eq!(refused.field_errors(), ["email: no_email", "password: no_password"]);
    assert_eq!(detail, "The email is refused.");
    assert_eq!(rules.asked(), ["email: ada@example.com None", "password: Ada ada@example.com Shop None 21"]);
    assert!(app.users.all().is_empty());
    rules.refuse(&[]);
    app.register(EMAIL).await;
}

fn change() -> Value {
    json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW })
}

async fn a_new_password_that_is_refused_changes_nothing_and_costs_nothing() {
    let (app, rules) = with_rules().await;
    let tokens = app.register(EMAIL).await;
    rules.asked();
    rules.refuse(&["password"]);
    let change = || app.put("/auth/user/password").bearer(&tokens.access).json(&change());
    // More often than anybody may enter a wrong password.
    for _ in 0..8 {
        assert_eq!(change().await.field_errors(), ["password: no_password"]);
    }
    assert_eq!(rules.asked()[0], format!("password: Ada {EMAIL} Shop Some(1) {}", NEW.len()));
    app.me(&tokens.access).await.expect(200);
    rules.refuse(&[]);
    change().await.expect(200);
}

async fn a_reset_that_is_refused_leaves_its_token() {
    let (app, rules) = with_rules().await;
    let tokens = app.register(EMAIL).await;
    let token = token(&app, &app.outbox, EMAIL).await;
    rules.refuse(&["password"]);
    assert_eq!(reset(&app, EMAIL, &token, NEW).await.field_errors(), ["password: no_password"]);
    app.me(&tokens.access).await.expect(200);
    // Somebody without the token learns nothing of the rules.
    rules.asked();
    reset(&app, EMAIL, "wrong", NEW).await.refused(422, "invalid_reset_token");
    assert!(rules.asked().is_empty());
    rules.refuse(&[]);
    reset(&app, EMAIL, &token, NEW).await.expect(200);
    app.login_call(EMAIL, NEW).await.expect(200);
}

async fn another_address_that_is_refused_is_not_stored() {
    let (app, rules) = with_rules().await;
    let tokens = app.register(EMAIL).await;
    rules.asked();
    rules.refuse(&["email"]);
    let update = |name: &str, email: &str| {
        let body = json!({ "name": name, "email": email });
        app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body)
    };
    assert_eq!(update("Eve", "lovelace@example.com").await.field_errors(), ["email: no_email"]);
    assert_eq!(rules.asked(), ["email: lovelace@example.com Some(1)"]);
    let user = app.users.by_email(EMAIL).expect("the address is the same");
    assert_eq!(user.name, "Ada");
    // The rules may be newer than the address.
    update("Eve", EMAIL).await.expect(200);
    assert!(rules.asked().is_empty());
}

async fn a_login_that_is_refused_starts_no_session_after_the_right_password_alone() {
    let (app, rules) = with_rules().await;
    let tokens = app.register(EMAIL).await;
    app.event_names::<1>().await;
    rules.asked();
    rules.refuse(&["login"]);
    app.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    app.login_call("nobody@example.com", PASSWORD).await.refused(401, "invalid_credentials");
    assert!(rules.asked().is_empty());
    let refused = app.login_call(EMAIL, PASSWORD).await.refused(403, "not_allowed");
    assert_eq!(refused.body["reason"], "no_login");
    assert_eq!(refused.body["detail"], "The login is refused.");
    assert!(!refused.has_credentials());
    assert_eq!(rules.asked(), ["login: 1 192.0.2.1"]);
    app.event_names::<2>().await;
    let event = app.event().await;
    assert_eq!((event.name(), event.user_id.as_deref()), ("auth.login-failed", Some("1")));
    // Sessions that exist continue.
    app.me(&tokens.access).await.expect(200);
    rules.refuse(&[]);
    app.login(EMAIL).await;
}

async fn the_second_step_of_a_login_is_asked_for_too() {
    let (app, rules) = with_rules().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    rules.refuse(&["login"]);
    app.login_call(EMAIL, PASSWORD).await.refused(403, "not_allowed");
    rules.refuse(&[]);
    let token = app.challenge_token(EMAIL).await;
    rules.refuse(&["login"]);
    app.challenge(&token, &authenticator.code(&app)).await.refused(403, "not_allowed");
}

async fn a_registration_that_may_not_log_in_starts_no_session() {
    let (app, rules) = with_rules().await;
    rules.refuse(&["login"]);
    let refused = app.post("/auth/register").json(&registration(EMAIL)).await;
    assert!(!refused.refused(403, "not_allowed").has_credentials());
    rules.refuse(&[]);
    app.login(EMAIL).await;
}

async fn a_policy_that_fails_shows_nothing() {
    let (app, rules) = with_rules().await;
    let tokens = app.register(EMAIL).await;
    let reset_token = token(&app, &app.outbox, EMAIL).await;
    rules.fail(true);
    let email = json!({ "name": "Ada", "email": "lovelace@example.com" });
    let calls: [Call; 5] = [
        app.post("/auth/register").json(&registration("eve@example.com")),
        app.login_call(EMAIL, PASSWORD),
        reset(&app, EMAIL, &reset_token, NEW),
        app.put("/auth/user/password").bearer(&tokens.access).json(&change()),
        app.put("/auth/user/profile-information").bearer(&tokens.access).json(&email),
    ];
    for call in calls {
        let failed = call.await.refused(500, "internal_error");
        assert!(!failed.text.contains(CAUSE) && !failed.has_credentials());
    }
    rules.fail(false);
    app.login(EMAIL).await;
    reset(&app, EMAIL, &reset_token, NEW).await.expect(200);
}

async fn of_several_policies_the_first_refusal_counts() {
    let [first, second] = [Rules::default(), Rules::default()];
    second.refuse(&["password"]);
    let app = with((first.clone(), second.clone())).await;
    let register = async || app.post("/auth/register").json(&registration(EMAIL)).await;
    assert_eq!(register().await.field_errors(), ["password: no_password"]);
    assert_eq!((first.asked().len(), second.asked().len()), (2, 2));
    first.refuse(&["password"]);
    register().await.field_errors();
    assert_eq!((first.asked().len(), second.asked().len()), (2, 1));
}

/// A registration of Ada with this password.
async fn register(app: &App, password: &str) -> crate::support::answer::Answer {
    let mut body = registration(EMAIL);
    for field in ["password", "passwordConfirmation"] {
        body[field] = json!(password);
    }
    app.post("/auth/register").json(&body).await
}

async fn common_passwords_are_refused() {
    let app = with(CommonPasswords).await;
    for easy in ["password", "12345678", "ada@example.com", "shopshop"] {
        assert_eq!(register(&app, easy).await.field_errors(), ["password: easy_to_guess"], "{easy}");
    }
    register(&app, PASSWORD).await.expect(201);
}

/// A service that knows the password `password`.
struct Service;

#[async_trait]
impl HttpClient for Service {
    async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        Ok(Response::new(Bytes::from_static(b"1E4C9B93F3F0682250B6CF8331B7EE68FD8:3730471\r\n")))
    }
}

async fn leaked_passwords_are_refused_and_an_outage_refuses_nothing() {
    let faults = Faults::with_cause(|| CAUSE.into());
    let app = with(BreachedPasswords::new(faults.over(Service))).await;
    assert_eq!(register(&app, "password").await.field_errors(), ["password: breached"]);
    register(&app, PASSWORD).await.expect(201);
    faults.always(ProviderMethod::HttpSend, Fault::IsUnavailable);
    let app = with(BreachedPasswords::new(faults.over(Service))).await;
    register(&app, "password").await.expect(201);
}

/// A policy that computes until it is released, or panics.
#[derive(Clone, Default)]
pub(crate) struct Computes {
    pub(crate) begun: Arc<AtomicUsize>,
    pub(crate) released: Arc<AtomicBool>,
    panics: Arc<AtomicBool>,
}

impl Policy<Account> for Computes {
    fn judges_password(
        &self,
        _password: &NewPassword,
        owner: &PasswordOwner<'_, Account>,
    ) -> Result<(), PolicyError> {
        assert!(std::thread::current().name().unwrap().starts_with("auth-password"), "{}", owner.name);
        self.begun.fetch_add(1, Ordering::SeqCst);
        assert!(!self.panics.load(Ordering::SeqCst), "on purpose");
        while !self.released.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        Ok(())
    }
}

/// All requests of this test are on one thread, which a computation in a request would block for ever.
async fn what_a_policy_computes_delays_no_other_route_and_has_the_clients_places() {
    let policy = Computes::default();
    let (begun, released) = (Arc::clone(&policy.begun), Arc::clone(&policy.released));
    let threads = NonZeroUsize::MIN;
    let config = |config: AuthConfigBuilder| config.password_threads(threads).password_queue(8);
    let app = App::with_everything_and(config, |module| module.policy(policy)).await;
    released.store(true, Ordering::SeqCst);
    let tokens = app.register(EMAIL).await;
    released.store(false, Ordering::SeqCst);
    let before = begun.load(Ordering::SeqCst);
    let mut registrations = JoinSet::new();
    for n in 0..20 {
        let call = app.post("/auth/register").from("203.0.113.7");
        registrations.spawn(call.json(&registration(&format!("{n}@example.com"))).into_future());
        // The first one is on the thread, the others wait.
        while begun.load(Ordering::SeqCst) == before {
            tokio::task::yield_now().await;
        }
    }
    for _ in 0..3 {
        app.me(&tokens.access).await.expect(200);
    }
    // Another client still has a place in the queue.
    let another =
        tokio::spawn(app.post("/auth/register").json(&registration("eve@example.com")).into_future());
    let mut answers = Vec::new();
    while answers.len() < 17 {
        answers.extend(registrations.join_next().await.unwrap());
    }
    released.store(true, Ordering::SeqCst);
    another.await.unwrap().expect(201);
    assert!(answers.iter().all(|answer| answer.body["code"] == "overloaded"));
    // Two of the client's have waited, a quarter of the places. Their hashes need a place, too.
    let rest = registrations.join_all().await;
    assert!(rest.len() == 3 && rest.iter().all(|answer| [201, 503].contains(&answer.status)));
}

async fn a_policy_that_panics_shows_nothing() {
    let policy = Computes::default();
    policy.released.store(true, Ordering::SeqCst);
    let panics = Arc::clone(&policy.panics);
    let app = with(policy).await;
    panics.store(true, Ordering::SeqCst);
    app.post("/auth/register").json(&registration(EMAIL)).await.refused(500, "internal_error");
    panics.store(false, Ordering::SeqCst);
    app.register(EMAIL).await;
}

async fn what_is_computed_is_asked_first() {
    let rules = Rules::default();
    let app = with((rules.clone(), CommonPasswords)).await;
    assert_eq!(register(&app, "password").await.field_errors(), ["password: easy_to_guess"]);
    assert_eq!(rules.asked(), ["email: ada@example.com None"], "no service is asked for a common password");
    register(&app, PASSWORD).await.expect(201);
    assert_eq!(rules.asked().len(), 3);
}
