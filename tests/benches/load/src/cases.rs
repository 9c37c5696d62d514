//! What is measured: the clients of each case.

use crate::accounts::{Account, Server, Session};
use crate::authenticator;
use crate::engine::{Client, Progress};
use crate::wire::{Response, json_string};
use clap::ValueEnum;
use serde_json::json;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Case {
    /// `GET /ping`, a route without authentication
    Ping,
    /// `GET /claims`, a protected route that needs only what the token says
    Claims,
    /// `GET /me`, a protected route that needs the user's record
    CurrentUser,
    /// `GET /auth/user/confirmed-password-status`, a protected route of the module
    Status,
    /// `POST /auth/refresh`; each connection has a chain of refresh tokens
    Refresh,
    /// `POST /auth/login`
    Login,
    /// A login with a second factor: `POST /auth/login` and `POST /auth/two-factor-challenge`
    Challenge,
    /// `POST /auth/login` with an address that nobody has, another one each time, each time by another client
    Attempt,
    /// `POST /auth/login` and `POST /auth/logout`
    LoginLogout,
}

impl Case {
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Whether each operation hashes a password, which takes a thousand times longer than everything else.
    pub(crate) const fn hashes_passwords(self) -> bool {
        matches!(self, Self::Login | Self::Challenge | Self::Attempt | Self::LoginLogout)
    }

    /// The path of a `GET`, unless `--path` says otherwise.
    pub(crate) fn path(self, server: &Server) -> Option<String> {
        match self {
            Self::Ping => Some("/ping".to_owned()),
            Self::Claims => Some("/claims".to_owned()),
            Self::CurrentUser => Some("/me".to_owned()),
            Self::Status => Some(format!("{}/user/confirmed-password-status", server.auth)),
            _ => None,
        }
    }
}

/// The same request each time.
pub(crate) struct Fixed {
    request: Vec<u8>,
    expected: u16,
}

impl Fixed {
    /// `GET path`, with the proof of a session.
    pub(crate) fn get(server: &Server, path: &str, session: &Session) -> Self {
        Self { request: server.url.request("GET", path, &session.header(), ""), expected: 200 }
    }

    /// A login that must succeed.
    pub(crate) fn login(server: &Server, account: &Account) -> Self {
        Self { request: server.login(account), expected: 200 }
    }
}

impl Client for Fixed {
    fn request(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        out.extend_from_slice(&self.request);
        Ok(())
    }

    fn response(&mut self, response: &Response<'_>) -> Result<Progress, String> {
        expect(response, self.expected).map(|()| Progress::Done)
    }
}

/// A chain of refresh tokens.
pub(crate) struct Refreshes {
    server: Server,
    account: Account,
    token: String,
}

impl Refreshes {
    pub(crate) fn new(server: &Server, account: &Account, session: &Session) -> Result<Self, String> {
        let token = session.refresh_token.clone().ok_or("a login's response has no `refreshToken`")?;
        Ok(Self { server: server.clone(), account: account.clone(), token })
    }
}

impl Client for Refreshes {
    fn request(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        let body = json!({ "refreshToken": self.token });
        out.extend(self.server.post("/refresh", &self.account, "", &body));
        Ok(())
    }

    fn response(&mut self, response: &Response<'_>) -> Result<Progress, String> {
        expect(response, 200)?;
        let token = json_string(&response.body, "refreshToken").ok_or("a response without `refreshToken`")?;
        token.clone_into(&mut self.token);
        Ok(Progress::Done)
    }
}

/// Accounts with a second factor, each with the last step whose code it has used.
pub(crate) struct TwoFactorAccounts(VecDeque<(Account, u64)>);

/// Logins with a second factor. A code is accepted once, so the clients share many accounts: the next one is the one whose
/// last login is longest ago.
pub(crate) struct Challenges {
    server: Server,
    accounts: Rc<RefCell<TwoFactorAccounts>>,
    under_way: Option<(Account, u64)>,
    token: Option<String>,
}

impl TwoFactorAccounts {
    pub(crate) fn new(accounts: impl IntoIterator<Item = Account>) -> Rc<RefCell<Self>> {
        // Each has confirmed its second factor with a code.
        let step = authenticator::step();
        Rc::new(RefCell::new(Self(accounts.into_iter().map(|account| (account, step)).collect())))
    }

