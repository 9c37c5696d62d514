//! The options of the command line.

use crate::cases::Case;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Measures a server that is running, or compares hosts with and without the library.
#[derive(Parser)]
#[command(version = None, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) single: Single,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Starts the hosts, measures them in turns, and prints the tables of `tests/benches/README.md`
    Compare(Comparison),
}

/// One case on a server that is running already.
#[derive(Args)]
pub(crate) struct Single {
    /// Where the server is: `http://127.0.0.1:3000`, perhaps with a path that all others begin with
    #[arg(long, required = true)]
    pub(crate) url: Option<String>,
    /// What is measured
    #[arg(long, value_enum, required = true)]
    pub(crate) case: Option<Case>,
    /// The path of the cases ping, claims, current-user and status
    #[arg(long)]
    pub(crate) path: Option<String>,
    /// What the paths of the authentication begin with: `/auth/login`
    #[arg(long, default_value = "/auth")]
    pub(crate) auth: String,
    /// How many connections, each with a client that sends one request at a time
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=5000))]
    pub(crate) connections: u16,
    /// Operations each second, whatever the server does. Without it each client begins when it has its last response
    #[arg(long, value_parser = positive)]
    pub(crate) rate: Option<f64>,
    /// How long is measured, in seconds
    #[arg(long, default_value = "5", value_parser = positive)]
    pub(crate) seconds: f64,
    /// How long is sent before, in seconds
    #[arg(long, default_value = "1", value_parser = positive)]
    pub(crate) warm_up: f64,
    /// Ends after so many operations instead
    #[arg(long, conflicts_with_all = ["rate", "seconds", "warm_up"])]
    pub(crate) operations: Option<u64>,
    /// The access token of the cases claims, current-user and status. Without it the generator logs in
    #[arg(long, conflicts_with = "cookie")]
    pub(crate) bearer: Option<String>,
    /// The cookies of these cases: `id=…; other=…`
    #[arg(long)]
    pub(crate) cookie: Option<String>,
    /// The addresses of the accounts, where `{n}` is a number from 0
    #[arg(long, default_value = "load-{n}@example.com")]
    pub(crate) email: String,
    /// The password of the accounts
    #[arg(long, default_value = "correct horse battery")]
    pub(crate) password: String,
    /// How many accounts there are: by default one for each connection, and for the case challenge twelve
    #[arg(long)]
    pub(crate) accounts: Option<usize>,
    /// Registers the accounts first. The case challenge needs it, because it enables their second factor
    #[arg(long)]
    pub(crate) register: bool,
    /// Sends another `X-Forwarded-For` for each account, for a server that trusts it and limits attempts by it
    #[arg(long)]
    pub(crate) client_addresses: bool,
    /// The process of the server on this machine, to print the memory it uses before and after
    #[arg(long)]
    pub(crate) process: Option<u32>,
}

/// What is compared, and how long.
#[derive(Args)]
pub(crate) struct Comparison {
    /// Only these parts, comma-separated
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) only: Vec<Part>,
    /// How often each case is measured on each host, in turns
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=101))]
    pub(crate) rounds: u16,
    /// How long each measurement is, in seconds; twice as long if the case hashes passwords
    #[arg(long, default_value = "2", value_parser = positive)]
    pub(crate) seconds: f64,
    /// How many connections each case has
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) connections: u16,
    /// How many accounts with a second factor each host has; each has one code in 30 seconds. By default 384 for each core
    #[arg(long)]
    pub(crate) two_factor_accounts: Option<usize>,
    /// The cost of password hashes. Below 10 only a test configuration has it
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(4..=16))]
    pub(crate) bcrypt_cost: u32,
    /// How many attempts, and how many logins and logouts, the part memory makes, with hashes of cost 4
    #[arg(long, default_value_t = 100_000)]
    pub(crate) memory_operations: u64,
    /// Writes the tables into this page, too: `tests/benches/README.md`
    #[arg(long)]
    pub(crate) page: Option<PathBuf>,
    /// Where the part plots writes its pictures
    #[arg(long, default_value = "tests/benches/plots")]
    pub(crate) plots: PathBuf,
    /// The PostgreSQL, without the name of a database: two are created and deleted
    #[arg(
        long,
        env = "POSTGRES_URL",
        default_value = "postgres://postgres@127.0.0.1:5432",
        hide_env_values = true
    )]
    pub(crate) postgres: String,
}

/// A section of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The library and the host by hand, in memory
    Socket,
    /// The library on PostgreSQL and SQLite, and axum-login on PostgreSQL
    Database,
    /// Other requests during logins
    Storm,
    /// Resident memory
    Memory,
    /// Latency against load
    Plots,
}

impl Comparison {
    pub(crate) fn has(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= 1e6 => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::Options;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_options_are_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (arguments, expected) in [
            ("load", "--url"),
            ("load --url http://a --case claim", "claims"),
            ("load --url http://a --case claims --rate 0", "above 0"),
            ("load --url http://a --case claims --rate 5 --operations 10", "--operations"),
            ("load compare --only sockets", "socket"),
        ] {
            let error = Options::try_parse_from(arguments.split(' ')).err().expect(arguments).to_string();
            assert!(error.contains(expected), "{arguments}: {error}");
        }
        assert!(Options::try_parse_from("load compare --only socket,storm".split(' ')).is_ok());
    }
}
