//! The services without HTTP: the rules, limits and events of the routes, for other front ends and for administrators.

use crate::reset_passwords::reset_password::reset;
use crate::support::authenticator::Authenticator;
use crate::support::{App, EMAIL, PASSWORD, Tokens};
use axum_auth_module::actions::{PasswordUpdateData, ProfileData, RegistrationData};
use axum_auth_module::client::ClientAddress;
use axum_auth_module::delivery::{EmailVerificationMessage, PasswordResetMessage};
use axum_auth_module::events::Actor;
use axum_auth_module::services::{
    Challenge, Credentials, EmailVerificationService, EnableOutcome, Identity, LoginService, Notification,
    PasswordConfirmationService, RegistrationService, ResetPasswordsService, SecondFactor, SignedIn, Step,
    TokenPair, TwoFactorAuthenticationService, TwoFactorChallengeService, UpdatePasswordsService,
    UpdateProfileInformationService,
};
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::user::NewUser;
use axum_auth_module::values::{EmailAddress, NewPassword, Password, UserName};
use axum_auth_module::{AuthError, AuthModule, StandardActions};
use serde_json::json;
use std::time::Duration;

const NEW: &str = "a new password for all";
const NOBODY: ClientAddress = ClientAddress::UNKNOWN;

/// The client that all requests of these tests come from, unless they say otherwise.
fn client() -> ClientAddress {
    "192.0.2.1".parse::<std::net::IpAddr>().unwrap().into()
}

fn email(text: &str) -> EmailAddress {
    EmailAddress::parse(text).unwrap()
}

fn typed(text: &str) -> Password {
    Password::to_check(text.to_owned())
}

fn new_password(app: &App, text: &str) -> NewPassword {
    app.auth.new_password(text.to_owned(), text).unwrap()
}

fn tokens(pair: TokenPair) -> Tokens {
    Tokens { access: pair.access_token, refresh: pair.refresh_token }
}

/// The code of a refusal.
#[track_caller]
fn code<T>(result: Result<T, AuthError>) -> &'static str {
    result.err().expect("a refusal").code().as_str()
}

/// The tokens of a sign-in that leads to a session.
fn pair(credentials: Credentials) -> TokenPair {
    credentials.into_tokens().expect("a pair of tokens")
}

fn session(signed_in: SignedIn) -> TokenPair {
    let SignedIn::Session(credentials) = signed_in else { panic!("a session") };
    pair(credentials)
}

async fn register(app: &App, address: &str) -> Result<TokenPair, AuthError> {
    let name = UserName::parse("Ada").unwrap();
    let data = RegistrationData::new(name, email(address), new_password(app, PASSWORD));
    app.auth.service::<RegistrationService>().unwrap().register(data, client()).await.map(session)
}

async fn login(app: &App, password: &str) -> Result<SignedIn, AuthError> {
    app.auth.service::<LoginService>().unwrap().login(&email(EMAIL), &typed(password), client()).await
}

async fn who(app: &App, tokens: &Tokens) -> Identity {
    app.auth.authenticate(&tokens.access).await.unwrap()
}

/// A host with a user.
async fn with_user() -> (App, Tokens) {
    let app = App::with_addresses_of_profiles().await;
    let pair = register(&app, EMAIL).await.unwrap();
    (app, tokens(pair))
}

#[tokio::test]
async fn a_registration_is_the_one_of_the_route() {
    let (app, tokens) = with_user().await;
    assert_eq!(app.me(&tokens.access).await.expect(200).text, EMAIL);
    assert_eq!(code(register(&app, EMAIL).await), "email_taken");
    app.login(EMAIL).await;
    let event = app.event().await;
    assert_eq!((event.name(), event.user_id.as_deref()), ("auth.registered", Some("1")));
    assert_eq!(event.client, client().ip());
    for n in 0..18 {
        register(&app, &format!("u{n}@example.com")).await.unwrap();
    }
    assert_eq!(code(register(&app, "late@example.com").await), "too_many_attempts");
    let over_http = app.post("/auth/register").json(&crate::support::registration("late@example.com"));
    over_http.await.refused(429, "too_many_attempts");
}

