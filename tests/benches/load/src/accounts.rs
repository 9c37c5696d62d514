//! Accounts on the server: they are registered, logged in, and get a second factor before anything is measured.

use crate::authenticator;
use crate::wire::{self, BaseUrl, json_string};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

/// How many accounts are prepared at once.
const AT_ONCE: usize = 16;

/// Where the module's routes are, and how its clients log in.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) url: BaseUrl,
    /// What the paths of the module begin with, `/auth`.
    pub(crate) auth: String,
    /// `None` if the server does not trust `X-Forwarded-For`.
    pub(crate) addresses: bool,
}

/// Somebody who can log in.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) email: String,
    pub(crate) password: String,
    /// The number of the address that its client has.
    pub(crate) client: u32,
    /// In base32; empty without a second factor.
    pub(crate) totp_secret: String,
}

/// What a client has after a login.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session {
    pub(crate) access_token: Option<String>,
    pub(crate) refresh_token: Option<String>,
    pub(crate) cookies: String,
}

impl Session {
    /// The header line that proves the session.
    pub(crate) fn header(&self) -> String {
        match &self.access_token {
            Some(token) => format!("authorization: Bearer {token}\r\n"),
            None if self.cookies.is_empty() => String::new(),
            None => format!("cookie: {}\r\n", self.cookies),
        }
    }

    pub(crate) fn from_response(response: &wire::Response<'_>) -> Self {
        let token = |name| json_string(&response.body, name).map(str::to_owned);
        let cookies = response.cookies.clone();
        Self { access_token: token("accessToken"), refresh_token: token("refreshToken"), cookies }
    }
}

impl Server {
    /// The header line with the address of a client, if the server takes it.
    pub(crate) fn client_header(&self, client: u32) -> String {
        if !self.addresses {
            return String::new();
        }
        // 10.0.0.0/8 has room for as many clients as a run has.
        let address = Ipv4Addr::from(0x0a00_0001 + client % 0x00ff_fff0);
        format!("x-forwarded-for: {address}\r\n")
    }

    /// The bytes of a login.
    pub(crate) fn login(&self, account: &Account) -> Vec<u8> {
        let body = json!({ "email": account.email, "password": account.password });
        self.post("/login", account, "", &body)
    }

    /// The bytes of a request to a route of the module.
    pub(crate) fn post(&self, path: &str, account: &Account, headers: &str, body: &Value) -> Vec<u8> {
        let headers = format!("{}{headers}", self.client_header(account.client));
        self.url.request("POST", &format!("{}{path}", self.auth), &headers, &body.to_string())
    }

    /// Logs in. The second factor, if there is one, is not used.
    ///
    /// # Errors
    /// A sentence about what the server said.
    pub(crate) fn log_in(&self, account: &Account) -> Result<Session, String> {
        let mut connection = Connection::open(&self.url)?;
        let bytes = connection.send(&self.login(account), "a login", &[200])?;
        let session = Session::from_response(&read(&bytes)?);
        if session.access_token.is_none() && session.cookies.is_empty() {
            return Err("a login's response has neither an `accessToken` nor a cookie".to_owned());
        }
        Ok(session)
    }

    /// Registers the account.
    fn register(&self, connection: &mut Connection, account: &Account) -> Result<Session, String> {
        let Account { email, password, .. } = account;
        let body =
            json!({ "name": "Load", "email": email, "password": password, "passwordConfirmation": password });
        let request = self.post("/register", account, "", &body);
        let bytes = connection.send(&request, "a registration", &[200, 201])?;
        Ok(Session::from_response(&read(&bytes)?))
    }

    /// Gives the account a second factor.
    fn enrol(
        &self,
        connection: &mut Connection,
        account: &mut Account,
        session: &Session,
    ) -> Result<(), String> {
        let header = session.header();
        let password = json!({ "password": account.password });
        let confirm = self.post("/user/confirm-password", account, &header, &password);
        connection.send(&confirm, "a password confirmation", &[200])?;
        let enable = self.post("/user/two-factor-authentication", account, &header, &json!({}));
        connection.send(&enable, "enabling two-factor authentication", &[200])?;
        let path = format!("{}/user/two-factor-secret-key", self.auth);
        let headers = format!("{header}{}", self.client_header(account.client));
        let bytes = connection.send(&self.url.request("GET", &path, &headers, ""), "the secret", &[200])?;
        let secret = json_string(&read(&bytes)?.body, "secretKey").map(str::to_owned);
        let secret = secret.ok_or("the response has no `secretKey`")?;
        let code = authenticator::code(&secret, authenticator::step()).ok_or("the secret is not base32")?;
        let path = "/user/confirmed-two-factor-authentication";
        let confirm = self.post(path, account, &header, &json!({ "code": code }));
        connection.send(&confirm, "confirming two-factor authentication", &[200])?;
        account.totp_secret = secret;
        Ok(())
    }

