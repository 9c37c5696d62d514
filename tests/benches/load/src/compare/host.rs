//! A host with its accounts.

use super::{Run, cores, note};
use crate::accounts::{self, Account, Server, Session};
use crate::cases::{Case, TwoFactorAccounts};
use crate::databases::Database;
use crate::engine::{Measured, Pace, Until};
use crate::hosts::HostProcess;
use crate::measure::{Clients, Prepared};
use crate::options::Comparison;
use crate::tables;
use rustix::time::{ClockId, clock_gettime};
use std::cell::RefCell;
use std::rc::Rc;

const PASSWORD: &str = "correct horse battery";

/// Which program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Library,
    ByHand,
    AxumLogin,
}

pub(super) struct Host {
    pub(super) label: &'static str,
    pub(super) process: HostProcess,
    pub(super) server: Server,
    sessions: Vec<(Account, Session)>,
    logins: Vec<Account>,
    two_factor: Option<Rc<RefCell<TwoFactorAccounts>>>,
    prepared: Vec<(Case, Prepared)>,
}

/// What was measured on a host.
pub(super) struct Sample {
    pub(super) measured: Measured,
    /// Microseconds of processor time for each operation.
    pub(super) processor: f64,
    /// Operations each second.
    pub(super) rate: f64,
}

impl Host {
    /// Starts the program and registers its accounts.
    pub(super) fn start(
        label: &'static str,
        place: Place,
        database: Option<&Database>,
        options: &Comparison,
        challenges: bool,
    ) -> Result<Self, String> {
        note(&format!("{label}: registering accounts"));
        let url = database.map(Database::url);
        let process = HostProcess::start(place.program(), url.as_deref(), options.bcrypt_cost)?;
        let server = Server { url: process.url.clone(), auth: "/auth".to_owned(), addresses: true };
        let connections = usize::from(options.connections);
        let named = |kind: &str, count, first| {
            accounts::named(&format!("{kind}-{{n}}@example.com"), PASSWORD, count, first)
        };
        let register = |accounts, two_factor| {
            server.register_all(accounts, two_factor).map_err(|error| format!("{label}: {error}"))
        };
        let registered = register(named("session", connections, 0), false)?;
        let sessions =
            server.log_in_all(&registered.iter().map(|(account, _)| account.clone()).collect::<Vec<_>>())?;
        let sessions = registered.into_iter().map(|(account, _)| account).zip(sessions).collect();
        let logins = register(named("login", connections, 10_000), false)?;
        let two_factor = match challenges {
            true => {
                // With one hash after the other there are fewer logins.
                let count = options.two_factor_accounts.unwrap_or(384 * cores())
                    / if place == Place::ByHand { 2 } else { 1 };
                let accounts = register(named("second-factor", count, 20_000), true)?;
                Some(TwoFactorAccounts::new(accounts.into_iter().map(|(account, _)| account)))
            }
            false => None,
        };
        let logins = logins.into_iter().map(|(account, _)| account).collect();
        Ok(Self { label, process, server, sessions, logins, two_factor, prepared: Vec::new() })
    }

    /// A case with so many connections.
    pub(super) fn prepare(&self, case: Case, connections: usize) -> Result<Prepared, String> {
        let Self { sessions, logins, .. } = self;
        let clients = Clients { sessions, logins, two_factor: self.two_factor.as_ref(), connections };
        Prepared::new(&self.server, case, None, &clients).map_err(|error| self.failed(case, &error))
    }

    /// Measures a case, with the connections of all cases. Its clients stay, for the next measurement.
    pub(super) fn measure(
        &mut self,
        run: &mut Run<'_>,
        case: Case,
        pace: Pace,
        until: Until,
    ) -> Result<Sample, String> {
        let position = match self.prepared.iter().position(|(prepared, _)| *prepared == case) {
            Some(position) => position,
            None => {
                let prepared = self.prepare(case, run.options.connections.into())?;
                self.prepared.push((case, prepared));
                self.prepared.len() - 1
            }
        };
        let own = || {
            let time = clock_gettime(ClockId::ProcessCPUTime);
            time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
        };
        let (began, own_before, before) = (std::time::Instant::now(), own(), self.process.processor_time()?);
        let Some((_, prepared)) = self.prepared.get_mut(position) else {
            return Err("no clients".to_owned());
        };
        let measured = prepared.run(pace, until).map_err(|error| self.failed(case, &error))?;
        let used = self.process.processor_time()? - before;
        run.generator = run.generator.max((own() - own_before) / began.elapsed().as_secs_f64());
        run.check(self.label, case, &measured);
        let processor = used * 1e6 / measured.operations as f64;
        let rate = if case.hashes_passwords() { measured.overall_per_second } else { measured.per_second };
        Ok(Sample { measured, processor, rate })
    }

    fn failed(&self, case: Case, error: &str) -> String {
        format!("{}, {}: {error}", self.label, case.name())
    }
}

impl Run<'_> {
    /// Keeps what failed, for the end.
    pub(super) fn check(&mut self, label: &str, case: Case, measured: &Measured) {
        if let Err(error) = tables::errors(&format!("{label}, {}", case.name()), &measured.errors) {
            note(&error);
            self.failures.push(error);
        }
    }
}

impl Place {
    pub(super) const fn program(self) -> &'static str {
        match self {
            Self::Library => "load-with-library",
            Self::ByHand => "load-by-hand",
            Self::AxumLogin => "load-axum-login",
        }
    }
}
