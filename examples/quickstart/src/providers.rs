//! Which providers people can sign in with, as the environment says it.

use axum::http::Uri;
use axum_auth_module::config::ConfigProblem;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// The providers that the environment configures.
#[derive(Default)]
pub(crate) struct Providers {
    pub(crate) openid: Vec<OpenIdProvider>,
    pub(crate) google: Option<KnownProvider>,
    pub(crate) github: Option<GithubProvider>,
}

/// A provider with OpenID Connect.
pub(crate) struct OpenIdProvider {
    pub(crate) name: String,
    pub(crate) issuer: String,
    pub(crate) client_id: String,
    /// Without one, the client is public.
    pub(crate) client_secret: Option<String>,
    /// The first is used if a request names none.
    pub(crate) redirect_uris: Vec<String>,
    pub(crate) trust: Word,
    pub(crate) link_by_email: Link,
    /// The clients whose ID tokens are accepted: those of the apps.
    pub(crate) id_token_audiences: Vec<String>,
}

/// A provider that the library knows.
pub(crate) struct KnownProvider {
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
    pub(crate) redirect_uri: String,
}

/// GitHub, or a GitHub Enterprise Server.
pub(crate) struct GithubProvider {
    pub(crate) client: KnownProvider,
    /// Where its pages and its API are, if not at github.com.
    pub(crate) urls: Option<[String; 2]>,
}

/// What a provider's word about an address is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Nothing,
    Verified,
    Authoritative,
}

/// Whether an identity is linked to an account that has the same verified address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Never,
    Verified,
}

/// What the variables of an OpenID provider are called, after their prefix.
const OPENID: [&str; 8] = [
    "NAME",
    "ISSUER",
    "CLIENT_ID",
    "CLIENT_SECRET",
    "REDIRECT_URI",
    "TRUST",
    "LINK_BY_EMAIL",
    "ID_TOKEN_AUDIENCES",
];

impl Providers {
    /// Reads the providers. `page` is where the quickstart's page is: `http://localhost:3000`.
    ///
    /// # Errors
    /// All that is wrong, without the values.
    pub(crate) fn read(
        variable: impl Fn(&str) -> Option<String>,
        page: &str,
    ) -> Result<Self, Vec<ConfigProblem>> {
        let mut reader = Reader { variable: &variable, page, problems: Vec::new() };
        let openid = [("OIDC", "oidc"), ("OIDC2", "oidc2")];
        let openid: Vec<_> =
            openid.into_iter().filter_map(|(prefix, name)| reader.openid(prefix, name)).collect();
        let google = reader.known("GOOGLE", "google");
        let github = reader.github();
        let mut names = BTreeSet::from([("google"), ("github")]);
        let mut problems = reader.problems;
        for (provider, variable) in openid.iter().zip(["OIDC_NAME", "OIDC2_NAME"]) {
            if !names.insert(&provider.name) {
                problems.push(ConfigProblem::new(variable, "another provider has this name"));
            }
        }
        match problems.is_empty() {
            true => Ok(Self { openid, google, github }),
            false => Err(problems),
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.openid.is_empty() && self.google.is_none() && self.github.is_none()
    }
}

struct Reader<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    page: &'a str,
    problems: Vec<ConfigProblem>,
}

