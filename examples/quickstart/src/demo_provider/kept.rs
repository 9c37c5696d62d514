//! What is kept in memory for a short time under a random word.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Values by random words. Each has the same life, so the oldest are the first to expire.
pub(crate) struct Kept<T> {
    life: Duration,
    most: usize,
    entries: Mutex<VecDeque<Entry<T>>>,
}

struct Entry<T> {
    word: String,
    since: Instant,
    value: T,
}

impl<T> Kept<T> {
    pub(crate) fn new(life: Duration, most: usize) -> Self {
        Self { life, most, entries: Mutex::default() }
    }

    /// Keeps a value, and returns its word. If there are too many, the oldest is forgotten.
    ///
    /// # Errors
    /// If there are no random bytes.
    pub(crate) fn put(&self, value: T, now: Instant) -> io::Result<String> {
        let word = random_word()?;
        let mut entries = self.living(now);
        if entries.len() >= self.most {
            entries.pop_front();
        }
        entries.push_back(Entry { word: word.clone(), since: now, value });
        Ok(word)
    }

    /// The value of a word, which cannot be used again.
    pub(crate) fn take(&self, word: &str, now: Instant) -> Option<T> {
        let mut entries = self.living(now);
        let place = entries.iter().position(|entry| entry.word == word)?;
        entries.remove(place).map(|entry| entry.value)
    }

    /// The value of a word.
    pub(crate) fn get(&self, word: &str, now: Instant) -> Option<T>
    where
        T: Clone,
    {
        self.living(now).iter().find(|entry| entry.word == word).map(|entry| entry.value.clone())
    }

    /// What has not expired.
    fn living(&self, now: Instant) -> MutexGuard<'_, VecDeque<Entry<T>>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        while entries.front().is_some_and(|oldest| now.duration_since(oldest.since) >= self.life) {
            entries.pop_front();
        }
        entries
    }
}

/// 256 random bits, as text that needs no encoding in an address.
fn random_word() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
