//! Peppers: secrets of the host that are mixed into passwords before they are hashed (specification §14.6).
//!
//! A hash with a pepper is stored as `$peppered$<key id>` followed by the hash itself, for example
//! `$peppered$k3Jx0aTz$2b$12$…`. What is hashed is the HMAC-SHA256 of the password in base64: 43 characters, of which bcrypt
//! verifies all.

use crate::crypto::keys::{MacKey, Purpose, Secret};
use crate::values::Password;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use zeroize::Zeroizing;

/// What a hash with a pepper begins with.
pub(super) const PREFIX: &str = "$peppered$";
/// The length of a key id: 6 bytes in base64url.
const ID: usize = 8;

/// The peppers: new hashes are made with the current one, and stored ones are verified with any.
#[derive(Default)]
pub(crate) struct Peppers {
    current: Option<Pepper>,
    previous: Vec<Pepper>,
}

pub(super) struct Pepper {
    id: String,
    key: MacKey,
}

impl Peppers {
    pub(crate) fn new(current: Option<&Secret>, previous: &[Secret]) -> Self {
        Self { current: current.map(Pepper::new), previous: previous.iter().map(Pepper::new).collect() }
    }

    pub(super) const fn current(&self) -> Option<&Pepper> {
        self.current.as_ref()
    }

    /// The pepper of a stored hash that begins with [`PREFIX`], and the hash itself.
    pub(super) fn read<'a>(&self, hash: &'a str) -> Option<(&Pepper, &'a str)> {
        let (id, hash) = hash.strip_prefix(PREFIX)?.split_at_checked(ID)?;
        let pepper = self.current.iter().chain(&self.previous).find(|pepper| pepper.id == id)?;
        Some((pepper, hash))
    }
}

impl Pepper {
    fn new(secret: &Secret) -> Self {
        let id = secret.derive(Purpose::PasswordPepperId).mac(&[]);
        let id = id.first_chunk::<6>().map(|id| URL_SAFE_NO_PAD.encode(id)).unwrap_or_default();
        Self { id, key: secret.derive(Purpose::PasswordPepper) }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// What is hashed of a password.
    pub(super) fn key(&self, password: &Password) -> Zeroizing<Vec<u8>> {
        let mac = Zeroizing::new(self.key.mac_of_text(password.expose()));
        Zeroizing::new(STANDARD_NO_PAD.encode(mac.as_slice()).into_bytes())
    }
}
