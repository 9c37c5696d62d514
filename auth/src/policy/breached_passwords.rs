//! Passwords that are known from leaks.

use super::{PasswordOwner, Policy, PolicyError};
use crate::error::{BoxError, FieldText};
use crate::telemetry::{cause, log};
use crate::user::AuthUser;
use crate::values::NewPassword;
use async_trait::async_trait;
use sha1::{Digest, Sha1};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use zeroize::Zeroizing;

/// How many characters of the hash the service learns.
const PREFIX: usize = 5;
/// How long a request waits for the service.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Refuses passwords that are known from leaks, with the field error `breached` (ASVS 6.2.12). It asks a service with the
/// protocol of [Pwned Passwords](https://haveibeenpwned.com/API/v3#PwnedPasswords), which learns the first five of the 40
/// characters of the password's SHA-1 hash, and returns the rest of all leaked hashes that begin with them.
///
/// The host supplies the HTTP client, as [`PasswordRanges`]. If the service does not respond within two seconds, or its response
/// cannot be read, the password is allowed, and the log says so at the level `warn`: an outage must not stop registrations.
///
/// ```
/// use axum_auth_module::policy::{BreachedPasswords, PasswordRanges};
/// use axum_auth_module::{BoxError, async_trait};
///
/// struct PwnedPasswords(reqwest::Client);
///
/// #[async_trait]
/// impl PasswordRanges for PwnedPasswords {
///     async fn range(&self, prefix: &str) -> Result<String, BoxError> {
///         let url = format!("https://api.pwnedpasswords.com/range/{prefix}");
///         // Padding hides the prefix from those who see the length of the response.
///         let response = self.0.get(url).header("Add-Padding", "true").send().await?;
///         Ok(response.error_for_status()?.text().await?)
///     }
/// }
///
/// let policy = BreachedPasswords::new(PwnedPasswords(reqwest::Client::new()));
/// # drop(policy);
/// ```
#[derive(Clone)]
pub struct BreachedPasswords {
    ranges: Arc<dyn PasswordRanges>,
    timeout: Duration,
}

/// A service that knows hashes of leaked passwords.
#[async_trait]
pub trait PasswordRanges: Send + Sync + 'static {
    /// The rest of each leaked hash that begins with these five hexadecimal digits: lines of 35 hexadecimal digits, a colon,
    /// and how often the password was found. A line with `0` is padding.
    ///
    /// # Errors
    /// Anything; the password is then allowed.
    async fn range(&self, prefix: &str) -> Result<String, BoxError>; // needs #[async_trait]
}

impl BreachedPasswords {
    /// Asks this service.
    pub fn new(ranges: impl PasswordRanges) -> Self {
        Self { ranges: Arc::new(ranges), timeout: TIMEOUT }
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
        let found = tokio::time::timeout(self.timeout, self.ranges.range(prefix)).await??;
        for line in found.lines().filter(|line| !line.trim().is_empty()) {
            let (suffix, count) = line.trim().split_once(':').ok_or("a line without a colon")?;
            let count: u64 = count.parse()?;
            if count > 0 && suffix.eq_ignore_ascii_case(rest) {
                return Ok(true);
            }
        }
        Ok(false)
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
    use std::future::pending;

    /// What a service returns, or `None` if it does not respond.
    struct Service(Option<&'static str>);

    #[async_trait]
    impl PasswordRanges for Service {
        async fn range(&self, prefix: &str) -> Result<String, BoxError> {
            // The SHA-1 hash of `password` is 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8.
            assert_eq!(prefix, "5BAA6");
            match self.0 {
                Some("error") => Err("503".into()),
                Some(text) => Ok(text.to_owned()),
                None => pending().await,
            }
        }
    }

    async fn is_known(answer: Option<&'static str>) -> Option<bool> {
        let password = NewPassword::unconfirmed("password".to_owned(), 8).ok().unwrap();
        BreachedPasswords::new(Service(answer)).is_known(&password).await.ok()
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
        ] {
            assert_eq!(is_known(Some(answer)).await, known, "{answer}");
        }
        assert_eq!(is_known(None).await, None);
    }
}
