//! Accounts and sessions, in memory.

use crate::Account;
use crate::tokens::{REFRESH_LIFETIME, Turn};
use std::collections::HashMap;
use std::time::SystemTime;

#[derive(Default)]
pub(crate) struct Accounts {
    accounts: Vec<Account>,
    sessions: HashMap<u64, Session>,
}

struct Session {
    account: u64,
    /// How often it was refreshed: a refresh token of an earlier turn was used before.
    turn: u64,
    expires: SystemTime,
}

impl Accounts {
    /// A new account's id, or `None` when the address is taken.
    #[allow(clippy::needless_update, reason = "the bench gives the struct a field more")]
    pub(crate) fn create(&mut self, name: String, email: String, password: String) -> Option<u64> {
        if self.by_email(&email).is_some() {
            return None;
        }
        let id = self.accounts.last().map_or(1, |last| last.id + 1);
        self.accounts.push(Account { id, name, email, password, ..Account::default() });
        Some(id)
    }

    pub(crate) fn by_email(&self, email: &str) -> Option<&Account> {
        self.accounts.iter().find(|account| account.email == email)
    }

    /// Whose session it is, as long as it lasts.
    pub(crate) fn by_session(&self, session: u64, now: SystemTime) -> Option<&Account> {
        let session = self.sessions.get(&session).filter(|session| session.expires > now)?;
        self.accounts.iter().find(|account| account.id == session.account)
    }

    /// Begins a session, and forgets those that are over.
    pub(crate) fn begin(&mut self, account: u64, session: u64, now: SystemTime) -> Turn {
        self.sessions.retain(|_, session| session.expires > now);
        self.sessions.insert(session, Session { account, turn: 0, expires: now + REFRESH_LIFETIME });
        Turn { session, turn: 0 }
    }

    /// The next turn of a session. A token that was used before is in two hands: its session ends.
    pub(crate) fn next(&mut self, used: Turn, now: SystemTime) -> Option<Turn> {
        let session = self.sessions.get_mut(&used.session).filter(|session| session.expires > now)?;
        if session.turn != used.turn {
            self.sessions.remove(&used.session);
            return None;
        }
        session.turn += 1;
        session.expires = now + REFRESH_LIFETIME;
        Some(Turn { turn: session.turn, ..used })
    }

    pub(crate) fn end(&mut self, session: u64) {
        self.sessions.remove(&session);
    }
}
