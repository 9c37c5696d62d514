//! The library and the host by hand, both in memory.

use super::host::{Host, Sample};
use super::{Run, cores, hash_seconds, note};
use crate::cases::Case;
use crate::engine::{Pace, Until};
use crate::tables::{self, Table, median};

/// The cases, and the least ratio that they should have.
pub(super) const CASES: [(Case, Option<f64>); 6] = [
    (Case::Claims, Some(1.0)),
    (Case::CurrentUser, Some(0.9)),
    (Case::Status, Some(0.85)),
    (Case::Refresh, Some(0.9)),
    (Case::Login, None),
    (Case::Challenge, None),
];

/// Operations each second of a case on a host, as fast as its clients could.
#[derive(Default)]
pub(super) struct Peaks(Vec<(&'static str, Case, f64)>);

impl Peaks {
    pub(super) fn add(&mut self, host: &Host, case: Case, rate: f64) {
        self.0.push((host.label, case, rate));
    }

    pub(super) fn find(&self, host: &Host, case: Case) -> Option<f64> {
        let found = self.0.iter().find(|(label, known, _)| *label == host.label && *known == case);
        found.map(|(_, _, rate)| *rate)
    }
}

/// Measures both hosts and prints the section "Over a socket".
pub(super) fn measure(run: &mut Run<'_>, hosts: &mut [Host]) -> Result<Peaks, String> {
    let mut samples: Vec<Vec<Vec<Sample>>> = CASES.map(|_| hosts.iter().map(|_| Vec::new()).collect()).into();
    let mut hashes = Vec::new();
    for round in 1..=run.options.rounds {
        note(&format!("over a socket: round {round} of {}", run.options.rounds));
        hashes.push(hash_seconds(run.options.bcrypt_cost));
        for ((case, _), samples) in CASES.into_iter().zip(&mut samples) {
            for (host, samples) in hosts.iter_mut().zip(samples) {
                samples.push(closed(run, host, case)?);
            }
        }
    }
    let mut table = Table::new(&[
        "request",
        "by hand, each second",
        "library, each second",
        "library ÷ by hand",
        "target",
        "by hand, µs of processor time",
        "library, µs of processor time",
    ]);
    let mut peaks = Peaks::default();
    for ((case, target), samples) in CASES.into_iter().zip(&samples) {
        let rates: Vec<_> = samples.iter().map(|samples| of(samples, |sample| sample.rate)).collect();
        let processor =
            samples.iter().map(|samples| format!("{:.0}", of(samples, |sample| sample.processor)));
        for (host, rate) in hosts.iter().zip(&rates) {
            peaks.add(host, case, *rate);
        }
        let mut row = vec![case.name()];
        row.extend(rates.iter().map(|rate| tables::rate(*rate)));
        row.push(tables::ratio(
            rates.get(1).zip(rates.first()).map_or(f64::NAN, |(library, by_hand)| library / by_hand),
        ));
        row.push(target.map_or_else(String::new, |target| format!("≥ {target}")));
        row.extend(processor);
        table.row(row);
    }
    let (cores, hash) = (cores(), median(hashes));
    let login = hosts.get(1).and_then(|library| peaks.find(library, Case::Login)).unwrap_or(f64::NAN);
    let ideal = cores as f64 / hash;
    let text = format!(
        "{table}\nOne hash of the crate `bcrypt` takes {:.1} ms, so {cores} cores compute {ideal:.1} each second, one after the other. \
         The library's logins\nare {} times that; the target is 2.5.\n",
        hash * 1e3,
        tables::ratio(login / ideal),
    );
    run.section("socket", &text)?;
    Ok(peaks)
}

/// As fast as the clients can.
pub(super) fn closed(run: &mut Run<'_>, host: &mut Host, case: Case) -> Result<Sample, String> {
    let (warm_up, measured) = run.times(case.hashes_passwords());
    host.measure(run, case, Pace::Closed, Until::Time { warm_up, measured })
}

fn of(samples: &[Sample], number: impl Fn(&Sample) -> f64) -> f64 {
    median(samples.iter().map(number).collect())
}
