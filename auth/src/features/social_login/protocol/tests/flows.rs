//! Flows: the authorization request, the metadata, the token request, and outages.

use super::*;
use crate::social::ClientAuth;
use futures_util::future::{FutureExt, join_all};

const fn authorization(fresh: bool) -> Authorization<'static> {
    Authorization { redirect_uri: CALLBACK, state: "a state", nonce: NONCE, verifier: VERIFIER, fresh }
}

#[tokio::test]
async fn the_browser_is_sent_with_pkce_state_and_nonce() {
    let world = World::new(&acme().authorize_parameter("prompt", "consent").authorize_parameter("hd", "a&b"));
    let url = world.remote.authorization_url(&authorization(false)).await.unwrap();
    assert_eq!(
        url,
        "https://id.example/authorize?response_type=code&client_id=client\
         &redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&state=a%20state\
         &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256\
         &scope=openid%20email%20profile&nonce=n-0S6_WzA2Mj&prompt=consent&hd=a%26b"
    );
    let again = world.remote.authorization_url(&authorization(true)).await.unwrap();
    assert!(again.ends_with("&nonce=n-0S6_WzA2Mj&prompt=login&max_age=0&hd=a%26b"), "{again}");
    let github = World::new(&SocialProvider::github("client", "secret", CALLBACK));
    let url = github.remote.authorization_url(&authorization(false)).await.unwrap();
    assert!(url.starts_with("https://github.com/login/oauth/authorize?response_type=code&client_id=client&"));
    assert!(
        url.contains("&code_challenge_method=S256&scope=read%3Auser%20user%3Aemail")
            && !url.contains("nonce")
    );
    let apple = World::new(&SocialProvider::apple_native(["app"]));
    let refused = apple.remote.authorization_url(&authorization(false)).await;
    assert_eq!(refused.err(), Some(Failure::Refused(Flaw::NotOffered)));
}

#[tokio::test]
async fn the_issuer_of_a_callback_is_compared() {
    let world = World::new(&acme());
    let refused = Err(Failure::Refused(Flaw::IssuerParameter));
    assert_eq!(world.remote.check_issuer(None).await, Ok(()));
    assert_eq!(world.remote.check_issuer(Some(ISSUER)).await, Ok(()));
    for other in ["", "https://id.example/", "https://other.example"] {
        assert_eq!(world.remote.check_issuer(Some(other)).await, refused);
    }
    let demanding = World::new(&acme());
    let mut announced = metadata(ISSUER);
    announced["authorization_response_iss_parameter_supported"] = json!(true);
    demanding.peer.json(METADATA, &announced);
    assert_eq!(demanding.remote.check_issuer(None).await, refused);
    assert_eq!(demanding.remote.check_issuer(Some(ISSUER)).await, Ok(()));
    // Nobody knows whether it must be there.
    let down = World::new(&acme());
    down.peer.answer(METADATA, Answer::NotSent);
    assert_eq!(down.remote.check_issuer(None).await, Err(Failure::NotAccepted));
    let github = World::new(&SocialProvider::github("client", "secret", CALLBACK));
    assert_eq!(github.remote.check_issuer(Some("anything")).await, Ok(()));
}

