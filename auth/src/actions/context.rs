//! What an action receives to work with.

use crate::clock::Clock;
use crate::crypto::Passwords;
use crate::repository::UserRepository;
use crate::user::AuthUser;
use std::sync::Arc;
use std::time::SystemTime;

/// The repository, the password service and the clock, so that an action needs no state of its own for them.
pub struct ActionContext<U: AuthUser> {
    users: Arc<dyn UserRepository<User = U>>,
    passwords: Passwords,
    clock: Arc<dyn Clock>,
}

impl<U: AuthUser> ActionContext<U> {
    pub(crate) fn new(
        users: Arc<dyn UserRepository<User = U>>,
        passwords: Passwords,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { users, passwords, clock }
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
}
