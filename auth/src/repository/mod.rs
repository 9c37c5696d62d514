//! Repositories: where a host stores its users and what the features remember, such as the hashes of reset tokens.
//!
//! `axum_auth_module::sql` has implementations over sqlx (cargo feature `sqlite`), `axum_auth_module::testing` has
//! implementations in memory (cargo feature `testing`).

mod api_token_repository;
mod deletion_repository;
mod error;
mod identity_repository;
mod memory_sessions;
mod passkey_repository;
mod password_reset_repository;
mod session_repository;
mod session_state;
mod user_repository;

pub use api_token_repository::{ApiTokenRecord, ApiTokenRepository};
pub use deletion_repository::{DeletionRecord, DeletionRepository};
pub use error::RepositoryError;
pub use identity_repository::{IdentityRecord, IdentityRepository, IdentityUse};
pub use memory_sessions::MemorySessions;
pub use passkey_repository::{PasskeyRecord, PasskeyRepository, PasskeyUse};
pub use password_reset_repository::{PasswordResetRepository, StoredResetToken};
pub use session_repository::{
    LastUse, SessionKind, SessionOwner, SessionRecord, SessionRepository, SharedSessions,
};
pub use session_state::SessionState;
pub use user_repository::UserRepository;

/// The repositories in memory, which are public in `testing`.
#[cfg(feature = "testing")]
pub(crate) mod memory {
    pub use super::api_token_repository::memory::*;
    pub use super::deletion_repository::memory::*;
    pub use super::identity_repository::memory::*;
    pub use super::memory_sessions::MemorySessions;
    pub use super::passkey_repository::memory::*;
    pub use super::password_reset_repository::memory::*;
}
