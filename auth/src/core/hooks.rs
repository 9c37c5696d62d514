//! Hooks: the points at which a feature reacts to the rest of the module.

use super::{
    By, Core, ExpectedPasskey, Identity, Lease, LinkedIdentity, LockDown, Newcomer, Newcomers, OpenChallenge,
    PasskeyProof, Patch, PendingRegistration, ProvenBy, ProvenIdentity, ProvenRow, SecondFactor, SignIn,
    Step, WaysIn,
};
use crate::assurance::{ChallengeMethod, Provable};
use crate::client::{ClientAddress, ClientInfo, Visitor};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::{User, UserChange, UserField, UserRecord, UsernameField};
use async_trait::async_trait;
use serde_json::Value;
use std::time::SystemTime;

/// The hooks of one feature. A hook does not depend on any other feature.
///
/// Hooks run in the order in which the features were added. Each call receives the core, because the core owns the
/// hooks.
#[async_trait]
pub(crate) trait Hooks: Send + Sync + 'static {
    /// Called before a session starts for a user who has proven their identity. Returns a [`Step`] that must be
    /// completed first, or `None`.
    async fn before_session(&self, _: &Core, _: &SignInRequest<'_>) -> Result<Option<Step>, AuthError> {
        Ok(None)
    }

    /// Called when everything is proven and the row of the session exists. Returns a [`Step`] that keeps the session from starting, or
    /// `None`.
    async fn session_starting(&self, _: &Core, _: &SignInRequest<'_>) -> Result<Option<Step>, AuthError> {
        Ok(None)
    }

    /// Whether the account is going to be deleted. Resets and sign-ins by mail then refuse it like a suspended account.
    async fn is_leaving(&self, _: &Core, _user_id: &str) -> Result<bool, AuthError> {
        Ok(false)
    }

    /// The address that can take the account back, and until when.
    async fn can_take_back(
        &self,
        _: &Core,
        _user_id: &str,
    ) -> Result<Option<(String, SystemTime)>, AuthError> {
        Ok(None)
    }

    /// What the feature stores about the user, as data, beside the user's record. `None`: nothing.
    async fn stored_about(&self, _: &Core, _: &User) -> Result<Option<(&'static str, Value)>, AuthError> {
        Ok(None)
    }

    /// Deletes what has expired, at most so many rows. Returns their number.
    async fn delete_expired(&self, _: &Core, _at_most: u32) -> Result<u64, AuthError> {
        Ok(0)
    }

    /// Does what is due by now and belongs to no request.
    async fn maintain(&self, _: &Core) -> Result<(), AuthError> {
        Ok(())
    }

    /// Checks the second factor of a user who is signed in. `None`: this feature has nothing to do with it.
    async fn prove_second_factor(
        &self,
        _: &Core,
        _: &Identity,
        _: &SecondFactor,
        _: ClientAddress,
    ) -> Option<Result<(), AuthError>> {
        None
    }

    /// What the user can prove in a session with this feature.
    async fn provable(&self, _: &Core, _: &User) -> Result<Option<Provable>, AuthError> {
        Ok(None)
    }

    /// Whether users can sign in with this feature and without a password.
    fn is_way_in(&self) -> bool {
        false
    }

    /// The ways in that this user has with this feature.
    async fn ways_in(&self, _: &Core, _: &User) -> Result<WaysIn, AuthError> {
        Ok(WaysIn::default())
    }

    /// Whether this feature has every user prove by mail that the address is theirs.
    fn verifies_by_mail(&self) -> bool {
        false
    }

    /// Whether this feature has users prove that their addresses are theirs.
    fn verifies_addresses(&self) -> bool {
        self.verifies_by_mail()
    }

    /// With what the challenge after a sign-in of this user can be completed, with this feature. It is called for a user who has a second
    /// factor.
    async fn challenge_methods(&self, _: &Core, _: &User) -> Result<Vec<ChallengeMethod>, AuthError> {
        Ok(Vec::new())
    }

    /// The challenge of this token, which was issued to such a visitor and can still be tried. `None`: this feature issues no challenges.
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    async fn open_challenge(
        &self,
        _: &Core,
        _token: &str,
        _: &Visitor,
    ) -> Option<Result<OpenChallenge, AuthError>> {
        None
    }

    /// Whether the challenge after a sign-in can be completed with a passkey, with this feature.
    fn takes_passkeys(&self) -> bool {
        false
    }

    /// What a passkey at this challenge is compared with, once its flow token was opened. `None`: this feature has no passkeys.
    async fn expect_passkey(
        &self,
        _: &Core,
        _: &OpenChallenge,
        _: &PasskeyProof,
    ) -> Option<Result<Box<dyn ExpectedPasskey>, AuthError>> {
        None
    }

    /// Whether the user still has the row with which a session begins. Rows of other features are `true`.
    async fn still_has(&self, _: &Core, _user_id: &str, _row: ProvenRow<'_>) -> Result<bool, AuthError> {
        Ok(true)
    }

    /// The identities of this user at providers, the oldest first, with this feature.
    async fn identities(&self, _: &Core, _: &User) -> Result<Vec<LinkedIdentity>, AuthError> {
        Ok(Vec::new())
    }

    /// Which user names users have, with this feature.
    fn username_field(&self) -> UsernameField {
        UsernameField::Absent
    }

    /// Whether users come from providers, with this feature.
    fn has_providers(&self) -> bool {
        false
    }

    /// Whether devices can be trusted, with this feature.
    fn trusts_devices(&self) -> bool {
        false
    }

    /// Whether this feature asks for the second factor of users who have one.
    fn asks_for_second_factor(&self) -> bool {
        false
    }

    /// Whether the user has something that was put in force under a verified address: then the user is the owner of the account, and
    /// who reads the mailbox takes nothing away.
    fn withstands_arrival(&self, _: &Core, _: &User) -> bool {
        false
    }

    /// For the first time somebody has proven to read the mailbox of the account's address. Somebody else may have made the account:
    /// the feature deletes what it has stored for the account. After an error, the next proof of the address calls this hook again.
    async fn owner_arrived(
        &self,
        _: &Core,
        _: &User,
        _: ProvenBy,
        _: ClientAddress,
    ) -> Result<(), AuthError> {
        Ok(())
    }

    /// A reset by mail has replaced the password and ended all sessions. The feature removes what the option `reset_removes` names, and
    /// returns whether that was anything. After an error, the reset can be sent again.
    async fn password_reset(&self, _: &Core, _: &User, _: ClientAddress) -> Result<bool, AuthError> {
        Ok(false)
    }

    /// Whether somebody without an account can create one by proving an address, with this feature.
    fn registers_newcomers(&self) -> bool {
        false
    }

    /// Somebody has proven an address that no account has. The feature creates an account, or asks for what is still needed. `None`:
    /// this feature has nothing to do with it.
    async fn newcomer_arrived(
        &self,
        _: &Core,
        _: &Newcomer,
        _: &Visitor,
    ) -> Result<Option<Newcomers>, AuthError> {
        Ok(None)
    }

    /// A newcomer is about to get an account and this identity. The turn of the identity lasts until the returned value is dropped. `None`:
    /// this feature has no identities.
    async fn newcomer_registering(&self, _: &Core, _: &ProvenIdentity) -> Option<Result<Lease, AuthError>> {
        None
    }

    /// The account of a newcomer exists, and its address is verified. Returns the id of the identity that the feature has linked to it.
    async fn newcomer_registered(
        &self,
        _: &Core,
        _: &User,
        _: &ProvenIdentity,
        _: ClientAddress,
    ) -> Result<Option<String>, AuthError> {
        Ok(None)
    }

    /// What a registration token begins, with this feature. `None` if the token is not valid, or was used.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    async fn pending_registration(
        &self,
        _: &Core,
        _token: &str,
    ) -> Result<Option<PendingRegistration>, AuthError> {
        Ok(None)
    }

    /// The user's address is about to be verified with this patch. A feature adds what it must change in the same write, with a
    /// condition on what it has read.
    fn verifying(&self, _: &Core, _user: &dyn UserRecord, patch: Patch) -> Result<Patch, AuthError> {
        Ok(patch)
    }

    /// The user is about to leave the address. The change may still be refused.
    async fn leaving_address(&self, _: &Core, _: &User) -> Result<(), AuthError> {
        Ok(())
    }

    /// The user's e-mail address has changed, and was the one of this record before. This is called once for a change.
    fn address_left(&self, _: &Core, _before: &dyn UserRecord) {}

    /// The user's e-mail address has changed, in this session unless an administrator has changed it. This may be called twice for one
    /// change, so it must be idempotent.
    async fn email_changed(
        &self,
        _: &Core,
        _: Option<&Identity>,
        _before: &User,
        _after: &User,
    ) -> Result<(), AuthError> {
        Ok(())
    }

    /// This credential of the user is about to change in this session, or has changed: it is called before the write and after it,
    /// and must be idempotent.
    async fn credentials_changed(
        &self,
        _: &Core,
        _: &Identity,
        _: ChangedCredential,
    ) -> Result<(), AuthError> {
        Ok(())
    }

    /// Whether addresses change only with this feature, once they are proven.
    fn changes_addresses(&self) -> bool {
        false
    }

    /// Whether an address is kept for the account that had it until lately, if that is another one than the account with this id.
    async fn is_reserved(&self, _: &Core, _email: &str, _for_user: Option<&str>) -> Result<bool, AuthError> {
        Ok(false)
    }

    /// With what this feature lets a user in again whose password is gone, if it does.
    fn way_back(&self) -> Option<WayBack> {
        None
    }

    /// Mails that way back. It is called for an active user.
    async fn mail_way_back(&self, _: &Core, _: &User, _: Recovery) -> Result<(), AuthError> {
        Ok(())
    }

    /// What was mailed to recover this account before must not work any more. This must be idempotent.
    async fn recovery_ending(&self, _: &Core, _: &User) -> Result<(), AuthError> {
        Ok(())
    }

    /// The account is being locked down: the feature deletes what was added to it during the visit, and ends what is under way. It
    /// returns whether it has deleted something with which a session can begin. This must be idempotent. It is called after all sessions
    /// have ended.
    async fn locked_down(&self, _: &Core, _: &User, _: &LockDown) -> Result<bool, AuthError> {
        Ok(false)
    }

    /// The record of an account that is being locked down is about to be written with this patch. A feature adds what it must change
    /// there, with a condition on what it has read. `written` is the record as the lock down has written it before, if it has.
    async fn locking_down(
        &self,
        _: &Core,
        _now: &User,
        _: &LockDown,
        _written: Option<&User>,
        patch: Patch,
    ) -> Result<Patch, AuthError> {
        Ok(patch)
    }

    /// Gives the account its previous address back and locks it down, as the link in the mail to that address does. `None`: no address can
    /// take the account back with this feature.
    async fn take_back(
        &self,
        _: &Core,
        _user_id: &str,
        _: &LockDown,
        _: &ClientInfo,
    ) -> Option<Result<(), AuthError>> {
        None
    }

    /// Since when somebody else may have used the account: the time of the oldest notice that nobody has answered.
    async fn suspected_since(&self, _: &Core, _user_id: &str) -> Result<Option<SystemTime>, AuthError> {
        Ok(None)
    }

    /// The owner of this mailbox, which was the account's, has locked the account down or reset the password. This must be idempotent.
    async fn recovered(&self, _: &Core, _user_id: &str, _email: &str, _: Recovered) -> Result<(), AuthError> {
        Ok(())
    }

    /// This event has happened to the user, whose record is from before.
    fn happened(&self, _: &Core, _: &EventKind, _before: &dyn UserRecord, _: By) {}

    /// A session of the user has started. It is called beside the response, and before the account knows the client.
    async fn signed_in(&self, _: &Core, _: &SignInRequest<'_>) {}

    /// The host is about to delete the user's record.
    async fn account_closing(&self, _: &Core, _: &User) -> Result<(), AuthError> {
        Ok(())
    }
}

