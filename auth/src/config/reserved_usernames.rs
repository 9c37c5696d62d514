//! The option of user names (specification §5.16).

/// The default of the option `reserved_usernames`: names that look like those of the people who run the application.
///
/// ```
/// use axum_auth_module::config::{AuthConfigBuilder, RESERVED_USERNAMES};
///
/// fn with_own_names(config: AuthConfigBuilder) -> AuthConfigBuilder {
///     config.reserved_usernames(RESERVED_USERNAMES.iter().copied().chain(["billing", "moderator"]))
/// }
/// ```
pub const RESERVED_USERNAMES: &[&str] = &[
    "admin",
    "administrator",
    "root",
    "support",
    "security",
    "help",
    "info",
    "postmaster",
    "webmaster",
    "abuse",
];

pub(super) fn default() -> Vec<String> {
    RESERVED_USERNAMES.iter().copied().map(str::to_owned).collect()
}