impl Reader<'_> {
    fn wrong(&mut self, name: String, message: impl Into<String>) {
        self.problems.push(ConfigProblem::new(name, message));
    }

    /// A variable without which another makes no sense.
    fn required(&mut self, name: String, with: &str) -> Option<String> {
        let value = (self.variable)(&name);
        if value.is_none() {
            self.wrong(name, format!("required with {with}"));
        }
        value
    }

    /// A variable that is one of these words. The first is the default.
    fn word<T: Copy>(&mut self, name: String, words: &[(&str, T)]) -> Option<T> {
        let Some(value) = (self.variable)(&name) else { return words.first().map(|(_, word)| *word) };
        let found = words.iter().find(|(word, _)| *word == value).map(|(_, word)| *word);
        if found.is_none() {
            let words: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            self.wrong(name, format!("expected one of {}", words.join(", ")));
        }
        found
    }

    fn list(&self, name: &str) -> Vec<String> {
        let text = (self.variable)(name).unwrap_or_default();
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(ToOwned::to_owned).collect()
    }

    /// Where a provider sends people back to.
    fn callback(&self, name: &str) -> String {
        format!("{}/web/auth/oauth/{name}/callback", self.page)
    }

    fn openid(&mut self, prefix: &str, default: &str) -> Option<OpenIdProvider> {
        let named = |name: &str| format!("{prefix}_{name}");
        let first = OPENID.into_iter().map(named).find(|name| (self.variable)(name).is_some())?;
        let before = self.problems.len();
        let issuer = self.required(named("ISSUER"), &first);
        let client_id = self.required(named("CLIENT_ID"), &first);
        if issuer.as_ref().is_some_and(|issuer| !is_issuer(issuer)) {
            let expected = "expected an address with https and without a query, or one of this machine";
            self.wrong(named("ISSUER"), expected);
        }
        let name = (self.variable)(&named("NAME")).unwrap_or_else(|| default.to_owned());
        if !is_name(&name) {
            self.wrong(named("NAME"), "expected 1 to 32 lower-case letters, digits or `-`");
        }
        let mut redirect_uris = self.list(&named("REDIRECT_URI"));
        if redirect_uris.is_empty() {
            redirect_uris.push(self.callback(&name));
        }
        let trust = self.word(
            named("TRUST"),
            &[("verified", Word::Verified), ("none", Word::Nothing), ("authoritative", Word::Authoritative)],
        );
        let link_by_email =
            self.word(named("LINK_BY_EMAIL"), &[("never", Link::Never), ("verified", Link::Verified)]);
        let provider = OpenIdProvider {
            name,
            issuer: issuer?,
            client_id: client_id?,
            client_secret: (self.variable)(&named("CLIENT_SECRET")),
            redirect_uris,
            trust: trust?,
            link_by_email: link_by_email?,
            id_token_audiences: self.list(&named("ID_TOKEN_AUDIENCES")),
        };
        (self.problems.len() == before).then_some(provider)
    }

    fn known(&mut self, prefix: &str, name: &str) -> Option<KnownProvider> {
        let [id, secret] = ["CLIENT_ID", "CLIENT_SECRET"].map(|part| format!("{prefix}_{part}"));
        if (self.variable)(&id).is_none() && (self.variable)(&secret).is_none() {
            return None;
        }
        let client_id = self.required(id.clone(), &secret);
        let client_secret = self.required(secret, &id);
        let redirect_uri = self.callback(name);
        Some(KnownProvider { client_id: client_id?, client_secret: client_secret?, redirect_uri })
    }

    fn github(&mut self) -> Option<GithubProvider> {
        let [url, api] = ["GITHUB_URL", "GITHUB_API_URL"];
        let urls = match ((self.variable)(url), (self.variable)(api)) {
            (None, None) => None,
            (Some(page), Some(api)) => Some([page, api]),
            (Some(_), None) => {
                self.wrong(api.to_owned(), format!("required with {url}"));
                None
            }
            (None, Some(_)) => {
                self.wrong(url.to_owned(), format!("required with {api}"));
                None
            }
        };
        let client = self.known("GITHUB", "github");
        if client.is_none() && urls.is_some() {
            let _ = self.required("GITHUB_CLIENT_ID".to_owned(), url);
        }
        Some(GithubProvider { client: client?, urls })
    }
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=32).contains(&name.len()) && name.bytes().all(fits)
}

/// An issuer is compared with what the provider says of itself, so it is not changed in any way.
fn is_issuer(text: &str) -> bool {
    let Ok(uri) = text.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_local = host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    let has_scheme = match uri.scheme_str() {
        Some("https") => !host.is_empty(),
        Some("http") => is_local,
        _ => false,
    };
    has_scheme && uri.query().is_none() && !text.contains(['#', '?'])
}
