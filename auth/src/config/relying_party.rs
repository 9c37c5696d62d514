//! The relying party of passkeys (WebAuthn Level 3 §4): for which sites they are, and what they are called.

use super::ConfigError;
use crate::origin::Origin;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

/// The longest name of a host (RFC 1035 §2.3.4).
const LONGEST_ID: usize = 253;
/// The most characters of the name.
const NAME_CHARS: usize = 64;
/// How many different sites related origins can be of: browsers read no more (WebAuthn Level 3 §5.11).
const MOST_LABELS: usize = 5;
/// The beginning of the origin of an Android app.
const ANDROID: &str = "android:apk-key-hash:";

/// The relying party of passkeys: the id, to which the browser binds every passkey, the name, and the origins of the pages that may
/// use them.
///
/// ```
/// use axum_auth_module::config::RelyingParty;
///
/// # fn main() -> Result<(), axum_auth_module::config::InvalidRelyingParty> {
/// let site = RelyingParty::new("example.com", "Example", ["https://example.com", "https://app.example.com"])?;
/// # assert_eq!(site.id(), "example.com");
/// # Ok(()) }
/// ```
///
/// The id cannot be changed later: passkeys of another id do not work any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    id: String,
    name: String,
    origins: Vec<String>,
    related: Vec<String>,
    pages: Pages,
}

/// Where a user manages passkeys, for `/.well-known/passkey-endpoints`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Pages {
    enroll: Option<String>,
    manage: Option<String>,
}

#[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone read it"))]
impl RelyingParty {
    /// A relying party with this id, this name, which the browser can show, and the origins of its pages.
    ///
    /// `id` is a DNS name in lower case, or `localhost`: the host of the pages, or a parent of it. An origin is a scheme, a host and,
    /// if it is not the scheme's own, a port: `https://app.example.com`. Its host is the id or below it, and its scheme `https`, or
    /// `http` on the machine itself. Origins are compared as a whole.
    ///
    /// # Errors
    /// [`InvalidRelyingParty`] says what is wrong.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        origins: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, InvalidRelyingParty> {
        let (id, name) = (id.into(), name.into());
        if !is_id(&id) {
            return Err(InvalidRelyingParty::new(
                "id",
                "expected a DNS name in lower case, such as `example.com`, or `localhost`",
            ));
        }
        if name.trim().is_empty() || name.chars().count() > NAME_CHARS {
            return Err(InvalidRelyingParty::new("name", "expected 1 to 64 characters"));
        }
        let origins = Vec::from_iter(origins.into_iter().map(Into::into));
        if origins.is_empty() {
            return Err(InvalidRelyingParty::new(
                "origins",
                "expected at least one, such as `https://example.com`",
            ));
        }
        for origin in &origins {
            let host = host_of_page("origins", origin)?;
            let is_of_id = host == id || host.strip_suffix(&id).is_some_and(|rest| rest.ends_with('.'));
            if !is_of_id {
                let message =
                    format!("`{origin}` is not at or below `{id}`; other sites are related origins");
                return Err(InvalidRelyingParty::new("origins", message));
            }
        }
        Ok(Self { id, name, origins, related: Vec::new(), pages: Pages::default() })
    }

    /// Adds pages of other sites, which may use the passkeys of this one: `https://example.co.uk`. They can be of at most five
    /// different names before the suffix (`example` in `example.co.uk`). Browsers learn of them by `GET /.well-known/webauthn` at the
    /// host of the id, which `AuthModule::well_known` serves.
    ///
    /// # Errors
    /// [`InvalidRelyingParty`] says what is wrong.
    pub fn related_origins(
        mut self,
        origins: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, InvalidRelyingParty> {
        for origin in origins {
            let origin = origin.into();
            host_of_page("related_origins", &origin)?;
            self.related.push(origin);
        }
        let hosts = self.related.iter().filter_map(|origin| host_of_page("related_origins", origin).ok());
        // The public suffix is not known here. With fewer hosts than labels that are allowed, there are no more labels, either.
        let hosts: BTreeSet<_> = hosts.collect();
        if labels(&hosts) > MOST_LABELS {
            return Err(InvalidRelyingParty::new(
                "related_origins",
                "expected pages of at most 5 different sites",
            ));
        }
        Ok(self)
    }

    /// Adds an Android app: the SHA-256 of its signing certificate, in base64url without padding, with or without
    /// `android:apk-key-hash:` in front of it.
    ///
    /// # Errors
    /// [`InvalidRelyingParty`] if it is no such hash.
    pub fn android(mut self, hash: &str) -> Result<Self, InvalidRelyingParty> {
        let hash = hash.strip_prefix(ANDROID).unwrap_or(hash);
        if URL_SAFE_NO_PAD.decode(hash).is_ok_and(|bytes| bytes.len() == 32) {
            self.origins.push(format!("{ANDROID}{hash}"));
            return Ok(self);
        }
        Err(InvalidRelyingParty::new("android", "expected the 43 characters of a SHA-256 in base64url"))
    }

    /// Names the page on which a user adds a passkey. Password managers lead to it (`/.well-known/passkey-endpoints`).
    ///
    /// # Errors
    /// [`InvalidRelyingParty`] unless it is a URL with `https`, or of the machine itself.
    pub fn enroll_page(mut self, url: impl Into<String>) -> Result<Self, InvalidRelyingParty> {
        self.pages.enroll = Some(page("enroll_page", url.into())?);
        Ok(self)
    }

    /// Names the page on which a user manages passkeys. Password managers lead to it (`/.well-known/passkey-endpoints`).
    ///
    /// # Errors
    /// [`InvalidRelyingParty`] unless it is a URL with `https`, or of the machine itself.
    pub fn manage_page(mut self, url: impl Into<String>) -> Result<Self, InvalidRelyingParty> {
        self.pages.manage = Some(page("manage_page", url.into())?);
        Ok(self)
    }

    /// The beginning of the origin of an Android app.
    pub(crate) const ANDROID: &str = ANDROID;

    /// The id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a page or an app of this origin may use the passkeys.
    pub(crate) fn has_origin(&self, origin: &str) -> bool {
        self.origins.iter().chain(&self.related).any(|own| own == origin)
    }

    /// The origins of all pages, without apps.
    pub(crate) fn all_pages(&self) -> impl Iterator<Item = &str> {
        let is_page = |origin: &&str| !origin.starts_with(ANDROID);
        self.origins.iter().chain(&self.related).map(String::as_str).filter(is_page)
    }

    /// The pages of other sites.
    pub(crate) fn related(&self) -> &[String] {
        &self.related
    }

    /// The pages on which a user adds a passkey, and manages them.
    pub(crate) fn pages(&self) -> (Option<&str>, Option<&str>) {
        (self.pages.enroll.as_deref(), self.pages.manage.as_deref())
    }
}

