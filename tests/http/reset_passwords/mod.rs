//! Asking for a reset token, and setting a new password with it.

mod forgot_password;
mod meanwhile;
mod overtaken;
mod proven_addresses;
mod recovery;
mod repeated;
pub(crate) mod reset_password;
mod strangers;

use crate::every_route::features_off::service_is_there_only_with;
use axum_auth_module::feature::Feature;
use axum_auth_module::services::ResetPasswordsService;

#[tokio::test]
async fn its_service_is_there_only_with_the_feature() {
    service_is_there_only_with::<ResetPasswordsService>(Feature::ResetPasswords).await;
}
