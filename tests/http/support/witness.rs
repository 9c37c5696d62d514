//! Everything that the clients of a host have sent and received, to check afterwards where the secrets in it went.

use super::answer::Answer;
use super::{App, logs};
use axum_auth_module::events::Event;
use reqwest::RequestBuilder;
use reqwest::header::{AUTHORIZATION, COOKIE};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

/// The members of bodies, in both directions, whose texts are secrets.
const SECRET_MEMBERS: [&str; 11] = [
    "password",
    "passwordConfirmation",
    "currentPassword",
    "code",
    "recoveryCode",
    "token",
    "accessToken",
    "refreshToken",
    "challengeToken",
    "secretKey",
    "signature",
];

/// Remembers from the moment on at which it is made.
pub(crate) struct Witness {
    /// How long the log was then.
    log: usize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    secrets: BTreeSet<String>,
    /// The addresses of people.
    addresses: BTreeSet<String>,
    /// The path and the body of each response.
    responses: Vec<(String, String)>,
    /// How many responses were a 5xx.
    failures: usize,
}

impl Witness {
    pub(crate) fn new() -> Self {
        Self { log: logs::length(), seen: Mutex::default() }
    }

    /// Keeps what is secret in a request.
    pub(super) fn sees_request(&self, request: &RequestBuilder) {
        let Some(request) = request.try_clone().and_then(|copy| copy.build().ok()) else { return };
        for name in [AUTHORIZATION, COOKIE] {
            for value in request.headers().get_all(name) {
                let value = String::from_utf8_lossy(value.as_bytes());
                value.split([' ', '=', ';']).for_each(|word| self.keep(word));
            }
        }
        let body = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
        self.keep_members(&serde_json::from_slice(body).unwrap_or_default());
    }

    /// Keeps a response, and what is secret in it.
    pub(super) fn sees_answer(&self, path: &str, answer: &Answer) {
        answer.set_cookies().iter().for_each(|cookie| self.keep(&cookie.value));
        self.keep_members(&answer.body);
        // Recovery codes are the only array.
        for code in answer.body.as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.keep(code);
        }
        let mut seen = self.seen();
        seen.failures += usize::from(answer.status >= 500);
        seen.responses.push((path.to_owned(), answer.text.clone()));
    }

    /// Keeps a secret.
    pub(crate) fn keep(&self, text: &str) {
        // Shorter words can be anywhere by chance.
        let is_code = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_code || (12..10_000).contains(&text.len()) {
            self.seen().secrets.insert(text.to_owned());
        }
    }

    fn keep_members(&self, body: &Value) {
        for (name, value) in body.as_object().into_iter().flatten() {
            match value.as_str() {
                // The `code` of a problem is none.
                Some(_) if name == "code" && body["status"].is_number() => {}
                Some(text) if SECRET_MEMBERS.contains(&name.as_str()) => self.keep(text),
                Some(text) if name == "email" && text.contains('@') && (8..1000).contains(&text.len()) => {
                    self.seen().addresses.insert(text.to_owned());
                }
                _ => {}
            }
        }
    }

    /// How many responses so far were a 5xx.
    pub(crate) fn failures(&self) -> usize {
        self.seen().failures
    }

    /// No secret and no address is in these events or in what the module has logged meanwhile, and nothing that only the host knows is in
    /// these or in a response.
    pub(crate) fn found_no_secret(&self, app: &App, events: &[Event]) {
        let seen = self.seen();
        let users = app.users.all().into_iter();
        let stored = users
            .flat_map(|user| [Some(user.password), user.two_factor_secret, user.two_factor_recovery_codes]);
        // What a test has written there in place of it can be any word.
        let stored = stored.flatten().filter(|text| text.len() >= 12);
        let of_the_host: Vec<_> =
            stored.chain(super::forge::SECRETS.iter().map(|&secret| secret.to_owned())).collect();
        for (path, text) in &seen.responses {
            assert!(!of_the_host.iter().any(|secret| text.contains(secret)), "{path}: {text}");
        }
        let events: Vec<_> = events.iter().map(without_time).collect();
        let log = logs::recorded_since(self.log);
        // Only the module's own lines: the HTTP client of these tests and hyper may log what passes through them. The time
        // at the beginning of a line can contain the digits of a code.
        let lines = log.lines().filter(|line| line.contains(" axum_auth_module: "));
        let lines: Vec<_> = lines.filter_map(|line| line.split_once(' ')).map(|(_, rest)| rest).collect();
        // Each in one text: there are thousands of secrets, and a search in many texts takes minutes.
        let (events, lines) = (events.join("\n"), lines.join("\n"));
        for address in &seen.addresses {
            assert!(!events.contains(address), "{address} is in an event");
            assert!(!lines.contains(address), "{address} is in the log");
        }
        for secret in seen.secrets.iter().chain(&of_the_host) {
            assert!(!events.contains(secret), "{secret} is in an event");
            assert!(!lines.contains(secret.as_str()), "{secret} is in the log");
        }
    }

    /// A test that has failed while it held the lock must not hide why.
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Everything that an event says, except for its time, whose digits can be those of a code by chance.
pub(crate) fn without_time(event: &Event) -> String {
    let mut event = event.clone();
    event.at = UNIX_EPOCH;
    format!("{event:?}")
}

#[tokio::test]
async fn the_digits_of_a_time_are_no_code() {
    let app = App::with_everything().await;
    app.clock.set(UNIX_EPOCH + Duration::new(1_795_000_000, 482_913_000));
    app.register("ada@example.com").await;
    let event = app.event().await;
    assert!(format!("{event:?}").contains("482913") && !without_time(&event).contains("482913"), "{event:?}");
}
