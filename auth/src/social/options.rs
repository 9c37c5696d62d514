//! Options of a provider.

/// What a provider's word about an address is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Trust {
    /// Nothing: nobody has proven that the user reads mails at the address.
    None,
    /// The provider has once sent a mail to the address, and the user has proven to have received it. The address may have got another
    /// owner since.
    Verified,
    /// The provider runs the mailbox, so that the user of the account and the reader of the mails are one person now.
    Authoritative,
}

/// How a provider's token endpoint is told the client's secret (RFC 6749 §2.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientAuth {
    /// In the header `Authorization`: `client_secret_basic`.
    Basic,
    /// In the form: `client_secret_post`.
    Post,
}

/// Whether a first sign-in with a provider is connected to an existing account by its address alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkByEmail {
    /// Never: the user signs in to the account as always, and connects the provider there.
    #[default]
    Never,
    /// If the account's address is verified, the provider's word is [`Trust::Authoritative`], and the account has no second factor.
    Verified,
}

/// Where a provider of OAuth 2 without OpenID Connect is. Both URLs begin with `https://`, or are of this machine.
///
/// ```
/// use axum_auth_module::social::OAuthEndpoints;
///
/// let forge = OAuthEndpoints {
///     authorize: "https://forge.example/oauth/authorize".to_owned(),
///     token: "https://forge.example/oauth/token".to_owned(),
/// };
/// # drop(forge);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthEndpoints {
    /// The authorization endpoint, to which the browser is sent (RFC 6749 §3.1).
    pub authorize: String,
    /// The token endpoint, which the program asks (RFC 6749 §3.2). It identifies the provider in stored identities: with another token
    /// endpoint the stored ones match nobody any more.
    pub token: String,
}
