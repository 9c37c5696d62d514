//! A user record with its type erased.

use super::{AuthUser, UserId};
use std::any::Any;
use std::sync::Arc;
use std::time::SystemTime;

/// The nine fields of a user record, for code that does not know the record's type. Every [`AuthUser`] implements it.
///
/// The library's services use this trait, so that they are compiled once with the library and not again with every
/// host. `&account` can be passed as `&dyn UserRecord`; `record::<Account>()` returns the host's type.
pub trait UserRecord: Any + Send + Sync {
    /// The id in its printed form, as tokens, links and events carry it.
    fn id_text(&self) -> String;
    /// The user's name.
    fn name(&self) -> &str;
    /// The canonical e-mail address.
    fn email(&self) -> &str;
    /// The password's hash.
    fn password(&self) -> &str;
    /// When the e-mail address was verified, or `None`.
    fn email_verified_at(&self) -> Option<SystemTime>;
    /// The encrypted two-factor secret, or `None`.
    fn two_factor_secret(&self) -> Option<&str>;
    /// The encrypted recovery codes, or `None`.
    fn two_factor_recovery_codes(&self) -> Option<&str>;
    /// When two-factor authentication was confirmed, or `None`.
    fn two_factor_confirmed_at(&self) -> Option<SystemTime>;
    /// When the password was last confirmed, or `None`.
    fn password_confirmed_at(&self) -> Option<SystemTime>;
    /// Whether the account has a password.
    fn has_password(&self) -> bool;
    /// Whether the account is active.
    fn is_active(&self) -> bool;
    /// The language that the user has chosen, or `None`.
    fn language(&self) -> Option<&str>;
    /// The user name, or `None`.
    fn username(&self) -> Option<&str>;
    /// A copy of the record that can be shared.
    #[doc(hidden)]
    fn shared(&self) -> User;
}

/// A shared user record of a host.
pub(crate) type User = Arc<dyn UserRecord>;

impl dyn UserRecord {
    /// The record as the host's type, or `None` when `U` is another type.
    #[must_use]
    pub fn record<U: AuthUser>(&self) -> Option<&U> {
        (self as &dyn Any).downcast_ref()
    }
}

impl<U: AuthUser> UserRecord for U {
    fn id_text(&self) -> String {
        AuthUser::id(self).to_text()
    }

    fn name(&self) -> &str {
        AuthUser::name(self)
    }

    fn email(&self) -> &str {
        AuthUser::email(self)
    }

    fn password(&self) -> &str {
        AuthUser::password(self)
    }

    fn email_verified_at(&self) -> Option<SystemTime> {
        AuthUser::email_verified_at(self)
    }

    fn two_factor_secret(&self) -> Option<&str> {
        AuthUser::two_factor_secret(self)
    }

    fn two_factor_recovery_codes(&self) -> Option<&str> {
        AuthUser::two_factor_recovery_codes(self)
    }

    fn two_factor_confirmed_at(&self) -> Option<SystemTime> {
        AuthUser::two_factor_confirmed_at(self)
    }

    fn password_confirmed_at(&self) -> Option<SystemTime> {
        AuthUser::password_confirmed_at(self)
    }

    fn has_password(&self) -> bool {
        AuthUser::has_password(self)
    }

    fn is_active(&self) -> bool {
        AuthUser::is_active(self)
    }

    fn language(&self) -> Option<&str> {
        AuthUser::language(self)
    }

    fn username(&self) -> Option<&str> {
        AuthUser::username(self)
    }

    fn shared(&self) -> User {
        Arc::new(self.clone())
    }
}
