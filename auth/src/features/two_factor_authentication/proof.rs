//! Proving the second factor again in a session ("step-up", specification §12.2). No HTTP.

use super::stored_secrets::Secrets;
use super::{LIMITS, one_time_codes, recovery_codes};
use crate::client::ClientAddress;
use crate::core::{Core, Guess, Identity, SecondFactor};
use crate::error::AuthError;
use crate::events::{AttemptKind, EventKind};
use crate::limits::Checked;
use crate::user::UserRecord;

/// Checks the second factor of a signed-in user, with the limits and events of a challenge. A user without one in force gets the
/// error `absent`, if there is one: otherwise whatever was sent is wrong.
pub(super) async fn prove(
    core: &Core,
    who: &Identity,
    factor: &SecondFactor,
    absent: Option<AuthError>,
    client: ClientAddress,
) -> Result<(), AuthError> {
    let id = who.user_id();
    let guess = Guess::at_user(AttemptKind::TwoFactor, LIMITS, &id, client);
    let is_absent = who.user().two_factor_confirmed_at().is_none();
    let check = async {
        if let Some(absent) = absent.filter(|_| is_absent) {
            return Err(absent);
        }
        if is_right(core, who.user(), factor).await? {
            return Ok(Checked::Right(()));
        }
        core.events.emit(EventKind::TwoFactorFailed, Some(id.clone()), client).await;
        Ok(Checked::Wrong(factor.refusal()))
    };
    core.guess(&guess, check).await?;
    core.emit_about(factor.used(), who.user(), client).await;
    Ok(())
}

/// Whether it is the user's second factor, which is in force. A code is used up.
async fn is_right(core: &Core, user: &dyn UserRecord, factor: &SecondFactor) -> Result<bool, AuthError> {
    if user.two_factor_confirmed_at().is_none() {
        return Ok(false);
    }
    match factor {
        SecondFactor::Code(code) => match Secrets::of(user, &core.config)?.confirmed {
            Some(secret) => one_time_codes::accept(core, &user.id_text(), &secret, code).await,
            None => Ok(false),
        },
        SecondFactor::RecoveryCode(code) => recovery_codes::spend(core, user, code).await,
    }
}
