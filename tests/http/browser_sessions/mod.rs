//! Browsers: the browser router, its cookies and the origin check (specification §27.1).

mod browser;
mod confusion;
mod cookies;
mod expiry;
mod extractors;
mod forms;
mod golden;
mod host;
mod http2;
mod lifetimes;
mod listing;
mod modules;
mod numbers;
mod origin_check;
mod overtaken;
mod pages;
mod planted;
mod precedence;
mod races;
mod remember;
mod secrets;

use crate::every_route::features_off::service_is_there_only_with;
use axum_auth_module::feature::Feature;
use axum_auth_module::services::BrowserSessionsService;

#[tokio::test]
async fn the_service_is_there_with_the_feature() {
    service_is_there_only_with::<BrowserSessionsService>(Feature::BROWSER_SESSIONS).await;
}
