//! UPDATE_PASSWORDS: a user changes the password.
//!
//! **Needs** an implementation of `UpdatesUserPasswords`.

mod handlers;
mod service;

pub use service::UpdatePasswordsService;

use crate::actions::{Acting, UpdatesUserPasswords};
use crate::config::Limit;
use crate::endpoint::{Credential, Endpoint, EndpointBody, EndpointField};
use crate::erase::erased;
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::AuthModuleBuilder;
use crate::user::AuthUser;

const UPDATE: Endpoint = Endpoint::put("/user/password")
    .of(Feature::UpdatePasswords)
    .summary("Changes the password and ends the user's other sessions.")
    .requires(Credential::AccessToken)
    .takes(EndpointBody::Required(&[
        EndpointField::required("currentPassword"),
        EndpointField::required("password"),
        EndpointField::required("passwordConfirmation"),
    ]))
    .returns(200, "{message, accessToken, refreshToken}")
    .limits(&[Limit::ConfirmPassword])
    .emits(&[EventName::PasswordUpdated, EventName::Lockout])
    .refuses(&[ErrorCode::IncorrectPassword, ErrorCode::Overloaded]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// UPDATE_PASSWORDS: `PUT /user/password`.
    pub fn update_passwords<A: UpdatesUserPasswords<U>>(self, updates_user_passwords: A) -> Self {
        let action = erased::<dyn UpdatesUserPasswords<U>, _>(updates_user_passwords, |action| action);
        let users = self.users();
        self.mount(move |core| {
            UpdatePasswordsService::new(core, Acting { action, context: core.action_context(users) })
        })
    }
}
