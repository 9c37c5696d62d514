//! `GET /email/verify/{id}/{hash}` with links that are not what was sent.

use super::notification::{link, open, verified, with_link};
use crate::support::answer::Answer;
use crate::support::providers::{Outbox, OvertakenUsers};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, forge, memory_users, registration, serve};
use axum_auth_module::delivery::EmailVerificationMessage;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::user::UserChange;
use axum_auth_module::{AuthConfig, AuthModule, AuthUser, StandardActions};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Method;
use sha2::Sha256;
use std::time::SystemTime;

on_both_routers![
    the_link_of_another_module_is_invalid,
    a_link_of_which_anything_was_changed_is_invalid,
    an_expiry_of_an_odd_form_is_invalid,
    a_link_is_for_the_bearer_whose_id_it_has,
    a_link_to_a_former_address_is_invalid,
    an_address_that_changes_while_its_link_is_honoured_stays_unverified,
];

const EVE: &str = "eve@example.com";

/// HMAC-SHA256 under jwtSecret itself, in hexadecimal.
fn under_jwt_secret(text: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(forge::JWT_SECRET.as_bytes()).unwrap();
    let bytes = mac.chain_update(text.as_bytes()).finalize().into_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn the_keys_of_a_link_are_not_the_secret_of_the_tokens() {
    let (_, _, link) = with_link().await;
    // Whoever may choose an address must not get a signature of it that counts elsewhere.
    assert_ne!(link.hash, under_jwt_secret(EMAIL));
    assert_ne!(link.signature, under_jwt_secret(&format!("1:{}:{}", link.hash, link.expires)));
    assert_ne!(link.hash, link.signature);
}

async fn the_link_of_another_module_is_invalid() {
    let (app, tokens, _) = with_link().await;
    let other = App::with_everything_and(
        |_| {
            let (jwt, refresh) =
                ("another secret of thirty-two bytes", "yet another secret of thirty-two bytes");
            AuthConfig::builder(jwt, refresh, "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
                .bcrypt_cost(10)
                .relying_party(crate::support::passkeys::site())
        },
        |module| module,
    );
    let other = other.await;
    let theirs = other.register(EMAIL).await;
    let theirs = link(&other, &theirs).await;
    assert_eq!(theirs.id, "1");
    open(&app, &tokens.access, &theirs.path("/auth")).await.refused(422, "invalid_verification_link");
}

/// The link's path and query with these parts.
fn of_parts(hash: &str, signature: &str, expires: &str) -> String {
    format!("/auth/email/verify/1/{hash}?signature={signature}&expires={expires}")
}

/// The text with its last digit changed.
fn other(hex: &str) -> String {
    let (head, tail) = hex.split_at(hex.len() - 1);
    format!("{head}{}", if tail == "0" { "1" } else { "0" })
}

async fn a_link_of_which_anything_was_changed_is_invalid() {
    let (app, tokens, link) = with_link().await;
    let (hash, signature, expires) = (&link.hash, &link.signature, &link.expires.to_string());
    let later = (link.expires + 1).to_string();
    let query = format!("signature={signature}&expires={expires}");
    let broken = [
        of_parts(&other(hash), signature, expires),
        of_parts(hash, &other(signature), expires),
        of_parts(hash, signature, &later),
        of_parts(signature, hash, expires),
        of_parts(hash, hash, expires),
        of_parts(signature, signature, expires),
        of_parts("x", signature, expires),
        of_parts(&hash[..63], signature, expires),
        of_parts(&hash[..2], signature, expires),
        of_parts(&format!("{hash}00"), signature, expires),
        of_parts(&hash.to_uppercase(), signature, expires),
        of_parts(&"z".repeat(64), signature, expires),
        of_parts("%FF", signature, expires),
        of_parts("%00", signature, expires),
        of_parts(&format!("{hash}%20"), signature, expires),
        of_parts(&"0".repeat(6_000), signature, expires),
        of_parts(hash, "", expires),
        of_parts(hash, &signature[..62], expires),
        of_parts(hash, &format!("{signature}00"), expires),
        of_parts(hash, &signature.to_uppercase(), expires),
        of_parts(hash, "%FF", expires),
        of_parts(hash, &under_jwt_secret(&format!("1:{hash}:{expires}")), expires),
        format!("/auth/email/verify/1/{hash}"),
        format!("/auth/email/verify/1/{hash}?signature={signature}"),
        format!("/auth/email/verify/1/{hash}?expires={expires}"),
        format!("/auth/email/verify/1/{hash}?{query}&signature={signature}"),
        format!("/auth/email/verify/1/{hash}?{query}&expires={expires}"),
        format!("/auth/email/verify/1/{hash}?{query}&expires={later}"),
        format!("/auth/email/verify/1/{hash}?signature[]={signature}&expires={expires}"),
        format!("/auth/email/verify/1/{hash}?Signature={signature}&Expires={expires}"),
    ];
    for path in broken {
        let answer = open(&app, &tokens.access, &path).await;
        assert_eq!((answer.status, answer.code()), (422, "invalid_verification_link"), "{path}");
        assert_eq!(verified(&app), None, "{path}");
    }
    open(&app, &tokens.access, &format!("/auth/email/verify/1?{query}")).await.refused(404, "not_found");
    // What a mail program has added to a link takes nothing from it.
    let tracked = format!("/auth/email/verify/1/{hash}?utm_source=mail&{query}");
    open(&app, &tokens.access, &tracked).await.expect(200);
}

/// What is not the time at which a link expires, although some of it could be read as that.
pub(crate) fn odd_expiries(right: u64) -> Vec<String> {
    vec![
        String::new(),
        "x".to_owned(),
        format!("0{right}"),
        format!("+{right}"),
        format!("%2B{right}"),
        format!("-{right}"),
        format!("{right}.0"),
        format!("{right}e0"),
        format!("{right}%20"),
        format!("%20{right}"),
        format!("{right}%00"),
        format!("{right},{right}"),
        format!("0x{right:x}"),
        format!("{right}000"),
        format!("{}", u64::MAX),
        format!("{}0", u64::MAX),
        "9".repeat(400),
        "1e300".to_owned(),
        "NaN".to_owned(),
        "Infinity".to_owned(),
        // The digits of another script.
        "%D9%A1%D9%A2%D9%A3%D9%A4".to_owned(),
    ]
}

async fn an_expiry_of_an_odd_form_is_invalid() {
    let (app, tokens, link) = with_link().await;
    let right = link.expires;
    for expires in odd_expiries(right) {
        let answer = open(&app, &tokens.access, &of_parts(&link.hash, &link.signature, &expires)).await;
        assert_eq!((answer.status, answer.code()), (422, "invalid_verification_link"), "{expires}");
    }
    for expires in ["0", "1", "00"] {
        let answer = open(&app, &tokens.access, &of_parts(&link.hash, &link.signature, expires)).await;
        answer.refused(422, "expired_verification_link");
    }
    assert_eq!(verified(&app), None);
}

async fn a_link_is_for_the_bearer_whose_id_it_has() {
    let (app, ada, link) = with_link().await;
    let eve = app.register(EVE).await;
    open(&app, &eve.access, &link.path("/auth")).await.refused(403, "verification_link_not_yours");
    let query = format!("{}?signature={}&expires={}", link.hash, link.signature, link.expires);
    for id in ["2", "01", "%2B1", "1%20", "11", "0", "x", "%00"] {
        let answer = open(&app, &ada.access, &format!("/auth/email/verify/{id}/{query}")).await;
        assert_eq!((answer.status, answer.code()), (403, "verification_link_not_yours"), "{id}");
    }
    open(&app, &eve.access, &format!("/auth/email/verify/2/{query}"))
        .await
        .refused(422, "invalid_verification_link");
    assert_eq!(verified(&app), None);
    assert_eq!(app.users.by_email(EVE).unwrap().email_verified_at, None);
    open(&app, &ada.access, &link.path("/auth")).await.expect(200);
}

async fn a_link_to_a_former_address_is_invalid() {
    let (app, tokens, former) = with_link().await;
    app.users.update(EMAIL, |user| user.email = "lovelace@example.com".to_owned());
    open(&app, &tokens.access, &former.path("/auth")).await.refused(422, "invalid_verification_link");
    let link = link(&app, &tokens).await;
    let mixed = of_parts(&former.hash, &link.signature, &link.expires.to_string());
    open(&app, &tokens.access, &mixed).await.refused(422, "invalid_verification_link");
    open(&app, &tokens.access, &link.path("/auth")).await.expect(200);
}

async fn an_address_that_changes_while_its_link_is_honoured_stays_unverified() {
    let users = memory_users();
    let repository = OvertakenUsers::over(users.clone());
    let before_save = repository.before_save.clone();
    let app = App::with_everything_on(repository, users.clone(), |config| config, |module| module).await;
    let tokens = app.register(EMAIL).await;
    let link = link(&app, &tokens).await;
    before_save.set(move |patch| {
        if patch.changes().iter().any(|change| matches!(change, UserChange::EmailVerifiedAt(Some(_)))) {
            users.update(EMAIL, |user| user.email = "lovelace@example.com".to_owned());
        }
    });
    open(&app, &tokens.access, &link.path("/auth")).await.refused(422, "invalid_verification_link");
    assert_eq!(app.users.by_email("lovelace@example.com").unwrap().email_verified_at, None);
    app.login_call("lovelace@example.com", PASSWORD).await.expect(200);
    assert_eq!(app.event_names().await, ["auth.registered", "auth.login"]);
}

/// A user record whose id is any text.
#[derive(Clone, Default, AuthUser)]
struct Member {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

#[tokio::test]
async fn an_id_may_be_any_text() {
    for id in
        ["a/b", "a b", "50%", "%2F", "?x=1&y", "#top", "{id}", "a:b:c", "\u{fc}\u{1f99c}", "+", "a\"<b>"]
    {
        let users = MemoryUsers::new(move |_, user: axum_auth_module::user::NewUser| Member {
            id: id.to_owned(),
            name: user.name,
            email: user.email,
            password: user.password,
            ..Member::default()
        });
        let outbox = Outbox::default();
        let auth = AuthModule::builder(testing::config().build().unwrap(), users.clone())
            .registration(StandardActions)
            .email_verification(outbox.clone())
            .build()
            .unwrap();
        let address = serve(axum::Router::new().nest("/auth", auth.router())).await;
        let http = reqwest::Client::new();
        let send = async |method: Method, path: &str, token: &str| {
            let request = http.request(method.clone(), format!("http://{address}{path}")).bearer_auth(token);
            let answer = request.json(&registration(EMAIL)).send().await.unwrap();
            Answer::read(answer, &method, true).await
        };
        let access = send(Method::POST, "/auth/register", "").await.expect(201).tokens().access;
        send(Method::POST, "/auth/email/verification-notification", &access).await.expect(200);
        let link = outbox.next::<EmailVerificationMessage>().await.data;
        assert_eq!(link.id, id);
        send(Method::GET, &link.path("/auth"), &access).await.expect(200);
        assert!(users.by_email(EMAIL).unwrap().email_verified_at.is_some(), "{id}");
    }
}
