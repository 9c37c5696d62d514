//! What a request costs in process, next to a host that is written by hand; the figures are in `tests/benches/README.md`.
//!
//! ```sh
//! cargo bench --manifest-path tests/benches/Cargo.toml --bench requests                       # times, and the ratios of one interleaved run
//! cargo bench --manifest-path tests/benches/Cargo.toml --bench requests -- --instructions     # instructions; needs valgrind
//! tests/benches/budget                                                                      # whether they are within the budget
//! ```

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
mod by_hand;
mod instructions;
mod with_library;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Instant;
use tower::ServiceExt;

/// How often each case is measured, in turn with the others.
const ROUNDS: usize = 15;

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Claims,
    CurrentUser,
    ApiToken,
    Status,
    Refresh,
}

impl Case {
    const ALL: [Self; 5] = [Self::Claims, Self::CurrentUser, Self::ApiToken, Self::Status, Self::Refresh];

    const fn name(self) -> &'static str {
        match self {
            Self::Claims => "claims",
            Self::CurrentUser => "current-user",
            Self::ApiToken => "api-token",
            Self::Status => "status",
            Self::Refresh => "refresh",
        }
    }
}

/// A host with one user, who is logged in.
struct Host {
    router: Router,
    access: String,
    refresh: String,
    api_token: String,
}

impl Host {
    async fn start(router: Router) -> Self {
        let (access, refresh, api_token) = Default::default();
        let mut host = Self { router, access, refresh, api_token };
        let registration = json!({
            "name": "Ada", "email": "ada@example.com",
            "password": "correct horse battery", "passwordConfirmation": "correct horse battery",
        });
        let answer = host.send(Method::POST, "/auth/register", None, Some(&registration)).await;
        host.keep(&answer);
        let access = host.access.clone();
        let confirmation = json!({ "password": "correct horse battery" });
        let wanted = json!({ "name": "Backup", "scopes": ["read"] });
        host.send(Method::POST, "/verified", Some(&access), None).await;
        host.send(Method::POST, "/auth/user/confirm-password", Some(&access), Some(&confirmation)).await;
        let created = host.send(Method::POST, "/auth/user/api-tokens", Some(&access), Some(&wanted)).await;
        created["token"].as_str().expect("a token").clone_into(&mut host.api_token);
        host
    }

    fn keep(&mut self, answer: &Value) {
        let token = |name: &str| answer[name].as_str().expect("a token").to_owned();
        (self.access, self.refresh) = (token("accessToken"), token("refreshToken"));
    }

    async fn send(&self, method: Method, path: &str, bearer: Option<&str>, body: Option<&Value>) -> Value {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = bearer {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let request = request.header(CONTENT_TYPE, "application/json").body(body).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        assert!(matches!(response.status(), StatusCode::OK | StatusCode::CREATED), "{}", response.status());
        let body = to_bytes(response.into_body(), 100_000).await.unwrap();
        serde_json::from_slice(&body).unwrap_or_default()
    }

    async fn run(&mut self, case: Case, count: u64) {
        let (access, api_token) = (self.access.clone(), self.api_token.clone());
        for _ in 0..count {
            match case {
                Case::Claims => self.send(Method::GET, "/claims", Some(&access), None).await,
                Case::CurrentUser => self.send(Method::GET, "/me", Some(&access), None).await,
                Case::ApiToken => self.send(Method::GET, "/api", Some(&api_token), None).await,
                Case::Status => {
                    self.send(Method::GET, "/auth/user/confirmed-password-status", Some(&access), None).await
                }
                Case::Refresh => {
                    let body = json!({ "refreshToken": self.refresh });
                    let answer = self.send(Method::POST, "/auth/refresh", None, Some(&body)).await;
                    self.keep(&answer);
                    answer
                }
            };
        }
    }
}

/// The hosts of a name.
async fn host(name: &str) -> Host {
    match name {
        "by-hand" => Host::start(by_hand::router()).await,
        "with-library" => Host::start(with_library::router()).await,
        _ => panic!("{name} is no host"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    // `cargo bench` adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => times().await,
        ["--instructions"] => instructions::measure(),
        ["--budget"] => return instructions::check(),
        ["--budget", "--write"] => instructions::write(),
        // What valgrind runs.
        ["--run", name, case, count] => {
            let case = Case::ALL.into_iter().find(|known| known.name() == *case).expect("a case");
            host(name).await.run(case, count.parse().expect("a number")).await;
        }
        other => panic!("{other:?}: see the top of main.rs"),
    }
    ExitCode::SUCCESS
}

/// Prints the times of all cases. They take turns, so that a disturbance of the machine affects all of them.
async fn times() {
    let (mut by_hand, mut with_library) = (host("by-hand").await, host("with-library").await);
    println!("| request | by hand, µs | with the library, µs | by hand ÷ library |");
    println!("|---|---|---|---|");
    for case in Case::ALL {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (host, times) in [&mut by_hand, &mut with_library].into_iter().zip(&mut times) {
                let began = Instant::now();
                host.run(case, 2000).await;
                times.push(began.elapsed().as_secs_f64() * 1e6 / 2000.0);
            }
        }
        let [by_hand, with_library] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        let ratio = by_hand / with_library;
        println!("| {} | {by_hand:.1} | {with_library:.1} | {ratio:.2} |", case.name());
    }
}
