//! Enabling, confirming and disabling two-factor authentication, and what a user is shown of it. No HTTP.

use super::stored_secrets::{Secrets, recovery_codes, seal_recovery_codes};
use super::{
    CONFIRM, DISABLE, ENABLE, LIMITS, PROVE, QR_CODE, RECOVERY_CODES, REGENERATE, SECRET_KEY, one_time_codes,
    proof, recovery_codes as codes,
};
use crate::client::ClientAddress;
use crate::clock::{unix_milliseconds, whole_seconds};
use crate::config::Settings;
use crate::core::{
    ActingSession, Core, Credentials, Guess, Identity, LockDown, Method, Methods, Patch, SecondFactor,
    SessionCookie,
};
use crate::crypto::totp::{TotpSecret, qr_code};
use crate::error::AuthError;
use crate::events::{AttemptKind, EventKind};
use crate::limits::Checked;
use crate::posture::Deviation;
use crate::repository::RepositoryError;
use crate::store::StoreKey;
use crate::user::{User, UserChange, UserRecord};

/// Two-factor enrolment, with the rules, limits and events of the routes. Each method fails with
/// [`AuthError::PasswordConfirmationRequired`] if what the routes require was not confirmed recently in the session, and with
/// [`AuthError::TooManyAttempts`].
#[derive(Clone)]
pub struct TwoFactorAuthenticationService {
    core: Core,
}

/// What enabling leads to.
#[non_exhaustive]
pub enum EnableOutcome {
    /// A confirmed secret is in force and stays unchanged.
    AlreadyEnabled,
    /// A new secret is pending until it is confirmed.
    Pending,
    /// A new secret is in force at once, because `confirm` is off; the acting session continues with these.
    InForce(Credentials),
}

impl TwoFactorAuthenticationService {
    pub(super) fn new(core: &Core) -> Self {
        Self { core: core.clone() }
    }

