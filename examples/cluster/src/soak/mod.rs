//! stub
use crate::arguments::SoakOptions;
use axum_auth_module::BoxError;
use std::process::ExitCode;
pub(crate) async fn run(_options: SoakOptions) -> Result<ExitCode, BoxError> {
    Ok(ExitCode::SUCCESS)
}
