//! What an impersonated session is: an hour that is none of the user's own sessions.

use super::{ACTOR, REASON, SupportDesk, id, impersonate, impersonated};
use crate::change_emails::{unlimited, verified};
use crate::security_notices::notices;
use crate::support::databases::Kind;
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, Tokens, forge};
use axum_auth_module::config::SessionOptions;
use axum_auth_module::delivery::SecurityNoticeKind;
use axum_auth_module::events::{Actor, EventKind};
use serde_json::{Value, json};

on_both_routers![
    it_lasts_for_an_hour_and_no_refresh_prolongs_it,
    a_shorter_session_lifetime_counts,
    the_tokens_say_who_acts,
    the_user_sees_it_and_no_client,
    it_does_not_count_towards_the_most_sessions,
    no_client_and_no_user_agent_becomes_known_by_it,
    it_leaves_a_trail,
    the_user_is_told,
    a_name_that_is_longer_than_a_column_is_refused,
];

in_every_place![it_is_one_on_every_instance_and_after_a_restart];

async fn it_lasts_for_an_hour_and_no_refresh_prolongs_it() {
    let (app, own, acting) = impersonated().await;
    app.advance(1800);
    let renewed = app.renew(&acting).await;
    app.advance(1799);
    let renewed = app.renew(&renewed).await;
    app.me(&renewed.access).await.expect(200);
    app.advance(1);
    app.is_over(&renewed).await;
    app.is_over(&acting).await;
    app.me(&app.renew(&own).await.access).await.expect(200);
}

async fn a_shorter_session_lifetime_counts() {
    let app = App::with_everything_and(
        |config| {
            let lifetime = std::time::Duration::from_secs(600);
            let config = config.access_token_lifetime(lifetime / 2).refresh_token_lifetime(lifetime);
            config.session_lifetime(lifetime)
        },
        |module| module.policy(SupportDesk),
    )
    .await;
    app.register(EMAIL).await;
    let acting = impersonate(&app, id(&app)).await;
    if app.is_for_browsers() {
        return;
    }
    app.advance(599);
    app.me(&app.renew(&acting).await.access).await.expect(200);
    app.advance(1);
    app.is_over(&acting).await;
}

/// RFC 8693 §4.1.
async fn the_tokens_say_who_acts() {
    let (app, own, acting) = impersonated().await;
    for token in [&acting.access, &acting.refresh].into_iter().filter(|token| !token.is_empty()) {
        let claims = forge::claims(token);
        assert_eq!(claims["act"], json!({ "sub": ACTOR }));
        let seconds = claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap();
        assert!(seconds <= 3600, "{seconds}");
    }
    assert!(forge::claims(&own.access).get("act").is_none());
    // The row decides, so a token without the claim is no session of the user.
    assert_eq!(app.get("/actor").bearer(&acting.access).await.text, ACTOR);
}

async fn listed(app: &App, tokens: &Tokens) -> Vec<Value> {
    let listed = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    listed.body["sessions"].as_array().unwrap().clone()
}

async fn the_user_sees_it_and_no_client() {
    let (app, own, acting) = impersonated().await;
    // Its uses are recorded without the client, too.
    app.advance(600);
    app.get("/me").bearer(&acting.access).header("user-agent", "Desk/1.0").await.expect(200);
    app.auth.background_work_finished().await;
    let own = app.renew(&own).await;
    let sessions = listed(&app, &own).await;
    let actors: Vec<_> = sessions.iter().map(|session| session["actor"].clone()).collect();
    assert_eq!(actors, [Value::Null, json!({ "sub": ACTOR })]);
    let its = &sessions[1];
    assert_eq!((&its["client"], &its["userAgent"]), (&Value::Null, &Value::Null));
    assert_eq!(its["authenticatedBy"], json!([]));
    assert_ne!(its["lastUsedAt"], its["createdAt"]);
    let sessions = app.auth.admin().sessions_of(&id(&app)).await.unwrap();
    assert!(sessions.iter().any(|session| session.actor.as_deref() == Some(ACTOR)));
    let exported = app.auth.admin().export(&id(&app)).await.unwrap();
    assert!(exported["sessions"].as_array().unwrap().iter().any(|session| session["actor"] == ACTOR));
}

async fn it_does_not_count_towards_the_most_sessions() {
    let mut options = SessionOptions::default();
    options.max_per_user = 2;
    let app = App::with_everything_and(
        move |config| unlimited(config).sessions(options),
        |module| module.policy(SupportDesk),
    )
    .await;
    let first = app.register(EMAIL).await;
    app.advance(1);
    let acting = [impersonate(&app, id(&app)).await, impersonate(&app, id(&app)).await];
    app.advance(1);
    let second = app.login(EMAIL).await;
    for tokens in [&first, &second].into_iter().chain(&acting) {
        app.me(&tokens.access).await.expect(200);
    }
    app.advance(1);
    let third = app.login(EMAIL).await;
    app.is_over(&first).await;
    for tokens in [&second, &third].into_iter().chain(&acting) {
        app.me(&tokens.access).await.expect(200);
    }
}

