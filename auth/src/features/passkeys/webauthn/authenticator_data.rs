//! `authenticatorData`: what the authenticator signs (WebAuthn Level 3 §6.1).

use super::{Expected, Flaw, cbor};
use minicbor::Decoder;
use sha2::{Digest, Sha256};

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const BACKUP_ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const HAS_KEY: u8 = 1 << 6;
const HAS_EXTENSIONS: u8 = 1 << 7;

/// The longest id of a credential (WebAuthn Level 3 §4).
const LONGEST_ID: usize = 1023;

/// What an authenticator says about itself and its user.
#[derive(Debug)]
pub(super) struct AuthenticatorData<'a> {
    rp_id_hash: [u8; 32],
    flags: u8,
    pub(super) counter: u32,
    /// The new credential, in a registration.
    pub(super) attested: Option<Attested<'a>>,
}

/// A new credential.
#[derive(Debug)]
pub(super) struct Attested<'a> {
    /// The model of the authenticator. Sixteen zeros: it does not tell.
    pub(super) aaguid: [u8; 16],
    pub(super) id: &'a [u8],
    /// The COSE key.
    pub(super) key: &'a [u8],
}

impl<'a> AuthenticatorData<'a> {
    /// Reads the structure. Nothing may follow it. Flags that are reserved are passed over.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Flaw> {
        let (head, rest) = bytes.split_first_chunk::<37>().ok_or(Flaw::AuthenticatorData)?;
        let (rp_id_hash, head) = head.split_first_chunk::<32>().ok_or(Flaw::AuthenticatorData)?;
        let &[flags, ref counter @ ..] = head else { return Err(Flaw::AuthenticatorData) };
        let counter =
            <[u8; 4]>::try_from(counter).map(u32::from_be_bytes).map_err(|_| Flaw::AuthenticatorData)?;
        let mut read = Self { rp_id_hash: *rp_id_hash, flags, counter, attested: None };
        if read.has(BACKED_UP) && !read.has(BACKUP_ELIGIBLE) {
            return Err(Flaw::Flags);
        }
        let rest = match read.has(HAS_KEY) {
            true => {
                let (attested, rest) = Attested::read(rest).ok_or(Flaw::AuthenticatorData)?;
                read.attested = Some(attested);
                rest
            }
            false => rest,
        };
        let mut rest = Decoder::new(rest);
        if read.has(HAS_EXTENSIONS) {
            cbor::skip_map(&mut rest).ok_or(Flaw::AuthenticatorData)?;
        }
        if cbor::is_at_end(&rest) { Ok(read) } else { Err(Flaw::AuthenticatorData) }
    }

    /// Compares the relying party and the flags with what was asked for.
    pub(super) fn check(&self, expected: &Expected<'_>) -> Result<(), Flaw> {
        if self.rp_id_hash != *Sha256::digest(expected.relying_party.id().as_bytes()) {
            return Err(Flaw::RelyingParty);
        }
        if !self.has(USER_PRESENT) {
            return Err(Flaw::UserPresence);
        }
        if expected.user_verification && !self.is_user_verified() {
            return Err(Flaw::UserVerification);
        }
        Ok(())
    }

    /// Whether the authenticator has verified the user.
    pub(super) const fn is_user_verified(&self) -> bool {
        self.has(USER_VERIFIED)
    }

    /// Whether the credential can be copied to other devices of the user.
    pub(super) const fn is_backup_eligible(&self) -> bool {
        self.has(BACKUP_ELIGIBLE)
    }

    /// Whether it was.
    pub(super) const fn is_backed_up(&self) -> bool {
        self.has(BACKED_UP)
    }

    const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

impl<'a> Attested<'a> {
    /// The credential at the beginning of these bytes, and what follows.
    fn read(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (aaguid, bytes) = bytes.split_first_chunk::<16>()?;
        let (length, bytes) = bytes.split_first_chunk::<2>()?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (id, bytes) = bytes.split_at_checked(length).filter(|_| (1..=LONGEST_ID).contains(&length))?;
        let mut reader = Decoder::new(bytes);
        let key = cbor::item(&mut reader)?;
        Some((Self { aaguid: *aaguid, id, key }, bytes.get(reader.position()..)?))
    }
}