#[tokio::test]
async fn metadata_that_do_not_verify_are_an_outage_and_are_not_kept() {
    for others in [
        json!({"issuer": "https://id.example/"}),
        json!({"issuer": null}),
        json!({"token_endpoint": "http://id.example/token"}),
        json!({"token_endpoint": "http://127.0.0.1/token"}),
        json!({"authorization_endpoint": null}),
        json!({"jwks_uri": "https://ada@id.example/keys"}),
        json!({"userinfo_endpoint": "userinfo"}),
        json!({"id_token_signing_alg_values_supported": ["HS256", "none"]}),
        json!({"id_token_signing_alg_values_supported": null}),
        json!({"authorization_response_iss_parameter_supported": "true"}),
    ] {
        let world = World::new(&acme());
        let mut announced = metadata(ISSUER);
        change(announced.as_object_mut().unwrap(), others.clone());
        world.peer.json(METADATA, &announced);
        assert_eq!(world.redeem().await.err(), Some(Failure::NotAccepted), "{others}");
        world.peer.json(METADATA, &metadata(ISSUER));
        assert!(world.redeem().await.is_ok(), "{others}");
    }
    let twice = metadata(ISSUER).to_string().replacen('{', r#"{"issuer":"x","#, 1);
    for document in ["", "[]", "<html>", &twice] {
        let world = World::new(&acme());
        world.peer.answer(METADATA, Answer::Text(200, document.to_owned()));
        assert_eq!(world.redeem().await.err(), Some(Failure::NotAccepted), "{document}");
    }
}

/// The metadata of a realm of Keycloak, in the shape that its documentation shows.
#[tokio::test]
async fn a_realm_of_keycloak_on_this_machine() {
    let realm = "http://127.0.0.1:8080/realms/acme";
    let at = |path: &str| format!("{realm}/protocol/openid-connect/{path}");
    let provider = SocialProvider::oidc("keycloak", realm, "client", CALLBACK);
    let world = World::with(&provider, Signer::rsa());
    let document = json!({
        "issuer": realm, "authorization_endpoint": at("auth"), "token_endpoint": at("token"),
        "introspection_endpoint": at("token/introspect"), "userinfo_endpoint": at("userinfo"),
        "end_session_endpoint": at("logout"), "jwks_uri": at("certs"),
        "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
        "response_types_supported": ["code", "none", "id_token", "token"], "subject_types_supported": ["public", "pairwise"],
        "id_token_signing_alg_values_supported": ["PS384", "RS384", "EdDSA", "ES384", "HS256", "RS256"],
        "token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_basic", "client_secret_post"],
        "mtls_endpoint_aliases": {"token_endpoint": at("token")},
        "authorization_response_iss_parameter_supported": true,
    });
    world.peer.json(&format!("{realm}/.well-known/openid-configuration"), &document);
    let encryption = {
        let mut key = Signer::rsa().jwk("enc");
        key["use"] = json!("enc");
        key["alg"] = json!("RSA-OAEP");
        key
    };
    world.peer.json(&at("certs"), &json!({"keys": [encryption, world.signer.jwk("k1")]}));
    let token = world.id_token(&with(json!({"iss": realm, "azp": "client"})));
    let response =
        json!({"access_token": ACCESS_TOKEN, "token_type": "Bearer", "expires_in": 60, "id_token": token});
    world.peer.json(&at("token"), &response);
    assert_eq!(world.redeem().await.ok().unwrap().issuer, realm);
    assert!(world.peer.arrived(&at("certs"))[0].is_configured);
    assert_eq!(world.remote.check_issuer(None).await, Err(Failure::Refused(Flaw::IssuerParameter)));
}

#[tokio::test]
async fn only_hosts_that_the_configuration_names_may_be_private() {
    let world = World::new(&acme());
    let mut announced = metadata(ISSUER);
    announced["jwks_uri"] = json!("https://keys.example/keys");
    world.peer.json(METADATA, &announced);
    world.peer.json("https://keys.example/keys", &json!({"keys": [world.signer.jwk("k1")]}));
    assert!(world.redeem().await.is_ok());
    let is_configured = |url| world.peer.arrived(url)[0].is_configured;
    assert!(is_configured(METADATA) && is_configured(TOKEN) && !is_configured("https://keys.example/keys"));
}

#[tokio::test]
async fn the_token_endpoint_learns_the_secret_as_it_wants() {
    let secret = |provider: SocialProvider| provider.client_secret("a:s +\u{e4}");
    let public = || SocialProvider::oidc("acme", ISSUER, "client", CALLBACK);
    let request = "grant_type=authorization_code&code=a%2Fcode\
                   &redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&code_verifier=";
    let post = "&client_id=client&client_secret=a%3As%20%2B%C3%A4";
    // `client:a%3As%20%2B%C3%A4`
    let basic = Some("Basic Y2xpZW50OmElM0FzJTIwJTJCJUMzJUE0");
    for (provider, methods, authorization, rest) in [
        (secret(public()), json!(["client_secret_basic", "client_secret_post"]), basic, ""),
        (secret(public()), json!(["client_secret_post"]), None, post),
        (secret(public()), json!(["private_key_jwt"]), basic, ""),
        (secret(public()).client_auth(ClientAuth::Basic), json!(["client_secret_post"]), basic, ""),
        (secret(public()).client_auth(ClientAuth::Post), json!(["client_secret_basic"]), None, post),
        (public(), json!(["client_secret_basic"]), None, "&client_id=client"),
    ] {
        let world = World::new(&provider);
        let mut announced = metadata(ISSUER);
        announced["token_endpoint_auth_methods_supported"] = methods.clone();
        world.peer.json(METADATA, &announced);
        assert!(world.redeem().await.is_ok());
        let sent = &world.peer.arrived(TOKEN)[0];
        assert_eq!(sent.body, format!("{request}{VERIFIER}{rest}"), "{methods}");
        assert_eq!(sent.headers.get("authorization").map(|value| value.to_str().unwrap()), authorization);
        assert_eq!(sent.headers["content-type"], "application/x-www-form-urlencoded");
    }
}

