//! The providers that people can log in with: `GOOGLE_CLIENT_ID` and `GOOGLE_CLIENT_SECRET`, the same with `GITHUB_`, and `OIDC_ISSUER`
//! with `OIDC_NAME`, `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`.
//!
//! Each has two redirect URIs: the module's own route for cookies, and `/callback/{name}`, which is the application, for tokens.

use axum_auth_module::config::ConfigError;
use axum_auth_module::social::{SocialProvider, SocialProviders};

/// The providers of the environment. `url` is where the application is.
pub(crate) fn read(
    variable: impl Fn(&str) -> Option<String>,
    url: &str,
) -> Result<SocialProviders, ConfigError> {
    let client = |prefix: &str| {
        Some((variable(&format!("{prefix}_CLIENT_ID"))?, variable(&format!("{prefix}_CLIENT_SECRET"))?))
    };
    let mut providers = Vec::new();
    if let Some((id, secret)) = client("GOOGLE") {
        let provider = SocialProvider::google(id, secret, with_cookies(url, "google"));
        providers.push(provider.redirect_uris([with_tokens(url, "google")]));
    }
    if let Some((id, secret)) = client("GITHUB") {
        // An OAuth app of GitHub has one callback URL: register `{url}`, below which are both.
        let provider = SocialProvider::github(id, secret, with_cookies(url, "github"));
        providers.push(provider.redirect_uris([with_tokens(url, "github")]));
    }
    if let (Some(issuer), Some((id, secret))) = (variable("OIDC_ISSUER"), client("OIDC")) {
        let name = variable("OIDC_NAME").unwrap_or_else(|| "oidc".to_owned());
        let (first, second) = (with_cookies(url, &name), with_tokens(url, &name));
        let provider = SocialProvider::oidc(name, issuer, id, first).client_secret(secret);
        providers.push(provider.redirect_uris([second]));
    }
    SocialProviders::new(providers)
}

/// The module's own route.
pub(crate) fn with_cookies(url: &str, name: &str) -> String {
    format!("{url}/auth/oauth/{name}/callback")
}

/// The application.
pub(crate) fn with_tokens(url: &str, name: &str) -> String {
    format!("{url}/callback/{name}")
}
