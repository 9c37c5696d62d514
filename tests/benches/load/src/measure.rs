//! One case on one server.

use crate::accounts::{Account, Server, Session};
use crate::cases::{Attempts, Case, Challenges, Fixed, LoginLogouts, Refreshes, TwoFactorAccounts};
use crate::engine::{self, Client, Group, Measured, Pace, Until};
use std::cell::RefCell;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

/// Who sends the requests.
pub(crate) struct Clients<'a> {
    /// The sessions of the clients, for the routes that need one. They are used again when there are more connections.
    pub(crate) sessions: &'a [(Account, Session)],
    /// Accounts that log in, one for each connection, so that no session of another case is the least recently used one of an
    /// account and ends.
    pub(crate) logins: &'a [Account],
    pub(crate) two_factor: Option<&'a Rc<RefCell<TwoFactorAccounts>>>,
    pub(crate) connections: usize,
}

/// A case with its clients, ready to run.
pub(crate) struct Prepared {
    server: Server,
    clients: Vec<Box<dyn Client>>,
    two_factor: Option<Rc<RefCell<TwoFactorAccounts>>>,
    /// How many operations the last run had.
    last: Option<u64>,
}

impl Prepared {
    /// # Errors
    /// If the clients lack something that the case needs.
    pub(crate) fn new(
        server: &Server,
        case: Case,
        path: Option<&str>,
        clients: &Clients<'_>,
    ) -> Result<Self, String> {
        let path = path.map(str::to_owned).or_else(|| case.path(server));
        let next = Rc::new(RefCell::new(0));
        let session = |number: usize| {
            let count = clients.sessions.len().max(1);
            clients.sessions.get(number % count).ok_or_else(|| "the case needs a session".to_owned())
        };
        let account = |number: usize| {
            let account = clients.logins.get(number);
            account.ok_or_else(|| "the case needs an account for each connection".to_owned())
        };
        let client = |number: usize| -> Result<Box<dyn Client>, String> {
            Ok(match case {
                Case::Ping => Box::new(Fixed::get(server, &required(path.as_ref())?, &Session::default())),
                Case::Claims | Case::CurrentUser | Case::Status => {
                    Box::new(Fixed::get(server, &required(path.as_ref())?, &session(number)?.1))
                }
                Case::Refresh => {
                    // A login of its own: the other sessions of the account stay as they are.
                    let account = match session(number) {
                        Ok((account, _)) => account,
                        Err(_) => account(number)?,
                    };
                    Box::new(Refreshes::new(server, account, &server.log_in(account)?)?)
                }
                Case::Login => Box::new(Fixed::login(server, account(number)?)),
                Case::Challenge => {
                    let accounts =
                        clients.two_factor.ok_or("the case needs accounts with a second factor")?;
                    Box::new(Challenges::new(server, accounts))
                }
                Case::Attempt => Box::new(Attempts::new(server, &next)),
                Case::LoginLogout => Box::new(LoginLogouts::new(server, account(number)?)),
            })
        };
        let all: Result<Vec<_>, String> = (0..clients.connections).map(client).collect();
        let two_factor = clients.two_factor.filter(|_| case == Case::Challenge).cloned();
        Ok(Self { server: server.clone(), clients: all?, two_factor, last: None })
    }

    /// The group of these clients.
    pub(crate) fn group(&mut self, pace: Pace) -> Group<'_> {
        Group { url: &self.server.url, clients: &mut self.clients, pace }
    }

    /// Runs the case alone.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub(crate) fn run(&mut self, pace: Pace, until: Until) -> Result<Measured, String> {
        if let Some(accounts) = &self.two_factor {
            let wanted = match (pace, until) {
                (Pace::PerSecond(rate), Until::Time { warm_up, measured }) => {
                    (rate * (warm_up + measured).as_secs_f64() * 1.2) as u64 + self.clients.len() as u64
                }
                (_, Until::Operations(operations)) => operations,
                (Pace::Closed, Until::Time { .. }) => self
                    .last
                    .map_or(accounts.borrow().most() / 2, |last| last + last / 5 + self.clients.len() as u64),
            };
            wait_for_codes(accounts, wanted);
        }
        let measured = engine::run(&mut [self.group(pace)], until);
        let measured = measured.map_err(|error| unreachable(&self.server, &error))?;
        let measured = measured.into_iter().next().ok_or("no group was measured")?;
        if let Pace::Closed = pace {
            self.last = Some(measured.operations);
        }
        Ok(measured)
    }
}

/// Waits until the accounts have so many unused codes, or all that there can be.
fn wait_for_codes(accounts: &Rc<RefCell<TwoFactorAccounts>>, wanted: u64) {
    let wanted = wanted.min(accounts.borrow().most());
    while accounts.borrow().codes() < wanted {
        thread::sleep(Duration::from_millis(100));
    }
}

pub(crate) fn unreachable(server: &Server, error: &std::io::Error) -> String {
    format!("http://{}: {error}", server.url.authority)
}

fn required(path: Option<&String>) -> Result<String, String> {
    path.cloned().ok_or_else(|| "the case has no path".to_owned())
}
