//! `/oauth/{provider}`: sign-in with a provider. The form of a button leads to the provider, and the provider leads back.

use crate::account::Account;
use crate::site::Next;
use axum::Form;
use axum::extract::Path;
use axum::http::Uri;
use axum::response::Response;
use axum_auth_module::extract::Remember;
use axum_auth_module::{AuthError, Browser};

/// `POST /oauth/{provider}`: to the provider, with a cookie that says that the sign-in began in this browser.
pub(crate) async fn begin(
    browser: Browser<Account>,
    Path(provider): Path<String>,
    Form(next): Form<Next>,
) -> Result<Response, AuthError> {
    browser.authorize(&provider, Some(next.path()), Remember::No).await
}

/// `GET /oauth/{provider}/callback`: back from the provider. The module knows where to: to the page that was wanted, to the second
/// factor, to `/register-with-provider`, or to the login page with `?error=`.
pub(crate) async fn finish(
    browser: Browser<Account>,
    Path(provider): Path<String>,
    uri: Uri,
) -> Result<Response, AuthError> {
    browser.provider_callback(&provider, &uri).await
}
