//! Messages in the language of the request (specification §28).

mod hosts;

use crate::change_emails;
use crate::delete_accounts;
use crate::invitations;
use crate::reset_passwords::reset_password::{NEW, reset};
use crate::security_notices;
use crate::support::answer::Answer;
use crate::support::passkeys::passkey;
use crate::support::provider::{at_github, link, path_with_provider};
use crate::support::providers::CAUSE;
use crate::support::routers::{is_browser, on_both_routers};
use crate::support::{
    Account, App, Builder, Call, EMAIL, PASSWORD, Tokens, addresses_of_profiles, at_once, endpoints_here,
    registration, visible,
};
use crate::trusted_devices;
use axum_auth_module::async_trait;
use axum_auth_module::client::ClientAddress;
use axum_auth_module::config::TwoFactorOptions;
use axum_auth_module::delivery::{
    AccountDeletionMessage, EmailChangeMessage, EmailVerificationMessage, PasswordResetMessage,
    SecurityNoticeKind, SecurityNoticeMessage,
};
use axum_auth_module::error::{ErrorCode, FieldText};
use axum_auth_module::languages::{Language, Messages, SuccessText, TextKey};
use axum_auth_module::policy::{CommonPasswords, Policy, PolicyError};
use axum_auth_module::values::EmailAddress;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Duration;

on_both_routers![
    every_route_refuses_in_the_language_of_the_request,
    every_message_of_success_is_in_the_language_of_the_request,
    the_language_that_is_wanted_most_is_chosen,
    field_errors_are_in_the_language_and_the_hosts_own_sentences_stay,
    a_policy_can_refuse_with_a_sentence_of_the_library,
    failures_of_the_server_are_in_the_language_too,
    a_hosts_own_language_and_its_own_words_are_said,
    one_language_needs_no_choice,
    without_messages_nothing_changes,
];

on_both_routers![threads: requests_at_the_same_time_do_not_mix_their_languages];

const EVE: &str = "eve@example.com";
const GERMAN: &str = "de-AT, de;q=0.9, en;q=0.5";

/// A host with English and German.
async fn bilingual() -> App {
    in_languages(Messages::english().and(Messages::german())).await
}

/// A host in two languages on which a profile update changes the address.
async fn bilingual_with_addresses_of_profiles() -> App {
    let messages = Messages::english().and(Messages::german());
    let module = |module: Builder| addresses_of_profiles(module.messages(messages));
    App::with_everything_and(|config| config, module).await
}

async fn in_languages(messages: Messages) -> App {
    App::with_everything_and(|config| config, |module| module.messages(messages)).await
}

fn german(call: Call) -> Call {
    call.header("accept-language", GERMAN)
}

#[track_caller]
fn code(answer: &Answer) -> ErrorCode {
    let known = ErrorCode::ALL.iter().find(|code| code.as_str() == answer.code());
    *known.unwrap_or_else(|| panic!("a code: {}", answer.text))
}

/// The error's sentence is in this language, and so says the header.
#[track_caller]
fn is_refused_in(language: &Language, answer: &Answer) {
    assert_eq!(answer.body["detail"], language.text(code(answer)), "{}", answer.text);
    is_in(language, answer);
}

#[track_caller]
fn is_in(language: &Language, answer: &Answer) {
    assert_eq!(answer.header("content-language"), Some(language.tag()), "{}", answer.text);
    assert_eq!(answer.header("vary"), Some("Accept-Language"), "{}", answer.text);
}

#[test]
fn no_text_of_the_library_is_missing() {
    // A release with another text compiles only with its German one; `Messages::missing` is what a host's test asks.
    assert!(Messages::english().and(Messages::german()).missing().is_empty());
    let kinds = [ErrorCode::ALL.len(), FieldText::ALL.len(), SuccessText::ALL.len()];
    assert!(TextKey::all().count() >= kinds.iter().sum());
}

