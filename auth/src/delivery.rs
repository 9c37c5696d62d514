//! How reset tokens and verification links reach their user.
//!
//! Both can be put into the HTTP response, which leaves the sending to the host (specification §20.2). That hands the account to
//! whoever asks, so the host has to say it: [`InResponse`]. Otherwise a delivery of the host's own, or the shipped one
//! over SMTP, takes them to the address that is stored.

use crate::erase::provided;
use crate::error::BoxError;
use crate::uri::encoded;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::SystemTime;

/// Takes a reset token to its user. Required with RESET_PASSWORDS.
///
/// It runs after the answer has been decided: how long it takes and whether it fails shows in no answer, only in the
/// log. So there is nothing to find out about which addresses have an account.
///
/// ```
/// use axum_auth_module::{BoxError, async_trait};
/// use axum_auth_module::delivery::{PasswordResetDelivery, PasswordResetMessage};
///
/// struct Mailer;
///
/// #[async_trait]
/// impl PasswordResetDelivery for Mailer {
///     async fn deliver(&self, reset: PasswordResetMessage) -> Result<(), BoxError> {
///         let link = format!("https://example.com/reset?token={}&email={}", reset.token, reset.email);
///         // … send it to `reset.email`
/// #       let _ = link;
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing delivery: PasswordReset. Say how the reset token reaches the user.",
    label = "`{Self}` does not implement `PasswordResetDelivery`",
    note = "write `impl axum_auth_module::delivery::PasswordResetDelivery for {Self}`, or use `axum_auth_module::InResponse` to put the token into the HTTP answer"
)]
pub trait PasswordResetDelivery: Send + Sync + 'static {
    /// Takes the token to the user.
    ///
    /// # Errors
    /// Whatever went wrong; it is logged.
    async fn deliver(&self, reset: PasswordResetMessage) -> Result<(), BoxError>;

    /// Which way it goes. A host's own delivery leaves this alone.
    fn channel(&self) -> Channel {
        Channel::OutOfBand
    }

    provided!(dyn PasswordResetDelivery);
}

/// Takes a verification link to its user. Required with EMAIL_VERIFICATION. As [`PasswordResetDelivery`] otherwise.
///
/// ```
/// use axum_auth_module::{BoxError, async_trait};
/// use axum_auth_module::delivery::{EmailVerificationDelivery, EmailVerificationMessage};
///
/// struct Mailer;
///
/// #[async_trait]
/// impl EmailVerificationDelivery for Mailer {
///     async fn deliver(&self, verification: EmailVerificationMessage) -> Result<(), BoxError> {
///         let link = format!("https://example.com{}", verification.data.path("/auth"));
///         // … send it to `verification.email`
/// #       let _ = link;
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing delivery: EmailVerification. Say how the verification link reaches the user.",
    label = "`{Self}` does not implement `EmailVerificationDelivery`",
    note = "write `impl axum_auth_module::delivery::EmailVerificationDelivery for {Self}`, or use `axum_auth_module::InResponse` to put the link's parts into the HTTP answer"
)]
pub trait EmailVerificationDelivery: Send + Sync + 'static {
    /// Takes the link to the user.
    ///
    /// # Errors
    /// Whatever went wrong; it is logged.
    async fn deliver(&self, verification: EmailVerificationMessage) -> Result<(), BoxError>;

    /// Which way it goes. A host's own delivery leaves this alone.
    fn channel(&self) -> Channel {
        Channel::OutOfBand
    }

    provided!(dyn EmailVerificationDelivery);
}

/// Which way something is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// To the user, by another way than the request came: a mail.
    OutOfBand,
    /// In the HTTP answer, to whoever asked.
    InResponse,
}

/// What a reset is delivered with. It has no `Debug`: the token opens the account.
#[derive(Clone)]
#[non_exhaustive]
pub struct PasswordResetMessage {
    /// The address as it is stored.
    pub email: String,
    /// The user's name.
    pub name: String,
    /// The raw token: 64 hexadecimal digits. Only its hash is stored.
    pub token: String,
    /// Until when it works.
    pub expires_at: SystemTime,
}

/// What a verification is delivered with. It has no `Debug`: the link verifies the address.
#[derive(Clone)]
#[non_exhaustive]
pub struct EmailVerificationMessage {
    /// The address as it is stored.
    pub email: String,
    /// The user's name.
    pub name: String,
    /// The parts of the link.
    pub data: VerificationData,
    /// Until when it works.
    pub expires_at: SystemTime,
}

/// The parts of a verification link (specification §15.4).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerificationData {
    /// The user's id.
    pub id: String,
    /// HMAC-SHA256 of the address, hexadecimal.
    pub hash: String,
    /// HMAC-SHA256 of `id:hash:expires`, hexadecimal.
    pub signature: String,
    /// Unix time in seconds.
    pub expires: u64,
}

impl VerificationData {
    pub(crate) fn new(id: String, hash: String, signature: String, expires: u64) -> Self {
        Self { id, hash, signature, expires }
    }

    /// The path and query of the link, below where the module is nested: `path("/auth")` gives
    /// `/auth/email/verify/{id}/{hash}?signature=…&expires=…`.
    #[must_use]
    pub fn path(&self, base: &str) -> String {
        let Self { id, hash, signature, expires } = self;
        format!("{base}/email/verify/{id}/{hash}?signature={signature}&expires={expires}", id = encoded(id))
    }
}

/// Delivery in the HTTP response (specification §20.2): reset token and verification data are in the HTTP answer, and the host's client
/// takes them from there.
///
/// **Anybody who knows an address can then take the account** (ASVS 6.4.3), and anybody can verify an address that is
/// not theirs. It is right only where this module's answers reach a trusted server of the host's and no user. Unknown
/// addresses are answered a decoy of the same shape.
#[derive(Clone, Copy, Debug, Default)]
pub struct InResponse;

#[async_trait]
#[diagnostic::do_not_recommend]
impl PasswordResetDelivery for InResponse {
    async fn deliver(&self, _: PasswordResetMessage) -> Result<(), BoxError> {
        Ok(())
    }

    fn channel(&self) -> Channel {
        Channel::InResponse
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl EmailVerificationDelivery for InResponse {
    async fn deliver(&self, _: EmailVerificationMessage) -> Result<(), BoxError> {
        Ok(())
    }

    fn channel(&self) -> Channel {
        Channel::InResponse
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<D: PasswordResetDelivery + ?Sized> PasswordResetDelivery for Arc<D> {
    async fn deliver(&self, reset: PasswordResetMessage) -> Result<(), BoxError> {
        (**self).deliver(reset).await
    }

    fn channel(&self) -> Channel {
        (**self).channel()
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<D: EmailVerificationDelivery + ?Sized> EmailVerificationDelivery for Arc<D> {
    async fn deliver(&self, verification: EmailVerificationMessage) -> Result<(), BoxError> {
        (**self).deliver(verification).await
    }

    fn channel(&self) -> Channel {
        (**self).channel()
    }
}