    /// Registers accounts, and gives them a second factor if `two_factor`. Their addresses are made from `email`, in which
    /// `{n}` stands for a number.
    ///
    /// # Errors
    /// What the server said to the first request that failed.
    pub(crate) fn register_all(
        &self,
        accounts: Vec<Account>,
        two_factor: bool,
    ) -> Result<Vec<(Account, Session)>, String> {
        at_once(accounts, |mut account| {
            let mut connection = Connection::open(&self.url)?;
            let session = self.register(&mut connection, &account)?;
            if two_factor {
                self.enrol(&mut connection, &mut account, &session)?;
            }
            Ok((account, session))
        })
    }

    /// Logs all of them in.
    ///
    /// # Errors
    /// What the server said to the first login that failed.
    pub(crate) fn log_in_all(&self, accounts: &[Account]) -> Result<Vec<Session>, String> {
        at_once(accounts.to_vec(), |account| self.log_in(&account))
    }
}

/// Accounts that have not been registered. In `email`, `{n}` stands for the number of the account.
pub(crate) fn named(email: &str, password: &str, count: usize, first_client: u32) -> Vec<Account> {
    (0..count)
        .map(|number| Account {
            email: email.replace("{n}", &number.to_string()),
            password: password.to_owned(),
            client: first_client.wrapping_add(number as u32),
            totp_secret: String::new(),
        })
        .collect()
}

/// The results in the order of the inputs, computed by several threads.
fn at_once<I: Send, O: Send>(
    inputs: Vec<I>,
    compute: impl Fn(I) -> Result<O, String> + Sync,
) -> Result<Vec<O>, String> {
    let waiting = Mutex::new(inputs.into_iter().enumerate());
    let next = || waiting.lock().ok().and_then(|mut waiting| waiting.next());
    let parts: Vec<Result<Vec<_>, String>> = thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            while let Some((number, input)) = next() {
                done.push((number, compute(input)?));
            }
            Ok(done)
        };
        let threads: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
            .collect()
    });
    let mut all = Vec::new();
    for part in parts {
        all.extend(part?);
    }
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, output)| output).collect())
}

/// A connection that waits for each response.
struct Connection {
    stream: TcpStream,
}

impl Connection {
    fn open(url: &BaseUrl) -> Result<Self, String> {
        let cannot = |error| format!("cannot reach http://{}: {error}", url.authority);
        let stream = TcpStream::connect(&url.authority).map_err(cannot)?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).map_err(cannot)?;
        Ok(Self { stream })
    }

    /// The bytes of a response whose status is one of `expected`.
    fn send(&mut self, request: &[u8], what: &str, expected: &[u16]) -> Result<Vec<u8>, String> {
        self.stream.write_all(request).map_err(|error| format!("{what}: {error}"))?;
        let mut bytes = Vec::new();
        loop {
            let mut buffer = [0; 16 * 1024];
            let read = self.stream.read(&mut buffer).map_err(|error| format!("{what}: {error}"))?;
            if read == 0 {
                return Err(format!("{what}: the server closed the connection"));
            }
            bytes.extend_from_slice(buffer.get(..read).unwrap_or_default());
            match wire::parse(&bytes).map_err(|error| format!("{what}: {error}"))? {
                None => {}
                Some(response) if expected.contains(&response.status) => return Ok(bytes),
                Some(response) => {
                    let body = String::from_utf8_lossy(&response.body).into_owned();
                    return Err(format!("{what}: status {} {body}", response.status));
                }
            }
        }
    }
}

fn read(bytes: &[u8]) -> Result<wire::Response<'_>, String> {
    wire::parse(bytes)?.ok_or_else(|| "an incomplete response".to_owned())
}
