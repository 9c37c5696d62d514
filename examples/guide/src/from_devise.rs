//! `docs/guide/from-devise.md`

#[cfg(test)]
mod tests;

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, AuthUser, sqlx::FromRow)]
pub struct User {
    pub id: i64,
    pub name: String,
    pub email: String,
    #[auth(password)]
    pub encrypted_password: String,
    #[auth(email_verified_at)]
    pub confirmed_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
}

use axum_auth_module::passwords::PasswordVerifier;
use zeroize::Zeroizing;

/// Verifies hashes of passwords with Devise's `pepper`, which the migration has marked: `devise$2a$12$…`.
pub struct DevisePepper(pub String);

impl PasswordVerifier for DevisePepper {
    fn recognises(&self, hash: &str) -> bool {
        hash.starts_with("devise$2a$")
    }

    fn verify(&self, password: &str, hash: &str) -> bool {
        let Some(hash) = hash.strip_prefix("devise") else { return false };
        let cost = hash.get(4..6).and_then(|cost| cost.parse::<u32>().ok());
        // A hash that would take longer must not occupy a thread.
        if cost.is_none_or(|cost| cost > 14) {
            return false;
        }
        // As in Devise, bcrypt ignores what comes after 72 bytes.
        let peppered = Zeroizing::new(format!("{password}{}", self.0));
        bcrypt::verify(peppered.as_str(), hash).unwrap_or(false)
    }
}

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit};
use axum_auth_module::services::ImportedTwoFactor;
use axum_auth_module::{AuthModule, BoxError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pbkdf2::pbkdf2_hmac;
use serde::Deserialize;
use sha1::Sha1;
use sha2::Sha256;
use sqlx::SqlitePool;

/// How `otp_secret` is encrypted.
pub enum OtpEncryption {
    /// devise-two-factor 5 and later: the encryption of Rails, with these keys.
    Rails(Vec<Zeroizing<[u8; 32]>>),
    /// devise-two-factor before 5: the gem `attr_encrypted`, with `otp_secret_encryption_key`.
    AttrEncrypted(Zeroizing<String>),
}

/// What Rails stores in an encrypted column, in JSON.
#[derive(Deserialize)]
struct Sealed {
    p: String,
    h: Headers,
}

#[derive(Deserialize)]
struct Headers {
    iv: String,
    at: String,
}

impl OtpEncryption {
    /// The keys of `active_record_encryption` in the credentials: every `primary_key`, and `key_derivation_salt`.
    pub fn rails(primary_keys: &[&str], key_derivation_salt: &str) -> Self {
        let (mut keys, salt) = (Vec::new(), key_derivation_salt.as_bytes());
        for primary_key in primary_keys.iter().map(|key| key.as_bytes()) {
            // `hash_digest_class` is SHA-256 since `load_defaults 7.1`, and was SHA-1 before.
            let (mut with_sha256, mut with_sha1) = (Zeroizing::new([0; 32]), Zeroizing::new([0; 32]));
            pbkdf2_hmac::<Sha256>(primary_key, salt, 65_536, with_sha256.as_mut());
            pbkdf2_hmac::<Sha1>(primary_key, salt, 65_536, with_sha1.as_mut());
            keys.extend([with_sha256, with_sha1]);
        }
        Self::Rails(keys)
    }

    /// The text of a column that is encrypted with Rails.
    fn open_rails(keys: &[Zeroizing<[u8; 32]>], stored: &str) -> Result<Zeroizing<String>, BoxError> {
        let Sealed { p, h } = serde_json::from_str(stored)?;
        let (iv, sealed) = (STANDARD.decode(h.iv)?, [STANDARD.decode(p)?, STANDARD.decode(h.at)?].concat());
        let opened = keys.iter().find_map(|key| open(key.as_slice(), &iv, &sealed));
        text(opened.ok_or("no key fits")?)
    }

    /// The text of three columns: the value, its nonce and the salt from which its key is derived.
    fn open_attr_encrypted(key: &str, columns: [&str; 3]) -> Result<Zeroizing<String>, BoxError> {
        // Ruby ends base64 with a line break, and the gem begins a salt with a low line.
        let decode = |column: &str| STANDARD.decode(column.trim_start_matches('_').replace('\n', ""));
        let [sealed, iv, salt] = columns.map(decode);
        let mut derived = Zeroizing::new([0; 32]);
        pbkdf2_hmac::<Sha1>(key.as_bytes(), &salt?, 2000, derived.as_mut());
        text(open(derived.as_slice(), &iv?, &sealed?).ok_or("the key does not fit")?)
    }
}

/// Decrypts AES-256-GCM. The tag is at the end of `sealed`.
fn open(key: &[u8], iv: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    Aes256Gcm::new_from_slice(key).ok()?.decrypt(iv.try_into().ok()?, Payload::from(sealed)).ok()
}

fn text(bytes: Vec<u8>) -> Result<Zeroizing<String>, BoxError> {
    Ok(Zeroizing::new(String::from_utf8(bytes)?))
}

impl OtpEncryption {
    /// The users with a second factor, and their secrets.
    async fn secrets(&self, pool: &SqlitePool) -> Result<Vec<(i64, Secret)>, BoxError> {
        Ok(match self {
            Self::Rails(keys) => {
                let sql = "SELECT id, otp_secret FROM users WHERE two_factor_confirmed_at IS NOT NULL";
                let rows: Vec<(i64, String)> = sqlx::query_as(sql).fetch_all(pool).await?;
                rows.iter().map(|(id, stored)| (*id, Self::open_rails(keys, stored))).collect()
            }
            Self::AttrEncrypted(key) => {
                let sql = "SELECT id, encrypted_otp_secret, encrypted_otp_secret_iv, encrypted_otp_secret_salt \
                           FROM users WHERE two_factor_confirmed_at IS NOT NULL";
                let rows: Vec<(i64, String, String, String)> = sqlx::query_as(sql).fetch_all(pool).await?;
                let open =
                    |[secret, iv, salt]: [&String; 3]| Self::open_attr_encrypted(key, [secret, iv, salt]);
                rows.iter().map(|(id, secret, iv, salt)| (*id, open([secret, iv, salt]))).collect()
            }
        })
    }
}

/// A secret in base32, or why it could not be read.
type Secret = Result<Zeroizing<String>, BoxError>;

/// Imports the second factor of every user who has one, and returns whose could not be imported, with the reason.
pub async fn import(
    auth: &AuthModule<User>,
    pool: &SqlitePool,
    encryption: &OtpEncryption,
) -> Result<Vec<(i64, BoxError)>, BoxError> {
    let mut failed = Vec::new();
    for (id, secret) in encryption.secrets(pool).await? {
        if let Err(error) = import_user(auth, id, secret).await {
            failed.push((id, error));
        }
    }
    Ok(failed)
}

async fn import_user(auth: &AuthModule<User>, id: i64, secret: Secret) -> Result<(), BoxError> {
    auth.admin().import_two_factor(&id, &ImportedTwoFactor::new(&secret?)?).await?;
    Ok(())
}
