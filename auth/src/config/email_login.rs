//! The options of sign-in by mail (specification §5.9).

use std::time::Duration;

/// The options of EMAIL_LOGIN.
///
/// ```
/// use axum_auth_module::config::{EmailLoginOptions, EmailLoginProof};
///
/// let mut options = EmailLoginOptions::default();
/// options.proof = EmailLoginProof::Code; // no link in the mail
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmailLoginOptions {
    /// How many digits a code has, 6 to 10. Default 8.
    pub digits: usize,
    /// How long a code and a link are valid, 60 to 1800 seconds. Default 600 seconds.
    pub lifetime: Duration,
    /// What a mail to sign in has. Default [`EmailLoginProof::Both`].
    pub proof: EmailLoginProof,
}

impl Default for EmailLoginOptions {
    fn default() -> Self {
        Self { digits: 8, lifetime: Duration::from_secs(600), proof: EmailLoginProof::default() }
    }
}

/// What a mail to sign in has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmailLoginProof {
    /// A code and a link.
    #[default]
    Both,
    /// A code. Who reads it can be brought to type it on a page that only looks like the host's.
    Code,
    /// A link. It works in the browser that has asked for it, and nowhere else.
    Link,
}

impl EmailLoginProof {
    pub(crate) const fn has_code(self) -> bool {
        matches!(self, Self::Both | Self::Code)
    }

    pub(crate) const fn has_link(self) -> bool {
        matches!(self, Self::Both | Self::Link)
    }
}
