//! Enrolment, the challenge at login, one-time codes and recovery codes.

mod challenge;
mod encryption;
mod enrolment;
mod import;
mod limits;
mod one_time_codes;
mod recovery_codes;
mod step_up;

use crate::every_route::features_off::service_is_there_only_with;
use axum_auth_module::feature::Feature;
use axum_auth_module::services::{TwoFactorAuthenticationService, TwoFactorChallengeService};

#[tokio::test]
async fn its_services_are_there_only_with_the_feature() {
    service_is_there_only_with::<TwoFactorAuthenticationService>(Feature::TwoFactorAuthentication).await;
    service_is_there_only_with::<TwoFactorChallengeService>(Feature::TwoFactorAuthentication).await;
}
