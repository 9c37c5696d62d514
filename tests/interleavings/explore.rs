//! Runs models in many orders of their steps.

use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};
use std::num::NonZeroUsize;
use std::process::exit;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// How many orders of a model are tried by default, half of them by each scheduler. `ITERATIONS` is another number.
const ITERATIONS: usize = 3000;

/// The most orders of a model of which all are tried: a model that has more is too large for that.
const ALL: usize = 200_000;

/// How many changes of thread the PCT scheduler makes beside those that locks cause. Few errors need more.
const DEPTH: usize = 3;

/// What several threads do at the same time, and what must be true then.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) run: fn(),
    /// Whether all orders are tried. It requires a model whose steps depend on their order alone.
    pub(crate) exhaustive: bool,
}

/// Explores these models, on as many threads as there are cores. Ends the program if one of them fails.
pub(crate) fn all(models: Vec<Model>) {
    let (began, next, total) = (Instant::now(), AtomicUsize::new(0), AtomicUsize::new(0));
    let iterations = std::env::var("ITERATIONS").ok().and_then(|text| text.parse().ok());
    let iterations = iterations.unwrap_or(ITERATIONS);
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // A thread of its own, because the threads of the password pool lower their priority.
                    let explored = thread::scope(|scope| scope.spawn(|| explore(model, iterations)).join());
                    match explored {
                        Ok(schedules) => _ = total.fetch_add(schedules, Ordering::Relaxed),
                        Err(_panic) => {
                            eprintln!("failed: {}", model.name);
                            exit(1);
                        }
                    }
                }
            });
        }
    });
    assert!(!models.is_empty(), "there is no such model");
    println!("{} models, {} schedules, {:.1?}", models.len(), total.into_inner(), began.elapsed());
}

/// Returns the number of schedules.
fn explore(model: &Model, iterations: usize) -> usize {
    // Timeouts need it. Nothing runs on it: the library's tasks are shuttle's.
    let timers = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let _entered = timers.enter();
    let began = Instant::now();
    let schedules = if model.exhaustive {
        let schedules = run(DfsScheduler::new(Some(ALL), false), model.run);
        assert!(schedules < ALL, "{} has more orders than can be tried", model.name);
        schedules
    } else {
        run(RandomScheduler::new(iterations / 2), model.run)
            + run(PctScheduler::new(DEPTH, iterations.div_ceil(2)), model.run)
    };
    let all = if model.exhaustive { "all " } else { "" };
    println!("{:7.1?} {all}{schedules:>6}  {}", began.elapsed(), model.name);
    schedules
}

fn run(scheduler: impl Scheduler + 'static, model: fn()) -> usize {
    let mut config = Config::new();
    config.stack_size = 1 << 18;
    // The atomics here are statistics: that shuttle explores no weak orders of memory hides nothing.
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(model)
}
