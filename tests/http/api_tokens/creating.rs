//! Creating, listing and revoking.

use super::{NAME, PATH, as_program, create, list, read, text, token, with_token, with_user, works};
use crate::change_emails::{unlimited, verified};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::config::ApiTokenOptions;
use axum_auth_module::events::EventKind;
use axum_auth_module::services::ApiTokensService;
use serde_json::{Value, json};
use std::time::Duration;

on_both_routers![
    a_new_token_is_shown_once_and_works,
    the_list_has_all_but_the_secret_and_what_has_expired,
    scopes_count_once_and_have_the_order_of_the_host,
    every_wrong_field_is_said_at_once,
    a_name_has_1_to_64_characters,
    a_lifetime_is_in_whole_seconds_up_to_the_longest,
    without_a_lifetime_it_is_the_options,
    it_needs_a_recent_confirmation,
    an_unverified_address_is_said_before_the_confirmation,
    a_user_has_at_most_50_that_have_not_expired,
    eleven_an_hour_are_too_many,
    a_revoked_token_ends_at_once,
    a_token_of_somebody_else_is_not_found,
    what_is_created_and_revoked_is_an_event,
];

const DAY: u64 = 24 * 60 * 60;

fn new(scopes: &[&str]) -> Value {
    json!({ "name": NAME, "scopes": scopes })
}

async fn a_new_token_is_shown_once_and_works() {
    let (app, tokens) = with_user().await;
    let created = create(&app, &tokens, new(&["demo:read"])).await.expect(201);
    let token = text(&created);
    // `pat_`, 12 characters of the id, 43 of the secret and 6 of the checksum.
    assert!(token.len() == 65 && token[4..].bytes().all(|byte| byte.is_ascii_alphanumeric()), "{token}");
    assert!(token.starts_with(&format!("pat_{}", created.body["id"].as_str().unwrap())), "{token}");
    assert_eq!(created.body["lastFour"], token[61..]);
    assert_eq!(read(&app, &token).await.expect(200).text, format!("{EMAIL} for {NAME}"));
    let listed = app.get(PATH).bearer(&tokens.access).await.expect(200);
    assert!(!listed.text.contains(&token[16..]), "{}", listed.text);
}

async fn the_list_has_all_but_the_secret_and_what_has_expired() {
    let (app, tokens) = with_user().await;
    let mut first = create(&app, &tokens, new(&["demo:read"])).await.expect(201).body;
    app.advance(1);
    let short = json!({ "name": "Short", "scopes": ["demo:read"], "expiresIn": 60 });
    let mut short = create(&app, &tokens, short).await.expect(201).body;
    for created in [&mut first, &mut short] {
        created.as_object_mut().unwrap().remove("token").unwrap();
        assert_eq!(created["lastUsedAt"], Value::Null);
    }
    assert_eq!(list(&app, &tokens).await, [first.clone(), short]);
    app.advance(59);
    assert_eq!(list(&app, &tokens).await.len(), 2);
    app.advance(1);
    assert_eq!(list(&app, &tokens).await, [first]);
}

async fn scopes_count_once_and_have_the_order_of_the_host() {
    let (app, tokens) = with_user().await;
    let scopes = ["demo:write", "demo:read", "demo:write"];
    let created = create(&app, &tokens, new(&scopes)).await.expect(201);
    assert_eq!(created.body["scopes"], json!(["demo:read", "demo:write"]));
}

async fn every_wrong_field_is_said_at_once() {
    let (app, tokens) = with_user().await;
    for (body, codes) in [
        (json!({}), [("name", "required"), ("scopes", "required")].as_slice()),
        (json!({ "name": NAME, "scopes": [] }), &[("scopes", "required")]),
        (json!({ "name": NAME, "scopes": null }), &[("scopes", "required")]),
        (json!({ "name": NAME, "scopes": "demo:read" }), &[("scopes", "wrong_type")]),
        (json!({ "name": NAME, "scopes": ["demo:read", 1] }), &[("scopes", "wrong_type")]),
        (json!({ "name": NAME, "scopes": ["demo:read", "demo:reads"] }), &[("scopes", "invalid")]),
        (json!({ "name": NAME, "scopes": ["Demo:read"] }), &[("scopes", "invalid")]),
        (json!({ "name": NAME, "scopes": ["demo:read "] }), &[("scopes", "invalid")]),
        (
            json!({ "name": 7, "scopes": {}, "expiresIn": "60" }),
            &[("name", "wrong_type"), ("scopes", "wrong_type"), ("expiresIn", "wrong_type")],
        ),
        (
            json!({ "name": " ", "scopes": ["?"], "expiresIn": 0 }),
            &[("name", "required"), ("scopes", "invalid"), ("expiresIn", "invalid")],
        ),
    ] {
        let answer = create(&app, &tokens, body.clone()).await.refused(422, "validation_failed");
        let errors = answer.body["errors"].as_array().unwrap();
        let errors: Vec<_> = errors
            .iter()
            .map(|error| (error["field"].as_str().unwrap(), error["code"].as_str().unwrap()))
            .collect();
        assert_eq!(errors, codes, "{body}");
    }
    assert_eq!(list(&app, &tokens).await, Vec::<Value>::new());
}

