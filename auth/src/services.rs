//! The services behind the routes: the same rules, limits and events, without HTTP.
//!
//! [`AuthModule::services`](crate::AuthModule::services) has one for each feature that is enabled.

pub use crate::core::{Identity, SessionClaims, TokenPair};
pub use crate::features::email_verification::{EmailVerificationService, Notification};
pub use crate::features::password_confirmation::PasswordConfirmationService;
pub use crate::features::registration::RegistrationService;
pub use crate::features::reset_passwords::ResetPasswordsService;
pub use crate::features::session::{LoggedIn, SessionService};
pub use crate::features::two_factor_authentication::{
    Enabled, Proof, TwoFactorAuthenticationService, TwoFactorChallengeService,
};
pub use crate::features::update_passwords::UpdatePasswordsService;
pub use crate::features::update_profile_information::UpdateProfileInformationService;
pub use crate::module::Services;
