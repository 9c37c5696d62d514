//! The threads for passwords (specification §14.4), with their sources themselves, which are private to the passwords.

#[path = "../../../auth/src/crypto/passwords/bcrypt/mod.rs"]
mod bcrypt;
#[path = "../../../auth/src/crypto/passwords/job.rs"]
mod job;
#[path = "../../../auth/src/crypto/passwords/pool.rs"]
mod pool;
#[path = "../../../auth/src/crypto/passwords/queue.rs"]
mod queue;

use super::{ALL, Models, SOME, count, together};
use crate::client::ClientAddress;
use crate::error::AuthError;
use bcrypt::BcryptImplementation;
use futures_util::future::{BoxFuture, FutureExt};
use job::{Computation, Job, Memory};
use pool::PasswordPool;
use shuttle::future::block_on;
use shuttle::sync::mpsc;
use shuttle::thread;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::Arc;

pub(super) const MODELS: Models = &[
    ("a thread that waits for work is woken by it, and ends with the pool", ALL, one_job),
    ("threads end with their pool, whatever they do at that time", SOME, shutdown),
    ("every job is computed once", SOME, every_job),
    ("a job is computed or refused, and afterwards every place is free", SOME, places),
    ("who goes away gives the place back, and others go on", SOME, gone),
    ("a computation that panics or fails is an error, and others go on", SOME, panics),
];

/// The rounds of a hash are two to the power of this: one, because the models are about threads.
const COST: u32 = 0;

type Result = std::result::Result<Vec<u8>, AuthError>;

fn pool(threads: usize, queue: usize) -> Arc<PasswordPool> {
    let threads = NonZeroUsize::new(threads).expect("some threads");
    Arc::new(PasswordPool::start(threads, queue, BcryptImplementation::Interleaved, 0))
}

fn client(number: u8) -> ClientAddress {
    IpAddr::from([192, 0, 2, number]).into()
}

fn hash(password: u8) -> Job {
    Job::Lane(bcrypt::Job::new(&[password], [password; 16], COST))
}

fn digest(password: u8) -> Vec<u8> {
    bcrypt::Job::new(&[password], [password; 16], COST).run_with_crate().to_vec()
}

fn run(pool: &Arc<PasswordPool>, job: Job, of: u8) -> BoxFuture<'static, Result> {
    let pool = Arc::clone(pool);
    async move { pool.run(job, client(of)).await }.boxed()
}

fn is_refused(result: &Result) -> bool {
    matches!(result, Err(AuthError::Overloaded { .. }))
}

/// A computation that calls a function.
struct Calls<F>(F);

impl<F: Fn() -> std::result::Result<Vec<u8>, String> + Send> Computation for Calls<F> {
    fn rounds(&self) -> Option<u64> {
        Some(1)
    }

    fn digest(&self, _: &[u8], _: &mut Memory) -> std::result::Result<Vec<u8>, String> {
        (self.0)()
    }
}

fn alone(compute: impl Fn() -> std::result::Result<Vec<u8>, String> + Send + 'static) -> Job {
    Job::alone(Box::new(Calls(compute)), b"", 1)
}

fn one_job() {
    let pool = pool(1, 4);
    assert_eq!(block_on(pool.run(hash(1), client(1))).expect("a digest"), digest(1));
}

fn shutdown() {
    let pool = pool(3, 4);
    let results = together([run(&pool, hash(1), 1), run(&pool, hash(2), 2)]);
    assert!(results.iter().all(std::result::Result::is_ok));
    drop(pool);
    // A pool without any job, whose threads may not even have begun.
    drop(self::pool(2, 4));
}

fn every_job() {
    let pool = pool(2, 64);
    let computed = Arc::new(crate::sync::AtomicU64::new(0));
    let results = together((0..6).map(|number| {
        let computed = Arc::clone(&computed);
        let job = match number % 2 {
            0 => hash(number),
            _ => alone(move || {
                computed.fetch_add(1, crate::sync::Ordering::SeqCst);
                Ok(vec![number])
            }),
        };
        run(&pool, job, number % 3)
    }));
    for (number, result) in (0..).zip(results) {
        let expected = if number % 2 == 0 { digest(number) } else { vec![number] };
        assert_eq!(result.expect("there is room"), expected);
    }
    assert_eq!(computed.load(crate::sync::Ordering::SeqCst), 3);
}

