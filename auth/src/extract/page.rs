//! For pages: a visitor who is not logged in is sent to the login page.

use super::{Assured, AuthState, ConfirmedUser, CurrentUser};
use crate::assurance::Assurance;
use crate::error::AuthError;
use crate::languages::Language;
use crate::uri::{next_path, with_parameter};
use axum::body::Body;
use axum::extract::{FromRequestParts, OriginalUri};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method};
use axum::response::{IntoResponse, Redirect, Response};
use std::marker::PhantomData;
use std::ops::Deref;

/// The longest path that a login page is given as `next`, in bytes.
const LONGEST_NEXT: usize = 1024;

/// The user who opens a page: like [`CurrentUser`], but instead of a 401 the response is a redirect (303) to the host's login
/// page ([`BrowserOptions::login_page`](crate::config::BrowserOptions::login_page)). For a GET it has the parameter `next`
/// with the path and query that the visitor wanted: `/login?next=%2Fsettings`. The login page redirects there afterwards, if
/// [`next_path`] accepts it.
///
/// Every other error is a page with the error's status and sentence, in the language of the request
/// ([`AuthModule::with_languages`](crate::AuthModule::with_languages)).
///
/// ```
/// # use axum_auth_module::{AuthUser, PageUser};
/// # #[derive(Clone, AuthUser)] struct Account { id: i64, name: String, email: String, password: String,
/// #   email_verified_at: Option<std::time::SystemTime>, two_factor_secret: Option<String>,
/// #   two_factor_recovery_codes: Option<String>, two_factor_confirmed_at: Option<std::time::SystemTime>,
/// #   password_confirmed_at: Option<std::time::SystemTime> }
/// async fn settings(PageUser(account): PageUser<Account>) -> String {
///     format!("The settings of {}", account.name)
/// }
/// ```
#[derive(Clone)]
pub struct PageUser<U>(pub U);

/// The user who opens a page and has confirmed the password recently: like [`ConfirmedUser`], but instead of a 403 the response is
/// a redirect (303) to the host's page for that ([`BrowserOptions::confirm_page`](crate::config::BrowserOptions::confirm_page)),
/// with `next` as for [`PageUser`]. Who is not logged in is sent to the login page.
#[derive(Clone)]
pub struct ConfirmedPageUser<U>(pub U);

/// The user who opens a page and in whose session enough was proven: like [`Assured`], but instead of a 401 the response is a
/// redirect (303) as of [`ConfirmedPageUser`]. Who is not logged in is sent to the login page.
#[derive(Clone)]
pub struct AssuredPageUser<U, A>(pub U, pub PhantomData<fn() -> A>);

/// Why [`PageUser`], [`ConfirmedPageUser`] or [`AssuredPageUser`] refuses a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum PageRejection {
    /// The visitor is not logged in: a redirect to this path.
    LogIn(String),
    /// The visitor must prove something first: a redirect to this path.
    Confirm(String),
    /// Another error: a page.
    Failed(AuthError),
}

/// Generates the extractors for pages, each from the one that refuses with an error.
macro_rules! pages {
    ($($page:ident $(<$assurance:ident>)? of $extractor:ident;)*) => {$(
        impl<S, U $(, $assurance: Assurance)?> FromRequestParts<S> for $page<U $(, $assurance)?>
        where
            S: AuthState<U>,
            U: Clone + Send + Sync + 'static,
        {
            type Rejection = PageRejection;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PageRejection> {
                let extracted: $extractor<U $(, $assurance)?> = or_redirect(parts, state).await?;
                Ok(Self(extracted.0 $(, PhantomData::<fn() -> $assurance>)?))
            }
        }
    )*};
}
pages! {
    PageUser of CurrentUser;
    ConfirmedPageUser of ConfirmedUser;
    AssuredPageUser<A> of Assured;
}

/// What the extractor `E` extracts. A refusal that the visitor can end is a redirect to the page for that.
async fn or_redirect<E, S, U>(parts: &mut Parts, state: &S) -> Result<E, PageRejection>
where
    E: FromRequestParts<S, Rejection = AuthError> + Deref<Target = U>,
    S: AuthState<U>,
{
    let error = match E::from_request_parts(parts, state).await {
        Ok(extracted) => return Ok(extracted),
        Err(error) => error,
    };
    let module = state.auth_module();
    let pages = &module.core().config.browser;
    match error {
        AuthError::Unauthenticated => Err(PageRejection::LogIn(with_next(&pages.login_page, parts))),
        AuthError::PasswordConfirmationRequired { .. } | AuthError::InsufficientUserAuthentication(_) => {
            Err(PageRejection::Confirm(with_next(&pages.confirm_page, parts)))
        }
        error => Err(PageRejection::Failed(error)),
    }
}

/// The path of a page with what the visitor wanted as `next`.
fn with_next(page: &str, parts: &Parts) -> String {
    match next(parts) {
        Some(next) => with_parameter(page, "next", &next),
        None => page.to_owned(),
    }
}

/// The path and query that the visitor wanted.
fn next(parts: &Parts) -> Option<String> {
    // Within a nested router, the request's own URI lacks the prefix.
    let uri = parts.extensions.get().map_or(&parts.uri, |OriginalUri(uri)| uri);
    let path = uri.path_and_query()?.as_str();
    let fits = parts.method == Method::GET && path.len() <= LONGEST_NEXT;
    next_path(path).filter(|_| fits).map(str::to_owned)
}

impl IntoResponse for PageRejection {
    fn into_response(self) -> Response {
        match self {
            Self::LogIn(path) | Self::Confirm(path) => Redirect::to(&path).into_response(),
            Self::Failed(error) => error_page(error),
        }
    }
}

/// The response of the error with a page instead of the problem document.
fn error_page(error: AuthError) -> Response {
    let language = Language::of_request();
    let detail = language.text(error.code()).to_owned();
    let mut response = error.into_response();
    let title = response.status().canonical_reason().unwrap_or("Error");
    let page = format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <h1>{title}</h1>\n<p>{detail}</p>\n"
    );
    *response.body_mut() = Body::from(page);
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, html);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_this_host_is_followed() {
        for path in ["/", "/settings", "/a/b?c=%2F%2Fevil&d=//x#e", "/%2f%2fevil"] {
            assert_eq!(next_path(path), Some(path));
        }
        for other in [
            "",
            "settings",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https:evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "%2f%2fevil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "/a\r\nSet-Cookie: a=b",
            " /a",
            "/a b",
            "/ä",
            "/a\0",
        ] {
            assert_eq!(next_path(other), None, "{other:?}");
        }
    }
}
