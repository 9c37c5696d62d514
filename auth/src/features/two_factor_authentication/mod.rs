//! TWO_FACTOR_AUTHENTICATION: a second factor from an authenticator app, and recovery codes for users who lose it.
//!
//! **Needs** no provider.
//!
//! A pending secret is stored beside the confirmed one, so that an enrolment that is abandoned, or started by somebody
//! with a stolen token, changes nothing.

mod challenge;
mod challenge_token;
mod enrolment;
mod handlers;
mod hooks;
mod import;
mod one_time_codes;
mod proof;
mod recovery_codes;
mod stored_secrets;

pub use challenge::{PendingChallenge, TwoFactorChallengeService};
#[cfg(feature = "command")]
pub(super) use enrolment::of_settings;
pub use enrolment::{EnableOutcome, TwoFactorAuthenticationService};
pub use import::{ImportedTwoFactor, InvalidTwoFactor};

use crate::assurance::ChallengeMethod;
use crate::config::{AuthConfig, Limit, Settings};
use crate::core::By;
use crate::endpoint::{
    Confirmation, Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse,
    OptionCheck, ResponseCondition, RouterKind,
};
use crate::error::{AuthError, ErrorCode};
use crate::events::{EventKind, EventName};
use crate::feature::Feature;
use crate::module::{Admin, AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use challenge_token::ChallengeTokens;
use enrolment::{disabled, disabling_patch, is_off};
use hooks::TwoFactorHooks;

/// The limits of wrong codes, at the challenge and when a secret is confirmed.
const LIMITS: &[Limit] =
    &[Limit::TwoFactor, Limit::TwoFactorLong, Limit::ConsecutiveFailures, Limit::KnownClientLong];

/// The limits of confirming a secret: those of wrong codes, and that of all calls.
const CONFIRM_LIMITS: &[Limit] = &[
    Limit::TwoFactorCalls,
    Limit::TwoFactor,
    Limit::TwoFactorLong,
    Limit::ConsecutiveFailures,
    Limit::KnownClientLong,
];

/// What must be confirmed before a second factor is changed or shown.
const fn confirmation(settings: &Settings) -> Confirmation {
    let options = settings.two_factor;
    Confirmation { password: options.confirm_password, second_factor: options.confirm_with_code }
}

/// An endpoint that requires a recent confirmation.
const fn guarded(endpoint: Endpoint) -> Endpoint {
    endpoint
        .of(Feature::TwoFactorAuthentication)
        .requires(Credential::RecentConfirmation)
        .confirmed_by(confirmation)
        .limits(&[Limit::TwoFactorCalls])
}

const ENABLE: Endpoint =
    guarded(Endpoint::post("/user/two-factor-authentication", "enableTwoFactorAuthentication"))
        .summary("Creates a secret, which is pending until it is confirmed.")
        .takes(EndpointBody::Optional(&[EndpointField::optional("force", EndpointFieldKind::Bool)]))
        .returns(&[
            EndpointResponse::MESSAGE,
            EndpointResponse::CHANGED.when(ResponseCondition::Configured(
                "with `confirm` off",
                OptionCheck(|settings| !settings.two_factor.confirm),
            )),
        ])
        .emits(&[EventName::TwoFactorEnabled, EventName::RecoveryCodesGenerated, EventName::SessionEnded]);

const CONFIRM: Endpoint =
    guarded(Endpoint::post("/user/confirmed-two-factor-authentication", "confirmTwoFactorAuthentication"))
        .summary("Confirms the pending secret with a one-time code and ends the user's other sessions.")
        .takes(EndpointBody::Required(&[EndpointField::CODE]))
        .returns(&[EndpointResponse::CHANGED])
        .limits(CONFIRM_LIMITS)
        .emits(&[EventName::TwoFactorConfirmed, EventName::SessionEnded, EventName::Lockout])
        .refuses(&[ErrorCode::InvalidTwoFactorCode]);

const DISABLE: Endpoint =
    guarded(Endpoint::delete("/user/two-factor-authentication", "disableTwoFactorAuthentication"))
        .summary("Disables two-factor authentication and ends the user's other sessions.")
        .returns(&[EndpointResponse::CHANGED])
        .emits(&[EventName::TwoFactorDisabled, EventName::SessionEnded]);

const QR_CODE: Endpoint = guarded(Endpoint::get("/user/two-factor-qr-code", "twoFactorQrCode"))
    .summary("Returns the secret as a QR code and as an `otpauth` URL.")
    .returns(&[EndpointResponse::object(
        "QrCode",
        &[
            EndpointField::required("svg", EndpointFieldKind::Svg),
            EndpointField::required("url", EndpointFieldKind::Uri),
        ],
    )])
    .emits(&[EventName::TwoFactorSecretShown])
    .refuses(&[ErrorCode::TwoFactorNotEnabled]);

const SECRET_KEY: Endpoint = guarded(Endpoint::get("/user/two-factor-secret-key", "twoFactorSecretKey"))
    .summary("Returns the secret in base32, for users who cannot scan the QR code.")
    .returns(&[EndpointResponse::object(
        "SecretKey",
        &[EndpointField::required("secretKey", EndpointFieldKind::Base32)],
    )])
    .emits(&[EventName::TwoFactorSecretShown])
    .refuses(&[ErrorCode::TwoFactorNotEnabled]);

const RECOVERY_CODES: Endpoint =
    guarded(Endpoint::get("/user/two-factor-recovery-codes", "twoFactorRecoveryCodes"))
        .summary("Returns the recovery codes.")
        .returns(&[EndpointResponse::list(
            "RecoveryCodes",
            EndpointFieldKind::RecoveryCode,
            "an array of the 8 codes; `[]` while two-factor authentication is off",
        )]);

const REGENERATE: Endpoint =
    guarded(Endpoint::post("/user/two-factor-recovery-codes", "regenerateTwoFactorRecoveryCodes"))
        .summary("Replaces all recovery codes.")
        .returns(&[EndpointResponse::list(
            "NewRecoveryCodes",
            EndpointFieldKind::RecoveryCode,
            "an array of the 8 new codes",
        )])
        .emits(&[EventName::RecoveryCodesGenerated])
        .refuses(&[ErrorCode::TwoFactorNotEnabled]);

const PROVE: Endpoint = Endpoint::post("/user/confirm-two-factor", "proveTwoFactor")
    .of(Feature::TwoFactorAuthentication)
    .summary("Proves the second factor in this session; the password stays as confirmed as it is.")
    .requires(Credential::Session)
    .takes(EndpointBody::Required(&[EndpointField::CODE_OPTIONAL, EndpointField::RECOVERY_CODE]))
    .returns(&[EndpointResponse::CONFIRMED])
    .changes_cookies()
    .limits(LIMITS)
    .emits(&[
        EventName::Confirmed,
        EventName::ValidTwoFactorCode,
        EventName::RecoveryCodeReplaced,
        EventName::TwoFactorFailed,
        EventName::Lockout,
    ])
    .refuses(&[
        ErrorCode::TwoFactorNotEnabled,
        ErrorCode::InvalidTwoFactorCode,
        ErrorCode::InvalidRecoveryCode,
    ]);

const CHALLENGE: Endpoint = Endpoint::post("/two-factor-challenge", "twoFactorChallenge")
    .of(Feature::TwoFactorAuthentication)
    .summary("Completes a login with a one-time code or a recovery code, and starts a session.")
    .takes(EndpointBody::Required(&[
        EndpointField::CHALLENGE_TOKEN,
        EndpointField::CODE_OPTIONAL,
        EndpointField::RECOVERY_CODE,
        EndpointField::TRUST_DEVICE,
    ]))
    .returns(&[EndpointResponse::SIGNED_IN, EndpointResponse::SIGNED_IN_ON_DEVICE])
    .limits(LIMITS)
    .emits(&[
        EventName::Login,
        EventName::EmailVerified,
        EventName::ValidTwoFactorCode,
        EventName::RecoveryCodeReplaced,
        EventName::TwoFactorFailed,
        EventName::SessionEnded,
        EventName::DeviceTrusted,
        EventName::Lockout,
    ])
    .refuses(&[
        ErrorCode::InvalidChallengeToken,
        ErrorCode::InvalidTwoFactorCode,
        ErrorCode::InvalidRecoveryCode,
        ErrorCode::NotAllowed,
    ]);

/// The challenge in a module in which a passkey completes it, too.
const PENDING_CHALLENGE: Endpoint = Endpoint::get("/two-factor-challenge", "pendingTwoFactorChallenge")
    .of(Feature::TwoFactorAuthentication)
    .only_on(RouterKind::Browser)
    .summary("Returns with what the challenge of the browser can be completed, and where the browser goes afterwards.")
    .returns(&[EndpointResponse::object(
        "PendingChallenge",
        &[
            EndpointField::required(
                "methods",
                EndpointFieldKind::List(&EndpointFieldKind::OneOf(ChallengeMethod::NAMES)),
            ),
            EndpointField::required("next", EndpointFieldKind::OrNull(&EndpointFieldKind::Text)),
        ],
    )])
    .refuses(&[ErrorCode::InvalidChallengeToken]);

const CHALLENGE_WITH_PASSKEY: Endpoint = CHALLENGE
    .summary("Completes a login with a one-time code, a recovery code or a passkey, and starts a session.")
    .takes(EndpointBody::Required(&[
        EndpointField::CHALLENGE_TOKEN,
        EndpointField::CODE_OPTIONAL,
        EndpointField::RECOVERY_CODE,
        EndpointField::optional("flowToken", EndpointFieldKind::NonEmptyText),
        EndpointField::optional("credential", EndpointFieldKind::AnyObject),
        EndpointField::TRUST_DEVICE,
    ]))
    .emits(&[
        EventName::Login,
        EventName::EmailVerified,
        EventName::ValidTwoFactorCode,
        EventName::RecoveryCodeReplaced,
        EventName::TwoFactorFailed,
        EventName::PasskeyCounterRegressed,
        EventName::SessionEnded,
        EventName::DeviceTrusted,
        EventName::Lockout,
    ])
    .refuses(&[
        ErrorCode::InvalidChallengeToken,
        ErrorCode::InvalidTwoFactorCode,
        ErrorCode::InvalidRecoveryCode,
        ErrorCode::InvalidFlowToken,
        ErrorCode::InvalidPasskey,
        ErrorCode::NotAllowed,
    ]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// TWO_FACTOR_AUTHENTICATION: the `/user/two-factor-*` routes and `POST /two-factor-challenge`. It needs no provider.
    pub fn two_factor_authentication(self) -> Self {
        let [enrolment, challenge] = pending(self.config());
        self.mount(enrolment).mount(challenge)
    }
}

fn pending(config: &AuthConfig) -> [Pending; 2] {
    let tokens = ChallengeTokens::new(config);
    let hooks = TwoFactorHooks { tokens: tokens.clone() };
    let enrolment = Pending::new(TwoFactorAuthenticationService::new).with_hooks(hooks);
    [enrolment, Pending::new(|core| TwoFactorChallengeService::new(core, tokens))]
}

impl<U: AuthUser> Admin<'_, U> {
    /// Disables a user's second factor and ends every session: for a user who has lost both the app and the recovery
    /// codes. The host must make sure that the request comes from the user.
    ///
    /// # Errors
    /// Those of the repositories; [`AuthError::Internal`] when there is no such user.
    pub async fn reset_two_factor(&self, user_id: &U::Id) -> Result<(), AuthError> {
        let (core, user) = (self.core(), self.user(user_id).await?);
        core.users.save(disabling_patch(&*user)).await?;
        core.emit_about(EventKind::TwoFactorDisabled, &*user, By::Administrator).await;
        self.end_all_sessions(user_id).await.map(drop)
    }
}
