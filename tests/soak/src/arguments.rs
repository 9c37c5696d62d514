//! The arguments of the program.

use std::time::Duration;

/// What the program is to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Be one instance of the host. The cluster starts these.
    Instance,
    /// Start a cluster, drive it with requests and failures, and audit what it has answered.
    Soak(SoakOptions),
}

/// The options of `soak`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SoakOptions {
    /// Fixes what the clients do and which server fails when, but not how they overlap.
    pub(crate) seed: u64,
    pub(crate) duration: Duration,
    /// How many clients send requests at the same time.
    pub(crate) clients: usize,
    /// Gives each instance a store of its own, which is wrong: the audit must fail.
    pub(crate) sabotage: bool,
}

impl Default for SoakOptions {
    fn default() -> Self {
        Self { seed: 1, duration: Duration::from_secs(600), clients: 12, sabotage: false }
    }
}

const USAGE: &str = "usage: soak [--seed N] [--minutes N | --seconds N] [--clients N] [--sabotage]

It drives the cluster for some time (default: 10 minutes), kills and freezes its servers, and compares every response with the
database; the exit code is 1 if something was wrong. With `--sabotage` the instances do not share their store, and the
audit must fail.";

/// Reads the arguments, without the program's name.
///
/// # Errors
/// The usage, after what is wrong.
pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut arguments = arguments.peekable();
    if arguments.next_if(|argument| argument == "instance").is_none() {
        return soak(arguments).map(Command::Soak);
    }
    match arguments.next() {
        None => Ok(Command::Instance),
        Some(other) => Err(format!("unknown argument `{other}`\n\n{USAGE}")),
    }
}

fn soak(mut arguments: impl Iterator<Item = String>) -> Result<SoakOptions, String> {
    let mut options = SoakOptions::default();
    while let Some(name) = arguments.next() {
        let mut number = || {
            let number = arguments.next().and_then(|text| text.parse::<u32>().ok());
            number
                .filter(|&number| number > 0)
                .ok_or_else(|| format!("{name} needs a number, 1 or more\n\n{USAGE}"))
        };
        match name.as_str() {
            "--seed" => options.seed = number()?.into(),
            "--minutes" => options.duration = Duration::from_secs(u64::from(number()?) * 60),
            "--seconds" => options.duration = Duration::from_secs(number()?.into()),
            "--clients" => options.clients = number()?.try_into().unwrap_or(usize::MAX),
            "--sabotage" => options.sabotage = true,
            "--help" | "-h" => return Err(USAGE.to_owned()),
            other => return Err(format!("unknown argument `{other}`\n\n{USAGE}")),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Command, String> {
        read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read() {
        assert_eq!(of(""), Ok(Command::Soak(SoakOptions::default())));
        assert_eq!(of("instance"), Ok(Command::Instance));
        let expected =
            SoakOptions { seed: 7, duration: Duration::from_secs(120), clients: 3, sabotage: true };
        assert_eq!(of("--seed 7 --minutes 2 --clients 3 --sabotage"), Ok(Command::Soak(expected)));
    }

    #[test]
    fn anything_else_is_an_error_with_the_usage() {
        for line in ["serve", "instance 1", "--seed", "--seed x", "--minutes 0", "--hours 1", "--help"] {
            assert!(of(line).is_err_and(|error| error.ends_with(USAGE)), "{line}");
        }
    }
}
