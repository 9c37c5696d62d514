//! TWO_FACTOR_AUTHENTICATION: a second factor from an authenticator app, and recovery codes for when it is lost.
//!
//! | route | takes | answers |
//! |---|---|---|
//! | `POST /user/two-factor-authentication` | `force`, optional | 200 `{message}`: a new secret, pending until it is confirmed |
//! | `POST /user/confirmed-two-factor-authentication` | `code` | 200 `{message, accessToken, refreshToken}`; the user's other sessions end |
//! | `DELETE /user/two-factor-authentication` | | 200 `{message, accessToken, refreshToken}`; the user's other sessions end |
//! | `GET /user/two-factor-qr-code` | | 200 `{svg, url}` |
//! | `GET /user/two-factor-secret-key` | | 200 `{secretKey}` |
//! | `GET /user/two-factor-recovery-codes` | | 200, the 8 codes; `[]` when two-factor is off |
//! | `POST /user/two-factor-recovery-codes` | | 200, 8 new codes |
//! | `POST /two-factor-challenge` | `challengeToken`, and `code` or `recoveryCode` | 200 `{twoFactor: false, accessToken, refreshToken}` |
//!
//! All but the last take a bearer token, and a recently confirmed password unless `confirm_password` is off.
//!
//! **Needs** no provider.
//! **Refuses** with `unauthenticated`, `password_confirmation_required`, `validation_failed`, `two_factor_not_enabled`,
//! `invalid_challenge_token`, `invalid_two_factor_code`, `invalid_recovery_code`.
//! **Limits** wrong codes of an account, at the challenge and at confirming.
//! **Emits** `auth.two-factor-enabled`, `auth.two-factor-confirmed`, `auth.two-factor-disabled`,
//! `auth.recovery-codes-generated`, `auth.recovery-code-replaced`, `auth.valid-two-factor-code`,
//! `auth.two-factor-failed`, `auth.login`, `auth.lockout`.
//!
//! A secret that is pending stands beside the one that is confirmed, so that a new enrolment, begun and abandoned or
//! begun by somebody with a stolen token, takes nothing away.

mod challenge;
mod codes;
mod documents;
mod handlers;
mod payload;
mod recovery;
mod service;

use crate::http::Route;
use crate::user::AuthUser;
use axum::routing::{get, post};
pub use challenge::{Proof, TwoFactorChallengeService};
pub(crate) use service::off;
pub use service::{Enabled, TwoFactorAuthenticationService};

pub(crate) fn routes<U: AuthUser>(
    service: &TwoFactorAuthenticationService<U>,
    challenge: &TwoFactorChallengeService<U>,
) -> Vec<Route> {
    let enrolment = post(handlers::enable).delete(handlers::disable);
    let recovery_codes = get(handlers::recovery_codes).post(handlers::regenerate);
    let confirmed = post(handlers::confirm);
    vec![
        Route::new("/user/two-factor-authentication", enrolment.with_state(service.clone())),
        Route::new("/user/confirmed-two-factor-authentication", confirmed.with_state(service.clone())),
        Route::new("/user/two-factor-qr-code", get(handlers::qr_code).with_state(service.clone())),
        Route::new("/user/two-factor-secret-key", get(handlers::secret_key).with_state(service.clone())),
        Route::new("/user/two-factor-recovery-codes", recovery_codes.with_state(service.clone())),
        Route::new("/two-factor-challenge", post(handlers::challenge).with_state(challenge.clone())),
    ]
}
