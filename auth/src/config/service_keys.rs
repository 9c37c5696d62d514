//! The keys with which tokens for other services are signed (specification §5.20).

use super::{ConfigError, ConfigProblem};
use crate::crypto::signing::{PublishedKey, SigningKey, new_ed25519_pem};
use crate::error::AuthError;
use crate::web_url::WebUrl;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The lifetimes that a token for a service can have.
const SHORTEST: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(900);
/// The most audiences, and the most characters of one.
const AUDIENCES: usize = 64;
const AUDIENCE_CHARACTERS: usize = 200;

const OPTION: &str = "service_keys";
const NO_KEY: &str = "expected one private key in PKCS#8, as PEM, of Ed25519 or P-256; `openssl genpkey -algorithm ed25519` makes one";
const NO_ED25519: &str =
    "expected one private key of Ed25519 in PKCS#8, as PEM; `openssl genpkey -algorithm ed25519` makes one";
const NO_P256: &str = "expected one private key of P-256 in PKCS#8, as PEM; \
                       `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256` makes one";
const NO_NEXT: &str = "next: expected one key of Ed25519 or P-256 as PEM, public or private in PKCS#8";
const NO_PREVIOUS: &str =
    "previous: expected one key of Ed25519 or P-256 as PEM, public or private in PKCS#8";

/// The keys with which the module signs tokens for other services (SERVICE_TOKENS), and for which services. Clones share the keys.
///
/// The private key signs nothing else, and the module accepts nothing that it has signed. The other services verify the tokens with the
/// public keys, which [`AuthModule::well_known`](crate::AuthModule::well_known) serves.
///
/// ```no_run
/// use axum_auth_module::config::ServiceKeys;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let keys = ServiceKeys::ed25519_pem(&std::fs::read_to_string("service-key.pem")?)?
///     .issuer("https://app.example")
///     .audiences(["billing", "search"]);
/// # Ok(()) }
/// ```
///
/// To change the key: publish the [`next`](Self::next) one, wait until every service has read it, sign with it and keep the public key
/// of the [`previous`](Self::previous) one until the last token that it has signed has expired.
#[derive(Clone)]
pub struct ServiceKeys {
    signing: Arc<SigningKey>,
    current: PublishedKey,
    next: Vec<PublishedKey>,
    previous: Vec<PublishedKey>,
    audiences: Vec<String>,
    lifetime: Duration,
    issuer: Option<String>,
    unreadable: Vec<&'static str>,
}

impl ServiceKeys {
    /// Signs with a key of Ed25519 (`EdDSA`, RFC 8037): a private key in PKCS#8, as PEM.
    ///
    /// # Errors
    /// A [`ConfigError`] for the option `service_keys`, which does not contain the text.
    pub fn ed25519_pem(pem: &str) -> Result<Self, ConfigError> {
        let is_ed25519 = |key: &SigningKey| matches!(key, SigningKey::Ed25519(_));
        Self::read(pem, is_ed25519, NO_ED25519)
    }

    /// Signs with a key of P-256 (`ES256`, RFC 7518 §3.4): a private key in PKCS#8, as PEM.
    ///
    /// # Errors
    /// A [`ConfigError`] for the option `service_keys`, which does not contain the text.
    pub fn es256_pem(pem: &str) -> Result<Self, ConfigError> {
        Self::read(pem, |key| matches!(key, SigningKey::Es256(_)), NO_P256)
    }

    /// Signs with a key of either kind, which the PEM text tells.
    ///
    /// # Errors
    /// A [`ConfigError`] for the option `service_keys`, which does not contain the text.
    pub fn pem(pem: &str) -> Result<Self, ConfigError> {
        Self::read(pem, |_| true, NO_KEY)
    }

    /// A new private key of Ed25519 in PKCS#8, as PEM: a secret, for tests, and for hosts that keep one in a file of their own.
    ///
    /// ```
    /// use axum_auth_module::config::ServiceKeys;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let keys = ServiceKeys::ed25519_pem(&ServiceKeys::new_ed25519_pem()?)?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When the operating system has no random bytes.
    pub fn new_ed25519_pem() -> Result<String, AuthError> {
        new_ed25519_pem()
    }

    fn read(
        pem: &str,
        is_expected: impl Fn(&SigningKey) -> bool,
        message: &'static str,
    ) -> Result<Self, ConfigError> {
        let key = SigningKey::from_pem(pem).filter(is_expected);
        let read = key.and_then(|key| Some((key.published()?, key)));
        let (current, signing) = read.ok_or_else(|| ConfigError::one(OPTION, message))?;
        Ok(Self {
            signing: Arc::new(signing),
            current,
            next: Vec::new(),
            previous: Vec::new(),
            audiences: Vec::new(),
            lifetime: Duration::from_secs(300),
            issuer: None,
            unreadable: Vec::new(),
        })
    }

    /// Also publishes a key that will sign later: the public key as PEM, or the private one in PKCS#8, of which the public one is kept.
    #[must_use]
    pub fn next(mut self, pem: &str) -> Self {
        match PublishedKey::from_pem(pem) {
            Some(key) => self.next.push(key),
            None => self.unreadable.push(NO_NEXT),
        }
        self
    }

    /// Also publishes a key that has signed before, in the forms of [`next`](Self::next).
    #[must_use]
    pub fn previous(mut self, public_pem: &str) -> Self {
        match PublishedKey::from_pem(public_pem) {
            Some(key) => self.previous.push(key),
            None => self.unreadable.push(NO_PREVIOUS),
        }
        self
    }

