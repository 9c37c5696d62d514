//! Adding, listing, renaming and removing passkeys.

use super::{PATH, user, with_passkey};
use crate::change_emails::{unlimited, verified};
use crate::support::passkeys::{passkey, proof};
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{App, Builder, Call, EMAIL, PASSWORD, Tokens, at_once};
use axum_auth_module::config::PasskeyOptions;
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::testing::SoftPasskey;
use serde_json::{Value, json};

on_both_routers![
    the_options_are_those_of_the_standard,
    a_passkey_is_added_and_listed,
    a_passkey_has_the_name_of_its_user_or_of_its_model,
    it_is_added_after_a_confirmation_and_to_a_verified_address,
    what_does_not_verify_is_not_added,
    it_is_added_in_the_session_that_has_asked,
    a_passkey_is_of_one_account,
    a_user_has_as_many_as_the_option_says,
    a_passkey_is_renamed,
    a_passkey_is_removed_and_the_other_sessions_end,
    a_passkey_of_somebody_else_is_not_found,
];

in_every_place![
    of_ten_additions_at_once_as_many_stay_as_there_may_be,
    of_two_first_passkeys_with_two_handles_one_stays,
    of_the_last_two_ways_in_one_stays,
    the_only_way_in_stays,
];

fn add(app: &App, tokens: &Tokens, body: &Value) -> Call {
    app.post(PATH).bearer(&tokens.access).json(body)
}

fn remove(app: &App, tokens: &Tokens, id: &Value) -> Call {
    app.delete(&format!("{PATH}/{}", id.as_str().unwrap())).bearer(&tokens.access)
}

async fn the_options_are_those_of_the_standard() {
    let (app, tokens, passkey, _) = with_passkey().await;
    let begun = app.passkey_options("/auth/user/passkeys/options", Some(&tokens.access)).await;
    let (options, handle) = (&begun["options"], app.passkeys(&tokens.access).await["userHandle"].clone());
    let expected = json!({
        "rp": { "id": "example.com", "name": "Example" },
        "user": { "id": handle, "name": EMAIL, "displayName": "Ada" },
        "challenge": options["challenge"],
        "pubKeyCredParams": [
            { "type": "public-key", "alg": -7 }, { "type": "public-key", "alg": -8 }, { "type": "public-key", "alg": -257 },
        ],
        "timeout": 300_000,
        "excludeCredentials": [
            { "type": "public-key", "id": passkey.credential_id(), "transports": ["hybrid", "internal"] },
        ],
        "authenticatorSelection":
            { "residentKey": "required", "requireResidentKey": true, "userVerification": "required" },
        "attestation": "none",
        "extensions": { "credProps": true },
    });
    assert_eq!(options, &expected);
    assert_eq!(begun["expiresIn"], 300);
    assert_eq!(handle.as_str().unwrap().len(), 43, "32 random bytes");
}

async fn a_passkey_is_added_and_listed() {
    let app = App::with_everything().await;
    let tokens = user(&app, EMAIL).await;
    let none = app.passkeys(&tokens.access).await;
    let expected = json!({
        "rpId": "example.com", "userHandle": null, "user": { "name": EMAIL, "displayName": "Ada" }, "passkeys": [],
    });
    assert_eq!(none, expected);
    let mut own = passkey();
    let added = app.add_passkey(&tokens.access, &mut own).await;
    assert_eq!(added["credentialId"], own.credential_id());
    assert_eq!(
        (&added["backedUp"], &added["backupEligible"], &added["usable"]),
        (&json!(true), &json!(true), &json!(true))
    );
    assert_eq!((&added["aaguid"], &added["transports"]), (&Value::Null, &json!(["hybrid", "internal"])));
    let mut key = passkey().counting_from(0);
    app.advance(1);
    let second = app.add_passkey(&tokens.access, &mut key).await;
    assert_eq!((&second["backedUp"], &second["backupEligible"]), (&json!(false), &json!(false)));
    let listed = app.passkeys(&tokens.access).await;
    assert_eq!(listed["passkeys"], json!([added, second]));
    let ways = app.get("/auth/user/sign-in-methods").bearer(&tokens.access).await.expect(200).body;
    assert_eq!(ways["passkeys"], 2);
    assert_eq!(ways["confirmWith"], json!(["password", "passkey", "email"]));
    while app.event().await.name() != "auth.passkey-added" {}
}

