//! Whether Redis may delete entries before they expire.

use super::link::{Link, QueryError, Request};
use crate::telemetry::{Sentence, log};
use std::sync::OnceLock;

/// The setting `maxmemory-policy`, read at the first connection.
#[derive(Default)]
pub(super) struct Eviction(OnceLock<Option<String>>);

impl Eviction {
    /// Reads the setting, if it is not known yet, and logs a warning unless it is `noeviction`.
    ///
    /// # Errors
    /// When Redis cannot be reached. If Redis does not report `maxmemory-policy`, the policy is unknown.
    pub(super) async fn read(&self, link: &Link) -> Result<(), QueryError> {
        if self.0.get().is_some() {
            return Ok(());
        }
        let mut info = redis::cmd("INFO");
        info.arg("memory");
        let policy = match link.query::<String>(&Request::Command(info)).await {
            Ok(info) => {
                info.lines().find_map(|line| line.strip_prefix("maxmemory_policy:")).map(str::to_owned)
            }
            Err(error) if error.is_an_answer() => None,
            Err(error) => return Err(error),
        };
        let is_first = self.0.set(policy).is_ok();
        if let Some(warning) = self.warning().filter(|_| is_first) {
            log::store_may_forget(Sentence(&warning));
        }
        Ok(())
    }

    /// What is wrong with the setting. `None` also before the first connection.
    pub(super) fn warning(&self) -> Option<String> {
        match self.0.get()?.as_deref() {
            Some("noeviction") => None,
            Some(policy) => Some(format!(
                "the maxmemory-policy of Redis is `{policy}`: attempt counters and used codes may be deleted before they \
                 expire; set it to `noeviction`"
            )),
            None => Some(
                "the maxmemory-policy of Redis cannot be read: if it is not `noeviction`, attempt counters and used codes \
                 may be deleted before they expire"
                    .to_owned(),
            ),
        }
    }
}
