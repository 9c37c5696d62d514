//! What the threads compute for one password.

use super::bcrypt;
use crate::sync::Mutex;
use std::sync::PoisonError;
use zeroize::Zeroizing;

/// A job of the pool.
pub(crate) enum Job {
    /// bcrypt, beside other jobs of its thread. The result is the digest.
    Lane(bcrypt::Job),
    /// Another computation, alone on its thread.
    Alone(Alone),
}

/// A computation that is not interrupted, and the work that follows it.
pub(crate) struct Alone {
    pub(super) computation: Box<dyn Computation>,
    pub(super) password: Zeroizing<Vec<u8>>,
    /// How many rounds of bcrypt are computed afterwards, beside other jobs. Their result is of no use: they make up for a
    /// computation that is cheaper than another one.
    pub(super) make_up: u64,
}

/// What can be computed of a password, besides bcrypt.
pub(crate) trait Computation: Send {
    /// The estimated work, in rounds of bcrypt; `None` if it is not known beforehand.
    fn rounds(&self) -> Option<u64>;

    /// The digest.
    ///
    /// # Errors
    /// What has failed. It never depends on the password.
    fn digest(&self, password: &[u8], memory: &mut Memory) -> Result<Vec<u8>, String>;
}

impl Job {
    /// The computation, followed by as much work as it lacks to this many rounds. If its work is not known, the pool measures
    /// it.
    pub(super) fn alone(computation: Box<dyn Computation>, password: &[u8], work: u64) -> Self {
        let make_up = work.saturating_sub(computation.rounds().unwrap_or(0));
        Self::Alone(Alone { computation, password: Zeroizing::new(password.to_vec()), make_up })
    }

    /// The estimated work, in rounds of bcrypt.
    pub(super) fn rounds(&self) -> u64 {
        match self {
            Self::Lane(job) => job.rounds(),
            Self::Alone(Alone { computation, make_up, .. }) => {
                computation.rounds().unwrap_or(0).saturating_add(*make_up)
            }
        }
    }

    pub(super) const fn is_alone(&self) -> bool {
        matches!(self, Self::Alone(_))
    }
}

/// A function that is called once, and whose result its caller receives by another way.
pub(super) struct Once<F>(Mutex<Option<F>>);

impl<F: FnOnce() + Send> Once<F> {
    pub(super) fn new(function: F) -> Self {
        Self(Mutex::new(Some(function)))
    }
}

impl<F: FnOnce() + Send> Computation for Once<F> {
    fn rounds(&self) -> Option<u64> {
        None
    }

    fn digest(&self, _: &[u8], _: &mut Memory) -> Result<Vec<u8>, String> {
        let function = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        function.map(|function| function()).ok_or_else(|| "it was called before".to_owned())?;
        Ok(Vec::new())
    }
}

/// Memory that a thread keeps between its computations, so that it is allocated once.
///
/// A thread does one computation at a time that needs much memory. The memory of all of them is therefore at most the number
/// of threads times the memory of one computation.
#[derive(Default)]
pub(crate) struct Memory {
    #[cfg(feature = "argon2")]
    blocks: Vec<argon2::Block>,
    /// How many blocks are kept.
    #[cfg(feature = "argon2")]
    kept: usize,
}

impl Memory {
    /// Keeps the memory of computations that need at most this many KiB.
    #[cfg_attr(
        not(feature = "argon2"),
        expect(unused_variables, reason = "only Argon2 lets its caller keep memory")
    )]
    pub(super) fn keeping(kib: u32) -> Self {
        Self {
            #[cfg(feature = "argon2")]
            blocks: Vec::new(),
            #[cfg(feature = "argon2")]
            kept: usize::try_from(kib).unwrap_or(usize::MAX),
        }
    }

    /// Wipes it. [`with_blocks`](Self::with_blocks) does so itself, unless it panics.
    pub(super) fn wipe(&mut self) {
        #[cfg(feature = "argon2")]
        self.blocks.iter_mut().for_each(zeroize::Zeroize::zeroize);
    }

    /// Lends blocks of 1 KiB, and wipes them afterwards.
    ///
    /// # Errors
    /// If the operating system has no memory.
    #[cfg(feature = "argon2")]
    pub(super) fn with_blocks<T>(
        &mut self,
        count: usize,
        compute: impl FnOnce(&mut [argon2::Block]) -> T,
    ) -> Result<T, String> {
        use zeroize::Zeroize;

        if let Some(more) = count.checked_sub(self.blocks.len()) {
            self.blocks.try_reserve_exact(more).map_err(|error| format!("no memory for Argon2: {error}"))?;
            self.blocks.resize_with(count, argon2::Block::new);
        }
        let result = self.blocks.get_mut(..count).map(|blocks| {
            let result = compute(blocks);
            blocks.iter_mut().for_each(Zeroize::zeroize);
            result
        });
        if self.blocks.len() > self.kept {
            self.blocks.truncate(self.kept);
            self.blocks.shrink_to_fit();
        }
        result.ok_or_else(|| "there are fewer blocks than were reserved".to_owned())
    }
}

#[cfg(all(test, feature = "argon2"))]
mod tests {
    use super::*;

    /// Whether every octet of the memory is zero.
    fn is_wiped(memory: &Memory) -> bool {
        memory.blocks.iter().all(|block| block.as_ref().iter().all(|word| *word == 0))
    }

    #[test]
    fn memory_is_wiped_and_only_the_usual_amount_is_kept() {
        let mut memory = Memory::keeping(16);
        let fill = |blocks: &mut [argon2::Block]| {
            for block in blocks.iter_mut() {
                block.as_mut().fill(7);
            }
            blocks.len()
        };
        for (count, kept) in [(8, 8), (16, 16), (8, 16), (64, 16), (16, 16)] {
            assert_eq!(memory.with_blocks(count, fill), Ok(count));
            assert_eq!((memory.blocks.len(), memory.blocks.capacity()), (kept, kept), "after {count}");
            assert!(is_wiped(&memory));
        }
    }
}
