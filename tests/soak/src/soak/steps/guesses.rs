//! Guesses, more of them than the limits allow.

use crate::soak::client::{Call, Client, Outcome};
use crate::soak::history::Fact;
use serde_json::json;
use std::time::Instant;

/// Guesses passwords of an address that has no account.
pub(in crate::soak) async fn guess(client: &Client, series: String, times: usize) {
    let email = format!("{series}@example.net");
    for number in 0..times {
        let body = json!({ "email": email, "password": format!("guess {number}") });
        let call = Call::post("/auth/login", body).may_refuse(&["invalid_credentials", "too_many_attempts"]);
        let sent = Instant::now();
        let is_counted = match client.send(call).await {
            Outcome::Refused(code) => code == "invalid_credentials",
            Outcome::Done(_) => {
                client.note(Fact::Contradiction { detail: "a login without an account".to_owned() });
                false
            }
            Outcome::Unknown => false,
        };
        client.note(Fact::Guessed { series: email.clone(), sent, is_counted });
    }
}
