//! Switching two-factor on and off, and what a user is shown of it. No HTTP.

use super::documents::{Secrets, recovery_codes, seal_recovery_codes};
use super::{codes, recovery};
use crate::client::ClientAddress;
use crate::clock::whole_seconds;
use crate::core::{Core, Identity, TokenPair, run_to_completion};
use crate::crypto::totp::{TotpSecret, qr_code};
use crate::error::AuthError;
use crate::events::{EventKind, LockedOut};
use crate::limits::Counter;
use crate::repository::RepositoryError;
use crate::user::{AuthUser, UserChange, UserId, UserPatch};

/// How often a save is tried again when another request was faster.
const SAVES: usize = 32;
/// What is counted of wrong codes, here and at the challenge.
pub(super) const COUNTED: [&str; 2] = ["two-factor.account", "two-factor.account-long"];

/// Two-factor enrolment, with the rules, limits and events of the routes. That the password was recently confirmed is
/// for the caller to see to.
#[derive(Clone)]
pub struct TwoFactorAuthenticationService<U: AuthUser> {
    core: Core<U>,
}

/// What enabling leads to.
#[non_exhaustive]
pub enum Enabled {
    /// A confirmed secret is in force, and stays as it is.
    Already,
    /// A new secret waits to be confirmed.
    Pending,
    /// A new secret is in force at once, for `confirm` is off; the acting session goes on with this pair.
    InForce(TokenPair),
}

impl<U: AuthUser> TwoFactorAuthenticationService<U> {
    pub(crate) fn new(core: Core<U>) -> Self {
        Self { core }
    }

    pub(super) fn core(&self) -> &Core<U> {
        &self.core
    }

    /// Makes a new secret. While one is confirmed this takes `force`, and the confirmed one stays in force until the
    /// new one is confirmed. A user who has no recovery codes yet gets eight.
    ///
    /// # Errors
    /// [`AuthError::Internal`] when what is stored cannot be decrypted.
    pub async fn enable(
        &self,
        who: &Identity<U>,
        force: bool,
        client: ClientAddress,
    ) -> Result<Enabled, AuthError> {
        let (user, config) = (&who.user, &self.core.config);
        let is_on = user.two_factor_confirmed_at().is_some();
        if is_on && !force {
            return Ok(Enabled::Already);
        }
        let confirmed = if is_on { Secrets::of(user, config)?.confirmed } else { None };
        let secret = TotpSecret::generate(config.two_factor.secret_length)?;
        let at_once = !config.two_factor.confirm;
        let secrets = match at_once {
            true => Secrets { confirmed: Some(secret), pending: None },
            false => Secrets { confirmed, pending: Some(secret) },
        };
        let mut patch = self.patch(user).with(UserChange::TwoFactorSecret(Some(secrets.seal(user, config)?)));
        // The codes of a second factor that is in force are left alone: somebody has them on paper.
        let new_codes = !is_on;
        if new_codes {
            let sealed = seal_recovery_codes(user, &recovery::generate()?, config)?;
            patch = patch.with(UserChange::TwoFactorRecoveryCodes(Some(sealed)));
        }
        if at_once {
            patch = patch.with(UserChange::TwoFactorConfirmedAt(Some(whole_seconds(self.core.now()))));
        }
        match self.core.users.save(patch).await {
            // Another request was faster, and its secret is the one that waits or is in force.
            Err(RepositoryError::Stale) => {
                let now = self.core.users.find_by_id(user.id()).await?;
                let in_force = now.is_some_and(|user| user.two_factor_confirmed_at().is_some());
                return Ok(if in_force { Enabled::Already } else { Enabled::Pending });
            }
            saved => drop(saved?),
        }
        self.emit(EventKind::TwoFactorEnabled, user, client);
        if new_codes {
            self.emit(EventKind::RecoveryCodesGenerated, user, client);
        }
        match at_once {
            true => self.core.end_other_sessions(who).await.map(Enabled::InForce),
            false => Ok(Enabled::Pending),
        }
    }

    /// Puts the secret that waits in force, for a user who shows a code of it.
    ///
    /// # Errors
    /// [`AuthError::InvalidTwoFactorCode`], also when no secret waits; [`AuthError::TooManyAttempts`].
    pub async fn confirm(
        &self,
        who: &Identity<U>,
        code: &str,
        client: ClientAddress,
    ) -> Result<TokenPair, AuthError> {
        let (user, id) = (&who.user, who.user.id().to_text());
        let of = [id.as_str()];
        let attempt =
            self.core.attempt(LockedOut::TwoFactor, &counters(&self.core, &of), Some(&id), client).await?;
        let secret = match self.proven(user, code).await {
            Ok(secret) => secret,
            Err(AuthError::InvalidTwoFactorCode) => return Err(AuthError::InvalidTwoFactorCode),
            Err(failure) => {
                attempt.give_back().await?;
                return Err(failure);
            }
        };
        attempt.give_back().await?;
        forget_failures(&self.core, &id).await?;
        let (service, who) = (self.clone(), who.clone());
        run_to_completion(async move { service.put_in_force(&who, secret, client).await }).await
    }

