//! Recent confirmation ("step-up"): recorded in `passwordConfirmedAt` and bound to the session in which something was proven, such as
//! the password, and perhaps a code beside it (specification §12).

use super::{ActingSession, Core, Identity, Method, Methods, Patch, SecondFactor, SessionCookie};
use crate::assurance::{Insufficient, Level, Proof, Provable};
use crate::client::ClientAddress;
use crate::clock::whole_seconds;
use crate::endpoint::{Confirmation, Endpoint};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::{User, UserChange};
use std::time::{Duration, SystemTime};

/// How far in the future a confirmation may be: the clock of the instance that recorded it can be ahead. That is less than
/// for tokens, because a confirmation is asked for again at the user's next request.
const CONFIRMATION_SKEW: Duration = Duration::from_secs(10);

impl Core {
    /// Checks the second factor of a signed-in user, under the limits of its feature.
    ///
    /// # Errors
    /// [`AuthError::InvalidTwoFactorCode`] or [`AuthError::InvalidRecoveryCode`], also if no feature has the user's second
    /// factor; [`AuthError::TooManyAttempts`].
    pub(crate) async fn prove_second_factor(
        &self,
        who: &Identity,
        factor: &SecondFactor,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        for hook in &self.hooks {
            if let Some(proven) = hook.prove_second_factor(self, who, factor, client).await {
                return proven;
            }
        }
        Err(factor.refusal())
    }

    /// Records that the user has just confirmed with this method in this session, and also with the second factor if there is one
    /// here. Returns the cookie that has the confirmation, if it is a browser session.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] if the session has ended, or if its credentials have changed meanwhile.
    pub(crate) async fn record_confirmation(
        &self,
        acting: &ActingSession,
        method: Method,
        factor: Option<&SecondFactor>,
    ) -> Result<Option<SessionCookie>, AuthError> {
        let now = whole_seconds(self.now());
        let confirmed = Methods::of(method);
        let methods = factor.map_or(confirmed, |factor| confirmed.and(factor.method()));
        let cookie = self.sessions.confirm(acting.who(), methods, now).await?;
        // The row alone confirms nothing: if this fails, the user must confirm again.
        let patch = Patch::of(acting.user()).with(UserChange::PasswordConfirmedAt(Some(now)));
        acting.save(patch).await?;
        self.announce_confirmation(acting, methods).await;
        Ok(cookie)
    }

    /// Records that the user has just proven the second factor in this session. The password stays as confirmed as it is. Returns
    /// the cookie that has the proof, if it is a browser session.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] as for [`record_confirmation`](Self::record_confirmation).
    pub(crate) async fn record_second_factor(
        &self,
        acting: &ActingSession,
        factor: &SecondFactor,
    ) -> Result<Option<SessionCookie>, AuthError> {
        let now = whole_seconds(self.now());
        let methods = Methods::of(factor.method());
        let cookie = self.sessions.confirm(acting.who(), methods, now).await?;
        self.announce_confirmation(acting, methods).await;
        Ok(cookie)
    }

    async fn announce_confirmation(&self, acting: &ActingSession, methods: Methods) {
        self.events
            .emit(EventKind::Confirmed { methods }, Some(acting.who().user_id()), acting.client())
            .await;
    }

    /// What the user can prove in a session, in the order in which clients see it.
    pub(crate) async fn provable(&self, user: &User) -> Result<Vec<Provable>, AuthError> {
        let password = Provable { proof: Proof::Password, methods: Methods::of(Method::Password) };
        let mut all = Vec::from_iter(user.has_password().then_some(password));
        for hook in &self.hooks {
            all.extend(hook.provable(self, user).await?);
        }
        all.sort_by_key(|provable| provable.proof);
        Ok(all)
    }

