//! Sign-in with other providers, such as Google, GitHub and any OpenID provider: which ones there are, and what their word about an
//! address is worth.
//!
//! [`SocialProviders`] is the list, and [`SocialProvider`] an entry of it.
//!
//! ```
//! use axum_auth_module::social::{SocialProvider, SocialProviders};
//!
//! # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
//! # let (id, secret) = ("id", "secret");
//! let providers = SocialProviders::new([
//!     SocialProvider::google(id, secret, "https://app.example/web/auth/oauth/google/callback"),
//!     SocialProvider::oidc("acme", "https://id.acme.example", id, "https://app.example/web/auth/oauth/acme/callback")
//!         .client_secret(secret),
//! ])?;
//! # drop(providers);
//! # Ok(()) }
//! ```
//!
//! # Websites and Apple
//!
//! Apple returns a name and an address to a website only as a form that is posted from its own site (`response_mode=form_post`). Such
//! a request has none of the cookies that connect it with the browser, so there is no web flow for Apple: websites need another
//! provider. Apps can use [`SocialProvider::apple_native`].
//!
//! # What a provider's sign-in says
//!
//! A provider may sign a user in who was asked for nothing there for months. It says who the user is and not that the user was asked.

// Without the cargo feature there are the types alone.
#![cfg_attr(
    not(feature = "social-login"),
    allow(dead_code, reason = "the cargo feature `social-login` reads it")
)]

mod check;
mod client;
mod options;
mod profile;
mod provider;
mod redirect;
mod setters;

pub use client::ProviderClient;
pub use options::{ClientAuth, LinkByEmail, OAuthEndpoints, Trust};
pub use profile::{Granted, Profile, ProfileError, ReadsProfile};
pub use provider::SocialProvider;

#[cfg(feature = "social-login")]
pub(crate) use client::{is_outage, secret_header, uri};
#[cfg(feature = "social-login")]
pub(crate) use provider::{Endpoints, Kind, Rules};

use crate::config::ConfigError;
use std::fmt;
use std::sync::Arc;

/// The providers with which users can sign in. Clones share them.
#[derive(Clone)]
pub struct SocialProviders(Arc<[SocialProvider]>);

impl SocialProviders {
    /// A list of providers, in the order in which clients see them.
    ///
    /// * A name has 1 to 32 lower-case letters of ASCII, digits and hyphens, and no two providers have one.
    /// * URLs begin with `https://`, or are of this machine (`http://localhost:3000`). An issuer has no query.
    /// * A redirect URI belongs to one provider: by it the program knows which provider has answered (RFC 9700 §4.4). It can also have
    ///   the scheme of an app, with a dot in it (`org.example.app:/callback`; RFC 8252 §7.1). One that begins with `http://127.0.0.1/` or
    ///   `http://[::1]/` stands for all ports (RFC 8252 §7.3). No redirect URI has a fragment.
    ///
    /// # Errors
    /// A [`ConfigError`] with every mistake in every provider. It repeats no secret.
    pub fn new(providers: impl IntoIterator<Item = SocialProvider>) -> Result<Self, ConfigError> {
        let providers: Arc<[SocialProvider]> = providers.into_iter().collect();
        ConfigError::check(check::problems(&providers))?;
        Ok(Self(providers))
    }

    /// The names of the providers, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(SocialProvider::name)
    }

    /// The providers, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SocialProvider> {
        self.0.iter()
    }
}

/// Shows the names.
impl fmt::Debug for SocialProviders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
