//! How a host reads the profile of a user at a provider without OpenID Connect.

use super::{ProviderClient, Trust};
use crate::error::BoxError;
use crate::outbound::HttpError;
use async_trait::async_trait;

/// Reads who has signed in, at a provider that speaks OAuth 2 without OpenID Connect
/// ([`SocialProvider::oauth2`](super::SocialProvider::oauth2)).
///
/// ```
/// use axum_auth_module::async_trait;
/// use axum_auth_module::social::{Granted, Profile, ProfileError, ProviderClient, ReadsProfile, Trust};
///
/// struct ForgeProfile;
///
/// #[async_trait]
/// impl ReadsProfile for ForgeProfile {
///     async fn profile(&self, granted: Granted<'_>, client: &ProviderClient) -> Result<Profile, ProfileError> {
///         let user = client.get_json("https://forge.example/api/user", granted).await?;
///         let text = |name: &str| user[name].as_str().ok_or_else(|| ProfileError::refused("a member is missing"));
///         // A number that never changes, and not a name that the user can give away.
///         let id = user["id"].as_u64().ok_or_else(|| ProfileError::refused("there is no id"))?;
///         let trust = if user["email_confirmed"] == true { Trust::Verified } else { Trust::None };
///         Ok(Profile::new(id.to_string()).with_email(text("email")?, trust).with_name(text("name")?))
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot read the profile of a user at a provider",
    note = "write `impl axum_auth_module::social::ReadsProfile for {Self}`"
)]
pub trait ReadsProfile: Send + Sync + 'static {
    /// The profile of the user who has granted access. All requests have ten seconds in all, with those of the library before them.
    ///
    /// # Errors
    /// [`ProfileError::Unavailable`] if the provider does not respond, and [`ProfileError::Refused`] if its response names nobody.
    async fn profile(&self, granted: Granted<'_>, client: &ProviderClient) -> Result<Profile, ProfileError>; // needs #[async_trait]
}

/// What a user has granted at a provider. It is forgotten when the profile is read.
#[derive(Clone, Copy)]
pub struct Granted<'a> {
    access_token: &'a str,
}

impl<'a> Granted<'a> {
    /// What this access token stands for.
    #[must_use]
    pub const fn new(access_token: &'a str) -> Self {
        Self { access_token }
    }

    /// The access token, a secret: it belongs in the header `Authorization` and in no log.
    #[must_use]
    pub const fn access_token(&self) -> &'a str {
        self.access_token
    }
}

/// Who has signed in at a provider.
#[derive(Clone, PartialEq, Eq)]
pub struct Profile {
    pub(crate) subject: String,
    pub(crate) email: Option<(String, Trust)>,
    pub(crate) name: Option<String>,
}

impl Profile {
    /// The account with this id at the provider: 1 to 255 bytes without control characters. The id must never change and never be given
    /// to another account, so a name that users choose does not do.
    #[must_use]
    pub fn new(subject: impl Into<String>) -> Self {
        Self { subject: subject.into(), email: None, name: None }
    }

    /// The address of the account, and what the provider's word about it is worth. An address that is not valid is left out.
    #[must_use]
    pub fn with_email(self, email: impl Into<String>, trust: Trust) -> Self {
        Self { email: Some((email.into(), trust)), ..self }
    }

    /// The name of the user, at most 255 characters. A longer one is left out.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }
}

/// Why there is no profile. The texts reach the log and never a client: they must not repeat an access token or the provider's response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The provider does not respond, or says that it cannot now: 503 `provider_unavailable`.
    #[error("the profile could not be read")]
    Unavailable(#[source] BoxError),
    /// The provider's response names nobody: 422 `provider_refused`.
    #[error("the profile names nobody")]
    Refused(#[source] BoxError),
}

impl ProfileError {
    /// An [`Unavailable`](Self::Unavailable) error with this cause.
    pub fn unavailable(cause: impl Into<BoxError>) -> Self {
        Self::Unavailable(cause.into())
    }

    /// A [`Refused`](Self::Refused) error with this cause.
    pub fn refused(cause: impl Into<BoxError>) -> Self {
        Self::Refused(cause.into())
    }
}

/// There was no response.
impl From<HttpError> for ProfileError {
    fn from(error: HttpError) -> Self {
        Self::unavailable(error)
    }
}
