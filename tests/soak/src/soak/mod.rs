//! The soak test: clients send requests of every kind, servers are killed, frozen and restarted meanwhile, and an auditor
//! compares every response with what was promised.
//!
//! * `actor.rs` and `steps/` are the clients, `account.rs` what they know, `client.rs` how they send a request.
//! * `chaos.rs` does things to the servers.
//! * `history.rs` is the record of all that. A request without a response has an unknown outcome: both are possible.
//! * `verify.rs` looks at everything once more at the end, `audit.rs` judges, and `report.rs` prints the figures.

mod account;
mod actor;
mod audit;
mod authenticator;
mod chaos;
mod client;
mod history;
mod random;
mod report;
mod steps;
mod verify;

use crate::arguments::SoakOptions;
use account::Account;
use actor::Actor;
use axum_auth_module::BoxError;
use chaos::Chaos;
use client::Client;
use cluster::{Cluster, Settings};
use history::History;
use random::Random;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::JoinSet;
use verify::Compared;

/// The number of the client that belongs to `chaos`.
const PROBE: usize = 249;

/// Runs a soak test and prints its table. The exit code is 1 if something was wrong.
///
/// # Errors
/// If the cluster does not start, or a server does not start again.
pub(crate) async fn run(options: SoakOptions) -> Result<ExitCode, BoxError> {
    let mut cluster = Cluster::start(&Settings { soak: true, separate_stores: options.sabotage }).await?;
    let mut out = io::stdout();
    writeln!(out, "seed {}, {} clients, {} s", options.seed, options.clients, options.duration.as_secs())?;
    let began = Instant::now();
    let history = Arc::new(History::default());
    let compared = drive(&mut cluster, &options, &history).await;
    if compared.is_err() {
        logs(&cluster, &mut out)?;
    }
    let compared = compared?;

    let is_right = report(&history, &compared, began, &mut out)?;
    cluster.stop().await;
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the table and what is wrong. Returns whether nothing is.
fn report(history: &History, compared: &Compared, began: Instant, out: &mut impl Write) -> io::Result<bool> {
    let events = history.events();
    let violations = audit::violations(&events);
    write!(out, "{}", report::table(&events, compared, began.elapsed()))?;
    writeln!(out, "{:<56} {:>10}", "violations", violations.len())?;
    for violation in violations.iter().take(50) {
        writeln!(out, "  {violation}")?;
    }
    Ok(violations.is_empty())
}

/// Sends the requests and causes the failures.
async fn drive(
    cluster: &mut Cluster,
    options: &SoakOptions,
    history: &Arc<History>,
) -> Result<Compared, BoxError> {
    let until = Instant::now() + options.duration;
    let instances = cluster.addresses();
    let balancer = cluster.balancer.address();
    let client = |number| Client::new(number, balancer, instances, Arc::clone(history));
    let outbox = cluster.directory().join("outbox");
    let actor = |number: usize| {
        let random = Random::new(options.seed, number.try_into().unwrap_or_default());
        Ok::<_, BoxError>(Actor::new(number, client(number)?, random, outbox.clone()))
    };
    let mut chaos = Chaos::new(client(PROBE)?, Random::new(options.seed, u64::MAX)).await?;
    let mut tasks = JoinSet::new();
    for number in 1..=options.clients {
        tasks.spawn(actor(number)?.run(until));
    }
    let probe = client(PROBE)?;
    let mut verifiers = (1..=4).map(|number| actor(1000 * number)).collect::<Result<Vec<_>, _>>()?;
    chaos.run(cluster, until).await?;

    let mut accounts: Vec<Account> = tasks.join_all().await.into_iter().flatten().collect();
    chaos::calm(&probe).await;
    // Several at a time.
    let mut parts: Vec<Vec<Account>> = verifiers.iter().map(|_| Vec::new()).collect();
    while let Some(account) = accounts.pop() {
        if let Some(part) = parts.iter_mut().min_by_key(|part| part.len()) {
            part.push(account);
        }
    }
    let mut verifying = JoinSet::new();
    for (mut verifier, mut part) in verifiers.drain(..).zip(parts) {
        verifying.spawn(async move {
            verify::over_http(&mut verifier, &mut part).await;
            part
        });
    }
    accounts.extend(verifying.join_all().await.into_iter().flatten());
    let mut connection = cluster.postgres.connect().await?;
    verify::with_the_database(&actor(0)?, &accounts, &mut connection).await
}

/// The last lines of the logs, which are deleted with the cluster.
fn logs(cluster: &Cluster, out: &mut impl Write) -> io::Result<()> {
    for name in ["postgres", "redis", "instance-1", "instance-2"] {
        let log =
            std::fs::read_to_string(cluster.directory().join(format!("{name}.log"))).unwrap_or_default();
        let mut lines: Vec<_> = log.lines().rev().take(20).collect();
        lines.reverse();
        writeln!(out, "--- {name}\n{}", lines.join("\n"))?;
    }
    Ok(())
}
