//! Listing trusted devices, and ending the trust (specification §9.65 to §9.67).

use super::{PATH, Trusted, forget, host, id, is_trusted, list, login_on, trust, trusted, with_device};
use crate::change_emails::unlimited;
use crate::support::routers::{DEVICE_COOKIE, on_both_routers};
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::config::SessionOptions;
use axum_auth_module::events::EventKind;
use reqwest::Method;
use serde_json::json;

on_both_routers![
    a_list_has_what_the_user_recognises_a_device_by,
    the_device_of_the_session_comes_first,
    one_is_forgotten_and_its_sessions_go_on,
    all_are_forgotten,
    only_own_devices_are_forgotten,
    forgetting_needs_a_recent_confirmation,
    a_device_is_no_session_of_the_list,
    it_does_not_count_as_a_session,
    the_end_of_other_sessions_leaves_it,
    a_logout_leaves_it,
    an_export_has_it,
];

async fn a_list_has_what_the_user_recognises_a_device_by() {
    let app = host().await;
    let enrolled = app.enrolled(EMAIL).await;
    let token = app.challenge_token(EMAIL).await;
    let call = super::trusting(&app, &token, &enrolled.authenticator.code(&app));
    let answer = call.header("user-agent", "Firefox on a phone").from("198.51.100.7").await.expect(200);
    let devices = list(&app, &answer.tokens()).await;
    let [device] = &devices[..] else { panic!("{devices:?}") };
    let members: Vec<_> = device.as_object().unwrap().keys().map(String::as_str).collect();
    let all = ["client", "createdAt", "current", "expiresAt", "id", "lastUsedAt", "userAgent"];
    assert_eq!(members, all);
    assert_eq!(
        (&device["client"], &device["userAgent"]),
        (&json!("198.51.100.7"), &json!("Firefox on a phone"))
    );
    assert_eq!((&device["current"], &device["createdAt"]), (&json!(true), &device["lastUsedAt"]));
    app.get(PATH).await.refused(401, "unauthenticated");
}

async fn the_device_of_the_session_comes_first() {
    let (app, Trusted { enrolled, device: first, tokens }) = with_device().await;
    let (second_tokens, second) = trust(&app, EMAIL, &enrolled.authenticator).await;
    app.advance(300);
    for (own, device) in [(&tokens, &first), (&second_tokens, &second)] {
        let began_on_it = login_on(&app, device, EMAIL).await.expect(200).tokens();
        app.auth.background_work_finished().await;
        for tokens in [own, &began_on_it] {
            let devices = list(&app, tokens).await;
            assert_eq!(devices.len(), 2);
            assert!(devices[0]["current"] == true && devices[1]["current"] == false);
            assert_eq!(id(&devices[0]), id(&list(&app, own).await[0]));
        }
    }
    // A session that did not begin on a device has none.
    let devices = list(&app, &enrolled.tokens).await;
    assert!(devices.iter().all(|device| device["current"] == false), "{devices:?}");
    assert_ne!(id(&devices[0]), id(&devices[1]));
}

async fn one_is_forgotten_and_its_sessions_go_on() {
    let (app, Trusted { enrolled, device, .. }) = with_device().await;
    let (tokens, other) = trust(&app, EMAIL, &enrolled.authenticator).await;
    let began_on_it = login_on(&app, &device, EMAIL).await.expect(200).tokens();
    let forgotten = id(&list(&app, &began_on_it).await[0]).to_owned();
    app.auth.background_work_finished().await;
    app.confirm_password(&tokens.access).await;
    let answer = forget(&app, &tokens, &forgotten).await.expect(200);
    assert_eq!(answer.members(), ["message"]);
    assert!(answer.set_cookies().is_empty(), "the browser's own device is another one");
    assert!(!is_trusted(&app, &device, EMAIL).await && is_trusted(&app, &other, EMAIL).await);
    app.me(&began_on_it.access).await.expect(200);
    forget(&app, &tokens, &forgotten).await.refused(404, "not_found");
    // The own device: its cookie is deleted.
    let own = id(&list(&app, &tokens).await[0]).to_owned();
    let answer = forget(&app, &tokens, &own).await.expect(200);
    let deleted: Vec<_> =
        answer.set_cookies().into_iter().map(|cookie| (cookie.is_expired(), cookie.name)).collect();
    let expected = app.is_for_browsers().then_some((true, DEVICE_COOKIE.to_owned()));
    assert_eq!(deleted, Vec::from_iter(expected));
    assert!(!is_trusted(&app, &other, EMAIL).await);
    let events = forgotten_of(&app).await;
    assert_eq!(events, [forgotten, own]);
}

/// The devices of the next two events about forgotten ones.
async fn forgotten_of(app: &App) -> [String; 2] {
    let mut ids = Vec::new();
    while ids.len() < 2 {
        if let EventKind::DeviceForgotten { device_id } = app.event().await.kind {
            ids.push(device_id);
        }
    }
    ids.try_into().unwrap()
}

