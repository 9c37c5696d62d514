//! `RedisStore` against a real Redis.

mod entries;
mod failures;
mod races;
mod setup;

use super::RedisStore;
use crate::crypto::random;
use crate::store::{EphemeralStore, Slot, Window};
use crate::testing::servers::{REDIS, RedisServer};
use redis::{Client, Commands, Connection};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// A store with a prefix of its own, in the Redis that runs here. Its entries are deleted at the end.
struct Prefixed {
    store: RedisStore,
    prefix: String,
    /// To look behind the store, and to let its entries expire.
    redis: Connection,
}

impl Prefixed {
    /// `None` if the test must be skipped.
    fn new() -> Option<Self> {
        let url = REDIS.find()?;
        let prefix = format!("auth-test:{}:", random::id().unwrap());
        let store = RedisStore::connect(&url).unwrap().prefix(&prefix);
        let redis = Client::open(url).unwrap().get_connection().unwrap();
        Some(Self { store, prefix, redis })
    }

    /// All keys of the store, without the prefix.
    fn keys(&mut self) -> Vec<String> {
        let keys: Vec<String> = self.redis.keys(format!("{}*", self.prefix)).unwrap();
        let mut keys: Vec<_> =
            keys.iter().map(|key| key.strip_prefix(&self.prefix).unwrap().to_owned()).collect();
        keys.sort();
        keys
    }

    /// Milliseconds until a key expires.
    fn expires_in(&mut self, key: &str) -> i64 {
        self.redis.pttl(format!("{}{key}", self.prefix)).unwrap()
    }

    /// Lets a key expire now.
    fn expire(&mut self, key: &str) {
        let () = self.redis.pexpire(format!("{}{key}", self.prefix), 0).unwrap();
    }
}

impl Drop for Prefixed {
    fn drop(&mut self) {
        for key in self.keys() {
            let () = self.redis.del(format!("{}{key}", self.prefix)).unwrap();
        }
    }
}

async fn take(store: &RedisStore, key: &str, limit: u32) -> Window {
    match store.count(key, limit, MINUTE).await.unwrap() {
        Slot::Taken { window } => window,
        full => panic!("{full:?}"),
    }
}

async fn is_full(store: &RedisStore, key: &str, limit: u32) -> bool {
    matches!(store.count(key, limit, MINUTE).await.unwrap(), Slot::Full { .. })
}
