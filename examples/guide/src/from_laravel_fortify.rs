//! `docs/guide/from-laravel-fortify.md`

#[cfg(test)]
mod tests;

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct User {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
}

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::aes::Aes256;
use aes_gcm::{Aes256Gcm, KeyInit};
use axum_auth_module::services::ImportedTwoFactor;
use axum_auth_module::{AuthModule, BoxError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockModeDecrypt, KeyIvInit};
use hmac::{Hmac, Mac};
use serde::Deserialize;
use sha2::Sha256;
use sqlx::SqlitePool;
use std::env;
use zeroize::Zeroizing;

/// Laravel's `Crypt`, for reading.
pub struct Crypt {
    keys: Vec<Zeroizing<Vec<u8>>>,
}

/// What is encoded in a column, in JSON and base64.
#[derive(Deserialize)]
struct Sealed {
    iv: String,
    value: String,
    mac: String,
    #[serde(default)]
    tag: String,
}

impl Crypt {
    /// The keys as they are in `.env`: `APP_KEY`, and `APP_PREVIOUS_KEYS`, which can be empty.
    pub fn new(app_key: &str, previous_keys: &str) -> Result<Self, BoxError> {
        let all = [app_key].into_iter().chain(previous_keys.split(',').filter(|key| !key.is_empty()));
        let keys = all.map(|key| {
            let key = key.trim().strip_prefix("base64:").ok_or("a key does not begin with `base64:`")?;
            let key = Zeroizing::new(STANDARD.decode(key)?);
            if key.len() == 32 { Ok(key) } else { Err("a key does not have 32 bytes".into()) }
        });
        Ok(Self { keys: keys.collect::<Result<_, BoxError>>()? })
    }

    /// What `decrypt($text)` returns, if that is a string.
    pub fn decrypt(&self, text: &str) -> Result<Zeroizing<String>, BoxError> {
        let sealed: Sealed = serde_json::from_slice(&STANDARD.decode(text)?)?;
        let opened = self.keys.iter().find_map(|key| sealed.open(key)).ok_or("no key fits")?;
        let opened = Zeroizing::new(String::from_utf8(opened.to_vec())?);
        unserialized(&opened).ok_or_else(|| "not a string that PHP has serialized".into())
    }
}

impl Sealed {
    /// The serialized value, if this key has encrypted it.
    fn open(&self, key: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let [iv, value] = [&self.iv, &self.value].map(|part| STANDARD.decode(part).ok());
        let (iv, value) = (iv?, value?);
        let opened = if self.tag.is_empty() {
            // AES-256-CBC. The MAC is of the encoded texts.
            let mac =
                Hmac::<Sha256>::new_from_slice(key).ok()?.chain_update(&self.iv).chain_update(&self.value);
            let expected = self
                .mac
                .as_bytes()
                .chunks(2)
                .map(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
            mac.verify_slice(&expected.collect::<Option<Vec<_>>>()?).ok()?;
            let cipher = cbc::Decryptor::<Aes256>::new_from_slices(key, &iv).ok()?;
            cipher.decrypt_padded_vec::<Pkcs7>(&value).ok()?
        } else {
            // AES-256-GCM.
            let value = [value, STANDARD.decode(&self.tag).ok()?].concat();
            let cipher = Aes256Gcm::new_from_slice(key).ok()?;
            cipher.decrypt(iv.as_slice().try_into().ok()?, Payload::from(value.as_slice())).ok()?
        };
        Some(Zeroizing::new(opened))
    }
}

/// The text in `s:16:"…";`.
fn unserialized(value: &str) -> Option<Zeroizing<String>> {
    let (length, text) = value.strip_prefix("s:")?.split_once(":\"")?;
    let text = text.strip_suffix("\";")?;
    (length.parse() == Ok(text.len())).then(|| Zeroizing::new(text.to_owned()))
}

/// Imports the second factor of every user who has one, and returns whose could not be imported, with the reason.
pub async fn import(
    auth: &AuthModule<User>,
    pool: &SqlitePool,
    crypt: &Crypt,
) -> Result<Vec<(i64, BoxError)>, BoxError> {
    let users: Vec<(i64, String, Option<String>)> = sqlx::query_as(
        "SELECT id, laravel_secret, laravel_codes FROM users \
         WHERE laravel_secret IS NOT NULL AND two_factor_confirmed_at IS NOT NULL",
    )
    .fetch_all(pool)
    .await?;
    let mut failed = Vec::new();
    for (id, secret, codes) in users {
        if let Err(error) = import_user(auth, crypt, id, &secret, codes.as_deref()).await {
            failed.push((id, error));
        }
    }
    Ok(failed)
}

async fn import_user(
    auth: &AuthModule<User>,
    crypt: &Crypt,
    id: i64,
    secret: &str,
    codes: Option<&str>,
) -> Result<(), BoxError> {
    let mut factor = ImportedTwoFactor::new(&crypt.decrypt(secret)?)?;
    if let Some(codes) = codes {
        factor = factor.recovery_codes(serde_json::from_str(&crypt.decrypt(codes)?)?)?;
    }
    auth.admin().import_two_factor(&id, &factor).await?;
    Ok(())
}

#[expect(clippy::print_stderr, reason = "somebody starts this once, in a terminal")]
pub async fn run(auth: AuthModule<User>, pool: SqlitePool) -> Result<(), BoxError> {
    let previous_keys = env::var("APP_PREVIOUS_KEYS").unwrap_or_default();
    let crypt = Crypt::new(&env::var("APP_KEY")?, &previous_keys)?;
    for (id, error) in import(&auth, &pool, &crypt).await? {
        eprintln!("user {id}: {error}");
    }
    Ok(())
}
