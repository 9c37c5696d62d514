//! What the status takes, and what both routes answer.

use crate::error::FieldErrors;
use axum::extract::Query;
use axum::http::Uri;
use serde::Serialize;
use std::time::Duration;

/// The window that a query asks for: `?seconds=n`, or none.
pub(super) fn window(uri: &Uri) -> Result<Option<Duration>, FieldErrors> {
    let invalid = || FieldErrors::one("seconds", "invalid", "The window is a whole number of seconds.");
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).map_err(|_| invalid())?;
    let mut asked = pairs.into_iter().filter(|(name, _)| name == "seconds");
    match (asked.next(), asked.next()) {
        (None, _) => Ok(None),
        (Some((_, seconds)), None) => {
            seconds.parse().map(|seconds| Some(Duration::from_secs(seconds))).map_err(|_| invalid())
        }
        (Some(_), Some(_)) => Err(invalid()),
    }
}

#[derive(Serialize)]
pub(super) struct Confirmed {
    pub(super) confirmed: bool,
}
