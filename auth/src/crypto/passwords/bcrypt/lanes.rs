//! The jobs of one thread, up to four at once. A job can join while others are half done.

use super::blowfish::{Lane, expand};
use super::{BcryptImplementation, Digest, Job};
use zeroize::Zeroize;

/// How many jobs are computed at once. The tables of four fit into the first cache of every usual processor.
const LANES: usize = 4;

/// Jobs of owners `T`, to whom the results belong.
pub(crate) struct Lanes<T> {
    /// The first ones are in use, in the order of `jobs`. The crate needs none.
    lanes: Vec<Lane>,
    jobs: Vec<Progress<T>>,
    capacity: usize,
}

/// How far a job is.
struct Progress<T> {
    owner: T,
    job: Job,
    /// The rounds that are done.
    rounds: u64,
    digest: Option<Digest>,
}

/// What a turn has computed.
pub(crate) struct Turn<T> {
    /// The rounds of all jobs.
    pub(crate) rounds: u64,
    /// How many jobs had a part in them, at least 1.
    pub(crate) lanes: u64,
    /// The jobs that are done.
    pub(crate) done: Vec<(T, Digest)>,
}

impl<T> Progress<T> {
    /// The rounds until there is something to do.
    const fn rest(&self) -> u64 {
        let end = if self.digest.is_none() { self.job.digest_rounds() } else { self.job.rounds() };
        end - self.rounds
    }
}

impl<T> Lanes<T> {
    pub(crate) fn new(implementation: BcryptImplementation) -> Self {
        let (lanes, capacity) = match implementation {
            BcryptImplementation::Interleaved => (LANES, LANES),
            BcryptImplementation::Crate => (0, 1),
        };
        let lanes = (0..lanes).map(|_| Lane::empty()).collect();
        Self { lanes, jobs: Vec::with_capacity(capacity), capacity }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// How many jobs can start.
    pub(crate) const fn room(&self) -> usize {
        self.capacity.saturating_sub(self.jobs.len())
    }

    /// Starts a job. There must be room.
    pub(crate) fn start(&mut self, job: Job, owner: T) {
        if let Some(lane) = self.lanes.get_mut(self.jobs.len()) {
            lane.start(&job);
        }
        self.jobs.push(Progress { owner, job, rounds: 0, digest: None });
    }

    /// Computes all jobs for at most this many rounds; the crate computes its job to the end.
    pub(crate) fn turn(&mut self, rounds: u64) -> Turn<T> {
        let mut turn = Turn { rounds: 0, lanes: (self.jobs.len() as u64).max(1), done: Vec::new() };
        if self.lanes.is_empty() {
            for Progress { owner, job, .. } in self.jobs.drain(..) {
                turn.rounds += job.rounds();
                turn.done.push((owner, job.run_with_crate()));
            }
            return turn;
        }
        let rounds = self.jobs.iter().map(Progress::rest).fold(rounds, u64::min);
        let (lanes, _unused) = self.lanes.split_at_mut(self.jobs.len());
        expand(lanes, rounds);
        for (job, lane) in self.jobs.iter_mut().zip(lanes) {
            job.rounds += rounds;
            turn.rounds += rounds;
            if job.digest.is_none() && job.rest() == 0 {
                job.digest = Some(lane.digest());
            }
        }
        self.remove(
            |job| if job.rest() == 0 { job.digest } else { None },
            |owner, digest| turn.done.push((owner, digest)),
        );
        turn
    }

    /// Gives up the jobs of these owners.
    pub(crate) fn drop_if(&mut self, is_gone: impl Fn(&T) -> bool) {
        self.remove(|job| is_gone(&job.owner).then_some(()), |_, ()| {});
    }

    /// Removes the jobs for which there is a value, and wipes their lanes.
    fn remove<V>(&mut self, value: impl Fn(&Progress<T>) -> Option<V>, mut removed: impl FnMut(T, V)) {
        let mut at = 0;
        while let Some(job) = self.jobs.get(at) {
            let Some(value) = value(job) else {
                at += 1;
                continue;
            };
            let last = self.jobs.len() - 1;
            if last < self.lanes.len() {
                self.lanes.swap(at, last);
            }
            if let Some(lane) = self.lanes.get_mut(last) {
                lane.zeroize();
            }
            removed(self.jobs.swap_remove(at).owner, value);
        }
    }
}
