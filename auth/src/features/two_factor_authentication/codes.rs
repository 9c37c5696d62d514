//! One-time codes, each of which counts once (RFC 6238 §5.2).

use crate::clock::unix_seconds;
use crate::core::Core;
use crate::crypto::totp::{STEP, TotpSecret};
use crate::error::{AuthError, BoxError};
use crate::user::AuthUser;
use std::time::Duration;

/// How often a swap is tried again when another request was faster.
const SWAPS: usize = 32;

/// Accepts a code, if it is one of now and of a later step than any that was accepted of this user before. Of any
/// number of requests with one code, one at most is told `true`.
pub(super) async fn accept<U: AuthUser>(
    core: &Core<U>,
    user_id: &str,
    secret: &TotpSecret,
    code: &str,
) -> Result<bool, AuthError> {
    let window = core.config.two_factor.window;
    let Some(step) = secret.step_of(code, unix_seconds(core.now()), window)? else { return Ok(false) };
    let key = core.names.name("totp-step", &[user_id]);
    // After so long even the earliest step of now is later than the one that is remembered.
    let ttl = Duration::from_secs((2 * u64::from(window) + 2) * STEP);
    for _ in 0..SWAPS {
        let stored = core.store.get(&key).await.map_err(AuthError::Unavailable)?;
        let last = stored.as_deref().and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes);
        if last.is_some_and(|last| step <= last) {
            return Ok(false);
        }
        let swapped = core.store.swap(&key, stored.as_deref(), &step.to_be_bytes(), ttl).await;
        if swapped.map_err(AuthError::Unavailable)? {
            return Ok(true);
        }
    }
    Err(AuthError::Unavailable(BoxError::from("a user's last time step could not be written")))
}
