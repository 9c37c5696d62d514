//! A credential that is checked again after a body that arrived later than the head of its request.

use crate::http::Arrival;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};

/// A credential and a body: an extractor for the host's own routes that take both.
///
/// axum runs the extractors of a handler one after the other. `CurrentUser` before `Json` checks the session when the head of the
/// request has arrived, and `Json` then waits for the body, which a client can hold back for hours. A session that ends meanwhile,
/// by a logout or a password reset, would still act. `WithBody` checks the credential before it reads the body, and once more
/// afterwards if it had to wait for a part of the body (specification §11.7).
///
/// ```
/// use axum::Json;
/// use axum_auth_module::CurrentUser;
/// use axum_auth_module::extract::WithBody;
/// # use axum_auth_module::AuthUser;
/// # #[derive(Clone, AuthUser)] struct Account { id: i64, name: String, email: String, password: String,
/// #   email_verified_at: Option<std::time::SystemTime>, two_factor_secret: Option<String>,
/// #   two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<std::time::SystemTime>,
/// #   password_confirmed_at: Option<std::time::SystemTime> }
///
/// async fn write_note(
///     WithBody(CurrentUser(account), Json(note)): WithBody<CurrentUser<Account>, Json<String>>,
/// ) -> String {
///     format!("{} writes {note}", account.name)
/// }
/// ```
///
/// The first is any extractor of the head, such as [`CurrentUser`](crate::CurrentUser), [`ConfirmedUser`](crate::ConfirmedUser),
/// [`Claims`](crate::Claims), [`PageUser`](crate::PageUser) or a tuple of them. The second is any extractor of the body, such as
/// `Json`, `Form`, `Bytes` or `Multipart`. An extractor that hands an unread body to the handler, such as `Multipart` or `Body`,
/// leaves the waiting to the handler: there the credential is checked before the body alone.
///
/// It rejects with the rejections of both.
#[derive(Clone, Copy, Debug)]
pub struct WithBody<C, B>(pub C, pub B);

impl<S, C, B> FromRequest<S> for WithBody<C, B>
where
    S: Send + Sync,
    C: FromRequestParts<S> + Send,
    B: FromRequest<S> + Send,
{
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let mut again = parts.clone();
        let credential = C::from_request_parts(&mut parts, state).await;
        let credential = credential.map_err(IntoResponse::into_response)?;
        let (request, arrival) = Arrival::of(Request::from_parts(parts, body));
        let body = B::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        if !arrival.was_late() {
            return Ok(Self(credential, body));
        }
        let credential = C::from_request_parts(&mut again, state).await;
        Ok(Self(credential.map_err(IntoResponse::into_response)?, body))
    }
}
