//! Logins, with and without a second factor.

use crate::soak::account::{Account, Device, TwoFactor};
use crate::soak::actor::Actor;
use crate::soak::client::{Call, Outcome};
use crate::soak::history::{Fact, Once, Via};
use serde_json::{Value, json};

/// What a login has led to.
enum Login {
    In(Value),
    Challenge(String),
    Refused,
    /// Nothing is known about the password: no response, or 429. An attempt whose response was lost stays counted.
    Unknown,
}

impl Actor {
    /// Logs in with what is known. Whatever does not work then is a loss.
    pub(in crate::soak) async fn log_in(&mut self, account: &mut Account) {
        let (email, password) = (account.email().to_owned(), account.password().to_owned());
        match self.try_login(&email, &password, &["too_many_attempts"]).await {
            Login::In(body) => {
                if account.is_two_factor_on() {
                    let detail = format!("{email} could log in without the second factor");
                    self.client.note(Fact::Contradiction { detail });
                }
                self.start_session(account, &body);
            }
            Login::Challenge(token) => self.complete(account, token).await,
            Login::Refused | Login::Unknown => {}
        }
    }

    async fn try_login(&self, email: &str, password: &str, may_refuse: &'static [&'static str]) -> Login {
        let body = json!({ "email": email, "password": password });
        match self.client.send(Call::post("/auth/login", body).may_refuse(may_refuse)).await {
            Outcome::Done(body) => match body.get("challengeToken").and_then(Value::as_str) {
                Some(token) => Login::Challenge(token.to_owned()),
                None => Login::In(body),
            },
            Outcome::Refused(code) if code == "too_many_attempts" => Login::Unknown,
            Outcome::Refused(_) => Login::Refused,
            Outcome::Unknown => Login::Unknown,
        }
    }

    /// Completes a login with a code, or with a recovery code. Sometimes it tries to use one of them twice.
    async fn complete(&mut self, account: &mut Account, token: String) {
        let email = account.email().to_owned();
        let mut device = match &account.two_factor {
            TwoFactor::On(device) | TwoFactor::Unknown(device) => device.clone(),
            TwoFactor::Off => {
                let detail = format!("{email} is asked for a second factor that was never confirmed");
                return self.client.note(Fact::Contradiction { detail });
            }
        };
        let code = if self.random.one_in(2) { account.next_code(&device.secret) } else { None };
        let outcome = match code {
            Some(code) => {
                device.used_code = Some(code.clone());
                self.with_code(account, &device, token, &code).await
            }
            None => match device.recovery_codes.pop() {
                Some(code) => {
                    device.used_recovery_code = Some(code.clone());
                    self.with_recovery_code(token, &device.secret, &code).await
                }
                None => return,
            },
        };
        match outcome {
            Outcome::Done(body) => {
                // It was asked for and has worked.
                account.two_factor = TwoFactor::On(device);
                self.start_session(account, &body);
            }
            Outcome::Refused(_) => {
                self.client.note(Fact::LoginLost { email, detail: "a new code was refused" });
            }
            Outcome::Unknown => {
                if let TwoFactor::On(stored) | TwoFactor::Unknown(stored) = &mut account.two_factor {
                    *stored = device;
                }
            }
        }
    }

    /// One code for two challenges, at once on both instances.
    async fn with_code(&self, account: &Account, device: &Device, token: String, code: &str) -> Outcome {
        let key = format!("{} {code}", device.secret);
        let one =
            |token: String, via| self.challenge(via, token, "code", code, Once::OneTimeCode, key.clone());
        // The answer is the same as to any other login; if it is not, the loss shows elsewhere.
        let Login::Challenge(second) =
            self.try_login(account.email(), account.password(), &["too_many_attempts"]).await
        else {
            return one(token, Via::Balancer).await;
        };
        let (first, second) = tokio::join!(one(token, Via::Balancer), one(second, Via::Balancer));
        better(first, second)
    }

    /// One challenge and one recovery code, at once on both instances, and then once more.
    async fn with_recovery_code(&self, token: String, secret: &str, code: &str) -> Outcome {
        let key = format!("{secret} {code}");
        let one = || {
            self.challenge(
                Via::Balancer,
                token.clone(),
                "recoveryCode",
                code,
                Once::RecoveryCode,
                key.clone(),
            )
        };
        let (first, second) = tokio::join!(one(), one());
        let outcome = better(first, second);
        if outcome.is_done() {
            self.client.note(Fact::Replayed { kind: Once::Challenge });
            // If it works again, that is noted.
            one().await;
        }
        outcome
    }

    /// Sends an answer to a challenge, and notes what it has used up.
    pub(in crate::soak) async fn challenge(
        &self,
        via: Via,
        token: String,
        field: &str,
        code: &str,
        kind: Once,
        key: String,
    ) -> Outcome {
        let mut body = json!({ "challengeToken": token });
        if let Some(body) = body.as_object_mut() {
            body.insert(field.to_owned(), code.into());
        }
        let call = Call::post("/auth/two-factor-challenge", body).via(via).may_refuse(&[
            "invalid_challenge_token",
            "invalid_two_factor_code",
            "invalid_recovery_code",
        ]);
        let outcome = self.client.send(call).await;
        if outcome.is_done() {
            self.client.note(Fact::Accepted { kind: Once::Challenge, secret: token });
            self.client.note(Fact::Accepted { kind, secret: key });
        }
        outcome
    }

    /// Sends codes again that were used, in a new login.
    pub(in crate::soak) async fn replay_codes(&mut self, account: &Account) {
        let TwoFactor::On(device) = &account.two_factor else { return };
        let replays = [
            (&device.used_code, "code", Once::OneTimeCode),
            (&device.used_recovery_code, "recoveryCode", Once::RecoveryCode),
        ];
        for (code, field, kind) in replays {
            let Some(code) = code else { continue };
            let login = self.try_login(account.email(), account.password(), &["too_many_attempts"]).await;
            let Login::Challenge(token) = login else { return };
            let key = format!("{} {code}", device.secret);
            self.client.note(Fact::Replayed { kind });
            self.challenge(Via::Balancer, token, field, code, kind, key).await;
        }
    }

    /// Finds out by a login what has become of an account after a request without a response. All servers must run.
    /// Returns `false` if there is no such account, or if it is still unknown.
    pub(in crate::soak) async fn find_out(&mut self, account: &mut Account) -> bool {
        let mut challenged = None;
        'found: {
            for email in account.emails.clone() {
                for password in account.passwords.clone().into_iter().rev() {
                    let may_refuse = &["invalid_credentials", "too_many_attempts"];
                    match self.try_login(&email, &password, may_refuse).await {
                        Login::Refused => continue,
                        Login::Unknown => return true,
                        Login::In(body) => self.start_session(account, &body),
                        Login::Challenge(token) => challenged = Some(token),
                    }
                    (account.emails, account.passwords) = (vec![email], vec![password]);
                    break 'found;
                }
            }
            if account.exists {
                let email = account.email().to_owned();
                self.client
                    .note(Fact::LoginLost { email, detail: "no password that it can have is accepted" });
                // Noted once.
                account.exists = false;
            }
            return false;
        }
        account.is_unknown = false;
        if !account.exists {
            account.exists = true;
            self.client.note(Fact::Registered { email: account.email().to_owned() });
        }
        match (challenged, &account.two_factor) {
            (Some(token), two_factor) => {
                if let TwoFactor::Unknown(device) = two_factor {
                    account.two_factor = TwoFactor::On(device.clone());
                }
                self.complete(account, token).await;
            }
            (None, TwoFactor::On(_)) => {
                let detail = format!("{} has lost its second factor", account.email());
                self.client.note(Fact::Contradiction { detail });
            }
            (None, _) => account.two_factor = TwoFactor::Off,
        }
        true
    }

    /// Sends a wrong password.
    pub(in crate::soak) async fn send_wrong_password(&mut self, account: &mut Account) {
        let may_refuse = &["invalid_credentials", "too_many_attempts"];
        match self.try_login(account.email(), "a wrong password", may_refuse).await {
            Login::Refused | Login::Unknown => {}
            Login::In(_) | Login::Challenge(_) => {
                let detail = format!("{} could log in with a wrong password", account.email());
                self.client.note(Fact::Contradiction { detail });
            }
        }
    }
}

/// Of two answers to the same question, the one that is known, if possible.
pub(in crate::soak) fn better(first: Outcome, second: Outcome) -> Outcome {
    match (first, second) {
        (Outcome::Done(body), _) | (_, Outcome::Done(body)) => Outcome::Done(body),
        // The other may have been executed.
        (Outcome::Unknown, _) | (_, Outcome::Unknown) => Outcome::Unknown,
        (refused, _) => refused,
    }
}
