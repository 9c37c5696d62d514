//! The options of browser sessions (specification §5.8).

use crate::origin::Origin;
use crate::uri::next_path;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);
const HOUR: Duration = Duration::from_secs(3600);

/// The options of browser sessions: the cookies, the origins that may use them, and the lifetimes.
///
/// ```
/// use axum_auth_module::AuthConfig;
/// use axum_auth_module::config::BrowserOptions;
///
/// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
/// # let [jwt, refresh] = ["the secret that signs access tokens", "another secret, for refresh tokens"];
/// # let key = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
/// let config = AuthConfig::builder(jwt, refresh, key)
///     .browser(BrowserOptions::default().allowed_origins(["https://app.example.com"]))
///     .build()?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct BrowserOptions {
    pub(crate) name: String,
    allowed_origins: Vec<AllowedOrigin>,
    pub(crate) same_site: SameSite,
    pub(crate) idle_lifetime: Duration,
    pub(crate) session_lifetime: Duration,
    pub(crate) remembered_idle_lifetime: Duration,
    pub(crate) remembered_lifetime: Duration,
    pub(crate) login_page: String,
    pub(crate) confirm_page: String,
    pub(crate) two_factor_page: String,
    pub(crate) registration_page: String,
    pub(crate) after_login: String,
    pub(crate) is_insecure: bool,
}

/// The attribute `SameSite` of the cookies (RFC 6265bis §5.6.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SameSite {
    /// The browser sends the cookie when the user follows a link from another site.
    Lax,
    /// It does not: a user who follows a link from a mail arrives logged out.
    Strict,
}

/// An origin as the host has written it. `None`: it is not an origin.
#[derive(Clone, Debug)]
struct AllowedOrigin {
    text: String,
    origin: Option<Origin>,
}

impl Default for BrowserOptions {
    fn default() -> Self {
        Self {
            name: "auth".to_owned(),
            allowed_origins: Vec::new(),
            same_site: SameSite::Lax,
            idle_lifetime: 8 * HOUR,
            session_lifetime: DAY,
            remembered_idle_lifetime: 7 * DAY,
            remembered_lifetime: 30 * DAY,
            login_page: "/login".to_owned(),
            confirm_page: "/confirm".to_owned(),
            two_factor_page: "/two-factor".to_owned(),
            registration_page: "/register".to_owned(),
            after_login: "/".to_owned(),
            is_insecure: false,
        }
    }
}

impl BrowserOptions {
    /// The name of the cookies, 1 to 32 of `a–z`, `0–9` and `-`: with `auth` they are `__Host-Http-auth` and
    /// `__Host-Http-auth-challenge`. Two modules in one application need two names. Default: `auth`.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Other origins whose pages may send requests with the cookie, each as `scheme://host[:port]`: a front end at
    /// `https://app.example.com` for an API at `https://api.example.com`. They must be on the same site, otherwise browsers
    /// send no cookie. The scheme is `https`, unless the host is this machine. Default: none.
    #[must_use]
    pub fn allowed_origins(self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let origin = |text: String| AllowedOrigin { origin: Origin::parse(&text), text };
        Self { allowed_origins: origins.into_iter().map(Into::into).map(origin).collect(), ..self }
    }

    /// The attribute `SameSite` of the cookies. Default: `Lax`.
    #[must_use]
    pub fn same_site(self, same_site: SameSite) -> Self {
        Self { same_site, ..self }
    }

    /// A session that is not remembered ends when it was not used for this time, at least 15 minutes. Default: 8 hours.
    #[must_use]
    pub fn idle_lifetime(self, idle_lifetime: Duration) -> Self {
        Self { idle_lifetime, ..self }
    }

    /// The lifetime of a session that is not remembered, however often it is used. Default: 24 hours.
    #[must_use]
    pub fn session_lifetime(self, session_lifetime: Duration) -> Self {
        Self { session_lifetime, ..self }
    }

    /// A remembered session ends when it was not used for this time, at least 15 minutes. Default: 7 days.
    #[must_use]
    pub fn remembered_idle_lifetime(self, remembered_idle_lifetime: Duration) -> Self {
        Self { remembered_idle_lifetime, ..self }
    }

