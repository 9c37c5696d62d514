//! `password-cost`: the cost of password hashes for a time on this machine.

mod measure;
mod search;

use super::progress::Progress;
use super::{Failure, Outcome, block_on, print};
use measure::{Measured, Parameters, measure};
use std::fmt::Write;
use std::time::Duration;

/// The options of `password-cost`.
pub(super) struct Options {
    /// How long a hash may take.
    pub(super) target: Duration,
    /// Whether the hash is Argon2id.
    pub(super) argon2id: bool,
    /// The most memory of an Argon2id hash.
    pub(super) memory_kib: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self { target: Duration::from_millis(250), argon2id: false, memory_kib: None }
    }
}

pub(super) fn run(options: &Options) -> Result<Outcome, Failure> {
    if !options.argon2id && options.memory_kib.is_some() {
        return Err(Failure::new("`--memory` is for Argon2id: add `--argon2id`"));
    }
    let mut progress = Progress::new();
    let mut measured = Vec::new();
    let time = async |parameters, remaining: Duration| {
        let found = measure(parameters, &mut progress, remaining).await?;
        measured.push(found);
        Ok(found)
    };
    let chosen = block_on(async {
        match options.argon2id {
            false => search::bcrypt(options.target, time).await,
            true => argon2id(options, time).await,
        }
    })?;
    // The bar disappears before the result is there.
    drop(progress);
    print(&text(options, &chosen, &measured))?;
    Ok(if chosen.time <= options.target { Outcome::Fine } else { Outcome::Found })
}

/// What was measured as comments, and the variables of what was chosen.
fn text(options: &Options, chosen: &Measured, measured: &[Measured]) -> String {
    let mut text = "# One hash alone, the median of three:\n".to_owned();
    for Measured { parameters, time } in measured {
        // A `String` can always be written.
        let _written = writeln!(text, "# {parameters}: {}", milliseconds(*time));
    }
    if cfg!(debug_assertions) {
        text += "# This is a debug build: the times are not those of a release build.\n";
    }
    let target = milliseconds(options.target);
    if chosen.time > options.target {
        text += &format!("# Nothing that is strong enough takes at most {target}. This is the least:\n");
    } else if let Some(next) = chosen.parameters.next_bcrypt(chosen.time) {
        text += &format!("# The next cost would take about {}, more than {target}.\n", milliseconds(next));
    }
    text + &chosen.parameters.variables()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1000.0)
}

#[cfg(not(feature = "argon2"))]
async fn argon2id(
    _options: &Options,
    _time: impl AsyncFnMut(Parameters, Duration) -> Result<Measured, Failure>,
) -> Result<Measured, Failure> {
    Err(Failure::new(
        "this command was built without the cargo feature `argon2`; build it with `--features command,argon2`",
    ))
}

#[cfg(feature = "argon2")]
async fn argon2id(
    options: &Options,
    time: impl AsyncFnMut(Parameters, Duration) -> Result<Measured, Failure>,
) -> Result<Measured, Failure> {
    const DEFAULT_MEMORY: u32 = 64 * 1024;
    search::argon2id(options.target, options.memory_kib.unwrap_or(DEFAULT_MEMORY), time).await
}
