//! Confirming the password again before something sensitive ("step-up"). Always enabled.
//!
//! **Needs** the user repository.

mod handlers;
mod service;

pub use service::{PasswordConfirmationService, SignInMethods};

use crate::assurance::{ChallengeMethod, Proof};
use crate::config::Limit;
use crate::endpoint::{
    Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse,
};
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::module::Pending;

/// The limits of the password, and of a code beside it.
const CONFIRM_LIMITS: &[Limit] = &[
    Limit::ConfirmPassword,
    Limit::ConfirmPasswordLong,
    Limit::TwoFactor,
    Limit::TwoFactorLong,
    Limit::ConsecutiveFailures,
    Limit::KnownClientLong,
];

const CONFIRM: Endpoint = Endpoint::post("/user/confirm-password", "confirmPassword")
    .summary("Confirms the password in this session, and the second factor if a code is sent.")
    .requires(Credential::Session)
    .takes(EndpointBody::Required(&[
        EndpointField::PASSWORD,
        EndpointField::CODE_OPTIONAL,
        EndpointField::RECOVERY_CODE,
    ]))
    .returns(&[EndpointResponse::CONFIRMED])
    .changes_cookies()
    .limits(CONFIRM_LIMITS)
    .emits(&[
        EventName::Confirmed,
        EventName::ValidTwoFactorCode,
        EventName::RecoveryCodeReplaced,
        EventName::TwoFactorFailed,
        EventName::Lockout,
    ])
    .refuses(&[
        ErrorCode::IncorrectPassword,
        ErrorCode::InvalidTwoFactorCode,
        ErrorCode::InvalidRecoveryCode,
        ErrorCode::Overloaded,
    ]);

const STATUS: Endpoint = Endpoint::get("/user/confirmed-password-status", "confirmedPasswordStatus")
    .summary("Returns whether the password was confirmed recently, and what the user can prove; `?seconds=n` shortens the window.")
    .requires(Credential::Session)
    .query(&[EndpointField::optional("seconds", EndpointFieldKind::Number)])
    .returns(&[EndpointResponse::object(
        "ConfirmationStatus",
        &[
            EndpointField::required("confirmed", EndpointFieldKind::Bool),
            EndpointField::required("methods", EndpointFieldKind::List(&EndpointFieldKind::OneOf(Proof::NAMES))),
        ],
    )])
    .refuses(&[ErrorCode::ValidationFailed]);

const SIGN_IN_METHODS: Endpoint = Endpoint::get("/user/sign-in-methods", "signInMethods")
    .summary("Returns with what the user can sign in, and what the user can prove in this session.")
    .requires(Credential::Session)
    .with_other_ways_in()
    .returns(&[EndpointResponse::object(
        "SignInMethods",
        &[
            EndpointField::required("password", EndpointFieldKind::Bool),
            EndpointField::required("passkeys", EndpointFieldKind::Number),
            EndpointField::required(
                "identities",
                EndpointFieldKind::List(&EndpointFieldKind::Object(&[
                    EndpointField::required("id", EndpointFieldKind::Text),
                    EndpointField::required("provider", EndpointFieldKind::Text),
                    EndpointField::required("email", EndpointFieldKind::OrNull(&EndpointFieldKind::Text)),
                ])),
            ),
            EndpointField::required("email", EndpointFieldKind::Bool),
            EndpointField::required(
                "twoFactor",
                EndpointFieldKind::Object(&[
                    EndpointField::required("enabled", EndpointFieldKind::Bool),
                    EndpointField::required(
                        "methods",
                        EndpointFieldKind::List(&EndpointFieldKind::OneOf(ChallengeMethod::NAMES)),
                    ),
                ]),
            ),
            EndpointField::required(
                "confirmWith",
                EndpointFieldKind::List(&EndpointFieldKind::OneOf(Proof::NAMES)),
            ),
        ],
    )]);

pub(super) fn pending() -> Pending {
    Pending::new(PasswordConfirmationService::new)
}
