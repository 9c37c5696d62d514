//! Trusted devices at the two sign-ins with a provider (specification §32.2).

use super::native::{WEB, nonce, sign_in};
use super::site::{Site, ada};
use super::visitor::Visitor;
use crate::support::EMAIL;
use crate::support::authenticator::Authenticator;
use crate::support::routers::on_both_routers;
use crate::trusted_devices::trust;
use serde_json::json;

on_both_routers![
    at_a_callback_a_trusted_device_takes_the_place_of_the_second_factor,
    with_an_id_token_a_trusted_device_takes_the_place_of_the_second_factor,
    a_device_of_another_user_is_none_there,
];

/// A host, and Ada with a second factor and an identity of `acme`.
async fn with_second_factor() -> (Site, Authenticator) {
    let site = Site::with(|offers| offers[0].audiences = vec![WEB.to_owned()], Default::default()).await;
    let enrolled = site.app.enrolled(EMAIL).await;
    site.app.verify_address(EMAIL);
    site.visitor().with(&enrolled.tokens).link(&site, "acme", &ada()).await.linked(201);
    (site, enrolled.authenticator)
}

/// Ada signs in with an ID token.
async fn with_id_token(site: &Site, visitor: &Visitor) -> crate::support::answer::Answer {
    let (nonce, flow) = nonce(visitor, "acme").await;
    sign_in(visitor, &flow, &site.provider("acme").id_token(&ada(), &nonce, WEB)).await.expect(200)
}

async fn at_a_callback_a_trusted_device_takes_the_place_of_the_second_factor() {
    let (site, authenticator) = with_second_factor().await;
    let (_, device) = trust(&site.app, EMAIL, &authenticator).await;
    let visitor = site.visitor().on_device(&device);
    let tokens = visitor.sign_in(&site, "acme", &ada()).await.signed_in();
    site.app.get("/assured/aal2").bearer(&tokens.access).await.expect(401);
    let sessions = site.app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(sessions.body["sessions"][0]["authenticatedBy"], json!(["fed", "device"]));
    site.visitor().sign_in(&site, "acme", &ada()).await.challenged();
    // It ends like everywhere else.
    let user = site.app.users.by_email(EMAIL).unwrap();
    site.app.auth.admin().end_all_sessions(&user.id).await.unwrap();
    site.visitor().on_device(&device).sign_in(&site, "acme", &ada()).await.challenged();
}

async fn with_an_id_token_a_trusted_device_takes_the_place_of_the_second_factor() {
    let (site, authenticator) = with_second_factor().await;
    let (_, device) = trust(&site.app, EMAIL, &authenticator).await;
    let answer = with_id_token(&site, &site.visitor().on_device(&device)).await;
    assert_eq!((answer.body["twoFactor"].as_bool(), answer.session().is_some()), (Some(false), true));
    let answer = with_id_token(&site, &site.visitor()).await;
    assert_eq!((answer.body["twoFactor"].as_bool(), answer.session().is_none()), (Some(true), true));
}

async fn a_device_of_another_user_is_none_there() {
    let (site, _) = with_second_factor().await;
    let other = site.app.enrolled("grace@example.com").await;
    let (_, device) = trust(&site.app, "grace@example.com", &other.authenticator).await;
    site.visitor().on_device(&device).sign_in(&site, "acme", &ada()).await.challenged();
    let answer = with_id_token(&site, &site.visitor().on_device(&device)).await;
    assert_eq!(answer.body["twoFactor"], true);
}
