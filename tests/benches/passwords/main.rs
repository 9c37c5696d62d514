//! How many logins a second the library answers, with the crate `bcrypt` and with interleaved hashes; the figures are in
//! `tests/benches/README.md`.
//!
//! ```sh
//! cargo bench --manifest-path tests/benches/Cargo.toml --bench passwords              # cost 10
//! cargo bench --manifest-path tests/benches/Cargo.toml --bench passwords -- 12
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a program to measure with"
)]

#[path = "../support/account.rs"]
mod account;

use account::Account;
use axum_auth_module::AuthModule;
use axum_auth_module::client::ClientAddress;
use axum_auth_module::config::{AuthConfig, BcryptImplementation, RateLimit, RateLimits};
use axum_auth_module::repository::UserRepository;
use axum_auth_module::services::{LoginService, SignedIn};
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::user::NewUser;
use axum_auth_module::values::{EmailAddress, Password};
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::time::Instant;

/// How often each case is measured, in turn with the others.
const ROUNDS: usize = 7;
/// Logins in a round.
const LOGINS: usize = 64;
/// Clients at a time.
const CLIENTS: [usize; 5] = [1, 2, 4, 8, 64];

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "correct horse battery";

async fn module(implementation: BcryptImplementation, cost: u32) -> AuthModule<Account> {
    let mut limits = RateLimits::default();
    // Logins that are under way count as failures until it is known that they are none.
    limits.login_account = RateLimit::per_seconds(1_000_000, 60);
    let config = AuthConfig::builder(
        "the secret that signs access tokens",
        "another secret, for refresh tokens",
        "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
    );
    let config = config.limits(limits).bcrypt_cost(cost).bcrypt_implementation(implementation);
    let users = MemoryUsers::<Account>::default();
    users.create(NewUser::new("Ada", EMAIL, bcrypt::hash(PASSWORD, cost).unwrap())).await.unwrap();
    AuthModule::builder(config.build().unwrap(), users).build().unwrap()
}

async fn log_in(auth: &AuthModule<Account>, client: IpAddr) {
    let email = EmailAddress::parse(EMAIL).unwrap();
    let password = Password::to_check(PASSWORD.to_owned());
    let service = auth.service::<LoginService>().unwrap();
    let signed_in = service.login(&email, &password, ClientAddress::from(client)).await.unwrap();
    assert!(matches!(signed_in, SignedIn::Session(_)));
}

/// Logins a second, with so many clients that each wait for their response before the next login.
async fn logins_per_second(auth: &AuthModule<Account>, clients: usize) -> f64 {
    let began = Instant::now();
    let tasks: Vec<_> = (0..clients)
        .map(|client| {
            let (auth, address) = (auth.clone(), IpAddr::from([10, 0, 0, u8::try_from(client).unwrap()]));
            tokio::spawn(async move {
                for _ in 0..LOGINS / clients {
                    log_in(&auth, address).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    LOGINS as f64 / began.elapsed().as_secs_f64()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

#[tokio::main]
async fn main() {
    // `cargo bench` adds `--bench`.
    let cost = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(10);
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let modules = [
        module(BcryptImplementation::Crate, cost).await,
        module(BcryptImplementation::Interleaved, cost).await,
    ];
    let mut rates = CLIENTS.map(|_| [Vec::new(), Vec::new()]);
    let mut hashes = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let _ = std::hint::black_box(bcrypt::hash(PASSWORD, cost));
        hashes.push(began.elapsed().as_secs_f64());
        for (clients, rates) in CLIENTS.into_iter().zip(&mut rates) {
            for (module, rates) in modules.iter().zip(rates) {
                rates.push(logins_per_second(module, clients).await);
            }
        }
    }
    // What the cores could do with one hash after the other.
    let ideal = cores as f64 / median(hashes);
    println!("cost {cost}, {cores} cores; cores ÷ time of one hash of the crate: {ideal:.1} per second\n");
    println!(
        "| clients | crate: logins per second | interleaved | interleaved ÷ crate | interleaved ÷ (cores ÷ hash) |"
    );
    println!("|---|---|---|---|---|");
    for (clients, rates) in CLIENTS.into_iter().zip(rates) {
        let [by_crate, interleaved] = rates.map(median);
        let (ratio, of_ideal) = (interleaved / by_crate, interleaved / ideal);
        println!("| {clients} | {by_crate:.1} | {interleaved:.1} | {ratio:.2} | {of_ideal:.2} |");
    }
}
