//! One folder for each feature. `mod.rs` declares what the feature needs and promises; `service.rs` has its rules, without
//! HTTP; `handlers.rs` connects the two with requests and responses.
//!
//! A feature mounts itself: its builder method is in its folder, and its parameters are what the feature needs. Features
//! never import each other; what they share is in `core`.

mod api_tokens;
mod browser_sessions;
mod change_emails;
mod delete_accounts;
mod email_login;
mod email_verification;
mod invitations;
mod login;
#[cfg(feature = "passkeys")]
mod passkeys;
mod password_confirmation;
mod passwordless_registration;
mod registration;
mod reset_passwords;
mod security_notices;
#[cfg(feature = "service-tokens")]
mod service_tokens;
mod sessions;
#[cfg(feature = "social-login")]
mod social_login;
mod trusted_devices;
mod two_factor_authentication;
mod update_passwords;
mod update_profile_information;
mod usernames;

/// The services behind the routes. They apply the same rules and limits and emit the same events, without HTTP.
///
/// Their methods take the session first (an [`Identity`](crate::services::Identity)), then the input, and the client's address
/// last. A method that starts a session takes a [`Visitor`](crate::client::Visitor), which also says how the client keeps the
/// session; a [`ClientInfo`](crate::client::ClientInfo) or a [`ClientAddress`](crate::client::ClientAddress) is accepted in its
/// place.
///
/// [`AuthModule::service`](crate::AuthModule::service) returns them by their type.
pub mod services {
    pub use super::api_tokens::{ApiTokensService, CreatedApiToken, NewApiToken, UserApiToken};
    pub use super::browser_sessions::{BrowserSession, BrowserSessionsService};
    pub use super::change_emails::{ChangeEmailsService, PendingEmailChange};
    pub use super::delete_accounts::{DeleteAccountsService, Restored, ScheduledDeletion};
    pub use super::email_login::{EmailLoginService, EmailLoginStarted, EmailProof};
    pub use super::email_verification::{EmailVerificationService, Notification};
    pub use super::invitations::InvitationsService;
    pub use super::login::LoginService;
    #[cfg(feature = "passkeys")]
    pub use super::passkeys::{PasskeyCeremony, PasskeyRemoval, PasskeysService, UserPasskey, UserPasskeys};
    pub use super::password_confirmation::{PasswordConfirmationService, SignInMethods};
    pub use super::passwordless_registration::{NewcomerFields, PasswordlessRegistrationService};
    pub use super::registration::RegistrationService;
    pub use super::reset_passwords::ResetPasswordsService;
    pub use super::security_notices::SecurityNoticesService;
    #[cfg(feature = "service-tokens")]
    pub use super::service_tokens::{ServiceToken, ServiceTokensService};
    pub use super::sessions::SessionListService;
    #[cfg(feature = "social-login")]
    pub use super::social_login::{
        LinkedOrKept, NativeSignIn, PendingLink, PendingSteps, ProviderInfo, ProviderReturn, ProviderVisit,
        SocialLoginService, UserIdentity, VisitOptions,
    };
    pub use super::trusted_devices::TrustedDevicesService;
    pub use super::two_factor_authentication::{
        EnableOutcome, ImportedTwoFactor, InvalidTwoFactor, PendingChallenge, TwoFactorAuthenticationService,
        TwoFactorChallengeService,
    };
    pub use super::update_passwords::UpdatePasswordsService;
    pub use super::update_profile_information::UpdateProfileInformationService;
    pub use super::usernames::UsernamesService;
    pub use crate::core::{
        Challenge, Credentials, DeviceToken, Identity, LinkedIdentity, PendingRegistration,
        RegistrationStarted, SecondFactor, SessionClaims, SessionCookie, SessionInfo, SignInOutcome,
        SignedIn, Step, TokenPair, TrustedDeviceInfo,
    };
}

pub(crate) use api_tokens::api_caller;
#[cfg(feature = "social-login")]
pub(crate) use social_login::begin_flow;

use crate::config::AuthConfig;
use crate::module::{AuthModule, AuthModuleBuilder};
use crate::repository::UserRepository;
use crate::user::AuthUser;
#[cfg(feature = "command")]
use crate::{
    config::Settings,
    feature::Feature,
    posture::{self, Deviation},
};

impl<U: AuthUser> AuthModule<U> {
    /// Starts a module from a configuration and the host's users. Login, refresh, logout and password confirmation are
    /// always in it.
    pub fn builder<R>(config: AuthConfig, user_repo: R) -> AuthModuleBuilder<U>
    where
        R: UserRepository<User = U>,
    {
        AuthModuleBuilder::new(config, user_repo)
            .mount(login::pending())
            .mount(password_confirmation::pending())
    }
}

/// How these options deviate from ASVS in a module that has the feature.
#[cfg(feature = "command")]
pub(crate) fn posture(settings: &Settings) -> Vec<(Feature, Vec<Deviation>)> {
    vec![
        #[cfg(feature = "passkeys")]
        (Feature::Passkeys, passkeys::of_settings(settings)),
        (Feature::ResetPasswords, reset_passwords::of_settings(settings)),
        (Feature::EmailLogin, email_login::of_settings(settings)),
        (Feature::EmailVerification, email_verification::of_settings(settings)),
        (Feature::UpdateProfileInformation, update_profile_information::of_settings(settings)),
        (Feature::TwoFactorAuthentication, two_factor_authentication::of_settings(settings)),
        (Feature::Sessions, sessions::of_settings(settings)),
        (Feature::ChangeEmails, change_emails::of_settings(settings)),
        (Feature::SecurityNotices, security_notices::of_settings(settings)),
        (Feature::DeleteAccounts, delete_accounts::of_settings(settings)),
        (Feature::ApiTokens, api_tokens::of_settings(settings)),
        (Feature::BrowserSessions, posture::of_cookies(settings).into_iter().collect()),
    ]
}
