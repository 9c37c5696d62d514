//! What the library takes from `auth/src/sync.rs`, from shuttle: each operation is a moment at which another thread can go on.

pub(crate) use shuttle::future::spawn;
pub(crate) use shuttle::sync::atomic::{AtomicU64, Ordering};
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub(crate) use shuttle::thread;
