//! Sessions: their start, their use, and their end.

use crate::soak::account::{Account, Exchanged, Session};
use crate::soak::actor::Actor;
use crate::soak::client::{Call, Outcome};
use crate::soak::history::{Fact, Once, Via};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The default `refresh_grace` and a little more, because the driver measures from the outside.
const AFTER_GRACE: Duration = Duration::from_secs(12);

const BOTH: [Via; 2] = [Via::Instance(0), Via::Instance(1)];

impl Actor {
    /// Notes the session of a response with a pair of tokens.
    pub(in crate::soak) fn start_session(&mut self, account: &mut Account, body: &Value) {
        match Session::of(body) {
            Some(session) => {
                self.client.note(Fact::SessionStarted { session: session.name.clone() });
                account.sessions.push(session);
            }
            None => self.client.note(Fact::Contradiction { detail: "a response without tokens".to_owned() }),
        }
    }

    /// Takes a session out of those that are alive: a response says that it has ended.
    pub(in crate::soak) fn ended(&self, account: &mut Account, session: Session, by: &'static str) {
        account.sessions.retain(|other| other.name != session.name);
        account.exchanged.retain(|other| other.session != session.name);
        self.client.note(Fact::SessionEnded { session: session.name.clone(), by });
        account.ended.push(session);
    }

    /// Takes a session out of those that are alive: it may have ended.
    pub(in crate::soak) fn unknown(&self, account: &mut Account, session: &Session) {
        account.sessions.retain(|other| other.name != session.name);
        account.exchanged.retain(|other| other.session != session.name);
        self.client.note(Fact::SessionUnknown { session: session.name.clone() });
    }

    /// The same for all sessions of an account.
    pub(in crate::soak) fn all_unknown(&self, account: &mut Account) {
        for session in account.sessions.clone() {
            self.unknown(account, &session);
        }
    }

    /// The response of `acting` says that its credentials have changed and that all others have ended.
    pub(in crate::soak) fn others_ended(
        &self,
        account: &mut Account,
        acting: &Session,
        body: &Value,
        by: &'static str,
    ) {
        for session in account.sessions.clone() {
            let has_continued = session.name == acting.name;
            self.ended(account, Session { has_continued, ..session }, by);
        }
        match acting.continued(body) {
            Some(session) => {
                self.client.note(Fact::SessionStarted { session: session.name.clone() });
                account.sessions.push(session);
            }
            None => self.client.note(Fact::Contradiction { detail: "a response without tokens".to_owned() }),
        }
    }

    /// One of the sessions that are alive.
    pub(in crate::soak) fn any_session(&mut self, account: &Account) -> Option<Session> {
        account.sessions.get(self.random.below(account.sessions.len())).cloned()
    }

    /// Uses an access token on both instances, and compares the account with what was stored last.
    pub(in crate::soak) async fn use_session(&mut self, account: &mut Account) {
        let Some(session) = self.any_session(account) else { return };
        self.see_alive(account, &session).await;
    }

    pub(in crate::soak) async fn see_alive(&self, account: &Account, session: &Session) {
        for via in BOTH {
            let call = Call::get("/me").token(&session.access).via(via).may_refuse(&["unauthenticated"]);
            let outcome = self.client.send(call).await;
            if let Outcome::Done(body) = &outcome {
                let text = |name| body.get(name).and_then(Value::as_str);
                let is_name_right = account.name.is_none() || text("name") == account.name.as_deref();
                let is_email_right = account.emails.iter().any(|email| text("email") == Some(email));
                if !is_name_right || !is_email_right {
                    let detail = format!("{} has lost a change of its profile", account.email());
                    self.client.note(Fact::Contradiction { detail });
                }
            }
            self.seen(session, &outcome, "its access token");
        }
    }

    /// Uses the tokens of a session that has ended, on both instances.
    pub(in crate::soak) async fn use_ended_session(&mut self, account: &mut Account) {
        let session = account.ended.get(self.random.below(account.ended.len())).cloned();
        if let Some(session) = session {
            self.see_ended(&session).await;
        }
    }

    pub(in crate::soak) async fn see_ended(&self, session: &Session) {
        for via in BOTH {
            let call = Call::get("/me").token(&session.access).via(via).may_refuse(&["unauthenticated"]);
            self.seen(session, &self.client.send(call).await, "its access token");
            let body = json!({ "refreshToken": session.refresh });
            let call = Call::post("/auth/refresh", body).via(via).may_refuse(&["invalid_refresh_token"]);
            self.seen(session, &self.client.send(call).await, "its refresh token");
        }
    }

    fn seen(&self, session: &Session, outcome: &Outcome, how: &'static str) {
        let is_accepted = match outcome {
            Outcome::Done(_) => true,
            Outcome::Refused(_) => false,
            Outcome::Unknown => return,
        };
        self.client.note(Fact::SessionSeen { session: session.name.clone(), is_accepted, how });
    }

