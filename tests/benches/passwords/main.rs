//! How many passwords are hashed in a second, with the crate `bcrypt` and interleaved; the figures are in
//! `docs/performance.md`.
//!
//! ```sh
//! cargo bench -p auth-tests --bench passwords              # cost 10
//! cargo bench -p auth-tests --bench passwords -- 12
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a program to measure with"
)]

// The library's module itself, because it is private there.
#[path = "../../../auth/src/crypto/passwords/bcrypt/mod.rs"]
#[expect(dead_code, reason = "this does not use all of it")]
mod interleaved;

use interleaved::{BcryptImplementation, Job, Lanes};
use std::num::NonZeroUsize;
use std::thread;
use std::time::Instant;

/// How often each case is measured, in turn with the others.
const ROUNDS: usize = 7;

/// Seconds until this many threads have hashed `count` passwords each, `at_once` at a time.
fn seconds(
    threads: usize,
    implementation: BcryptImplementation,
    cost: u32,
    count: usize,
    at_once: usize,
) -> f64 {
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut lanes = Lanes::new(implementation);
                for batch in 0..count / at_once {
                    for owner in 0..at_once {
                        let password = format!("password {batch} {owner}");
                        lanes.start(Job::new(password.as_bytes(), [7; 16], cost), owner);
                    }
                    while !lanes.is_empty() {
                        lanes.turn(16);
                    }
                }
            });
        }
    });
    began.elapsed().as_secs_f64()
}

fn main() {
    // `cargo bench` adds `--bench`.
    let cost = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(10);
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let cases = [
        ("crate `bcrypt`", BcryptImplementation::Crate, 1),
        ("interleaved, 1 at once", BcryptImplementation::Interleaved, 1),
        ("interleaved, 2 at once", BcryptImplementation::Interleaved, 2),
        ("interleaved, 3 at once", BcryptImplementation::Interleaved, 3),
        ("interleaved, 4 at once", BcryptImplementation::Interleaved, 4),
    ];
    println!("cost {cost}; medians of {ROUNDS} interleaved rounds\n");
    println!(
        "| | 1 thread: hashes per second | ÷ crate | time of each | {cores} threads: hashes per second | ÷ crate |"
    );
    println!("|---|---|---|---|---|---|");
    let mut times = vec![[Vec::new(), Vec::new()]; cases.len()];
    for _ in 0..ROUNDS {
        for ((_, implementation, at_once), times) in cases.iter().zip(&mut times) {
            for (times, threads) in times.iter_mut().zip([1, cores]) {
                times.push(seconds(threads, *implementation, cost, 12, *at_once));
            }
        }
    }
    let per_second: Vec<[f64; 2]> = times
        .into_iter()
        .map(|times| {
            let mut threads = [1.0, cores as f64].into_iter();
            times.map(|mut times| {
                times.sort_by(f64::total_cmp);
                12.0 * threads.next().unwrap() / times[ROUNDS / 2]
            })
        })
        .collect();
    let [one, all] = per_second[0];
    for ((name, _, at_once), [on_one, on_all]) in cases.iter().zip(per_second) {
        println!(
            "| {name} | {on_one:.1} | {:.2} | {:.0} ms | {on_all:.1} | {:.2} |",
            on_one / one,
            1000.0 * *at_once as f64 / on_one,
            on_all / all
        );
    }
}
