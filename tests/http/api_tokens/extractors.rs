//! `ApiUser` and `UserOrApi`: who is let in, and who is told what.

use super::{NAME, as_program, create, list, read, text, token, with_token, with_user, works};
use crate::change_emails::{unlimited, verified};
use crate::passkeys::user;
use crate::support::answer::Answer;
use crate::support::held_back::{Held, HeldBack};
use crate::support::logs::OfThisThread;
use crate::support::places::{Place, in_every_place};
use crate::support::routers::{self, on_both_routers};
use crate::support::{App, EMAIL};
use axum_auth_module::config::{ApiTokenOptions, RateLimit, RateLimits};
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::testing::{Faults, ProviderMethod as M};
use serde_json::{Value, json};
use tracing::Level;

on_both_routers![
    each_scope_opens_its_routes,
    who_has_no_credential_is_told_so,
    what_is_no_api_token_is_refused,
    a_right_checksum_alone_opens_nothing,
    a_session_or_a_token,
    an_optional_extractor_is_empty_without_a_credential_alone,
    a_scope_that_the_host_does_not_have_is_an_error_of_the_host,
    the_last_use_is_written_once_a_minute,
];

in_every_place![a_token_of_another_realm_is_none];

const INVALID: &str = "Bearer error=\"invalid_token\"";

fn challenge(answer: &Answer) -> &str {
    answer.headers["www-authenticate"].to_str().unwrap()
}

async fn each_scope_opens_its_routes() {
    let (app, tokens) = with_user().await;
    let both = token(&app, &tokens, &["demo:read", "demo:write"]).await;
    let [reads, other] =
        [token(&app, &tokens, &["demo:read"]).await, token(&app, &tokens, &["demo:other"]).await];
    assert_eq!(read(&app, &both).await.expect(200).text, format!("{EMAIL} for {NAME}"));
    as_program(app.post("/api/write"), &both).await.expect(200);
    let refused = as_program(app.post("/api/write"), &reads).await.refused(403, "insufficient_scope");
    assert_eq!(challenge(&refused), "Bearer error=\"insufficient_scope\", scope=\"demo:write\"");
    let refused = read(&app, &other).await.refused(403, "insufficient_scope");
    assert_eq!(challenge(&refused), "Bearer error=\"insufficient_scope\", scope=\"demo:read\"");
    let refused = as_program(app.get("/api/either"), &other).await.refused(403, "insufficient_scope");
    assert_eq!(challenge(&refused), "Bearer error=\"insufficient_scope\", scope=\"demo:read\"");
}

async fn who_has_no_credential_is_told_so() {
    let (app, _, token) = with_token().await;
    for path in ["/api/read", "/api/either"] {
        let nothing = app.get(path).await.refused(401, "unauthenticated");
        assert_eq!(challenge(&nothing), "Bearer");
        for credential in ["Basic YTpi", "Bearer", &token, &format!("Token {token}")] {
            app.get(path).header("authorization", credential).await.refused(401, "unauthenticated");
        }
        let twice = as_program(as_program(app.get(path), &token), &token).await;
        twice.refused(401, "unauthenticated");
        let in_url = app.get(&format!("{path}?access_token={token}")).await;
        in_url.refused(401, "unauthenticated");
        app.get(path).header("cookie", &format!("token={token}")).await.refused(401, "unauthenticated");
    }
}

async fn what_is_no_api_token_is_refused() {
    let (app, tokens, token) = with_token().await;
    let eve = verified(&app, "eve@example.com").await;
    let eves = super::token(&app, &eve, &["demo:read"]).await;
    // The checksum of each of these texts is wrong, also of the one with the id of one token and the secret of another.
    let mixed = format!("{}{}", &token[..16], &eves[16..]);
    let swapped = format!("{}{}", &token[..59], &eves[59..]);
    let mut wrong = vec![mixed, swapped, "pat_".to_owned(), "pat".to_owned(), "%".to_owned()];
    wrong.extend((0..token.len()).map(|at| {
        let other = if &token[at..=at] == "a" { "b" } else { "a" };
        format!("{}{other}{}", &token[..at], &token[at + 1..])
    }));
    wrong.extend(
        [&token[1..], &token[..64], &format!("{token}a"), &token.replace("pat_", "ghp_")].map(str::to_owned),
    );
    for wrong in &wrong {
        let answer = read(&app, wrong).await.refused(401, "invalid_api_token");
        assert_eq!(challenge(&answer), INVALID, "{wrong}");
    }
    if !app.is_for_browsers() {
        read(&app, &tokens.access).await.refused(401, "invalid_api_token");
        read(&app, &tokens.refresh).await.refused(401, "invalid_api_token");
    }
    assert!(works(&app, &token).await && works(&app, &eves).await);
}

