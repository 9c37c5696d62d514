//! What can be set of a provider.

use super::provider::Kind;
use super::{ClientAuth, LinkByEmail, SocialProvider, Trust};
use zeroize::Zeroizing;

impl SocialProvider {
    /// Another name, for two providers of one kind, such as two tenants. The name is in the paths of the endpoints. Stored identities do
    /// not depend on it.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The secret of a confidential client. Without it the program is a public client, which PKCE alone protects.
    #[must_use]
    pub fn client_secret(self, secret: impl Into<String>) -> Self {
        Self { client_secret: Some(Zeroizing::new(secret.into())), ..self }
    }

    /// How the token endpoint is told the secret. Default: [`ClientAuth::Post`] for GitHub and Microsoft, and for a provider whose
    /// metadata list `client_secret_post` without `client_secret_basic`; otherwise [`ClientAuth::Basic`].
    #[must_use]
    pub fn client_auth(self, client_auth: ClientAuth) -> Self {
        Self { client_auth: Some(client_auth), ..self }
    }

    /// Adds redirect URIs beside the first one, for several hosts or for apps. Which of them a flow has, the client says.
    #[must_use]
    pub fn redirect_uris(mut self, uris: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.redirect_uris.extend(uris.into_iter().map(Into::into));
        self
    }

    /// The client ids of the ID tokens that apps and Google One Tap may present. Both `aud` and, if it is there, `azp` of such a token
    /// must be one of these: for Google on Android list the client id of the web (`aud`) and those of the Android apps (`azp`).
    /// Default: none, and no ID token is accepted from a client.
    #[must_use]
    pub fn id_token_audiences(self, client_ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { audiences: client_ids.into_iter().map(Into::into).collect(), ..self }
    }

    /// The scopes to ask for. An OpenID provider is always asked for `openid`. Default: `openid email profile`; for GitHub
    /// `read:user user:email`; for OAuth 2 the request has no scope.
    #[must_use]
    pub fn scopes(self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { scopes: scopes.into_iter().map(Into::into).collect(), ..self }
    }

    /// Adds a parameter to the authorization request, such as `prompt` or `hd`. The library's own ones cannot be set:
    /// `response_type`, `response_mode`, `client_id`, `redirect_uri`, `scope`, `state`, `nonce`, `code_challenge`,
    /// `code_challenge_method`, `max_age`, `request`, `request_uri`.
    #[must_use]
    pub fn authorize_parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// What the provider's word is worth about an address that it says is verified. Default: [`Trust::Verified`]. For Google and for
    /// OAuth 2 it is the most that the word can be worth, and by default what the rules of Google or the host's profile say.
    ///
    /// [`Trust::Authoritative`] is for a provider that runs the mailboxes of all of its users: with it, who has an address there becomes
    /// the owner of an account with this address that was never verified.
    #[must_use]
    pub fn trust(self, trust: Trust) -> Self {
        Self { trust: Some(trust), ..self }
    }

    /// Whether a first sign-in is connected to an existing account by its address alone. Default: [`LinkByEmail::Never`].
    #[must_use]
    pub fn link_by_email(self, link_by_email: LinkByEmail) -> Self {
        Self { link_by_email, ..self }
    }

    /// The domains of Google Workspaces that belong to the host. An address in one of them is [`Trust::Authoritative`]; an address in
    /// another Workspace is [`Trust::Verified`], because the buyer of a lapsed domain can open a Workspace with its name. For Google alone.
    #[must_use]
    pub fn hosted_domains(self, domains: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { hosted_domains: domains.into_iter().map(Into::into).collect(), ..self }
    }

    /// A server of GitHub Enterprise in place of github.com: its URL, which identifies it in stored identities, and the URL of its REST
    /// API (`https://github.example`, `https://github.example/api/v3`), both without a slash at the end. For GitHub alone.
    #[must_use]
    pub fn github_server(mut self, url: impl Into<String>, api: impl Into<String>) -> Self {
        let (url, api) = (url.into(), api.into());
        match &mut self.kind {
            Kind::GitHub { url: own_url, api: own_api } => (*own_url, *own_api) = (url, api),
            // Which no provider can be: `check` refuses it.
            _ => self.kind = Kind::GitHub { url: String::new(), api: String::new() },
        }
        self
    }
}
