//! What the mailbox of an account is good for with this feature.

use crate::assurance::{Proof, Provable};
use crate::core::{Core, Hooks, Method, Methods, WaysIn};
use crate::error::AuthError;
use crate::user::User;
use async_trait::async_trait;

/// A user can sign in with the mailbox, which verifies the address, and confirm with it once it is verified.
pub(super) struct OfMailboxes;

#[async_trait]
impl Hooks for OfMailboxes {
    fn verifies_addresses(&self) -> bool {
        true
    }

    fn is_way_in(&self) -> bool {
        true
    }

    async fn ways_in(&self, _: &Core, user: &User) -> Result<WaysIn, AuthError> {
        Ok(WaysIn { mailbox: user.email_verified_at().is_some(), ..WaysIn::default() })
    }

    async fn provable(&self, _: &Core, user: &User) -> Result<Option<Provable>, AuthError> {
        let is_verified = user.email_verified_at().is_some();
        Ok(is_verified.then_some(Provable { proof: Proof::Email, methods: Methods::of(Method::Email) }))
    }
}