/// Asserts that nothing is left of the jobs before: the queue takes exactly as many as it has places.
fn every_place_is_free(pool: &Arc<PasswordPool>, threads: usize, queue: u8) {
    let (release, gates): (Vec<_>, Vec<_>) = (0..threads).map(|_| mpsc::channel::<()>()).unzip();
    let (has_begun, begun) = mpsc::channel();
    // Every thread computes something until it is released.
    let blocked: Vec<_> = (250..)
        .zip(gates)
        .map(|(of, gate)| {
            let has_begun = has_begun.clone();
            let gate = std::sync::Mutex::new(gate);
            let job = alone(move || {
                has_begun.send(()).expect("the model waits");
                gate.lock().expect("one thread computes it").recv().expect("it is released");
                Ok(Vec::new())
            });
            let job = run(pool, job, of);
            let thread = thread::spawn(move || block_on(job));
            begun.recv().expect("a thread begins it");
            thread
        })
        .collect();
    // Twice, because those who have filled it go away.
    for _ in 0..2 {
        let waiting = fill(pool, queue);
        assert_eq!(waiting.len(), usize::from(queue));
        assert!(is_refused(&block_on(pool.run(hash(9), client(9)))), "the queue is full");
    }
    release.iter().for_each(|gate| gate.send(()).expect("a thread waits"));
    assert!(blocked.into_iter().all(|thread| thread.join().expect("no panic").is_ok()));
}

/// Jobs of four clients that wait in the queue, as many as each client can have.
fn fill(pool: &Arc<PasswordPool>, queue: u8) -> Vec<BoxFuture<'static, Result>> {
    let share = (queue / 4).max(1);
    let mut waiting = Vec::new();
    for of in 1..=4 {
        for number in 0..=share {
            let mut job = run(pool, hash(number), of);
            match (&mut job).now_or_never() {
                None => waiting.push(job),
                Some(result) => assert!(is_refused(&result) && number == share, "{of} {number}"),
            }
        }
    }
    waiting
}

fn places() {
    let pool = pool(2, 4);
    // Each client has one place.
    let results = together([1, 1, 1, 2, 2].map(|of| run(&pool, hash(of), of)));
    for (of, result) in [1, 1, 1, 2, 2].into_iter().zip(&results) {
        match result {
            Ok(computed) => assert_eq!(*computed, digest(of)),
            Err(_) => assert!(is_refused(result)),
        }
    }
    assert!(count(&results, std::result::Result::is_ok) >= 2, "each client had a place");
    every_place_is_free(&pool, 2, 4);
}

fn gone() {
    let pool = pool(2, 4);
    let requests = (1..=4).map(|of| {
        let mut job = run(&pool, hash(of), of);
        async move {
            if of > 2 {
                return Some(job.await);
            }
            let begun = (&mut job).now_or_never();
            // The thread can take it, compute it or be done with it.
            thread::yield_now();
            drop(job);
            begun
        }
        .boxed()
    });
    let results = together(requests);
    for (of, result) in (1..).zip(results).skip(2) {
        assert_eq!(result.expect("it waited").expect("there is room"), digest(of));
    }
    every_place_is_free(&pool, 2, 4);
}

fn panics() {
    let pool = pool(2, 8);
    let jobs = [
        // This is not printed, as a panic would be.
        (alone(|| resume_unwind(Box::new(()))), false),
        (alone(|| Err("no memory".to_owned())), false),
        (hash(3), true),
        (alone(|| Ok(vec![4])), true),
    ];
    let (jobs, succeed): (Vec<_>, Vec<_>) = jobs.into_iter().unzip();
    let results = together((1..).zip(jobs).map(|(of, job)| run(&pool, job, of)));
    for (result, succeeds) in results.iter().zip(succeed) {
        assert!(if succeeds { result.is_ok() } else { matches!(result, Err(AuthError::Internal { .. })) });
    }
    every_place_is_free(&pool, 2, 8);
}
