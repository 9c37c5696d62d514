//! Locks, atomics, threads and tasks.
//!
//! `tests/interleavings` compiles the layers of this crate up to `core` with another file in place of this one, in which
//! each of these is shuttle's. What must be explored there takes them from here.

pub(crate) use std::sync::atomic::{AtomicU64, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub(crate) use std::thread;
pub(crate) use tokio::spawn;
