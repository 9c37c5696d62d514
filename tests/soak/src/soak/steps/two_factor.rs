//! Turning two-factor authentication on and off.

use crate::soak::account::{Account, Device, Session, TwoFactor};
use crate::soak::actor::Actor;
use crate::soak::client::{Call, Outcome};
use crate::soak::history::{Fact, Once};
use serde_json::{Value, json};

impl Actor {
    /// Turns it on, or makes new recovery codes, or sends codes again that were used, or turns it off.
    pub(in crate::soak) async fn change_two_factor(&mut self, account: &mut Account) {
        let Some(session) = self.any_session(account) else { return };
        let device = match &account.two_factor {
            TwoFactor::Unknown(_) => return,
            TwoFactor::Off => None,
            TwoFactor::On(device) => Some(device.clone()),
        };
        let is_short = device.as_ref().is_some_and(|device| device.recovery_codes.len() < 3);
        if !is_short && device.is_some() && self.random.one_in(2) {
            return self.replay_codes(account).await;
        }
        if !self.confirm_password(account, &session).await {
            return;
        }
        match device {
            None => self.enrol(account, &session).await,
            Some(device) if is_short || self.random.one_in(2) => self.renew(account, &session, device).await,
            Some(device) => {
                let call = Call::delete("/auth/user/two-factor-authentication").token(&session.access);
                let outcome = self.client.send(call).await;
                let by = "DELETE /user/two-factor-authentication";
                self.changed(account, &session, outcome, by, TwoFactor::Off, device);
            }
        }
    }

    /// A secret, its recovery codes, and the confirmation with a code.
    async fn enrol(&mut self, account: &mut Account, session: &Session) {
        let call = Call { body: None, ..Call::post("/auth/user/two-factor-authentication", Value::Null) };
        if !self.client.send(call.token(&session.access)).await.is_done() {
            return;
        }
        let call = Call::get("/auth/user/two-factor-secret-key").token(&session.access);
        let Outcome::Done(body) = self.client.send(call).await else { return };
        let Some(secret) = body.get("secretKey").and_then(Value::as_str) else { return };
        let call = Call::get("/auth/user/two-factor-recovery-codes").token(&session.access);
        let Outcome::Done(codes) = self.client.send(call).await else { return };
        let recovery_codes = texts(&codes);
        let mut device = Device { secret: secret.to_owned(), recovery_codes, ..Device::default() };
        let Some(code) = account.next_code(&device.secret) else { return };
        device.used_code = Some(code.clone());
        let body = json!({ "code": code });
        let call = Call::post("/auth/user/confirmed-two-factor-authentication", body).token(&session.access);
        let outcome = self.client.send(call).await;
        if outcome.is_done() {
            let secret = format!("{} {code}", device.secret);
            self.client.note(Fact::Accepted { kind: Once::OneTimeCode, secret });
        }
        let by = "POST /user/confirmed-two-factor-authentication";
        self.changed(account, session, outcome, by, TwoFactor::On(device.clone()), device);
    }

    /// Replaces the recovery codes.
    async fn renew(&mut self, account: &mut Account, session: &Session, device: Device) {
        let call = Call { body: None, ..Call::post("/auth/user/two-factor-recovery-codes", Value::Null) };
        account.two_factor = TwoFactor::On(match self.client.send(call.token(&session.access)).await {
            Outcome::Done(codes) => Device { recovery_codes: texts(&codes), ..device },
            Outcome::Refused(_) => device,
            // Either the old ones work, or the new ones, which nobody knows.
            Outcome::Unknown => Device { recovery_codes: Vec::new(), ..device },
        });
    }

    /// Notes a credential change, which ends the other sessions.
    fn changed(
        &mut self,
        account: &mut Account,
        session: &Session,
        outcome: Outcome,
        by: &'static str,
        next: TwoFactor,
        device: Device,
    ) {
        match outcome {
            Outcome::Done(body) => {
                self.others_ended(account, session, &body, by);
                account.two_factor = next;
            }
            Outcome::Refused(_) => {}
            Outcome::Unknown => {
                self.all_unknown(account);
                account.two_factor = TwoFactor::Unknown(device);
                account.is_unknown = true;
            }
        }
    }
}

/// The texts of an array.
fn texts(array: &Value) -> Vec<String> {
    array.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
