//! The origins that attacks come from, seen from the site under attack, and what Chromium says about them.

/// Where a page is, relative to the site `http://app.example.localhost` on its port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    Own,
    /// Another port of the same host. It is the same site, and cookies do not distinguish ports.
    OtherPort,
    /// `evil.example.localhost`. It is the same site, so cookies are sent.
    Sibling,
    /// `evil.other.localhost`.
    OtherSite,
}

impl Origin {
    pub(crate) const FOREIGN: [Self; 3] = [Self::OtherPort, Self::Sibling, Self::OtherSite];

    pub(crate) const fn host(self) -> &'static str {
        match self {
            Self::Own | Self::OtherPort => "app.example.localhost",
            Self::Sibling => "evil.example.localhost",
            Self::OtherSite => "evil.other.localhost",
        }
    }

    /// `Sec-Fetch-Site` of the requests that its pages send to the site under attack.
    pub(crate) const fn sec_fetch_site(self) -> &'static str {
        match self {
            Self::Own => "same-origin",
            Self::OtherPort | Self::Sibling => "same-site",
            Self::OtherSite => "cross-site",
        }
    }

    /// Whether the requests that its pages send contain the site's `SameSite=Lax` cookie.
    pub(crate) const fn has_cookie(self) -> bool {
        !matches!(self, Self::OtherSite)
    }
}
