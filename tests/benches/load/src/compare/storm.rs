//! Other requests, while as many clients as there are connections log in.

use super::host::Host;
use super::{Hosts, Run, note};
use crate::cases::Case;
use crate::engine::{self, Measured, Pace, Until};
use crate::measure::{Prepared, unreachable};
use crate::tables::{self, Table, median};

/// Requests each second to each of the two routes.
const RATE: f64 = 100.0;
/// Connections of each of them, so that a response that is late does not delay the next request.
const CONNECTIONS: usize = 8;

/// A host with the clients of this part.
struct Stormed<'a> {
    host: &'a Host,
    ping: Prepared,
    claims: Prepared,
    logins: Prepared,
    /// In the order of the columns: `/ping` while nobody logs in and during the storm, and `/claims`.
    latencies: [Measured; 4],
    logins_per_second: Vec<f64>,
}

/// Measures all hosts and prints the section "During a storm of logins".
pub(super) fn measure(run: &mut Run<'_>, hosts: &mut Hosts) -> Result<(), String> {
    let all = hosts.in_memory.iter().chain(&hosts.on_postgres).chain(&hosts.on_sqlite);
    let mut all: Vec<_> = all.map(|host| Stormed::new(run, host)).collect::<Result<_, _>>()?;
    for round in 1..=run.options.rounds {
        note(&format!("a storm of logins: round {round} of {}", run.options.rounds));
        for stormed in &mut all {
            stormed.round(run)?;
        }
    }
    let mut table = Table::new(&[
        "host",
        "`/ping`, idle p50",
        "p99",
        "in the storm p50",
        "p99",
        "`/claims`, idle p50",
        "p99",
        "in the storm p50",
        "p99",
        "logins each second",
    ]);
    for mut stormed in all {
        let mut row = vec![stormed.host.label.to_owned()];
        for measured in &mut stormed.latencies {
            measured.latencies.sort_unstable();
            row.extend([50.0, 99.0].map(|percent| tables::latency(measured.percentile(percent))));
        }
        row.push(tables::rate(median(stormed.logins_per_second)));
        table.row(row);
    }
    run.section("storm", &table.to_string())
}

impl<'a> Stormed<'a> {
    fn new(run: &Run<'_>, host: &'a Host) -> Result<Self, String> {
        Ok(Self {
            host,
            ping: host.prepare(Case::Ping, CONNECTIONS)?,
            claims: host.prepare(Case::Claims, CONNECTIONS)?,
            logins: host.prepare(Case::Login, run.options.connections.into())?,
            latencies: Default::default(),
            logins_per_second: Vec::new(),
        })
    }

    fn round(&mut self, run: &mut Run<'_>) -> Result<(), String> {
        let (warm_up, measured) = run.times(true);
        let until = Until::Time { warm_up, measured };
        let mut groups = [self.ping.group(Pace::PerSecond(RATE)), self.claims.group(Pace::PerSecond(RATE))];
        let idle = engine::run(&mut groups, until).map_err(|error| unreachable(&self.host.server, &error))?;
        let mut groups = [
            self.ping.group(Pace::PerSecond(RATE)),
            self.claims.group(Pace::PerSecond(RATE)),
            self.logins.group(Pace::Closed),
        ];
        let mut storm =
            engine::run(&mut groups, until).map_err(|error| unreachable(&self.host.server, &error))?;
        if let Some(logins) = storm.pop() {
            run.check(self.host.label, Case::Login, &logins);
            self.logins_per_second.push(logins.overall_per_second);
        }
        let [ping, ping_in_storm, claims, claims_in_storm] = &mut self.latencies;
        let places = [ping, claims, ping_in_storm, claims_in_storm];
        let cases = [Case::Ping, Case::Claims, Case::Ping, Case::Claims];
        for ((place, case), measured) in places.into_iter().zip(cases).zip(idle.into_iter().chain(storm)) {
            run.check(self.host.label, case, &measured);
            place.latencies.extend(measured.latencies);
        }
        Ok(())
    }
}