#[tokio::test]
async fn logins_count_together_with_those_of_the_route() {
    let (app, _) = with_user().await;
    let pair = session(login(&app, PASSWORD).await.unwrap());
    app.me(&pair.access_token).await.expect(200);
    for _ in 0..3 {
        assert_eq!(code(login(&app, "wrong").await), "invalid_credentials");
    }
    for _ in 0..2 {
        app.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    let refused = login(&app, PASSWORD).await.err();
    let Some(AuthError::TooManyAttempts { retry_after }) = refused else { panic!("{refused:?}") };
    assert_eq!(retry_after, Duration::from_secs(60));
    app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login"]);
    assert_eq!(app.event_names().await, ["auth.login-failed"; 5]);
    assert_eq!(app.event_names().await, ["auth.lockout"]);
    let session = app.auth.service::<LoginService>().unwrap();
    session.login(&email(EMAIL), &typed(PASSWORD), NOBODY).await.unwrap();
    assert_eq!(app.event().await.client, None);
}

#[tokio::test]
async fn a_session_is_refreshed_and_ended() {
    let (app, first) = with_user().await;
    let session = app.auth.service::<LoginService>().unwrap();
    let second = tokens(session.refresh(&first.refresh, NOBODY).await.unwrap());
    app.me(&second.access).await.expect(200);
    session.logout(&who(&app, &second).await, NOBODY).await.unwrap();
    app.is_over(&second).await;
    assert_eq!(code(app.auth.authenticate(&second.access).await), "unauthenticated");
    assert_eq!(code(session.refresh(&second.refresh, NOBODY).await), "invalid_refresh_token");
    let third = app.login(EMAIL).await;
    session.refresh(&third.refresh, NOBODY).await.unwrap();
    app.advance(10);
    assert_eq!(code(session.refresh(&third.refresh, NOBODY).await), "refresh_token_reused");
    let names = ["auth.registered", "auth.logout", "auth.login", "auth.refresh-token-reused"];
    assert_eq!(app.event_names().await, names);
}

#[tokio::test]
async fn an_access_token_is_asked_for_its_user_as_the_extractors_ask() {
    let (app, tokens) = with_user().await;
    let who = who(&app, &tokens).await;
    let session = &who.session;
    assert_eq!((who.user().email(), session.user_id()), (EMAIL, "1"));
    assert!(who.record::<crate::support::Account>().is_some_and(|account| account.active));
    assert!(who.record::<Another>().is_none());
    assert!(session.issued_at() < session.expires_at() && !session.session_id().is_empty());
    for nonsense in ["", "x", "a.b.c", tokens.refresh.as_str()] {
        assert_eq!(code(app.auth.authenticate(nonsense).await), "unauthenticated");
    }
    app.users.update(EMAIL, |user| user.active = false);
    assert_eq!(code(app.auth.authenticate(&tokens.access).await), "unauthenticated");
    app.users.update(EMAIL, |user| user.active = true);
    app.advance(15 * 60);
    assert_eq!(code(app.auth.authenticate(&tokens.access).await), "unauthenticated");
}

#[tokio::test]
async fn a_password_is_confirmed_for_the_routes_as_well() {
    let (app, tokens) = with_user().await;
    let (service, who) =
        (app.auth.service::<PasswordConfirmationService>().unwrap(), who(&app, &tokens).await);
    assert!(!service.is_confirmed(&who, None));
    for _ in 0..4 {
        assert_eq!(code(service.confirm(&who, &typed("wrong"), NOBODY).await), "incorrect_password");
    }
    service.confirm(&who, &typed(PASSWORD), NOBODY).await.unwrap();
    app.get("/confirmed").bearer(&tokens.access).await.expect(200);
    let who = app.auth.authenticate(&tokens.access).await.unwrap();
    assert!(service.is_confirmed(&who, None));
    assert!(!service.is_confirmed(&who, Some(Duration::ZERO)));
}

#[tokio::test]
async fn a_password_is_reset() {
    let (app, before) = with_user().await;
    let service = app.auth.service::<ResetPasswordsService>().unwrap();
    for _ in 0..3 {
        assert_eq!(service.request(&email(EMAIL), client()).await.unwrap(), None);
    }
    assert_eq!(code(service.request(&email(EMAIL), client()).await), "too_many_attempts");
    let mut token = String::new();
    for _ in 0..3 {
        token = app.outbox.next::<PasswordResetMessage>().await.token;
    }
    let password = new_password(&app, NEW);
    let wrong = service.reset(&email(EMAIL), "wrong", &password, client()).await;
    assert_eq!(code(wrong), "invalid_reset_token");
    service.reset(&email(EMAIL), &token, &password, client()).await.unwrap();
    app.is_over(&before).await;
    assert!(matches!(login(&app, NEW).await, Ok(SignedIn::Session(_))));
    let [registered, reset, reclaimed @ .., login] = app.event_names::<5>().await;
    assert_eq!([registered, reset, login], ["auth.registered", "auth.password-reset", "auth.login"]);
    assert_eq!(reclaimed, ["auth.email-verified", "auth.account-reclaimed"]);
}

#[tokio::test]
async fn an_address_is_verified_and_changed() {
    let (app, tokens) = with_user().await;
    let verification = app.auth.service::<EmailVerificationService>().unwrap();
    let user = who(&app, &tokens).await;
    assert!(matches!(verification.notify(&user, NOBODY).await, Ok(Notification::Made(None))));
    let link = app.outbox.next::<EmailVerificationMessage>().await.data;
    let expires = link.expires.to_string();
    let changed = verification.verify(&user, &link.signature, &link.hash, &expires, NOBODY).await;
    assert_eq!(code(changed), "invalid_verification_link");
    verification.verify(&user, &link.hash, &link.signature, &expires, NOBODY).await.unwrap();
    app.get("/verified").bearer(&tokens.access).await.expect(200);
    let user = who(&app, &tokens).await;
    assert!(matches!(verification.notify(&user, NOBODY).await, Ok(Notification::AlreadyVerified)));
    let profile = app.auth.service::<UpdateProfileInformationService>().unwrap();
    let data = ProfileData::new(UserName::parse("Ada").unwrap(), email("lovelace@example.com"));
    profile.update(&user, data, NOBODY).await.unwrap();
    app.get("/verified").bearer(&tokens.access).await.refused(403, "email_not_verified");
    assert_eq!(app.event_names().await, ["auth.registered", "auth.email-verified"]);
}

#[tokio::test]
async fn a_password_is_changed() {
    let (app, acting) = with_user().await;
    let other = app.login(EMAIL).await;
    let service = app.auth.service::<UpdatePasswordsService>().unwrap();
    let who = who(&app, &acting).await;
    let data = |current: &str| PasswordUpdateData::new(typed(current), new_password(&app, NEW));
    assert_eq!(code(service.update(&who, data("wrong"), NOBODY).await), "incorrect_password");
    let fresh = tokens(pair(service.update(&who, data(PASSWORD), NOBODY).await.unwrap()));
    app.is_over(&other).await;
    app.me(&acting.access).await.refused(401, "unauthenticated");
    app.me(&fresh.access).await.expect(200);
    app.refresh(&fresh.refresh).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login", "auth.password-updated"]);
}

#[tokio::test]
async fn a_second_factor_is_set_up_and_asked_for() {
    let (app, acting) = with_user().await;
    let service = app.auth.service::<TwoFactorAuthenticationService>().unwrap();
    let challenges = app.auth.service::<TwoFactorChallengeService>().unwrap();
    app.confirm_password(&acting.access).await;
    let identity = who(&app, &acting).await;
    assert!(matches!(service.enable(&identity, false, NOBODY).await, Ok(EnableOutcome::Pending)));
    let identity = who(&app, &acting).await;
    let authenticator = Authenticator::new(&service.secret_key(&identity, NOBODY).await.unwrap());
    let wrong = service.confirm(&identity, &authenticator.wrong_code(&app), NOBODY).await;
    assert_eq!(code(wrong), "invalid_two_factor_code");
    let fresh = service.confirm(&identity, &authenticator.code(&app), NOBODY).await.unwrap();
    app.next_step();
    let Ok(SignedIn::Step(Step::SecondFactor { challenge: Challenge::Token(token), .. })) =
        login(&app, PASSWORD).await
    else {
        panic!("a challenge")
    };
    let factor = SecondFactor::Code(authenticator.code(&app));
    let pair = session(challenges.challenge(&token, &factor, NOBODY).await.unwrap());
    app.me(&pair.access_token).await.expect(200);
    let identity = who(&app, &tokens(fresh.into_tokens().unwrap())).await;
    service.disable(&identity, NOBODY).await.unwrap();
    assert!(matches!(login(&app, PASSWORD).await, Ok(SignedIn::Session(_))));
    let names = [
        "auth.registered",
        "auth.two-factor-enabled",
        "auth.recovery-codes-generated",
        "auth.two-factor-confirmed",
        "auth.two-factor-challenged",
        "auth.valid-two-factor-code",
        "auth.login",
        "auth.two-factor-disabled",
        "auth.session-ended",
        "auth.login",
    ];
    assert_eq!(app.event_names().await, names);
}

#[tokio::test]
async fn an_administrator_ends_all_sessions_of_a_user() {
    let (app, first) = with_user().await;
    let second = app.login(EMAIL).await;
    let eve = app.register("eve@example.com").await;
    app.auth.admin().end_all_sessions(&1).await.unwrap();
    app.is_over(&first).await;
    app.is_over(&second).await;
    app.me(&eve.access).await.expect(200);
    let next = app.login(EMAIL).await;
    app.get("/claims").bearer(&next.access).await.expect(200);
    app.auth.admin().end_all_sessions(&99).await.unwrap();
}

#[tokio::test]
async fn an_administrator_resets_a_users_second_factor() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    app.register("eve@example.com").await;
    let challenge = app.challenge_token(EMAIL).await;
    while app.event().await.name() != "auth.two-factor-challenged" {}
    app.auth.admin().reset_two_factor(&1).await.unwrap();
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(user.two_factor_secret.is_none() && user.two_factor_recovery_codes.is_none());
    assert!(user.two_factor_confirmed_at.is_none());
    let event = app.event().await;
    assert_eq!((event.name(), event.user_id.as_deref()), ("auth.two-factor-disabled", Some("1")));
    assert_eq!(event.client, None);
    app.is_over(&enrolled.tokens).await;
    let code_of_before = enrolled.authenticator.code(&app);
    app.challenge(&challenge, &code_of_before).await.refused(401, "invalid_challenge_token");
    assert!(app.logs_in_by_password_alone(EMAIL).await);
    assert_eq!(code(app.auth.admin().reset_two_factor(&99).await), "internal_error");
}

