//! What a request to an endpoint can lead to: the events and the errors, from what the endpoint declares.

use super::{Credential, Endpoint, EndpointBody, EndpointFieldKind, EndpointMethod, RouterKind};
use crate::error::ErrorCode;
use crate::events::EventName;

/// The events that tell of the end of sessions.
const ENDS_SESSIONS: &[EventName] = &[
    EventName::Logout,
    EventName::SessionEnded,
    EventName::RefreshTokenReused,
    EventName::PasswordReset,
    EventName::InvitationAccepted,
    EventName::AccountReclaimed,
];

/// What every endpoint may return.
const ALWAYS: &[ErrorCode] = &[ErrorCode::MethodNotAllowed, ErrorCode::InternalError, ErrorCode::Unavailable];

impl Endpoint {
    /// Every event that a request may emit: those of the endpoint's own, those of an account that its owner takes back, and the one of an
    /// impersonated session, which can be among the sessions that end.
    pub fn events(&self) -> impl Iterator<Item = EventName> {
        let mut all = [self.own_events, self.consequence.events()].concat();
        if all.iter().any(|event| ENDS_SESSIONS.contains(event)) {
            all.push(EventName::ImpersonationEnded);
        }
        let mut events = EventName::ALL.to_vec();
        events.retain(|event| all.contains(event));
        events.into_iter()
    }

    /// Every error code that the endpoint can return: its own, and those that follow from its credential, its body and
    /// its limits.
    pub fn errors(&self) -> impl Iterator<Item = ErrorCode> {
        self.errors_with(self.credential, &[])
    }

    /// Every error code that the endpoint can return on one of the routers.
    pub fn errors_on(&self, router: RouterKind) -> impl Iterator<Item = ErrorCode> {
        // Browsers may follow links from other sites; everything else they may not send from there.
        let is_checked = router == RouterKind::Browser && self.method != EndpointMethod::Get;
        let of_router: &[ErrorCode] = if is_checked { &[ErrorCode::CrossOriginRequest] } else { &[] };
        self.errors_with(self.credential_on(router), of_router)
    }

    fn errors_with(
        &self,
        credential: Credential,
        of_router: &[ErrorCode],
    ) -> impl Iterator<Item = ErrorCode> {
        use ErrorCode as E;
        let credential: &[ErrorCode] = match credential {
            Credential::NotRequired | Credential::Optional => &[],
            Credential::Session => &[E::Unauthenticated],
            Credential::RecentConfirmation | Credential::ConfirmationWithoutPassword => {
                &[E::Unauthenticated, E::PasswordConfirmationRequired]
            }
        };
        let body: &[ErrorCode] = match self.body {
            EndpointBody::None => &[],
            EndpointBody::Optional(_) | EndpointBody::Required(_) | EndpointBody::Extensible(_) => {
                &[E::MalformedRequest, E::PayloadTooLarge, E::UnsupportedMediaType, E::ValidationFailed]
            }
        };
        let of_own_session: &[ErrorCode] =
            if self.is_for_impersonated() { &[] } else { &[E::NotWhileImpersonating] };
        let limits: &[ErrorCode] = if self.limits.is_empty() { &[] } else { &[E::TooManyAttempts] };
        let is_sign_in = self.own_events.contains(&EventName::Login);
        let sign_in: &[ErrorCode] = if is_sign_in { &[E::AccountPendingDeletion] } else { &[] };
        let gives_username = self.body.fields().iter().any(|field| field.kind == EndpointFieldKind::Username);
        let username: &[ErrorCode] = if gives_username { &[E::UsernameTaken] } else { &[] };
        let policy: &[ErrorCode] = if self.asks_policy { &[E::NotAllowed] } else { &[] };
        let all = [
            credential,
            of_own_session,
            policy,
            body,
            limits,
            sign_in,
            username,
            ALWAYS,
            self.own_errors,
            of_router,
        ]
        .concat();
        let mut codes = E::ALL.to_vec();
        codes.retain(|code| all.contains(code));
        codes.into_iter()
    }
}