    async fn put_in_force(
        &self,
        who: &Identity<U>,
        secret: TotpSecret,
        client: ClientAddress,
    ) -> Result<TokenPair, AuthError> {
        let sealed = Secrets { confirmed: Some(secret), pending: None }.seal(&who.user, &self.core.config)?;
        let patch = self
            .patch(&who.user)
            .with(UserChange::TwoFactorSecret(Some(sealed)))
            .with(UserChange::TwoFactorConfirmedAt(Some(whole_seconds(self.core.now()))));
        match self.core.users.save(patch).await {
            // The secret was replaced or two-factor switched off meanwhile: the code is of nothing any more.
            Err(RepositoryError::Stale) => return Err(AuthError::InvalidTwoFactorCode),
            saved => drop(saved?),
        }
        self.emit(EventKind::TwoFactorConfirmed, &who.user, client);
        self.core.end_other_sessions(who).await
    }

    /// Switches two-factor off: all three fields become null.
    ///
    /// # Errors
    /// Those of the repository and the store.
    pub async fn disable(&self, who: &Identity<U>, client: ClientAddress) -> Result<TokenPair, AuthError> {
        let (service, who) = (self.clone(), who.clone());
        run_to_completion(async move {
            service.core.users.save(off(&who.user)).await?;
            service.emit(EventKind::TwoFactorDisabled, &who.user, client);
            service.core.end_other_sessions(&who).await
        })
        .await
    }

    /// The QR code as SVG and the `otpauth` address in it, of the secret that waits or else of the one in force.
    ///
    /// # Errors
    /// [`AuthError::TwoFactorNotEnabled`].
    pub fn qr_code(&self, user: &U) -> Result<(String, String), AuthError> {
        let secrets = Secrets::of(user, &self.core.config)?;
        let secret = secrets.to_show().ok_or(AuthError::TwoFactorNotEnabled)?;
        let url = secret.url(&self.core.config.app_name, user.email());
        Ok((qr_code(&url)?, url))
    }

    /// The same secret in base32, for who cannot scan.
    ///
    /// # Errors
    /// [`AuthError::TwoFactorNotEnabled`].
    pub fn secret_key(&self, user: &U) -> Result<String, AuthError> {
        let secrets = Secrets::of(user, &self.core.config)?;
        secrets.to_show().map(TotpSecret::to_base32).ok_or(AuthError::TwoFactorNotEnabled)
    }

    /// The user's recovery codes; none when two-factor is off.
    ///
    /// # Errors
    /// [`AuthError::Internal`] when what is stored cannot be decrypted.
    pub fn recovery_codes(&self, user: &U) -> Result<Vec<String>, AuthError> {
        recovery_codes(user, &self.core.config)
    }

    /// Replaces all recovery codes.
    ///
    /// # Errors
    /// [`AuthError::TwoFactorNotEnabled`]: codes of a factor that is off would be good for nothing.
    pub async fn regenerate_recovery_codes(
        &self,
        user: &U,
        client: ClientAddress,
    ) -> Result<Vec<String>, AuthError> {
        let new = recovery::generate()?;
        let mut user = user.clone();
        // The secret may be replaced at the same time, again and again; that two-factor is on is all that counts.
        for _ in 0..SAVES {
            if user.two_factor_secret().is_none() {
                return Err(AuthError::TwoFactorNotEnabled);
            }
            let sealed = seal_recovery_codes(&user, &new, &self.core.config)?;
            let patch = self.patch(&user).with(UserChange::TwoFactorRecoveryCodes(Some(sealed)));
            match self.core.users.save(patch).await {
                Err(RepositoryError::Stale) => {
                    let now = self.core.users.find_by_id(user.id()).await?;
                    user = now.ok_or(AuthError::Unauthenticated)?;
                }
                saved => {
                    saved?;
                    self.emit(EventKind::RecoveryCodesGenerated, &user, client);
                    return Ok(new);
                }
            }
        }
        Err(AuthError::Unavailable("a user's secret changed with every try to save recovery codes".into()))
    }

    /// The secret that waits, if the code is one of it.
    async fn proven(&self, user: &U, code: &str) -> Result<TotpSecret, AuthError> {
        let pending = Secrets::of(user, &self.core.config)?.pending;
        let secret = pending.ok_or(AuthError::InvalidTwoFactorCode)?;
        match codes::accept(&self.core, &user.id().to_text(), &secret, code).await? {
            true => Ok(secret),
            false => Err(AuthError::InvalidTwoFactorCode),
        }
    }

    /// A patch that applies while the secret is still the one that was read.
    fn patch(&self, user: &U) -> UserPatch<U> {
        let stored = user.two_factor_secret().map(str::to_owned);
        UserPatch::new(user.id().clone()).only_if(UserChange::TwoFactorSecret(stored))
    }

    fn emit(&self, kind: EventKind, user: &U, client: ClientAddress) {
        self.core.events.emit(kind, Some(user.id().to_text()), client);
    }
}

/// The patch that switches two-factor off.
pub(crate) fn off<U: AuthUser>(user: &U) -> UserPatch<U> {
    UserPatch::new(user.id().clone())
        .with(UserChange::TwoFactorSecret(None))
        .with(UserChange::TwoFactorRecoveryCodes(None))
        .with(UserChange::TwoFactorConfirmedAt(None))
}

/// The two counters of an account's wrong codes.
pub(super) fn counters<'a, U: AuthUser>(core: &Core<U>, of: &'a [&'a str]) -> [Counter<'a>; 2] {
    let ([short, long], limits) = (COUNTED, &core.config.limits);
    [
        Counter { name: short, of, limit: limits.two_factor },
        Counter { name: long, of, limit: limits.two_factor_long },
    ]
}

/// A right code clears the account's own counters.
pub(super) async fn forget_failures<U: AuthUser>(core: &Core<U>, id: &str) -> Result<(), AuthError> {
    for name in COUNTED {
        core.limits.clear(name, &[id]).await?;
    }
    Ok(())
}
