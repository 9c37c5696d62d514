//! The services behind the routes. They apply the same rules and limits and emit the same events, without HTTP.
//!
//! [`AuthModule::service`](crate::AuthModule::service) returns them by their type.

pub use crate::core::{Identity, SessionClaims, SignedIn, Step, TokenPair};
pub use crate::features::email_verification::{EmailVerificationService, Notification};
pub use crate::features::password_confirmation::PasswordConfirmationService;
pub use crate::features::registration::RegistrationService;
pub use crate::features::reset_passwords::ResetPasswordsService;
pub use crate::features::session::SessionService;
pub use crate::features::two_factor_authentication::{
    EnableOutcome, SecondFactor, TwoFactorAuthenticationService, TwoFactorChallengeService,
};
pub use crate::features::update_passwords::UpdatePasswordsService;
pub use crate::features::update_profile_information::UpdateProfileInformationService;
