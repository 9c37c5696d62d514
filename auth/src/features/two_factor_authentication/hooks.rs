//! The second factor is asked for wherever a session is about to start, and checked wherever a user proves it again.

use super::challenge_token::ChallengeTokens;
use super::stored_secrets::{Secrets, seal_recovery_codes};
use super::{disabled, disabling_patch, is_off, proof, recovery_codes};
use crate::assurance::{ChallengeMethod, Proof, Provable};
use crate::client::{ClientAddress, Visitor};
use crate::core::{
    Core, Hooks, Identity, LockDown, Method, OpenChallenge, Patch, ProvenBy, SecondFactor, SignInRequest,
    Step,
};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::store::StoreKey;
use crate::telemetry::{cause, log};
use crate::user::{User, UserChange, UserRecord};
use async_trait::async_trait;
use std::time::{Duration, UNIX_EPOCH};

/// Requires the second factor of users who have confirmed one, and removes one that a stranger has set up.
pub(super) struct TwoFactorHooks {
    pub(super) tokens: ChallengeTokens,
}

#[async_trait]
impl Hooks for TwoFactorHooks {
    async fn prove_second_factor(
        &self,
        core: &Core,
        who: &Identity,
        factor: &SecondFactor,
        client: ClientAddress,
    ) -> Option<Result<(), AuthError>> {
        Some(proof::prove(core, who, factor, None, client).await)
    }

    async fn provable(&self, _: &Core, user: &User) -> Result<Option<Provable>, AuthError> {
        let methods = Method::second_factors().collect();
        let is_on = user.two_factor_confirmed_at().is_some();
        Ok(is_on.then_some(Provable { proof: Proof::TwoFactor, methods }))
    }

    async fn before_session(
        &self,
        core: &Core,
        request: &SignInRequest<'_>,
    ) -> Result<Option<Step>, AuthError> {
        if !request.sign_in.proven.need_second_factor() || request.user.two_factor_confirmed_at().is_none() {
            return Ok(None);
        }
        let challenge = self.tokens.issue(core, request).await?;
        let (kind, client) = (EventKind::TwoFactorChallenged, request.visitor.address());
        core.events.emit(kind, Some(request.user.id_text()), client).await;
        let methods = core.challenge_methods(request.user).await?;
        Ok(Some(Step::SecondFactor { challenge, methods }))
    }

    async fn challenge_methods(&self, _: &Core, user: &User) -> Result<Vec<ChallengeMethod>, AuthError> {
        let recovery_codes = user.two_factor_recovery_codes().map(|_| ChallengeMethod::RecoveryCode);
        Ok([ChallengeMethod::Totp].into_iter().chain(recovery_codes).collect())
    }

    async fn open_challenge(
        &self,
        core: &Core,
        token: &str,
        visitor: &Visitor,
    ) -> Option<Result<OpenChallenge, AuthError>> {
        let open = async {
            let claims = self.tokens.open(token, visitor)?;
            let user = claims.user(core).await?;
            match claims.is_over(core).await? {
                true => Err(AuthError::InvalidChallengeToken),
                false => Ok(claims.opened(user)),
            }
        };
        Some(open.await)
    }

    fn asks_for_second_factor(&self) -> bool {
        true
    }

    /// A second factor that was put in force when the account had another address, or after the address was verified, stays: who has
    /// taken over a session and changed the address must not remove it. So does one whose document cannot be read.
    fn withstands_arrival(&self, core: &Core, user: &User) -> bool {
        let is_on = user.two_factor_confirmed_at().is_some();
        is_on && readable(core, &**user).and_then(|secrets| secrets.unproven).as_deref() != Some(user.email())
    }

    /// Somebody else may have made the account with the user's address and set up a second factor: the owner of the address
    /// could never log in (specification §15.7). A second factor that was not put in force yet is removed, too.
    async fn owner_arrived(
        &self,
        core: &Core,
        user: &User,
        _: ProvenBy,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let is_strangers = |now: &User| {
            let is_owners_first_proof = now.email() == user.email() && now.email_verified_at().is_none();
            is_owners_first_proof && now.two_factor_secret().is_some() && !self.withstands_arrival(core, now)
        };
        let disable = |now: &User| {
            let patch = disabling_patch(&**now)
                .only_if(UserChange::TwoFactorSecret(now.two_factor_secret().map(str::to_owned)))
                .only_if(UserChange::Email(now.email().to_owned()))
                .only_if(UserChange::EmailVerifiedAt(None));
            Ok(is_strangers(now).then_some(patch))
        };
        if core.change_user(User::clone(user), None, disable).await? {
            core.emit_about(EventKind::TwoFactorDisabled, &**user, client).await;
        }
        Ok(())
    }

