//! The documents in the two encrypted fields (specification §13.2).

use crate::config::AuthConfig;
use crate::core::Core;
use crate::crypto::encryption::Place;
use crate::crypto::totp::TotpSecret;
use crate::error::AuthError;
use crate::user::{UserField, UserRecord};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// `twoFactorSecret`: the secret in force, and one that is pending until it is confirmed.
#[derive(Clone, Default)]
pub(super) struct Secrets {
    pub(super) confirmed: Option<TotpSecret>,
    pub(super) pending: Option<TotpSecret>,
    /// The address of the account when the secret was put in force, while nobody has proven that address.
    pub(super) unproven: Option<String>,
}

/// The secrets as the column has them, in base32.
#[derive(Default, Serialize, Deserialize)]
struct StoredSecrets {
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<Zeroizing<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Zeroizing<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unproven: Option<String>,
}

impl Secrets {
    /// The secrets in the user's record; none where the field is null.
    pub(super) fn of(user: &dyn UserRecord, config: &AuthConfig) -> Result<Self, AuthError> {
        let Some(stored) = user.two_factor_secret() else { return Ok(Self::default()) };
        let StoredSecrets { confirmed, pending, unproven } =
            open(user, UserField::TwoFactorSecret, stored, config)?;
        let read =
            |text: Option<Zeroizing<String>>| text.map(|text| TotpSecret::from_base32(&text)).transpose();
        Ok(Self { confirmed: read(confirmed)?, pending: read(pending)?, unproven })
    }

    /// The encrypted document.
    pub(super) fn seal(&self, user: &dyn UserRecord, config: &AuthConfig) -> Result<String, AuthError> {
        let write =
            |secret: &Option<TotpSecret>| secret.as_ref().map(|secret| Zeroizing::new(secret.to_base32()));
        let stored = StoredSecrets {
            confirmed: write(&self.confirmed),
            pending: write(&self.pending),
            unproven: self.unproven.clone(),
        };
        seal(user, UserField::TwoFactorSecret, &stored, config)
    }

    /// A secret that is put in force now.
    pub(super) fn in_force(secret: TotpSecret, user: &dyn UserRecord, core: &Core) -> Self {
        let is_unproven = core.verifies_addresses() && user.email_verified_at().is_none();
        Self {
            confirmed: Some(secret),
            pending: None,
            unproven: is_unproven.then(|| user.email().to_owned()),
        }
    }

    /// The secret with which an app is set up: the pending one, or otherwise the one in force.
    pub(super) fn to_show(&self) -> Option<&TotpSecret> {
        self.pending.as_ref().or(self.confirmed.as_ref())
    }
}

/// The codes in `twoFactorRecoveryCodes`; none where it is null.
pub(super) fn recovery_codes(user: &dyn UserRecord, config: &AuthConfig) -> Result<Vec<String>, AuthError> {
    match user.two_factor_recovery_codes() {
        Some(stored) => open(user, UserField::TwoFactorRecoveryCodes, stored, config),
        None => Ok(Vec::new()),
    }
}

/// The encrypted codes.
pub(super) fn seal_recovery_codes(
    user: &dyn UserRecord,
    codes: &[String],
    config: &AuthConfig,
) -> Result<String, AuthError> {
    seal(user, UserField::TwoFactorRecoveryCodes, &codes, config)
}

fn open<T: DeserializeOwned>(
    user: &dyn UserRecord,
    field: UserField,
    stored: &str,
    config: &AuthConfig,
) -> Result<T, AuthError> {
    let id = user.id_text();
    let plaintext = config.encryption().decrypt(Place { user: &id, field: field.wire_name() }, stored)?;
    // serde's error could quote what it could not read.
    serde_json::from_slice(&plaintext)
        .map_err(|_| AuthError::internal("an encrypted field holds another document"))
}

fn seal<T: Serialize>(
    user: &dyn UserRecord,
    field: UserField,
    document: &T,
    config: &AuthConfig,
) -> Result<String, AuthError> {
    let id = user.id_text();
    let plaintext = Zeroizing::new(serde_json::to_vec(document).map_err(AuthError::internal)?);
    config.encryption().encrypt(Place { user: &id, field: field.wire_name() }, &plaintext)
}