    /// Exchanges a refresh token, sometimes twice at once, as two tabs do.
    pub(in crate::soak) async fn refresh(&mut self, account: &mut Account) {
        let Some(session) = self.any_session(account) else { return };
        let call = || {
            let body = json!({ "refreshToken": session.refresh });
            Call::post("/auth/refresh", body).may_refuse(&["invalid_refresh_token"])
        };
        let sent = Instant::now();
        let mut outcome = self.client.send(call()).await;
        if self.random.one_in(4) {
            let (first, second) = tokio::join!(self.client.send(call()), self.client.send(call()));
            for (again, name) in [(first, "the second"), (second, "the third")] {
                // What is refused within the grace period is a loss.
                if sent.elapsed() < Duration::from_secs(9) {
                    self.seen(&session, &again, name);
                }
                outcome = match outcome {
                    Outcome::Unknown => again,
                    known => known,
                };
            }
        }
        self.seen(&session, &outcome, "its refresh token");
        match outcome {
            Outcome::Done(body) => {
                let Some(next) = Session::of(&body) else { return };
                let (name, token) = (session.name.clone(), session.refresh.clone());
                account.exchanged.push(Exchanged { session: name, token, at: Instant::now() });
                if let Some(stored) = account.sessions.iter_mut().find(|other| other.name == session.name) {
                    *stored = Session { name: session.name, ..next };
                }
            }
            // The token may have been exchanged, and the new pair is lost. After the grace period it would be a reuse.
            Outcome::Refused(_) | Outcome::Unknown => self.unknown(account, &session),
        }
    }

    /// Exchanges a refresh token once more after its grace period, which ends the session.
    pub(in crate::soak) async fn reuse_refresh_token(&mut self, account: &mut Account) {
        let late = account.exchanged.iter().position(|exchanged| exchanged.at.elapsed() > AFTER_GRACE);
        let Some(Exchanged { session, token, .. }) = late.map(|index| account.exchanged.swap_remove(index))
        else {
            return self.use_session(account).await;
        };
        let Some(session) = account.sessions.iter().find(|other| other.name == session).cloned() else {
            return;
        };
        self.client.note(Fact::Accepted { kind: Once::RefreshToken, secret: token.clone() });
        self.client.note(Fact::Replayed { kind: Once::RefreshToken });
        let call = Call::post("/auth/refresh", json!({ "refreshToken": token }))
            .may_refuse(&["refresh_token_reused"]);
        match self.client.send(call).await {
            Outcome::Done(_) => self.client.note(Fact::Accepted { kind: Once::RefreshToken, secret: token }),
            Outcome::Refused(_) => self.ended(account, session, "the reuse of a refresh token"),
            Outcome::Unknown => self.unknown(account, &session),
        }
    }

    /// Logs out, sometimes while the session is being refreshed.
    pub(in crate::soak) async fn log_out(&mut self, account: &mut Account) {
        let Some(session) = self.any_session(account) else { return };
        let logout = Call { body: None, ..Call::post("/auth/logout", Value::Null) }.token(&session.access);
        let (outcome, refreshed) = if self.random.one_in(3) {
            let body = json!({ "refreshToken": session.refresh });
            let refresh = Call::post("/auth/refresh", body).may_refuse(&["invalid_refresh_token"]);
            let (outcome, refreshed) = tokio::join!(self.client.send(logout), self.client.send(refresh));
            (outcome, Some(refreshed))
        } else {
            (self.client.send(logout).await, None)
        };
        match outcome {
            Outcome::Done(_) => {
                if let Some(Outcome::Done(body)) = refreshed
                    && let Some(next) = Session::of(&body)
                {
                    account.ended.push(Session { name: session.name.clone(), ..next });
                }
                self.ended(account, session, "logout");
            }
            Outcome::Refused(_) => self.seen(&session, &outcome, "logout"),
            Outcome::Unknown => self.unknown(account, &session),
        }
    }

    /// Lists the sessions. All that are alive must be there, and none that has ended.
    pub(in crate::soak) async fn list_sessions(&mut self, account: &mut Account) {
        let Some(session) = self.any_session(account) else { return };
        let Outcome::Done(body) =
            self.client.send(Call::get("/auth/user/sessions").token(&session.access)).await
        else {
            return;
        };
        let rows = body.get("sessions").and_then(Value::as_array).into_iter().flatten();
        let ids: Vec<_> = rows.filter_map(|row| row.get("id")?.as_str()).collect();
        for session in &account.sessions {
            let is_accepted = ids.contains(&session.id.as_str());
            self.client.note(Fact::SessionSeen {
                session: session.name.clone(),
                is_accepted,
                how: "the list",
            });
        }
        for ended in account.ended.iter().filter(|ended| !ended.has_continued) {
            let is_accepted = ids.contains(&ended.id.as_str());
            self.client.note(Fact::SessionSeen { session: ended.name.clone(), is_accepted, how: "the list" });
        }
    }

    /// Ends one session with another one.
    pub(in crate::soak) async fn end_session(&mut self, account: &mut Account) {
        let [acting, .., other] = account.sessions.as_slice() else { return self.log_in(account).await };
        let (acting, other) = (acting.clone(), other.clone());
        if !self.confirm_password(account, &acting).await {
            return;
        }
        let path = format!("/auth/user/sessions/{}", other.id);
        let call = Call { path: &path, ..Call::delete("/auth/user/sessions/{id}") }.token(&acting.access);
        match self.client.send(call).await {
            Outcome::Done(_) => self.ended(account, other, "DELETE /user/sessions/{id}"),
            Outcome::Refused(_) => {}
            Outcome::Unknown => self.unknown(account, &other),
        }
    }

    /// Ends all sessions but one.
    pub(in crate::soak) async fn end_other_sessions(&mut self, account: &mut Account) {
        let Some(acting) = self.any_session(account) else { return };
        if !self.confirm_password(account, &acting).await {
            return;
        }
        let outcome = self.client.send(Call::delete("/auth/user/sessions").token(&acting.access)).await;
        for other in account.sessions.clone().into_iter().filter(|other| other.name != acting.name) {
            match outcome {
                Outcome::Done(_) => self.ended(account, other, "DELETE /user/sessions"),
                Outcome::Refused(_) => {}
                Outcome::Unknown => self.unknown(account, &other),
            }
        }
    }
}