async fn a_passkey_has_the_name_of_its_user_or_of_its_model() {
    let app = App::with_everything().await;
    let tokens = user(&app, EMAIL).await;
    let mut named = app.new_passkey(&tokens.access, &mut passkey()).await;
    named["name"] = "  My phone ".into();
    assert_eq!(add(&app, &tokens, &named).await.expect(201).body["name"], "My phone");
    assert_eq!(app.add_passkey(&tokens.access, &mut passkey()).await["name"], "Passkey");
    let begun = app.passkey_options("/auth/user/passkeys/options", Some(&tokens.access)).await;
    let model =
        [0xea, 0x9b, 0x8d, 0x66, 0x4d, 0x01, 0x1d, 0x21, 0x3c, 0xe4, 0xb6, 0xb4, 0x8c, 0xb5, 0x75, 0xd4];
    let mut of_google = passkey();
    let made = of_google.register_altered(&begun["options"], |_, data| data[37..53].copy_from_slice(&model));
    let added = add(&app, &tokens, &proof(&begun, made)).await.expect(201).body;
    assert_eq!(added["name"], "Google Password Manager");
    assert_eq!(added["aaguid"], "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4");
    let mut wrong = app.new_passkey(&tokens.access, &mut passkey()).await;
    for (name, error) in [
        (json!(""), "name: required"),
        (json!("a".repeat(65)), "name: too_long"),
        (json!(7), "name: wrong_type"),
    ] {
        wrong["name"] = name;
        assert_eq!(add(&app, &tokens, &wrong).await.field_errors(), [error]);
    }
}

async fn it_is_added_after_a_confirmation_and_to_a_verified_address() {
    let app = App::with_everything().await;
    let tokens = app.register(EMAIL).await;
    let options = "/auth/user/passkeys/options";
    app.get(options).await.refused(401, "unauthenticated");
    app.get(options).bearer(&tokens.access).await.refused(403, "password_confirmation_required");
    app.confirm_password(&tokens.access).await;
    app.get(options).bearer(&tokens.access).await.refused(403, "email_not_verified");
    app.verify_address(EMAIL);
    let body = app.new_passkey(&tokens.access, &mut passkey()).await;
    app.users.update(EMAIL, |user| user.email_verified_at = None);
    add(&app, &tokens, &body).await.refused(403, "email_not_verified");
    // Before the fields.
    add(&app, &tokens, &json!({})).await.refused(403, "email_not_verified");
    app.verify_address(EMAIL);
    add(&app, &tokens, &body).await.expect(201);
}

async fn what_does_not_verify_is_not_added() {
    let (app, tokens, ..) = with_passkey().await;
    let begun = app.passkey_options("/auth/user/passkeys/options", Some(&tokens.access)).await;
    let options = &begun["options"];
    let mut not_discoverable = passkey().register(options);
    not_discoverable["clientExtensionResults"]["credProps"]["rk"] = false.into();
    for made in [
        not_discoverable,
        SoftPasskey::on("https://evil.test").register(options),
        passkey().without_user_verification().register(options),
        passkey().register_altered(options, |_, data| data[0] ^= 1),
        passkey().register_altered(options, |_, data| data.push(0)),
        passkey().sign_in(&json!({ "challenge": options["challenge"], "rpId": "example.com" })),
        json!({}),
    ] {
        add(&app, &tokens, &proof(&begun, made)).await.refused(422, "invalid_passkey");
    }
    let made = passkey().register(options);
    add(&app, &tokens, &proof(&begun, made.clone())).await.expect(201);
    add(&app, &tokens, &proof(&begun, made)).await.refused(422, "invalid_flow_token");
    assert_eq!(app.passkeys(&tokens.access).await["passkeys"].as_array().unwrap().len(), 2);
}

async fn it_is_added_in_the_session_that_has_asked() {
    let (app, tokens, ..) = with_passkey().await;
    let body = app.new_passkey(&tokens.access, &mut passkey()).await;
    let other = app.login(EMAIL).await;
    add(&app, &other, &body).await.refused(422, "invalid_flow_token");
    app.advance(300);
    add(&app, &tokens, &body).await.refused(422, "invalid_flow_token");
    let body = app.new_passkey(&tokens.access, &mut passkey()).await;
    let change = json!({ "currentPassword": PASSWORD, "password": "another long one", "passwordConfirmation": "another long one" });
    let changed =
        app.put("/auth/user/password").bearer(&tokens.access).json(&change).await.expect(200).tokens();
    add(&app, &changed, &body).await.refused(422, "invalid_flow_token");
}

