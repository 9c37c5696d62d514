//! The parameters of a path.

use super::Problem;
use crate::error::ErrorCode;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;

/// Extracts the parameters of the endpoint: the last ones of the path, because a host can nest the router below parameters of its own.
/// A parameter that is not UTF-8 names nothing.
pub(crate) struct PathTexts<const N: usize>(pub(crate) [String; N]);

impl<S: Send + Sync, const N: usize> FromRequestParts<S> for PathTexts<N> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let not_found = || Problem::from(ErrorCode::NotFound);
        let all =
            RawPathParams::from_request_parts(parts, state).await.map_err(|_is_not_utf_8| not_found())?;
        let texts: Vec<_> = all.iter().map(|(_, text)| text.to_owned()).collect();
        texts.last_chunk().cloned().map(Self).ok_or_else(not_found)
    }
}
