//! The ID token (OpenID Connect Core §2 and §3.1.3.7; RFC 8725), a step at a time.

use super::flaw::Flaw;
use crate::crypto::random::hex_of;
use crate::json;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256, Sha512};

/// The claims of a token, or the members of a response about the user.
pub(super) type Claims = Map<String, Value>;

/// Longer tokens are refused unread, in bytes.
const LONGEST: usize = 16 * 1024;
/// By how many seconds the clock of the provider may be wrong.
const LEEWAY: f64 = 60.0;
/// How old a token may be, in seconds.
const OLDEST: f64 = 600.0;

/// The algorithms of signatures that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

impl Algorithm {
    /// The algorithm of this name (RFC 7518 §3.1, RFC 8037 §3.1). `None` for all others, such as `none` and `HS256`.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            "EdDSA" => Some(Self::EdDsa),
            _ => None,
        }
    }

    /// The left half of the hash of the text, in base64url (OpenID Connect Core §3.1.3.6). Ed25519 has SHA-512 inside.
    fn half_hash(self, text: &str) -> String {
        match self {
            Self::Rs256 | Self::Es256 => URL_SAFE_NO_PAD
                .encode(Sha256::digest(text.as_bytes()).iter().take(16).copied().collect::<Vec<_>>()),
            Self::EdDsa => URL_SAFE_NO_PAD
                .encode(Sha512::digest(text.as_bytes()).iter().take(32).copied().collect::<Vec<_>>()),
        }
    }
}

/// What a token is compared with.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) parties: Parties<'a>,
    pub(super) nonce: Nonce<'a>,
    /// The access token that came with it.
    pub(super) access_token: Option<&'a str>,
    /// When the provider was told to ask the user again, in seconds since 1970.
    pub(super) fresh_since: Option<u64>,
}

/// For whom a token must be.
pub(super) enum Parties<'a> {
    /// For the client that has redeemed the code. Other audiences must be those of the program's own apps.
    Web { client_id: &'a str, own: &'a [String] },
    /// For one of the apps.
    Native(&'a [String]),
}

impl Parties<'_> {
    /// Whether the client id is one of the program's own.
    fn have(&self, id: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|own| own == id);
        match self {
            Self::Web { client_id, own } => *client_id == id || is_in(own),
            Self::Native(own) => is_in(own),
        }
    }

    /// Whether a token may be issued to this client id.
    fn may_be_issued_to(&self, id: &str) -> bool {
        match self {
            Self::Web { client_id, .. } => *client_id == id,
            Self::Native(_) => self.have(id),
        }
    }
}

/// What `nonce` must be.
pub(super) enum Nonce<'a> {
    Equal(&'a str),
    /// This text, or its SHA-256 in lower-case hexadecimal digits, as apps of Apple send it.
    OrItsHash(&'a str),
}

/// A token whose signature was not looked at.
pub(super) struct Unverified<'a> {
    /// What is signed.
    pub(super) message: &'a str,
    pub(super) signature: Vec<u8>,
    pub(super) algorithm: Algorithm,
    pub(super) kid: Option<String>,
    claims: Claims,
}

impl<'a> Unverified<'a> {
    /// Reads a token in compact form (RFC 7515 §3.1).
    pub(super) fn read(token: &'a str) -> Result<Self, Flaw> {
        let (message, signature) = token.rsplit_once('.').ok_or(Flaw::Malformed)?;
        let (header, claims) = message.split_once('.').ok_or(Flaw::Malformed)?;
        if token.len() > LONGEST {
            return Err(Flaw::Malformed);
        }
        let bytes = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| Flaw::Malformed);
        let object = |part: &str| json::object(&bytes(part)?).ok_or(Flaw::Malformed);
        let (header, claims, signature) = (object(header)?, object(claims)?, bytes(signature)?);
        if header.contains_key("crit") {
            return Err(Flaw::Critical);
        }
        match header.get("typ") {
            None => {}
            Some(Value::String(of)) if of.eq_ignore_ascii_case("jwt") => {}
            // An access token can have the form of an ID token (RFC 9068 §2.1).
            Some(_) => return Err(Flaw::TypeOfToken),
        }
        let algorithm = header.get("alg").and_then(Value::as_str).and_then(Algorithm::named);
        let kid = match header.get("kid") {
            None => None,
            Some(Value::String(kid)) => Some(kid.clone()),
            Some(_) => return Err(Flaw::Malformed),
        };
        let algorithm = algorithm.ok_or(Flaw::Algorithm)?;
        Ok(Self { message, signature, algorithm, kid, claims })
    }

    /// Whether the token is one of this issuer for this program.
    pub(super) fn is_meant(&self, expected: &Expected<'_>) -> Result<(), Flaw> {
        if self.text("iss") != Some(expected.issuer) {
            return Err(Flaw::Issuer);
        }
        let audiences: Vec<&str> = match self.claims.get("aud") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(list)) => {
                list.iter().map(Value::as_str).collect::<Option<_>>().ok_or(Flaw::Audience)?
            }
            _ => return Err(Flaw::Audience),
        };
        let parties = &expected.parties;
        let is_for_us = match parties {
            Parties::Web { client_id, .. } => audiences.contains(client_id),
            Parties::Native(_) => !audiences.is_empty(),
        };
        if !is_for_us || !audiences.iter().all(|id| parties.have(id)) {
            return Err(Flaw::Audience);
        }
        let is_party = match self.claims.get("azp") {
            None => audiences.len() == 1,
            Some(party) => party.as_str().is_some_and(|party| parties.may_be_issued_to(party)),
        };
        if is_party { Ok(()) } else { Err(Flaw::AuthorizedParty) }
    }

    /// The claims of a token whose signature was right and which is meant, if its other claims are right at this time, in seconds
    /// since 1970.
    pub(super) fn verified(self, expected: &Expected<'_>, now: u64) -> Result<Claims, Flaw> {
        let now = seconds(now);
        let time = |name| self.claims.get(name).and_then(Value::as_f64).filter(|time| time.is_finite());
        if time("exp").is_none_or(|expires| expires <= now - LEEWAY) {
            return Err(Flaw::Expired);
        }
        if time("iat").is_none_or(|issued| issued > now + LEEWAY || issued < now - OLDEST - LEEWAY) {
            return Err(Flaw::IssuedAt);
        }
        if self.claims.contains_key("nbf") && time("nbf").is_none_or(|begins| begins > now + LEEWAY) {
            return Err(Flaw::NotBefore);
        }
        let is_of_flow = self.text("nonce").is_some_and(|nonce| match expected.nonce {
            Nonce::Equal(own) => nonce == own,
            Nonce::OrItsHash(own) => nonce == own || nonce == hex_of(&Sha256::digest(own.as_bytes())),
        });
        if !is_of_flow {
            return Err(Flaw::Nonce);
        }
        if let (Some(token), Some(hash)) = (expected.access_token, self.claims.get("at_hash"))
            && *hash != self.algorithm.half_hash(token)
        {
            return Err(Flaw::AccessTokenHash);
        }
        if let Some(since) = expected.fresh_since
            && self.claims.contains_key("auth_time")
            && time("auth_time").is_none_or(|asked| asked < seconds(since) - LEEWAY)
        {
            return Err(Flaw::AuthenticationTime);
        }
        Ok(self.claims)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.claims.get(name).and_then(Value::as_str)
    }
}

/// Seconds as claims have them, which can have fractions (RFC 7519 §2, `NumericDate`).
#[allow(clippy::cast_precision_loss, reason = "exact for all years below 285 million")]
const fn seconds(since_1970: u64) -> f64 {
    since_1970 as f64
}
