//! Everything of these tests that depends on how SOCIAL_LOGIN is configured.

use super::site::{Offer, Preset, Rules, Word};
use crate::every_route::features_off::service_is_there_only_with;
use crate::support::provider::{Auth, Internet};
use crate::support::{Account, App, Builder};
use axum_auth_module::config::{
    AuthConfigBuilder, BrowserOptions, ConfigError, RateLimit, RateLimits, ResetRemoves,
};
use axum_auth_module::delivery::SecurityNoticeKind;
use axum_auth_module::feature::Feature;
use axum_auth_module::http::HttpClient;
use axum_auth_module::repository::IdentityRepository;
use axum_auth_module::services::SocialLoginService;
use axum_auth_module::social::{
    ClientAuth, Granted, LinkByEmail, OAuthEndpoints, Profile, ProfileError, ProviderClient, ReadsProfile,
    SocialProvider, SocialProviders, Trust,
};
use axum_auth_module::{AuthUser, async_trait};

pub(super) const LINKED: SecurityNoticeKind = SecurityNoticeKind::IdentityLinked;

/// The module with these providers, and with whatever stands in the place of the internet.
pub(super) fn with_providers(
    module: Builder,
    offers: &[Offer],
    net: impl HttpClient,
    identities: impl IdentityRepository,
) -> Builder {
    let providers = SocialProviders::new(offers.iter().map(provider)).unwrap();
    module.social_login(identities, providers, net)
}

/// The pages of the host, and what else these tests configure.
pub(super) fn configured(config: AuthConfigBuilder, rules: &Rules) -> AuthConfigBuilder {
    let browser = BrowserOptions::default().same_site(rules.same_site);
    let browser = match rules.has_default_pages {
        true => browser,
        false => browser.after_login("/home").two_factor_page("/two-factor").registration_page("/welcome"),
    };
    let browser = if rules.is_insecure { browser.insecure_for_development() } else { browser };
    let mut removes = ResetRemoves::default();
    removes.identities = rules.resets_remove_identities;
    config.browser(browser).reset_removes(removes)
}

/// Limits that are not in the way but for those of this feature.
pub(super) fn limits() -> RateLimits {
    let (defaults, mut limits) =
        (RateLimits::default(), RateLimits::all(RateLimit::per_seconds(100_000, 60)));
    limits.social_client = defaults.social_client;
    limits.social_client_calls = defaults.social_client_calls;
    limits
}

pub(super) async fn unlink_identities(app: &App, id: &<Account as AuthUser>::Id) -> u64 {
    app.auth.admin().unlink_identities(id).await.unwrap()
}

fn provider(offer: &Offer) -> SocialProvider {
    let (server, name) = (&offer.provider, offer.name);
    let (id, secret, redirect) = (server.client_id(), server.secret(), offer.redirects[0].as_str());
    let provider = match &offer.preset {
        Preset::OpenId if offer.auth == Some(Auth::Public) => {
            SocialProvider::oidc(name, server.issuer(), id, redirect)
        }
        Preset::OpenId => SocialProvider::oidc(name, server.issuer(), id, redirect).client_secret(secret),
        Preset::Google(domains) => {
            SocialProvider::google(id, secret, redirect).hosted_domains(domains.iter().copied())
        }
        Preset::GitHub => SocialProvider::github(id, secret, redirect),
        Preset::Microsoft(tenant) => SocialProvider::microsoft(*tenant, id, secret, redirect),
        Preset::AppleNative => SocialProvider::apple_native([id]),
        Preset::OAuth2 => {
            let endpoints = OAuthEndpoints {
                authorize: format!("{}/authorize", server.issuer()),
                token: format!("{}/token", server.issuer()),
            };
            let profile = ForgeProfile(format!("{}/profile", server.issuer()));
            SocialProvider::oauth2(name, endpoints, id, redirect, profile).client_secret(secret)
        }
    };
    let provider = match offer.trust {
        None => provider,
        Some(Word::None) => provider.trust(Trust::None),
        Some(Word::Verified) => provider.trust(Trust::Verified),
        Some(Word::Authoritative) => provider.trust(Trust::Authoritative),
    };
    let provider = match offer.auth {
        Some(Auth::Basic) => provider.client_auth(ClientAuth::Basic),
        Some(Auth::Post) => provider.client_auth(ClientAuth::Post),
        Some(Auth::Public) | None => provider,
    };
    let provider =
        if offer.links_by_email { provider.link_by_email(LinkByEmail::Verified) } else { provider };
    let provider = match offer.audiences.is_empty() {
        true => provider,
        false => provider.id_token_audiences(offer.audiences.iter().map(String::as_str)),
    };
    provider.redirect_uris(offer.redirects[1..].iter().map(String::as_str))
}

