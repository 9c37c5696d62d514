//! UPDATE_PROFILE_INFORMATION: a user changes name and e-mail address.
//!
//! **Needs** an implementation of `UpdatesUserProfile`.
//!
//! A changed address is unverified, whatever the action did: `emailVerifiedAt` is cleared, and reset tokens of both
//! addresses are deleted. Verification links contain a MAC of their address and stop working by themselves.

mod handlers;
mod service;

pub use service::UpdateProfileInformationService;
#[cfg(feature = "command")]
pub(super) use service::of_settings;

use crate::actions::UpdatesUserProfile;
use crate::config::{Limit, Settings};
use crate::core::Requirements;
use crate::endpoint::{Confirmation, Credential, Endpoint, EndpointBody, EndpointField};
use crate::erase::erase;
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use service::Updates;
use std::sync::Arc;

const UPDATE: Endpoint = Endpoint::put("/user/profile-information", "updateProfileInformation")
    .of(Feature::UpdateProfileInformation)
    .summary("Changes name and e-mail address; a changed address is unverified.")
    .requires(Credential::Session)
    .takes(EndpointBody::Extensible(&[EndpointField::NAME, EndpointField::EMAIL]))
    .limits(&[Limit::Profile, Limit::Register, Limit::ProfileEmail])
    .emits(&[EventName::EmailChanged])
    .refuses(&[ErrorCode::EmailTaken, ErrorCode::PasswordConfirmationRequired, ErrorCode::LastSignInMethod]);

/// The endpoint in a module whose users have user names. If users can be without one, null removes it.
const UPDATE_WITH_USERNAME: Endpoint = UPDATE
    .summary("Changes name, e-mail address and user name; a changed address is unverified.")
    .takes(EndpointBody::Extensible(&[
        EndpointField::NAME,
        EndpointField::EMAIL,
        EndpointField::USERNAME_OPTIONAL,
    ]));

/// What an update requires: with another address more, because the response tells whether the address has an account, and because
/// reset tokens are sent to it. The response tells whether an account has a user name, too.
const fn requirements(
    settings: &Settings,
    has_other_address: bool,
    has_other_username: bool,
) -> Requirements {
    if !has_other_address {
        let calls: &[Limit] =
            if has_other_username { &[Limit::Profile, Limit::ProfileEmail] } else { &[Limit::Profile] };
        return Requirements { confirmation: Confirmation::NOTHING, calls };
    }
    let password = settings.confirm_email_change;
    let second_factor = password && settings.two_factor.confirm_with_code;
    Requirements { confirmation: Confirmation { password, second_factor }, calls: UPDATE.limits }
}

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// UPDATE_PROFILE_INFORMATION: `PUT /user/profile-information`.
    pub fn update_profile_information<A: UpdatesUserProfile<U>>(self, updates_user_profile: A) -> Self {
        let action = erase::<dyn UpdatesUserProfile<U>, _>(updates_user_profile, |action| action);
        let pending = pending(self.acting(action));
        self.mount(pending)
    }
}

fn pending(updates_user_profile: Arc<dyn Updates>) -> Pending {
    Pending::new(|core| UpdateProfileInformationService::new(core, updates_user_profile))
}
