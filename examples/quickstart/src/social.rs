//! The providers as the module takes them.

use crate::demo_provider::{self, DemoProvider};
use crate::problems::Problems;
use crate::providers::{Link, Providers, Word};
use axum_auth_module::social::{LinkByEmail, SocialProvider, SocialProviders, Trust};

/// The providers of the environment, or the demonstration.
///
/// # Errors
/// What the library does not accept, such as a malformed redirect URI.
pub(crate) fn providers(
    settings: Providers,
    demo: Option<&DemoProvider>,
) -> Result<SocialProviders, Problems> {
    let openid = settings.openid.into_iter().map(|provider| {
        let (first, others) = provider
            .redirect_uris
            .split_first()
            .map_or(("", &[][..]), |(first, others)| (first.as_str(), others));
        let mut social = SocialProvider::oidc(provider.name, provider.issuer, provider.client_id, first)
            .redirect_uris(others.to_vec())
            .trust(match provider.trust {
                Word::Nothing => Trust::None,
                Word::Verified => Trust::Verified,
                Word::Authoritative => Trust::Authoritative,
            })
            .link_by_email(match provider.link_by_email {
                Link::Never => LinkByEmail::Never,
                Link::Verified => LinkByEmail::Verified,
            })
            .id_token_audiences(provider.id_token_audiences);
        if let Some(secret) = provider.client_secret {
            social = social.client_secret(secret);
        }
        social
    });
    let google = settings
        .google
        .map(|client| SocialProvider::google(client.client_id, client.client_secret, client.redirect_uri));
    let github = settings.github.map(|github| {
        let client = github.client;
        let social = SocialProvider::github(client.client_id, client.client_secret, client.redirect_uri);
        match github.urls {
            Some([url, api]) => social.github_server(url, api),
            None => social,
        }
    });
    let demo = demo.map(|demo| {
        let redirect_uri = demo.redirect_uris().first().cloned().unwrap_or_default();
        SocialProvider::oidc(demo_provider::NAME, demo.issuer(), demo_provider::CLIENT_ID, redirect_uri)
            .client_secret(demo_provider::CLIENT_SECRET)
    });
    Ok(SocialProviders::new(openid.chain(google).chain(github).chain(demo))?)
}
