//! Passwords that are known from leaks.

use super::{PasswordOwner, Policy, PolicyError};
use crate::error::{BoxError, FieldText};
use crate::outbound::{ConfiguredHost, HttpClient, exchange};
use crate::telemetry::{cause, log};
use crate::user::AuthUser;
use crate::values::NewPassword;
use crate::watch::Watch;
use async_trait::async_trait;
use axum::body::Bytes;
use axum::http::header::{HeaderName, HeaderValue, USER_AGENT};
use axum::http::{Request, StatusCode, Uri};
use sha1::{Digest, Sha1};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

/// How many characters of the hash the service learns.
const PREFIX: usize = 5;
/// How long a request waits for the service.
const TIMEOUT: Duration = Duration::from_secs(2);
/// The service that is asked if the host names no other.
const RANGES: &str = "https://api.pwnedpasswords.com/range/";
/// Asks for lines that mean nothing: they hide the prefix from those who see the length of the response.
const ADD_PADDING: HeaderName = HeaderName::from_static("add-padding");

/// Refuses passwords that are known from leaks, with the field error `breached` (ASVS 6.2.12). It asks a service with the
/// protocol of [Pwned Passwords](https://haveibeenpwned.com/API/v3#PwnedPasswords), which learns the first five of the 40
/// characters of the password's SHA-1 hash, and returns the rest of all leaked hashes that begin with them.
///
/// It sends the request through an [`HttpClient`]. If the service does not respond within two seconds, or its response
/// cannot be read, the password is allowed, and the log says so at the level `warn`: an outage must not stop registrations.
///
/// ```
/// # #[cfg(feature = "http-client")] {
/// use axum_auth_module::http::OutboundClient;
/// use axum_auth_module::policy::BreachedPasswords;
///
/// let policy = BreachedPasswords::new(OutboundClient::new());
/// # drop(policy);
/// # }
/// ```
#[derive(Clone)]
pub struct BreachedPasswords {
    client: Arc<dyn HttpClient>,
    ranges: Uri,
    timeout: Duration,
}

impl BreachedPasswords {
    /// Asks Pwned Passwords through this client.
    pub fn new(client: impl HttpClient) -> Self {
        Self { client: Arc::new(Watch::over(client)), ranges: Uri::from_static(RANGES), timeout: TIMEOUT }
    }

    /// Asks another service, such as a mirror: the URI to which the five characters are appended. A response with the status 200 has
    /// a line for each hash: 35 hexadecimal digits, a colon, and how often the password was found. A line with `0` is padding.
    /// The service may have a private address. Default: `https://api.pwnedpasswords.com/range/`.
    ///
    /// ```
    /// use axum::http::Uri;
    /// # use axum_auth_module::policy::BreachedPasswords;
    /// # fn with_mirror(policy: BreachedPasswords) -> BreachedPasswords {
    /// policy.ranges(Uri::from_static("https://passwords.internal/range/"))
    /// # }
    /// ```
    #[must_use]
    pub fn ranges(self, uri: Uri) -> Self {
        Self { ranges: uri, ..self }
    }

