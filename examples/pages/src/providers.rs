//! The providers that visitors can log in with.
//!
//! | variable | meaning |
//! |---|---|
//! | `GOOGLE_CLIENT_ID`, `GOOGLE_CLIENT_SECRET` | the client that you have registered at Google |
//! | `GITHUB_CLIENT_ID`, `GITHUB_CLIENT_SECRET` | the OAuth app that you have registered at GitHub |
//! | `OIDC_NAME`, `OIDC_ISSUER`, `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET` | a provider with OpenID Connect |
//!
//! Each sends its visitors back to `{PUBLIC_URL}/oauth/{name}/callback`, which is what you register there. Without variables
//! there is no button.

use axum::http::Uri;
use axum_auth_module::config::ConfigError;
use axum_auth_module::social::{SocialProvider, SocialProviders};

/// The providers, and the origins of their pages: a browser follows the redirect after a form only to places that the site's policy
/// names (`site/headers.rs`).
pub(crate) struct Providers {
    pub(crate) providers: SocialProviders,
    pub(crate) origins: Vec<String>,
}

impl Providers {
    /// Those of the environment.
    pub(crate) fn read(
        variable: impl Fn(&str) -> Option<String>,
        public_url: &str,
    ) -> Result<Self, ConfigError> {
        let callback = |name: &str| format!("{public_url}/oauth/{name}/callback");
        let client = |prefix: &str| {
            Some((variable(&format!("{prefix}_CLIENT_ID"))?, variable(&format!("{prefix}_CLIENT_SECRET"))?))
        };
        let (mut providers, mut origins) = (Vec::new(), Vec::new());
        if let Some((id, secret)) = client("GOOGLE") {
            providers.push(SocialProvider::google(id, secret, callback("google")));
            origins.push("https://accounts.google.com".to_owned());
        }
        if let Some((id, secret)) = client("GITHUB") {
            providers.push(SocialProvider::github(id, secret, callback("github")));
            origins.push("https://github.com".to_owned());
        }
        if let (Some(issuer), Some((id, secret))) = (variable("OIDC_ISSUER"), client("OIDC")) {
            let name = variable("OIDC_NAME").unwrap_or_else(|| "oidc".to_owned());
            origins.extend(origin(&issuer));
            let callback = callback(&name);
            providers.push(SocialProvider::oidc(name, issuer, id, callback).client_secret(secret));
        }
        Ok(Self { providers: SocialProviders::new(providers)?, origins })
    }
}

/// Where most providers have their pages: at the issuer's own host. If yours has them elsewhere, add it.
fn origin(issuer: &str) -> Option<String> {
    let uri: Uri = issuer.parse().ok()?;
    Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?))
}
