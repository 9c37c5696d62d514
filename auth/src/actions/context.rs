//! What an action receives to work with.

use crate::client::ClientAddress;
use crate::clock::Clock;
use crate::crypto::Passwords;
use crate::events::{Event, EventKind};
use crate::languages::Language;
use crate::repository::UserRepository;
use crate::user::{AuthUser, UserId};
use std::sync::Arc;
use std::time::SystemTime;

/// The repository, the password service, the clock and the client, so that an action needs no state of its own for them.
pub struct ActionContext<U: AuthUser> {
    users: Arc<dyn UserRepository<User = U>>,
    passwords: Passwords,
    clock: Arc<dyn Clock>,
    client: ClientAddress,
    language: Language,
}

impl<U: AuthUser> ActionContext<U> {
    pub(crate) fn new(
        users: Arc<dyn UserRepository<User = U>>,
        passwords: Passwords,
        clock: Arc<dyn Clock>,
        client: ClientAddress,
        language: Language,
    ) -> Self {
        Self { users, passwords, clock, client, language }
    }

    /// The host's users.
    #[must_use]
    pub fn users(&self) -> &dyn UserRepository<User = U> {
        &*self.users
    }

    /// Hashes passwords as the module is configured to.
    #[must_use]
    pub fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// The module's time.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.clock.now()
    }

    /// The address of the client that has sent the request.
    #[must_use]
    pub const fn client(&self) -> ClientAddress {
        self.client
    }

    /// The language of the request: `language().tag()` is its name. An action can store it with a new user, and refuse in it:
    ///
    /// ```
    /// # use axum_auth_module::AuthUser;
    /// use axum_auth_module::actions::{ActionContext, ActionError};
    /// use axum_auth_module::error::FieldErrors;
    ///
    /// # fn refuse<U: AuthUser>(context: &ActionContext<U>) -> Result<(), ActionError> {
    /// let detail = match context.language().tag() {
    ///     "de" => "Dieser Name ist vergeben.",
    ///     _ => "This name is taken.",
    /// };
    /// Err(FieldErrors::one("name", "taken", detail).into())
    /// # }
    /// ```
    #[must_use]
    pub const fn language(&self) -> &Language {
        &self.language
    }

    /// The event that the module will emit when the action has returned, for an action that writes it together with the user,
    /// in a transaction of the host's: `SqlAuditLog::write_in` shows how. It has the same contents, and may be earlier by the
    /// duration of the action. It is not emitted by this call.
    ///
    /// | action | event |
    /// |---|---|
    /// | `CreatesNewUsers` | `EventKind::Registered`, whose `methods` are `Method::Password.into()` |
    /// | `CreatesPasswordlessUsers` | `EventKind::Registered`, whose `methods` are `data.proven_by.into()` |
    /// | `ResetsUserPasswords` | `EventKind::PasswordReset` |
    /// | `UpdatesUserPasswords` | `EventKind::PasswordUpdated` |
    /// | `UpdatesUserProfile` | `EventKind::EmailChanged`, if the address changes |
    #[must_use]
    pub fn event(&self, kind: EventKind, user_id: &U::Id) -> Event {
        Event::new(kind, Some(user_id.to_text()), self.now(), self.client.ip())
    }
}
