//! Signing in with a passkey.

use super::{PATH, user, with_passkey};
use crate::support::authenticator::no_code_limits;
use crate::support::passkeys::{ORIGIN, passkey, proof};
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{App, Call, EMAIL, at_once};
use axum_auth_module::config::{PasskeyOptions, RelyingParty, UserVerification};
use axum_auth_module::events::EventKind;
use axum_auth_module::testing::SoftPasskey;
use serde_json::{Value, json};

on_both_routers![
    a_user_signs_in_with_a_passkey,
    a_user_signs_in_with_a_key_of_each_algorithm,
    the_options_tell_nothing_and_are_different_each_time,
    a_passkey_proves_two_factors,
    a_passkey_that_verifies_nobody_is_one_factor,
    an_unknown_passkey_is_named_so_that_the_page_can_signal_it,
    what_does_not_verify_is_refused_without_a_reason,
    what_is_written_wrong_is_refused,
    a_flow_token_is_used_once_and_lives_an_hour,
    a_flow_token_of_something_else_is_refused,
    a_suspended_or_deleted_user_does_not_sign_in,
    a_passkey_that_counts_must_count_forwards,
    a_passkey_that_is_synced_need_not_count,
    passkeys_that_do_not_verify_are_limited,
    another_relying_party_knows_no_passkey_of_this_one,
];

on_both_routers![threads: of_thirty_uses_of_a_flow_token_at_once_one_signs_in];

in_every_place![a_passkey_signs_in_after_a_restart, of_thirty_uses_of_a_counter_at_once_one_signs_in];

async fn a_user_signs_in_with_a_passkey() {
    let (app, _, mut passkey, added) = with_passkey().await;
    let answer = app.sign_in_with(&mut passkey).await.expect(200);
    assert_eq!(answer.body["twoFactor"], false);
    let tokens = answer.tokens();
    assert_eq!(app.me(&tokens.access).await.expect(200).text, EMAIL);
    let listed = app.passkeys(&tokens.access).await;
    assert_eq!(listed["passkeys"][0]["id"], added["id"]);
    assert!(listed["passkeys"][0]["lastUsedAt"].is_string() && added["lastUsedAt"].is_null());
    let login = loop {
        if let EventKind::Login { methods, .. } = app.event().await.kind {
            break methods;
        }
    };
    assert_eq!(login.as_str(), "pop mfa");
}

async fn a_user_signs_in_with_a_key_of_each_algorithm() {
    let (app, tokens, ..) = with_passkey().await;
    let rsa = passkey().with_rsa(include_bytes!("rsa-of-tests.der"));
    for mut passkey in [passkey(), passkey().with_ed25519(), rsa] {
        app.add_passkey(&tokens.access, &mut passkey).await;
        app.sign_in_with(&mut passkey).await.expect(200);
    }
}

async fn the_options_tell_nothing_and_are_different_each_time() {
    let (app, ..) = with_passkey().await;
    let path = "/auth/passkeys/login/options";
    let (one, other) = (app.passkey_options(path, None).await, app.passkey_options(path, None).await);
    assert_eq!(one["expiresIn"], 3600);
    assert_eq!(one["options"]["allowCredentials"], json!([]));
    assert_eq!(one["options"]["rpId"], "example.com");
    assert_eq!(one["options"]["userVerification"], "required");
    assert!(one["options"].get("timeout").is_none(), "the page waits as long as the user does");
    assert_ne!(one["options"]["challenge"], other["options"]["challenge"]);
    assert_ne!(one["flowToken"], other["flowToken"]);
}

async fn a_passkey_proves_two_factors() {
    let app = App::with_everything().await;
    let enrolled = app.enrolled(EMAIL).await;
    app.verify_address(EMAIL);
    app.confirm_password(&enrolled.tokens.access).await;
    let mut passkey = passkey();
    app.add_passkey(&enrolled.tokens.access, &mut passkey).await;
    let tokens = app.sign_in_with(&mut passkey).await.expect(200).tokens();
    app.get("/assured/phr/300").bearer(&tokens.access).await.expect(200);
    app.get("/confirmed").bearer(&tokens.access).await.expect(200);
    let methods = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(methods.body["sessions"][0]["authenticatedBy"], json!(["pop", "mfa"]));
}