    /// The lifetime of a remembered session, however often it is used, at most 400 days. Default: 30 days.
    #[must_use]
    pub fn remembered_lifetime(self, remembered_lifetime: Duration) -> Self {
        Self { remembered_lifetime, ..self }
    }

    /// The host's login page: a path, to which [`PageUser`](crate::PageUser) redirects, and to which a browser returns from a provider
    /// that has not signed its user in, with the parameter `error`. As all pages here, it can have a query and a fragment: `/?page=login`,
    /// `/#/login`. Default: `/login`.
    #[must_use]
    pub fn login_page(self, path: impl Into<String>) -> Self {
        Self { login_page: path.into(), ..self }
    }

    /// The host's page on which a user confirms who they are, to which
    /// [`ConfirmedPageUser`](crate::extract::ConfirmedPageUser) and [`AssuredPageUser`](crate::extract::AssuredPageUser) redirect.
    /// Default: `/confirm`.
    #[must_use]
    pub fn confirm_page(self, path: impl Into<String>) -> Self {
        Self { confirm_page: path.into(), ..self }
    }

    /// The host's page for the second factor, to which a browser returns from a provider (SOCIAL_LOGIN). It asks
    /// `GET /two-factor-challenge` with what the challenge can be completed. Default: `/two-factor`.
    #[must_use]
    pub fn two_factor_page(self, path: impl Into<String>) -> Self {
        Self { two_factor_page: path.into(), ..self }
    }

    /// The host's page that completes the registration of somebody who has come from a provider (SOCIAL_LOGIN). It asks
    /// `GET /oauth/pending` what is known already. Default: `/register`.
    #[must_use]
    pub fn registration_page(self, path: impl Into<String>) -> Self {
        Self { registration_page: path.into(), ..self }
    }

    /// Where a browser goes that has signed in with a provider (SOCIAL_LOGIN), if the page has named no `next`. Default: `/`.
    #[must_use]
    pub fn after_login(self, path: impl Into<String>) -> Self {
        Self { after_login: path.into(), ..self }
    }

    /// Cookies that work without TLS, and in Safari on `http://localhost`: without `Secure` and without the prefix of the
    /// name. Anybody on the network can read them, so a host must never do this in production. A module with this option
    /// logs a warning when it starts.
    #[must_use]
    pub fn insecure_for_development(self) -> Self {
        self.insecure(true)
    }

    pub(super) fn insecure(self, is_insecure: bool) -> Self {
        Self { is_insecure, ..self }
    }

    /// How long a session may be idle.
    pub(crate) const fn idle(&self, is_remembered: bool) -> Duration {
        if is_remembered { self.remembered_idle_lifetime } else { self.idle_lifetime }
    }

    /// How long a session may last.
    pub(crate) const fn lifetime(&self, is_remembered: bool) -> Duration {
        if is_remembered { self.remembered_lifetime } else { self.session_lifetime }
    }

    /// Whether pages of this origin may send requests with the cookie.
    pub(crate) fn allows(&self, origin: &Origin) -> bool {
        self.allowed_origins.iter().any(|allowed| allowed.origin.as_ref() == Some(origin))
    }

