//! What a login with a passkey costs in process, the verification of the signature in it, and a trusted device in the place of the second
//! factor.
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
use axum_auth_module::config::{PasskeyOptions, RateLimit, RateLimits, RelyingParty, UserVerification};
use axum_auth_module::repository::{MemorySessions, UserRepository};
use axum_auth_module::testing::{
    Client, MemoryPasskeys, MemoryUsers, SoftPasskey, enable_two_factor, login_as, totp_now,
};
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
        let router = host(&mut passkey).await.router;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (is_right, times) in [true, false].into_iter().zip(&mut times) {
                let bodies = bodies(&router, &mut passkey, is_right).await;
                let began = Instant::now();
                for body in bodies {
                    let (status, _) = login(&router, body).await;
                    let expected = if is_right { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
                    assert_eq!(status, expected);
                }
                times.push(began.elapsed().as_secs_f64() * 1e6 / f64::from(COUNT));
            }
        }
        let [right, wrong] = times.map(median);
        println!("| {name} | {right:.0} | {wrong:.0} |");
    }
    trusted_device().await;
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// Compares sign-ins of a user without a second factor with those on a trusted device of a user who has one.
async fn trusted_device() {
    let mut passkeys = [(); 2].map(|()| SoftPasskey::on(ORIGIN).without_user_verification());
    let (plain, second) = (host(&mut passkeys[0]).await, host(&mut passkeys[1]).await);
    let device = trust(&second, &mut passkeys[1]).await;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let cases = [(&plain.router, Value::Null), (&second.router, device.clone())];
        for (((router, device), passkey), times) in cases.into_iter().zip(&mut passkeys).zip(&mut times) {
            let mut bodies = bodies(router, passkey, true).await;
            for body in &mut bodies {
                body["deviceToken"] = device.clone();
            }
            let began = Instant::now();
            for body in bodies {
                let (status, response) = login(router, body).await;
                assert!(status == StatusCode::OK && response["twoFactor"] == false, "{response}");
            }
            times.push(began.elapsed().as_secs_f64() * 1e6 / f64::from(COUNT));
        }
    }
    let [plain, trusted] = times.map(median);
    println!("\n| sign-in with a passkey that has not verified its user | µs |");
    println!("|---|---|");
    println!("| of a user without a second factor | {plain:.0} |");
    println!("| of a user with one, on a trusted device | {trusted:.0} |");
}

/// Puts a second factor in force, completes a challenge with it, and returns the token of the device.
async fn trust(host: &Host, passkey: &mut SoftPasskey) -> Value {
    let ada = host.users.by_email("ada@example.com").unwrap();
    enable_two_factor(&host.auth, &ada).await.unwrap();
    let ada = host.users.by_email("ada@example.com").unwrap();
    let body = bodies(&host.router, passkey, true).await.remove(0);
    let (_, challenge) = login(&host.router, body).await;
    let code = totp_now(&host.auth, &ada).await.unwrap();
    let body = json!({ "challengeToken": challenge["challengeToken"], "code": code, "trustDevice": true });
    let client = Client::new(host.router.clone());
    let response: Value = client.post("/auth/two-factor-challenge").json(&body).await.expect(200).json();
    response["deviceToken"].clone()
}

struct Host {
    router: Router,
    auth: AuthModule<Account>,
    users: MemoryUsers<Account>,
}

/// A host with one user, who has this passkey.
async fn host(passkey: &mut SoftPasskey) -> Host {
    let site = RelyingParty::new("example.com", "Example", [ORIGIN]).unwrap();
    let mut limits = RateLimits::default();
    limits.passkey_client = RateLimit::per_seconds(1_000_000, 60);
    let users = MemoryUsers::<Account>::default();
    let mut options = PasskeyOptions::default();
    options.user_verification = UserVerification::Preferred;
    let config = AuthConfig::builder(SECRET, OTHER_SECRET, KEY).relying_party(site).limits(limits);
    let config = config.passkeys(options).build().unwrap();
    let auth = module(users.clone(), config).unwrap();
    let ada = users.create(NewUser::new("Ada", "ada@example.com", "no password")).await.unwrap();
    let tokens = login_as(&auth, &ada).with_confirmed_password().tokens().await.unwrap();
    let router = Router::new().nest("/auth", auth.router()).with_state(auth.clone());
    let client = Client::new(router.clone()).with_tokens(&tokens);
    let begun: Value = client.get("/auth/user/passkeys/options").await.expect(200).json();
    let credential = passkey.register(&begun["options"]);
    let body = json!({ "flowToken": begun["flowToken"], "credential": credential });
    client.post("/auth/user/passkeys").json(&body).await.expect(201);
    Host { router, auth, users }
}

fn module(users: MemoryUsers<Account>, config: AuthConfig) -> Result<AuthModule<Account>, BoxError> {
    Ok(auth_module! {
        config: config,
        features: [PASSKEYS, TWO_FACTOR_AUTHENTICATION, SESSIONS, TRUSTED_DEVICES],
        user_repo: users,
        session_repo: MemorySessions::new(),
        passkey_repo: MemoryPasskeys::new(),
    })
}

/// The bodies of a round, which the authenticator has signed already.
async fn bodies(router: &Router, passkey: &mut SoftPasskey, is_right: bool) -> Vec<Value> {
    let visitor = Client::new(router.clone());
    let mut bodies = Vec::new();
    for _ in 0..COUNT {
        let mut begun: Value = visitor.get("/auth/passkeys/login/options").await.expect(200).json();
        if !is_right {
            begun["options"]["challenge"] = json!("A".repeat(43));
        }
        let credential = passkey.sign_in(&begun["options"]);
        bodies.push(json!({ "flowToken": begun["flowToken"], "credential": credential }));
    }
    bodies
}

async fn login(router: &Router, body: Value) -> (StatusCode, Value) {
    let request = Request::post("/auth/passkeys/login").header(CONTENT_TYPE, "application/json");
    let response = router.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), 100_000).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap())
}
