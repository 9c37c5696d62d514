//! ID tokens: each rule is broken alone.

use super::*;
use crate::crypto::random::hex_of;
use sha2::Sha512;

#[tokio::test]
async fn a_token_of_each_algorithm_is_accepted() {
    for signer in [Signer::rsa(), Signer::p256(), Signer::ed25519()] {
        let hash = match signer.algorithm() {
            "EdDSA" => URL_SAFE_NO_PAD.encode(&Sha512::digest(ACCESS_TOKEN.as_bytes())[..32]),
            _ => half_hash(ACCESS_TOKEN),
        };
        let world = World::with(&acme(), signer);
        let person = world.judge(&with(json!({"at_hash": hash}))).await.ok().unwrap();
        assert_eq!((person.issuer.as_str(), person.subject.as_str()), (ISSUER, "4711"));
        assert_eq!((person.email.as_deref(), person.name.as_deref()), (Some("Ada@example.org"), Some("Ada")));
        assert_eq!(person.trust, crate::social::Trust::Verified);
        assert_eq!(flaw(world.judge(&with(json!({"at_hash": "x"}))).await), Flaw::AccessTokenHash);
    }
}

#[tokio::test]
async fn each_claim_that_is_wrong_has_its_own_reason() {
    let world = World::new(&acme());
    for (others, reason) in [
        (json!({"iss": null}), Flaw::Issuer),
        (json!({"iss": "https://id.example/"}), Flaw::Issuer),
        (json!({"iss": [ISSUER]}), Flaw::Issuer),
        (json!({"aud": null}), Flaw::Audience),
        (json!({"aud": "other"}), Flaw::Audience),
        (json!({"aud": []}), Flaw::Audience),
        (json!({"aud": ["client", "other"], "azp": "client"}), Flaw::Audience),
        (json!({"aud": ["client", 1]}), Flaw::Audience),
        (json!({"aud": ["client", "client"]}), Flaw::AuthorizedParty),
        (json!({"azp": "other"}), Flaw::AuthorizedParty),
        (json!({"azp": ["client"]}), Flaw::AuthorizedParty),
        (json!({"exp": null}), Flaw::Expired),
        (json!({"exp": NOW - 60}), Flaw::Expired),
        (json!({"exp": (NOW + 60).to_string()}), Flaw::Expired),
        (json!({"exp": true}), Flaw::Expired),
        (json!({"iat": null}), Flaw::IssuedAt),
        (json!({"iat": NOW + 61}), Flaw::IssuedAt),
        (json!({"iat": NOW - 661}), Flaw::IssuedAt),
        (json!({"iat": NOW.to_string()}), Flaw::IssuedAt),
        (json!({"nbf": NOW + 61}), Flaw::NotBefore),
        (json!({"nbf": "1"}), Flaw::NotBefore),
        (json!({"nonce": null}), Flaw::Nonce),
        (json!({"nonce": "other"}), Flaw::Nonce),
        (json!({"nonce": hex_of(&Sha256::digest(NONCE))}), Flaw::Nonce),
        (json!({"at_hash": half_hash("another")}), Flaw::AccessTokenHash),
        (json!({"at_hash": 1}), Flaw::AccessTokenHash),
        (json!({"sub": null}), Flaw::Subject),
        (json!({"sub": ""}), Flaw::Subject),
        (json!({"sub": 4711}), Flaw::Subject),
        (json!({"sub": "a\u{0}"}), Flaw::Subject),
        (json!({"sub": "a".repeat(256)}), Flaw::Subject),
    ] {
        assert_eq!(flaw(world.judge(&with(others.clone())).await), reason, "{others}");
    }
    for others in [
        json!({"aud": ["client"]}),
        json!({"aud": ["client", "client"], "azp": "client"}),
        json!({"azp": "client"}),
        json!({"exp": NOW - 59}),
        json!({"exp": 1_800_000_000.5}),
        json!({"iat": NOW + 60}),
        json!({"iat": NOW - 660}),
        json!({"iat": 1_799_999_999.5}),
        json!({"nbf": NOW + 60}),
        json!({"auth_time": 1}),
        json!({"sub": "a".repeat(255)}),
    ] {
        assert!(world.judge(&with(others.clone())).await.is_ok(), "{others}");
    }
}

#[tokio::test]
async fn each_header_that_is_wrong_has_its_own_reason() {
    let world = World::new(&acme());
    for (others, reason) in [
        (json!({"alg": null}), Flaw::Algorithm),
        (json!({"alg": "none"}), Flaw::Algorithm),
        (json!({"alg": "None"}), Flaw::Algorithm),
        (json!({"alg": "HS256"}), Flaw::Algorithm),
        (json!({"alg": "ES384"}), Flaw::Algorithm),
        (json!({"alg": ["ES256"]}), Flaw::Algorithm),
        // The key of this id is of another algorithm.
        (json!({"alg": "RS256"}), Flaw::UnknownKey),
        (json!({"crit": ["exp"]}), Flaw::Critical),
        (json!({"crit": []}), Flaw::Critical),
        (json!({"typ": "at+jwt"}), Flaw::TypeOfToken),
        (json!({"typ": 1}), Flaw::TypeOfToken),
        (json!({"kid": 1}), Flaw::Malformed),
        (json!({"kid": "k2"}), Flaw::UnknownKey),
    ] {
        let mut header = world.header();
        change(header.as_object_mut().unwrap(), others.clone());
        world.returns_token(&world.signer.token(&header.to_string(), &claims().to_string()));
        assert_eq!(flaw(world.redeem().await), reason, "{others}");
    }
}