/// Why there is no such relying party: which part is wrong, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRelyingParty {
    part: &'static str,
    message: String,
}

impl InvalidRelyingParty {
    fn new(part: &'static str, message: impl Into<String>) -> Self {
        Self { part, message: message.into() }
    }

    /// The option of the environment that has the part, and the message.
    pub(crate) fn problem(self) -> (&'static str, String) {
        let option = match self.part {
            "id" => "relying_party.id",
            "name" => "relying_party.name",
            "related_origins" => "relying_party.related_origins",
            _ => "relying_party.origins",
        };
        (option, self.message)
    }
}

impl fmt::Display for InvalidRelyingParty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "relying party, {}: {}", self.part, self.message)
    }
}

impl Error for InvalidRelyingParty {}

impl From<InvalidRelyingParty> for ConfigError {
    fn from(invalid: InvalidRelyingParty) -> Self {
        let (option, message) = invalid.problem();
        Self::one(option, message)
    }
}

/// Whether the text is a host's name in lower case with at least two labels, or `localhost`.
fn is_id(id: &str) -> bool {
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (1..=63).contains(&label.len())
            && label.bytes().all(is_inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_address =
        || id.rsplit('.').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    id == "localhost"
        || (id.len() <= LONGEST_ID && id.contains('.') && id.split('.').all(is_label) && !is_address())
}

/// The host of an origin exactly as a browser writes it, with a connection that nobody reads.
fn host_of_page<'a>(part: &'static str, origin: &'a str) -> Result<&'a str, InvalidRelyingParty> {
    let refuse = |what: &str| Err(InvalidRelyingParty::new(part, format!("`{origin}` {what}")));
    let Some(parsed) = Origin::parse(origin) else {
        return refuse("is no origin, such as `https://example.com`, without a slash at the end");
    };
    if origin != origin.to_ascii_lowercase() {
        return refuse("has capital letters: browsers write an origin in lower case");
    }
    if !parsed.is_secure() {
        return refuse("is not encrypted: expected `https://`");
    }
    let (scheme, authority) = origin.split_once("://").unwrap_or_default();
    let (host, port) = authority.rsplit_once(':').unwrap_or((authority, ""));
    if (scheme, port) == ("https", "443") || (scheme, port) == ("http", "80") || port.starts_with('0') {
        return refuse("has a port that browsers leave out");
    }
    Ok(host)
}

/// How many different names before a suffix these hosts have at most: those that share a name and differ in the suffix count once.
fn labels(hosts: &BTreeSet<&str>) -> usize {
    let name = |host: &&str| {
        let mut labels = host.split('.').rev();
        let (suffix, name) = (labels.next()?, labels.next()?);
        // `co.uk` and its like: a short label before a country's.
        let is_below_country = suffix.len() == 2 && name.len() <= 3;
        Some(labels.next().filter(|_| is_below_country).unwrap_or(name).to_owned())
    };
    hosts.iter().map(name).collect::<BTreeSet<_>>().len()
}

/// A URL of a page over a connection that nobody reads.
fn page(part: &'static str, url: String) -> Result<String, InvalidRelyingParty> {
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_page = Origin::parse(&format!("{scheme}://{authority}")).is_some_and(|origin| origin.is_secure())
        && url.bytes().all(|byte| byte.is_ascii_graphic());
    if is_page {
        return Ok(url);
    }
    Err(InvalidRelyingParty::new(part, "expected a URL, such as `https://example.com/passkeys`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(id: &str, origins: &[&str]) -> Result<RelyingParty, InvalidRelyingParty> {
        RelyingParty::new(id, "Example", origins.iter().copied())
    }

    #[test]
    fn an_id_is_a_name_in_lower_case() {
        for id in ["localhost", "example.com", "a-b.example.co.uk", "xn--exmple-cua.com"] {
            assert!(is_id(id), "{id}");
        }
        let long = format!("{}.com", "a.".repeat(130));
        for id in [
            "",
            "com",
            "Example.com",
            "example.com.",
            ".example.com",
            "exa mple.com",
            "exämple.com",
            "192.0.2.1",
            "[::1]",
            "https://example.com",
            "example.com:8443",
            "-a.com",
            "a-.com",
            "a..com",
            &long,
        ] {
            assert!(!is_id(id), "{id}");
        }
    }

    #[test]
    fn an_origin_is_written_as_browsers_write_it_at_or_below_the_id() {
        for origin in ["https://example.com", "https://app.example.com", "https://a.b.example.com:8443"] {
            assert!(site("example.com", &[origin]).is_ok(), "{origin}");
        }
        for origin in [
            "http://localhost:3000",
            "http://localhost",
            "https://localhost:8443",
            "http://app.localhost:3000",
        ] {
            assert!(site("localhost", &[origin]).is_ok(), "{origin}");
        }
        for origin in [
            "https://example.com/",
            "https://example.com:443",
            "http://example.com",
            "https://Example.com",
            "example.com",
            "https://badexample.com",
            "https://example.com.evil.test",
            "https://example.org",
            "https://com",
            "null",
            "",
            "https://example.com:08443",
            "http://localhost:3000",
            "android:apk-key-hash:abc",
        ] {
            assert!(site("example.com", &[origin]).is_err(), "{origin}");
        }
        assert!(site("localhost", &["http://127.0.0.1:3000"]).is_err());
        assert!(site("example.com", &[]).is_err());
    }

    #[test]
    fn an_origin_is_compared_as_a_whole() {
        let site = site("example.com", &["https://example.com"]).unwrap();
        assert!(site.has_origin("https://example.com"));
        for other in [
            "https://example.com:8443",
            "https://app.example.com",
            "https://EXAMPLE.com",
            "http://example.com",
            "null",
            "",
        ] {
            assert!(!site.has_origin(other), "{other}");
        }
    }

    #[test]
    fn related_origins_are_of_at_most_five_sites() {
        let site = site("example.com", &["https://example.com"]).unwrap();
        let country = |code| format!("https://example.{code}");
        let countries = ["de", "fr", "it", "es", "pt", "nl", "co.uk"].map(country);
        let site = site.related_origins(countries).unwrap();
        assert!(site.has_origin("https://example.co.uk") && !site.has_origin("https://example.at"));
        let others = |number| (0..number).map(|number| format!("https://other{number}.com"));
        assert!(site.clone().related_origins(others(4)).is_ok());
        assert!(site.clone().related_origins(others(5)).is_err());
        assert!(site.related_origins(["http://example.net"]).is_err());
    }

    #[test]
    fn an_android_app_has_the_hash_of_its_certificate() {
        let site = site("example.com", &["https://example.com"]).unwrap();
        let hash = "A".repeat(43);
        let with = site.clone().android(&hash).unwrap();
        assert!(with.has_origin(&format!("android:apk-key-hash:{hash}")));
        assert_eq!(with, site.clone().android(&format!("android:apk-key-hash:{hash}")).unwrap());
        for wrong in ["", "A", &"A".repeat(44), &format!("{hash}=")] {
            assert!(site.clone().android(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_page_is_a_url_of_a_secure_origin() {
        let site = site("example.com", &["https://example.com"]).unwrap();
        let with = site.clone().enroll_page("https://example.com/passkeys?add=1").unwrap();
        assert_eq!(with.pages(), (Some("https://example.com/passkeys?add=1"), None));
        for wrong in
            ["", "/passkeys", "http://example.com/", "javascript:alert(1)", "https://example.com/a b"]
        {
            assert!(site.clone().manage_page(wrong).is_err(), "{wrong}");
        }
    }
}