#[tokio::test(start_paused = true)]
async fn only_a_code_that_was_certainly_not_redeemed_can_be_tried_again() {
    let text = |status, text: &str| Answer::Text(status, text.to_owned());
    let error = |code: &str| json!({"error": code, "error_description": "why"}).to_string();
    let refused = Failure::Refused;
    for (answer, failure) in [
        (Answer::NotSent, Failure::NotAccepted),
        (text(500, ""), Failure::NotAccepted),
        (text(503, &error("temporarily_unavailable")), Failure::NotAccepted),
        (text(429, ""), Failure::NotAccepted),
        (Answer::Failed, Failure::Unavailable),
        (Answer::Never, Failure::Unavailable),
        (text(302, ""), Failure::Unavailable),
        (text(307, ""), Failure::Unavailable),
        (text(400, &error("invalid_grant")), refused(Flaw::Code)),
        (text(404, "<html>"), refused(Flaw::Code)),
        (text(204, ""), refused(Flaw::Code)),
        (text(401, &error("invalid_client")), refused(Flaw::Client)),
        (text(200, &error("incorrect_client_credentials")), refused(Flaw::Client)),
        (text(200, &error("bad_verification_code")), refused(Flaw::Code)),
        (text(200, "access_token=a"), refused(Flaw::TokenResponse)),
        (text(200, "{}"), refused(Flaw::TokenResponse)),
        (text(200, r#"{"access_token":"a b"}"#), refused(Flaw::TokenResponse)),
        (text(200, r#"{"access_token":"a","access_token":"b"}"#), refused(Flaw::TokenResponse)),
        (text(200, r#"{"access_token":"a","id_token":1}"#), refused(Flaw::TokenResponse)),
        (text(200, r#"{"access_token":"a","token_type":"DPoP"}"#), refused(Flaw::TokenType)),
        (text(200, r#"{"access_token":"a","token_type":"bearer"}"#), refused(Flaw::IdTokenMissing)),
    ] {
        let world = World::new(&acme());
        world.peer.answer(TOKEN, answer);
        assert_eq!(world.redeem().await.err(), Some(failure));
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_is_down_takes_no_more_than_its_places_and_ten_seconds() {
    let world = World::new(&acme());
    assert!(world.redeem().await.is_ok());
    world.peer.answer(TOKEN, Answer::Never);
    let began = tokio::time::Instant::now();
    let all = join_all((0..40).map(|_| world.redeem())).await;
    let count = |failure| all.iter().filter(|result| result.as_ref().err() == Some(&failure)).count();
    assert_eq!((count(Failure::Unavailable), count(Failure::NotAccepted)), (32, 8));
    assert_eq!(began.elapsed().as_secs(), 5);
    // All requests of a callback have ten seconds.
    let world = World::new(&acme());
    world.peer.answer(METADATA, Answer::Slowly(metadata(ISSUER).to_string()));
    world.returns(&with(json!({"email": null})));
    world.peer.answer(USER_INFO, Answer::Never);
    let began = tokio::time::Instant::now();
    assert_eq!(world.redeem().await.err(), Some(Failure::Unavailable));
    assert_eq!(began.elapsed().as_millis(), 5100);
}

/// Handlers need futures that can go from thread to thread.
#[tokio::test]
async fn what_the_service_awaits_is_send() {
    let world = World::new(&acme().id_token_audiences(["client"]));
    let token = world.id_token(&claims());
    assert!(world.remote.authorization_url(&authorization(false)).boxed().await.is_ok());
    assert!(world.remote.check_issuer(None).boxed().await.is_ok());
    assert!(world.remote.redeem(&grant()).boxed().await.is_ok());
    assert!(world.remote.verify_native(&token, NONCE).boxed().await.is_ok());
}