    /// How long a request waits for the service. Default: two seconds.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Whether the service knows this password.
    async fn is_known(&self, password: &NewPassword) -> Result<bool, BoxError> {
        let hash = hash(password.as_password().expose());
        let (prefix, rest) = hash.split_at(PREFIX);
        let response = exchange(&*self.client, self.request(prefix)?, self.timeout).await?;
        if response.status() != StatusCode::OK {
            return Err(format!("the service responded with {}", response.status().as_u16()).into());
        }
        for line in std::str::from_utf8(response.body())?.lines().filter(|line| !line.trim().is_empty()) {
            let (suffix, count) = line.trim().split_once(':').ok_or("a line without a colon")?;
            let count: u64 = count.parse()?;
            if count > 0 && suffix.eq_ignore_ascii_case(rest) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn request(&self, prefix: &str) -> Result<Request<Bytes>, BoxError> {
        let uri: Uri = format!("{}{prefix}", self.ranges).parse()?;
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = uri;
        request.headers_mut().insert(ADD_PADDING, HeaderValue::from_static("true"));
        // The service refuses programs that do not say what they are.
        request.headers_mut().insert(USER_AGENT, HeaderValue::from_static(env!("CARGO_PKG_NAME")));
        request.extensions_mut().insert(ConfiguredHost);
        Ok(request)
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> Policy<U> for BreachedPasswords {
    async fn allows_password(
        &self,
        password: &NewPassword,
        _owner: &PasswordOwner<'_, U>,
    ) -> Result<(), PolicyError> {
        match self.is_known(password).await {
            Ok(false) => Ok(()),
            Ok(true) => Err(PolicyError::Standard(FieldText::PasswordBreached)),
            Err(error) => {
                log::leaked_passwords_unknown(cause(&*error));
                Ok(())
            }
        }
    }

    fn meets(&self) -> Vec<&'static str> {
        vec!["6.2.12"]
    }
}

/// The SHA-1 hash in hexadecimal digits.
fn hash(password: &str) -> Zeroizing<String> {
    let mut digits = Zeroizing::new(String::with_capacity(40));
    for byte in Sha1::digest(password.as_bytes()) {
        let _infallible = write!(digits, "{byte:02X}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbound::HttpError;
    use axum::http::Response;
    use std::future::pending;

    /// What a service returns, or `None` if it does not respond.
    struct Service(Option<&'static str>);

    #[async_trait]
    impl HttpClient for Service {
        async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
            // The SHA-1 hash of `password` is 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8.
            assert_eq!(*request.uri(), "https://mirror.example/?range=5BAA6");
            assert_eq!(request.headers()[ADD_PADDING], "true");
            assert_eq!(request.headers()[USER_AGENT], "axum-auth-module");
            assert_eq!(request.extensions().get(), Some(&ConfiguredHost));
            let mut response = Response::new(Bytes::new());
            match self.0 {
                Some("error") => return Err(HttpError::failed("closed")),
                Some("status") => *response.status_mut() = StatusCode::NO_CONTENT,
                Some(text) => *response.body_mut() = Bytes::from_static(text.as_bytes()),
                None => pending().await,
            }
            Ok(response)
        }
    }

    fn password() -> NewPassword {
        NewPassword::unconfirmed("password".to_owned(), 8).ok().unwrap()
    }

    async fn is_known(answer: Option<&'static str>) -> Option<bool> {
        let mirror = Uri::from_static("https://mirror.example/?range=");
        BreachedPasswords::new(Service(answer)).ranges(mirror).is_known(&password()).await.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_password_is_known_by_the_rest_of_its_hash() {
        for (answer, known) in [
            (
                "0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n1E4C9B93F3F0682250B6CF8331B7EE68FD8:3730471\r\n",
                Some(true),
            ),
            ("1e4c9b93f3f0682250b6cf8331b7ee68fd8:1", Some(true)),
            ("1E4C9B93F3F0682250B6CF8331B7EE68FD8:0", Some(false)),
            ("0018A45C4D1DEF81644B54AB7F969B88D65:1\n\n", Some(false)),
            ("", Some(false)),
            ("<html>", None),
            ("0018A45C4D1DEF81644B54AB7F969B88D65:many", None),
            ("error", None),
            ("status", None),
        ] {
            assert_eq!(is_known(Some(answer)).await, known, "{answer}");
        }
        assert_eq!(is_known(None).await, None);
    }

    #[test]
    fn pwned_passwords_is_asked_if_the_host_names_no_other_service() {
        let request = BreachedPasswords::new(Service(None)).request("5BAA6").unwrap();
        assert_eq!(*request.uri(), "https://api.pwnedpasswords.com/range/5BAA6");
    }
}
