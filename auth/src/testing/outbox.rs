//! A delivery whose messages stay in the test.

use crate::delivery::{
    AccountDeletionKind, AccountDeletionMessage, AddressChanged, Delivers, EmailChangeMessage,
    EmailLoginMessage, EmailVerificationMessage, InvitationMessage, Message, Notice, PasswordResetMessage,
    SecurityNoticeKind, SecurityNoticeMessage,
};
use crate::error::BoxError;
use async_trait::async_trait;
use std::any::Any;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// How long a test waits for a message.
const PATIENCE: Duration = Duration::from_secs(10);

/// A delivery of every kind of message, which keeps the messages for the test. Clones share them.
///
/// A message is delivered after its response, so it may arrive a moment later: the `next_…` methods wait for it, up to ten
/// seconds. The others show what has arrived; a test that uses them awaits
/// [`background_work_finished`](crate::AuthModule::background_work_finished) before.
///
/// ```
/// use axum_auth_module::testing::{self, Client, MemoryPasswordResets, MemoryUsers, Outbox};
/// use axum_auth_module::{AuthModule, StandardActions, auth_module};
/// # use axum_auth_module::AuthUser;
/// # use std::time::SystemTime;
/// # #[derive(Clone, Default, AuthUser)]
/// # struct Account { id: u32, name: String, email: String, password: String, email_verified_at: Option<SystemTime>,
/// #   two_factor_secret: Option<String>, two_factor_recovery_codes: Option<String>,
/// #   two_factor_confirmed_at: Option<SystemTime>, password_confirmed_at: Option<SystemTime> }
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), axum_auth_module::BoxError> {
/// let outbox = Outbox::new();
/// let auth: AuthModule<Account> = auth_module! {
///     config: testing::config().build()?,
///     features: [REGISTRATION, RESET_PASSWORDS],
///     user_repo: MemoryUsers::<Account>::default(),
///     password_reset_repo: MemoryPasswordResets::new(),
///     actions: StandardActions,
///     delivery: outbox.clone(),
/// };
/// let client = Client::new(axum::Router::new().nest("/auth", auth.router()));
/// let password = "correct horse battery";
/// let ada = json!({
///     "name": "Ada", "email": "ada@example.com", "password": password, "passwordConfirmation": password,
/// });
/// client.post("/auth/register").json(&ada).await.expect(201);
/// client.post("/auth/forgot-password").json(&json!({ "email": "ada@example.com" })).await.expect(200);
/// let reset = outbox.next_reset("ada@example.com").await;
/// let link = reset.link("https://example.com/reset");
/// assert!(link.starts_with("https://example.com/reset#token="));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct Outbox(Arc<Shared>);

#[derive(Default)]
struct Shared {
    post: Mutex<Vec<Box<dyn Any + Send>>>,
    arrived: Notify,
}

impl Outbox {
    /// Nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes out the first reset token for this address (RESET_PASSWORDS). Waits until there is one.
    ///
    /// # Panics
    /// If none arrives within ten seconds.
    pub async fn next_reset(&self, email: &str) -> PasswordResetMessage {
        self.next(|message: &PasswordResetMessage| message.email == email, email).await
    }

    /// Takes out the first verification link for this address (EMAIL_VERIFICATION). Waits until there is one.
    ///
    /// # Panics
    /// If none arrives within ten seconds.
    pub async fn next_verification(&self, email: &str) -> EmailVerificationMessage {
        self.next(|message: &EmailVerificationMessage| message.email == email, email).await
    }

    /// Takes out the first mail to sign in or to confirm with for this address (EMAIL_LOGIN), which has the code and the token of the
    /// link. Waits until there is one.
    ///
    /// # Panics
    /// If none arrives within ten seconds.
    pub async fn next_login_code(&self, email: &str) -> EmailLoginMessage {
        self.next(|message: &EmailLoginMessage| message.email == email, email).await
    }

    /// Takes out the first mail about a change of the address to this address (CHANGE_EMAILS): `purpose` says which one it is. Waits until
    /// there is one.
    ///
    /// # Panics
    /// If none arrives within ten seconds.
    pub async fn next_email_change(&self, email: &str) -> EmailChangeMessage {
        self.next(|message: &EmailChangeMessage| message.email == email, email).await
    }

    /// Takes out the first invitation for this address (INVITATIONS). Waits until there is one.
    ///
    /// # Panics
    /// If none arrives within ten seconds.
    pub async fn next_invitation(&self, email: &str) -> InvitationMessage {
        self.next(|message: &InvitationMessage| message.email == email, email).await
    }

    /// Takes out the first mail of this kind about the deletion of the account with this address (DELETE_ACCOUNTS). Waits until there is
    /// one.
    ///
    /// # Panics
    /// If none arrives within ten seconds.
    pub async fn next_account_deletion(
        &self,
        email: &str,
        kind: AccountDeletionKind,
    ) -> AccountDeletionMessage {
        let is_it = |message: &AccountDeletionMessage| message.email == email && message.kind == kind;
        self.next(is_it, email).await
    }

    /// Takes out the first security notice of this kind to this address (SECURITY_NOTICES). Waits until there is one.
    ///
    /// # Panics
    /// If none arrives within ten seconds.
    pub async fn next_security_notice(&self, email: &str, kind: SecurityNoticeKind) -> SecurityNoticeMessage {
        self.next(|notice: &SecurityNoticeMessage| notice.email == email && notice.kind == kind, email).await
    }

    /// Takes out the first notice to this address that the account has another one now (EMAIL_VERIFICATION, with this outbox as
    /// `Notices` in `delivery`). Waits until there is one.
    ///
    /// # Panics
    /// If none arrives within ten seconds.
    pub async fn next_address_changed(&self, previous_email: &str) -> AddressChanged {
        let is_it = |notice: &Notice| matches!(notice, Notice::AddressChanged(notice) if notice.previous_email == previous_email);
        let Notice::AddressChanged(notice) = self.next(is_it, previous_email).await;
        notice
    }

    /// The newest reset token for this address that has arrived, which stays in the outbox.
    #[must_use]
    pub fn last_reset(&self, email: &str) -> Option<PasswordResetMessage> {
        self.all().into_iter().rfind(|message: &PasswordResetMessage| message.email == email)
    }

    /// The newest verification link for this address that has arrived, which stays in the outbox.
    #[must_use]
    pub fn last_verification(&self, email: &str) -> Option<EmailVerificationMessage> {
        self.all().into_iter().rfind(|message: &EmailVerificationMessage| message.email == email)
    }

    /// The newest mail to sign in or to confirm with for this address that has arrived, which stays in the outbox.
    #[must_use]
    pub fn last_login_code(&self, email: &str) -> Option<EmailLoginMessage> {
        self.all().into_iter().rfind(|message: &EmailLoginMessage| message.email == email)
    }

    /// All messages of this kind that have arrived, in their order: `outbox.all::<PasswordResetMessage>()`. All notices
    /// are `outbox.all::<Notice>()`.
    #[must_use]
    pub fn all<M: Clone + 'static>(&self) -> Vec<M> {
        self.post().iter().filter_map(|message| message.downcast_ref().cloned()).collect()
    }

    /// Whether nothing has arrived that was not taken out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.post().is_empty()
    }

    /// Removes everything.
    pub fn clear(&self) {
        self.post().clear();
    }

    /// The first message of this type that `is_it`.
    #[allow(clippy::panic, reason = "a test that lacks its message has failed")]
    async fn next<M: 'static>(&self, is_it: impl Fn(&M) -> bool, address: &str) -> M {
        let message = tokio::time::timeout(PATIENCE, self.arrival(is_it)).await;
        message.unwrap_or_else(|_elapsed| {
            let kind = std::any::type_name::<M>().rsplit("::").next().unwrap_or_default();
            let others = self.post().len();
            panic!("no {kind} for {address} within {PATIENCE:?}; the outbox has {others} other messages")
        })
    }

    async fn arrival<M: 'static>(&self, is_it: impl Fn(&M) -> bool) -> M {
        loop {
            let mut arrived = pin!(self.0.arrived.notified());
            // From here on, what arrives is noticed.
            arrived.as_mut().enable();
            if let Some(message) = self.take(&is_it) {
                return message;
            }
            arrived.await;
        }
    }

    fn take<M: 'static>(&self, is_it: &impl Fn(&M) -> bool) -> Option<M> {
        let mut post = self.post();
        let first = post.iter().position(|message| message.downcast_ref().is_some_and(is_it))?;
        post.remove(first).downcast().ok().map(|message| *message)
    }

    fn put(&self, message: impl Any + Send) {
        self.post().push(Box::new(message));
        self.0.arrived.notify_waiters();
    }

    fn post(&self) -> MutexGuard<'_, Vec<Box<dyn Any + Send>>> {
        self.0.post.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<M: Message> Delivers<M> for Outbox {
    async fn deliver(&self, message: M) -> Result<(), BoxError> {
        self.put(message);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time is tokio's, which goes to the end of the wait at once.
    #[tokio::test(start_paused = true)]
    async fn a_message_that_does_not_come_fails_the_test_and_says_which() {
        let outbox = Outbox::new();
        outbox.put(Notice::from(AddressChanged::new("bob@example.com".to_owned(), std::time::UNIX_EPOCH)));
        let waiting = tokio::spawn(async move { outbox.next_reset("ada@example.com").await.email });
        let failed = waiting.await.unwrap_err().into_panic();
        assert_eq!(
            failed.downcast_ref::<String>().unwrap(),
            "no PasswordResetMessage for ada@example.com within 10s; the outbox has 1 other messages"
        );
    }
}