/// The ways back of users whose password is gone, the best one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WayBack {
    /// A reset token sets a new password.
    ResetToken,
    /// The user signs in by mail.
    SignInByMail,
}

/// Why a user needs a way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// An administrator has removed the password.
    PasswordRemoved,
    /// The account was locked down.
    LockedDown,
}

/// With what the owner of a mailbox has recovered an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recovered {
    /// A lock down, which ends at the mailbox.
    LockDown,
    /// A reset with a token in a mail.
    Reset,
}

/// What has changed in a credential change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangedCredential {
    /// The password was changed or removed.
    Password,
    /// Two-factor authentication was enabled, confirmed or disabled, and the password stays.
    SecondFactor,
    /// The address was changed to one that the user has proven.
    Address,
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    /// A way in was removed that is not in the record, such as a passkey.
    WayIn,
}

impl ChangedCredential {
    /// What is changed by a patch with these changes.
    pub(crate) fn by(changes: &[UserChange]) -> Self {
        let changes = |field| changes.iter().any(|change| change.field() == field);
        match (changes(UserField::Password), changes(UserField::Email)) {
            (true, _) => Self::Password,
            (false, true) => Self::Address,
            (false, false) => Self::SecondFactor,
        }
    }
}

/// A sign-in whose session has not started yet.
pub(crate) struct SignInRequest<'a> {
    pub(crate) user: &'a User,
    pub(crate) sign_in: SignIn<'a>,
    pub(crate) visitor: &'a Visitor,
}