    /// The services for which users can get tokens: 1 to 64 different names of 1 to 200 visible characters of ASCII. A service must refuse
    /// tokens that do not have its name as `aud`.
    #[must_use]
    pub fn audiences(mut self, audiences: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.audiences = audiences.into_iter().map(Into::into).collect();
        self
    }

    /// The lifetime of a token, 60 to 900 seconds. Default 300 seconds. A token outlives its session by at most this time.
    #[must_use]
    pub const fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// The `iss` of the tokens: a URL that begins with `https://`, or of this machine, without a query. Default is the option
    /// `service_issuer`.
    #[must_use]
    pub fn issuer(mut self, url: impl Into<String>) -> Self {
        self.issuer = Some(url.into());
        self
    }

    /// The keys with the issuer of the configuration, if they have none of their own, and what is wrong.
    pub(crate) fn checked(mut self, issuer: Option<&str>) -> (Self, Vec<ConfigProblem>) {
        self.issuer = self.issuer.or_else(|| issuer.map(str::to_owned));
        let mut found: Vec<String> = self.unreadable.iter().copied().map(str::to_owned).collect();
        let ids: HashSet<_> = self.published().map(PublishedKey::id).collect();
        if ids.len() != self.published().count() {
            found.push("the next, the current and the previous keys must be different".to_owned());
        }
        if !(1..=AUDIENCES).contains(&self.audiences.len()) {
            found.push(format!("audiences: expected 1 to {AUDIENCES}"));
        }
        let is_name = |name: &String| {
            (1..=AUDIENCE_CHARACTERS).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !self.audiences.iter().all(is_name) {
            found.push(format!("audiences: expected 1 to {AUDIENCE_CHARACTERS} visible characters of ASCII"));
        }
        if HashSet::<&String>::from_iter(&self.audiences).len() != self.audiences.len() {
            found.push("audiences: expected different ones".to_owned());
        }
        if !(SHORTEST..=LONGEST).contains(&self.lifetime) {
            found.push("lifetime: expected 60 to 900 seconds".to_owned());
        }
        let mut problems: Vec<_> =
            found.into_iter().map(|message| ConfigProblem::new(OPTION, message)).collect();
        let is_issuer = |url: &str| WebUrl::read(url).is_some_and(|url| !url.has_query);
        if !self.issuer.as_deref().is_some_and(is_issuer) {
            problems.push(ConfigProblem::new(
                "service_issuer",
                "SERVICE_TOKENS needs a URL that begins with https://, or of this machine, without a query",
            ));
        }
        (self, problems)
    }

    /// The keys that are published: the next ones, the current one and the previous ones.
    pub(crate) fn published(&self) -> impl Iterator<Item = &PublishedKey> {
        self.next.iter().chain([&self.current]).chain(&self.previous)
    }

    pub(crate) fn signing(&self) -> &SigningKey {
        &self.signing
    }

    /// The `kid` of the key that signs.
    pub(crate) fn key_id(&self) -> &str {
        self.current.id()
    }

    pub(crate) fn token_issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    pub(crate) const fn token_lifetime(&self) -> Duration {
        self.lifetime
    }

    pub(crate) fn has_audience(&self, name: &str) -> bool {
        self.audiences.iter().any(|audience| audience == name)
    }
}

/// Shows the ids of the keys, and not the keys.
impl fmt::Debug for ServiceKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceKeys")
            .field("key_id", &self.key_id())
            .field("audiences", &self.audiences)
            .field("lifetime", &self.lifetime)
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "https://app.example";

    fn keys() -> ServiceKeys {
        ServiceKeys::pem(&new_ed25519_pem().unwrap()).unwrap().audiences(["billing"]).issuer(ISSUER)
    }

    fn problems(keys: ServiceKeys) -> String {
        keys.checked(None).1.iter().map(|problem| format!("{problem}\n")).collect()
    }

    #[test]
    fn every_mistake_is_said() {
        assert_eq!(problems(keys()), "");
        let other = new_ed25519_pem().unwrap();
        let wrong = keys().next("x").previous("x").next(&other).previous(&other);
        let wrong =
            problems(wrong.audiences([""; 2]).lifetime(Duration::from_secs(901)).issuer("app.example"));
        let parts = ["next:", "previous:", "must be different", "1 to 200", "expected different ones"];
        for part in parts.into_iter().chain(["60 to 900 seconds", "service_issuer: SERVICE_TOKENS needs"]) {
            assert!(wrong.contains(part), "{part}: {wrong}");
        }
        assert!(problems(keys().audiences(Vec::<String>::new())).contains("expected 1 to 64"));
        assert!(problems(keys().issuer("https://app.example/?a")).contains("without a query"));
    }

    #[test]
    fn the_issuer_of_the_configuration_is_the_default() {
        let mut without = keys();
        without.issuer = None;
        let (with, problems) = without.clone().checked(Some("https://other.example"));
        assert_eq!((with.token_issuer(), problems.len()), (Some("https://other.example"), 0));
        assert_eq!(keys().checked(Some("https://other.example")).0.token_issuer(), Some(ISSUER));
        assert_eq!(without.checked(None).1.len(), 1);
    }

    #[test]
    fn a_key_of_another_kind_is_refused_and_never_shown() {
        let pem = new_ed25519_pem().unwrap();
        let error = ServiceKeys::es256_pem(&pem).unwrap_err().to_string();
        assert!(error.contains("P-256") && !error.contains(pem.lines().nth(1).unwrap()), "{error}");
        assert!(ServiceKeys::ed25519_pem(&pem).is_ok());
        assert!(ServiceKeys::pem("x").is_err());
        let shown = format!("{:?}", keys().next(&pem));
        assert!(shown.contains("billing") && !shown.contains("PRIVATE"), "{shown}");
    }
}
