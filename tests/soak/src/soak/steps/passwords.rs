//! Changes, resets and confirmations of passwords.

use super::login::better;
use crate::soak::account::{Account, Session};
use crate::soak::actor::Actor;
use crate::soak::client::{Call, Outcome};
use crate::soak::history::{Fact, Once};
use cluster::host;
use serde_json::json;
use std::time::Duration;

impl Actor {
    /// Confirms the password in a session. Returns whether the response was 2xx.
    pub(in crate::soak) async fn confirm_password(&mut self, account: &Account, session: &Session) -> bool {
        let body = json!({ "password": account.password() });
        let call = Call::post("/auth/user/confirm-password", body).token(&session.access);
        self.client.send(call).await.is_done()
    }

    /// Changes the password, which ends the other sessions.
    pub(in crate::soak) async fn change_password(&mut self, account: &mut Account) {
        let Some(session) = self.any_session(account) else { return };
        let (old, new) = (account.password().to_owned(), format!("password of {}", self.new_name()));
        let body = json!({ "currentPassword": old, "password": new, "passwordConfirmation": new });
        match self.client.send(Call::put("/auth/user/password", body).token(&session.access)).await {
            Outcome::Done(body) => {
                self.others_ended(account, &session, &body, "PUT /user/password");
                account.passwords = vec![new];
                if self.random.one_in(3) {
                    self.send_old_password(account, &old).await;
                }
            }
            Outcome::Refused(_) => {}
            Outcome::Unknown => {
                self.all_unknown(account);
                account.passwords.push(new);
                account.is_unknown = true;
            }
        }
    }

    /// Sends a password that was replaced.
    async fn send_old_password(&self, account: &Account, old: &str) {
        let body = json!({ "email": account.email(), "password": old });
        let call = Call::post("/auth/login", body).may_refuse(&["invalid_credentials", "too_many_attempts"]);
        if self.client.send(call).await.is_done() {
            let detail = format!("{} could log in with its previous password", account.email());
            self.client.note(Fact::Contradiction { detail });
        }
    }

    /// Resets the password, which ends all sessions. Sometimes two requests use the token at once.
    pub(in crate::soak) async fn reset_password(&mut self, account: &mut Account) {
        let email = account.email().to_owned();
        let file = host::reset_token_file(&self.outbox, &email);
        // A token of before, if there is one.
        let _ = std::fs::remove_file(&file);
        match self.client.send(Call::post("/auth/forgot-password", json!({ "email": email }))).await {
            Outcome::Done(_) => {}
            Outcome::Refused(_) => return,
            // It may replace the next token, as soon as the database executes it.
            Outcome::Unknown => return account.is_unknown = true,
        }
        // It is delivered after the response. If the instance is killed in between, it is never delivered.
        let mut token = None;
        for _ in 0..60 {
            token = std::fs::read_to_string(&file).ok();
            if token.is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let Some(token) = token else { return account.is_unknown = true };

        let passwords = [0; 2].map(|_| format!("password of {}", self.new_name()));
        let [first, second] = &passwords;
        if !self.random.one_in(3) {
            let outcome = self.send_reset(&email, &token, first, &[]).await;
            self.note_reset(account, outcome, &token, &[first]).await;
            return;
        }
        let refused = &["invalid_reset_token"];
        let (one, other) = tokio::join!(
            self.send_reset(&email, &token, first, refused),
            self.send_reset(&email, &token, second, refused)
        );
        // Only the password of the request that has worked can be right.
        let possible: &[&String] = match (&one, &other) {
            (Outcome::Done(_), _) => &[first],
            (_, Outcome::Done(_)) => &[second],
            _ => &[first, second],
        };
        self.note_reset(account, better(one, other), &token, possible).await;
    }

    async fn send_reset(
        &self,
        email: &str,
        token: &str,
        password: &str,
        may_refuse: &'static [&'static str],
    ) -> Outcome {
        let body =
            json!({ "email": email, "token": token, "password": password, "passwordConfirmation": password });
        let outcome = self.client.send(Call::post("/auth/reset-password", body).may_refuse(may_refuse)).await;
        if outcome.is_done() {
            self.client.note(Fact::Accepted { kind: Once::ResetToken, secret: token.to_owned() });
        }
        outcome
    }

    async fn note_reset(
        &mut self,
        account: &mut Account,
        outcome: Outcome,
        token: &str,
        possible: &[&String],
    ) {
        match outcome {
            Outcome::Done(_) => {
                for session in account.sessions.clone() {
                    self.ended(account, session, "POST /reset-password");
                }
                account.passwords = possible.iter().map(|&password| password.clone()).collect();
                self.client.note(Fact::Replayed { kind: Once::ResetToken });
                let again = format!("password of {}", self.new_name());
                let email = account.email().to_owned();
                self.send_reset(&email, token, &again, &["invalid_reset_token"]).await;
            }
            Outcome::Refused(_) => {
                let detail = format!("{}: a new reset token was refused", account.email());
                self.client.note(Fact::Contradiction { detail });
            }
            Outcome::Unknown => {
                self.all_unknown(account);
                account.passwords.extend(possible.iter().map(|&password| password.clone()));
                account.is_unknown = true;
            }
        }
    }
}
