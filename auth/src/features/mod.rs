//! One folder for each feature. `mod.rs` declares what the feature needs and promises; `service.rs` has its rules, without
//! HTTP; `handlers.rs` connects the two with requests and responses.
//!
//! A feature mounts itself: its builder method is in its folder, and its parameters are what the feature needs. Features
//! never import each other; what they share is in `core`.

pub(crate) mod email_verification;
pub(crate) mod password_confirmation;
pub(crate) mod registration;
pub(crate) mod reset_passwords;
pub(crate) mod session;
pub(crate) mod two_factor_authentication;
pub(crate) mod update_passwords;
pub(crate) mod update_profile_information;

use crate::config::AuthConfig;
use crate::module::{AuthModule, AuthModuleBuilder};
use crate::repository::UserRepository;
use crate::user::AuthUser;
use password_confirmation::PasswordConfirmationService;
use session::SessionService;

impl<U: AuthUser> AuthModule<U> {
    /// Starts a module from a configuration and the host's users. Login, refresh, logout and password confirmation are
    /// always in it.
    pub fn builder<R>(config: AuthConfig, user_repo: R) -> AuthModuleBuilder<U>
    where
        R: UserRepository<User = U>,
    {
        AuthModuleBuilder::new(config, user_repo)
            .mount(|core| SessionService::new(core.clone()))
            .mount(|core| PasswordConfirmationService::new(core.clone()))
    }
}
