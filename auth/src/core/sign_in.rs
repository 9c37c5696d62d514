//! Sign-in: the only way to start a session (specification §11.1).

use super::hooks::{SignInRequest, Step};
use super::{Core, TokenPair};
use crate::client::ClientAddress;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::User;

/// What the user has proven before the session starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignIn {
    /// The account was created by this request.
    NewAccount,
    /// The account's password.
    Password,
    /// The account's password and its second factor.
    PasswordAndSecondFactor,
}

/// The result of a sign-in. It has no `Debug`, because both values are secrets.
#[non_exhaustive]
pub enum SignedIn {
    /// A session has started.
    Session(TokenPair),
    /// This step must be completed before a session starts.
    Step(Step),
}

impl SignIn {
    /// The error for an inactive account. It must not reveal that the password was correct.
    fn refusal(self) -> AuthError {
        match self {
            Self::NewAccount => AuthError::Unauthenticated,
            Self::Password => AuthError::InvalidCredentials,
            Self::PasswordAndSecondFactor => AuthError::InvalidChallengeToken,
        }
    }
}

impl Core {
    /// Starts a session for a user who has proven their identity, unless the account is inactive or a feature requires
    /// another step first. Only this function can start a session: `Sessions::start` is private to `core`.
    pub(crate) async fn sign_in(
        &self,
        user: &User,
        sign_in: SignIn,
        client: ClientAddress,
    ) -> Result<SignedIn, AuthError> {
        if !user.is_active() {
            return Err(sign_in.refusal());
        }
        let request = SignInRequest { user, sign_in, client };
        for hook in &self.hooks {
            if let Some(step) = hook.before_session(self, &request).await? {
                return Ok(SignedIn::Step(step));
            }
        }
        let pair = self.sessions.start(&**user).await?;
        for hook in &self.hooks {
            hook.session_started(self, &**user, &pair.session_id).await?;
        }
        // A registration has its own event, `auth.registered`.
        if sign_in != SignIn::NewAccount {
            let session_id = pair.session_id.clone();
            self.events.emit(EventKind::Login { session_id }, Some(user.id_text()), client);
        }
        Ok(SignedIn::Session(pair))
    }
}
