//! The services behind the routes: for hosts with another front end than HTTP, and for administrators' tasks.

use super::Providers;
use crate::core::Core;
use crate::features::email_verification::{self, EmailVerificationService};
use crate::features::password_confirmation::{self, PasswordConfirmationService};
use crate::features::registration::{self, RegistrationService};
use crate::features::reset_passwords::{self, ResetPasswordsService};
use crate::features::session::{self, SessionService};
use crate::features::two_factor_authentication::{
    self, TwoFactorAuthenticationService, TwoFactorChallengeService,
};
use crate::features::update_passwords::{self, UpdatePasswordsService};
use crate::features::update_profile_information::{self, UpdateProfileInformationService};
use crate::http::Route;
use crate::user::AuthUser;

/// The services of a module. Those of features that are off are `None`.
///
/// Each does what its route does, with the same rules, limits and events; only what is HTTP is not there. See
/// [`AuthModule::services`](crate::AuthModule::services).
#[derive(Clone)]
#[non_exhaustive]
pub struct Services<U: AuthUser> {
    /// Login, refresh, logout.
    pub session: SessionService<U>,
    /// Confirming a password.
    pub password_confirmation: PasswordConfirmationService<U>,
    /// REGISTRATION.
    pub registration: Option<RegistrationService<U>>,
    /// RESET_PASSWORDS.
    pub reset_passwords: Option<ResetPasswordsService<U>>,
    /// EMAIL_VERIFICATION.
    pub email_verification: Option<EmailVerificationService<U>>,
    /// UPDATE_PROFILE_INFORMATION.
    pub update_profile_information: Option<UpdateProfileInformationService<U>>,
    /// UPDATE_PASSWORDS.
    pub update_passwords: Option<UpdatePasswordsService<U>>,
    /// TWO_FACTOR_AUTHENTICATION: enrolment, and the challenge of a login.
    pub two_factor_authentication: Option<(TwoFactorAuthenticationService<U>, TwoFactorChallengeService<U>)>,
}

impl<U: AuthUser> Services<U> {
    pub(super) fn new(core: &Core<U>, providers: Providers<U>) -> Self {
        let core = || core.clone();
        let two_factor =
            || (TwoFactorAuthenticationService::new(core()), TwoFactorChallengeService::new(core()));
        Self {
            session: SessionService::new(core()),
            password_confirmation: PasswordConfirmationService::new(core()),
            registration: providers.registration.map(|action| RegistrationService::new(core(), action)),
            reset_passwords: providers.reset_passwords.map(|(resets, action, delivery)| {
                ResetPasswordsService::new(core(), resets, action, delivery)
            }),
            email_verification: providers
                .email_verification
                .map(|delivery| EmailVerificationService::new(core(), delivery)),
            update_profile_information: providers
                .update_profile_information
                .map(|action| UpdateProfileInformationService::new(core(), action)),
            update_passwords: providers
                .update_passwords
                .map(|action| UpdatePasswordsService::new(core(), action)),
            two_factor_authentication: providers.two_factor_authentication.then(two_factor),
        }
    }

    /// The routes of all services.
    pub(super) fn routes(&self) -> Vec<Route> {
        let mut routes = session::routes(&self.session);
        routes.extend(password_confirmation::routes(&self.password_confirmation));
        routes.extend(self.registration.iter().flat_map(registration::routes));
        routes.extend(self.reset_passwords.iter().flat_map(reset_passwords::routes));
        routes.extend(self.email_verification.iter().flat_map(email_verification::routes));
        routes.extend(self.update_profile_information.iter().flat_map(update_profile_information::routes));
        routes.extend(self.update_passwords.iter().flat_map(update_passwords::routes));
        let two_factor = self.two_factor_authentication.iter();
        routes.extend(two_factor.flat_map(|(one, other)| two_factor_authentication::routes(one, other)));
        routes
    }
}
