//! `load --url …`: one case on a server that is running already.

use crate::accounts::{self, Server, Session};
use crate::cases::{Case, TwoFactorAccounts};
use crate::engine::{Pace, Until};
use crate::hosts;
use crate::measure::{Clients, Prepared};
use crate::options::Single;
use crate::tables::{self, Table};
use crate::wire::BaseUrl;
use std::time::Duration;

/// # Errors
/// A sentence about a server or an option that is wrong, or about responses that must not be.
pub(crate) fn run(options: &Single) -> Result<(), String> {
    // Both are there, unless a subcommand is.
    let (Some(url), Some(case)) = (&options.url, options.case) else { return Err("no `--url`".to_owned()) };
    let url = BaseUrl::parse(url)?;
    let server = Server { url, auth: options.auth.clone(), addresses: options.client_addresses };
    let connections = usize::from(options.connections);
    let before = options.process.map(hosts::resident).transpose()?;

    let mut given = None;
    if options.bearer.is_some() || options.cookie.is_some() {
        let cookies = options.cookie.clone().unwrap_or_default();
        given = Some(Session { access_token: options.bearer.clone(), refresh_token: None, cookies });
    }
    let needs_accounts = match case {
        Case::Ping | Case::Attempt => false,
        Case::Claims | Case::CurrentUser | Case::Status => given.is_none(),
        _ => true,
    };
    let challenge = case == Case::Challenge;
    if challenge && !options.register {
        return Err("the case challenge needs `--register`: it must know the secrets of the second factors"
            .to_owned());
    }
    let many = if challenge { connections * 12 } else { connections };
    let count = if needs_accounts { options.accounts.unwrap_or(many) } else { 0 };
    let mut accounts = accounts::named(&options.email, &options.password, count, 0);
    if options.register {
        let registered = server.register_all(accounts, challenge)?;
        accounts = registered.into_iter().map(|(account, _)| account).collect();
    }
    let sessions = match (given, case) {
        (Some(session), Case::Claims | Case::CurrentUser | Case::Status) => {
            accounts::named("", "", 1, 0).into_iter().map(|account| (account, session.clone())).collect()
        }
        (None, Case::Claims | Case::CurrentUser | Case::Status) => {
            let sessions = server.log_in_all(&accounts)?;
            accounts.iter().cloned().zip(sessions).collect()
        }
        _ => Vec::new(),
    };
    let two_factor = challenge.then(|| TwoFactorAccounts::new(accounts.clone()));
    // An address without `{n}` is one account for all connections.
    let logins: Vec<_> = accounts.iter().cycle().take(connections).cloned().collect();
    let clients =
        Clients { sessions: &sessions, logins: &logins, two_factor: two_factor.as_ref(), connections };
    let mut prepared = Prepared::new(&server, case, options.path.as_deref(), &clients)?;

    let pace = options.rate.map_or(Pace::Closed, Pace::PerSecond);
    let until = match options.operations {
        Some(operations) => Until::Operations(operations),
        None => Until::Time {
            warm_up: Duration::from_secs_f64(options.warm_up),
            measured: Duration::from_secs_f64(options.seconds),
        },
    };
    let measured = prepared.run(pace, until)?;
    let mut table = Table::new(&["case", "each second", "p50", "p90", "p99", "p99.9", "longest", "errors"]);
    let closed = case.hashes_passwords() && options.rate.is_none();
    let rate = if closed { measured.overall_per_second } else { measured.per_second };
    let mut row = vec![case.name(), tables::rate(rate)];
    row.extend([50.0, 90.0, 99.0, 99.9, 100.0].map(|percent| tables::latency(measured.percentile(percent))));
    row.push(measured.errors.values().sum::<u64>().to_string());
    table.row(row);
    tables::print(&table.to_string())?;
    if let (Some(before), Some(process)) = (before, options.process) {
        let after = hosts::resident(process)?;
        tables::print(&format!("\nmemory: {before:.1} MiB before, {after:.1} MiB after\n"))?;
    }
    tables::errors(case.name().as_str(), &measured.errors)
}
