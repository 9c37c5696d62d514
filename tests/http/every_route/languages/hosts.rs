//! What a host has of the language of a request: its deliveries, its actions and its own routes.

use super::{EVE, GERMAN, bilingual, bilingual_with_addresses_of_profiles, german};
use crate::support::routers::{SESSION_COOKIE, is_browser, on_both_routers};
use crate::support::{Account, App, EMAIL, registration, serve};
use axum::routing::{get, post};
use axum::{Extension, Router};
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::client::ClientAddress;
use axum_auth_module::delivery::{EmailVerificationMessage, Notice, PasswordResetMessage};
use axum_auth_module::error::{ErrorCode, FieldErrors, FieldText};
use axum_auth_module::languages::{Language, Messages};
use axum_auth_module::services::ResetPasswordsService;
use axum_auth_module::values::EmailAddress;
use axum_auth_module::{CurrentUser, PageUser, async_trait};
use reqwest::Method;
use serde_json::json;
use std::net::SocketAddr;

on_both_routers![
    a_delivery_has_the_language_of_the_request,
    a_delivery_to_a_user_with_a_language_has_that_one,
    an_action_knows_the_language_of_the_request,
    routes_of_the_host_speak_the_visitors_language,
];

async fn a_delivery_has_the_language_of_the_request() {
    let app = bilingual_with_addresses_of_profiles().await;
    let tokens = app.register(EMAIL).await;
    let english = async || {
        let reset: PasswordResetMessage = app.outbox.next().await;
        assert_eq!(reset.language.tag(), "en");
    };
    app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    english().await;
    // Without a request it is the first language of the module.
    let service = app.auth.service::<ResetPasswordsService>().unwrap();
    let address = EmailAddress::parse(EMAIL).ok().unwrap();
    service.request(&address, ClientAddress::UNKNOWN).await.unwrap();
    english().await;

    german(app.post("/auth/forgot-password").json(&json!({ "email": EMAIL }))).await.expect(200);
    let reset: PasswordResetMessage = app.outbox.next().await;
    assert_eq!(reset.language, Language::german());
    german(app.post("/auth/email/verification-notification").bearer(&tokens.access)).await.expect(200);
    let verification: EmailVerificationMessage = app.outbox.next().await;
    assert_eq!(verification.language, Language::german());
    app.verify_address(EMAIL);
    let profile = json!({ "name": "Ada", "email": EVE });
    app.confirm_password(&tokens.access).await;
    let change = app.put("/auth/user/profile-information").bearer(&tokens.access).json(&profile);
    german(change).await.expect(200);
    let notice: Notice = app.outbox.next().await;
    assert_eq!(notice.language(), &Language::german());
}

async fn a_delivery_to_a_user_with_a_language_has_that_one() {
    let app = bilingual_with_addresses_of_profiles().await;
    let tokens = app.register(EMAIL).await;
    for (locale, request, language) in [
        (Some("de-CH"), "en", "de"),
        (Some("EN"), "de", "en"),
        (Some("fr"), "de", "de"),
        (Some("de, en"), "en", "en"),
        (Some(""), "de", "de"),
        (None, "de", "de"),
    ] {
        app.users.update(EMAIL, |user| user.locale = locale.map(str::to_owned));
        let forgot = app.post("/auth/forgot-password").header("accept-language", request);
        let answer = forgot.json(&json!({ "email": EMAIL })).await.expect(200);
        // The request can come from anybody, so its response is in the request's language, not in the account's.
        assert_eq!(answer.header("content-language"), Some(request));
        let reset: PasswordResetMessage = app.outbox.next().await;
        assert_eq!(reset.language.tag(), language, "{locale:?} {request}");
        app.advance(3600);
    }
    app.users.update(EMAIL, |user| user.locale = Some("de".to_owned()));
    let tokens = app.renew(&tokens).await;
    app.post("/auth/email/verification-notification").bearer(&tokens.access).await.expect(200);
    let verification: EmailVerificationMessage = app.outbox.next().await;
    assert_eq!(verification.language, Language::german());
    app.verify_address(EMAIL);
    app.confirm_password(&tokens.access).await;
    let profile = json!({ "name": "Ada", "email": EVE });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&profile).await.expect(200);
    let notice: Notice = app.outbox.next().await;
    assert_eq!(notice.language(), &Language::german());
}

