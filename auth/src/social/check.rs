//! What can be wrong with providers. A message repeats no value.

use super::provider::{Kind, Rules};
use super::redirect;
use super::{OAuthEndpoints, SocialProvider};
use crate::config::ConfigProblem;
use crate::web_url::WebUrl;

/// The most characters of an issuer, as the repository of identities stores it.
const LONGEST_ISSUER: usize = 255;
/// The most characters of the name.
const LONGEST_NAME: usize = 32;

/// The parameters of the authorization request that the library sets, or that would take it out of the library's hands.
const OWN_PARAMETERS: [&str; 12] = [
    "response_type",
    "response_mode",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "nonce",
    "code_challenge",
    "code_challenge_method",
    "max_age",
    "request",
    "request_uri",
];

const WEB_URL: &str = "expected a URL that begins with https://, or of this machine";

/// All problems of all providers.
pub(super) fn problems(providers: &[SocialProvider]) -> Vec<ConfigProblem> {
    let mut found = Vec::new();
    for (index, provider) in providers.iter().enumerate() {
        let has_name = is_name(&provider.name);
        let place = if has_name { provider.name.clone() } else { index.to_string() };
        let mut add = |part: &str, message: &str| {
            found.push(ConfigProblem::new(format!("social_providers.{place}.{part}"), message));
        };
        if !has_name {
            add("name", "expected 1 to 32 lower-case letters, digits and hyphens");
        }
        let earlier = || providers.iter().take(index);
        if earlier().any(|other| other.name == provider.name) {
            add("name", "another provider has this name");
        }
        if earlier().any(|other| share_redirect(other, provider)) {
            add("redirect_uris", "another provider has one of them: each provider needs its own");
        }
        of_kind(provider, &mut add);
        of_web_flow(provider, &mut add);
        of_tokens(provider, &mut add);
    }
    found
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_part)
}

fn share_redirect(one: &SocialProvider, other: &SocialProvider) -> bool {
    let is_shared = |uri: &String| {
        other.redirect_uris.iter().any(|own| redirect::allows(own, uri) || redirect::allows(uri, own))
    };
    one.redirect_uris.iter().any(is_shared)
}

fn of_kind(provider: &SocialProvider, add: &mut impl FnMut(&str, &str)) {
    match &provider.kind {
        Kind::OpenId { issuer, rules: Rules::Microsoft } => {
            let tenant = issuer.split('/').nth(3).unwrap_or_default();
            if !is_uuid(tenant) || issuer.split('/').count() != 5 {
                add("tenant", "expected the UUID of a tenant; `common` and domains are none");
            }
        }
        Kind::OpenId { issuer, .. } => {
            if WebUrl::read(issuer).is_none_or(|url| url.has_query) || issuer.len() > LONGEST_ISSUER {
                add(
                    "issuer",
                    "expected a URL that begins with https://, or of this machine, without a query",
                );
            }
        }
        Kind::GitHub { url, api } => {
            let is_base = |url: &str| {
                WebUrl::read(url).is_some_and(|read| !read.has_query)
                    && !url.ends_with('/')
                    && url.len() <= LONGEST_ISSUER
            };
            if !is_base(url) || !is_base(api) {
                add("github_server", "expected two URLs of a GitHub server, without a slash at the end");
            }
        }
        Kind::OAuth { endpoints: OAuthEndpoints { authorize, token }, .. } => {
            if WebUrl::read(authorize).is_none() {
                add("endpoints.authorize", WEB_URL);
            }
            if WebUrl::read(token).is_none() || token.len() > LONGEST_ISSUER {
                add("endpoints.token", WEB_URL);
            }
        }
    }
    let is_google = matches!(provider.kind, Kind::OpenId { rules: Rules::Google, .. });
    if !is_google && !provider.hosted_domains.is_empty() {
        add("hosted_domains", "only Google has them");
    }
    if !provider.hosted_domains.iter().all(|domain| is_domain(domain)) {
        add("hosted_domains", "expected domains, such as example.com");
    }
}