async fn a_passkey_is_of_one_account() {
    let (app, _, mut passkey, _) = with_passkey().await;
    let bob = user(&app, "bob@example.com").await;
    let body = app.new_passkey(&bob.access, &mut passkey).await;
    add(&app, &bob, &body).await.refused(409, "passkey_taken");
    assert_eq!(app.passkeys(&bob.access).await["passkeys"], json!([]));
}

async fn a_user_has_as_many_as_the_option_says() {
    let mut options = PasskeyOptions::default();
    options.max_per_user = 2;
    let app = App::with_everything_and(|config| config.passkeys(options), |module| module).await;
    let tokens = user(&app, EMAIL).await;
    let third = app.new_passkey(&tokens.access, &mut passkey()).await;
    let mut handle = None;
    for _ in 0..2 {
        let added = app.add_passkey(&tokens.access, &mut passkey()).await;
        handle = Some(added["id"].clone());
    }
    app.get("/auth/user/passkeys/options").bearer(&tokens.access).await.refused(409, "limit_reached");
    add(&app, &tokens, &third).await.refused(409, "limit_reached");
    let tokens = remove(&app, &tokens, &handle.unwrap()).await.expect(200).tokens();
    app.add_passkey(&tokens.access, &mut passkey()).await;
}

async fn a_passkey_is_renamed() {
    let (app, tokens, _, added) = with_passkey().await;
    let path = format!("{PATH}/{}", added["id"].as_str().unwrap());
    let rename = |name: &str| app.put(&path).bearer(&tokens.access).json(&json!({ "name": name }));
    let renamed = rename("Blue key").await.expect(200).body;
    assert_eq!((&renamed["name"], &renamed["id"]), (&json!("Blue key"), &added["id"]));
    assert_eq!(app.passkeys(&tokens.access).await["passkeys"][0]["name"], "Blue key");
    while app.event().await.name() != "auth.passkey-renamed" {}
    assert_eq!(rename("").await.field_errors(), ["name: required"]);
    assert_eq!(rename(&"a".repeat(65)).await.field_errors(), ["name: too_long"]);
    app.put(&format!("{PATH}/AAAA"))
        .bearer(&tokens.access)
        .json(&json!({ "name": "a" }))
        .await
        .refused(404, "not_found");
}

async fn a_passkey_is_removed_and_the_other_sessions_end() {
    let (app, tokens, mut first, added) = with_passkey().await;
    let mut second = passkey();
    app.add_passkey(&tokens.access, &mut second).await;
    let (handle, other) = (app.passkeys(&tokens.access).await["userHandle"].clone(), app.login(EMAIL).await);
    remove(&app, &other, &added["id"]).await.refused(403, "password_confirmation_required");
    let answer = remove(&app, &tokens, &added["id"]).await.expect(200);
    assert_eq!(answer.body["message"], "The passkey has been removed.");
    assert_eq!((&answer.body["rpId"], &answer.body["userHandle"]), (&json!("example.com"), &handle));
    assert_eq!(answer.body["credentialIds"], json!([second.credential_id()]));
    let tokens = answer.tokens();
    app.is_over(&other).await;
    app.me(&tokens.access).await.expect(200);
    app.sign_in_with(&mut first).await.refused(404, "unknown_passkey");
    app.sign_in_with(&mut second).await.expect(200);
    remove(&app, &tokens, &added["id"]).await.refused(404, "not_found");
    while app.event().await.name() != "auth.passkey-removed" {}
}

/// A host in which the mailbox is no way in.
fn without_mail_login(module: Builder) -> Builder {
    let by_mail = FeatureSet::from_iter([Feature::EMAIL_LOGIN, Feature::PASSWORDLESS_REGISTRATION]);
    module.enabled(FeatureSet::all().difference(by_mail)).unwrap()
}

