//! The figures as Markdown, as in `tests/benches/build_cost/README.md`.

use crate::Failure;
use crate::cargo::run;
use crate::figures::Times;
use crate::measure::{self, Clean, Host, OfEach, Rounds};
use crate::sizes;
use crate::workspaces::{HOSTS, Workspaces};
use std::process::Command;
use std::{env, thread};

/// Measures everything, and writes it down.
pub(crate) fn write(workspaces: &Workspaces, rounds: Rounds) -> Result<String, Failure> {
    let clean = measure::clean(workspaces, rounds.clean)?;
    let hosts = measure::hosts(workspaces, rounds.others)?;
    let macro_crate = measure::macro_crate(workspaces, rounds.others)?;

    let mut lines = vec![machine(workspaces, rounds)?, String::new()];
    lines.extend(table(&clean, &hosts));
    lines.push(String::new());
    lines.push(format!("The macro crate alone, with its dependencies built: {macro_crate} seconds."));
    lines.push(String::new());
    lines.extend(text_sizes()?);
    Ok(lines.join("\n"))
}

/// What the figures were taken with.
fn machine(workspaces: &Workspaces, rounds: Rounds) -> Result<String, Failure> {
    let [with_macro, ..] = &workspaces.hosts;
    let rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .arg("--version")
        .current_dir(&with_macro.folder)
        .output()?;
    let rustc = String::from_utf8(rustc.stdout)?;
    let cargo = run(&with_macro.folder, &["--version"])?.said;
    let cores = thread::available_parallelism()?;
    let Rounds { clean, others } = rounds;
    Ok(format!(
        "{}, {}, {cores} cores; rounds: {clean} of everything, {others} of the rest.",
        rustc.trim(),
        cargo.trim()
    ))
}

fn table(clean: &OfEach<Clean>, hosts: &OfEach<Host>) -> Vec<String> {
    let [with_macro, by_hand, plain_axum, bare_axum] = HOSTS;
    let packages = clean.each_ref().map(|clean| clean.packages.to_string()).join(" | ");
    let sizes = clean.each_ref().map(|clean| mebibytes(clean.bytes)).join(" | ");
    let [all, release, alone_build, alone_check, nothing] = [
        clean.each_ref().map(|clean| &clean.build),
        clean.each_ref().map(|clean| &clean.release),
        hosts.each_ref().map(|host| &host.alone_build),
        hosts.each_ref().map(|host| &host.alone_check),
        hosts.each_ref().map(|host| &host.nothing),
    ];
    let [body_check, body_build, record_check, record_build] = [
        hosts.each_ref().map(|host| &host.body_check),
        hosts.each_ref().map(|host| &host.body_build),
        hosts.each_ref().map(|host| &host.record_check),
        hosts.each_ref().map(|host| &host.record_build),
    ];
    vec![
        format!(
            "| seconds: median (least to most) | `{with_macro}` | `{by_hand}` | `{plain_axum}` | `{bare_axum}` | \
             `{with_macro}` against `{by_hand}` |"
        ),
        "|---|---|---|---|---|---|".to_owned(),
        row("everything, `cargo build`", all),
        row("everything, `cargo build --release`", release),
        row("the host alone, `cargo build`", alone_build),
        row("the host alone, `cargo check`", alone_check),
        row("a line in a function, `cargo check`", body_check),
        row("a line in a function, `cargo build`", body_build),
        row("a field in the record, `cargo check`", record_check),
        row("a field in the record, `cargo build`", record_build),
        row("nothing to do, `cargo build`", nothing),
        format!("| packages compiled | {packages} | |"),
        format!("| MiB of the stripped program, `--release` | {sizes} | |"),
    ]
}

fn row(what: &str, times: OfEach<&Times>) -> String {
    let [with_macro, by_hand, ..] = times;
    let more = with_macro.more_than(by_hand);
    format!("| {what} | {} | {more} |", times.map(Times::to_string).join(" | "))
}

fn mebibytes(bytes: u64) -> String {
    format!("{}.{}", bytes >> 20, ((bytes & 0xF_FFFF) * 10) >> 20)
}

fn text_sizes() -> Result<Vec<String>, Failure> {
    let mut lines = vec!["| lines of code | |".to_owned(), "|---|---|".to_owned()];
    for host in HOSTS {
        lines.push(format!("| the host `{host}` | {} |", sizes::host(host)?));
    }
    lines.push(format!("| what the derive generates for a record | {} |", sizes::derive()?));
    lines.push(format!("| what `auth_module!` generates for every feature | {} |", sizes::module()?));
    Ok(lines)
}
