//! UPDATE_PASSWORDS: a user changes the password.
//!
//! **Needs** an implementation of `UpdatesUserPasswords`.

mod handlers;
mod service;

pub use service::UpdatePasswordsService;

use crate::actions::UpdatesUserPasswords;
use crate::config::Limit;
use crate::endpoint::{
    Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse,
};
use crate::erase::erase;
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use service::Updates;
use std::sync::Arc;

/// The limits of successful changes, of new passwords that the policy is asked about, and of wrong current passwords (those of
/// password confirmations), in the order in which their slots are taken.
const LIMITS: &[Limit] = &[
    Limit::PasswordChange,
    Limit::PasswordChoice,
    Limit::ConfirmPassword,
    Limit::ConfirmPasswordLong,
    Limit::ConsecutiveFailures,
    Limit::KnownClientLong,
];

const UPDATE: Endpoint = Endpoint::put("/user/password", "updatePassword")
    .of(Feature::UpdatePasswords)
    .summary("Changes the password, or sets the first one, and ends the user's other sessions.")
    .requires(Credential::ConfirmationWithoutPassword)
    .takes(EndpointBody::Required(&[
        EndpointField::optional("currentPassword", EndpointFieldKind::Password),
        EndpointField::NEW_PASSWORD,
        EndpointField::PASSWORD_CONFIRMATION,
    ]))
    .returns(&[EndpointResponse::CHANGED])
    .limits(LIMITS)
    .emits(&[EventName::PasswordUpdated, EventName::SessionEnded, EventName::Lockout])
    .refuses(&[ErrorCode::IncorrectPassword, ErrorCode::Overloaded]);

const REMOVE: Endpoint = Endpoint::delete("/user/password", "removePassword")
    .of(Feature::UpdatePasswords)
    .summary(
        "Removes the password of a user who has another way to sign in, and ends the user's other sessions.",
    )
    .requires(Credential::RecentConfirmation)
    .with_other_ways_in()
    .returns(&[EndpointResponse::CHANGED])
    .emits(&[EventName::PasswordRemoved, EventName::SessionEnded])
    .refuses(&[ErrorCode::LastSignInMethod]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// UPDATE_PASSWORDS: `PUT /user/password`, and `DELETE /user/password` with a feature that lets users sign in without a password.
    pub fn update_passwords<A: UpdatesUserPasswords<U>>(self, updates_user_passwords: A) -> Self {
        let action = erase::<dyn UpdatesUserPasswords<U>, _>(updates_user_passwords, |action| action);
        let pending = pending(self.acting(action));
        self.mount(pending)
    }
}

fn pending(updates_user_passwords: Arc<dyn Updates>) -> Pending {
    Pending::new(|core| UpdatePasswordsService::new(core, updates_user_passwords))
}
