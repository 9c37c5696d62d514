//! How a module deviates from what OWASP ASVS 5.0 asks for: [`AuthModule::posture`](crate::AuthModule::posture).

#[cfg(feature = "argon2")]
use crate::config::PasswordHash;
use crate::config::{BcryptImplementation, Limit, RateLimit, RateLimits, Settings, WhenOff};
use std::fmt;
use std::time::Duration;

/// One way in which a module, as its host has configured it, is less strict than OWASP ASVS 5.0 or than the library could be.
///
/// A deviation can be right for a host: the list is there so that nobody has one without knowing it.
///
/// ```
/// # use axum_auth_module::{AuthModule, AuthUser};
/// # fn print<U: AuthUser>(auth: AuthModule<U>) {
/// for deviation in auth.posture() {
///     println!("{deviation}"); // confirm_email_change: … (ASVS 7.5.1)
/// }
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deviation {
    /// The option or the key of `auth_module!` that would change it, or what it concerns if none does: `store`.
    pub option: &'static str,
    /// The requirements of ASVS 5.0 that it concerns.
    pub asvs: &'static [&'static str],
    /// What the module does, in a sentence for the host's developers and operators.
    pub message: String,
    /// Whether no host in production can have it: the log warns of it.
    pub(crate) is_for_development: bool,
}

impl Deviation {
    pub(crate) fn new(
        option: &'static str,
        asvs: &'static [&'static str],
        message: impl Into<String>,
    ) -> Self {
        Self { option, asvs, message: message.into(), is_for_development: false }
    }

    /// Messages to users are in responses.
    pub(crate) fn in_response(
        option: &'static str,
        asvs: &'static [&'static str],
        message: impl Into<String>,
    ) -> Self {
        Self { is_for_development: true, ..Self::new(option, asvs, message) }
    }
}

/// `confirm_email_change: who has an access token … (ASVS 7.5.1)`
impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.option, self.message)?;
        if self.asvs.is_empty() { Ok(()) } else { write!(f, " (ASVS {})", self.asvs.join(", ")) }
    }
}

/// The deviations of the options that concern no single feature.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    let message = "passwords of more than 72 bytes are refused: those of 64 characters outside of ASCII, too";
    let mut found = vec![Deviation::new("passwords", &["6.2.9"], message)];
    if settings.audience.is_none() {
        let message = "tokens name no audience; another service with the same secret would accept them";
        found.push(Deviation::new("audience", &["9.2.3", "9.2.4"], message));
    }
    if settings.two_factor.when_off == WhenOff::PasswordAlone {
        let message =
            "while two-factor authentication is off, the password alone opens accounts with a second factor";
        found.push(Deviation::new("two_factor.when_off", &["6.3.3", "6.3.4"], message));
    }
    if settings.refresh_grace > Duration::from_secs(60) {
        let message =
            "a stolen refresh token can be used for longer than a minute after its owner has used it";
        found.push(Deviation::new("refresh_grace", &["10.4.5"], message));
    }
    if settings.bcrypt_implementation == BcryptImplementation::Interleaved {
        let message = "bcrypt is computed by the library itself, which is faster, and not by the crate";
        found.push(Deviation::new("bcrypt_implementation", &["11.2.1"], message));
    }
    #[cfg(feature = "argon2")]
    if settings.password_hash == Some(PasswordHash::Argon2id) && settings.argon2_memory < ASVS_ARGON2_MEMORY {
        let message = "Argon2id takes less memory than ASVS lists";
        found.push(Deviation::new("argon2_memory", &["11.4.2"], message));
    }
    found.extend(limits(&settings.limits));
    found
}

/// The smallest memory for Argon2id that ASVS 5.0 lists, in KiB.
#[cfg(feature = "argon2")]
const ASVS_ARGON2_MEMORY: u32 = 12_288;

/// The deviation of something that is sent by mail and lives for longer than ten minutes.
pub(crate) fn of_lifetime(option: &'static str, what: &str, lifetime: Duration) -> Option<Deviation> {
    let minutes = lifetime.as_secs() / 60;
    let message = || format!("{what} is valid for {minutes} minutes; ASVS allows 10");
    (lifetime > Duration::from_secs(600)).then(|| Deviation::new(option, &["6.5.5"], message()))
}

/// The deviation of the cookies of browsers.
pub(crate) fn of_cookies(settings: &Settings) -> Option<Deviation> {
    let message = "session cookies have no `Secure` and no prefix: for development only";
    let option = "browser.insecure_for_development";
    settings.browser.is_insecure.then(|| Deviation::new(option, &["3.3.1"], message))
}

/// What a policy that meets these requirements does not compare new passwords with.
pub(crate) fn of_passwords(met: &[&str]) -> impl Iterator<Item = Deviation> {
    let requirements: [(&'static [&'static str], _); 3] = [
        (&["6.2.4"], "new passwords are not compared with common ones"),
        (&["6.1.2", "6.2.11"], "new passwords are not compared with words of the user and the application"),
        (&["6.2.12"], "new passwords are not compared with leaked ones"),
    ];
    let missing = requirements.into_iter().filter(|(ids, _)| !ids.iter().any(|id| met.contains(id)));
    missing.map(|(id, message)| Deviation::new("policy", id, message))
}

/// The limits that let more through than by default.
fn limits(limits: &RateLimits) -> impl Iterator<Item = Deviation> {
    let defaults = RateLimits::default();
    let is_wider = move |limit: &RateLimit, default: &RateLimit| {
        u128::from(limit.limit) * default.window.as_millis()
            > u128::from(default.limit) * limit.window.as_millis()
    };
    let limits = *limits;
    Limit::ALL.iter().filter(move |limit| is_wider(&limits.of(**limit), &defaults.of(**limit))).map(
        move |limit| {
            let RateLimit { limit: number, window } = limits.of(*limit);
            let message = format!("{number} in {} s are more than by default", window.as_secs());
            Deviation::new(limit.option(), &["6.3.1"], message)
        },
    )
}