async fn a_name_has_1_to_64_characters() {
    let (app, tokens) = with_user().await;
    for name in ["a", " Nightly backup ", &"\u{1f511}".repeat(64)] {
        let body = json!({ "name": name, "scopes": ["demo:read"] });
        assert_eq!(create(&app, &tokens, body).await.expect(201).body["name"], name.trim());
    }
    for (name, code) in [("", "required"), (&"a".repeat(65), "too_long"), ("a\u{202e}b", "invalid")] {
        let body = json!({ "name": name, "scopes": ["demo:read"] });
        let answer = create(&app, &tokens, body).await.refused(422, "validation_failed");
        assert_eq!(answer.body["errors"][0]["code"], code, "{name:?}");
    }
}

async fn a_lifetime_is_in_whole_seconds_up_to_the_longest() {
    let (app, tokens) = with_user().await;
    let with = |seconds: Value| json!({ "name": NAME, "scopes": ["demo:read"], "expiresIn": seconds });
    for seconds in [1, 366 * DAY] {
        create(&app, &tokens, with(seconds.into())).await.expect(201);
    }
    for wrong in [json!(0), json!(-1), json!(1.5), json!(366 * DAY + 1), json!(u64::MAX), json!(1e300)] {
        let answer = create(&app, &tokens, with(wrong.clone())).await.refused(422, "validation_failed");
        assert_eq!(answer.body["errors"][0]["code"], "invalid", "{wrong}");
        assert_eq!(answer.body["errors"][0]["field"], "expiresIn", "{wrong}");
    }
}

async fn without_a_lifetime_it_is_the_options() {
    let (app, tokens) = with_user().await;
    let token = token(&app, &tokens, &["demo:read"]).await;
    app.advance(90 * DAY - 1);
    assert!(works(&app, &token).await);
    app.advance(1);
    assert!(!works(&app, &token).await, "it has expired after 90 days");

    let mut options = ApiTokenOptions::default();
    (options.lifetime, options.max_lifetime) = (Duration::from_secs(60), Duration::from_secs(120));
    "acme".clone_into(&mut options.prefix);
    let app = App::with_everything_and(|config| unlimited(config).api_tokens(options), |module| module).await;
    let tokens = verified(&app, EMAIL).await;
    let token = super::token(&app, &tokens, &["demo:read"]).await;
    assert!(token.starts_with("acme_"), "{token}");
    let long = json!({ "name": NAME, "scopes": ["demo:read"], "expiresIn": 121 });
    create(&app, &tokens, long).await.refused(422, "validation_failed");
    app.advance(59);
    assert!(works(&app, &token).await);
    app.advance(1);
    assert!(!works(&app, &token).await);
}

async fn it_needs_a_recent_confirmation() {
    let (app, _) = with_user().await;
    app.advance(1000);
    let tokens = app.login(EMAIL).await;
    app.advance(1000);
    let tokens = app.renew(&tokens).await;
    create(&app, &tokens, new(&["demo:read"])).await.refused(403, "password_confirmation_required");
    assert_eq!(list(&app, &tokens).await, Vec::<Value>::new(), "the list needs none");
    app.confirm_password(&tokens.access).await;
    create(&app, &tokens, new(&["demo:read"])).await.expect(201);
}

async fn an_unverified_address_is_said_before_the_confirmation() {
    let app = App::with_everything_and(unlimited, |module| module).await;
    let tokens = app.register(EMAIL).await;
    app.advance(1000);
    let tokens = app.renew(&tokens).await;
    create(&app, &tokens, json!({})).await.refused(403, "email_not_verified");
    app.verify_address(EMAIL);
    create(&app, &tokens, json!({})).await.refused(403, "password_confirmation_required");
    // The service of a host checks in this order, too.
    let service = app.auth.service::<ApiTokensService>().unwrap();
    let new = service.checked(NAME, &["demo:read"], None).unwrap();
    if !app.is_for_browsers() {
        let who = app.auth.authenticate(&tokens.access).await.unwrap();
        app.users.update(EMAIL, |user| user.email_verified_at = None);
        let stale = app.auth.authenticate(&tokens.access).await.unwrap();
        let error = service.create(&stale, new.clone(), Default::default()).await.unwrap_err();
        assert_eq!(error.code().as_str(), "email_not_verified");
        let error = service.create(&who, new, Default::default()).await.unwrap_err();
        assert_eq!(error.code().as_str(), "password_confirmation_required");
    }
}

