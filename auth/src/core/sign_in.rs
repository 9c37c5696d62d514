//! The one way to a session (specification §11.1).

use super::hooks::{SignInRequest, Step};
use super::{Core, TokenPair};
use crate::client::ClientAddress;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::User;

/// What somebody has proven who is about to get a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignIn {
    /// The account was created by this request.
    NewAccount,
    /// The account's password is known.
    Password,
    /// The account's password is known, and so is its second factor.
    PasswordAndSecondFactor,
}

/// Where a sign-in leads. It has no `Debug`, because both values are secrets.
#[non_exhaustive]
pub enum SignedIn {
    /// To a session.
    Session(TokenPair),
    /// To a step that must be completed before a session starts.
    Step(Step),
}

impl SignIn {
    /// How an account that may not be used is refused. A login must not reveal that the password was right.
    fn refusal(self) -> AuthError {
        match self {
            Self::NewAccount => AuthError::Unauthenticated,
            Self::Password => AuthError::InvalidCredentials,
            Self::PasswordAndSecondFactor => AuthError::InvalidChallengeToken,
        }
    }
}

impl Core {
    /// Starts a session for a user who has proven who they are, unless the account may not be used or a feature
    /// requires another step first. Nothing else can start a session: `Sessions::start` is private to this module.
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
        // A registration has an event of its own, `auth.registered`.
        if sign_in != SignIn::NewAccount {
            let session_id = pair.session_id.clone();
            self.events.emit(EventKind::Login { session_id }, Some(user.id_text()), client);
        }
        Ok(SignedIn::Session(pair))
    }
}