async fn the_only_way_in_stays(place: &Place) {
    let app = place.start_as(&place.clock, unlimited, without_mail_login).await;
    let (tokens, mut passkey) = (verified(&app, EMAIL).await, passkey());
    let added = app.add_passkey(&tokens.access, &mut passkey).await;
    let tokens = app.delete("/auth/user/password").bearer(&tokens.access).await.expect(200).tokens();
    remove(&app, &tokens, &added["id"]).await.refused(409, "last_sign_in_method");
    app.sign_in_with(&mut passkey).await.expect(200);
    let second = app.add_passkey(&tokens.access, &mut crate::support::passkeys::passkey()).await;
    let tokens = remove(&app, &tokens, &added["id"]).await.expect(200).tokens();
    remove(&app, &tokens, &second["id"]).await.refused(409, "last_sign_in_method");
}

async fn a_passkey_of_somebody_else_is_not_found() {
    let (app, _, mut passkey, added) = with_passkey().await;
    let bob = user(&app, "bob@example.com").await;
    remove(&app, &bob, &added["id"]).await.refused(404, "not_found");
    let path = format!("{PATH}/{}", added["id"].as_str().unwrap());
    app.put(&path).bearer(&bob.access).json(&json!({ "name": "mine" })).await.refused(404, "not_found");
    app.sign_in_with(&mut passkey).await.expect(200);
}

async fn of_ten_additions_at_once_as_many_stay_as_there_may_be(place: &Place) {
    let mut options = PasskeyOptions::default();
    options.max_per_user = 3;
    let app = place.start_with(|config| unlimited(config).passkeys(options)).await;
    let tokens = verified(&app, EMAIL).await;
    // The first one decides the handle.
    app.add_passkey(&tokens.access, &mut passkey()).await;
    let mut calls = Vec::new();
    for _ in 0..10 {
        let body = app.new_passkey(&tokens.access, &mut passkey()).await;
        calls.push(add(&app, &tokens, &body));
    }
    let answers = at_once(calls.into_iter().map(Call::into_future)).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 2);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "limit_reached");
    }
    assert_eq!(app.passkeys(&tokens.access).await["passkeys"].as_array().unwrap().len(), 3);
}

async fn of_two_first_passkeys_with_two_handles_one_stays(place: &Place) {
    let app = place.start_with(unlimited).await;
    let tokens = verified(&app, EMAIL).await;
    let mut calls = Vec::new();
    for _ in 0..2 {
        let body = app.new_passkey(&tokens.access, &mut passkey()).await;
        calls.push(add(&app, &tokens, &body));
    }
    let mut answers = at_once(calls.into_iter().map(Call::into_future)).await;
    answers.sort_by_key(|answer| answer.status);
    let (second, first) = (answers.pop().unwrap(), answers.pop().unwrap());
    first.expect(201);
    second.refused(422, "invalid_flow_token");
}

/// The last two ways in are a passkey and the password, or two passkeys.
async fn of_the_last_two_ways_in_one_stays(place: &Place) {
    let app = place.start_as(&place.clock, unlimited, without_mail_login).await;
    for round in 0..place.rounds(40) {
        let email = format!("ada-{round}@example.com");
        let tokens = verified(&app, &email).await;
        let (mut one, mut two) = (passkey(), passkey());
        let first = app.add_passkey(&tokens.access, &mut one).await;
        let calls = match round % 2 {
            0 => [
                app.delete("/auth/user/password").bearer(&tokens.access),
                remove(&app, &tokens, &first["id"]),
            ],
            _ => {
                let second = app.add_passkey(&tokens.access, &mut two).await;
                let tokens =
                    app.delete("/auth/user/password").bearer(&tokens.access).await.expect(200).tokens();
                [remove(&app, &tokens, &first["id"]), remove(&app, &tokens, &second["id"])]
            }
        };
        let answers = at_once(calls.map(Call::into_future)).await;
        assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "round {round}");
        for answer in &answers {
            assert!(
                matches!(answer.status, 200 | 401 | 409 | 503),
                "round {round}: {} {}",
                answer.status,
                answer.text
            );
        }
        let mut ways = 0;
        for passkey in [&mut one, &mut two] {
            ways += usize::from(app.sign_in_with(passkey).await.status == 200);
        }
        ways += usize::from(app.login_call(&email, PASSWORD).await.status == 200);
        assert_eq!(ways, 1, "round {round}");
    }
}
