use axum_auth_module::AuthConfig;
use axum_auth_module::config::{BrowserOptions, ConfigError};
use std::time::Duration;

fn config(jwt_secret: &str, refresh_secret: &str, encryption_key: &str) -> Result<AuthConfig, ConfigError> {
    let hours = |hours: u64| Duration::from_secs(hours * 3600);
    AuthConfig::builder(jwt_secret, refresh_secret, encryption_key)
        .browser(BrowserOptions::default().idle_lifetime(hours(1)).session_lifetime(hours(12)))
        .build()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_options_are_valid() {
        let secrets = ["a secret of thirty-two bytes or so", "another one of thirty-two bytes.."];
        super::config(secrets[0], secrets[1], "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=").unwrap();
    }
}