/// The text with the checksum that belongs to it.
fn with_checksum(text: &str) -> String {
    const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let bit = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    let crc = !text.bytes().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(byte), bit));
    let digit = |place: u32| char::from(BASE62[(crc as usize / 62_usize.pow(place)) % 62]);
    text.chars().chain((0..6).rev().map(digit)).collect()
}

async fn a_right_checksum_alone_opens_nothing() {
    let (app, tokens, hers) = with_token().await;
    let other = super::token(&app, &tokens, &["demo:read"]).await;
    assert_eq!(with_checksum(&hers[..59]), hers);
    for wrong in [
        format!("{}{}", &hers[..16], &other[16..59]),
        format!("{}{}", &hers[..16], "0".repeat(43)),
        format!("pat_{}{}", "0".repeat(12), &hers[16..59]),
        hers[..59].replace(&hers[4..16], &hers[4..16].to_uppercase()),
    ] {
        if wrong != hers[..59] {
            read(&app, &with_checksum(&wrong)).await.refused(401, "invalid_api_token");
        }
    }
    assert!(works(&app, &hers).await && works(&app, &other).await);
}

async fn a_token_of_another_realm_is_none(place: &Place) {
    let app = place.start_with(unlimited).await;
    let tokens = verified(&app, EMAIL).await;
    let token = super::token(&app, &tokens, &["demo:read"]).await;
    let other = place.start_as(&place.clock, unlimited, |module| module.realm("others")).await;
    read(&other, &token).await.refused(401, "invalid_api_token");
    assert!(works(&app, &token).await);
}

async fn a_session_or_a_token() {
    let (app, tokens, token) = with_token().await;
    assert_eq!(app.get("/api/either").bearer(&tokens.access).await.expect(200).text, EMAIL);
    let of_program = as_program(app.get("/api/either"), &token).await.expect(200);
    assert_eq!(of_program.text, format!("{EMAIL} for {NAME}"));
    // With its beginning, a token is an API token; everything else is the credential of a session.
    as_program(app.get("/api/either"), "pat_").await.refused(401, "invalid_api_token");
    for other in ["pat", "patent", "ghp_abc", "a.b.c", ""] {
        as_program(app.get("/api/either"), other).await.refused(401, "unauthenticated");
    }
    // The header counts alone.
    if app.is_for_browsers() {
        let both = as_program(app.get("/api/either").bearer(&tokens.access), &token).await.expect(200);
        assert_eq!(both.text, format!("{EMAIL} for {NAME}"));
        let both = as_program(app.get("/api/either").bearer(&tokens.access), "pat_x").await;
        both.refused(401, "invalid_api_token");
        app.get("/api/read").bearer(&tokens.access).await.refused(401, "unauthenticated");
    }
}

async fn an_optional_extractor_is_empty_without_a_credential_alone() {
    let (app, tokens, token) = with_token().await;
    for path in ["/api/perhaps", "/api/perhaps-either"] {
        assert_eq!(app.get(path).await.expect(200).text, "false");
        assert_eq!(as_program(app.get(path), &token).await.expect(200).text, "true");
        as_program(app.get(path), "pat_x").await.refused(401, "invalid_api_token");
    }
    assert_eq!(app.get("/api/perhaps-either").bearer(&tokens.access).await.expect(200).text, "true");
    let other = super::token(&app, &tokens, &["demo:other"]).await;
    as_program(app.get("/api/perhaps"), &other).await.refused(403, "insufficient_scope");
}

async fn a_scope_that_the_host_does_not_have_is_an_error_of_the_host() {
    let (app, _, token) = with_token().await;
    as_program(app.get("/api/misspelt"), &token).await.refused(500, "internal_error");
}

async fn the_last_use_is_written_once_a_minute() {
    let (app, tokens, token) = with_token().await;
    let last_use = async || {
        app.auth.background_work_finished().await;
        list(&app, &tokens).await[0]["lastUsedAt"].clone()
    };
    assert_eq!(last_use().await, Value::Null);
    as_program(app.post("/api/write"), &token).await.refused(403, "insufficient_scope");
    assert_eq!(last_use().await, Value::Null, "what is refused is no use");
    read(&app, &token).await.expect(200);
    let first = last_use().await;
    assert_ne!(first, Value::Null);
    app.advance(59);
    read(&app, &token).await.expect(200);
    assert_eq!(last_use().await, first);
    app.advance(1);
    read(&app, &token).await.expect(200);
    assert_ne!(last_use().await, first);
}

/// The log says of a request with a valid session cookie nothing about a missing header.
#[tokio::test]
async fn a_session_that_is_valid_is_not_logged_as_a_missing_credential() {
    routers::on(RouterKind::Browser, async {
        let (app, tokens) = with_user().await;
        let log = OfThisThread::record_at(Level::DEBUG);
        app.get("/api/either").bearer(&tokens.access).await.expect(200);
        assert_eq!(log.lines_with("no valid credential"), 0, "{:?}", log.lines());
        app.get("/api/either").await.refused(401, "unauthenticated");
        assert_eq!(log.lines_with("no valid credential"), 1, "{:?}", log.lines());
        as_program(app.get("/api/either"), "pat_x").await.refused(401, "invalid_api_token");
        assert_eq!(log.lines_with("no valid credential"), 2, "{:?}", log.lines());
    })
    .await;
}

