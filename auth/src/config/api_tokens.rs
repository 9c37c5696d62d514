//! The options and the scopes of API tokens (specification §5.17).

use super::{ConfigError, ConfigProblem};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The longest lifetime of an API token.
pub(crate) const LONGEST_API_TOKEN: Duration = Duration::from_secs(366 * 24 * 60 * 60);
/// The most characters of a prefix.
const PREFIX: usize = 16;
/// The most scopes that a host can have, and the most characters of one.
const SCOPES: usize = 64;

/// The options of API_TOKENS.
///
/// ```
/// use axum_auth_module::config::ApiTokenOptions;
/// use std::time::Duration;
///
/// let mut options = ApiTokenOptions::default();
/// options.prefix = "acme".to_owned();
/// options.lifetime = Duration::from_secs(30 * 24 * 60 * 60); // a month
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiTokenOptions {
    /// The lifetime of a token that is created without `expiresIn`, one second to `max_lifetime`. Default 90 days.
    pub lifetime: Duration,
    /// The longest `expiresIn`, one second to 366 days. Default 366 days.
    pub max_lifetime: Duration,
    /// What the text of a token begins with: a lower-case letter of ASCII, then up to 15 of these, digits and `_`, the last one no `_`.
    /// Default `pat`. Tokens with another prefix are invalid.
    pub prefix: String,
    /// Whether a user's API tokens are kept when the password is reset by mail. Default `false`; `true` deviates from ASVS, which
    /// [`posture`](crate::AuthModule::posture) lists.
    pub survive_resets: bool,
}

impl Default for ApiTokenOptions {
    fn default() -> Self {
        Self {
            lifetime: Duration::from_secs(7_776_000),
            max_lifetime: LONGEST_API_TOKEN,
            prefix: "pat".to_owned(),
            survive_resets: false,
        }
    }
}

impl ApiTokenOptions {
    /// What is wrong with the options.
    pub(super) fn problems(&self) -> Vec<(&'static str, &'static str)> {
        let one = Duration::from_secs(1);
        let checks = [
            (
                (one..=LONGEST_API_TOKEN).contains(&self.max_lifetime),
                "api_tokens.max_lifetime",
                "expected 1 second to 366 days",
            ),
            (
                (one..=self.max_lifetime).contains(&self.lifetime),
                "api_tokens.lifetime",
                "expected 1 second to api_tokens.max_lifetime",
            ),
            (
                is_prefix(&self.prefix),
                "api_tokens.prefix",
                "expected a lower-case letter, then up to 15 of these, digits and `_`, and no `_` at the end",
            ),
        ];
        checks
            .into_iter()
            .filter(|(is_fine, ..)| !is_fine)
            .map(|(_, option, message)| (option, message))
            .collect()
    }
}

fn is_prefix(text: &str) -> bool {
    let is_of_prefix = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=PREFIX).contains(&text.len())
        && text.bytes().all(is_of_prefix)
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && !text.ends_with('_')
}

/// Whether a text can be the name of a scope: 1 to 64 lower-case letters of ASCII, digits and `:`, `.`, `_`, `-`.
pub(crate) const fn is_scope(text: &str) -> bool {
    let mut rest = text.as_bytes();
    if rest.is_empty() || rest.len() > SCOPES {
        return false;
    }
    while let [first, others @ ..] = rest {
        if !matches!(first, b'a'..=b'z' | b'0'..=b'9' | b':' | b'.' | b'_' | b'-') {
            return false;
        }
        rest = others;
    }
    true
}

/// What the API tokens of a host can be allowed to do: the names of its scopes. Clones share them.
///
/// A scope is the host's word for some of its routes, as in OAuth 2 (RFC 6749 §3.3). Its users choose the scopes of each token, and a
/// route requires one with [`ApiUser`](crate::extract::ApiUser).
///
/// ```
/// use axum_auth_module::config::ApiScopes;
///
/// # fn main() -> Result<(), axum_auth_module::config::ConfigError> {
/// let scopes = ApiScopes::new(["orders:read", "orders:write"])?;
/// assert!(scopes.contains("orders:read") && !scopes.contains("orders"));
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ApiScopes(Arc<[String]>);

impl ApiScopes {
    /// 1 to 64 different names of 1 to 64 lower-case letters of ASCII, digits and `:`, `.`, `_`, `-`.
    ///
    /// # Errors
    /// A [`ConfigError`] for the option `api_scopes`, with everything that is wrong.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, ConfigError> {
        let names: Arc<[String]> = names.into_iter().map(Into::into).collect();
        let mut messages = Vec::new();
        if names.is_empty() || names.len() > SCOPES {
            messages.push(format!("expected 1 to {SCOPES} scopes"));
        }
        for (at, name) in names.iter().enumerate() {
            if !is_scope(name) {
                messages.push(format!(
                    "{name:?} is no name of a scope: 1 to {SCOPES} lower-case letters, digits and `:`, `.`, `_`, `-`"
                ));
            } else if names.iter().position(|other| other == name) != Some(at) {
                messages.push(format!("there are two scopes `{name}`"));
            }
        }
        let problem = |message| ConfigProblem { option: "api_scopes".into(), message };
        ConfigError::check(messages.into_iter().map(problem).collect())?;
        Ok(Self(names))
    }

    /// The names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether there is a scope with this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.names().any(|scope| scope == name)
    }
}

/// Shows the names.
impl fmt::Debug for ApiScopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_begins_with_a_letter_and_does_not_end_with_the_character_that_follows_it() {
        for prefix in ["p", "pat", "acme_pat", "a2", "abcdefghijklmnop"] {
            assert!(is_prefix(prefix), "{prefix}");
        }
        for wrong in ["", "2a", "_a", "a_", "Pat", "p-t", "pät", "abcdefghijklmnopq"] {
            assert!(!is_prefix(wrong), "{wrong}");
        }
    }

    #[test]
    fn every_mistake_in_the_scopes_is_said() {
        let long = "a".repeat(65);
        let wrong =
            ApiScopes::new(["orders:read", "Orders", "", &long, "orders:read"]).unwrap_err().to_string();
        for part in
            ["api_scopes", "\"Orders\" is no name", "\"\" is no name", &long, "two scopes `orders:read`"]
        {
            assert!(wrong.contains(part), "{part}: {wrong}");
        }
        assert!(ApiScopes::new(Vec::<String>::new()).is_err());
        assert!(ApiScopes::new((0..65).map(|number| format!("scope-{number}"))).is_err());
        let all = ApiScopes::new((0..64).map(|number| format!("a.b_c:{number}"))).unwrap();
        assert_eq!(all.names().count(), 64);
        assert_eq!(format!("{:?}", ApiScopes::new(["a", "b"]).unwrap()), "[\"a\", \"b\"]");
    }
}