/// Refuses every registration in the language of the request.
struct RefusesByName;

#[async_trait]
impl CreatesNewUsers<Account> for RefusesByName {
    async fn create(
        &self,
        _: RegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        let language = context.language();
        let own = format!("{language}: {}", language.text(FieldText::NameRequired));
        Err(FieldErrors::one("name", "own", own)
            .and(FieldErrors::standard("plan", FieldText::Required))
            .into())
    }
}

async fn an_action_knows_the_language_of_the_request() {
    let messages = Messages::english().and(Messages::german());
    let app = App::with_everything_and(
        |config| config,
        |module| module.messages(messages).registration(RefusesByName),
    );
    let app = app.await;
    let refused = german(app.post("/auth/register").json(&registration(EMAIL))).await;
    assert_eq!(
        refused.refused(422, "validation_failed").body["errors"],
        json!([
            { "field": "name", "code": "own", "detail": "de: Der Name fehlt." },
            { "field": "plan", "code": "required", "detail": "Dieses Feld muss ausgefüllt werden." },
        ])
    );
}

/// The host's own routes, with the languages of the module.
async fn own_routes(app: &App) -> SocketAddr {
    let auth = app.auth.clone();
    let me = get(async |CurrentUser(user): CurrentUser<Account>| user.email);
    let page = post(async |PageUser(user): PageUser<Account>| user.email);
    let language = get(async |Extension(language): Extension<Language>| language.tag().to_owned());
    let routes = Router::new().route("/me", me).route("/page", page).route("/language", language);
    serve(auth.with_languages(routes.nest("/auth", auth.router())).with_state(auth)).await
}

async fn routes_of_the_host_speak_the_visitors_language() {
    let app = bilingual().await;
    let address = own_routes(&app).await;
    let client = reqwest::Client::new();
    let call = async |method: Method, path: &str| {
        let request = client.request(method, format!("http://{address}{path}"));
        let request = request.header("accept-language", GERMAN).header("sec-fetch-site", "cross-site");
        let response = request.header("cookie", format!("{SESSION_COOKIE}=x")).send().await.unwrap();
        let language = response.headers().get_all("content-language").iter().count();
        let vary = response.headers().get_all("vary").iter().count();
        (response.status().as_u16(), (language, vary), response.text().await.unwrap())
    };
    let (status, headers, text) = call(Method::GET, "/me").await;
    assert_eq!((status, headers), (401, (1, 1)), "{text}");
    assert!(text.contains(Language::german().text(ErrorCode::Unauthenticated)), "{text}");
    if is_browser() {
        let german = Language::german();
        let sentence = german.text(ErrorCode::CrossOriginRequest);
        let (status, headers, page) = call(Method::POST, "/page").await;
        assert_eq!((status, headers), (403, (1, 1)), "{page}");
        assert!(page.contains("<html lang=\"de\">") && page.contains(sentence), "{page}");
    }
    // What is the host's has no header of the module.
    assert_eq!(call(Method::GET, "/language").await, (200, (0, 0), "de".to_owned()));
    // A route of the module within declares its language once.
    let (status, headers, _) = call(Method::GET, "/auth/nonsense").await;
    assert_eq!((status, headers), (404, (1, 1)));
}

#[tokio::test]
async fn without_messages_the_hosts_routes_stay_as_they_are() {
    let app = App::with_everything().await;
    let url = format!("http://{}/me", own_routes(&app).await);
    let response = reqwest::Client::new().get(url).header("accept-language", GERMAN).send().await.unwrap();
    assert_eq!((response.status().as_u16(), response.headers().get("content-language")), (401, None));
    assert!(response.text().await.unwrap().contains(ErrorCode::Unauthenticated.detail()));
}
