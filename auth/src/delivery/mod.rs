//! Deliveries: how messages such as reset tokens reach their user.
//!
//! A delivery of the host's own, or one of `axum_auth_module::mail`, sends a message to the stored address. A reset token or
//! a verification link can also be put into the HTTP response, which leaves the sending to the host (specification §20.2):
//! [`InResponse`]. This gives the account to anybody who knows an address, so it is never the default.

mod messages;
mod security_notice;

pub use messages::*;
pub use security_notice::{SecurityNoticeKind, SecurityNoticeMessage, UnknownSecurityNotice};

use crate::erase::provided;
use crate::error::BoxError;
use crate::provider::declare::provider;
use async_trait::async_trait;

/// A message for a user, such as [`PasswordResetMessage`].
pub trait Message: Send + 'static {
    /// What the message is, for the log: `a reset token`.
    const DESCRIPTION: &'static str;
}

/// A message that can be put into the HTTP response of the request that caused it.
pub trait Returnable: Message {}

provider! { delivery;
/// Takes messages to their users. A feature that sends a message requires an implementation for it: RESET_PASSWORDS, for
/// example, requires `Delivers<PasswordResetMessage>`. No feature requires `Delivers<Notice>`, which takes all notices.
///
/// A delivery runs after the response has been decided: the response shows neither how long it takes nor whether it
/// fails, so it does not reveal which addresses have an account. A failure is logged.
///
/// ```
/// use axum_auth_module::delivery::{Delivers, EmailVerificationMessage, PasswordResetMessage};
/// use axum_auth_module::{BoxError, async_trait};
///
/// struct MyMails;
///
/// #[async_trait]
/// impl Delivers<PasswordResetMessage> for MyMails {
///     async fn deliver(&self, reset: PasswordResetMessage) -> Result<(), BoxError> {
///         let link = reset.link("https://example.com/reset");
///         // … send it to `reset.email`
/// #       let _ = link;
///         Ok(())
///     }
/// }
///
/// #[async_trait]
/// impl Delivers<EmailVerificationMessage> for MyMails {
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
    message = "Missing delivery: {M}. Say how it reaches the user.",
    label = "`{Self}` does not implement `Delivers<{M}>`",
    note = "write `impl axum_auth_module::delivery::Delivers<axum_auth_module::delivery::{M}> for {Self}`, or use a mail of an `axum_auth_module::mail::Mailer`, such as `mailer.password_reset(…)?` (cargo feature `mail`); a reset token or a verification link can also be put into the HTTP response with `axum_auth_module::InResponse`"
)]
pub trait Delivers<M: Message>: Send + Sync + 'static {
    /// Takes the message to the user.
    ///
    /// # Errors
    /// Any error; it is logged.
    async fn deliver(&self, message: M) -> Result<(), BoxError>; // needs #[async_trait]

    /// How the message reaches the user. A host's own delivery keeps the default.
    fn channel(&self) -> Channel {
        Channel::OutOfBand
    }

    provided!(dyn Delivers<M>);
}
}

/// How a message is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Channel {
    /// To the user, by another way than the request: for example a mail.
    OutOfBand,
    /// In the HTTP response, to the client that sent the request.
    InResponse,
}

/// Puts messages, such as reset tokens, into the HTTP response, from which the host's client takes them.
///
/// **Anybody who knows an address can then take the account** (ASVS 6.4.3), and anybody can verify an address that
/// belongs to someone else. Use it only where the responses of this module reach a trusted server of the host and no user.
/// For an unknown address the response contains a decoy of the same form.
#[derive(Clone, Copy, Debug, Default)]
pub struct InResponse;

#[async_trait]
#[diagnostic::do_not_recommend]
impl<M: Returnable> Delivers<M> for InResponse {
    async fn deliver(&self, _: M) -> Result<(), BoxError> {
        Ok(())
    }

    fn channel(&self) -> Channel {
        Channel::InResponse
    }
}