async fn a_passkey_that_verifies_nobody_is_one_factor() {
    let mut options = PasskeyOptions::default();
    options.user_verification = UserVerification::Preferred;
    let app = App::with_everything_and(|config| config.passkeys(options), |module| module).await;
    let (tokens, mut passkey) = (user(&app, EMAIL).await, passkey().without_user_verification());
    let begun = app.passkey_options("/auth/user/passkeys/options", Some(&tokens.access)).await;
    assert_eq!(begun["options"]["authenticatorSelection"]["userVerification"], "preferred");
    app.add_passkey(&tokens.access, &mut passkey).await;
    let signed_in = app.sign_in_with(&mut passkey).await.expect(200).tokens();
    app.get("/assured/aal1").bearer(&signed_in.access).await.expect(200);
    for more in ["/assured/aal2", "/assured/phr"] {
        let answer = app.get(more).bearer(&signed_in.access).await;
        answer.refused(401, "insufficient_user_authentication");
    }
    app.get("/confirmed").bearer(&signed_in.access).await.refused(403, "password_confirmation_required");

    app.enable(&tokens.access).await.expect(200);
    let authenticator = app.authenticator(&tokens.access).await;
    app.confirm_two_factor(&tokens.access, &authenticator.code(&app)).await.expect(200);
    app.next_step();
    let challenge = app.sign_in_with(&mut passkey).await.expect(200).challenge().expect("a challenge");
    let signed_in = app.challenge(&challenge, &authenticator.code(&app)).await.expect(200).tokens();
    app.get("/assured/aal2").bearer(&signed_in.access).await.expect(200);
}

async fn an_unknown_passkey_is_named_so_that_the_page_can_signal_it() {
    let (app, ..) = with_passkey().await;
    let mut other = passkey();
    other.register(&json!({ "challenge": "AA", "rp": { "id": "example.com" }, "user": { "id": "AQ" } }));
    app.sign_in_with(&mut other).await.refused(404, "unknown_passkey");
    while app.event().await.name() != "auth.login-failed" {}
}

/// What a hostile page or authenticator sends.
async fn altered(
    app: &App,
    passkey: &mut SoftPasskey,
    alter: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>),
) -> Value {
    let begun = app.passkey_options("/auth/passkeys/login/options", None).await;
    proof(&begun, passkey.sign_in_altered(&begun["options"], alter))
}

async fn what_does_not_verify_is_refused_without_a_reason() {
    let (app, tokens, mut passkey, _) = with_passkey().await;
    let mut text = String::new();
    let replaced = |from: &'static str, to: &'static str| {
        move |client_data: &mut Vec<u8>, _: &mut Vec<u8>| {
            *client_data = String::from_utf8(client_data.clone()).unwrap().replace(from, to).into_bytes();
        }
    };
    let mut bodies = vec![
        altered(&app, &mut passkey, replaced("webauthn.get", "webauthn.create")).await,
        altered(&app, &mut passkey, replaced(ORIGIN, "https://evil.example.com")).await,
        altered(&app, &mut passkey, replaced("false", "true")).await,
        altered(&app, &mut passkey, |_, data| data[0] ^= 1).await,
        altered(&app, &mut passkey, |_, data| data[32] &= !1).await,
        altered(&app, &mut passkey, |_, data| data[32] &= !4).await,
        altered(&app, &mut passkey, |_, data| data[32] &= !0x18).await,
    ];
    // Another challenge, the signature of another key, the handle of another user, and none.
    let (earlier, later) = (app.passkey_proof(&mut passkey).await, app.passkey_proof(&mut passkey).await);
    bodies.push(json!({ "flowToken": later["flowToken"], "credential": earlier["credential"] }));
    let mut changed = app.passkey_proof(&mut passkey).await;
    changed["credential"]["response"]["signature"] = earlier["credential"]["response"]["signature"].clone();
    bodies.push(changed);
    for handle in [json!("AQ"), Value::Null] {
        let mut changed = app.passkey_proof(&mut passkey).await;
        changed["credential"]["response"]["userHandle"] = handle;
        bodies.push(changed);
    }
    for body in bodies {
        let refused = app.passkey_login(&body).await.refused(422, "invalid_passkey");
        if text.is_empty() {
            text.clone_from(&refused.text);
        }
        assert_eq!(refused.text, text, "all refusals are alike");
    }
    app.sign_in_with(&mut passkey).await.expect(200);
    app.me(&tokens.access).await.expect(200);
}