    /// How the options of the feature deviate from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        of_settings(&self.core.config)
    }

    /// Makes a new secret. While one is confirmed this takes `force`, and the confirmed one stays in force until the
    /// new one is confirmed. A user who has no recovery codes yet gets eight.
    ///
    /// # Errors
    /// [`AuthError::Internal`] when what is stored cannot be decrypted.
    pub async fn enable(
        &self,
        who: &Identity,
        force: bool,
        client: ClientAddress,
    ) -> Result<EnableOutcome, AuthError> {
        let acting = self.core.begin(&ENABLE, who, client).await?;
        let service = self.clone();
        // Without `two_factor.confirm` it is a change of the credentials.
        self.core.run_to_completion(async move { service.set_up(&acting, force).await }).await
    }

    async fn set_up(&self, acting: &ActingSession, force: bool) -> Result<EnableOutcome, AuthError> {
        let client = acting.client();
        let (user, config) = (acting.user(), &self.core.config);
        let is_on = user.two_factor_confirmed_at().is_some();
        if is_on && !force {
            return Ok(EnableOutcome::AlreadyEnabled);
        }
        let before = if is_on { Secrets::of(user, config)? } else { Secrets::default() };
        let secret = TotpSecret::generate(config.two_factor.secret_length)?;
        let at_once = !config.two_factor.confirm;
        let secrets = match at_once {
            true => Secrets::in_force(secret, user, &self.core),
            false => Secrets { pending: Some(secret), ..before },
        };
        let mut patch = self.patch(user).with(UserChange::TwoFactorSecret(Some(secrets.seal(user, config)?)));
        // The codes of a second factor that is in force are left alone: somebody has them on paper.
        let new_codes = !is_on;
        if new_codes {
            let sealed = seal_recovery_codes(user, &codes::generate()?, config)?;
            patch = patch.with(UserChange::TwoFactorRecoveryCodes(Some(sealed)));
        }
        if at_once {
            patch = patch.with(UserChange::TwoFactorConfirmedAt(Some(whole_seconds(self.core.now()))));
        }
        // A pending secret is no credential yet.
        let change = match at_once {
            true => acting.change_credentials(patch).await.map(Some),
            false => acting.save(patch).await.map(|_| None),
        };
        let change = match change {
            // Another request was faster, and its secret is the one that is pending or in force.
            Err(RepositoryError::Stale) => {
                let now = self.core.users.find_by_id(&user.id_text()).await?;
                let in_force = now.is_some_and(|user| user.two_factor_confirmed_at().is_some());
                return Ok(if in_force { EnableOutcome::AlreadyEnabled } else { EnableOutcome::Pending });
            }
            change => change?,
        };
        self.emit(EventKind::TwoFactorEnabled, user, client).await;
        if new_codes {
            self.emit(EventKind::RecoveryCodesGenerated, user, client).await;
        }
        match change {
            Some(change) => change.finish().await.map(EnableOutcome::InForce),
            None => Ok(EnableOutcome::Pending),
        }
    }

    /// Records that the user of the session has the second factor. The password stays as confirmed as it is. A browser session gets
    /// another cookie, and only that one has the proof.
    ///
    /// # Errors
    /// [`AuthError::TwoFactorNotEnabled`] if no second factor is in force; [`AuthError::InvalidTwoFactorCode`];
    /// [`AuthError::InvalidRecoveryCode`]; [`AuthError::TooManyAttempts`].
    pub async fn prove_second_factor(
        &self,
        who: &Identity,
        factor: &SecondFactor,
        client: ClientAddress,
    ) -> Result<Option<SessionCookie>, AuthError> {
        let acting = self.core.begin(&PROVE, who, client).await?;
        proof::prove(&self.core, who, factor, Some(AuthError::TwoFactorNotEnabled), client).await?;
        self.core.record_second_factor(&acting, factor).await
    }

    /// Puts the pending secret in force, for a user who proves it with one of its codes.
    ///
    /// # Errors
    /// [`AuthError::InvalidTwoFactorCode`], also when no secret is pending; [`AuthError::TooManyAttempts`].
    pub async fn confirm(
        &self,
        who: &Identity,
        code: &str,
        client: ClientAddress,
    ) -> Result<Credentials, AuthError> {
        let acting = self.core.begin(&CONFIRM, who, client).await?;
        let id = who.user_id();
        let guess = Guess::at_user(AttemptKind::TwoFactor, LIMITS, &id, client);
        let secret = self.core.guess(&guess, self.prove(who.user(), code)).await?;
        let service = self.clone();
        self.core.run_to_completion(async move { service.put_in_force(&acting, secret).await }).await
    }

    async fn put_in_force(
        &self,
        acting: &ActingSession,
        secret: TotpSecret,
    ) -> Result<Credentials, AuthError> {
        let (who, client) = (acting.who(), acting.client());
        let secrets = Secrets::in_force(secret, who.user(), &self.core);
        let sealed = secrets.seal(who.user(), &self.core.config)?;
        let patch = self
            .patch(who.user())
            .with(UserChange::TwoFactorSecret(Some(sealed)))
            .with(UserChange::TwoFactorConfirmedAt(Some(whole_seconds(self.core.now()))));
        let change = match acting.change_credentials(patch).await {
            // The secret was replaced or two-factor disabled meanwhile: the code belongs to no secret any more.
            Err(RepositoryError::Stale) => return Err(AuthError::InvalidTwoFactorCode),
            change => change?,
        };
        self.emit(EventKind::TwoFactorConfirmed, who.user(), client).await;
        // The code was the second factor. Another one would be refused, because the step has been used.
        change.finish_with(Methods::of(Method::OneTimeCode)).await
    }

    /// Puts a new secret in force without a code, a session and an event, for `testing`.
    #[cfg(feature = "testing")]
    pub(crate) async fn put_in_force_for_test(&self, user: &dyn UserRecord) -> Result<User, AuthError> {
        let config = &self.core.config;
        let secret = TotpSecret::generate(config.two_factor.secret_length)?;
        let sealed = Secrets::in_force(secret, user, &self.core).seal(user, config)?;
        let recovery_codes = seal_recovery_codes(user, &codes::generate()?, config)?;
        let patch = Patch::of(user)
            .with(UserChange::TwoFactorSecret(Some(sealed)))
            .with(UserChange::TwoFactorRecoveryCodes(Some(recovery_codes)))
            .with(UserChange::TwoFactorConfirmedAt(Some(whole_seconds(self.core.now()))));
        Ok(self.core.users.save(patch).await?)
    }

    /// Disables two-factor authentication: all three fields become null. If they are null already, nothing changes, ends or is
    /// emitted, and the session continues with what is returned.
    ///
    /// # Errors
    /// Those of the repository and the store.
    pub async fn disable(&self, who: &Identity, client: ClientAddress) -> Result<Credentials, AuthError> {
        let acting = self.core.begin(&DISABLE, who, client).await?;
        let was_off = is_off(who.user());
        // A request that failed after it had written the record has not ended the other sessions: this one does.
        if was_off && !who.row.has_unfinished_change() {
            return self.core.go_on(who).await;
        }
        let service = self.clone();
        self.core
            .run_to_completion(async move {
                let change = acting.change_credentials(disabling_patch(acting.user())).await?;
                if !was_off {
                    service.emit(EventKind::TwoFactorDisabled, acting.user(), client).await;
                }
                change.finish().await
            })
            .await
    }

    /// The QR code as SVG and the `otpauth` address in it, of the pending secret or otherwise of the one in force.
    ///
    /// # Errors
    /// [`AuthError::TwoFactorNotEnabled`].
    pub async fn qr_code(
        &self,
        who: &Identity,
        client: ClientAddress,
    ) -> Result<(String, String), AuthError> {
        let acting = self.core.begin(&QR_CODE, who, client).await?;
        let user = who.user();
        let secret = self.show(&acting).await?;
        let url = secret.url(&self.core.config.app_name, user.email());
        Ok((qr_code(&url)?, url))
    }

    /// The secret of the QR code in base32, for users who cannot scan the code.
    ///
    /// # Errors
    /// [`AuthError::TwoFactorNotEnabled`].
    pub async fn secret_key(&self, who: &Identity, client: ClientAddress) -> Result<String, AuthError> {
        let acting = self.core.begin(&SECRET_KEY, who, client).await?;
        Ok(self.show(&acting).await?.to_base32())
    }

    /// The secret with which an app is set up. That the one in force was shown is recorded first: a lock down removes it then.
    async fn show(&self, acting: &ActingSession) -> Result<TotpSecret, AuthError> {
        let (core, user) = (&self.core, acting.user());
        let secrets = Secrets::of(user, &core.config)?;
        let secret = secrets.to_show().ok_or(AuthError::TwoFactorNotEnabled)?;
        if secrets.pending.is_none() {
            let now = unix_milliseconds(core.now());
            core.store.raise(StoreKey::TwoFactorShown, &[&user.id_text()], now, LockDown::FURTHEST).await?;
            // A lock down ends the sessions, and then reads what was recorded.
            acting.check_alive().await?;
            self.emit(EventKind::TwoFactorSecretShown, user, acting.client()).await;
        }
        Ok(secret.clone())
    }

    /// The user's recovery codes; none when two-factor is off.
    ///
    /// # Errors
    /// [`AuthError::Internal`] when what is stored cannot be decrypted.
    pub async fn recovery_codes(
        &self,
        who: &Identity,
        client: ClientAddress,
    ) -> Result<Vec<String>, AuthError> {
        self.core.begin(&RECOVERY_CODES, who, client).await?;
        recovery_codes(who.user(), &self.core.config)
    }

    /// The secret with which an app is set up, without a session, for `testing`.
    #[cfg(feature = "testing")]
    pub(crate) fn secret_key_for_test(&self, user: &dyn UserRecord) -> Result<String, AuthError> {
        secret_key(user, &self.core.config)
    }

    /// The recovery codes, without a session, for `testing`.
    #[cfg(feature = "testing")]
    pub(crate) fn recovery_codes_for_test(&self, user: &dyn UserRecord) -> Result<Vec<String>, AuthError> {
        recovery_codes(user, &self.core.config)
    }

    /// Replaces all recovery codes.
    ///
    /// # Errors
    /// [`AuthError::TwoFactorNotEnabled`]: recovery codes of a disabled factor are useless.
    pub async fn regenerate_recovery_codes(
        &self,
        who: &Identity,
        client: ClientAddress,
    ) -> Result<Vec<String>, AuthError> {
        let acting = self.core.begin(&REGENERATE, who, client).await?;
        let new = codes::generate()?;
        // The secret may be replaced at the same time, again and again; that two-factor is on is all that counts.
        let replace = |user: &User| {
            if user.two_factor_secret().is_none() {
                return Err(AuthError::TwoFactorNotEnabled);
            }
            let sealed = seal_recovery_codes(&**user, &new, &self.core.config)?;
            Ok(Some(self.patch(&**user).with(UserChange::TwoFactorRecoveryCodes(Some(sealed)))))
        };
        if !self.core.change_user(who.user().shared(), Some(&acting), replace).await? {
            return Err(AuthError::Unauthenticated);
        }
        self.emit(EventKind::RecoveryCodesGenerated, who.user(), client).await;
        Ok(new)
    }

    /// The pending secret, if the code is one of its codes.
    async fn prove(&self, user: &dyn UserRecord, code: &str) -> Result<Checked<TotpSecret>, AuthError> {
        let wrong = Checked::Wrong(AuthError::InvalidTwoFactorCode);
        let Some(secret) = Secrets::of(user, &self.core.config)?.pending else { return Ok(wrong) };
        Ok(match one_time_codes::accept_pending(&self.core, &user.id_text(), &secret, code).await? {
            true => Checked::Right(secret),
            false => wrong,
        })
    }

    /// A patch that applies while the secret is still the one that was read.
    fn patch(&self, user: &dyn UserRecord) -> Patch {
        let stored = user.two_factor_secret().map(str::to_owned);
        Patch::of(user).only_if(UserChange::TwoFactorSecret(stored))
    }

    async fn emit(&self, kind: EventKind, user: &dyn UserRecord, client: ClientAddress) {
        self.core.emit_about(kind, user, client).await;
    }
}

