//! A client with a few accounts, which does one thing after the other.

use super::account::{Account, TwoFactor};
use super::client::{Call, Client, Outcome};
use super::history::Fact;
use super::random::Random;
use super::steps::guess;
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What a client does with an account, and how often.
const STEPS: &[(Step, usize)] = &[
    (Step::UseSession, 12),
    (Step::Refresh, 8),
    (Step::ReuseRefreshToken, 2),
    (Step::LogIn, 4),
    (Step::LogOut, 3),
    (Step::UseEndedSession, 6),
    (Step::ListSessions, 3),
    (Step::EndSession, 2),
    (Step::EndOtherSessions, 1),
    (Step::ChangeProfile, 3),
    (Step::ChangePassword, 2),
    (Step::ResetPassword, 2),
    (Step::ChangeTwoFactor, 3),
    (Step::WrongPassword, 1),
    (Step::Guess, 1),
];

#[derive(Clone, Copy)]
enum Step {
    UseSession,
    Refresh,
    ReuseRefreshToken,
    LogIn,
    LogOut,
    UseEndedSession,
    ListSessions,
    EndSession,
    EndOtherSessions,
    ChangeProfile,
    ChangePassword,
    ResetPassword,
    ChangeTwoFactor,
    WrongPassword,
    Guess,
}

/// A client of the soak test.
pub(super) struct Actor {
    pub(super) client: Client,
    pub(super) random: Random,
    /// Where reset tokens are delivered.
    pub(super) outbox: PathBuf,
    number: usize,
    /// How many names it has given.
    names: usize,
}

impl Actor {
    pub(super) fn new(number: usize, client: Client, random: Random, outbox: PathBuf) -> Self {
        Self { client, random, outbox, number, names: 0 }
    }

    /// Sends requests until this time. Returns its accounts.
    pub(super) async fn run(mut self, until: Instant) -> Vec<Account> {
        let (mut accounts, mut retired) = (Vec::new(), Vec::new());
        while Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(self.random.between(10, 120))).await;
            if accounts.len() < 3 || self.random.one_in(60) {
                accounts.extend(self.register().await);
                if accounts.len() > 6 {
                    retired.push(accounts.remove(0));
                }
                continue;
            }
            let mut account = accounts.swap_remove(self.random.below(accounts.len()));
            if account.is_unknown {
                if self.client.history().is_calm() && !self.find_out(&mut account).await && !account.exists {
                    // The registration was not executed.
                    continue;
                }
            } else if account.sessions.is_empty() {
                self.log_in(&mut account).await;
            } else {
                self.step(&mut account).await;
            }
            accounts.push(account);
        }
        accounts.append(&mut retired);
        accounts
    }

    async fn step(&mut self, account: &mut Account) {
        let total = STEPS.iter().map(|(_, weight)| weight).sum();
        let mut number = self.random.below(total);
        let step = STEPS.iter().find(|(_, weight)| {
            let is_it = number < *weight;
            number = number.saturating_sub(*weight);
            is_it
        });
        match step.map_or(Step::UseSession, |(step, _)| *step) {
            Step::UseSession => self.use_session(account).await,
            Step::Refresh => self.refresh(account).await,
            Step::ReuseRefreshToken => self.reuse_refresh_token(account).await,
            Step::LogIn => self.log_in(account).await,
            Step::LogOut => self.log_out(account).await,
            Step::UseEndedSession => self.use_ended_session(account).await,
            Step::ListSessions => self.list_sessions(account).await,
            Step::EndSession => self.end_session(account).await,
            Step::EndOtherSessions => self.end_other_sessions(account).await,
            Step::ChangeProfile => self.change_profile(account).await,
            Step::ChangePassword => self.change_password(account).await,
            Step::ResetPassword => self.reset_password(account).await,
            Step::ChangeTwoFactor => self.change_two_factor(account).await,
            Step::WrongPassword => self.send_wrong_password(account).await,
            Step::Guess => {
                let series = self.new_name();
                guess(&self.client, series, 7).await;
            }
        }
    }

    /// A text that no other account has.
    pub(super) fn new_name(&mut self) -> String {
        self.names += 1;
        format!("user-{}-{}", self.number, self.names)
    }

    /// Creates an account, or `None` if it was refused.
    async fn register(&mut self) -> Option<Account> {
        let name = self.new_name();
        let (email, password) = (format!("{name}@example.com"), format!("password of {name}"));
        let body =
            json!({ "name": name, "email": email, "password": password, "passwordConfirmation": password });
        let mut account = Account {
            emails: vec![email.clone()],
            passwords: vec![password],
            exists: false,
            name: Some(name),
            two_factor: TwoFactor::Off,
            step: 0,
            sessions: Vec::new(),
            ended: Vec::new(),
            exchanged: Vec::new(),
            is_unknown: false,
        };
        match self.client.send(Call::post("/auth/register", body)).await {
            Outcome::Done(body) => {
                account.exists = true;
                self.client.note(Fact::Registered { email });
                self.start_session(&mut account, &body);
            }
            Outcome::Refused(_) => return None,
            Outcome::Unknown => account.is_unknown = true,
        }
        Some(account)
    }
}
