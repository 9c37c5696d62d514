//! The step that a sign-in can require before its session starts, and with what a user completes it (specification §13.6).

use super::Method;
use crate::assurance::ChallengeMethod;
use crate::client::ClientAddress;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::User;
use async_trait::async_trait;
use std::time::{Duration, SystemTime};

/// What must be completed before a session starts. It has no `Debug`, because it contains a secret.
#[non_exhaustive]
pub enum Step {
    /// The user must prove the second factor (specification §13.6).
    #[non_exhaustive]
    SecondFactor {
        /// What identifies the login that is continued.
        challenge: Challenge,
        /// With what the user can prove it, in the order in which clients see it.
        methods: Vec<ChallengeMethod>,
    },
    /// The account is going to be deleted, and its user can restore it (specification §9.60). It is no step that every user takes:
    /// clients see the error `account_pending_deletion`.
    #[non_exhaustive]
    PendingDeletion {
        /// What restores the account and starts the session.
        restoration: Challenge,
        /// From when on the account can be deleted.
        deletes_at: SystemTime,
    },
}

/// A challenge whose token was opened.
#[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
pub(crate) struct OpenChallenge {
    /// Who has begun to sign in.
    pub(crate) user: User,
    /// The id of the challenge.
    pub(crate) id: String,
    /// When it ends.
    pub(crate) expires_at: SystemTime,
}

/// A passkey, as a client proves it.
#[derive(Clone)]
#[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
pub(crate) struct PasskeyProof {
    /// What the options came with.
    pub(crate) flow_token: String,
    /// What the browser returned.
    pub(crate) credential: serde_json::Value,
}

/// What a passkey is compared with that completes a challenge.
#[async_trait]
pub(crate) trait ExpectedPasskey: Send + Sync {
    /// Compares the passkey and records that it was used.
    ///
    /// # Errors
    /// [`AuthError::InvalidPasskey`].
    async fn prove(self: Box<Self>, client: ClientAddress) -> Result<ProvenPasskey, AuthError>;
}

/// A passkey that was proven.
pub(crate) struct ProvenPasskey {
    /// The id of its row.
    pub(crate) id: String,
    /// The method that it proves.
    pub(crate) method: Method,
}

/// With what a user proves the second factor. It has no `Debug`, because both are secrets.
#[non_exhaustive]
pub enum SecondFactor {
    /// A code of the authenticator app.
    Code(String),
    /// One of the eight recovery codes.
    RecoveryCode(String),
}

impl SecondFactor {
    /// The method that it proves.
    pub(crate) const fn method(&self) -> Method {
        match self {
            Self::Code(_) => Method::OneTimeCode,
            Self::RecoveryCode(_) => Method::RecoveryCode,
        }
    }

    /// The error if it is wrong.
    pub(crate) const fn refusal(&self) -> AuthError {
        match self {
            Self::Code(_) => AuthError::InvalidTwoFactorCode,
            Self::RecoveryCode(_) => AuthError::InvalidRecoveryCode,
        }
    }

    /// The event if it is right.
    pub(crate) const fn used(&self) -> EventKind {
        match self {
            Self::Code(_) => EventKind::ValidTwoFactorCode,
            Self::RecoveryCode(_) => EventKind::RecoveryCodeReplaced,
        }
    }
}

/// The proof that somebody knows the password. It has no `Debug`, because both are secrets.
#[non_exhaustive]
pub enum Challenge {
    /// A client that keeps tokens sends it back as `challengeToken`.
    Token(String),
    /// A browser keeps it in a cookie for this time.
    Cookie(String, Duration),
}