/// The limit is one of failures, and what is valid is neither counted nor refused.
#[tokio::test]
async fn only_what_is_invalid_is_counted_and_refused() {
    let mut limits = RateLimits::all(RateLimit::per_seconds(10_000, 60));
    limits.api_token_client = RateLimit::per_seconds(3, 60);
    let app = App::with_everything_and(|config| config.limits(limits), |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let token = token(&app, &tokens, &["demo:read"]).await;
    let short = json!({ "name": "Short", "scopes": ["demo:read"], "expiresIn": 1 });
    let expired = text(&create(&app, &tokens, short).await.expect(201));
    app.advance(1);
    for _ in 0..20 {
        read(&app, &token).await.expect(200);
    }
    for wrong in [&*expired, "nonsense", &tokens.access] {
        read(&app, wrong).await.refused(401, "invalid_api_token");
    }
    for _ in 0..3 {
        let refused = read(&app, &expired).await.refused(429, "too_many_attempts");
        assert!(refused.headers.contains_key("retry-after"));
        read(&app, &token).await.expect(200);
    }
    // A program behind another address has its own counter, and a missing scope is no failure.
    as_program(app.get("/api/read").from("192.0.2.77"), &expired).await.refused(401, "invalid_api_token");
    as_program(app.post("/api/write"), &token).await.refused(403, "insufficient_scope");
    app.advance(60);
    read(&app, &expired).await.refused(401, "invalid_api_token");
}

/// A host may switch the feature off at start-up.
#[tokio::test]
async fn without_the_feature_no_api_token_is_valid() {
    let (_, _, token) = with_token().await;
    let others = FeatureSet::all().difference([Feature::API_TOKENS].into());
    let app = App::with_everything_and(unlimited, |module| module.enabled(others).unwrap()).await;
    let tokens = app.register(EMAIL).await;
    app.get("/api/read").await.refused(401, "unauthenticated");
    read(&app, &token).await.refused(401, "invalid_api_token");
    as_program(app.get("/api/either"), &token).await.refused(401, "invalid_api_token");
    app.get("/api/either").bearer(&tokens.access).await.expect(200);
}

#[tokio::test]
async fn a_token_with_the_prefix_of_before_is_refused() {
    let mut options = ApiTokenOptions::default();
    "acme_pat".clone_into(&mut options.prefix);
    let (_, _, before) = with_token().await;
    let app = App::with_everything_and(|config| unlimited(config).api_tokens(options), |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let token = token(&app, &tokens, &["demo:read"]).await;
    assert!(token.starts_with("acme_pat_") && works(&app, &token).await, "{token}");
    read(&app, &before).await.refused(401, "invalid_api_token");
    as_program(app.get("/api/either"), &before).await.refused(401, "unauthenticated");
}

#[tokio::test]
async fn a_token_that_is_revoked_while_a_body_arrives_does_nothing() {
    let (app, tokens) = with_user().await;
    let token = token(&app, &tokens, &["demo:write"]).await;
    let body = json!("a note");
    let Held::Waits(held) = HeldBack::begin(&app, "POST", "/api/note", &token, &body).await else {
        panic!("the host answers before the body is there");
    };
    let id = app.users.by_email(EMAIL).unwrap().id;
    assert_eq!(app.auth.admin().revoke_api_tokens(&id).await.unwrap(), 1);
    assert_eq!(held.finish().await, (401, "invalid_api_token".to_owned()));
}

/// With DELETE_ACCOUNTS the third read is that of a pending deletion.
#[tokio::test]
async fn a_valid_token_costs_its_reads_alone_and_a_typing_error_none() {
    let faults = Faults::new();
    let app = Place::memory().start_faulty(&faults, unlimited).await;
    let tokens = user(&app, EMAIL).await;
    let token = token(&app, &tokens, &["demo:read"]).await;
    read(&app, &token).await.expect(200);
    app.auth.background_work_finished().await;
    let calls = async |token: &str, status: u16| {
        let before = faults.calls().len();
        read(&app, token).await.expect(status);
        app.auth.background_work_finished().await;
        faults.calls().split_off(before)
    };
    assert_eq!(calls(&token, 200).await, [M::ApiTokensFindById, M::UsersFindById, M::DeletionsFind]);
    app.advance(60);
    let with_use = calls(&token, 200).await;
    let expected = [M::ApiTokensFindById, M::UsersFindById, M::DeletionsFind, M::ApiTokensRecordUse];
    assert_eq!(with_use, expected);
    let wrong = calls(&format!("{}aaa", &token[..62]), 401).await;
    assert!(!wrong.contains(&M::ApiTokensFindById), "a typing error costs no read: {wrong:?}");
}
