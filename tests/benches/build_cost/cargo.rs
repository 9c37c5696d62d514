//! Running cargo in a workspace, and taking the time.

use crate::Failure;
use std::env;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How one run went.
pub(crate) struct Run {
    pub(crate) took: Duration,
    /// What it wrote to standard output.
    pub(crate) said: String,
    /// The packages that were compiled or checked, in order.
    pub(crate) compiled: Vec<String>,
}

/// Runs cargo with these arguments.
///
/// # Errors
/// When it cannot be started or does not succeed; the message has what it said.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Result<Run, Failure> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        // Servers that build switch this off, and here it is what is measured.
        .env("CARGO_INCREMENTAL", "1")
        // What was compiled is read from what cargo says.
        .env("CARGO_TERM_COLOR", "never")
        .env("CARGO_TERM_QUIET", "false");
    let began = Instant::now();
    let output = command.output()?;
    let took = began.elapsed();
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    if !output.status.success() {
        let what = arguments.join(" ");
        return Err(format!("`cargo {what}` failed in {}:\n{complained}", folder.display()).into());
    }
    let compiled = complained.lines().filter_map(package).map(str::to_owned).collect();
    Ok(Run { took, said, compiled })
}

/// Runs cargo on one package, and makes sure that it compiled this one and no other.
///
/// # Errors
/// Also when something else was compiled, or nothing: the time would be of something else.
pub(crate) fn alone(folder: &Path, command: &str, package: &str) -> Result<Duration, Failure> {
    let Run { took, compiled, .. } = run(folder, &[command, "-p", package])?;
    if compiled != [package] {
        return Err(format!("`cargo {command} -p {package}` was to compile it alone: {compiled:?}").into());
    }
    Ok(took)
}

/// Builds one package that is built already.
///
/// # Errors
/// Also when something was compiled.
pub(crate) fn nothing(folder: &Path, package: &str) -> Result<Duration, Failure> {
    let Run { took, compiled, .. } = run(folder, &["build", "-p", package])?;
    if !compiled.is_empty() {
        return Err(format!("there was to be nothing to build for {package}: {compiled:?}").into());
    }
    Ok(took)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The package of a line like `   Compiling serde v1.0.0`.
fn package(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    words.next().filter(|verb| ["Compiling", "Checking"].contains(verb))?;
    words.next()
}
