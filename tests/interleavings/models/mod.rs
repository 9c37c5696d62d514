//! The models, by what they are about. A name is a sentence about what must be true.

mod attempted;
mod credentials;
mod entries;
mod limits;
mod pool;
mod refresh;
mod rows;
mod store;

use crate::explore::Model;
use futures_util::future::BoxFuture;
use shuttle::future::block_on;
use shuttle::thread;

pub(crate) fn all() -> Vec<Model> {
    let mut models = Vec::new();
    for of in [
        store::MODELS,
        entries::MODELS,
        limits::MODELS,
        attempted::MODELS,
        rows::MODELS,
        refresh::MODELS,
        credentials::MODELS,
        pool::MODELS,
    ] {
        models.extend(of.iter().map(|&(name, exhaustive, run)| Model { name, run, exhaustive }));
    }
    models
}

/// A model's name, whether all orders are tried, and the model.
type Models = &'static [(&'static str, bool, fn())];

const ALL: bool = true;
const SOME: bool = false;

/// Runs each future on a thread of its own, at the same time as the others, and returns their results in the same order.
fn together<T: Send + 'static>(futures: impl IntoIterator<Item = BoxFuture<'static, T>>) -> Vec<T> {
    let threads = futures.into_iter().map(|future| thread::spawn(move || block_on(future)));
    threads.collect::<Vec<_>>().into_iter().map(|thread| thread.join().expect("no panic")).collect()
}

fn count<T>(values: &[T], is_one: impl Fn(&T) -> bool) -> usize {
    values.iter().filter(|value| is_one(value)).count()
}
