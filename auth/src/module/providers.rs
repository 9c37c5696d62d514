//! What the host has given, by feature.

use crate::actions::{CreatesNewUsers, ResetsUserPasswords, UpdatesUserPasswords, UpdatesUserProfile};
use crate::delivery::{EmailVerificationDelivery, PasswordResetDelivery};
use crate::events::EventSink;
use crate::feature::{Feature, FeatureSet};
use crate::repository::{PasswordResetRepository, UserRepository};
use crate::user::AuthUser;
use std::sync::Arc;

/// RESET_PASSWORDS needs three.
type ResetPasswords<U> =
    (Arc<dyn PasswordResetRepository>, Arc<dyn ResetsUserPasswords<U>>, Arc<dyn PasswordResetDelivery>);

/// The providers. A feature is on when what it needs is here.
pub(crate) struct Providers<U: AuthUser> {
    pub(crate) users: Arc<dyn UserRepository<User = U>>,
    pub(crate) events: Option<Arc<dyn EventSink>>,
    pub(crate) registration: Option<Arc<dyn CreatesNewUsers<U>>>,
    pub(crate) reset_passwords: Option<ResetPasswords<U>>,
    pub(crate) email_verification: Option<Arc<dyn EmailVerificationDelivery>>,
    pub(crate) update_profile_information: Option<Arc<dyn UpdatesUserProfile<U>>>,
    pub(crate) update_passwords: Option<Arc<dyn UpdatesUserPasswords<U>>>,
    pub(crate) two_factor_authentication: bool,
}

impl<U: AuthUser> Providers<U> {
    pub(crate) fn new(users: Arc<dyn UserRepository<User = U>>) -> Self {
        Self {
            users,
            events: None,
            registration: None,
            reset_passwords: None,
            email_verification: None,
            update_profile_information: None,
            update_passwords: None,
            two_factor_authentication: false,
        }
    }

    /// The features that are on.
    pub(crate) fn features(&self) -> FeatureSet {
        Feature::ALL.iter().copied().filter(|feature| self.has(*feature)).collect()
    }

    fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::Registration => self.registration.is_some(),
            Feature::ResetPasswords => self.reset_passwords.is_some(),
            Feature::EmailVerification => self.email_verification.is_some(),
            Feature::UpdateProfileInformation => self.update_profile_information.is_some(),
            Feature::UpdatePasswords => self.update_passwords.is_some(),
            Feature::TwoFactorAuthentication => self.two_factor_authentication,
        }
    }

    /// Switches a feature off.
    pub(crate) fn remove(&mut self, feature: Feature) {
        match feature {
            Feature::Registration => self.registration = None,
            Feature::ResetPasswords => self.reset_passwords = None,
            Feature::EmailVerification => self.email_verification = None,
            Feature::UpdateProfileInformation => self.update_profile_information = None,
            Feature::UpdatePasswords => self.update_passwords = None,
            Feature::TwoFactorAuthentication => self.two_factor_authentication = false,
        }
    }
}
