//! One-time codes, each of which is accepted once (RFC 6238 §5.2, specification §13.5).

use crate::clock::unix_seconds;
use crate::core::Core;
use crate::crypto::totp::{STEP, TotpSecret};
use crate::error::AuthError;
use crate::store::StoreKey;
use std::time::Duration;
use zeroize::Zeroizing;

/// The part of the key under which the steps of a pending secret are kept, beside the secret: its codes are no replays of another
/// secret's, pending or in force.
const PENDING: &str = "pending";

/// By how many seconds the clocks of instances may differ, as for tokens (specification §10.3).
const CLOCK_SKEW: u64 = 60;

/// Accepts a code of the secret in force, if it is valid now and of a later time step than any code that was accepted from
/// this user before. Of any number of requests with one code, one at most is told `true`.
pub(super) async fn accept(
    core: &Core,
    user_id: &str,
    secret: &TotpSecret,
    code: &str,
) -> Result<bool, AuthError> {
    match step_of(core, secret, code) {
        Some(step) => raise(core, &[user_id], step).await,
        None => Ok(false),
    }
}

/// Accepts a code that puts a pending secret in force. The code is not accepted at a login afterwards.
pub(super) async fn accept_pending(
    core: &Core,
    user_id: &str,
    secret: &TotpSecret,
    code: &str,
) -> Result<bool, AuthError> {
    let Some(step) = step_of(core, secret, code) else { return Ok(false) };
    // The key of an entry is a MAC, which does not reveal the secret.
    let of_secret = Zeroizing::new(secret.to_base32());
    let is_new = raise(core, &[user_id, PENDING, &of_secret], step).await?;
    // A code of the secret that was in force may have been accepted in a later step.
    raise(core, &[user_id], step).await?;
    Ok(is_new)
}

fn step_of(core: &Core, secret: &TotpSecret, code: &str) -> Option<u64> {
    secret.step_of(code, unix_seconds(core.now()), core.config.two_factor.window)
}

async fn raise(core: &Core, of: &[&str], step: u64) -> Result<bool, AuthError> {
    // After this time even the earliest step that is valid is later than the stored one, also for an instance whose clock is
    // behind that of the store.
    let steps = 2 * u64::from(core.config.two_factor.window) + 2;
    let ttl = Duration::from_secs(steps * STEP + CLOCK_SKEW);
    core.store.raise(StoreKey::TotpStep, of, step, ttl).await
}
