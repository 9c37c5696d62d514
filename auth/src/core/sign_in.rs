//! Sign-in: the only way to start a session (specification §11.1).

use super::hooks::{SignInRequest, Step};
use super::{Core, Credentials, Epoch, Method, Methods};
use crate::client::Visitor;
use crate::config::WhenOff;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::User;

/// What the user has proven before the session starts, and to which request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignIn {
    /// The methods. What must still be proven depends on them alone.
    pub(crate) proven: Methods,
    after: Entry,
}

/// The request with which a session starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// The request has created the account.
    NewAccount,
    /// A login with a password.
    Login,
    /// A two-factor challenge after a login.
    Challenge,
}

/// The result of a sign-in. It has no `Debug`, because both values are secrets.
#[non_exhaustive]
pub enum SignedIn {
    /// A session has started.
    Session(Credentials),
    /// This step must be completed before a session starts.
    Step(Step),
}

impl SignIn {
    /// The account was created by this request, with this method.
    pub(crate) const fn new_account(method: Method) -> Self {
        Self { proven: Methods::of(method), after: Entry::NewAccount }
    }

    /// The account's password was proven.
    pub(crate) const fn password() -> Self {
        Self { proven: Methods::of(Method::Password), after: Entry::Login }
    }

    /// A second factor was proven after a login with these methods.
    pub(crate) const fn challenge(login: Methods, second_factor: Method) -> Self {
        Self { proven: login.and(second_factor), after: Entry::Challenge }
    }

    /// The error for an inactive account. It must not reveal that what was proven was correct.
    const fn refusal(self) -> AuthError {
        match self.after {
            Entry::NewAccount => AuthError::Unauthenticated,
            Entry::Login => AuthError::InvalidCredentials,
            Entry::Challenge => AuthError::InvalidChallengeToken,
        }
    }
}

impl Core {
    /// Starts a session for a user who has proven their identity, unless the account is inactive, the host's policy refuses
    /// the login, or a feature requires another step first. Only this function can start a session:
    /// `SessionIssuer::create` is private to `core`.
    ///
    /// `epoch` is the one of the user's clients, read before. After a registration it does not matter.
    ///
    /// # Errors
    /// The refusal of the route if the account is inactive, or if the credentials have changed while they were checked; those
    /// of the policy.
    pub(crate) async fn sign_in(
        &self,
        user: &User,
        sign_in: SignIn,
        visitor: &Visitor,
        epoch: Epoch,
    ) -> Result<SignedIn, AuthError> {
        if !user.is_active() {
            return Err(sign_in.refusal());
        }
        let client = visitor.address();
        if let Err(refused) = self.policy.allows_login(&**user, client).await {
            self.events.emit(EventKind::LoginFailed, Some(user.id_text()), client).await;
            return Err(refused);
        }
        let request = SignInRequest { user, sign_in, visitor };
        for hook in &self.hooks {
            if let Some(step) = hook.before_session(self, &request).await? {
                return Ok(SignedIn::Step(step));
            }
        }
        self.require_second_factor(user, sign_in.proven)?;
        let session = self.sessions.create(&**user, sign_in.proven, visitor).await?;
        if !self.is_unchanged(user).await? {
            self.sessions.end(&session).await?;
            return Err(sign_in.refusal());
        }
        let credentials = self.sessions.issue(&session, &self.mark_of(&**user), 0)?;
        self.end_replaced_session(&session, visitor).await?;
        self.end_superseded_sessions(&**user, &session, client).await?;
        self.maintain_if_due();
        // A registration emits `auth.registered` instead: the new account's address is unproven.
        if sign_in.after != Entry::NewAccount {
            self.remember_client(&user.id_text(), client, epoch);
            let session_id = session.id().to_owned();
            self.events.emit(EventKind::Login { session_id }, Some(user.id_text()), client).await;
        }
        Ok(SignedIn::Session(credentials))
    }

    /// Fails if the user has a second factor that nothing has asked for, because its feature is off.
    fn require_second_factor(&self, user: &User, proven: Methods) -> Result<(), AuthError> {
        let is_missing = user.two_factor_confirmed_at().is_some() && !proven.has_second_factor();
        match self.config.two_factor.when_off {
            WhenOff::Refuse if is_missing => Err(AuthError::SecondFactorUnavailable),
            _ => Ok(()),
        }
    }

    /// Whether the user still has the credentials that were proven. The session's row exists already, so a change of the
    /// credentials that ends all sessions either ends this one, or is seen here.
    async fn is_unchanged(&self, proven: &User) -> Result<bool, AuthError> {
        let now = self.users.find_by_id(&proven.id_text()).await?;
        let mark = self.mark_of(&**proven);
        Ok(now.is_some_and(|now| now.is_active() && self.sessions.is_mark_of(&mark, &*now)))
    }
}
