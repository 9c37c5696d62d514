//! What each cryptographic operation costs but for password hashes, which the bench `passwords` measures.
//!
//! ```sh
//! cargo bench --manifest-path tests/benches/Cargo.toml --bench primitives
//! ```

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program to measure with"
)]

use axum_auth_module::private::primitives;
use std::time::{Duration, Instant};

/// How often each operation is measured, in turn with the others.
const ROUNDS: usize = 11;

/// How long a round of one operation is.
const ROUND: Duration = Duration::from_millis(30);

fn main() {
    let operations = primitives().expect("random numbers");
    let mut times = vec![Vec::new(); operations.len()];
    for _ in 0..ROUNDS {
        for ((_, run), times) in operations.iter().zip(&mut times) {
            let (began, mut count) = (Instant::now(), 0_u32);
            while began.elapsed() < ROUND {
                for _ in 0..20 {
                    run().expect("the operation succeeds");
                }
                count += 20;
            }
            times.push(began.elapsed().as_secs_f64() * 1e6 / f64::from(count));
        }
    }
    println!("| operation | µs |");
    println!("|---|---|");
    for ((name, _), times) in operations.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!("| {name} | {:.2} |", times[ROUNDS / 2]);
    }
}
