//! The list of a user's sessions, and what ends them.

mod clients;
mod clocks;
mod golden;
mod interrupted;
mod many;
mod races;
mod realms;
mod restarts;
mod rows;
mod tampered;

use crate::every_route::features_off::service_is_there_only_with;
use crate::support::answer::Answer;
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, Tokens, forge};
use axum_auth_module::events::{Actor, Event, EventKind, SessionEnd};
use axum_auth_module::feature::Feature;
use axum_auth_module::services::SessionListService;
use serde_json::{Value, json};

on_both_routers![
    a_user_sees_their_sessions_the_current_one_first_and_then_by_their_last_use,
    a_session_says_that_it_began_with_a_second_factor,
    a_user_ends_one_session_or_all_others,
    ending_the_current_session_is_a_logout,
    ending_a_session_requires_a_confirmed_password,
    a_host_can_do_without_the_confirmation,
    an_administrator_ends_sessions,
    sessions_that_end_with_a_suspension_stay_ended,
    an_administrator_verifies_an_address_and_unlocks_an_account,
    a_change_of_the_password_says_which_sessions_it_ends,
];
in_every_place![on_both_routers: sessions_of_others_cannot_be_told_from_those_that_do_not_exist];

const PATH: &str = "/auth/user/sessions";

fn session_id(tokens: &Tokens) -> String {
    forge::claims(&tokens.access)["sid"].as_str().unwrap().to_owned()
}

async fn list(app: &App, tokens: &Tokens) -> Vec<Value> {
    let response = app.get(PATH).bearer(&tokens.access).await.expect(200);
    assert_eq!(response.members(), ["sessions"]);
    response.body["sessions"].as_array().unwrap().clone()
}

async fn end(app: &App, tokens: &Tokens, id: &str) -> Answer {
    app.delete(&format!("{PATH}/{id}")).bearer(&tokens.access).await
}

/// The next event of an ended session.
async fn ended(app: &App) -> Event {
    loop {
        let event = app.event().await;
        if matches!(event.kind, EventKind::SessionEnded { .. }) {
            return event;
        }
    }
}

fn reason(event: &Event) -> (&str, SessionEnd) {
    match &event.kind {
        EventKind::SessionEnded { session_id, reason } => (session_id, *reason),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn its_service_is_there_only_with_the_feature() {
    service_is_there_only_with::<SessionListService>(Feature::Sessions).await;
}

async fn a_user_sees_their_sessions_the_current_one_first_and_then_by_their_last_use() {
    let app = App::with_everything().await;
    let first = app.register(EMAIL).await;
    app.advance(10);
    let second = app.login_call(EMAIL, PASSWORD).header("user-agent", "A phone").await.expect(200).tokens();
    app.advance(10);
    let third = app.login_call(EMAIL, PASSWORD).from("2001:db8::7").await.expect(200).tokens();

    let sessions = list(&app, &second).await;
    let ids: Vec<_> = sessions.iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, [session_id(&second), session_id(&third), session_id(&first)]);
    let current: Vec<_> = sessions.iter().map(|session| session["current"].as_bool().unwrap()).collect();
    assert_eq!(current, [true, false, false]);

    let mut session = sessions[0].clone();
    let times: Vec<_> = ["createdAt", "lastUsedAt", "expiresAt"]
        .map(|member| session.as_object_mut().unwrap().remove(member).unwrap().as_str().unwrap().to_owned())
        .to_vec();
    assert!(times.iter().all(|time| time.len() == 20 && time.ends_with('Z')), "{times:?}");
    assert_eq!(times[0], times[1]);
    assert_eq!(
        session,
        json!({
            "id": session_id(&second), "current": true, "kind": app.session_kind(), "client": "192.0.2.1",
            "userAgent": "A phone", "authenticatedBy": ["pwd"], "remembered": false,
            "actor": null,
        })
    );
    assert_eq!(sessions[1]["client"], "2001:db8::7");
}

async fn a_session_says_that_it_began_with_a_second_factor() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    let codes = app.recovery_codes(&enrolled.tokens.access).await;
    app.next_step();
    let token = app.challenge_token(EMAIL).await;
    let by_code = app.challenge(&token, &enrolled.authenticator.code(&app)).await.expect(200).tokens();
    let token = app.challenge_token(EMAIL).await;
    let by_recovery = app.challenge_by_recovery_code(&token, &codes[0]).await.expect(200).tokens();
    for (tokens, methods) in [(by_code, ["pwd", "otp", "mfa"]), (by_recovery, ["pwd", "rec", "mfa"])] {
        assert_eq!(list(&app, &tokens).await[0]["authenticatedBy"], json!(methods));
    }
}

async fn a_user_ends_one_session_or_all_others() {
    let app = App::with_everything().await;
    let own = app.confirmed_session(EMAIL).await;
    let (second, third, fourth) = (app.login(EMAIL).await, app.login(EMAIL).await, app.login(EMAIL).await);
    let response = end(&app, &own, &session_id(&second)).await.expect(200);
    assert_eq!(response.members(), ["message"]);
    app.is_over(&second).await;
    let event = ended(&app).await;
    assert_eq!(reason(&event), (&*session_id(&second), SessionEnd::Revoked));
    assert_eq!((event.by, event.user_id.as_deref()), (Actor::Client, Some("1")));

    let response = app.delete(PATH).bearer(&own.access).await.expect(200);
    assert_eq!(response.body["ended"], 2);
    assert_eq!(reason(&ended(&app).await).1, SessionEnd::OthersRevoked);
    for tokens in [&third, &fourth] {
        app.is_over(tokens).await;
    }
    app.me(&own.access).await.expect(200);
    assert_eq!(app.delete(PATH).bearer(&own.access).await.expect(200).body["ended"], 0);
}

