//! What a host supplies: one trait a file.
//!
//! All of them are object-safe and are erased behind `Arc<dyn …>` once, when the module is put together.

mod action_context;
mod creates_new_users;
mod delivery;
mod event_sink;
mod password_reset_repository;
mod resets_user_passwords;
mod updates_user_passwords;
mod updates_user_profile;
mod user_repository;

pub use action_context::ActionContext;
pub use creates_new_users::{CreatesNewUsers, RegistrationData};
pub use delivery::{
    Channel, EmailVerificationDelivery, EmailVerificationMessage, InResponse, PasswordResetDelivery,
    PasswordResetMessage, VerificationData,
};
pub use event_sink::{EventChannel, EventSink};
pub use password_reset_repository::{PasswordResetRepository, StoredResetToken};
pub use resets_user_passwords::ResetsUserPasswords;
pub use updates_user_passwords::{PasswordUpdateData, UpdatesUserPasswords};
pub use updates_user_profile::{ProfileData, UpdatesUserProfile};
pub use user_repository::UserRepository;
