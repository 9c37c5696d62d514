//! Latency against load: a picture for each case.

use super::host::Host;
use super::socket::{CASES, Peaks, closed};
use super::{Hosts, Run, note};
use crate::cases::Case;
use crate::engine::{Pace, Until};
use crate::plot::{Picture, Point, Series};
use crate::tables;
use std::fs;

/// The load of a host, as parts of what its clients reached without a fixed rate.
const LOADS: [f64; 9] = [0.1, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// Measures the hosts and writes the pictures.
pub(super) fn measure(run: &mut Run<'_>, hosts: &mut Hosts, mut peaks: Peaks) -> Result<(), String> {
    let directory = &run.options.plots;
    fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    for (case, _) in CASES {
        picture(run, &mut hosts.in_memory, case, "in memory", &case.name(), &mut peaks)?;
    }
    if !hosts.on_postgres.is_empty() {
        let name = "current-user-postgresql";
        picture(run, &mut hosts.on_postgres, Case::CurrentUser, "on PostgreSQL", name, &mut peaks)?;
    }
    Ok(())
}

fn picture(
    run: &mut Run<'_>,
    hosts: &mut [Host],
    case: Case,
    place: &str,
    name: &str,
    peaks: &mut Peaks,
) -> Result<(), String> {
    note(&format!("plot: {name}"));
    for host in &mut *hosts {
        if peaks.find(host, case).is_none() {
            let rate = closed(run, host, case)?.rate;
            peaks.add(host, case, rate);
        }
    }
    // The title says where the rows are.
    let label = |host: &Host| host.label.split(',').next().unwrap_or_default();
    let mut series: Vec<_> =
        hosts.iter().map(|host| Series { label: label(host), points: Vec::new() }).collect();
    for load in LOADS {
        for (host, series) in hosts.iter_mut().zip(&mut series) {
            let rate = load * peaks.find(host, case).unwrap_or(f64::NAN);
            let (warm_up, measured) = run.times(case.hashes_passwords());
            let until = Until::Time { warm_up, measured };
            let measured = host.measure(run, case, Pace::PerSecond(rate), until)?.measured;
            if let (Some(p50), Some(p99)) = (measured.percentile(50.0), measured.percentile(99.0)) {
                series.points.push(Point { rate, p50: p50 as f64 / 1e3, p99: p99 as f64 / 1e3 });
            }
        }
    }
    let title = format!("{}, {place}", case.name());
    let svg = Picture { title: &title, series: &series }.svg();
    let path = run.options.plots.join(format!("{name}.svg"));
    fs::write(&path, svg).map_err(|error| format!("{}: {error}", path.display()))?;
    tables::print(&format!("\nwrote {}\n", path.display()))
}