    /// The value of `Cross-Origin-Resource-Policy` in every response of the browser router.
    pub(crate) fn resource_policy(&self) -> &'static str {
        if self.allowed_origins.is_empty() { "same-origin" } else { "same-site" }
    }

    /// What is wrong with the options: pairs of an option and a message.
    pub(super) fn problems(&self) -> Vec<(&'static str, String)> {
        let mut problems = Vec::new();
        let mut unless = |fine: bool, option, message: &str| {
            if !fine {
                problems.push((option, message.to_owned()));
            }
        };
        let is_character = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_name = (1..=32).contains(&self.name.len()) && self.name.bytes().all(is_character);
        unless(is_name, "browser.name", "expected 1 to 32 of `a–z`, `0–9` and `-`");
        for AllowedOrigin { text, origin } in &self.allowed_origins {
            // A problem repeats no user name and no password.
            let text = text.rsplit('@').next().unwrap_or_default();
            let expected = "expected origins like `https://app.example.com`, without a path";
            unless(
                origin.is_some(),
                "browser.allowed_origins",
                &format!("{expected}; `{text}` is not an origin"),
            );
            let is_secure = origin.as_ref().is_none_or(Origin::is_secure);
            let message = format!("`{text}` must begin with `https://`, because it is not on this machine");
            unless(is_secure, "browser.allowed_origins", &message);
        }
        for (idle, idle_option, lifetime, option) in [
            (self.idle_lifetime, "browser.idle_lifetime", self.session_lifetime, "browser.session_lifetime"),
            (
                self.remembered_idle_lifetime,
                "browser.remembered_idle_lifetime",
                self.remembered_lifetime,
                "browser.remembered_lifetime",
            ),
        ] {
            unless(idle >= Duration::from_secs(15 * 60), idle_option, "expected at least 15 minutes");
            unless(idle <= lifetime, idle_option, &format!("it cannot be longer than {option}"));
            unless(lifetime <= 400 * DAY, option, "expected at most 400 days, as browsers do");
        }
        let is_page = |page: &str| next_path(page).is_some() && !page.contains('\\');
        for (page, option, expected) in [
            (&self.login_page, "browser.login_page", "expected a path like `/login`"),
            (&self.confirm_page, "browser.confirm_page", "expected a path like `/confirm`"),
            (&self.two_factor_page, "browser.two_factor_page", "expected a path like `/two-factor`"),
            (&self.registration_page, "browser.registration_page", "expected a path like `/register`"),
            (&self.after_login, "browser.after_login", "expected a path like `/`"),
        ] {
            unless(is_page(page), option, expected);
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(options: &BrowserOptions) -> Vec<&'static str> {
        options.problems().into_iter().map(|(option, _)| option).collect()
    }

    #[test]
    fn the_defaults_are_fine_and_every_bound_is_checked() {
        let base = BrowserOptions::default;
        assert_eq!(options(&base()), [""; 0]);
        for (changed, option) in [
            (base().name(""), "browser.name"),
            (base().name("Auth"), "browser.name"),
            (base().name("a".repeat(33)), "browser.name"),
            (base().name("a=b"), "browser.name"),
            (base().idle_lifetime(Duration::from_secs(899)), "browser.idle_lifetime"),
            (base().idle_lifetime(25 * HOUR), "browser.idle_lifetime"),
            (base().remembered_idle_lifetime(31 * DAY), "browser.remembered_idle_lifetime"),
            (base().remembered_lifetime(401 * DAY), "browser.remembered_lifetime"),
            (base().session_lifetime(401 * DAY), "browser.session_lifetime"),
            (base().login_page("login"), "browser.login_page"),
            (base().login_page("//evil.example"), "browser.login_page"),
            (base().confirm_page("//evil.example"), "browser.confirm_page"),
            (base().login_page("/a\\b"), "browser.login_page"),
            (base().login_page("/a b"), "browser.login_page"),
            (base().two_factor_page("two-factor"), "browser.two_factor_page"),
            (base().registration_page("https://example.com/register"), "browser.registration_page"),
            (base().after_login("//evil.example"), "browser.after_login"),
            (base().allowed_origins(["*"]), "browser.allowed_origins"),
            (base().allowed_origins(["https://*.example.com"]), "browser.allowed_origins"),
            (base().allowed_origins(["https://example.com/"]), "browser.allowed_origins"),
            (base().allowed_origins(["https://exämple.com"]), "browser.allowed_origins"),
            (base().allowed_origins(["http://example.com"]), "browser.allowed_origins"),
        ] {
            assert_eq!(options(&changed), [option], "{changed:?}");
        }
        assert_eq!(options(&base().login_page("/?page=login").two_factor_page("/#/two-factor")), [""; 0]);
        for origin in [
            "https://app.example.com:8443",
            "http://localhost:5173",
            "http://127.0.0.1",
            "http://a.localhost",
        ] {
            assert_eq!(options(&base().allowed_origins([origin])), [""; 0], "{origin}");
        }
    }
}
