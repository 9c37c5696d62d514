//! One-time codes, each of which is accepted once (RFC 6238 §5.2, specification §13.5).

use crate::clock::unix_seconds;
use crate::core::Core;
use crate::crypto::totp::{STEP, TotpSecret};
use crate::error::AuthError;
use crate::store::StoreKey;
use std::time::Duration;

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
    core.store.raise(StoreKey::TotpStep, &[user_id], step, ttl).await
}
