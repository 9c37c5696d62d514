//! RESET_PASSWORDS: a user who has forgotten the password sets a new one.
//!
//! **Needs** a `PasswordResetRepository`, an implementation of `ResetsUserPasswords`, and a delivery.

mod handlers;
mod hooks;
mod service;
mod tokens;

pub use service::ResetPasswordsService;
#[cfg(feature = "command")]
pub(super) use service::of_settings;

use crate::actions::ResetsUserPasswords;
use crate::config::Limit;
use crate::delivery::{Delivers, PasswordResetMessage};
use crate::endpoint::{
    Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse, ResponseCondition,
};
use crate::erase::erase;
use crate::error::{AuthError, ErrorCode};
use crate::events::{EventKind, EventName};
use crate::feature::Feature;
use crate::module::{Admin, AuthModuleBuilder, Pending};
use crate::repository::PasswordResetRepository;
use crate::user::AuthUser;
use crate::watch::Watch;
use hooks::DeleteResetTokens;
use service::Resets;
use std::sync::Arc;

/// The limits of a request, in the order in which they are counted.
const REQUEST_LIMITS: &[Limit] =
    &[Limit::ForgotPasswordClient, Limit::ForgotPasswordAddress, Limit::ForgotPasswordKnownClient];

/// The limits of wrong tokens. All calls of a client are counted before.
const TOKEN_LIMITS: &[Limit] = &[Limit::ResetPassword, Limit::ResetPasswordLong];

const TOKEN: EndpointField = EndpointField::required("token", EndpointFieldKind::NonEmptyText);

const FORGOT: Endpoint = Endpoint::post("/forgot-password", "forgotPassword")
    .of(Feature::ResetPasswords)
    .summary("Sends a reset token to an address; the response is the same for every address.")
    .takes(EndpointBody::Required(&[EndpointField::EMAIL]))
    .returns(&[
        EndpointResponse::MESSAGE,
        EndpointResponse::object("ResetToken", &[EndpointField::MESSAGE, TOKEN])
            .when(ResponseCondition::InResponse),
    ])
    .limits(REQUEST_LIMITS)
    .refuses(&[ErrorCode::Overloaded]);

const RESET: Endpoint = Endpoint::post("/reset-password", "resetPassword")
    .of(Feature::ResetPasswords)
    .summary("Sets a new password with a reset token and ends every session of the user.")
    .takes(EndpointBody::Required(&[
        EndpointField::EMAIL,
        TOKEN,
        EndpointField::NEW_PASSWORD,
        EndpointField::PASSWORD_CONFIRMATION,
    ]))
    .limits(&[Limit::ResetPasswordClient, Limit::ResetPassword, Limit::ResetPasswordLong])
    .emits(&[
        EventName::PasswordReset,
        EventName::EmailVerified,
        EventName::TwoFactorDisabled,
        EventName::AccountReclaimed,
        EventName::Lockout,
    ])
    .refuses(&[ErrorCode::InvalidResetToken, ErrorCode::ExpiredResetToken, ErrorCode::Overloaded]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// RESET_PASSWORDS: `POST /forgot-password` and `POST /reset-password`.
    pub fn reset_passwords<R, A, D>(
        self,
        password_reset_repo: R,
        resets_user_passwords: A,
        delivery: D,
    ) -> Self
    where
        R: PasswordResetRepository,
        A: ResetsUserPasswords<U>,
        D: Delivers<PasswordResetMessage>,
    {
        let resets = erase::<dyn PasswordResetRepository, _>(password_reset_repo, |resets| resets);
        let action = erase::<dyn ResetsUserPasswords<U>, _>(resets_user_passwords, |action| action);
        let delivery = erase::<dyn Delivers<PasswordResetMessage>, _>(delivery, |delivery| delivery);
        let (resets, delivery) = (Arc::new(Watch::over(resets)), Arc::new(Watch::over(delivery)));
        let pending = pending(resets, self.acting(action), delivery);
        self.mount(pending)
    }
}

fn pending(
    resets: Arc<dyn PasswordResetRepository>,
    resets_user_passwords: Arc<dyn Resets>,
    delivery: Arc<dyn Delivers<PasswordResetMessage>>,
) -> Pending {
    let hooks = DeleteResetTokens { resets: Arc::clone(&resets) };
    Pending::new(|core| ResetPasswordsService::new(core, resets, resets_user_passwords, delivery))
        .with_hooks(hooks)
}

impl<U: AuthUser> Admin<'_, U> {
    /// Removes a user's password, ends every session and has a reset token mailed: for a user whose password somebody else knows. Reset
    /// tokens of before end, and the second factor stays. A call that has failed can be repeated, and one for a user without a
    /// password does everything else.
    ///
    /// A suspended user gets no mail, and with [`InResponse`](crate::delivery::InResponse) nobody does: these users ask for a
    /// token themselves.
    ///
    /// ```
    /// # use axum_auth_module::{AuthError, AuthModule, AuthUser};
    /// # async fn found_in_a_leak<U: AuthUser>(auth: AuthModule<U>, user_id: U::Id) -> Result<(), AuthError> {
    /// auth.admin().require_new_password(&user_id).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of the repositories and the store; [`AuthError::Internal`] when there is no such user, and before anything is changed
    /// when RESET_PASSWORDS is not enabled.
    pub async fn require_new_password(&self, user_id: &U::Id) -> Result<(), AuthError> {
        let resets: Option<&ResetPasswordsService> = self.service();
        let resets =
            resets.ok_or_else(|| AuthError::internal("`require_new_password` needs RESET_PASSWORDS"))?;
        let (core, user) = (self.core(), self.user(user_id).await?);
        // A reset reads the record before the token: one that still finds the token has read the previous password, and its write
        // is refused.
        resets.end_tokens(&user).await?;
        if core.remove_password(&user, |_| Some(Vec::new())).await? {
            core.events.emit_by_administrator(EventKind::PasswordRemoved, Some(user.id_text())).await;
        }
        self.end_all_sessions(user_id).await?;
        // Until now a session could have changed the address.
        resets.mail_anew(&self.user(user_id).await?).await
    }
}
