//! What a login with a passkey costs in process, and the verification of the signature in it.
//!
//! ```sh
//! cargo bench --manifest-path tests/benches/Cargo.toml --bench passkeys
//! ```
//!
//! The second column has a challenge of another ceremony, which is refused before the signature is verified. So the difference is at
//! least what the verification costs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program to measure with"
)]

#[path = "../support/account.rs"]
mod account;

use account::Account;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Request, StatusCode};
use axum_auth_module::config::{RateLimit, RateLimits, RelyingParty};
use axum_auth_module::repository::UserRepository;
use axum_auth_module::testing::{Client, MemoryPasskeys, MemoryUsers, SoftPasskey, login_as};
use axum_auth_module::user::NewUser;
use axum_auth_module::{AuthConfig, AuthModule, BoxError, auth_module};
use serde_json::{Value, json};
use std::time::Instant;
use tower::ServiceExt;

/// How often each case is measured, in turn with the others.
const ROUNDS: usize = 11;

/// How many requests a round has.
const COUNT: u32 = 300;

const ORIGIN: &str = "https://example.com";

const SECRET: &str = "the secret that signs access tokens";
const OTHER_SECRET: &str = "another secret, for refresh tokens";
const KEY: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let rsa = include_bytes!("../../http/passkeys/rsa-of-tests.der");
    let passkeys = [
        ("ES256", SoftPasskey::on(ORIGIN)),
        ("EdDSA", SoftPasskey::on(ORIGIN).with_ed25519()),
        ("RS256, 2048 bits", SoftPasskey::on(ORIGIN).with_rsa(rsa)),
    ];
    println!("| key | login, µs | refused before the signature, µs |");
    println!("|---|---|---|");
    for (name, mut passkey) in passkeys {
        let router = host(&mut passkey).await;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (is_right, times) in [true, false].into_iter().zip(&mut times) {
                let bodies = bodies(&router, &mut passkey, is_right).await;
                let began = Instant::now();
                for body in bodies {
                    let status = login(&router, body).await;
                    let expected = if is_right { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
                    assert_eq!(status, expected);
                }
                times.push(began.elapsed().as_secs_f64() * 1e6 / f64::from(COUNT));
            }
        }
        let [right, wrong] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 2]
        });
        println!("| {name} | {right:.0} | {wrong:.0} |");
    }
}

/// A host with one user, who has this passkey.
async fn host(passkey: &mut SoftPasskey) -> Router {
    let site = RelyingParty::new("example.com", "Example", [ORIGIN]).unwrap();
    let mut limits = RateLimits::default();
    limits.passkey_client = RateLimit::per_seconds(1_000_000, 60);
    let users = MemoryUsers::<Account>::default();
    let config =
        AuthConfig::builder(SECRET, OTHER_SECRET, KEY).relying_party(site).limits(limits).build().unwrap();
    let auth = module(users.clone(), config).unwrap();
    let ada = users.create(NewUser::new("Ada", "ada@example.com", "no password")).await.unwrap();
    let tokens = login_as(&auth, &ada).with_confirmed_password().tokens().await.unwrap();
    let router = Router::new().nest("/auth", auth.router()).with_state(auth);
    let client = Client::new(router.clone()).with_tokens(&tokens);
    let begun: Value = client.get("/auth/user/passkeys/options").await.expect(200).json();
    let credential = passkey.register(&begun["options"]);
    let body = json!({ "flowToken": begun["flowToken"], "credential": credential });
    client.post("/auth/user/passkeys").json(&body).await.expect(201);
    router
}

fn module(users: MemoryUsers<Account>, config: AuthConfig) -> Result<AuthModule<Account>, BoxError> {
    Ok(auth_module! {
        config: config,
        features: [PASSKEYS],
        user_repo: users,
        passkey_repo: MemoryPasskeys::new(),
    })
}

/// The bodies of a round, which the authenticator has signed already.
async fn bodies(router: &Router, passkey: &mut SoftPasskey, is_right: bool) -> Vec<String> {
    let visitor = Client::new(router.clone());
    let mut bodies = Vec::new();
    for _ in 0..COUNT {
        let mut begun: Value = visitor.get("/auth/passkeys/login/options").await.expect(200).json();
        if !is_right {
            begun["options"]["challenge"] = json!("A".repeat(43));
        }
        let credential = passkey.sign_in(&begun["options"]);
        bodies.push(json!({ "flowToken": begun["flowToken"], "credential": credential }).to_string());
    }
    bodies
}

async fn login(router: &Router, body: String) -> StatusCode {
    let request = Request::post("/auth/passkeys/login").header(CONTENT_TYPE, "application/json");
    let response = router.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
    let status = response.status();
    to_bytes(response.into_body(), 100_000).await.unwrap();
    status
}
