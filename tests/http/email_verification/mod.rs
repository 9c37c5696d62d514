//! The verification notification and its link.

pub(crate) mod links;
pub(crate) mod notification;

use crate::every_route::features_off::service_is_there_only_with;
use axum_auth_module::feature::Feature;
use axum_auth_module::services::EmailVerificationService;

#[tokio::test]
async fn its_service_is_there_only_with_the_feature() {
    service_is_there_only_with::<EmailVerificationService>(Feature::EmailVerification).await;
}