async fn all_are_forgotten() {
    let (app, Trusted { enrolled, device, .. }) = with_device().await;
    let (tokens, other) = trust(&app, EMAIL, &enrolled.authenticator).await;
    let ids: Vec<_> = list(&app, &tokens).await.iter().map(|device| id(device).to_owned()).collect();
    app.confirm_password(&tokens.access).await;
    let answer = app.delete(PATH).bearer(&tokens.access).await.expect(200);
    assert_eq!((answer.members(), &answer.body["ended"]), (vec!["ended", "message"], &json!(2)));
    assert_eq!(answer.set_cookies().len(), usize::from(app.is_for_browsers()));
    for device in [&device, &other] {
        assert!(!is_trusted(&app, device, EMAIL).await);
    }
    let mut events = forgotten_of(&app).await.to_vec();
    events.sort();
    assert_eq!(events, {
        let mut ids = ids;
        ids.sort();
        ids
    });
    assert!(list(&app, &tokens).await.is_empty());
    let answer = app.delete(PATH).bearer(&tokens.access).await.expect(200);
    assert_eq!(answer.body["ended"], 0);
    app.me(&tokens.access).await.expect(200);
}

async fn only_own_devices_are_forgotten() {
    let app = host().await;
    let ada = trusted(&app, EMAIL).await;
    let grace = trusted(&app, "grace@example.com").await;
    app.confirm_password(&ada.tokens.access).await;
    let other = id(&list(&app, &grace.tokens).await[0]).to_owned();
    let sessions = app.get("/auth/user/sessions").bearer(&ada.tokens.access).await.expect(200);
    let session = sessions.body["sessions"][0]["id"].as_str().unwrap().to_owned();
    for id in [other.as_str(), &session, "AAAAAAAAAAAAAAAAAAAAAA", "x", "%20"] {
        forget(&app, &ada.tokens, id).await.refused(404, "not_found");
    }
    app.delete(PATH).bearer(&ada.tokens.access).await.expect(200);
    assert!(is_trusted(&app, &grace.device, "grace@example.com").await);
    app.me(&ada.tokens.access).await.expect(200);
}

async fn forgetting_needs_a_recent_confirmation() {
    let (app, Trusted { device, tokens, .. }) = with_device().await;
    let path = format!("{PATH}/{}", id(&list(&app, &tokens).await[0]));
    for path in [path.as_str(), PATH] {
        let refused = app.delete(path).bearer(&tokens.access).await;
        refused.refused(403, "password_confirmation_required");
    }
    assert!(is_trusted(&app, &device, EMAIL).await);
}

async fn a_device_is_no_session_of_the_list() {
    let (app, Trusted { device, tokens, .. }) = with_device().await;
    let id = id(&list(&app, &tokens).await[0]).to_owned();
    app.confirm_password(&tokens.access).await;
    let sessions = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    let listed = sessions.body["sessions"].as_array().unwrap();
    assert!(listed.len() == 2 && listed.iter().all(|session| session["id"] != json!(id)));
    let path = format!("/auth/user/sessions/{id}");
    app.delete(&path).bearer(&tokens.access).await.refused(404, "not_found");
    assert!(!app.auth.admin().end_session(&id).await.unwrap());
    assert!(is_trusted(&app, &device, EMAIL).await);
}

async fn it_does_not_count_as_a_session() {
    let mut options = SessionOptions::default();
    options.max_per_user = 2;
    let app = App::with_everything_and(|config| unlimited(config).sessions(options), |module| module).await;
    let Trusted { enrolled, device, tokens } = trusted(&app, EMAIL).await;
    app.me(&tokens.access).await.expect(200);
    app.me(&enrolled.tokens.access).await.expect(200);
    for _ in 0..3 {
        assert!(is_trusted(&app, &device, EMAIL).await, "no number of sessions ends the trust");
    }
    app.is_over(&tokens).await;
}

async fn the_end_of_other_sessions_leaves_it() {
    let (app, Trusted { enrolled, device, tokens }) = with_device().await;
    app.confirm_password(&tokens.access).await;
    let ended = app.request(Method::DELETE, "/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(ended.body["ended"], 1);
    app.is_over(&enrolled.tokens).await;
    assert!(is_trusted(&app, &device, EMAIL).await);
}

async fn a_logout_leaves_it() {
    let (app, Trusted { device, tokens, .. }) = with_device().await;
    let answer = app.post("/auth/logout").bearer(&tokens.access).await.expect(200);
    assert!(answer.set_cookies().iter().all(|cookie| cookie.name != DEVICE_COOKIE));
    app.is_over(&tokens).await;
    assert!(is_trusted(&app, &device, EMAIL).await);
    // A wrong password on it is as wrong as anywhere.
    app.login_call(EMAIL, &format!("{PASSWORD}!")).await.refused(401, "invalid_credentials");
}

async fn an_export_has_it() {
    let (app, Trusted { tokens, .. }) = with_device().await;
    let account = app.users.by_email(EMAIL).unwrap();
    let stored = app.auth.admin().export(&account.id).await.unwrap();
    let devices = stored["trustedDevices"].as_array().unwrap();
    assert_eq!(devices.len(), 1);
    assert_eq!(devices[0]["id"], list(&app, &tokens).await[0]["id"]);
    let members: Vec<_> = devices[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(members, ["client", "createdAt", "expiresAt", "id", "lastUsedAt", "userAgent"]);
    assert_eq!(stored["sessions"].as_array().unwrap().len(), 2);
}
