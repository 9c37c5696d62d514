//! One provider: which kinds there are, and where they are.

use super::redirect;
use super::{ClientAuth, LinkByEmail, OAuthEndpoints, ReadsProfile, Trust};
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A provider with which users can sign in. [`SocialProviders::new`](super::SocialProviders::new) says what is wrong with one.
///
/// The client id, the client secret and the redirect URI are those of the program's registration at the provider. A redirect URI is
/// compared byte by byte.
///
/// ```
/// use axum_auth_module::social::{SocialProvider, Trust};
///
/// # let (id, secret) = ("id", "secret");
/// let google = SocialProvider::google(id, secret, "https://app.example/web/auth/oauth/google/callback")
///     .hosted_domains(["example.com"]) // a Google Workspace that is yours
///     .id_token_audiences([id]); // for Google One Tap
/// let acme = SocialProvider::oidc("acme", "https://id.acme.example", id, "https://app.example/web/auth/oauth/acme/callback")
///     .client_secret(secret)
///     .trust(Trust::Authoritative); // your own, which runs the users' mailboxes
/// # drop((google, acme));
/// ```
#[derive(Clone)]
pub struct SocialProvider {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) client_id: String,
    pub(super) client_secret: Option<Zeroizing<String>>,
    pub(super) client_auth: Option<ClientAuth>,
    pub(super) redirect_uris: Vec<String>,
    pub(super) audiences: Vec<String>,
    pub(super) scopes: Vec<String>,
    pub(super) parameters: Vec<(String, String)>,
    pub(super) trust: Option<Trust>,
    pub(super) link_by_email: LinkByEmail,
    pub(super) hosted_domains: Vec<String>,
}

/// What a provider speaks.
#[derive(Clone)]
pub(crate) enum Kind {
    /// OpenID Connect with discovery.
    OpenId {
        issuer: String,
        /// Whose rules about addresses there are.
        rules: Rules,
    },
    /// GitHub, or a server of GitHub Enterprise.
    GitHub { url: String, api: String },
    /// OAuth 2, and the host reads the profile.
    OAuth { endpoints: OAuthEndpoints, profile: Arc<dyn ReadsProfile> },
}

/// When the word of an OpenID provider about an address counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// `email_verified` is `true`.
    Standard,
    /// As standard, and Google runs the mailboxes of `gmail.com` and of a Workspace.
    Google,
    /// `xms_edov` is true.
    Microsoft,
    /// `email_verified` is `true`, also as text.
    Apple,
}

/// Where the endpoints of a provider are.
pub(crate) enum Endpoints<'a> {
    /// In the metadata of this issuer.
    Discovered(&'a str),
    /// Here: the authorization endpoint and the token endpoint.
    Fixed { authorize: String, token: String },
}

pub(super) const GITHUB: (&str, &str) = ("https://github.com", "https://api.github.com");

impl SocialProvider {
    /// Google, with the name `google`. Its word about an address is [`Trust::Authoritative`] for `gmail.com`, and for the domains of
    /// [`hosted_domains`](Self::hosted_domains); otherwise it is [`Trust::Verified`].
    pub fn google(
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
        redirect_uri: impl Into<String>,
    ) -> Self {
        let kind = Kind::OpenId { issuer: "https://accounts.google.com".to_owned(), rules: Rules::Google };
        Self::new("google", kind, client_id, Some(redirect_uri.into())).client_secret(client_secret)
    }

    /// GitHub, with the name `github`. The address is the primary one, which counts if GitHub has verified it.
    pub fn github(
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
        redirect_uri: impl Into<String>,
    ) -> Self {
        let kind = Kind::GitHub { url: GITHUB.0.to_owned(), api: GITHUB.1.to_owned() };
        Self::new("github", kind, client_id, Some(redirect_uri.into())).client_secret(client_secret)
    }