/// Reads the profile of the provider `forge`.
struct ForgeProfile(String);

#[async_trait]
impl ReadsProfile for ForgeProfile {
    async fn profile(&self, granted: Granted<'_>, client: &ProviderClient) -> Result<Profile, ProfileError> {
        let profile = client.get_json(&self.0, granted).await?;
        let id = profile["id"].as_str().ok_or_else(|| ProfileError::refused("no id"))?;
        let mut read = Profile::new(id);
        if let Some(mail) = profile["mail"].as_str() {
            let trust = if profile["proven"] == true { Trust::Verified } else { Trust::None };
            read = read.with_email(mail, trust);
        }
        if let Some(name) = profile["called"].as_str() {
            read = read.with_name(name);
        }
        Ok(read)
    }
}

fn error(providers: impl IntoIterator<Item = SocialProvider>) -> Option<ConfigError> {
    SocialProviders::new(providers).err()
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<SocialLoginService>(Feature::SOCIAL_LOGIN).await;
}

#[test]
fn a_configuration_that_would_be_insecure_or_ambiguous_is_an_error() {
    let at = |name: &str, issuer: &str, redirect: &str| {
        SocialProvider::oidc(name, issuer, "id", redirect).client_secret("secret")
    };
    let (issuer, redirect) = ("https://id.acme.example", "https://app.example/oauth/acme/callback");
    assert!(error([at("acme", issuer, redirect)]).is_none());
    assert!(error([at("acme", "http://127.0.0.1:8080/demo", "http://localhost:3000/callback")]).is_none());
    for redirect in ["com.example.app:/callback", "http://127.0.0.1/callback", "http://[::1]/callback"] {
        assert!(error([at("acme", issuer, redirect)]).is_none(), "{redirect}");
    }
    for (name, issuer, redirect) in [
        ("Acme", issuer, redirect),
        ("", issuer, redirect),
        ("a_b", issuer, redirect),
        ("a/b", issuer, redirect),
        (&*"a".repeat(33), issuer, redirect),
        ("acme", "http://id.acme.example", redirect),
        ("acme", "http://localhost.acme.example", redirect),
        ("acme", "https://id.acme.example?tenant=1", redirect),
        ("acme", "https://id.acme.example#x", redirect),
        ("acme", "id.acme.example", redirect),
        ("acme", "", redirect),
        ("acme", issuer, "http://app.example/callback"),
        ("acme", issuer, "https://app.example/callback#x"),
        ("acme", issuer, "myapp:/callback"),
        ("acme", issuer, "javascript:alert(1)"),
        ("acme", issuer, "/callback"),
    ] {
        assert!(error([at(name, issuer, redirect)]).is_some(), "{name} {issuer} {redirect}");
    }
    // A name twice; a redirect URI of two providers.
    assert!(
        error([at("acme", issuer, redirect), at("acme", "https://other.example", "https://app.example/2")])
            .is_some()
    );
    assert!(error([at("acme", issuer, redirect), at("other", "https://other.example", redirect)]).is_some());
    // What the library sets itself.
    for name in ["state", "nonce", "redirect_uri", "response_type", "client_id", "scope", "code_challenge"] {
        assert!(error([at("acme", issuer, redirect).authorize_parameter(name, "x")]).is_some(), "{name}");
    }
    assert!(error([at("acme", issuer, redirect).authorize_parameter("prompt", "select_account")]).is_none());
    // Microsoft answers with the issuer of one tenant only if it was asked for that one.
    for tenant in ["common", "organizations", "contoso.example", ""] {
        assert!(error([SocialProvider::microsoft(tenant, "id", "secret", redirect)]).is_some(), "{tenant}");
    }
}

/// No `Debug` of the configuration shows a secret.
#[tokio::test]
async fn the_debug_output_of_a_provider_has_no_secret() {
    let clock = axum_auth_module::testing::MovableClock::new();
    let offer = Offer::openid("acme", &Internet::new(&clock));
    let providers = SocialProviders::new([provider(&offer)]).unwrap();
    assert!(!format!("{providers:?}").contains("canary-secret"));
}
