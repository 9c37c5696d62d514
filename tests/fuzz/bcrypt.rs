//! Computes any passwords in lanes, in any order, and compares the results with those of the crate `bcrypt`.
//!
//! The input is a sequence of jobs: a byte that says what happens before the job starts, its cost, the length of the password,
//! the salt and the password.

#![no_main]

// The library's module itself, because it is private there.
#[expect(dead_code, reason = "this does not use all of it")]
#[path = "../../auth/src/crypto/passwords/bcrypt/mod.rs"]
mod interleaved;

use interleaved::{BcryptImplementation, Digest, Job, Lanes};
use libfuzzer_sys::fuzz_target;

/// The jobs that the input describes, each with a number of rounds to compute before it starts.
fn jobs(mut input: &[u8]) -> Vec<(u64, Job)> {
    let mut jobs = Vec::new();
    while let Some((head, rest)) = input.split_first_chunk::<19>()
        && jobs.len() < 12
    {
        let [before, cost, length, salt @ ..] = *head;
        let (password, rest) = rest.split_at(rest.len().min(usize::from(length % 80)));
        let (cost, work) = (4 + u32::from(cost % 2), u64::from(cost));
        jobs.push((u64::from(before % 64), Job::new(password, salt, cost).with_work_of(work)));
        input = rest;
    }
    jobs
}

fuzz_target!(|input: &[u8]| {
    let jobs = jobs(input);
    let mut lanes = Lanes::new(BcryptImplementation::Interleaved);
    let mut digests: Vec<Option<Digest>> = vec![None; jobs.len()];
    let mut turn = |lanes: &mut Lanes<usize>, rounds| {
        for (owner, digest) in lanes.turn(rounds).done {
            assert!(digests[owner].replace(digest).is_none());
        }
    };
    for (owner, (before, job)) in jobs.iter().enumerate() {
        turn(&mut lanes, *before);
        while lanes.room() == 0 {
            turn(&mut lanes, 16);
        }
        lanes.start(job.clone(), owner);
    }
    while !lanes.is_empty() {
        turn(&mut lanes, 1000);
    }
    for (digest, (_, job)) in digests.iter().zip(&jobs) {
        assert_eq!(*digest, Some(job.run_with_crate()));
    }
});
