//! `load compare`: starts the hosts, measures them in turns, and prints the tables of `tests/benches/README.md`.

mod database;
mod host;
mod memory;
mod plots;
mod socket;
mod storm;

use crate::databases::Database;
use crate::options::{Comparison, Part};
use crate::tables;
use host::{Host, Place};
use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

/// What all parts use.
struct Run<'a> {
    options: &'a Comparison,
    /// What failed, host by host.
    failures: Vec<String>,
    /// The most of a core that the generator used.
    generator: f64,
}

/// The hosts that the parts need. The processes end before the databases are deleted: fields are dropped in this order.
struct Hosts {
    in_memory: Vec<Host>,
    on_postgres: Vec<Host>,
    on_sqlite: Vec<Host>,
    _databases: Vec<Database>,
}

/// # Errors
/// If a host cannot be started or prepared, and after the tables if any response was not as expected.
pub(crate) fn run(options: &Comparison) -> Result<(), String> {
    let mut run = Run { options, failures: Vec::new(), generator: 0.0 };
    let mut hosts = start(options)?;
    let mut peaks = socket::Peaks::default();
    if options.has(Part::Socket) {
        peaks = socket::measure(&mut run, &mut hosts.in_memory)?;
    }
    if options.has(Part::Storm) {
        storm::measure(&mut run, &mut hosts)?;
    }
    if options.has(Part::Database) {
        database::measure(&mut run, &mut hosts)?;
    }
    if options.has(Part::Plots) {
        plots::measure(&mut run, &mut hosts, peaks)?;
    }
    drop(hosts);
    if options.has(Part::Memory) {
        memory::measure(&mut run)?;
    }
    run.section("environment", &format!("{}\n", environment(&run)))?;
    if run.failures.is_empty() { Ok(()) } else { Err(run.failures.join("\n")) }
}

fn start(options: &Comparison) -> Result<Hosts, String> {
    let mut hosts = Hosts {
        in_memory: Vec::new(),
        on_postgres: Vec::new(),
        on_sqlite: Vec::new(),
        _databases: Vec::new(),
    };
    if options.has(Part::Socket) || options.has(Part::Storm) || options.has(Part::Plots) {
        let challenges = options.has(Part::Socket) || options.has(Part::Plots);
        hosts.in_memory = vec![
            Host::start("by hand", Place::ByHand, None, options, challenges)?,
            Host::start("library", Place::Library, None, options, challenges)?,
        ];
    }
    if options.has(Part::Database) || options.has(Part::Storm) || options.has(Part::Plots) {
        let databases =
            [("axum-login, PostgreSQL", Place::AxumLogin), ("library, PostgreSQL", Place::Library)];
        for (number, (label, place)) in databases.into_iter().enumerate() {
            match Database::postgres(&options.postgres, &format!("auth_load_{number}")) {
                Ok(database) => {
                    hosts.on_postgres.push(Host::start(label, place, Some(&database), options, false)?);
                    hosts._databases.push(database);
                }
                // The comparison is skipped; in CI it must not be.
                Err(error) if std::env::var_os("CI").is_none() => note(&format!("skipped: {label}: {error}")),
                Err(error) => return Err(error),
            }
        }
    }
    if options.has(Part::Database) || options.has(Part::Storm) {
        let database = Database::sqlite()?;
        hosts.on_sqlite.push(Host::start(
            "library, SQLite",
            Place::Library,
            Some(&database),
            options,
            false,
        )?);
        hosts._databases.push(database);
    }
    Ok(hosts)
}

impl Run<'_> {
    /// Prints a section of the page.
    fn section(&self, name: &str, text: &str) -> Result<(), String> {
        tables::section(self.options.page.as_deref(), name, text)
    }

    /// How long a measurement warms up, and how long it is.
    fn times(&self, hashes_passwords: bool) -> (Duration, Duration) {
        let seconds = self.options.seconds;
        let (warm_up, measured) =
            if hashes_passwords { (0.5 * seconds, 2.0 * seconds) } else { (0.25 * seconds, seconds) };
        (Duration::from_secs_f64(warm_up), Duration::from_secs_f64(measured))
    }
}

/// Says on standard error what is being done.
fn note(text: &str) {
    // Nobody may be listening.
    let _ = writeln!(io::stderr(), "-- {text}");
}

/// The seconds that one hash of the crate bcrypt takes, on a core that has nothing else to do.
fn hash_seconds(cost: u32) -> f64 {
    let began = Instant::now();
    let _ = std::hint::black_box(bcrypt::hash("correct horse battery", cost));
    began.elapsed().as_secs_f64()
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// What the figures depend on.
fn environment(run: &Run<'_>) -> String {
    let Comparison { rounds, seconds, connections, bcrypt_cost, .. } = run.options;
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or_else(String::new, |(_, model)| format!(" ({})", model.trim()));
    let build = if cfg!(debug_assertions) { "a build without optimisation" } else { "a release build" };
    format!(
        "{} cores{model}, which the host, the generator and the database server share; {build}.\n{connections} connections, medians of \
         {rounds} rounds of {seconds} s, bcrypt cost {bcrypt_cost}. The generator used up to {:.2} of a core.",
        cores(),
        run.generator,
    )
}
