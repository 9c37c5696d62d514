//! Actions: the business rules of a host, one trait for each thing that it decides.
//!
//! An action receives data that the library has validated, and decides what happens to it. [`StandardActions`] is the
//! implementation that most hosts want; a host implements the trait itself where its own rules differ.

mod acting;
mod context;
mod creates_new_users;
mod creates_passwordless_users;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
mod delete_record;
mod deletes_users;
mod error;
mod resets_user_passwords;
mod standard;
mod updates_user_passwords;
mod updates_user_profile;

pub use crate::crypto::Passwords;
#[doc(no_inline)]
pub use crate::error::{FieldError, FieldErrors};
#[doc(no_inline)]
pub use crate::user::{NewUser, UserChange, UserPatch};
pub(crate) use acting::{BoundAction, typed};
pub use context::ActionContext;
pub use creates_new_users::{CreatesNewUsers, RegistrationData};
pub use creates_passwordless_users::{CreatesPasswordlessUsers, PasswordlessRegistrationData};
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
pub use delete_record::DeleteRecord;
pub use deletes_users::DeletesUsers;
pub use error::ActionError;
pub use resets_user_passwords::ResetsUserPasswords;
pub use standard::StandardActions;
pub use updates_user_passwords::{PasswordUpdateData, UpdatesUserPasswords};
pub use updates_user_profile::{ProfileData, UpdatesUserProfile, UsernameChange};