/// A sign-in with the administrator's browser is as new to the account as before.
async fn no_client_and_no_user_agent_becomes_known_by_it() {
    let place = Place::database(Kind::Sqlite).await.unwrap();
    let app = place.start_with(unlimited).await;
    let user = verified(&app, EMAIL).await;
    let owner = place.user(EMAIL).await;
    let acting = impersonate(&app, owner.id).await;
    app.advance(600);
    let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
    let used = app.get("/me").bearer(&acting.access).header("user-agent", agent).from("192.0.2.77");
    used.await.expect(200);
    notices(&app).await;
    let body = json!({ "email": EMAIL, "password": crate::support::PASSWORD });
    let login = app.post("/auth/login").json(&body).header("user-agent", agent).from("192.0.2.77");
    login.await.expect(200);
    let told: Vec<_> = notices(&app).await.iter().map(|notice| notice.kind).collect();
    assert_eq!(told, [SecurityNoticeKind::NewSignIn]);
    app.renew(&user).await;
}

async fn it_leaves_a_trail() {
    let app = super::host().await;
    app.register(EMAIL).await;
    app.event().await;
    let acting = impersonate(&app, id(&app)).await;
    let started = app.event().await;
    let sessions = app.auth.admin().sessions_of(&id(&app)).await.unwrap();
    let its = sessions.into_iter().find(|session| session.actor.is_some()).unwrap().id;
    let expected = EventKind::ImpersonationStarted {
        session_id: its.clone(),
        actor: ACTOR.to_owned(),
        reason: REASON.to_owned(),
    };
    assert_eq!((started.kind, started.by, started.client), (expected, Actor::Administrator, None));
    assert_eq!(started.user_id, Some(id(&app).to_string()));
    app.post("/auth/logout").bearer(&acting.access).await.expect(200);
    assert_eq!(app.event().await.kind, EventKind::Logout { session_id: its.clone() });
    let ended = EventKind::ImpersonationEnded { session_id: its, actor: ACTOR.to_owned() };
    assert_eq!(app.event().await.kind, ended);
}

async fn the_user_is_told() {
    let app = super::host().await;
    verified(&app, EMAIL).await;
    notices(&app).await;
    impersonate(&app, id(&app)).await;
    let told = notices(&app).await;
    assert_eq!(told.len(), 1);
    let notice = &told[0];
    assert_eq!((notice.kind, notice.client), (SecurityNoticeKind::Impersonated, None));
    assert!(notice.user_agent.is_none() && notice.token.is_none(), "the host has allowed it");
}

async fn a_name_that_is_longer_than_a_column_is_refused() {
    let app = super::host().await;
    app.register(EMAIL).await;
    let admin = app.auth.admin();
    let long = |length| "ö".repeat(length);
    for (actor, reason, expected) in [
        ("", "", &["actor: required", "reason: required"][..]),
        (" \t", " ", &["actor: required", "reason: required"]),
        (&long(101), &long(201), &["actor: too_long", "reason: too_long"]),
        ("a\nb", "a\u{0}b", &["actor: invalid", "reason: invalid"]),
        (ACTOR, "", &["reason: required"]),
    ] {
        let refused = admin.impersonate(actor, &id(&app), reason).await.err();
        let Some(axum_auth_module::AuthError::ValidationFailed(errors)) = refused else {
            panic!("{actor} {reason}: {refused:?}");
        };
        let found: Vec<_> = errors.iter().map(|error| format!("{}: {}", error.field, error.code)).collect();
        assert_eq!(found, expected, "{actor} {reason}");
    }
    assert!(admin.impersonate(ACTOR, &id(&app), &long(200)).await.is_ok());
}

async fn it_is_one_on_every_instance_and_after_a_restart(place: &Place) {
    let first = place.start_with(unlimited).await;
    let second = place.start_with(unlimited).await;
    first.register(EMAIL).await;
    let acting = impersonate(&first, place.user(EMAIL).await.id).await;
    for app in [&second, &place.start_with(unlimited).await, &first] {
        assert_eq!(app.get("/actor").bearer(&acting.access).await.expect(200).text, ACTOR);
        app.get("/confirmed").bearer(&acting.access).await.refused(403, "not_while_impersonating");
    }
    second.post("/auth/logout").bearer(&acting.access).await.expect(200);
    for app in [&first, &second, &place.start_with(unlimited).await] {
        app.is_over(&acting).await;
    }
}
