//! New accounts: what the registrations of all features share.

use super::{Core, Lease, Method, Methods, SignedIn};
use crate::actions::ActionError;
use crate::client::{ClientAddress, Visitor};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::User;
use crate::values::{EmailAddress, UserName};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Somebody without an account who has proven that an address is theirs.
#[derive(Clone)]
pub(crate) struct Newcomer {
    pub(crate) email: EmailAddress,
    /// The name, if the proof has it.
    pub(crate) name: Option<UserName>,
    /// How the address was proven.
    pub(crate) by: Method,
    /// The identity at a provider that has proven it, which the account gets.
    pub(crate) identity: Option<ProvenIdentity>,
}

/// An identity that a provider has proven.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProvenIdentity {
    /// The name of the provider.
    #[serde(rename = "p")]
    pub(crate) provider: String,
    /// The issuer of its subjects.
    #[serde(rename = "i")]
    pub(crate) issuer: String,
    /// What the issuer calls the user.
    #[serde(rename = "s")]
    pub(crate) subject: String,
}

/// An identity of a user at a provider, as the user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkedIdentity {
    /// The id, by which it is unlinked. It is not a secret.
    pub id: String,
    /// The name of the provider.
    pub provider: String,
    /// The address that the provider has told last. It is not that of the account.
    pub email: Option<String>,
}

/// The result of a sign-in that proves an address: by mail, or with a provider. It has no `Debug`, because all variants have secrets.
#[non_exhaustive]
pub enum SignInOutcome {
    /// There is an account. A session has started, or a step is required first.
    #[non_exhaustive]
    Known {
        /// The session or the step.
        signed_in: SignedIn,
        /// Whether the account had a password, and has none now: nobody had proven its address before, so somebody else may have
        /// made the account.
        password_removed: bool,
    },
    /// There is no account, and something must be asked for before one is created (PASSWORDLESS_REGISTRATION).
    Registration(RegistrationStarted),
    /// An account was created, and its first session has started (PASSWORDLESS_REGISTRATION).
    Registered(SignedIn),
}

/// A registration that a browser has begun with a provider, and can complete.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingRegistration {
    /// The name of the provider.
    pub provider: String,
    /// The address that was proven.
    pub email: String,
    /// The name, if the provider has told it.
    pub name: Option<String>,
    /// What must be known before the account is created: the fields of
    /// [`asks_for`](crate::actions::CreatesPasswordlessUsers::asks_for) that are missing, and `username` if every user has a user name.
    pub asks_for: Vec<&'static str>,
}

/// What the proof of an address leads to for somebody without an account.
pub(crate) enum Newcomers {
    /// Something must be asked for before the account is created.
    Asked(RegistrationStarted),
    /// The account was created, and its first session has started.
    Registered(SignedIn),
}

/// A registration that needs something more of the user, such as a name.
#[derive(Clone)]
#[non_exhaustive]
pub struct RegistrationStarted {
    /// The registration token, which the client sends to `POST /register/passwordless`. The token is a secret, because it creates the
    /// account of the address.
    pub registration_token: String,
    /// For how many seconds the token is valid.
    pub expires_in: u64,
    /// The address that was proven.
    pub email: String,
    /// The name, if it is known already.
    pub name: Option<String>,
}

/// Shows no token.
impl fmt::Debug for RegistrationStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistrationStarted").field("expires_in", &self.expires_in).finish_non_exhaustive()
    }
}

impl Core {
    /// Whether somebody without an account can create one by proving an address.
    pub(crate) fn registers_newcomers(&self) -> bool {
        self.hooks.iter().any(|hook| hook.registers_newcomers())
    }

    /// Begins or completes the registration of somebody who has proven an address that no account has. `None` if no feature creates
    /// such accounts.
    ///
    /// # Errors
    /// [`AuthError::TooManyAttempts`]; those of the action and of [`sign_in`](Self::sign_in).
    pub(crate) async fn register_newcomer(
        &self,
        newcomer: &Newcomer,
        visitor: &Visitor,
    ) -> Result<Option<Newcomers>, AuthError> {
        for hook in &self.hooks {
            if let Some(registered) = hook.newcomer_arrived(self, newcomer, visitor).await? {
                return Ok(Some(registered));
            }
        }
        Ok(None)
    }

    /// Waits for the turn of an identity that a newcomer's account shall get.
    ///
    /// # Errors
    /// [`AuthError::IdentityTaken`] if an account has the identity; [`AuthError::InvalidFlowToken`] if its provider is not configured any
    /// more; those of the repository and the store.
    pub(crate) async fn begin_newcomer(
        &self,
        identity: Option<&ProvenIdentity>,
    ) -> Result<Option<Lease>, AuthError> {
        let Some(identity) = identity else { return Ok(None) };
        for hook in &self.hooks {
            if let Some(lease) = hook.newcomer_registering(self, identity).await {
                return lease.map(Some);
            }
        }
        Err(AuthError::InvalidFlowToken)
    }

    /// Gives a newcomer's account the identity that has proven its address. Returns the id of the identity's row.
    ///
    /// # Errors
    /// [`AuthError::IdentityTaken`]; those of the repository.
    pub(crate) async fn link_newcomer(
        &self,
        user: &User,
        identity: &ProvenIdentity,
        client: ClientAddress,
    ) -> Result<Option<String>, AuthError> {
        for hook in &self.hooks {
            if let Some(id) = hook.newcomer_registered(self, user, identity, client).await? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// What a registration token begins that came from a provider. `None` if the token is not valid, or was used.
    ///
    /// # Errors
    /// Those of the store.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(crate) async fn pending_registration(
        &self,
        token: &str,
    ) -> Result<Option<PendingRegistration>, AuthError> {
        for hook in &self.hooks {
            if let Some(pending) = hook.pending_registration(self, token).await? {
                return Ok(Some(pending));
            }
        }
        Ok(None)
    }

    /// Has the host create a user with this address, who has proven these methods, and announces the user.
    ///
    /// # Errors
    /// Those of the action; [`AuthError::EmailTaken`] if it has returned a user who was there before.
    pub(crate) async fn create_account(
        &self,
        email: &EmailAddress,
        methods: Methods,
        create: impl Future<Output = Result<User, ActionError>>,
        client: ClientAddress,
    ) -> Result<User, AuthError> {
        if self.is_reserved(email.as_str(), None).await? {
            return Err(AuthError::EmailTaken);
        }
        let before = self.users.find_by_email(email.as_str()).await?;
        let user = create.await?;
        is_new(&user, email, before.as_ref())?;
        self.events.emit(EventKind::Registered { methods }, Some(user.id_text()), client).await;
        Ok(user)
    }
}

/// Fails if the host's action has not created this user. An action that returns one who was there before would log anybody in as
/// that user.
fn is_new(user: &User, email: &EmailAddress, before: Option<&User>) -> Result<(), AuthError> {
    if before.is_some_and(|before| before.id_text() == user.id_text()) {
        return Err(AuthError::EmailTaken);
    }
    let has_address = user.email().eq_ignore_ascii_case(email.as_str());
    match has_address && user.two_factor_confirmed_at().is_none() {
        true => Ok(()),
        false => Err(AuthError::internal("the action that creates users has returned another user")),
    }
}
