//! The library on PostgreSQL and on SQLite, and axum-login on PostgreSQL.

use super::{Hosts, Run, note, socket};
use crate::cases::Case;
use crate::tables::{self, Table, median};

const CASES: [Case; 3] = [Case::Claims, Case::CurrentUser, Case::Login];

/// Measures the hosts and prints the section "On a database".
pub(super) fn measure(run: &mut Run<'_>, hosts: &mut Hosts) -> Result<(), String> {
    let mut hosts: Vec<_> = hosts.on_postgres.iter_mut().chain(&mut hosts.on_sqlite).collect();
    let mut rates: Vec<Vec<Vec<f64>>> = CASES.map(|_| hosts.iter().map(|_| Vec::new()).collect()).into();
    for round in 1..=run.options.rounds {
        note(&format!("on a database: round {round} of {}", run.options.rounds));
        for (case, rates) in CASES.into_iter().zip(&mut rates) {
            for (host, rates) in hosts.iter_mut().zip(rates) {
                rates.push(socket::closed(run, host, case)?.rate);
            }
        }
    }
    let mut head = vec!["request, each second"];
    head.extend(hosts.iter().map(|host| host.label));
    head.extend(["library ÷ axum-login", "target"]);
    let mut table = Table::new(&head);
    for (case, rates) in CASES.into_iter().zip(rates) {
        let rates: Vec<_> = rates.into_iter().map(median).collect();
        let of = |label: &str| {
            let position = hosts
                .iter()
                .position(|host| host.label.starts_with(label) && host.label.ends_with("PostgreSQL"));
            position.and_then(|position| rates.get(position).copied()).unwrap_or(f64::NAN)
        };
        let mut row = vec![case.name()];
        row.extend(rates.iter().map(|rate| tables::rate(*rate)));
        row.push(tables::ratio(of("library") / of("axum-login")));
        row.push(if case == Case::Login { String::new() } else { "≥ 1.2".to_owned() });
        table.row(row);
    }
    run.section("database", &table.to_string())
}