    /// Microsoft Entra, with the name `microsoft`: the users of one tenant, whose id is a UUID. The tenant of personal accounts is
    /// `9188040d-6c67-4c5b-b112-36a304b66dad`. The names `common` and `organizations` and a domain are no tenants: their metadata has
    /// another issuer than was asked.
    ///
    /// An address counts only with the optional claim `xms_edov`, which an administrator switches on in the registration of the
    /// program: everybody with a tenant can write any address into its accounts.
    pub fn microsoft(
        tenant: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
        redirect_uri: impl Into<String>,
    ) -> Self {
        let tenant = tenant.into().to_ascii_lowercase();
        let issuer = format!("https://login.microsoftonline.com/{tenant}/v2.0");
        let kind = Kind::OpenId { issuer, rules: Rules::Microsoft };
        let provider = Self::new("microsoft", kind, client_id, Some(redirect_uri.into()));
        provider.client_secret(client_secret).client_auth(ClientAuth::Post)
    }

    /// Apple in apps, with the name `apple`: ID tokens alone, for these client ids, which are the bundle ids of the apps. There is no web
    /// flow; the documentation of the [module](crate::social) says why.
    pub fn apple_native(client_ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let kind = Kind::OpenId { issuer: "https://appleid.apple.com".to_owned(), rules: Rules::Apple };
        Self::new("apple", kind, "", None).id_token_audiences(client_ids)
    }

    /// An OpenID provider of any kind, whose metadata are at `{issuer}/.well-known/openid-configuration` (OpenID Connect Discovery). Its
    /// word about an address counts if `email_verified` is `true`. Without [`client_secret`](Self::client_secret) the program is a
    /// public client.
    ///
    /// The issuer identifies the provider in stored identities: with another issuer the stored ones match nobody any more.
    pub fn oidc(
        name: impl Into<String>,
        issuer: impl Into<String>,
        client_id: impl Into<String>,
        redirect_uri: impl Into<String>,
    ) -> Self {
        let kind = Kind::OpenId { issuer: issuer.into(), rules: Rules::Standard };
        Self::new(name, kind, client_id, Some(redirect_uri.into()))
    }

    /// A provider of OAuth 2 without OpenID Connect. The host reads who has signed in.
    pub fn oauth2(
        name: impl Into<String>,
        endpoints: OAuthEndpoints,
        client_id: impl Into<String>,
        redirect_uri: impl Into<String>,
        profile: impl ReadsProfile,
    ) -> Self {
        let kind = Kind::OAuth { endpoints, profile: Arc::new(profile) };
        Self::new(name, kind, client_id, Some(redirect_uri.into()))
    }