    /// Removes a second factor that was put in force during the visit, or whose secret was shown then. One that stays gets new recovery
    /// codes, because somebody may have read them, and another ciphertext of its secret: on that the write of a request depends which a
    /// session has left behind.
    async fn locking_down(
        &self,
        core: &Core,
        now: &User,
        visit: &LockDown,
        written: Option<&User>,
        patch: Patch,
    ) -> Result<Patch, AuthError> {
        if is_off(&**now) {
            return Ok(patch);
        }
        let read = UserChange::TwoFactorSecret(now.two_factor_secret().map(str::to_owned));
        let shown = core.store.number(StoreKey::TwoFactorShown, &[&now.id_text()]).await?;
        let was_shown = shown.is_some_and(|shown| visit.covers(UNIX_EPOCH + Duration::from_millis(shown)));
        let Some(in_force) = now.two_factor_confirmed_at().filter(|at| !visit.covers(*at) && !was_shown)
        else {
            return Ok(disabled(patch).only_if(read));
        };
        let are_its_own = written.is_some_and(|written| {
            written.two_factor_recovery_codes() == now.two_factor_recovery_codes()
                && written.two_factor_secret() == now.two_factor_secret()
        });
        let Some(secrets) = readable(core, &**now).filter(|_| !are_its_own) else { return Ok(patch) };
        let secrets = Secrets { pending: None, ..secrets }.seal(&**now, &core.config)?;
        let codes = seal_recovery_codes(&**now, &recovery_codes::generate()?, &core.config)?;
        Ok(patch
            .with(UserChange::TwoFactorSecret(Some(secrets)))
            .with(UserChange::TwoFactorRecoveryCodes(Some(codes)))
            .with(UserChange::TwoFactorConfirmedAt(Some(in_force)))
            .only_if(read))
    }

    /// A verified address is its user's, and so is the second factor: the owner of the address need not fear it.
    fn verifying(&self, core: &Core, user: &dyn UserRecord, patch: Patch) -> Result<Patch, AuthError> {
        Ok(proven(core, user, patch.clone())?.unwrap_or(patch))
    }

    /// The host may have verified the address itself, so the secret may still say that it was not: nothing may follow from that
    /// when somebody moves the account away from the address and back. Before the address was verified it stays so: somebody
    /// who has made the account with another person's address would otherwise keep a second factor by moving away and back.
    async fn leaving_address(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        let prove = |now: &User| {
            let is_verified = now.email() == user.email() && now.email_verified_at().is_some();
            if is_verified { proven(core, &**now, Patch::of(&**now)) } else { Ok(None) }
        };
        core.change_user(User::clone(user), None, prove).await.map(drop)
    }
}

/// The secrets of a user, if they can be read. That they cannot is logged: nobody knows whose they are, so they stay.
fn readable(core: &Core, user: &dyn UserRecord) -> Option<Secrets> {
    match Secrets::of(user, &core.config) {
        Ok(secrets) => Some(secrets),
        Err(error) => {
            log::second_factor_unreadable(cause(error.cause()));
            None
        }
    }
}

/// The patch that also removes the mark of an address that nobody had proven, if the secrets have it and as long as they are the
/// ones of this record.
fn proven(core: &Core, user: &dyn UserRecord, patch: Patch) -> Result<Option<Patch>, AuthError> {
    let marked = readable(core, user).filter(|secrets| secrets.unproven.is_some());
    let Some(secrets) = marked else { return Ok(None) };
    let sealed = Secrets { unproven: None, ..secrets }.seal(user, &core.config)?;
    let read = user.two_factor_secret().map(str::to_owned);
    let patch = patch.with(UserChange::TwoFactorSecret(Some(sealed)));
    Ok(Some(patch.only_if(UserChange::TwoFactorSecret(read))))
}
