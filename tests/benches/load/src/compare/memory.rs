//! The memory of hosts that keep everything in memory.

use super::host::Place;
use super::{Run, note};
use crate::accounts::{self, Server};
use crate::cases::Case;
use crate::engine::{Pace, Until};
use crate::hosts::HostProcess;
use crate::measure::{Clients, Prepared};
use crate::tables::Table;

/// The cost of hashes, so that a million of them takes minutes.
const BCRYPT_COST: u32 = 4;

/// Measures new processes and prints the section "Memory".
pub(super) fn measure(run: &mut Run<'_>) -> Result<(), String> {
    let operations = run.options.memory_operations;
    let attempts = format!("added by {operations} attempts");
    let logins = format!("added by {operations} logins and logouts");
    let mut table = Table::new(&["host, MiB", "idle", "after 1000 of them", &attempts, &logins]);
    for (label, place) in [("by hand", Place::ByHand), ("library", Place::Library)] {
        let mut row = vec![label.to_owned()];
        for case in [Case::Attempt, Case::LoginLogout] {
            note(&format!("memory of {label}: {operations} × {}", case.name()));
            let process = HostProcess::start(place.program(), None, BCRYPT_COST)?;
            let server = Server { url: process.url.clone(), auth: "/auth".to_owned(), addresses: true };
            let connections = usize::from(run.options.connections);
            let mut operate = |case, logins: &[_], connections, operations| -> Result<(), String> {
                let clients = Clients { sessions: &[], logins, two_factor: None, connections };
                let mut prepared = Prepared::new(&server, case, None, &clients)?;
                let measured = prepared.run(Pace::Closed, Until::Operations(operations))?;
                run.check(label, case, &measured);
                Ok(())
            };
            operate(Case::Ping, &[], 1, 1)?;
            let idle = process.resident()?;
            let logins = accounts::named("login-{n}@example.com", "correct horse battery", connections, 0);
            let registered = server.register_all(logins, false)?;
            let logins: Vec<_> = registered.into_iter().map(|(account, _)| account).collect();
            // What every host has that has served so many clients at once.
            operate(case, &logins, connections, 1000)?;
            let connected = process.resident()?;
            if row.len() == 1 {
                row.extend([idle, connected].map(|mib| format!("{mib:.1}")));
            }
            operate(case, &logins, connections, operations)?;
            row.push(format!("{:.1}", process.resident()? - connected));
        }
        table.row(row);
    }
    let mut row = vec!["target".to_owned(), "≤ 10".to_owned(), String::new()];
    row.resize(5, "≤ 64 for a million".to_owned());
    table.row(row);
    run.section("memory", &table.to_string())
}