async fn what_is_written_wrong_is_refused() {
    let (app, _, mut passkey, _) = with_passkey().await;
    let proof = app.passkey_proof(&mut passkey).await;
    let (token, credential) = (&proof["flowToken"], &proof["credential"]);
    for (body, expected) in [
        (json!({}), &["flowToken: required", "credential: required"][..]),
        (json!({ "flowToken": token, "credential": null }), &["credential: required"]),
        (json!({ "flowToken": token, "credential": "text" }), &["credential: wrong_type"]),
        (json!({ "flowToken": token, "credential": [credential] }), &["credential: wrong_type"]),
        (json!({ "flowToken": 7, "credential": credential }), &["flowToken: wrong_type"]),
        (json!({ "flowToken": "", "credential": credential }), &["flowToken: required"]),
    ] {
        assert_eq!(app.passkey_login(&body).await.field_errors(), expected, "{body}");
    }
    for inner in [
        json!({}),
        json!({ "id": 7 }),
        json!({ "id": "AA", "rawId": "AA", "type": "public-key", "response": [] }),
    ] {
        let body = json!({ "flowToken": token, "credential": inner });
        app.passkey_login(&body).await.refused(422, "invalid_passkey");
    }
    app.passkey_login(&proof).await.expect(200);
}

async fn a_flow_token_is_used_once_and_lives_an_hour() {
    let (app, _, mut passkey, _) = with_passkey().await;
    let proof = app.passkey_proof(&mut passkey).await;
    app.passkey_login(&proof).await.expect(200);
    app.passkey_login(&proof).await.refused(422, "invalid_flow_token");
    for (seconds, status) in [(3599, 200), (3600, 422)] {
        let proof = app.passkey_proof(&mut passkey).await;
        app.advance(seconds);
        app.passkey_login(&proof).await.expect(status);
    }
}

async fn a_flow_token_of_something_else_is_refused() {
    let (app, tokens, mut passkey, _) = with_passkey().await;
    let proof = app.passkey_proof(&mut passkey).await;
    app.confirm_password(&tokens.access).await;
    for path in ["/auth/user/passkeys/options", "/auth/user/confirm-passkey/options"] {
        let other = app.passkey_options(path, Some(&tokens.access)).await;
        let body = json!({ "flowToken": other["flowToken"], "credential": proof["credential"] });
        app.passkey_login(&body).await.refused(422, "invalid_flow_token");
    }
    for other in [tokens.access.as_str(), "fl1.", "text"] {
        let body = json!({ "flowToken": other, "credential": proof["credential"] });
        app.passkey_login(&body).await.refused(422, "invalid_flow_token");
    }
    app.passkey_login(&proof).await.expect(200);
}

async fn a_suspended_or_deleted_user_does_not_sign_in() {
    let (app, tokens, mut passkey, _) = with_passkey().await;
    app.users.update(EMAIL, |user| user.active = false);
    // Not `unknown_passkey`: the browser would delete the passkey.
    app.sign_in_with(&mut passkey).await.refused(422, "invalid_passkey");
    app.users.update(EMAIL, |user| user.active = true);
    let listed = app.passkeys(&tokens.access).await;
    assert!(listed["passkeys"][0]["lastUsedAt"].is_null(), "the row stays as it was");
    app.sign_in_with(&mut passkey).await.expect(200);
    app.users.remove(EMAIL);
    app.sign_in_with(&mut passkey).await.refused(422, "invalid_passkey");
}

async fn a_passkey_that_counts_must_count_forwards() {
    let app = App::with_everything().await;
    let (tokens, mut passkey) = (user(&app, EMAIL).await, passkey().counting_from(5));
    app.add_passkey(&tokens.access, &mut passkey).await;
    app.sign_in_with(&mut passkey).await.expect(200);
    let with_counter = |counter: u32| {
        move |_: &mut Vec<u8>, data: &mut Vec<u8>| data[33..37].copy_from_slice(&counter.to_be_bytes())
    };
    for counter in [6, 5, 1, 0] {
        let body = altered(&app, &mut passkey, with_counter(counter)).await;
        app.passkey_login(&body).await.refused(422, "invalid_passkey");
        let mut event = app.event().await;
        while event.name() != "auth.passkey-counter-regressed" {
            event = app.event().await;
        }
        assert_eq!(event.client, Some("192.0.2.1".parse().unwrap()));
    }
    for counter in [7, u32::MAX] {
        let body = altered(&app, &mut passkey, with_counter(counter)).await;
        app.passkey_login(&body).await.expect(200);
    }
}