/// The secret with which an app is set up, in base32.
#[cfg(feature = "testing")]
fn secret_key(user: &dyn UserRecord, config: &crate::config::AuthConfig) -> Result<String, AuthError> {
    let secrets = Secrets::of(user, config)?;
    secrets.to_show().map(TotpSecret::to_base32).ok_or(AuthError::TwoFactorNotEnabled)
}

/// Whether the record has nothing that disabling would remove.
pub(super) fn is_off(user: &dyn UserRecord) -> bool {
    user.two_factor_secret().is_none()
        && user.two_factor_recovery_codes().is_none()
        && user.two_factor_confirmed_at().is_none()
}

/// The patch that disables two-factor authentication.
pub(super) fn disabling_patch(user: &dyn UserRecord) -> Patch {
    disabled(Patch::of(user))
}

/// This patch, which also disables two-factor authentication.
pub(super) fn disabled(patch: Patch) -> Patch {
    patch
        .with(UserChange::TwoFactorSecret(None))
        .with(UserChange::TwoFactorRecoveryCodes(None))
        .with(UserChange::TwoFactorConfirmedAt(None))
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    let options = &settings.two_factor;
    let readable = "recovery codes are encrypted and can be shown again; ASVS asks for hashes";
    let mut found = vec![Deviation::new("recovery codes", &["6.5.2"], readable)];
    let mut unless = |is_on: bool, option, asvs, message: &str| {
        if !is_on {
            found.push(Deviation::new(option, asvs, message));
        }
    };
    let message = "who has a second factor can disable it, and see its secret, with the password alone";
    unless(options.confirm_with_code, "two_factor.confirm_with_code", &["6.4.4", "7.5.1"], message);
    let message = "a session alone is enough to change or disable the second factor of its user";
    unless(options.confirm_password, "two_factor.confirm_password", &["7.5.1"], message);
    let message = "a second factor is in force before its user has shown that it works";
    unless(options.confirm, "two_factor.confirm", &["6.1.3"], message);
    let message = "one-time codes are also accepted before and after their 30 seconds";
    unless(options.window == 0, "two_factor.window", &["6.5.5"], message);
    found
}
