use super::super::job::Computation;
use super::*;
use futures_util::FutureExt;
use tokio::task::JoinHandle;

fn pool(queue: usize, implementation: BcryptImplementation) -> Arc<PasswordPool> {
    Arc::new(PasswordPool::start(NonZeroUsize::MIN, queue, implementation, 0))
}

fn job(cost: u32) -> Job {
    Job::Lane(bcrypt::Job::new(b"secret", [1; 16], cost))
}

fn digest(cost: u32) -> Vec<u8> {
    bcrypt::Job::new(b"secret", [1; 16], cost).run_with_crate().to_vec()
}

fn client(number: u8) -> ClientAddress {
    std::net::IpAddr::from([192, 0, 2, number]).into()
}

/// Jobs that take hours, of as many clients, which have all begun.
async fn endless(pool: &Arc<PasswordPool>, count: u8) -> Vec<JoinHandle<()>> {
    let mut tasks = Vec::new();
    for number in 0..count {
        let pool_of_task = Arc::clone(pool);
        let mut run = Box::pin(async move {
            let _ = pool_of_task.run(job(28), client(200 + number)).await;
        });
        // From here on it is in the queue, until a thread takes it.
        assert!(run.as_mut().now_or_never().is_none());
        tasks.push(tokio::spawn(run));
        while pool.shared.state().queue.len() > 0 {
            tokio::task::yield_now().await;
        }
    }
    // They are measured after their first turn.
    while pool.shared.speed.per_second() == 0 {
        tokio::task::yield_now().await;
    }
    tasks
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_queue_is_an_error_and_the_pool_recovers() {
    let pool = pool(4, BcryptImplementation::Interleaved);
    let endless = endless(&pool, 4).await;
    let mut waiting = std::pin::pin!(pool.run(job(4), client(1)));
    assert!(waiting.as_mut().now_or_never().is_none(), "the job is in the queue");
    let refused = pool.run(job(4), client(1)).await;
    assert!(matches!(refused, Err(AuthError::Overloaded { .. })), "a quarter is one place");
    let mut others: Vec<_> = (2..5).map(|other| Box::pin(pool.run(job(28), client(other)))).collect();
    assert!(others.iter_mut().all(|other| other.as_mut().now_or_never().is_none()));
    let Err(AuthError::Overloaded { retry_after }) = pool.run(job(4), client(9)).await else {
        panic!("the queue is full")
    };
    assert_eq!(retry_after, Duration::from_secs(60), "what waits takes hours");
    drop(others);
    for task in endless {
        task.abort();
    }
    assert_eq!(waiting.await.unwrap(), digest(4));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_joins_others_that_are_half_done() {
    let pool = pool(8, BcryptImplementation::Interleaved);
    let endless = endless(&pool, 3).await;
    for cost in [4, 5, 6] {
        assert_eq!(pool.run(job(cost), client(1)).await.unwrap(), digest(cost));
    }
    assert!(endless.iter().all(|task| !task.is_finished()));
    for task in endless {
        task.abort();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_ends_gives_its_place_back() {
    for implementation in [BcryptImplementation::Interleaved, BcryptImplementation::Crate] {
        let pool = pool(4, implementation);
        for _ in 0..20 {
            let gone = pool.run(job(10), client(1));
            assert!(tokio::time::timeout(Duration::from_micros(1), gone).await.is_err());
        }
        assert_eq!(pool.shared.state().queue.len(), 0);
        assert_eq!(pool.run(job(4), client(1)).await.unwrap(), digest(4));
    }
}

#[tokio::test]
async fn the_time_to_wait_is_that_of_the_work() {
    let pool = pool(4, BcryptImplementation::Interleaved);
    assert_eq!(pool.wait(u64::MAX), Duration::from_secs(1), "nothing is known yet");
    pool.shared.speed.measure(1000, Duration::from_millis(500));
    assert_eq!(pool.wait(20_000), Duration::from_secs(10));
    assert_eq!(pool.wait(1), Duration::from_secs(1));
    assert_eq!(pool.wait(u64::MAX), Duration::from_secs(60));
    pool.shared.speed.measure(4000, Duration::from_millis(1000));
    assert_eq!(pool.shared.speed.per_second(), 2250);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_of_several_threads() {
    let pool = PasswordPool::start(NonZeroUsize::new(3).unwrap(), 200, BcryptImplementation::Interleaved, 0);
    let digests = (0..50_u8).map(|number| {
        let job = bcrypt::Job::new(&[number + 1], [number; 16], 4 + u32::from(number % 3));
        let expected = job.run_with_crate();
        let run = pool.run(Job::Lane(job), client(number));
        async move { assert_eq!(run.await.unwrap(), expected) }
    });
    futures_util::future::join_all(digests).await;
}

/// A computation that says where it runs.
struct Recorded {
    rounds: Option<u64>,
    compute: Box<dyn Fn() -> Result<Vec<u8>, String> + Send>,
}

impl Computation for Recorded {
    fn rounds(&self) -> Option<u64> {
        self.rounds
    }

    fn digest(&self, password: &[u8], _: &mut Memory) -> Result<Vec<u8>, String> {
        (self.compute)().map(|_| password.to_vec())
    }
}

/// A job that runs alone, of this much work, in a module in which a new hash needs `work`.
fn alone(rounds: Option<u64>, work: u64, compute: impl Fn() + Send + 'static) -> Job {
    let compute = Box::new(move || {
        compute();
        Ok(Vec::new())
    });
    Job::alone(Box::new(Recorded { rounds, compute }), b"secret", work)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cheap_computation_is_followed_by_the_work_that_it_lacks() {
    for implementation in [BcryptImplementation::Interleaved, BcryptImplementation::Crate] {
        for (rounds, work, done) in
            [(Some(0), 100, 100), (Some(30), 100, 100), (Some(100), 100, 100), (Some(400), 100, 400)]
        {
            let pool = pool(4, implementation);
            let job = alone(rounds, work, || {});
            assert_eq!(job.rounds(), done);
            assert_eq!(pool.run(job, client(1)).await.unwrap(), b"secret");
            assert_eq!(pool.rounds_done(), done, "{rounds:?} of {work} with {implementation:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_of_a_computation_of_unknown_work_is_taken_into_account() {
    let pool = pool(4, BcryptImplementation::Interleaved);
    pool.run(alone(None, 64, || {}), client(1)).await.unwrap();
    assert_eq!(pool.rounds_done(), 64, "no speed is known before the first hash");
    // A machine that computes the work in a moment: any time is worth more.
    pool.shared.lane_speed.mean.store(u64::MAX / 2, Ordering::Relaxed);
    pool.run(alone(None, 64, || std::thread::sleep(Duration::from_millis(1))), client(1)).await.unwrap();
    assert_eq!(pool.rounds_done(), 64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_thread_does_two_computations_at_once_and_lanes_go_on_between_them() {
    let threads = NonZeroUsize::new(2).unwrap();
    let pool = Arc::new(PasswordPool::start(threads, 200, BcryptImplementation::Interleaved, 0));
    let (running, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let jobs = (0..60_u8).map(|number| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        let job = alone(Some(1), 20, move || {
            let now = running.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
            std::thread::yield_now();
            running.fetch_sub(1, Ordering::SeqCst);
        });
        let job = if number % 3 == 0 { self::job(5) } else { job };
        pool.run(job, client(number % 7))
    });
    for result in futures_util::future::join_all(jobs).await {
        assert!([b"secret".to_vec(), digest(5)].contains(&result.unwrap()));
    }
    assert!((1..=2).contains(&most.load(Ordering::SeqCst)));
    assert_eq!(pool.rounds_done(), 40 * 20 + 20 * 32);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_computation_that_panics_or_fails_is_an_error_and_other_jobs_of_its_thread_go_on() {
    let pool = pool(8, BcryptImplementation::Interleaved);
    let endless = endless(&pool, 2).await;
    let failing = Recorded { rounds: None, compute: Box::new(|| Err("no memory".to_owned())) };
    for job in [alone(Some(1), 0, || panic!("on purpose")), Job::alone(Box::new(failing), b"", 0)] {
        let failed = pool.run(job, client(1)).await;
        assert!(matches!(failed, Err(AuthError::Internal { .. })), "{failed:?}");
    }
    assert!(endless.iter().all(|task| !task.is_finished()));
    assert_eq!(pool.run(job(4), client(1)).await.unwrap(), digest(4));
    for task in endless {
        task.abort();
    }
}

#[test]
fn a_computation_begins_after_the_lanes_had_as_much_time_as_the_one_before() {
    let (speed, lane_speed, has_work) = Default::default();
    let state = State { queue: Queue::new(100), idle: 0, is_closed: false };
    let shared = Shared { state: Mutex::new(state), has_work, speed, lane_speed };
    let (mut lanes, mut memory) = (Lanes::new(BcryptImplementation::Interleaved), Memory::default());
    let mut compute = |lanes: &mut Lanes<Owner>| {
        let (reply, _waits) = oneshot::channel();
        let Job::Alone(job) = alone(Some(1), 1, || {}) else { unreachable!() };
        shared.compute(job, reply, lanes, &mut memory)
    };
    assert_eq!(compute(&mut lanes), Duration::ZERO, "no lane has waited");
    let (reply, _waits) = oneshot::channel();
    lanes.start(bcrypt::Job::new(b"secret", [1; 16], 28), Owner { reply, computed: None });
    let owed = compute(&mut lanes);
    assert!(!owed.is_zero());
    for job in [alone(Some(1), 1, || {}), alone(Some(1), 1, || {}), job(4)] {
        shared.state().queue.push("a", job, (oneshot::channel().0, Waiting::begin())).unwrap();
    }
    let begun = |lanes: &Lanes<Owner>, owed| {
        let jobs = shared.jobs_for(lanes, owed).unwrap();
        jobs.iter().map(|(job, _)| job.is_alone()).collect::<Vec<_>>()
    };
    assert_eq!(begun(&lanes, owed), [false; 0]);
    assert_eq!(begun(&lanes, Duration::ZERO), [true], "one at a time");
    let idle = Lanes::new(BcryptImplementation::Interleaved);
    assert_eq!(begun(&idle, owed), [true], "nobody waits");
    assert_eq!(begun(&lanes, owed), [false]);
}
