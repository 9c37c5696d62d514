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
use crate::core::Core;
use crate::delivery::{Delivers, PasswordResetMessage};
use crate::endpoint::{
    Consequence, Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse,
    ResponseCondition,
};
use crate::erase::erase;
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::repository::PasswordResetRepository;
use crate::user::AuthUser;
use crate::watch::Watch;
use hooks::OfResetTokens;
use service::Resets;
use std::sync::Arc;

/// The limits of a request, in the order in which they are counted.
const REQUEST_LIMITS: &[Limit] =
    &[Limit::ForgotPasswordClient, Limit::ForgotPasswordAddress, Limit::ForgotPasswordKnownClient];

/// The limits of wrong tokens. All calls of a client are counted before.
const TOKEN_LIMITS: &[Limit] = &[Limit::ResetPassword, Limit::ResetPasswordLong];

const TOKEN: EndpointField = EndpointField::required("token", EndpointFieldKind::NonEmptyText);

const FORGOT: Endpoint = Endpoint::post("/forgot-password", "forgotPassword")
    .asks_policy()
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
    .emits(&[EventName::PasswordReset, EventName::Lockout])
    .leads_to(Consequence::Arrival)
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
    let of_hooks = Arc::clone(&resets);
    let service = move |core: &Core| {
        let (resets, action) = (Arc::clone(&resets), Arc::clone(&resets_user_passwords));
        ResetPasswordsService::new(core, resets, action, Arc::clone(&delivery))
    };
    let hooks = OfResetTokens { resets: of_hooks, service: Box::new(service.clone()) };
    Pending::new(move |core| service(core)).with_hooks(hooks)
}
