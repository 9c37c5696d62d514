//! API_TOKENS: a user creates tokens with which programs act for the user at routes of the host.
//!
//! **Needs** an `ApiTokenRepository` and `ApiScopes`.

mod entries;
mod handlers;
mod hooks;
mod service;
mod text;
mod verification;

#[cfg(feature = "command")]
pub(super) use service::of_settings;
pub use service::{ApiTokensService, CreatedApiToken, NewApiToken, UserApiToken};
pub(crate) use verification::api_caller;

use crate::config::{ApiScopes, Limit};
use crate::core::{By, RowsEnd, RowsOfUser};
use crate::endpoint::{
    Confirmation, Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse,
};
use crate::erase::erase;
use crate::error::{AuthError, ErrorCode};
use crate::events::EventName;
use crate::feature::Feature;
use crate::given::ApiScopes as Given;
use crate::module::{Admin, AuthModuleBuilder, Pending};
use crate::repository::ApiTokenRepository;
use crate::user::{AuthUser, UserId};
use crate::watch::Watch;
use entries::Rows;
use hooks::OfApiTokens;
use std::sync::Arc;

/// The limit of API tokens that are invalid.
const LIMITS: &[Limit] = &[Limit::ApiTokenClient];

/// A token in a list.
const ITEM: &[EndpointField] = &[
    EndpointField::required("id", EndpointFieldKind::NonEmptyText),
    EndpointField::required("name", EndpointFieldKind::NonEmptyText),
    SCOPES,
    EndpointField::required("createdAt", EndpointFieldKind::Time),
    EndpointField::required("lastUsedAt", EndpointFieldKind::OrNull(&EndpointFieldKind::Time)),
    EndpointField::required("expiresAt", EndpointFieldKind::Time),
    EndpointField::required("lastFour", EndpointFieldKind::NonEmptyText),
];

/// A new token, with its text.
const CREATED: &[EndpointField] = &[
    EndpointField::required("id", EndpointFieldKind::NonEmptyText),
    EndpointField::required("token", EndpointFieldKind::NonEmptyText),
    EndpointField::required("name", EndpointFieldKind::NonEmptyText),
    SCOPES,
    EndpointField::required("createdAt", EndpointFieldKind::Time),
    EndpointField::required("lastUsedAt", EndpointFieldKind::OrNull(&EndpointFieldKind::Time)),
    EndpointField::required("expiresAt", EndpointFieldKind::Time),
    EndpointField::required("lastFour", EndpointFieldKind::NonEmptyText),
];

const SCOPES: EndpointField =
    EndpointField::required("scopes", EndpointFieldKind::List(&EndpointFieldKind::NonEmptyText));

const LIST: Endpoint = Endpoint::get("/user/api-tokens", "listApiTokens")
    .of(Feature::ApiTokens)
    .summary("Returns the user's API tokens that have not expired, the oldest first.")
    .requires(Credential::Session)
    .returns(&[EndpointResponse::list(
        "ApiTokens",
        EndpointFieldKind::Object(ITEM),
        "an array with an object for each API token",
    )]);

const CREATE: Endpoint = Endpoint::post("/user/api-tokens", "createApiToken")
    .of(Feature::ApiTokens)
    .summary("Creates an API token and returns its text, which is shown nowhere else.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(Confirmation::step_up)
    .of_verified_address()
    .takes(EndpointBody::Required(&[
        EndpointField::required("name", EndpointFieldKind::NonEmptyText),
        SCOPES,
        EndpointField::optional("expiresIn", EndpointFieldKind::Number),
    ]))
    .creates()
    .returns(&[EndpointResponse::object("ApiTokenCreated", CREATED)])
    .limits(&[Limit::ApiTokenCreate])
    .emits(&[EventName::ApiTokenCreated])
    .refuses(&[ErrorCode::EmailNotVerified, ErrorCode::LimitReached]);

const REVOKE: Endpoint = Endpoint::delete("/user/api-tokens/{id}", "revokeApiToken")
    .of(Feature::ApiTokens)
    .summary("Revokes an API token of the user, which ends at once.")
    .requires(Credential::Session)
    .emits(&[EventName::ApiTokenRevoked])
    .refuses(&[ErrorCode::NotFound]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// API_TOKENS: the `/user/api-tokens` routes, and the extractors [`ApiUser`](crate::extract::ApiUser) and
    /// [`UserOrApi`](crate::extract::UserOrApi). `api_scopes` is what tokens can be allowed to do.
    pub fn api_tokens<R, S>(self, api_token_repo: R, api_scopes: S) -> Self
    where
        R: ApiTokenRepository,
        S: Given,
    {
        let tokens = erase::<dyn ApiTokenRepository, _>(api_token_repo, |tokens| tokens);
        let scopes = erase::<dyn Given, _>(api_scopes, Given::provided).scopes();
        self.mount(pending(Rows(Arc::new(Watch::over(tokens))), scopes))
    }
}

fn pending(tokens: Rows, scopes: ApiScopes) -> Pending {
    let (hooks, ends) = (OfApiTokens(tokens.clone()), RowsEnd(tokens.clone()));
    Pending::new(|core| ApiTokensService::new(core, tokens, scopes)).with_hooks(hooks).with_hooks(ends)
}

impl<U: AuthUser> Admin<'_, U> {
    /// Revokes all API tokens of a user, and returns how many there were. The user's sessions go on. A call that has failed can be
    /// repeated.
    ///
    /// ```
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// async fn leaked<U: AuthUser>(auth: AuthModule<U>, user_id: U::Id) -> Result<(), AuthError> {
    ///     let revoked = auth.admin().revoke_api_tokens(&user_id).await?;
    ///     println!("{revoked} API tokens are revoked");
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of the repositories; [`AuthError::Internal`] when there is no such user, or when API_TOKENS is not enabled.
    pub async fn revoke_api_tokens(&self, user_id: &U::Id) -> Result<u64, AuthError> {
        let service: Option<&ApiTokensService> = self.service();
        let service = service.ok_or_else(|| AuthError::internal("`revoke_api_tokens` needs API_TOKENS"))?;
        let user = self.user(user_id).await?;
        let tokens = RowsOfUser::of(&service.core, &service.tokens, &user_id.to_text());
        tokens.remove(&*user, By::Administrator, |_| true).await
    }
}
