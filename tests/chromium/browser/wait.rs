//! Waiting for a condition. Nothing else in these tests waits.

use std::time::{Duration, Instant};

/// How long anything may take. A machine that runs other tests at the same time is slow.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// How long to wait before a condition is checked again.
const PAUSE: Duration = Duration::from_millis(20);

/// Checks until there is a value. After [`PATIENCE`] it panics with the last reason why there is none.
pub(crate) async fn until<T>(what: &str, mut check: impl AsyncFnMut() -> Result<T, String>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match check().await {
            Ok(value) => return value,
            Err(reason) if Instant::now() > deadline => panic!("waited in vain for {what}: {reason}"),
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}
