//! What the two encrypted fields hold.

use crate::config::AuthConfig;
use crate::crypto::encryption::Place;
use crate::crypto::totp::TotpSecret;
use crate::error::AuthError;
use crate::user::{AuthUser, UserField, UserId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// `twoFactorSecret`: the secret in force, and one that waits to be confirmed.
#[derive(Clone, Default)]
pub(super) struct Secrets {
    pub(super) confirmed: Option<TotpSecret>,
    pub(super) pending: Option<TotpSecret>,
}

/// The same as it is stored, in base32.
#[derive(Default, Serialize, Deserialize)]
struct StoredSecrets {
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<Zeroizing<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Zeroizing<String>>,
}

impl Secrets {
    /// What the user's record holds; nothing where it is null.
    pub(super) fn of<U: AuthUser>(user: &U, config: &AuthConfig) -> Result<Self, AuthError> {
        let Some(stored) = user.two_factor_secret() else { return Ok(Self::default()) };
        let StoredSecrets { confirmed, pending } = open(user, UserField::TwoFactorSecret, stored, config)?;
        let read =
            |text: Option<Zeroizing<String>>| text.map(|text| TotpSecret::from_base32(&text)).transpose();
        Ok(Self { confirmed: read(confirmed)?, pending: read(pending)? })
    }

    /// What is to be stored.
    pub(super) fn seal<U: AuthUser>(&self, user: &U, config: &AuthConfig) -> Result<String, AuthError> {
        let write =
            |secret: &Option<TotpSecret>| secret.as_ref().map(|secret| Zeroizing::new(secret.to_base32()));
        let stored = StoredSecrets { confirmed: write(&self.confirmed), pending: write(&self.pending) };
        seal(user, UserField::TwoFactorSecret, &stored, config)
    }

    /// The secret that an app is to be set up with: the one that waits, or else the one in force.
    pub(super) fn to_show(&self) -> Option<&TotpSecret> {
        self.pending.as_ref().or(self.confirmed.as_ref())
    }
}

/// The codes in `twoFactorRecoveryCodes`; none where it is null.
pub(super) fn recovery_codes<U: AuthUser>(user: &U, config: &AuthConfig) -> Result<Vec<String>, AuthError> {
    match user.two_factor_recovery_codes() {
        Some(stored) => open(user, UserField::TwoFactorRecoveryCodes, stored, config),
        None => Ok(Vec::new()),
    }
}

/// The codes as they are to be stored.
pub(super) fn seal_recovery_codes<U: AuthUser>(
    user: &U,
    codes: &[String],
    config: &AuthConfig,
) -> Result<String, AuthError> {
    seal(user, UserField::TwoFactorRecoveryCodes, &codes, config)
}

fn open<U: AuthUser, T: DeserializeOwned>(
    user: &U,
    field: UserField,
    stored: &str,
    config: &AuthConfig,
) -> Result<T, AuthError> {
    let id = user.id().to_text();
    let plaintext = config.encryption().decrypt(Place { user: &id, field: field.wire_name() }, stored)?;
    // serde's error could quote what it could not read.
    serde_json::from_slice(&plaintext)
        .map_err(|_| AuthError::internal("an encrypted field holds another document"))
}

fn seal<U: AuthUser, T: Serialize>(
    user: &U,
    field: UserField,
    document: &T,
    config: &AuthConfig,
) -> Result<String, AuthError> {
    let id = user.id().to_text();
    let plaintext = Zeroizing::new(serde_json::to_vec(document).map_err(AuthError::internal)?);
    config.encryption().encrypt(Place { user: &id, field: field.wire_name() }, &plaintext)
}