async fn ending_the_current_session_is_a_logout() {
    let app = App::with_everything().await;
    let own = app.confirmed_session(EMAIL).await;
    end(&app, &own, &session_id(&own)).await.expect(200);
    app.is_over(&own).await;
    assert_eq!(app.event_names().await, ["auth.registered", "auth.logout"]);
}

async fn ending_a_session_requires_a_confirmed_password() {
    let app = App::with_everything().await;
    let (own, other) = (app.register(EMAIL).await, app.login(EMAIL).await);
    for response in [end(&app, &own, &session_id(&other)).await, app.delete(PATH).bearer(&own.access).await] {
        response.refused(403, "password_confirmation_required");
    }
    app.me(&other.access).await.expect(200);
}

async fn a_host_can_do_without_the_confirmation() {
    let mut options = axum_auth_module::config::SessionOptions::default();
    options.confirm_password = false;
    let app = App::with_everything_and(|config| config.sessions(options), |module| module).await;
    let (own, other) = (app.register(EMAIL).await, app.login(EMAIL).await);
    end(&app, &own, &session_id(&other)).await.expect(200);
    app.is_over(&other).await;
}

async fn sessions_of_others_cannot_be_told_from_those_that_do_not_exist(place: &Place) {
    let app = place.start().await;
    let own = app.confirmed_session(EMAIL).await;
    let stranger = app.register("grace@example.com").await;
    let ended = app.login(EMAIL).await;
    app.post("/auth/logout").bearer(&ended.access).await.expect(200);
    let long = "x".repeat(5000);
    let like_an_id = "%00".repeat(22);
    let known = [session_id(&stranger), session_id(&ended)];
    let unknown = ["x", "%00", "%FF", "..%2F", "%F0%9F%A6%80", &long, &like_an_id].map(str::to_owned);
    let mut bodies = Vec::new();
    for id in known.into_iter().chain(unknown) {
        bodies.push(end(&app, &own, &id).await.refused(404, "not_found").text);
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    app.me(&stranger.access).await.expect(200);
    assert_eq!(list(&app, &own).await.len(), 1);
}

async fn an_administrator_ends_sessions() {
    let app = App::with_everything().await;
    let (one, two) = (app.register(EMAIL).await, app.login(EMAIL).await);
    let other = app.register("grace@example.com").await;
    let admin = app.auth.admin();
    let listed = admin.sessions_of(&1).await.unwrap();
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|session| !session.current));

    assert!(admin.end_session(&session_id(&one)).await.unwrap());
    assert!(!admin.end_session(&session_id(&one)).await.unwrap());
    app.is_over(&one).await;
    let event = ended(&app).await;
    assert_eq!((reason(&event).1, event.by), (SessionEnd::Administrator, Actor::Administrator));

    assert_eq!(admin.end_all_sessions(&1).await.unwrap(), 1);
    app.is_over(&two).await;
    assert_eq!(reason(&ended(&app).await), (&*session_id(&two), SessionEnd::Administrator));
    app.me(&other.access).await.expect(200);
    assert_eq!(admin.end_everybodys_sessions().await.unwrap(), 1);
    app.is_over(&other).await;
}

/// A host that suspends an account ends its sessions, and they stay ended when the account is active again (ASVS 7.4.2).
async fn sessions_that_end_with_a_suspension_stay_ended() {
    let app = App::with_everything().await;
    let suspended = app.register(EMAIL).await;
    app.users.update(EMAIL, |user| user.active = false);
    assert_eq!(app.auth.admin().end_all_sessions(&1).await.unwrap(), 1);
    app.is_over(&suspended).await;
    app.users.update(EMAIL, |user| user.active = true);
    app.is_over(&suspended).await;
    app.login(EMAIL).await;
}

async fn an_administrator_verifies_an_address_and_unlocks_an_account() {
    let app = App::with_everything().await;
    app.register(EMAIL).await;
    app.auth.admin().verify_email(&1).await.unwrap();
    assert!(app.users.by_email(EMAIL).unwrap().email_verified_at.is_some());
    for _ in 0..10 {
        // Each from another client, so that only the account is locked.
        app.login_call(EMAIL, "wrong").from(&format!("198.51.100.{}", app.users.all().len())).await;
    }
    app.auth.admin().unlock(&1).await.unwrap();
    app.login_call(EMAIL, PASSWORD).from("203.0.113.5").await.expect(200);
}

async fn a_change_of_the_password_says_which_sessions_it_ends() {
    let app = App::with_everything().await;
    let (own, other) = (app.register(EMAIL).await, app.login(EMAIL).await);
    let new = "a new password for all";
    let body = json!({ "currentPassword": PASSWORD, "password": new, "passwordConfirmation": new });
    app.put("/auth/user/password").bearer(&own.access).json(&body).await.expect(200);
    app.is_over(&other).await;
    let event = ended(&app).await;
    assert_eq!(reason(&event), (&*session_id(&other), SessionEnd::CredentialChange));
    assert_eq!(event.user_id.as_deref(), Some("1"));
}