async fn every_route_refuses_in_the_language_of_the_request() {
    let app = bilingual().await;
    app.register(EMAIL).await;
    app.register(EVE).await;
    let mut codes = HashSet::new();
    for endpoint in endpoints_here() {
        let path = format!("/auth{}", endpoint.path.replace("{id}", "9").replace("{hash}", "x"));
        let path = path_with_provider(&path);
        let method: Method = endpoint.method.as_str().parse().unwrap();
        let call = |method: &Method| app.request(method.clone(), &path);
        let calls: [&dyn Fn(&Tokens) -> Call; 4] = [
            &|_| call(&method).json(&json!({})),
            &|tokens| call(&method).bearer(&tokens.access).body("application/json", "["),
            &|_| call(&method).bearer("nonsense").body("text/plain", "x"),
            &|_| call(&Method::PATCH),
        ];
        for make in calls {
            // Some of the calls end the session. Of too many sessions the oldest one ends.
            app.advance(1);
            let [ada, eve] = [app.login(EMAIL).await, app.login(EVE).await];
            let (said, original) = (german(make(&ada)).await, make(&eve).await);
            assert_eq!(said.status, original.status, "{path}");
            is_in(&Language::german(), &said);
            is_in(&Language::english(), &original);
            if said.status < 400 {
                continue;
            }
            is_refused_in(&Language::german(), &said);
            is_refused_in(&Language::english(), &original);
            for member in ["type", "title", "status", "code"] {
                assert_eq!(said.body[member], original.body[member], "{path}");
            }
            codes.insert(said.code().to_owned());
        }
    }
    is_refused_in(&Language::german(), &german(app.get("/auth/nonsense")).await.refused(404, "not_found"));
    assert!(codes.len() >= 5, "{codes:?}");
}

/// The message of a successful response, which must be one of the library's in German.
#[track_caller]
fn message(answer: Answer) -> SuccessText {
    assert!(matches!(answer.status, 200 | 202), "{}", answer.text);
    is_in(&Language::german(), &answer);
    let said = answer.body["message"].as_str().unwrap_or_else(|| panic!("a message: {}", answer.text));
    let known = SuccessText::ALL.iter().find(|text| Language::german().text(**text) == said);
    *known.unwrap_or_else(|| panic!("a German message: {said}"))
}

