//! The authenticator app of a user.

use crate::clock::unix_seconds;
use crate::core::Core;
use crate::crypto::totp::{STEP, TotpSecret};
use crate::error::AuthError;
use crate::features::services::TwoFactorAuthenticationService;
use crate::module::AuthModule;
use crate::user::{AuthUser, UserId};
use std::time::SystemTime;

/// The one-time code that the user's authenticator app shows now, by the module's clock. While a new secret waits for its
/// confirmation, it is a code of that one.
///
/// The module accepts no code twice. For another code in the same test use [`totp_next`], or move the clock by 30 seconds.
///
/// ```
/// use axum_auth_module::testing::{Client, enable_two_factor, totp_now};
/// # use axum_auth_module::{AuthError, AuthModule, AuthUser};
/// use serde_json::{Value, json};
///
/// # async fn test<U: AuthUser>(auth: AuthModule<U>, app: axum::Router, ada: U) -> Result<(), AuthError> {
/// enable_two_factor(&auth, &ada).await?;
/// let client = Client::new(app);
/// let login = json!({ "email": "ada@example.com", "password": "correct horse battery" });
/// let challenge: Value = client.post("/auth/login").json(&login).await.expect(200).json();
/// let answer = json!({ "challengeToken": challenge["challengeToken"], "code": totp_now(&auth, &ada).await? });
/// client.post("/auth/two-factor-challenge").json(&answer).await.expect(200);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`AuthError::TwoFactorNotEnabled`] if the user has no secret; those of the repository; [`AuthError::Internal`] if there is
/// no such user, or if TWO_FACTOR_AUTHENTICATION is not enabled.
pub async fn totp_now<U: AuthUser>(auth: &AuthModule<U>, user: &U) -> Result<String, AuthError> {
    let now = auth.core().now();
    totp_at(&secret_key(auth, user).await?, now)
}

/// The code that follows [`totp_now`], 30 seconds later. With the default
/// [`window`](crate::config::TwoFactorOptions::window) of 1 it is accepted now already, also after the current one.
///
/// # Errors
/// Those of [`totp_now`].
pub async fn totp_next<U: AuthUser>(auth: &AuthModule<U>, user: &U) -> Result<String, AuthError> {
    let next = auth.core().now() + std::time::Duration::from_secs(STEP);
    totp_at(&secret_key(auth, user).await?, next)
}

/// The code of a secret at a time. The secret is in base32, as `GET /user/two-factor-secret-key` returns it.
///
/// ```
/// use axum_auth_module::testing::totp_at;
/// use std::time::{Duration, UNIX_EPOCH};
///
/// # fn main() -> Result<(), axum_auth_module::AuthError> {
/// // A test vector of RFC 6238, appendix B.
/// let code = totp_at("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", UNIX_EPOCH + Duration::from_secs(59))?;
/// assert_eq!(code, "287082");
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`AuthError::Internal`] if the text is not base32.
pub fn totp_at(secret_key: &str, time: SystemTime) -> Result<String, AuthError> {
    Ok(TotpSecret::from_base32(secret_key)?.code_at(unix_seconds(time)))
}

/// A second factor that [`enable_two_factor`] has set up. It has no `Debug`, because both are secrets.
#[derive(Clone)]
#[non_exhaustive]
pub struct TwoFactor {
    /// The secret in base32, for [`totp_at`].
    pub secret_key: String,
    /// The eight recovery codes.
    pub recovery_codes: Vec<String>,
}

/// Gives a user a second factor that is in force, as if the user had enabled and confirmed it, and emits no event. No code is
/// used up: [`totp_now`] is accepted. A second factor that the user had before is replaced.
///
/// The credentials of the user have changed then, so that sessions from before are refused: call it before
/// [`login_as`](super::login_as).
///
/// # Errors
/// Those of the repository; [`AuthError::Internal`] if there is no such user, or if TWO_FACTOR_AUTHENTICATION is not enabled.
pub async fn enable_two_factor<U: AuthUser>(auth: &AuthModule<U>, user: &U) -> Result<TwoFactor, AuthError> {
    let service = service(auth)?;
    let user = current(auth.core(), &user.id().to_text()).await?;
    let user = service.put_in_force_for_test(&*user).await?;
    let recovery_codes = service.recovery_codes_for_test(&*user)?;
    Ok(TwoFactor { secret_key: service.secret_key_for_test(&*user)?, recovery_codes })
}

async fn secret_key<U: AuthUser>(auth: &AuthModule<U>, user: &U) -> Result<String, AuthError> {
    let user = current(auth.core(), &user.id().to_text()).await?;
    service(auth)?.secret_key_for_test(&*user)
}

fn service<U: AuthUser>(auth: &AuthModule<U>) -> Result<&TwoFactorAuthenticationService, AuthError> {
    let missing = || AuthError::internal("the module has no second factor: enable TWO_FACTOR_AUTHENTICATION");
    auth.service().ok_or_else(missing)
}

/// The user's record as it is now.
async fn current(core: &Core, user_id: &str) -> Result<crate::user::User, AuthError> {
    let user = core.users.find_by_id(user_id).await?;
    user.ok_or_else(|| AuthError::internal("there is no user with this id"))
}
