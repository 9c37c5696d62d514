//! The protocol with a provider in this process.

mod caches;
mod flows;
mod peer;
mod people;
mod rsa_key;
mod tokens;

use super::{Asserted, Authorization, Failure, Flaw, Grant, Remote};
use crate::social::{SocialProvider, SocialProviders};
use crate::testing::MovableClock;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use peer::{Answer, Peer, Signer};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

const ISSUER: &str = "https://id.example";
const METADATA: &str = "https://id.example/.well-known/openid-configuration";
const KEYS: &str = "https://id.example/keys";
const TOKEN: &str = "https://id.example/token";
const USER_INFO: &str = "https://id.example/userinfo";
const CALLBACK: &str = "https://app.example/callback";
const NOW: u64 = 1_800_000_000;
const NONCE: &str = "n-0S6_WzA2Mj";
const ACCESS_TOKEN: &str = "an-access-token";
/// Of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// A provider, and what the program knows of it.
struct World {
    peer: Arc<Peer>,
    clock: MovableClock,
    remote: Remote,
    signer: Signer,
}

/// A provider of any kind.
fn acme() -> SocialProvider {
    SocialProvider::oidc("acme", ISSUER, "client", CALLBACK).client_secret("secret")
}

fn metadata(issuer: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": "https://id.example/authorize",
        "token_endpoint": TOKEN,
        "jwks_uri": KEYS,
        "userinfo_endpoint": USER_INFO,
        "id_token_signing_alg_values_supported": ["RS256", "ES256", "EdDSA", "HS256", "none"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
    })
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": "client", "sub": "4711", "exp": NOW + 300, "iat": NOW, "nonce": NONCE,
        "email": "Ada@example.org", "email_verified": true, "name": "Ada",
    })
}

const fn grant() -> Grant<'static> {
    Grant { code: "a/code", redirect_uri: CALLBACK, verifier: VERIFIER, nonce: NONCE, fresh_since: None }
}

impl World {
    fn new(provider: &SocialProvider) -> Self {
        Self::with(provider, Signer::p256())
    }

    /// The provider, which answers everything as it should.
    fn with(provider: &SocialProvider, signer: Signer) -> Self {
        SocialProviders::new([provider.clone()]).unwrap();
        let (peer, clock) =
            (Arc::new(Peer::default()), MovableClock::at(UNIX_EPOCH + Duration::from_secs(NOW)));
        let remote = Remote::new(provider, Arc::clone(&peer) as _, Arc::new(clock.clone()));
        let world = Self { peer, clock, remote, signer };
        world.peer.json(METADATA, &metadata(ISSUER));
        world.publish(&[world.signer.jwk("k1")]);
        world.returns(&claims());
        world
    }

    fn publish(&self, keys: &[Value]) {
        self.peer.json(KEYS, &json!({"keys": keys}));
    }

    fn header(&self) -> Value {
        json!({"alg": self.signer.algorithm(), "kid": "k1", "typ": "JWT"})
    }

    fn id_token(&self, claims: &Value) -> String {
        self.signer.token(&self.header().to_string(), &claims.to_string())
    }

    /// What the token endpoint returns.
    fn returns(&self, claims: &Value) {
        self.returns_token(&self.id_token(claims));
    }

    fn returns_token(&self, id_token: &str) {
        let response = json!({"access_token": ACCESS_TOKEN, "token_type": "Bearer", "id_token": id_token});
        self.peer.json(TOKEN, &response);
    }

    async fn redeem(&self) -> Result<Asserted, Failure> {
        self.remote.redeem(&grant()).await
    }

    /// What the program makes of these claims.
    async fn judge(&self, claims: &Value) -> Result<Asserted, Failure> {
        self.returns(claims);
        self.redeem().await
    }
}

/// The claims with others in place of some; null removes one.
fn with(others: Value) -> Value {
    let mut claims = claims();
    change(claims.as_object_mut().unwrap(), others);
    claims
}

#[allow(clippy::needless_pass_by_value, reason = "the callers write it in place")]
fn change(members: &mut Map<String, Value>, others: Value) {
    for (name, value) in others.as_object().unwrap().clone() {
        if value.is_null() {
            members.remove(&name);
        } else {
            members.insert(name, value);
        }
    }
}

#[allow(clippy::needless_pass_by_value, reason = "the callers have it in hand")]
fn flaw(result: Result<Asserted, Failure>) -> Flaw {
    match result {
        Err(Failure::Refused(flaw)) => flaw,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it was accepted"),
    }
}

fn half_hash(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(text.as_bytes())[..16])
}
