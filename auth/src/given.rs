//! What a host gives as a value and not as an implementation of a trait. The traits here are implemented for these values alone, so that
//! `auth_module!` has one kind of provider, with one kind of message.

use crate::erase::provided;
use crate::{config, social};
use std::sync::Arc;

/// The providers with which users can sign in: [`social::SocialProviders`], and nothing else implements it.
#[diagnostic::on_unimplemented(
    message = "Missing provider: SOCIAL_PROVIDERS. Register an implementation of SocialProviders.",
    label = "`{Self}` is not `axum_auth_module::social::SocialProviders`",
    note = "write `axum_auth_module::social::SocialProviders::new([…])?`"
)]
pub trait SocialProviders: Send + Sync + 'static {
    /// The value.
    fn providers(&self) -> social::SocialProviders;

    provided!(dyn SocialProviders);
}

impl SocialProviders for social::SocialProviders {
    fn providers(&self) -> social::SocialProviders {
        self.clone()
    }
}

/// What `auth_module!` has checked and hands on.
impl SocialProviders for Arc<dyn SocialProviders> {
    fn providers(&self) -> social::SocialProviders {
        (**self).providers()
    }
}

/// What API tokens can be allowed to do: [`config::ApiScopes`], and nothing else implements it.
#[diagnostic::on_unimplemented(
    message = "Missing provider: API_SCOPES. Register an implementation of ApiScopes.",
    label = "`{Self}` is not `axum_auth_module::config::ApiScopes`",
    note = "write `axum_auth_module::config::ApiScopes::new([…])?`"
)]
pub trait ApiScopes: Send + Sync + 'static {
    /// The value.
    fn scopes(&self) -> config::ApiScopes;

    provided!(dyn ApiScopes);
}

impl ApiScopes for config::ApiScopes {
    fn scopes(&self) -> config::ApiScopes {
        self.clone()
    }
}

/// What `auth_module!` has checked and hands on.
impl ApiScopes for Arc<dyn ApiScopes> {
    fn scopes(&self) -> config::ApiScopes {
        (**self).scopes()
    }
}

/// The keys with which tokens for other services are signed: [`config::ServiceKeys`], and nothing else implements it.
#[diagnostic::on_unimplemented(
    message = "Missing provider: SERVICE_KEYS. Register an implementation of ServiceKeys.",
    label = "`{Self}` is not `axum_auth_module::config::ServiceKeys`",
    note = "write `axum_auth_module::config::ServiceKeys::ed25519_pem(pem)?`"
)]
pub trait ServiceKeys: Send + Sync + 'static {
    /// The value.
    #[cfg(feature = "service-tokens")]
    fn keys(&self) -> config::ServiceKeys;

    provided!(dyn ServiceKeys);
}

#[cfg(feature = "service-tokens")]
impl ServiceKeys for config::ServiceKeys {
    fn keys(&self) -> config::ServiceKeys {
        self.clone()
    }
}

/// What `auth_module!` has checked and hands on.
#[cfg(feature = "service-tokens")]
impl ServiceKeys for Arc<dyn ServiceKeys> {
    fn keys(&self) -> config::ServiceKeys {
        (**self).keys()
    }
}
