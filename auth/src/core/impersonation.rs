//! Sessions in which somebody acts for a user (specification §33).

use super::session::{Session, Start};
use super::{By, Core, Credentials, Identity, Methods, SessionClaims};
use crate::client::Visitor;
use crate::error::{AuthError, FieldCollector, FieldErrors, FieldText};
use crate::events::EventKind;
use crate::policy::not_allowed;
use crate::user::User;
use std::time::SystemTime;

/// The most characters of the name of an actor, and of a reason.
const ACTOR_CHARACTERS: usize = 100;
const REASON_CHARACTERS: usize = 200;

/// Who acts for a user, as [`Admin::impersonate`](crate::Admin::impersonate) is told: an administrator of the host by name, or the user
/// of a session. A session in which somebody acts for a user already begins no other one.
///
/// ```
/// use axum_auth_module::Impersonator;
///
/// let by_name = Impersonator::from("support@example.com");
/// # use axum_auth_module::Claims;
/// # fn of_session<U>(claims: &Claims<U>) -> Impersonator {
/// // `claims: Claims<Account>` of the administrator's own session: the actor is the id of its user.
/// let in_session = Impersonator::from(claims);
/// # in_session }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impersonator {
    name: String,
    is_impersonated: bool,
}

impl From<&str> for Impersonator {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl From<String> for Impersonator {
    fn from(name: String) -> Self {
        Self { name, is_impersonated: false }
    }
}

impl From<&SessionClaims> for Impersonator {
    fn from(claims: &SessionClaims) -> Self {
        Self { name: claims.user_id().to_owned(), is_impersonated: claims.actor().is_some() }
    }
}

impl From<&Identity> for Impersonator {
    fn from(who: &Identity) -> Self {
        (&who.session).into()
    }
}

/// Reads a text of one line with 1 to so many characters.
fn line(field: &'static str, text: &str, most: usize) -> Result<String, FieldErrors> {
    let text = text.trim();
    if text.is_empty() {
        return Err(FieldErrors::standard(field, FieldText::Required));
    }
    if text.chars().count() > most {
        return Err(FieldErrors::standard_with(field, FieldText::TooLong, most));
    }
    if text.chars().any(char::is_control) {
        return Err(FieldErrors::standard(field, FieldText::ControlCharacters));
    }
    Ok(text.to_owned())
}

impl Core {
    /// Starts a session in which the actor acts for the user: nothing is proven in it, and it is none of the user's own. Returns the time of its
    /// end, too.
    ///
    /// # Errors
    /// [`AuthError::ValidationFailed`] for the actor's name and the reason; [`AuthError::NotWhileImpersonating`];
    /// [`AuthError::NotAllowed`] if the actor is the user, if the user is suspended or is going to be deleted, and if the policy does not
    /// allow it.
    pub(crate) async fn impersonate(
        &self,
        actor: &Impersonator,
        user: &User,
        reason: &str,
        visitor: &Visitor,
    ) -> Result<(Credentials, SystemTime), AuthError> {
        let mut read = FieldCollector::default();
        let name = read.take(line("actor", &actor.name, ACTOR_CHARACTERS));
        let reason = read.take(line("reason", reason, REASON_CHARACTERS));
        let (name, reason) = read.finish(name.zip(reason))?;
        if actor.is_impersonated {
            return Err(AuthError::NotWhileImpersonating);
        }
        if name == user.id_text() {
            return Err(not_allowed("oneself"));
        }
        self.policy.allows_impersonation(&name, &**user).await?;
        if self.usable(Some(user.clone())).await?.is_none() {
            return Err(not_allowed("inactive"));
        }
        let start = Start { proven: Methods::default(), device: None, actor: Some(name.clone()) };
        let session = self.sessions.create(&**user, start, visitor).await?;
        // After the row was written, so what ends the account's sessions either ends this one, or is seen here.
        let is_unchanged = self.is_usable_as(user).await;
        if !matches!(is_unchanged, Ok(true)) {
            self.sessions.end(&session).await?;
        }
        if !is_unchanged? {
            return Err(not_allowed("inactive"));
        }
        let credentials = self.sessions.issue(&session, &self.mark_of(&**user), 0)?;
        self.end_replaced_session(&session, visitor).await?;
        self.maintain_if_due();
        let session_id = session.id().to_owned();
        let started = EventKind::ImpersonationStarted { session_id, actor: name, reason };
        self.emit_about(started, &**user, By::Administrator).await;
        Ok((credentials, session.latest_end(&self.config)))
    }

    /// Whether the user has the credentials of this record, and is neither suspended nor going to be deleted.
    async fn is_usable_as(&self, user: &User) -> Result<bool, AuthError> {
        let mark = self.mark_of(&**user);
        let now = self.users.find_by_id(&user.id_text()).await?;
        let now = self.usable(now).await?;
        Ok(now.is_some_and(|now| self.is_mark_of(&mark, &*now)))
    }

    /// Emits the event of the end of a session in which somebody has acted for a user.
    pub(super) async fn impersonation_has_ended(
        &self,
        user_id: &str,
        session_id: &str,
        actor: Option<&str>,
        by: By,
    ) {
        let Some(actor) = actor else { return };
        let ended =
            EventKind::ImpersonationEnded { session_id: session_id.to_owned(), actor: actor.to_owned() };
        self.events.emit_by(ended, Some(user_id.to_owned()), by).await;
    }
}

impl Identity {
    /// Fails in an impersonated session.
    ///
    /// # Errors
    /// [`AuthError::NotWhileImpersonating`].
    pub(crate) fn require_own_session(&self) -> Result<(), AuthError> {
        match self.session.actor() {
            None => Ok(()),
            Some(_) => Err(AuthError::NotWhileImpersonating),
        }
    }
}

impl Session {
    /// Whether the user has started the session.
    pub(super) fn is_own(&self) -> bool {
        self.actor().is_none()
    }
}