async fn a_passkey_that_is_synced_need_not_count() {
    let (app, _, mut passkey, _) = with_passkey().await;
    for counter in [9_u32, 3, 0] {
        let body =
            altered(&app, &mut passkey, |_, data| data[33..37].copy_from_slice(&counter.to_be_bytes())).await;
        app.passkey_login(&body).await.expect(200);
    }
}

async fn passkeys_that_do_not_verify_are_limited() {
    let (app, _, mut passkey, _) = with_passkey().await;
    let (right, begun) = (app.passkey_proof(&mut passkey).await, app.passkey_proof(&mut passkey).await);
    let wrong = json!({ "flowToken": begun["flowToken"], "credential": {} });
    for _ in 0..60 {
        app.passkey_login(&wrong).await.refused(422, "invalid_passkey");
    }
    // A flow token that is not valid is no guess.
    app.passkey_login(&json!({ "flowToken": "fl1.", "credential": {} }))
        .await
        .refused(429, "too_many_attempts");
    app.passkey_login(&right).await.refused(429, "too_many_attempts");
    app.passkey_login(&right).from("198.51.100.7").await.expect(200);
    let unopened = json!({ "flowToken": "fl1.", "credential": {} });
    for _ in 0..61 {
        app.passkey_login(&unopened).from("198.51.100.8").await.refused(422, "invalid_flow_token");
    }
}

async fn another_relying_party_knows_no_passkey_of_this_one() {
    let place = Place::memory();
    let app = place.start().await;
    let (tokens, mut passkey) = (user(&app, EMAIL).await, passkey());
    app.add_passkey(&tokens.access, &mut passkey).await;
    let moved = RelyingParty::new("example.org", "Example", ["https://example.org"]).unwrap();
    let other = place.start_with(|config| config.relying_party(moved)).await;
    let listed = other.passkeys(&tokens.access).await;
    assert_eq!((&listed["rpId"], &listed["passkeys"][0]["usable"]), (&json!("example.org"), &json!(false)));
    let ways = other.get("/auth/user/sign-in-methods").bearer(&tokens.access).await.expect(200);
    assert_eq!(ways.body["passkeys"], 0);
    // What a browser on the new site would not do: it has no passkey for it.
    let body = altered(&other, &mut passkey, |_, _| {}).await;
    other.passkey_login(&body).await.refused(422, "invalid_passkey");
    other.get("/auth/user/confirm-passkey/options").bearer(&tokens.access).await.refused(404, "not_found");
    app.sign_in_with(&mut passkey).await.expect(200);
}

async fn of_thirty_uses_of_a_flow_token_at_once_one_signs_in() {
    let (app, _, mut passkey, _) = with_passkey().await;
    let proof = app.passkey_proof(&mut passkey).await;
    let answers = at_once((0..30).map(|_| app.passkey_login(&proof).into_future())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        answer.refused(422, "invalid_flow_token");
    }
}

async fn a_passkey_signs_in_after_a_restart(place: &Place) {
    let (first, mut passkey) = (place.start().await, passkey());
    let tokens = crate::change_emails::verified(&first, EMAIL).await;
    first.add_passkey(&tokens.access, &mut passkey).await;
    let proof = first.passkey_proof(&mut passkey).await;
    let second = place.start().await;
    second.passkey_login(&proof).await.expect(200);
    if place.forgets() {
        return;
    }
    first.passkey_login(&proof).await.refused(422, "invalid_flow_token");
}

async fn of_thirty_uses_of_a_counter_at_once_one_signs_in(place: &Place) {
    let app = place.start_with(|config| config.limits(no_code_limits())).await;
    let (tokens, mut passkey) =
        (crate::change_emails::verified(&app, EMAIL).await, passkey().counting_from(1));
    app.add_passkey(&tokens.access, &mut passkey).await;
    let mut calls = Vec::new();
    for _ in 0..30 {
        let next =
            altered(&app, &mut passkey, |_, data| data[33..37].copy_from_slice(&7_u32.to_be_bytes())).await;
        calls.push(app.passkey_login(&next));
    }
    let answers = at_once(calls.into_iter().map(Call::into_future)).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        answer.refused(422, "invalid_passkey");
    }
    app.delete(PATH).bearer(&tokens.access).await.expect(405);
}
