//! Login, refresh and logout. Always enabled.
//!
//! **Needs** the user repository.

mod handlers;
mod service;

pub use service::LoginService;

use crate::config::Limit;
use crate::endpoint::{
    Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse, RouterKind,
};
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::module::Pending;

/// The limits of a login, in the order in which their slots are taken.
const LOGIN_LIMITS: &[Limit] = &[
    Limit::LoginClient,
    Limit::LoginAccountAndClient,
    Limit::LoginAccount,
    Limit::ConsecutiveFailures,
    Limit::KnownClientLong,
];

const LOGIN: Endpoint = Endpoint::post("/login", "login")
    .asks_policy()
    .summary("Starts a session for an e-mail address and its password.")
    .takes(EndpointBody::Required(&[
        EndpointField::EMAIL,
        EndpointField::PASSWORD,
        EndpointField::REMEMBER,
        EndpointField::DEVICE_TOKEN,
    ]))
    .returns(&[EndpointResponse::SIGNED_IN, EndpointResponse::CHALLENGED])
    .limits(LOGIN_LIMITS)
    .emits(&[
        EventName::Login,
        EventName::LoginFailed,
        EventName::TwoFactorChallenged,
        EventName::SessionEnded,
        EventName::Lockout,
    ])
    .refuses(&[
        ErrorCode::InvalidCredentials,
        ErrorCode::SecondFactorUnavailable,
        ErrorCode::NotAllowed,
        ErrorCode::Overloaded,
    ]);

/// In a module whose users have user names, a login has the address or the user name.
const LOGIN_BY_NAME: Endpoint = LOGIN
    .summary("Starts a session for an e-mail address or a user name, and the password of its account.")
    .takes(EndpointBody::Required(&[
        EndpointField::optional("email", EndpointFieldKind::EmailAddress),
        EndpointField::optional("username", EndpointFieldKind::Text),
        EndpointField::PASSWORD,
        EndpointField::REMEMBER,
        EndpointField::DEVICE_TOKEN,
    ]));

const REFRESH: Endpoint = Endpoint::post("/refresh", "refresh")
    .only_on(RouterKind::Bearer)
    .summary("Exchanges a refresh token for a new pair of tokens.")
    .takes(EndpointBody::Required(&[EndpointField::REFRESH_TOKEN]))
    .returns(&[EndpointResponse::object(
        "Tokens",
        &[EndpointField::ACCESS_TOKEN, EndpointField::REFRESH_TOKEN],
    )])
    .emits(&[EventName::RefreshTokenReused])
    .refuses(&[ErrorCode::InvalidRefreshToken, ErrorCode::RefreshTokenReused]);

const LOGOUT: Endpoint = Endpoint::post("/logout", "logout")
    .summary("Ends the session: its tokens are 401 from then on.")
    .requires(Credential::Session)
    .requires_in_browser(Credential::Optional)
    .changes_cookies()
    .emits(&[EventName::Logout]);

pub(super) fn pending() -> Pending {
    Pending::new(LoginService::new)
}
