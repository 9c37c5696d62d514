//! Counts instructions with valgrind: the difference of two runs of different lengths, so that the start does not count.
//!
//! The number depends on the compiler, on the code, and on what valgrind's processor can do, but not on the machine or on what else
//! it does. So there is a budget: `budget.txt` has the instructions of each request, and [`check`] fails if one needs more
//! than [`TOLERANCE`] more.

use crate::Case;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

const FEW: u64 = 500;
const MANY: u64 = 1500;

/// How much more than the budget a request may need, in percent.
const TOLERANCE: f64 = 3.0;

/// Prints the comparison with the host by hand.
pub(crate) fn measure() {
    println!("| request | by hand, thousand instructions | with the library | library ÷ by hand |");
    println!("|---|---|---|---|");
    for case in Case::ALL {
        let [by_hand, with_library] = ["by-hand", "with-library"].map(|host| of_one(host, case) / 1000.0);
        println!("| {} | {by_hand:.1} | {with_library:.1} | {:.2} |", case.name(), with_library / by_hand);
    }
}

/// Compares each request with its budget.
pub(crate) fn check() -> ExitCode {
    let budgets = fs::read_to_string(budget_file()).expect("the budgets");
    let mut exceeded = false;
    for case in Case::ALL {
        let budget = budgets.lines().find_map(|line| line.strip_prefix(case.name())?.trim().parse().ok());
        let budget: f64 = budget.unwrap_or_else(|| panic!("budget.txt has no line for {}", case.name()));
        let now = of_one("with-library", case);
        let more = (now / budget - 1.0) * 100.0;
        let verdict = match more {
            more if more > TOLERANCE => "too many",
            more if more < -TOLERANCE => "fewer: `tests/benches/budget --write` lowers the budget",
            _ => "ok",
        };
        exceeded |= more > TOLERANCE;
        println!(
            "{:<13} {now:>8.0} instructions, budget {budget:>8.0}, {more:+.1} %: {verdict}",
            case.name()
        );
    }
    if exceeded { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Writes the budgets.
pub(crate) fn write() {
    let lines = Case::ALL.map(|case| format!("{} {:.0}\n", case.name(), of_one("with-library", case)));
    fs::write(budget_file(), lines.concat()).expect("the budgets are written");
}

fn budget_file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("requests/budget.txt")
}

/// The instructions of one request.
fn of_one(host: &str, case: Case) -> f64 {
    let [few, many] = [FEW, MANY].map(|count| of_run(host, case, count));
    (many - few) as f64 / (MANY - FEW) as f64
}

/// The instructions of a run.
fn of_run(host: &str, case: Case, count: u64) -> u64 {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--run", host, case.name(), &count.to_string()])
        .output()
        .expect("valgrind is installed");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let collected = text.lines().find_map(|line| line.split_once("Collected : ")).expect("a number");
    collected.1.trim().parse().expect("a number")
}
