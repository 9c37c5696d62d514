//! A passkey that a client presents, compared with the stored one. No HTTP.

use super::entries::is_usable;
use super::service::PasskeysService;
use super::webauthn::{Assertion, Expected, Flaw};
use crate::client::ClientAddress;
use crate::clock::whole_milliseconds;
use crate::core::{Method, ProvenPasskey, SpentFlow};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::repository::{PasskeyRecord, PasskeyUse};
use crate::telemetry::log;
use serde_json::Value;

/// What a client presents of a passkey.
pub(super) struct Presented<'a> {
    pub(super) credential: Value,
    pub(super) challenge: &'a str,
    /// Whether the authenticator must have verified the user.
    pub(super) user_verification: bool,
    /// Who presents it.
    pub(super) client: ClientAddress,
}

/// A passkey whose signature was right. That it was used is not recorded yet.
pub(super) struct Verified {
    pub(super) row: PasskeyRecord,
    assertion: Assertion,
    client: ClientAddress,
}

impl PasskeysService {
    /// Compares what a client presents with what was asked for and with the stored passkey. With `of` it must be one of this user.
    ///
    /// # Errors
    /// [`AuthError::UnknownPasskey`] if the repository has no such passkey and nobody is named; otherwise [`AuthError::InvalidPasskey`];
    /// those of the repository.
    pub(super) async fn verify(
        &self,
        presented: Presented<'_>,
        of: Option<&str>,
    ) -> Result<Verified, AuthError> {
        let Presented { credential, challenge, user_verification, client } = presented;
        let expected = Expected { challenge, relying_party: self.site()?, user_verification };
        let assertion = Assertion::read(credential, &expected).map_err(refused)?;
        let row = self.passkeys.find_by_credential_id(&assertion.credential_id).await?;
        let Some(row) = row else {
            let unknown = refused(Flaw::Unknown);
            return Err(if of.is_none() { AuthError::UnknownPasskey } else { unknown });
        };
        let user_id = self.user_id_of(&row)?;
        if of.is_some_and(|of| of != user_id) || !is_usable(&self.core, &row) {
            return Err(refused(Flaw::Account));
        }
        // A passkey that was found without a list of ids must name its user. A list names the user already.
        match &assertion.user_handle {
            Some(handle) if *handle == row.user_handle => {}
            None if of.is_some() => {}
            _ => return Err(refused(Flaw::UserHandle)),
        }
        assertion.verify(&row.public_key).map_err(refused)?;
        if assertion.backup_eligible != row.backup_eligible {
            return Err(refused(Flaw::BackupEligibility));
        }
        let verified = Verified { row, assertion, client };
        self.judge_counter(&verified).await?;
        Ok(verified)
    }

    /// Fails if a passkey that cannot be synced has counted backwards.
    async fn judge_counter(&self, verified: &Verified) -> Result<(), AuthError> {
        let Verified { row, assertion, client } = verified;
        if row.backup_eligible || row.counter == 0 || assertion.counter > row.counter {
            return Ok(());
        }
        let event = EventKind::PasskeyCounterRegressed { passkey_id: row.id.clone() };
        let user_id = self.user_id_of(row)?.to_owned();
        self.core.events.emit(event, Some(user_id), *client).await;
        Err(refused(Flaw::Counter))
    }

    /// Records that the passkey was used. One that counts its uses would be refused if it came again, so its flow token stays used.
    ///
    /// # Errors
    /// [`AuthError::InvalidPasskey`] if it was removed meanwhile, or was used with a greater counter; those of the repository.
    pub(super) async fn record_use(
        &self,
        mut verified: Verified,
        spent: &mut SpentFlow,
    ) -> Result<ProvenPasskey, AuthError> {
        if !verified.row.backup_eligible {
            spent.keep();
        }
        let seen = PasskeyUse::new(
            verified.assertion.counter,
            verified.assertion.backed_up,
            whole_milliseconds(self.core.now()),
        );
        if !self.write_use(&verified.row, &seen).await? {
            // Another use was faster: the counter is judged again.
            let now = self.passkeys.find_by_credential_id(&verified.assertion.credential_id).await?;
            let now = now.filter(|now| now.id == verified.row.id);
            verified.row = now.ok_or_else(|| refused(Flaw::Unknown))?;
            self.judge_counter(&verified).await?;
            if !self.write_use(&verified.row, &seen).await? {
                return Err(refused(Flaw::Counter));
            }
        }
        let method = if verified.assertion.user_verified { Method::VerifiedPasskey } else { Method::Passkey };
        Ok(ProvenPasskey { id: verified.row.id, method })
    }

    /// Writes the use if the counter of a passkey that cannot be synced is still that of the row.
    async fn write_use(&self, row: &PasskeyRecord, seen: &PasskeyUse) -> Result<bool, AuthError> {
        let expected = (!row.backup_eligible).then_some(row.counter);
        self.passkeys.record_use(&row.id, expected, seen).await
    }

    /// The id of the user whose passkey this is.
    pub(super) fn user_id_of<'a>(&self, row: &'a PasskeyRecord) -> Result<&'a str, AuthError> {
        let of_realm = self.core.repository_key("");
        row.user_id.strip_prefix(&of_realm).ok_or_else(|| refused(Flaw::Account))
    }
}

/// The error for a passkey that does not verify. The log has the reason.
pub(super) fn refused(flaw: Flaw) -> AuthError {
    log::passkey_refused(flaw.name());
    AuthError::InvalidPasskey
}