#[tokio::test]
async fn an_administrator_requires_a_new_password() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    let eve = app.register("eve@example.com").await;
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    let stolen: PasswordResetMessage = app.outbox.next().await;
    let challenge = app.challenge_token(EMAIL).await;
    while app.event().await.name() != "auth.two-factor-challenged" {}
    app.auth.admin().require_new_password(&1).await.unwrap();
    let event = app.event().await;
    assert_eq!((event.name(), event.user_id.as_deref()), ("auth.password-removed", Some("1")));
    assert_eq!((event.by, event.client), (Actor::Administrator, None));
    app.is_over(&enrolled.tokens).await;
    app.me(&eve.access).await.expect(200);
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    let code_of_before = enrolled.authenticator.code(&app);
    app.challenge(&challenge, &code_of_before).await.refused(401, "invalid_challenge_token");
    reset(&app, EMAIL, &stolen.token, NEW).await.refused(422, "invalid_reset_token");
    let mail: PasswordResetMessage = app.outbox.next().await;
    reset(&app, EMAIL, &mail.token, NEW).await.expect(200);
    // The second factor stays.
    app.login_call(EMAIL, NEW).await.expect(200).challenge().unwrap();
    assert_eq!(code(app.auth.admin().require_new_password(&99).await), "internal_error");
}