fn of_web_flow(provider: &SocialProvider, add: &mut impl FnMut(&str, &str)) {
    let is_apple = matches!(provider.kind, Kind::OpenId { rules: Rules::Apple, .. });
    if is_apple && provider.has_web_flow() {
        add("redirect_uris", "there is no web flow for Apple");
    }
    if !provider.redirect_uris.iter().all(|uri| redirect::is_valid(uri)) {
        add(
            "redirect_uris",
            "expected URLs that begin with https://, or of this machine or an app, without a fragment",
        );
    }
    if !is_apple && !is_text(&provider.client_id) {
        add("client_id", "expected printable characters of ASCII");
    }
    if provider.secret().is_some_and(str::is_empty) {
        add("client_secret", "expected a secret, or none for a public client");
    }
    // RFC 6749 §3.3.
    let is_scope = |scope: &String| {
        !scope.is_empty() && scope.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte))
    };
    if !provider.scopes.iter().all(is_scope) {
        add("scopes", "expected printable characters of ASCII without blanks and quotation marks");
    }
    for (index, (name, _)) in provider.parameters.iter().enumerate() {
        if name.is_empty() || OWN_PARAMETERS.contains(&name.as_str()) {
            add("authorize_parameter", "the library sets this parameter, or nobody can");
        }
        if provider.parameters.iter().take(index).any(|(earlier, _)| earlier == name) {
            add("authorize_parameter", "a parameter is set twice");
        }
    }
}

fn of_tokens(provider: &SocialProvider, add: &mut impl FnMut(&str, &str)) {
    let is_apple = matches!(provider.kind, Kind::OpenId { rules: Rules::Apple, .. });
    if !matches!(provider.kind, Kind::OpenId { .. }) && provider.takes_id_tokens() {
        add("id_token_audiences", "only OpenID providers have ID tokens");
    }
    if is_apple && !provider.takes_id_tokens() {
        add("id_token_audiences", "expected at least one client id");
    }
    if !provider.audiences.iter().all(|id| is_text(id)) {
        add("id_token_audiences", "expected printable characters of ASCII");
    }
}

/// RFC 6749 §A.1.
fn is_text(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

fn is_domain(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
    text.contains('.') && text.bytes().all(is_part)
}

/// Whether the text is a UUID in lower case.
fn is_uuid(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|byte| byte == b'-' || is_digit(byte))
}

#[cfg(test)]
mod tests {
    use super::super::{Granted, Profile, ProfileError, ProviderClient, ReadsProfile, SocialProviders};
    use super::*;
    use async_trait::async_trait;

    struct Nobody;

    #[async_trait]
    impl ReadsProfile for Nobody {
        async fn profile(&self, _: Granted<'_>, _: &ProviderClient) -> Result<Profile, ProfileError> {
            Err(ProfileError::refused("nobody"))
        }
    }

    const CALLBACK: &str = "https://app.example/callback";
    const TENANT: &str = "9188040d-6c67-4c5b-b112-36a304b66dad";

    fn acme() -> SocialProvider {
        SocialProvider::oidc("acme", "https://id.example", "client", CALLBACK)
    }

    fn forge(authorize: &str, token: &str) -> SocialProvider {
        let endpoints = OAuthEndpoints { authorize: authorize.to_owned(), token: token.to_owned() };
        SocialProvider::oauth2("forge", endpoints, "client", "https://app.example/forge", Nobody)
    }

    fn microsoft(tenant: &str) -> SocialProvider {
        SocialProvider::microsoft(tenant, "client", "secret", "https://app.example/microsoft")
    }

    fn github() -> SocialProvider {
        SocialProvider::github("client", "secret", "https://app.example/github")
    }

    fn google() -> SocialProvider {
        SocialProvider::google("client", "secret", "https://app.example/google")
    }

    #[test]
    fn valid_providers_are_found_by_their_names() {
        let providers = SocialProviders::new([
            google().hosted_domains(["example.com"]).id_token_audiences(["client"]),
            github(),
            microsoft(&TENANT.to_uppercase()),
            SocialProvider::apple_native(["org.example.app"]),
            acme().client_secret("secret").authorize_parameter("prompt", "consent").scopes(["email"]),
            forge("https://forge.example/authorize?a=b", "http://localhost:3000/token"),
            SocialProvider::oidc("local", "http://127.0.0.1:4000", "client", "http://127.0.0.1/local"),
            github().named("work").github_server("https://git.example", "https://git.example/api/v3"),
        ]);
        // The last one has the redirect URI of another one.
        let error = providers.unwrap_err().to_string();
        assert_eq!(
            error.lines().nth(1),
            Some(
                "  social_providers.work.redirect_uris: another provider has one of them: each provider needs its own"
            )
        );
        assert_eq!(error.lines().count(), 2);
        let providers = SocialProviders::new([acme().client_secret("hidden"), google()]).unwrap();
        assert_eq!(providers.names().collect::<Vec<_>>(), ["acme", "google"]);
        assert!(!format!("{providers:?}").contains("hidden"));
    }

