//! The extractors that accept API tokens (specification §31.3).

use super::{AuthState, CurrentUser, client, owned_record};
use crate::config::is_scope;
use crate::error::AuthError;
use crate::features::api_caller;
use crate::features::services::{ApiTokensService, UserApiToken};
use crate::http::{bearer_token, find_bearer_token};
use crate::module::AuthModule;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use std::marker::PhantomData;
use std::ops::Deref;

/// A scope that a route requires of API tokens: a type of the host without values.
///
/// ```
/// use axum_auth_module::extract::ApiScope;
///
/// struct OrdersRead;
///
/// impl ApiScope for OrdersRead {
///     const SCOPE: &'static str = "orders:read";
/// }
/// ```
///
/// A name that no scope can have does not compile. One that is not in the module's [`ApiScopes`](crate::config::ApiScopes) is 500
/// `internal_error` at the first request.
pub trait ApiScope: 'static {
    /// The name of the scope.
    const SCOPE: &'static str;
}

/// The user for whom a program makes the request, with an API token that has the scope `S`: an extractor for the host's own routes.
///
/// It reads the header `Authorization` alone. It rejects with 401 `unauthenticated` if there is no bearer token, with 401
/// `invalid_api_token` if the bearer token is not a valid API token, or its user does not exist, is inactive or is going to be deleted,
/// and with 403 `insufficient_scope` if the token does not have the scope. Without the feature API_TOKENS no API token is valid.
///
/// [`CurrentUser`] and the other extractors refuse API tokens.
///
/// ```
/// use axum_auth_module::extract::{ApiScope, ApiUser};
/// # use axum_auth_module::AuthUser;
/// # #[derive(Clone, AuthUser)] struct Account { id: i64, name: String, email: String, password: String,
/// #   email_verified_at: Option<std::time::SystemTime>, two_factor_secret: Option<String>,
/// #   two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<std::time::SystemTime>,
/// #   password_confirmed_at: Option<std::time::SystemTime> }
///
/// struct OrdersRead;
///
/// impl ApiScope for OrdersRead {
///     const SCOPE: &'static str = "orders:read";
/// }
///
/// async fn orders(caller: ApiUser<Account, OrdersRead>) -> String {
///     format!("the orders of {}, for {}", caller.user.name, caller.token.name)
/// }
/// ```
#[non_exhaustive]
pub struct ApiUser<U, S> {
    /// The user's record, as the repository returns it now.
    pub user: U,
    /// The token: its id, its name and its scopes. It is not the secret.
    pub token: UserApiToken,
    scope: PhantomData<fn() -> S>,
}

impl<U: Clone, S> Clone for ApiUser<U, S> {
    fn clone(&self) -> Self {
        Self { user: self.user.clone(), token: self.token.clone(), scope: PhantomData }
    }
}

impl<U, S> Deref for ApiUser<U, S> {
    type Target = U;

    fn deref(&self) -> &U {
        &self.user
    }
}

impl<U, S> ApiUser<U, S>
where
    U: Clone + Send + Sync + 'static,
    S: ApiScope,
{
    async fn of(module: &AuthModule<U>, token: &str, parts: &Parts) -> Result<Self, AuthError> {
        const {
            assert!(
                is_scope(S::SCOPE),
                "`SCOPE` must be 1 to 64 lower-case letters of ASCII, digits and `:`, `.`, `_`, `-`"
            );
        }
        let (core, service) = (module.core(), module.service::<ApiTokensService>());
        let caller = api_caller(core, service, (token, S::SCOPE), || client(core, parts).address).await?;
        Ok(Self { user: owned_record(caller.user)?, token: caller.token, scope: PhantomData })
    }
}

impl<State, U, S> FromRequestParts<State> for ApiUser<U, S>
where
    State: AuthState<U>,
    U: Clone + Send + Sync + 'static,
    S: ApiScope,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, AuthError> {
        let module = state.auth_module();
        Self::of(&module, bearer_token(&parts.headers)?, parts).await
    }
}

/// The user who makes the request, in a session or with an API token that has the scope `S`: an extractor for the host's own routes.
///
/// A bearer token that begins with the option `api_tokens.prefix` and `_` is an API token, with which it rejects like [`ApiUser`].
/// Everything else is a credential of a session, with which it rejects like [`CurrentUser`]. If a request has a bearer token and a
/// session cookie, the bearer token counts.
///
/// ```
/// use axum_auth_module::extract::{ApiScope, UserOrApi};
/// # use axum_auth_module::AuthUser;
/// # #[derive(Clone, AuthUser)] struct Account { id: i64, name: String, email: String, password: String,
/// #   email_verified_at: Option<std::time::SystemTime>, two_factor_secret: Option<String>,
/// #   two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<std::time::SystemTime>,
/// #   password_confirmed_at: Option<std::time::SystemTime> }
/// # struct OrdersRead;
/// # impl ApiScope for OrdersRead { const SCOPE: &'static str = "orders:read"; }
///
/// async fn orders(user: UserOrApi<Account, OrdersRead>) -> String {
///     match &user {
///         UserOrApi::Session(_) => format!("your orders, {}", user.name),
///         UserOrApi::ApiToken(caller) => format!("the orders of {}, for {}", user.name, caller.token.name),
///     }
/// }
/// ```
pub enum UserOrApi<U, S> {
    /// The request has the credential of a session.
    Session(CurrentUser<U>),
    /// The request has an API token.
    ApiToken(ApiUser<U, S>),
}

impl<U: Clone, S> Clone for UserOrApi<U, S> {
    fn clone(&self) -> Self {
        match self {
            Self::Session(user) => Self::Session(user.clone()),
            Self::ApiToken(caller) => Self::ApiToken(caller.clone()),
        }
    }
}

impl<U, S> Deref for UserOrApi<U, S> {
    type Target = U;

    fn deref(&self) -> &U {
        match self {
            Self::Session(user) => user,
            Self::ApiToken(caller) => caller,
        }
    }
}

impl<State, U, S> FromRequestParts<State> for UserOrApi<U, S>
where
    State: AuthState<U>,
    U: Clone + Send + Sync + 'static,
    S: ApiScope,
{
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, AuthError> {
        let module = state.auth_module();
        let prefix = &module.core().config.api_tokens.prefix;
        let is_api_token =
            |token: &&str| token.strip_prefix(&**prefix).is_some_and(|rest| rest.starts_with('_'));
        match find_bearer_token(&parts.headers).ok().filter(is_api_token) {
            Some(token) => ApiUser::of(&module, token, parts).await.map(Self::ApiToken),
            None => {
                let user = <CurrentUser<U> as FromRequestParts<State>>::from_request_parts(parts, state);
                user.await.map(Self::Session)
            }
        }
    }
}