/// A call that was interrupted is repeated, and a suspended user gets no mail.
#[tokio::test]
async fn a_new_password_can_be_required_of_who_has_none() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    app.users.update(EMAIL, |user| (user.active, user.password) = (false, String::new()));
    app.auth.admin().require_new_password(&1).await.unwrap();
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<PasswordResetMessage>().is_none());
    app.users.update(EMAIL, |user| user.active = true);
    app.is_over(&tokens).await;
    for _ in 0..2 {
        app.auth.admin().require_new_password(&1).await.unwrap();
    }
    let [_, newest]: [PasswordResetMessage; 2] = [app.outbox.next().await, app.outbox.next().await];
    reset(&app, EMAIL, &newest.token, NEW).await.expect(200);
    app.login_call(EMAIL, NEW).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.session-ended", "auth.password-reset"]);
}

#[tokio::test]
async fn without_resets_no_new_password_can_be_required() {
    let app = App::with(|config| config, |module| module.registration(StandardActions)).await;
    app.register(EMAIL).await;
    assert_eq!(code(app.auth.admin().require_new_password(&1).await), "internal_error");
    app.login_call(EMAIL, PASSWORD).await.expect(200);
}

#[tokio::test]
async fn without_a_sink_everything_works_and_nothing_is_emitted() {
    let config = axum_auth_module::testing::config().build().unwrap();
    let users = crate::support::memory_users();
    let module =
        AuthModule::builder(config, users).registration(axum_auth_module::StandardActions).build().unwrap();
    let data = RegistrationData::new(
        UserName::parse("Ada").unwrap(),
        email(EMAIL),
        module.new_password(PASSWORD.to_owned(), PASSWORD).unwrap(),
    );
    let registration = module.service::<RegistrationService>().unwrap();
    let pair = session(registration.register(data, NOBODY).await.unwrap());
    let who = module.authenticate(&pair.access_token).await.unwrap();
    module.service::<LoginService>().unwrap().logout(&who, NOBODY).await.unwrap();
    assert_eq!(code(module.authenticate(&pair.access_token).await), "unauthenticated");
}