    fn new(
        name: impl Into<String>,
        kind: Kind,
        client_id: impl Into<String>,
        redirect_uri: Option<String>,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            client_id: client_id.into(),
            client_secret: None,
            client_auth: None,
            redirect_uris: redirect_uri.into_iter().collect(),
            audiences: Vec::new(),
            scopes: Vec::new(),
            parameters: Vec::new(),
            trust: None,
            link_by_email: LinkByEmail::default(),
            hosted_domains: Vec::new(),
        }
    }

    /// The name, which is in the paths of the endpoints.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the browser can be sent to the provider.
    pub(crate) fn has_web_flow(&self) -> bool {
        !self.redirect_uris.is_empty()
    }

    /// Whether apps can present ID tokens of the provider.
    pub(crate) fn takes_id_tokens(&self) -> bool {
        !self.audiences.is_empty()
    }

    /// The redirect URI of a flow: the first one, or the one that was asked for. `None` if it is not configured. It can have a port that
    /// the configuration leaves open, so the caller keeps it for the token request.
    pub(crate) fn redirect_uri<'a>(&'a self, asked: Option<&'a str>) -> Option<&'a str> {
        match asked {
            None => self.redirect_uris.first().map(String::as_str),
            Some(asked) => self.allows_redirect(asked).then_some(asked),
        }
    }

    fn allows_redirect(&self, uri: &str) -> bool {
        self.redirect_uris.iter().any(|configured| redirect::allows(configured, uri))
    }

    /// Whether a first sign-in is connected to an existing account.
    pub(crate) const fn links_by_email(&self) -> LinkByEmail {
        self.link_by_email
    }

    /// Whether the provider's word about an address can be authoritative.
    pub(crate) fn can_be_authoritative(&self) -> bool {
        match (self.trust, &self.kind) {
            (Some(trust), _) => trust == Trust::Authoritative,
            (None, kind) => matches!(kind, Kind::OpenId { rules: Rules::Google, .. } | Kind::OAuth { .. }),
        }
    }

    /// What the provider speaks.
    pub(crate) const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Where the endpoints are.
    pub(crate) fn endpoints(&self) -> Endpoints<'_> {
        match &self.kind {
            Kind::OpenId { issuer, .. } => Endpoints::Discovered(issuer),
            Kind::GitHub { url, .. } => Endpoints::Fixed {
                authorize: format!("{url}/login/oauth/authorize"),
                token: format!("{url}/login/oauth/access_token"),
            },
            Kind::OAuth { endpoints: OAuthEndpoints { authorize, token }, .. } => {
                Endpoints::Fixed { authorize: authorize.clone(), token: token.clone() }
            }
        }
    }

    /// What identifies the provider in stored identities.
    pub(crate) fn issuer(&self) -> &str {
        match &self.kind {
            Kind::OpenId { issuer, .. } => issuer,
            Kind::GitHub { url, .. } if url == GITHUB.0 => "github",
            Kind::GitHub { url, .. } => url,
            Kind::OAuth { endpoints, .. } => &endpoints.token,
        }
    }

    /// The client id of the web flow.
    pub(crate) fn client_id(&self) -> &str {
        &self.client_id
    }

    /// The client secret.
    pub(crate) fn secret(&self) -> Option<&str> {
        self.client_secret.as_ref().map(|secret| secret.as_str())
    }

    /// How the token endpoint is told the secret, if the configuration says so.
    pub(crate) fn configured_client_auth(&self) -> Option<ClientAuth> {
        let is_github = matches!(self.kind, Kind::GitHub { .. });
        self.client_auth.or(is_github.then_some(ClientAuth::Post))
    }

    /// The client ids whose ID tokens apps can present.
    pub(crate) fn audiences(&self) -> &[String] {
        &self.audiences
    }

    /// The value of `scope`, or nothing.
    pub(crate) fn scope(&self) -> String {
        let is_openid = matches!(self.kind, Kind::OpenId { .. });
        let standard: &[&str] = match &self.kind {
            Kind::OpenId { .. } => &["openid", "email", "profile"],
            Kind::GitHub { .. } => &["read:user", "user:email"],
            Kind::OAuth { .. } => &[],
        };
        if self.scopes.is_empty() {
            return standard.join(" ");
        }
        let has_openid = self.scopes.iter().any(|scope| scope == "openid");
        let first = (is_openid && !has_openid).then_some("openid");
        first.into_iter().chain(self.scopes.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }

    /// The value of `prompt` with which the provider asks the user again. Google knows no `login`.
    pub(crate) const fn asks_again(&self) -> &'static str {
        match self.kind {
            Kind::OpenId { rules: Rules::Google, .. } => "select_account",
            _ => "login",
        }
    }

    /// Further parameters of the authorization request.
    pub(crate) fn parameters(&self) -> &[(String, String)] {
        &self.parameters
    }

    /// What the provider's word is worth, if the configuration says so.
    pub(crate) const fn configured_trust(&self) -> Option<Trust> {
        self.trust
    }

    /// Whether the domain is one of the Workspaces of the host.
    pub(crate) fn hosts_domain(&self, domain: &str) -> bool {
        self.hosted_domains.iter().any(|hosted| hosted.eq_ignore_ascii_case(domain))
    }

    /// The URLs that the host has written, to whose hosts requests may go wherever they are.
    pub(crate) fn configured_urls(&self) -> Vec<&str> {
        match &self.kind {
            Kind::OpenId { issuer, rules: Rules::Standard } => vec![issuer],
            Kind::OpenId { .. } => Vec::new(),
            Kind::GitHub { url, .. } if url == GITHUB.0 => Vec::new(),
            Kind::GitHub { url, api } => vec![url, api],
            Kind::OAuth { endpoints, .. } => vec![&endpoints.authorize, &endpoints.token],
        }
    }
}

/// Shows the name alone.
impl fmt::Debug for SocialProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SocialProvider").field("name", &self.name).finish_non_exhaustive()
    }
}
