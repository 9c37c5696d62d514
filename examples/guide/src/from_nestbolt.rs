//! `docs/guide/from-nestbolt.md`

#[cfg(test)]
mod tests;

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct User {
    pub id: String,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
}

use aes_gcm::aead::consts::U16;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::aes::Aes256;
use aes_gcm::{AesGcm, KeyInit};
use axum_auth_module::services::ImportedTwoFactor;
use axum_auth_module::{AuthModule, BoxError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sqlx::SqlitePool;
use zeroize::Zeroizing;

/// nestbolt's `EncryptionService`, for reading: AES-256-GCM with a nonce of 16 bytes.
pub struct EncryptionService(AesGcm<Aes256, U16>);

impl EncryptionService {
    /// The option `encryptionKey` as it was: 32 bytes in base64.
    pub fn new(encryption_key: &str) -> Result<Self, BoxError> {
        let key = Zeroizing::new(STANDARD.decode(encryption_key)?);
        Ok(Self(AesGcm::new_from_slice(&key).map_err(|_| "the key does not have 32 bytes")?))
    }

    /// Decrypts `nonce:tag:ciphertext`, each part in base64.
    pub fn decrypt(&self, stored: &str) -> Result<Zeroizing<String>, BoxError> {
        let parts = stored.split(':').map(|part| STANDARD.decode(part));
        let parts: Vec<_> = parts.collect::<Result<_, _>>()?;
        let [nonce, tag, ciphertext] = parts.as_slice() else { return Err("not three parts".into()) };
        let sealed = [ciphertext.as_slice(), tag].concat();
        let opened = self.0.decrypt(nonce.as_slice().try_into()?, Payload::from(sealed.as_slice()));
        let opened = opened.map_err(|_| "the key does not fit, or the value was changed")?;
        Ok(Zeroizing::new(String::from_utf8(opened)?))
    }
}

/// Imports the second factor of every user who has one, and returns whose could not be imported, with the reason.
pub async fn import(
    auth: &AuthModule<User>,
    pool: &SqlitePool,
    encryption: &EncryptionService,
) -> Result<Vec<(String, BoxError)>, BoxError> {
    let users: Vec<(String, String, Option<String>)> = sqlx::query_as(
        "SELECT id, nestbolt_secret, nestbolt_codes FROM users \
         WHERE nestbolt_secret IS NOT NULL AND two_factor_confirmed_at IS NOT NULL",
    )
    .fetch_all(pool)
    .await?;
    let mut failed = Vec::new();
    for (id, secret, codes) in users {
        if let Err(error) = import_user(auth, encryption, &id, &secret, codes.as_deref()).await {
            failed.push((id, error));
        }
    }
    Ok(failed)
}

async fn import_user(
    auth: &AuthModule<User>,
    encryption: &EncryptionService,
    id: &String,
    secret: &str,
    codes: Option<&str>,
) -> Result<(), BoxError> {
    let mut factor = ImportedTwoFactor::new(&encryption.decrypt(secret)?)?;
    if let Some(codes) = codes {
        factor = factor.recovery_codes(serde_json::from_str(&encryption.decrypt(codes)?)?)?;
    }
    auth.admin().import_two_factor(id, &factor).await?;
    Ok(())
}