async fn every_message_of_success_is_in_the_language_of_the_request() {
    let app = bilingual().await;
    let mut said = HashSet::new();
    let mut says = |answer: Answer| said.insert(message(answer).key());
    let tokens = app.register(EMAIL).await;

    says(german(app.post("/auth/email/verification-notification").bearer(&tokens.access)).await);
    let sent: EmailVerificationMessage = app.outbox.next().await;
    says(german(app.get(&sent.data.path("/auth")).bearer(&tokens.access)).await);
    says(german(app.post("/auth/email/verification-notification").bearer(&tokens.access)).await);

    says(german(app.post("/auth/login/email").json(&json!({ "email": EMAIL }))).await);
    says(german(app.post("/auth/user/confirm-email").bearer(&tokens.access)).await);

    let profile = json!({ "name": "Ada", "email": EMAIL });
    says(german(app.put("/auth/user/profile-information").bearer(&tokens.access).json(&profile)).await);
    app.confirm_password(&tokens.access).await;
    says(german(change_emails::ask(&app, &tokens.access, EVE)).await);
    says(german(change_emails::cancel(&app, &tokens.access)).await);
    app.outbox.next::<EmailChangeMessage>().await;
    let token = change_emails::asked(&app, &tokens.access, EVE).await;
    let changed = german(change_emails::confirm(&app, &tokens.access, &token)).await;
    says(changed);
    let told: EmailChangeMessage = app.outbox.next().await;
    says(german(change_emails::revert(&app, &told.token.unwrap())).await);
    let way_back: PasswordResetMessage = app.outbox.next().await;
    reset(&app, EMAIL, &way_back.token, PASSWORD).await.expect(200);
    // Later than the lock down.
    app.advance(1);
    let tokens = app.login(EMAIL).await;
    let password = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
    says(german(app.put("/auth/user/password").bearer(&tokens.access).json(&password)).await);
    let mut notice: SecurityNoticeMessage = app.outbox.next().await;
    while notice.kind != SecurityNoticeKind::PasswordChanged {
        notice = app.outbox.next().await;
    }
    says(german(security_notices::secure(&app, &notice.token.unwrap())).await);
    app.outbox.next::<PasswordResetMessage>().await;
    let id = app.users.by_email(EMAIL).unwrap().id;
    let token = invitations::invited(&app, id).await.token.unwrap();
    says(german(invitations::accept(&app, &token, NEW)).await);

    says(german(app.post("/auth/forgot-password").json(&json!({ "email": EMAIL }))).await);
    let sent: PasswordResetMessage = app.outbox.next().await;
    says(german(reset(&app, EMAIL, &sent.token, PASSWORD)).await);

    let tokens = app.login(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    says(german(app.enable(&tokens.access)).await);
    let authenticator = app.authenticator(&tokens.access).await;
    let confirmed = german(app.confirm_two_factor(&tokens.access, &authenticator.code(&app))).await;
    let tokens = confirmed.session().unwrap();
    says(confirmed);
    app.confirm_password(&tokens.access).await;
    says(german(app.enable(&tokens.access)).await);
    let disabled = german(app.disable(&tokens.access)).await;
    let tokens = disabled.session().unwrap();
    says(disabled);

    app.login(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    says(german(app.delete("/auth/user/sessions").bearer(&tokens.access)).await);
    let other = app.login(EMAIL).await;
    app.confirm_password(&other.access).await;
    let sessions = app.get("/auth/user/sessions").bearer(&other.access).await.expect(200);
    let sessions = sessions.body["sessions"].as_array().unwrap().clone();
    let current = sessions.iter().find(|session| session["current"] == true).unwrap();
    let path = format!("/auth/user/sessions/{}", current["id"].as_str().unwrap());
    says(german(app.delete(&path).bearer(&other.access)).await);
    says(german(app.post("/auth/logout").bearer(&tokens.access)).await);

    let mut options = TwoFactorOptions::default();
    options.confirm = false;
    let at_once = App::with_everything_and(
        |config| config.two_factor(options),
        |module| module.messages(Messages::english().and(Messages::german())),
    );
    let at_once = at_once.await;
    let tokens = at_once.confirmed_session(EMAIL).await;
    at_once.verify_address(EMAIL);
    let removed = german(at_once.delete("/auth/user/password").bearer(&tokens.access)).await;
    let tokens = removed.session().unwrap();
    says(removed);
    says(german(at_once.enable(&tokens.access)).await);

    let tokens = app.login(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    let added = app.add_passkey(&tokens.access, &mut passkey()).await;
    let path = format!("/auth/user/passkeys/{}", added["id"].as_str().unwrap());
    let removed = german(app.delete(&path).bearer(&tokens.access)).await;
    let tokens = removed.session().unwrap();
    says(removed);

    let body = json!({ "name": "Backup", "scopes": ["demo:read"] });
    let created = app.post("/auth/user/api-tokens").bearer(&tokens.access).json(&body).await.expect(201);
    let path = format!("/auth/user/api-tokens/{}", created.body["id"].as_str().unwrap());
    says(german(app.delete(&path).bearer(&tokens.access)).await);

    says(german(app.delete("/auth/user/trusted-devices").bearer(&tokens.access)).await);
    let trusted = trusted_devices::trusted(&app, "grace@example.com").await;
    let device = trusted_devices::list(&app, &trusted.tokens).await[0]["id"].as_str().unwrap().to_owned();
    app.confirm_password(&trusted.tokens.access).await;
    let path = format!("/auth/user/trusted-devices/{device}");
    says(german(app.delete(&path).bearer(&trusted.tokens.access)).await);

    // A browser would have to visit the provider.
    if !is_browser() {
        let linked = link(&app, &tokens.access, &at_github(7, EMAIL)).await;
        let path = format!("/auth/user/identities/{}", linked["id"].as_str().unwrap());
        says(german(app.delete(&path).bearer(&tokens.access)).await);
    }

    let tokens = app.login(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    says(german(delete_accounts::delete(&app, &tokens.access)).await);
    let sent: AccountDeletionMessage = app.outbox.next().await;
    says(german(delete_accounts::restore(&app, &sent.token.unwrap())).await);

    let all = SuccessText::ALL.iter().filter(|text| !is_browser() || **text != SuccessText::IdentityUnlinked);
    let all: HashSet<_> = all.map(|text| text.key()).collect();
    assert_eq!(said, all);
}

async fn the_language_that_is_wanted_most_is_chosen() {
    let app = bilingual().await;
    let endless = "x,".repeat(100_000 / 4);
    for (headers, tag) in [
        (&[][..], "en"),
        (&["de"], "de"),
        (&["DE"], "de"),
        (&["de-CH-1996"], "de"),
        (&["en, de"], "en"),
        (&["en;q=0.1, de;q=0.2"], "de"),
        (&["fr, de;q=0.001"], "de"),
        (&["fr", "de;q=0.5"], "de"),
        (&["en;q=0.5", "fr", "de"], "de"),
        (&["en;q=0, *"], "de"),
        (&["*"], "en"),
        (&["fr"], "en"),
        (&["de;q=0"], "en"),
        (&["de;q=7", "<script>", ";;;", ",,,", "de_AT"], "en"),
        (&[""], "en"),
        (&[&endless], "en"),
    ] {
        let call = headers.iter().fold(app.post("/auth/login").json(&json!({})), |call, header| {
            call.header("accept-language", header)
        });
        let answer = call.await.refused(422, "validation_failed");
        assert_eq!(answer.header("content-language"), Some(tag), "{headers:?}");
    }
    let bytes = app.post("/auth/login").header_bytes("accept-language", b"de\xff, \xe4").json(&json!({}));
    is_refused_in(&Language::english(), &bytes.await.refused(422, "validation_failed"));
}

async fn field_errors_are_in_the_language_and_the_hosts_own_sentences_stay() {
    let app = bilingual().await;
    let body = json!({ "name": "", "email": "x", "password": "short", "passwordConfirmation": "shirt" });
    let refused = german(app.post("/auth/register").json(&body)).await;
    assert_eq!(refused.body["detail"], "Einige Angaben sind ungültig.");
    assert_eq!(
        refused.body["errors"],
        json!([
            { "field": "name", "code": "required", "detail": "Der Name fehlt." },
            { "field": "email", "code": "invalid", "detail": "Das ist keine E-Mail-Adresse." },
            {
                "field": "password", "code": "too_short",
                "detail": "Das Passwort muss mindestens 8 Zeichen haben.",
            },
            {
                "field": "passwordConfirmation", "code": "mismatch",
                "detail": "Die beiden Passwörter müssen gleich sein.",
            },
        ])
    );
    let english = app.post("/auth/register").json(&body).await;
    assert_eq!(english.body["errors"][2]["detail"], "The password must have at least 8 characters.");
}

/// A policy with sentences of its own, and one with a sentence of the library.
struct Closed;

#[async_trait]
impl Policy<Account> for Closed {
    async fn allows_email(&self, _: &EmailAddress, _: Option<&Account>) -> Result<(), PolicyError> {
        Err(PolicyError::refused("closed", "Nobody new at the moment."))
    }
}

struct ClosedAtLogin;

#[async_trait]
impl Policy<Account> for ClosedAtLogin {
    async fn allows_login(&self, _: &Account, _: ClientAddress) -> Result<(), PolicyError> {
        Err(PolicyError::Standard(FieldText::CodeRequired))
    }
}

async fn a_policy_can_refuse_with_a_sentence_of_the_library() {
    let messages = Messages::english().and(Messages::german());
    let app = App::with_everything_and(
        |config| config,
        |module| module.messages(messages).policy((Closed, CommonPasswords)),
    );
    let app = app.await;
    let mut body = registration(EMAIL);
    for field in ["password", "passwordConfirmation"] {
        body[field] = json!("password");
    }
    let refused = german(app.post("/auth/register").json(&body)).await.refused(422, "validation_failed");
    let details: Vec<&Value> =
        refused.body["errors"].as_array().unwrap().iter().map(|error| &error["detail"]).collect();
    let easy = json!(Language::german().text(FieldText::PasswordEasyToGuess));
    assert_eq!(details, [&json!("Nobody new at the moment."), &easy]);

    let app = App::with_everything_and(
        |config| config,
        |module| module.messages(Messages::german().and(Messages::english())).policy(ClosedAtLogin),
    );
    let app = app.await;
    let refused = app.post("/auth/register").json(&registration(EMAIL)).await.refused(403, "not_allowed");
    assert_eq!(refused.body["reason"], "required");
    assert_eq!(refused.body["detail"], Language::german().text(FieldText::CodeRequired));
}

async fn failures_of_the_server_are_in_the_language_too() {
    let app = App::with_everything_and(
        |config| config.request_timeout(Duration::from_secs(1)),
        |module| module.messages(Messages::german().and(Messages::english())).policy(Broken),
    );
    let app = app.await;
    for (email, status, code) in [
        ("fails@example.com", 500, "internal_error"),
        ("panics@example.com", 500, "internal_error"),
        ("hangs@example.com", 503, "unavailable"),
    ] {
        let answer = app.post("/auth/register").json(&registration(email)).await.refused(status, code);
        is_refused_in(&Language::german(), &answer);
        assert!(!answer.text.contains(CAUSE));
    }
    if is_browser() {
        let call = app.login_call(EMAIL, PASSWORD).header("origin", "https://evil.example");
        let refused = call.header("sec-fetch-site", "cross-site").await.refused(403, "cross_origin_request");
        is_refused_in(&Language::german(), &refused);
    }
}

/// A policy that breaks in the way that the address says.
struct Broken;

#[async_trait]
impl Policy<Account> for Broken {
    async fn allows_email(&self, email: &EmailAddress, _: Option<&Account>) -> Result<(), PolicyError> {
        match email.as_str().split_once('@').unwrap().0 {
            "fails" => Err(PolicyError::failed(CAUSE)),
            "panics" => panic!("{CAUSE}"),
            _ => std::future::pending().await,
        }
    }
}

async fn a_hosts_own_language_and_its_own_words_are_said() {
    let french = Messages::language("FR", |text| match text {
        TextKey::Error(ErrorCode::InvalidCredentials) => Some("L’adresse ou le mot de passe est faux."),
        TextKey::Field(FieldText::PasswordTooShort) => Some("Au moins {number} caractères, oui, {number}."),
        _ => None,
    });
    let own = Messages::language("de", |text| {
        (text == TextKey::Error(ErrorCode::InvalidCredentials))
            .then(|| "Das passt nicht zusammen.".to_owned())
    });
    let messages = Messages::german().and(french.unwrap()).and(own.unwrap());
    let app = in_languages(messages).await;
    let login = |language: &str| app.login_call(EMAIL, PASSWORD).header("accept-language", language);
    for (language, tag, detail) in [
        ("fr-CH", "fr", "L’adresse ou le mot de passe est faux."),
        ("de", "de", "Das passt nicht zusammen."),
        ("en", "de", "Das passt nicht zusammen."),
    ] {
        let answer = login(language).await;
        assert_eq!((&answer.body["detail"], answer.header("content-language")), (&json!(detail), Some(tag)));
    }
    let mut short = registration(EMAIL);
    short["password"] = json!("short");
    short["passwordConfirmation"] = json!("short");
    let answer = app.post("/auth/register").header("accept-language", "fr").json(&short).await;
    assert_eq!(answer.body["errors"][0]["detail"], "Au moins 8 caractères, oui, 8.");
    // What it lacks is in the first language.
    assert_eq!(answer.body["detail"], "Einige Angaben sind ungültig.");
}

async fn one_language_needs_no_choice() {
    let app = in_languages(Messages::german()).await;
    let answer = app.login_call(EMAIL, PASSWORD).header("accept-language", "en").await;
    assert_eq!(answer.body["detail"], Language::german().text(ErrorCode::InvalidCredentials));
    assert_eq!((answer.header("content-language"), answer.header("vary")), (Some("de"), None));
}

async fn without_messages_nothing_changes() {
    let app = App::with_everything().await;
    let calls: [&dyn Fn() -> Call; 3] = [
        &|| app.login_call(EMAIL, PASSWORD),
        &|| app.post("/auth/forgot-password").json(&json!({ "email": "eve@example.com" })),
        &|| app.get("/auth/nonsense"),
    ];
    for call in calls {
        let (plain, said) = (call().await, german(call()).await);
        assert_eq!(visible(&plain), visible(&said));
        assert_eq!((said.header("content-language"), said.header("vary")), (None, None));
    }
}

async fn requests_at_the_same_time_do_not_mix_their_languages() {
    let app = bilingual().await;
    let calls = (0..32).map(|number| {
        let language = if number % 2 == 0 { Language::german() } else { Language::english() };
        let call = app.login_call(&format!("nobody{number}@example.com"), PASSWORD);
        let call = call.from(&format!("192.0.2.{number}")).header("accept-language", language.tag());
        async move { (language, call.await) }
    });
    for (language, answer) in at_once(calls).await {
        is_refused_in(&language, &answer.refused(401, "invalid_credentials"));
    }
}
