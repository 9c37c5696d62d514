//! What a reset by mail removes beside the password (specification §5.13).

/// What a reset by mail removes beside the password. By default it removes nothing: a user who has forgotten the password keeps the
/// passkeys.
///
/// ```
/// use axum_auth_module::config::ResetRemoves;
///
/// let mut removes = ResetRemoves::default();
/// removes.passkeys = true; // a thief may have added one of them
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResetRemoves {
    /// All passkeys of the user (PASSKEYS). Default `false`.
    pub passkeys: bool,
    /// All identities of the user (SOCIAL_LOGIN). Default `false`.
    pub identities: bool,
}
