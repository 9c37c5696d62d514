//! Security notices (SECURITY_NOTICES): what the owner of an account must know of.

use super::Message;
use crate::languages::Language;
pub use crate::notices::{SecurityNoticeKind, UnknownSecurityNotice};
use std::net::IpAddr;
use std::time::SystemTime;

/// Tells the owner of an account what has happened to it (SECURITY_NOTICES). It has no `Debug`, because the token locks the
/// account down.
#[derive(Clone)]
#[non_exhaustive]
pub struct SecurityNoticeMessage {
    /// What has happened.
    pub kind: SecurityNoticeKind,
    /// The address as it was stored when it happened. It is verified.
    pub email: String,
    /// The user's name. Somebody else may have chosen it: the standard mail does not repeat it.
    pub name: String,
    /// When it happened.
    pub at: SystemTime,
    /// The address of the client that has caused it. `None` after a function for administrators.
    pub client: Option<IpAddr>,
    /// The header `User-Agent` of that client: up to 256 characters of printable ASCII, which a stranger can choose. A mail should say
    /// [`device`](Self::device) instead.
    pub user_agent: Option<String>,
    /// Whether this is the last notice of its kind until tomorrow (UTC): only of
    /// [`NewSignIn`](SecurityNoticeKind::NewSignIn), after the fifth of a day. The mail should say so.
    pub is_last_of_day: bool,
    /// The token of the link that locks the account down, for `POST /account/secure`. Some kinds have no link.
    pub token: Option<String>,
    /// When the link expires. Without a link it is [`at`](Self::at).
    pub expires_at: SystemTime,
    /// The language for the user: `language.tag()` is its name. It is never that of the request.
    pub language: Language,
}

/// It is never in a response: who has sent the request need not be who must be told.
impl Message for SecurityNoticeMessage {
    const DESCRIPTION: &'static str = "a security notice";
}

/// The browsers that a notice names, each with what its header has. An earlier row counts.
const BROWSERS: &[(&str, &str)] = &[
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
];

/// The systems that a notice names.
const SYSTEMS: &[(&str, &str)] = &[
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

impl SecurityNoticeMessage {
    /// The browser and the system of the client, as far as they are well known: `Firefox, Windows`. Nothing of the header itself is in
    /// this text.
    #[must_use]
    pub fn device(&self) -> Option<String> {
        let text = self.user_agent.as_deref()?;
        let of = |table: &[(&str, &'static str)]| {
            table.iter().find(|(part, _)| text.contains(part)).map(|(_, name)| *name)
        };
        let known: Vec<_> = [of(BROWSERS), of(SYSTEMS)].into_iter().flatten().collect();
        (!known.is_empty()).then(|| known.join(", "))
    }

    /// The link to the page that sends the token to `POST /account/secure`, with `#token=…` after its URL. What is after `#` stays in the
    /// browser: it is in no log of a server, and in no `Referer`. `None` for a notice without a link.
    #[must_use]
    pub fn link(&self, page: &str) -> Option<String> {
        self.token.as_deref().map(|token| format!("{page}#token={token}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(user_agent: &str) -> Option<String> {
        let notice = SecurityNoticeMessage {
            kind: SecurityNoticeKind::NewSignIn,
            email: "ada@example.com".to_owned(),
            name: "Ada".to_owned(),
            at: SystemTime::UNIX_EPOCH,
            client: None,
            user_agent: Some(user_agent.to_owned()),
            is_last_of_day: false,
            token: None,
            expires_at: SystemTime::UNIX_EPOCH,
            language: Language::english(),
        };
        notice.device()
    }

    #[test]
    fn browser_and_system_come_from_a_table_and_never_from_the_header() {
        for (header, expected) in [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
                "Firefox, Windows",
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
                "Chrome, Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0",
                "Edge, Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
                "Safari, iOS",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15",
                "Safari, macOS",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
                "Chrome, Android",
            ),
            ("curl/8.5.0", "curl"),
            ("curl/8 <b>http://evil.example</b>", "curl"),
        ] {
            assert_eq!(device(header).as_deref(), Some(expected), "{header}");
        }
        assert_eq!(device("http://evil.example"), None);
    }
}
