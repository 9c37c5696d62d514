//! Parses the values of environment variables.

use super::{EmailLoginProof, NoticeOptions, PasswordHash, ResetRemoves, UserVerification};
use crate::notices::SecurityNoticeKind;
use ipnet::IpNet;
use std::net::IpAddr;
use std::time::Duration;

pub(super) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<u32>().map_err(|_| "expected a whole number of seconds".to_owned())?;
    Ok(Duration::from_secs(seconds.into()))
}

/// `1` or `0`.
pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => Err("expected `1` or `0`".to_owned()),
    }
}

/// The algorithm of new password hashes.
pub(super) fn password_hash(text: &str) -> Result<PasswordHash, String> {
    match text {
        "bcrypt" => Ok(PasswordHash::Bcrypt),
        #[cfg(feature = "argon2")]
        "argon2id" => Ok(PasswordHash::Argon2id),
        #[cfg(not(feature = "argon2"))]
        "argon2id" => Err("`argon2id` requires the cargo feature `argon2` of axum-auth-module".to_owned()),
        _ => Err("expected `bcrypt` or `argon2id`".to_owned()),
    }
}

/// What a mail to sign in has.
pub(super) fn email_login_proof(text: &str) -> Result<EmailLoginProof, String> {
    match text {
        "both" => Ok(EmailLoginProof::Both),
        "code" => Ok(EmailLoginProof::Code),
        "link" => Ok(EmailLoginProof::Link),
        _ => Err("expected `both`, `code` or `link`".to_owned()),
    }
}

/// Whether the authenticator of a passkey must verify its user.
pub(super) fn user_verification(text: &str) -> Result<UserVerification, String> {
    match text {
        "required" => Ok(UserVerification::Required),
        "preferred" => Ok(UserVerification::Preferred),
        _ => Err("expected `required` or `preferred`".to_owned()),
    }
}

/// What a reset removes.
pub(super) fn reset_removes(text: &str) -> Result<ResetRemoves, String> {
    let mut words = list(text).filter(|word| !word.is_empty());
    words.try_fold(ResetRemoves::default(), |removes, word| match word {
        "passkeys" => Ok(ResetRemoves { passkeys: true, ..removes }),
        "identities" => Ok(ResetRemoves { identities: true, ..removes }),
        _ => Err("expected `passkeys` and `identities`".to_owned()),
    })
}

/// The kinds of security notices that are not sent.
pub(super) fn notices(text: &str) -> Result<NoticeOptions, String> {
    list(text).filter(|kind| !kind.is_empty()).try_fold(NoticeOptions::default(), |options, kind| {
        let kind = kind.parse::<SecurityNoticeKind>().map_err(|unknown| unknown.to_string())?;
        Ok(options.without(kind))
    })
}

/// The entries of a list. An empty entry stays in it: the builder reports it.
pub(super) fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
}

/// The entries of a list that are not empty.
pub(super) fn words(text: &str) -> Vec<String> {
    list(text).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

pub(super) fn networks(text: &str) -> Result<Vec<IpNet>, String> {
    let entry = |entry: &str| entry.parse().or_else(|_| entry.parse::<IpAddr>().map(IpNet::from));
    let entries = list(text).filter(|text| !text.is_empty());
    let networks: Result<_, std::net::AddrParseError> = entries.map(entry).collect();
    networks.map_err(|_| "expected addresses or networks, as in `10.0.0.0/8, 192.0.2.7`".to_owned())
}