    /// How many codes could be used now. A code of the next step is accepted as well.
    pub(crate) fn codes(&self) -> u64 {
        let newest = authenticator::step() + 1;
        self.0.iter().map(|(_, used)| newest.saturating_sub(*used).min(2)).sum()
    }

    /// The most codes that there can be.
    pub(crate) fn most(&self) -> u64 {
        self.0.len() as u64 * 2
    }

    fn take(&mut self) -> Option<(Account, u64)> {
        let (now, (account, used)) = (authenticator::step(), self.0.pop_front()?);
        if used > now {
            self.0.push_front((account, used));
            return None;
        }
        // Codes of the current and of the next step; the one before could end while it is under way.
        Some((account, now.max(used + 1)))
    }
}

impl Challenges {
    pub(crate) fn new(server: &Server, accounts: &Rc<RefCell<TwoFactorAccounts>>) -> Self {
        Self { server: server.clone(), accounts: Rc::clone(accounts), under_way: None, token: None }
    }
}

impl Client for Challenges {
    fn request(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        if let (Some((account, step)), Some(token)) = (&self.under_way, self.token.take()) {
            let code = authenticator::code(&account.totp_secret, *step).ok_or("the secret is not base32")?;
            let body = json!({ "challengeToken": token, "code": code });
            out.extend(self.server.post("/two-factor-challenge", account, "", &body));
            return Ok(());
        }
        let next =
            self.accounts.borrow_mut().take().ok_or("no account has an unused code: use more accounts")?;
        out.extend(self.server.login(&next.0));
        self.under_way = Some(next);
        Ok(())
    }

    fn response(&mut self, response: &Response<'_>) -> Result<Progress, String> {
        let token = json_string(&response.body, "challengeToken").map(str::to_owned);
        let expected = expect(response, 200);
        if token.is_some() && expected.is_ok() {
            self.token = token;
            return Ok(Progress::Continues);
        }
        if let Some(used) = self.under_way.take() {
            self.accounts.borrow_mut().0.push_back(used);
        }
        expected?;
        json_string(&response.body, "accessToken").ok_or("a response without `accessToken`")?;
        Ok(Progress::Done)
    }
}

/// Logins with addresses that nobody has, each by another client.
pub(crate) struct Attempts {
    server: Server,
    next: Rc<RefCell<u32>>,
}

impl Attempts {
    /// The clients count together.
    pub(crate) fn new(server: &Server, next: &Rc<RefCell<u32>>) -> Self {
        Self { server: server.clone(), next: Rc::clone(next) }
    }
}

impl Client for Attempts {
    fn request(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        let mut next = self.next.borrow_mut();
        *next += 1;
        let email = format!("nobody-{next}@example.com");
        let account =
            Account { email, password: "not the password".into(), client: *next, totp_secret: String::new() };
        out.extend(self.server.login(&account));
        Ok(())
    }

    fn response(&mut self, response: &Response<'_>) -> Result<Progress, String> {
        expect(response, 401).map(|()| Progress::Done)
    }
}

/// Logins, each with its logout.
pub(crate) struct LoginLogouts {
    server: Server,
    account: Account,
    session: Option<Session>,
    login: Vec<u8>,
}

impl LoginLogouts {
    pub(crate) fn new(server: &Server, account: &Account) -> Self {
        let login = server.login(account);
        Self { server: server.clone(), account: account.clone(), session: None, login }
    }
}

impl Client for LoginLogouts {
    fn request(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        match &self.session {
            Some(session) => {
                out.extend(self.server.post("/logout", &self.account, &session.header(), &json!({})));
            }
            None => out.extend_from_slice(&self.login),
        }
        Ok(())
    }

    fn response(&mut self, response: &Response<'_>) -> Result<Progress, String> {
        let logged_in = self.session.take();
        expect(response, 200)?;
        if logged_in.is_some() {
            return Ok(Progress::Done);
        }
        self.session = Some(Session::from_response(response));
        Ok(Progress::Continues)
    }
}

fn expect(response: &Response<'_>, status: u16) -> Result<(), String> {
    if response.status == status {
        return Ok(());
    }
    let body: String = String::from_utf8_lossy(&response.body).chars().take(200).collect();
    Err(format!("status {} instead of {status}: {body}", response.status))
}
