//! PBKDF2 (RFC 8018 §5.2) with HMAC-SHA256 or HMAC-SHA512. Only stored hashes are of this kind.
//!
//! Two forms are read: the PHC string format, `$pbkdf2-sha256$i=600000,l=32$<salt>$<digest>`, in which `l` can be left out,
//! and that of Python's passlib, `$pbkdf2-sha256$29000$<salt>$<digest>`, whose base64 has `.` in place of `+`.

use super::derivation::{self, Function};
use super::phc::Phc;
use super::{Bounds, MALFORMED, Stored};
use crate::crypto::passwords::job::Memory;
use pbkdf2::pbkdf2_hmac;
use sha2::{Sha256, Sha512};

/// The hash function of HMAC.
#[derive(Clone, Copy)]
enum Sha {
    Sha256,
    Sha512,
}

impl Sha {
    fn read(id: &str) -> Option<Self> {
        match id {
            "pbkdf2-sha256" => Some(Self::Sha256),
            "pbkdf2-sha512" => Some(Self::Sha512),
            _ => None,
        }
    }

    /// How many iterations are the work of a round of bcrypt, by measurements on x86-64 with its instructions for SHA-256.
    const fn iterations_of_a_round(self) -> u64 {
        match self {
            Self::Sha256 => 512,
            Self::Sha512 => 96,
        }
    }

    /// The length of its output, for each of which all iterations are computed.
    const fn octets(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }
}

/// Reads a stored hash.
pub(super) fn read(hash: &str, _: Bounds) -> Result<Stored, &'static str> {
    let in_phc_form = in_phc_form(hash);
    let phc = Phc::read(in_phc_form.as_deref().unwrap_or(hash)).filter(|phc| phc.version.is_none());
    let phc = phc.ok_or(MALFORMED)?;
    let sha = Sha::read(phc.id).ok_or(MALFORMED)?;
    let Some([Some(iterations), length]) = phc.parameters(["i", "l"]) else { return Err(MALFORMED) };
    let has_length = length.is_none_or(|length| usize::try_from(length) == Ok(phc.digest.len()));
    if iterations == 0 || !has_length {
        return Err(MALFORMED);
    }
    derivation::stored(Pbkdf2 { sha, iterations }, phc)
}

/// The hash in the PHC string format, if it has the form of passlib.
fn in_phc_form(hash: &str) -> Option<String> {
    let parts: Vec<_> = hash.split('$').collect();
    let ["", id, iterations, salt, digest] = *parts.as_slice() else { return None };
    let [salt, digest] = [salt, digest].map(|text| text.replace('.', "+"));
    (!iterations.contains('=')).then(|| format!("${id}$i={iterations}${salt}${digest}"))
}

/// The function with its parameters (RFC 8018 §5.2).
struct Pbkdf2 {
    sha: Sha,
    iterations: u32,
}

impl Function for Pbkdf2 {
    fn rounds(&self, length: usize) -> u64 {
        let blocks = length.div_ceil(self.sha.octets()) as u64;
        u64::from(self.iterations) * blocks / self.sha.iterations_of_a_round()
    }

    fn derive(&self, password: &[u8], salt: &[u8], _: &mut Memory, digest: &mut [u8]) -> Result<(), String> {
        match self.sha {
            Sha::Sha256 => pbkdf2_hmac::<Sha256>(password, salt, self.iterations, digest),
            Sha::Sha512 => pbkdf2_hmac::<Sha512>(password, salt, self.iterations, digest),
        }
        Ok(())
    }
}

/// The digest with HMAC-SHA256.
#[cfg(test)]
pub(super) fn sha256(password: &str, salt: &str, iterations: u32, length: usize) -> Vec<u8> {
    let mut digest = vec![0; length];
    let pbkdf2 = Pbkdf2 { sha: Sha::Sha256, iterations };
    pbkdf2
        .derive(password.as_bytes(), salt.as_bytes(), &mut Memory::default(), &mut digest)
        .unwrap_or_default();
    digest
}
