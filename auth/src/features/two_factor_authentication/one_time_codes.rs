//! One-time codes, each of which is accepted once (RFC 6238 §5.2, specification §13.5).

use crate::clock::unix_seconds;
use crate::core::Core;
use crate::crypto::totp::{STEP, TotpSecret};
use crate::error::{AuthError, BoxError};
use crate::store::StoreKey;
use std::time::Duration;

/// How often a swap is tried again when another request was faster.
const SWAPS: usize = 32;

/// Accepts a code, if it is valid now and of a later time step than any code that was accepted from this user before.
/// Of any number of requests with one code, one at most is told `true`.
pub(super) async fn accept(
    core: &Core,
    user_id: &str,
    secret: &TotpSecret,
    code: &str,
) -> Result<bool, AuthError> {
    let window = core.config.two_factor.window;
    let Some(step) = secret.step_of(code, unix_seconds(core.now()), window)? else { return Ok(false) };
    // After this time even the earliest step that is valid is later than the stored one.
    let ttl = Duration::from_secs((2 * u64::from(window) + 2) * STEP);
    for _ in 0..SWAPS {
        let stored = core.store.get(StoreKey::TotpStep, &[user_id]).await?;
        let last = stored.as_deref().and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes);
        if last.is_some_and(|last| step <= last) {
            return Ok(false);
        }
        let (expected, step) = (stored.as_deref(), step.to_be_bytes());
        if core.store.swap(StoreKey::TotpStep, &[user_id], expected, &step, ttl).await? {
            return Ok(true);
        }
    }
    Err(AuthError::Unavailable(BoxError::from("a user's last time step could not be written")))
}