    /// Fails if what was proven in the session, within this time, is not enough.
    ///
    /// # Errors
    /// [`AuthError::InsufficientUserAuthentication`].
    pub(crate) async fn assure(
        &self,
        who: &Identity,
        level: Level,
        max_age: Option<Duration>,
    ) -> Result<(), AuthError> {
        let is_fresh = |at| max_age.is_none_or(|age| self.is_within(at, age));
        let proven = who.row.proven(who.session.opened(), is_fresh);
        if proven.level() >= Some(level) {
            return Ok(());
        }
        // Nobody proves anything in an impersonated session.
        let provable = match who.session.actor() {
            None => self.provable(&who.user).await?,
            Some(_) => Vec::new(),
        };
        let together: Methods = provable.iter().flat_map(|provable| provable.methods.iter()).collect();
        let is_reachable = together.level() >= Some(level);
        let proofs = provable.iter().filter(|_| is_reachable).map(|provable| provable.proof).collect();
        Err(AuthError::InsufficientUserAuthentication(Insufficient { level, max_age, proofs }))
    }

    /// Whether the user has confirmed in this session within the last `window`, or within `password_timeout` if that is
    /// shorter. The user's record must have a recent confirmation, too: a host that clears
    /// `passwordConfirmedAt` revokes the confirmation.
    pub(crate) fn is_confirmed(&self, who: &Identity, window: Duration) -> bool {
        let is_recent = |at: SystemTime| self.is_recent(at, window);
        who.user.password_confirmed_at().is_some_and(is_recent)
            && Method::confirming().any(|method| self.is_proven(who, method, window))
    }

    /// Fails if the session does not have what the endpoint requires of it: that it is the user's own, that the address is verified, and that
    /// the user has confirmed recently.
    ///
    /// # Errors
    /// [`AuthError::NotWhileImpersonating`]; [`AuthError::EmailNotVerified`]; [`AuthError::PasswordConfirmationRequired`].
    pub(crate) async fn require_for(&self, endpoint: &Endpoint, who: &Identity) -> Result<(), AuthError> {
        if !endpoint.is_for_impersonated() {
            who.require_own_session()?;
        }
        if endpoint.needs_verified_address {
            self.require_verified_address(who)?;
        }
        self.require(who, endpoint.required_confirmation(&self.config, who.user().has_password())).await
    }

    /// Fails if something of this was not confirmed recently in this session. In an impersonated session nothing is.
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`]; [`AuthError::NotWhileImpersonating`].
    pub(crate) async fn require(&self, who: &Identity, required: Confirmation) -> Result<(), AuthError> {
        if required.password || required.second_factor {
            who.require_own_session()?;
        }
        let with_code = required.second_factor && who.user.two_factor_confirmed_at().is_some();
        let is_code_missing =
            || !Method::confirming_as_code().any(|method| self.is_proven(who, method, Duration::MAX));
        let is_password_missing = || !self.is_confirmed(who, Duration::MAX);
        let is_missing = match with_code {
            true => is_password_missing() || is_code_missing(),
            false => required.password && is_password_missing(),
        };
        if !is_missing {
            return Ok(());
        }
        let confirm_with = self.provable(&who.user).await?.iter().map(|provable| provable.proof).collect();
        Err(AuthError::PasswordConfirmationRequired { with_code, confirm_with })
    }

    /// Whether this method was confirmed in the session within this window.
    fn is_proven(&self, who: &Identity, method: Method, window: Duration) -> bool {
        let at = who.row.confirmed_at(method, who.session.opened());
        at.is_some_and(|at| self.is_recent(at, window))
    }

    fn is_recent(&self, at: SystemTime, window: Duration) -> bool {
        self.is_within(at, window.min(self.config.password_timeout))
    }

    /// Whether that was less than `window` ago.
    fn is_within(&self, at: SystemTime, window: Duration) -> bool {
        match self.now().duration_since(at) {
            Ok(age) => age < window,
            Err(ahead) => ahead.duration() <= CONFIRMATION_SKEW && !window.is_zero(),
        }
    }
}