#[tokio::test]
async fn what_is_no_token_of_the_key_is_refused() {
    let world = World::new(&acme());
    let (token, header) = (world.id_token(&claims()), world.header().to_string());
    let (message, signature) = token.rsplit_once('.').unwrap();
    let (of_another, twice) =
        (world.id_token(&with(json!({"sub": "1"}))), claims().to_string().replacen('{', r#"{"sub":"1","#, 1));
    let deep = format!("{}1{}", r#"{"a":"#.repeat(200), "}".repeat(200));
    for (token, reason) in [
        (String::new(), Flaw::Malformed),
        ("a.b".to_owned(), Flaw::Malformed),
        (format!("{token}.a"), Flaw::Malformed),
        (format!("{token}="), Flaw::Malformed),
        (world.signer.token(&header, "[]"), Flaw::Malformed),
        (world.signer.token(&header, &twice), Flaw::Malformed),
        (world.signer.token(&header, &deep), Flaw::Malformed),
        (world.signer.token("{}{}", &claims().to_string()), Flaw::Malformed),
        (world.id_token(&with(json!({"a": "a".repeat(20_000)}))), Flaw::Malformed),
        (format!("{message}."), Flaw::Signature),
        (format!("{message}.{}", of_another.rsplit_once('.').unwrap().1), Flaw::Signature),
        (format!("{}.{signature}", of_another.rsplit_once('.').unwrap().0), Flaw::Signature),
        (Signer::p256().token(&header, &claims().to_string()), Flaw::Signature),
    ] {
        world.returns_token(&token);
        assert_eq!(flaw(world.redeem().await), reason, "{token}");
    }
}

#[tokio::test]
async fn an_algorithm_must_be_announced() {
    let world = World::new(&acme());
    let mut announced = metadata(ISSUER);
    announced["id_token_signing_alg_values_supported"] = json!(["RS256"]);
    world.peer.json(METADATA, &announced);
    assert_eq!(flaw(world.redeem().await), Flaw::Algorithm);
}

#[tokio::test]
async fn the_user_was_asked_again_if_the_provider_says_when() {
    let world = World::new(&acme());
    for (asked, accepted) in [
        (json!({"auth_time": NOW}), true),
        (json!({"auth_time": NOW - 60}), true),
        (json!({"auth_time": NOW - 61}), false),
        (json!({"auth_time": "now"}), false),
        (json!({}), true),
    ] {
        world.returns(&with(asked.clone()));
        let result = world.remote.redeem(&Grant { fresh_since: Some(NOW), ..grant() }).await;
        let expected = if accepted { None } else { Some(Failure::Refused(Flaw::AuthenticationTime)) };
        assert_eq!(result.err(), expected, "{asked}");
    }
}

#[tokio::test]
async fn a_token_of_a_code_is_for_the_client_and_may_be_for_its_apps() {
    let world = World::new(&acme().id_token_audiences(["app"]));
    for (others, reason) in [
        (json!({"aud": ["client", "app"], "azp": "client"}), None),
        (json!({"aud": "app"}), Some(Flaw::Audience)),
        (json!({"aud": ["client", "app"]}), Some(Flaw::AuthorizedParty)),
        (json!({"aud": ["client", "app"], "azp": "app"}), Some(Flaw::AuthorizedParty)),
        (json!({"azp": "app"}), Some(Flaw::AuthorizedParty)),
    ] {
        let judged = world.judge(&with(others.clone())).await;
        assert_eq!(judged.err(), reason.map(Failure::Refused), "{others}");
    }
}

#[tokio::test]
async fn a_token_of_an_app_is_for_one_of_the_apps() {
    let world = World::new(&acme().id_token_audiences(["web", "android"]));
    let judge = async |others: Value| {
        let result = world.remote.verify_native(&world.id_token(&with(others)), NONCE).await;
        result.err()
    };
    for others in [
        json!({"aud": "web"}),
        json!({"aud": "web", "azp": "android"}),
        json!({"aud": ["web", "android"], "azp": "android"}),
        json!({"aud": "web", "nonce": hex_of(&Sha256::digest(NONCE))}),
        json!({"aud": "web", "at_hash": "of an access token that nobody has shown"}),
    ] {
        assert_eq!(judge(others.clone()).await, None, "{others}");
    }
    for (others, reason) in [
        (json!({}), Flaw::Audience),
        (json!({"aud": ["web", "other"], "azp": "web"}), Flaw::Audience),
        (json!({"aud": ["web", "android"]}), Flaw::AuthorizedParty),
        (json!({"aud": "web", "azp": "client"}), Flaw::AuthorizedParty),
        (json!({"aud": "web", "nonce": hex_of(&Sha256::digest(NONCE)).to_uppercase()}), Flaw::Nonce),
        (json!({"aud": "web", "iat": NOW - 661}), Flaw::IssuedAt),
        (json!({"aud": "web", "exp": NOW - 60}), Flaw::Expired),
    ] {
        assert_eq!(judge(others.clone()).await, Some(Failure::Refused(reason)), "{others}");
    }
    let without = World::new(&acme());
    let refused = without.remote.verify_native(&without.id_token(&claims()), NONCE).await;
    assert_eq!(flaw(refused), Flaw::NotOffered);
}
