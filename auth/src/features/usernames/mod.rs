//! USERNAMES: users have user names, log in with them, and change them.
//!
//! **Needs** a user name in the user record.
//!
//! It has no routes of its own: the routes of logins, registrations and the profile read the field `username`, by the rules in
//! `core::username_rules`.

mod handlers;
mod hooks;
mod service;

pub use service::UsernamesService;

use crate::module::{AuthModuleBuilder, Pending};
use crate::user::{AuthUser, HasUsername, UsernameField};
use hooks::NamesOfUsers;
use std::marker::PhantomData;

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// USERNAMES: the field `username` in the requests of logins, registrations and the profile.
    pub fn usernames(self) -> Self
    where
        U: HasUsername,
    {
        self.with_usernames(U::provided(PhantomData))
    }

    /// What `auth_module!` calls, which has asked the record for its user name.
    #[doc(hidden)]
    pub fn with_usernames(self, field: UsernameField) -> Self {
        self.mount(pending(field))
    }
}

fn pending(field: UsernameField) -> Pending {
    Pending::new(UsernamesService::new).with_hooks(NamesOfUsers(field))
}
