//! The marks of a user's credentials (specification §10.4).

use super::SessionIssuer;
use crate::clock::unix_seconds;
use crate::crypto::keys::MacKey;
use crate::crypto::memo::Memo;
use crate::crypto::ring::KeyRing;
use crate::user::{UserChange, UserRecord};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Computes marks, once for credentials that stay as they are.
pub(super) struct Marks {
    keys: KeyRing<MacKey>,
    known: Memo<Known>,
}

/// The marks of these credentials.
struct Known {
    user_id: String,
    password: Zeroizing<String>,
    confirmed: u64,
    marks: Arc<KeyRing<String>>,
}

impl Marks {
    pub(super) fn new(keys: KeyRing<MacKey>) -> Self {
        Self { keys, known: Memo::new() }
    }

    fn compute(&self, user_id: &str, password: &str, confirmed: u64) -> KeyRing<String> {
        let parts = [user_id.as_bytes(), password.as_bytes(), &confirmed.to_be_bytes()];
        self.keys.map(|key| URL_SAFE_NO_PAD.encode(key.mac(&parts)))
    }

    fn of(&self, user_id: &str, password: &str, confirmed: u64) -> Arc<KeyRing<String>> {
        let is_of_input = |known: &Known| {
            known.user_id == user_id && *known.password == password && known.confirmed == confirmed
        };
        let known = self.known.get(user_id, is_of_input).unwrap_or_else(|| {
            let marks = Arc::new(self.compute(user_id, password, confirmed));
            let (name, password) = (user_id.to_owned(), Zeroizing::new(password.to_owned()));
            self.known.keep(user_id, Known { user_id: name, password, confirmed, marks })
        });
        Arc::clone(&known.marks)
    }
}

impl SessionIssuer {
    /// The marks of a user's current credentials: MACs of the id, the password hash and the time at which two-factor was
    /// confirmed. A token with another mark was issued before the credentials changed.
    pub(in crate::core) fn marks_of(&self, user: &dyn UserRecord) -> Arc<KeyRing<String>> {
        let confirmed = user.two_factor_confirmed_at().map_or(0, unix_seconds);
        self.marks.of(&user.id_text(), user.password(), confirmed)
    }

    /// The mark of a user's current credentials for what is issued or written now.
    pub(in crate::core) fn mark_of(&self, user: &dyn UserRecord) -> String {
        self.marks_of(user).current().clone()
    }

    /// The marks of a user's credentials after these changes.
    pub(super) fn marks_after(&self, user: &dyn UserRecord, changes: &[UserChange]) -> KeyRing<String> {
        let (mut password, mut confirmed_at) = (user.password(), user.two_factor_confirmed_at());
        for change in changes {
            match change {
                UserChange::Password(hash) => password = hash,
                UserChange::TwoFactorConfirmedAt(at) => confirmed_at = *at,
                _ => {}
            }
        }
        self.marks.compute(&user.id_text(), password, confirmed_at.map_or(0, unix_seconds))
    }

    /// Whether a token with this mark was issued under the user's current credentials.
    pub(in crate::core) fn is_mark_of(&self, mark: &str, user: &dyn UserRecord) -> bool {
        self.marks_of(user).any(|known| known.as_bytes().ct_eq(mark.as_bytes()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::keys::{Purpose, Secret};
    use proptest::prelude::*;

    proptest! {
        /// What is kept of one user's credentials is never the answer for others.
        #[test]
        fn known_marks_are_those_that_would_be_computed(
            asked in prop::collection::vec(("[ab]{1,2}", "[xy]{1,2}", 0_u64..3), 1..40),
        ) {
            let marks = Marks::new(KeyRing::new(Secret::new(vec![7; 32]), Vec::new()).derive(Purpose::Generation));
            for (user_id, password, confirmed) in asked {
                let computed = marks.compute(&user_id, &password, confirmed);
                let known = marks.of(&user_id, &password, confirmed);
                prop_assert_eq!(known.current(), computed.current());
            }
        }
    }
}
