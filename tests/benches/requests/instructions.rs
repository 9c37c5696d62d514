//! Counts instructions with valgrind: the difference of two runs of different lengths, so that the start does not count.

use crate::Case;
use std::process::Command;

const FEW: u64 = 500;
const MANY: u64 = 1500;

pub(crate) fn measure() {
    println!("| request | by hand, thousand instructions | with the library | library ÷ by hand |");
    println!("|---|---|---|---|");
    for case in Case::ALL {
        let [by_hand, with_library] = ["by-hand", "with-library"].map(|host| {
            let [few, many] = [FEW, MANY].map(|count| instructions(host, case, count));
            (many - few) as f64 / (MANY - FEW) as f64 / 1000.0
        });
        println!("| {} | {by_hand:.1} | {with_library:.1} | {:.2} |", case.name(), with_library / by_hand);
    }
}

/// The instructions of a run.
fn instructions(host: &str, case: Case, count: u64) -> u64 {
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
