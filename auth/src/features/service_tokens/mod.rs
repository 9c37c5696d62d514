//! SERVICE_TOKENS: a user gets short-lived tokens with which other services of the host know who the user is. They verify them with public
//! keys, without a secret of the module.
//!
//! **Needs** `ServiceKeys`.
//!
//! The module signs these tokens and never accepts one: its own credentials have other keys and another algorithm.

mod handlers;
mod service;

pub use service::{ServiceToken, ServiceTokensService};

use crate::config::{Limit, ServiceKeys};
use crate::endpoint::{
    Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse,
};
use crate::erase::erase;
use crate::feature::Feature;
use crate::given::ServiceKeys as Given;
use crate::module::{AuthModuleBuilder, Pending};
use crate::user::AuthUser;

const CREATE: Endpoint = Endpoint::post("/service-token", "createServiceToken")
    .of(Feature::ServiceTokens)
    .summary("Returns a short-lived token for another service of the host, which verifies it with the published keys.")
    .requires(Credential::Session)
    .takes(EndpointBody::Required(&[EndpointField::required("audience", EndpointFieldKind::NonEmptyText)]))
    .returns(&[EndpointResponse::object(
        "ServiceToken",
        &[
            EndpointField::required("token", EndpointFieldKind::NonEmptyText),
            EndpointField::required("expiresAt", EndpointFieldKind::Time),
        ],
    )])
    .limits(&[Limit::ServiceToken]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// SERVICE_TOKENS: `POST /service-token`, and `/.well-known/jwks.json` in [`well_known`](crate::AuthModule::well_known).
    /// `service_keys` signs the tokens, and says for which services.
    pub fn service_tokens<K: Given>(self, service_keys: K) -> Self {
        let keys = erase::<dyn Given, _>(service_keys, Given::provided).keys();
        let issuer = self.config().service_issuer.clone();
        self.mount(pending(&keys, issuer.as_deref()))
    }
}

fn pending(keys: &ServiceKeys, issuer: Option<&str>) -> Pending {
    let (keys, problems) = keys.clone().checked(issuer);
    Pending::new(move |core| ServiceTokensService::new(core, keys)).with_problems(problems)
}