async fn a_user_has_at_most_50_that_have_not_expired() {
    let (app, tokens) = with_user().await;
    let short = json!({ "name": "Short", "scopes": ["demo:read"], "expiresIn": 60 });
    create(&app, &tokens, short).await.expect(201);
    for _ in 1..50 {
        create(&app, &tokens, new(&["demo:read"])).await.expect(201);
    }
    create(&app, &tokens, new(&["demo:read"])).await.refused(409, "limit_reached");
    app.advance(60);
    create(&app, &tokens, new(&["demo:read"])).await.expect(201);
    create(&app, &tokens, new(&["demo:read"])).await.refused(409, "limit_reached");
    let id = list(&app, &tokens).await[0]["id"].as_str().unwrap().to_owned();
    app.delete(&format!("{PATH}/{id}")).bearer(&tokens.access).await.expect(200);
    create(&app, &tokens, new(&["demo:read"])).await.expect(201);
}

async fn eleven_an_hour_are_too_many() {
    let app = App::with_everything().await;
    let tokens = verified(&app, EMAIL).await;
    // What is refused for its fields does not count.
    create(&app, &tokens, json!({})).await.refused(422, "validation_failed");
    for _ in 0..10 {
        create(&app, &tokens, new(&["demo:read"])).await.expect(201);
    }
    create(&app, &tokens, new(&["demo:read"])).await.refused(429, "too_many_attempts");
    assert_eq!(list(&app, &tokens).await.len(), 10);
}

async fn a_revoked_token_ends_at_once() {
    let (app, tokens, revoked) = with_token().await;
    let id = list(&app, &tokens).await[0]["id"].as_str().unwrap().to_owned();
    let other = token(&app, &tokens, &["demo:read"]).await;
    // A session is enough, without a recent confirmation: a token that has leaked is revoked in a hurry.
    app.advance(1000);
    let tokens = app.renew(&tokens).await;
    let answer = app.delete(&format!("{PATH}/{id}")).bearer(&tokens.access).await.expect(200);
    assert_eq!(answer.body["message"], "The API token has been revoked.");
    assert!(!works(&app, &revoked).await && works(&app, &other).await);
    app.delete(&format!("{PATH}/{id}")).bearer(&tokens.access).await.refused(404, "not_found");
}

async fn a_token_of_somebody_else_is_not_found() {
    let (app, tokens, hers) = with_token().await;
    let id = list(&app, &tokens).await[0]["id"].as_str().unwrap().to_owned();
    let eve = verified(&app, "eve@example.com").await;
    for id in [&*id, &id.to_lowercase(), "", "%", "4fQz0aB7xK2m", &hers] {
        app.delete(&format!("{PATH}/{id}")).bearer(&eve.access).await.refused(404, "not_found");
    }
    assert_eq!(list(&app, &eve).await, Vec::<Value>::new());
    assert!(works(&app, &hers).await);
}

async fn what_is_created_and_revoked_is_an_event() {
    let (app, tokens) = with_user().await;
    let created = create(&app, &tokens, new(&["demo:read"])).await.expect(201);
    let id = created.body["id"].as_str().unwrap().to_owned();
    let next = async || loop {
        let event = app.event().await;
        if event.name().starts_with("auth.api-token") {
            break event;
        }
    };
    assert_eq!(next().await.kind, EventKind::ApiTokenCreated { token_id: id.clone() });
    app.delete(&format!("{PATH}/{id}")).bearer(&tokens.access).await.expect(200);
    let event = next().await;
    assert_eq!(event.kind, EventKind::ApiTokenRevoked { token_id: id });
    assert_eq!(event.user_id, Some(app.users.by_email(EMAIL).unwrap().id.to_string()));
}

/// The password and its change leave the tokens, as the end of sessions does.
#[tokio::test]
async fn a_changed_password_and_the_end_of_sessions_leave_tokens() {
    let (app, tokens, token) = with_token().await;
    let body = json!({
        "currentPassword": PASSWORD, "password": "another long password",
        "passwordConfirmation": "another long password",
    });
    app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200);
    let id = app.users.by_email(EMAIL).unwrap().id;
    app.auth.admin().end_all_sessions(&id).await.unwrap();
    assert!(works(&app, &token).await);
    as_program(app.post("/api/write"), &token).await.refused(403, "insufficient_scope");
}
