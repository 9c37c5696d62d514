//! Metadata and keys: how long they are kept, and when they are fetched.

use super::*;
use futures_util::future::join_all;

const HOUR: Duration = Duration::from_secs(3600);

impl World {
    fn fetches(&self, url: &str) -> usize {
        self.peer.arrived(url).len()
    }
}

#[tokio::test]
async fn documents_are_kept_and_old_ones_serve_while_the_provider_is_down() {
    let world = World::new(&acme());
    let redeem = async || {
        let now = world.clock.clone();
        let now = crate::clock::unix_seconds(crate::clock::Clock::now(&now));
        world.judge(&with(json!({"iat": now, "exp": now + 60}))).await.err()
    };
    assert_eq!(redeem().await, None);
    world.clock.advance(HOUR - Duration::from_secs(1));
    assert_eq!(redeem().await, None);
    assert_eq!((world.fetches(METADATA), world.fetches(KEYS)), (1, 1));
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(redeem().await, None);
    assert_eq!((world.fetches(METADATA), world.fetches(KEYS)), (1, 2));

    world.peer.answer(METADATA, Answer::Failed);
    world.peer.answer(KEYS, Answer::Text(503, String::new()));
    world.clock.advance(24 * HOUR);
    assert_eq!(redeem().await, None);
    assert_eq!((world.fetches(METADATA), world.fetches(KEYS)), (2, 3));
    // It is left alone for five seconds.
    assert_eq!(redeem().await, None);
    assert_eq!((world.fetches(METADATA), world.fetches(KEYS)), (2, 3));
    world.clock.advance(Duration::from_secs(5));
    assert_eq!(redeem().await, None);
    assert_eq!((world.fetches(METADATA), world.fetches(KEYS)), (3, 4));
    // The keys are 25 hours old: the code was redeemed, and nobody knows who has signed the token.
    world.clock.advance(HOUR);
    assert_eq!(redeem().await, Some(Failure::Unavailable));
    world.clock.advance(23 * HOUR);
    assert_eq!(redeem().await, Some(Failure::NotAccepted));

    world.peer.json(METADATA, &metadata(ISSUER));
    world.publish(&[world.signer.jwk("k1")]);
    world.clock.advance(Duration::from_secs(5));
    assert_eq!(redeem().await, None);
}

#[tokio::test(start_paused = true)]
async fn callers_share_a_fetch() {
    let world = World::new(&acme());
    world.peer.answer(METADATA, Answer::Slowly(metadata(ISSUER).to_string()));
    world.peer.answer(KEYS, Answer::Slowly(json!({"keys": [world.signer.jwk("k1")]}).to_string()));
    let all = join_all((0..20).map(|_| world.redeem())).await;
    assert!(all.iter().all(Result::is_ok));
    assert_eq!((world.fetches(METADATA), world.fetches(KEYS)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn callers_share_a_failure() {
    let world = World::new(&acme());
    world.peer.answer(METADATA, Answer::Never);
    let all = join_all((0..20).map(|_| world.redeem())).await;
    assert!(all.iter().all(|result| matches!(result, Err(Failure::NotAccepted))));
    assert_eq!(world.fetches(METADATA), 1);
}

#[tokio::test]
async fn rotated_keys_are_found_at_once_and_a_flood_fetches_once_a_minute() {
    let mut world = World::new(&acme());
    assert!(world.redeem().await.is_ok());
    // In the first minute, and with the first fetch just before.
    world.signer = Signer::p256();
    world.publish(&[world.signer.jwk("k2")]);
    let rotated = |world: &World, kid: &str| {
        let header = json!({"alg": "ES256", "kid": kid}).to_string();
        world.returns_token(&world.signer.token(&header, &claims().to_string()));
    };
    rotated(&world, "k2");
    assert!(world.redeem().await.is_ok());
    assert_eq!(world.fetches(KEYS), 2);
    for number in 0..20 {
        rotated(&world, &format!("unknown{number}"));
        assert_eq!(flaw(world.redeem().await), Flaw::UnknownKey);
    }
    assert_eq!(world.fetches(KEYS), 2);
    world.clock.advance(Duration::from_secs(60));
    for number in 0..20 {
        rotated(&world, &format!("unknown{number}"));
        assert_eq!(flaw(world.redeem().await), Flaw::UnknownKey);
    }
    assert_eq!(world.fetches(KEYS), 3);
    // A fetch that fails is one, too, and then nobody knows.
    world.clock.advance(Duration::from_secs(60));
    world.peer.answer(KEYS, Answer::Failed);
    for _ in 0..5 {
        assert_eq!(world.redeem().await.err(), Some(Failure::Unavailable));
    }
    assert_eq!(world.fetches(KEYS), 4);
    // The keys that are known serve.
    rotated(&world, "k2");
    assert!(world.redeem().await.is_ok());
}

#[tokio::test]
async fn a_token_of_somebody_else_fetches_nothing() {
    let world = World::new(&acme().id_token_audiences(["app"]));
    for others in [json!({"iss": "https://other.example", "aud": "app"}), json!({"aud": "other"})] {
        let token = world.id_token(&with(others));
        assert!(world.remote.verify_native(&token, NONCE).await.is_err());
    }
    assert_eq!((world.fetches(METADATA), world.fetches(KEYS)), (0, 0));
}

#[tokio::test]
async fn a_key_is_found_by_its_id_or_is_the_only_one_that_fits() {
    let (other, rsa) = (Signer::p256().jwk("k1"), Signer::rsa().jwk("k9"));
    let without_kid = |world: &World| {
        let header = json!({"alg": "ES256"}).to_string();
        world.signer.token(&header, &claims().to_string())
    };
    let judge = async |keys: &dyn Fn(Value) -> Vec<Value>, has_kid: bool| {
        let world = World::new(&acme());
        world.publish(&keys(world.signer.jwk("k1")));
        if !has_kid {
            world.returns_token(&without_kid(&world));
        }
        world.redeem().await.err()
    };
    let changed = |own: Value, others: Value| {
        let mut own = own;
        change(own.as_object_mut().unwrap(), others);
        own
    };
    let unknown = Some(Failure::Refused(Flaw::UnknownKey));
    // Two keys of one id: those that fit are tried.
    assert_eq!(judge(&|own| vec![other.clone(), own], true).await, None);
    assert_eq!(judge(&|own| vec![own], false).await, None);
    assert_eq!(judge(&|own| vec![own, rsa.clone()], false).await, None);
    assert_eq!(judge(&|own| vec![own, other.clone()], false).await, unknown);
    for others in [
        json!({"use": "enc"}),
        json!({"key_ops": ["sign"]}),
        json!({"d": "AQ"}),
        json!({"alg": "ES384"}),
        json!({"crv": "P-384"}),
        json!({"kty": "oct"}),
        json!({"x": "AQ"}),
        json!({"x": 1}),
        json!({"kid": 1}),
    ] {
        let keys = |own: Value| vec![changed(own, others.clone()), rsa.clone(), json!(1)];
        assert_eq!(judge(&keys, true).await, unknown, "{others}");
    }
    // There may be no key at all.
    assert_eq!(judge(&|own| vec![changed(own, json!({"use": "enc"}))], true).await, unknown);
    let plain = json!({"use": null, "alg": null, "key_ops": ["verify"], "x5c": ["ignored"]});
    assert_eq!(judge(&|own| vec![changed(own, plain.clone())], true).await, None);
}