#[tokio::test]
async fn a_new_password_is_read_as_the_routes_read_it() {
    let app = App::configured(|config| config.password_min_characters(12)).await;
    let errors = |text: &str, confirmation: &str| -> Vec<String> {
        let errors = app.auth.new_password(text.to_owned(), confirmation).err();
        let errors = errors.iter().flat_map(axum_auth_module::error::FieldErrors::iter);
        errors.map(|error| format!("{}: {}", error.field, error.code)).collect()
    };
    assert_eq!(errors("eleven long", "another"), ["password: too_short", "passwordConfirmation: mismatch"]);
    assert_eq!(errors(&"x".repeat(73), &"x".repeat(73)), ["password: too_long"]);
    assert!(errors("twelve chars", "twelve chars").is_empty());
}

/// A user record of another module.
#[derive(Clone, axum_auth_module::AuthUser)]
struct Another {
    id: i64,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<std::time::SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<std::time::SystemTime>,
    password_confirmed_at: Option<std::time::SystemTime>,
}

#[tokio::test]
async fn a_session_of_another_module_changes_nothing() {
    let (app, _) = with_user().await;
    let users = MemoryUsers::new(|id, user: NewUser| Another {
        id,
        name: user.name,
        email: user.email,
        password: user.password,
        email_verified_at: None,
        two_factor_secret: None,
        two_factor_recovery_codes: None,
        two_factor_confirmed_at: None,
        password_confirmed_at: None,
    });
    let other = AuthModule::builder(testing::config().build().unwrap(), users);
    let other = other.registration(StandardActions).build().unwrap();
    let password = other.new_password(PASSWORD.to_owned(), PASSWORD).unwrap();
    let data = RegistrationData::new(UserName::parse("Eve").unwrap(), email(EMAIL), password);
    let registered = other.service::<RegistrationService>().unwrap().register(data, NOBODY).await.unwrap();
    let who = other.authenticate(&session(registered).access_token).await.unwrap();
    let data = ProfileData::new(UserName::parse("Eve").unwrap(), email("eve@example.com"));
    let profile = app.auth.service::<UpdateProfileInformationService>().unwrap();
    assert_eq!(code(profile.update(&who, data, NOBODY).await), "unauthenticated");
    assert_eq!(app.users.by_email(EMAIL).unwrap().name, "Ada");
}

#[tokio::test]
async fn closing_an_account_ends_its_sessions_and_deletes_its_reset_token() {
    let (app, tokens) = with_user().await;
    let service = app.auth.service::<ResetPasswordsService>().unwrap();
    service.request(&email(EMAIL), client()).await.unwrap();
    let token = app.outbox.next::<PasswordResetMessage>().await.token;
    app.auth.close_account(&1).await.unwrap();
    app.is_over(&tokens).await;
    let reset = service.reset(&email(EMAIL), &token, &new_password(&app, NEW), client()).await;
    assert_eq!(code(reset), "invalid_reset_token");
    assert_eq!(code(app.auth.close_account(&99).await), "internal_error");
}