    #[test]
    fn every_mistake_has_its_place() {
        for (provider, place) in [
            (SocialProvider::oidc("Acme", "https://id.example", "client", CALLBACK), "0.name"),
            (SocialProvider::oidc("", "https://id.example", "client", CALLBACK), "0.name"),
            (SocialProvider::oidc("a".repeat(33), "https://id.example", "client", CALLBACK), "0.name"),
            (SocialProvider::oidc("acme", "http://id.example", "client", CALLBACK), "acme.issuer"),
            (SocialProvider::oidc("acme", "https://id.example?a", "client", CALLBACK), "acme.issuer"),
            (SocialProvider::oidc("acme", "https://id.example#", "client", CALLBACK), "acme.issuer"),
            (SocialProvider::oidc("acme", "https://id.example", "", CALLBACK), "acme.client_id"),
            (SocialProvider::oidc("acme", "https://id.example", "client", "/a"), "acme.redirect_uris"),
            (acme().redirect_uris(["app:/a"]), "acme.redirect_uris"),
            (acme().client_secret(""), "acme.client_secret"),
            (acme().scopes(["a b"]), "acme.scopes"),
            (acme().authorize_parameter("state", "a"), "acme.authorize_parameter"),
            (acme().authorize_parameter("a", "a").authorize_parameter("a", "b"), "acme.authorize_parameter"),
            (acme().hosted_domains(["example.com"]), "acme.hosted_domains"),
            (acme().id_token_audiences([""]), "acme.id_token_audiences"),
            (acme().github_server("https://git.example", "https://git.example"), "acme.github_server"),
            (google().hosted_domains(["https://example.com"]), "google.hosted_domains"),
            (microsoft("common"), "microsoft.tenant"),
            (microsoft("example.com"), "microsoft.tenant"),
            (microsoft(&format!("{TENANT}/x")), "microsoft.tenant"),
            (forge("http://forge.example", "https://forge.example"), "forge.endpoints.authorize"),
            (forge("https://forge.example", "forge.example"), "forge.endpoints.token"),
            (github().id_token_audiences(["client"]), "github.id_token_audiences"),
            (github().github_server("https://git.example/", "https://git.example"), "github.github_server"),
            (SocialProvider::apple_native([""; 0]), "apple.id_token_audiences"),
            (SocialProvider::apple_native(["org.example"]).redirect_uris([CALLBACK]), "apple.redirect_uris"),
        ] {
            let error = SocialProviders::new([provider]).unwrap_err();
            let places: Vec<_> = error.problems().iter().map(|problem| problem.option.as_ref()).collect();
            assert_eq!(places, [format!("social_providers.{place}")]);
        }
    }

    #[test]
    fn names_and_redirect_uris_belong_to_one_provider() {
        let other = |uri: &str| SocialProvider::oidc("other", "https://id.example", "client", uri);
        assert!(SocialProviders::new([acme(), acme().redirect_uris(["https://app.example/b"])]).is_err());
        assert!(SocialProviders::new([acme(), other(CALLBACK)]).is_err());
        let any_port = acme().redirect_uris(["http://127.0.0.1/a"]);
        assert!(SocialProviders::new([any_port.clone(), other("http://127.0.0.1:3000/a")]).is_err());
        assert!(SocialProviders::new([other("http://127.0.0.1:3000/a"), any_port.clone()]).is_err());
        assert!(SocialProviders::new([any_port.clone(), other("http://127.0.0.1:3000/b")]).is_ok());
        assert_eq!(any_port.redirect_uri(None), Some(CALLBACK));
        assert_eq!(any_port.redirect_uri(Some("http://127.0.0.1:9/a")), Some("http://127.0.0.1:9/a"));
        assert_eq!(any_port.redirect_uri(Some("http://127.0.0.1:9/b")), None);
    }
}
