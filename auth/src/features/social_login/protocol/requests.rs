//! Responses of a provider: which ones are outages.

use super::flaw::Problem;
use crate::outbound::HttpError;
use crate::social::{ProviderClient, SocialProvider, is_outage};
use crate::telemetry::{Sentence, cause, log};
use axum::body::Bytes;
use axum::http::{Response, StatusCode};

/// The status of a response that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the provider responded with {0}")]
struct Status(u16);

/// A document that anybody can read. Any other status than 200 is an outage.
pub(super) async fn document(
    provider: &SocialProvider,
    client: &ProviderClient,
    url: &str,
) -> Result<Bytes, Problem> {
    let response = client.get(url, None).await.map_err(|error| unanswered(provider, &error))?;
    if response.status() != StatusCode::OK {
        return Err(unavailable(provider, response.status()));
    }
    Ok(response.into_body())
}

/// A response about the user who has granted access. Statuses other than those of an outage are returned.
pub(super) async fn about_user(
    provider: &SocialProvider,
    client: &ProviderClient,
    url: &str,
    access_token: &str,
) -> Result<Response<Bytes>, Problem> {
    let response = client.get(url, Some(access_token)).await.map_err(|error| unanswered(provider, &error))?;
    if is_outage(response.status()) {
        return Err(unavailable(provider, response.status()));
    }
    Ok(response)
}

/// There was no response. The log says why.
pub(super) fn unanswered(provider: &SocialProvider, error: &HttpError) -> Problem {
    log::provider_unavailable(Sentence(provider.name()), cause(error));
    Problem::Outage
}

/// The response cannot be used. The log has its status.
pub(super) fn unavailable(provider: &SocialProvider, status: StatusCode) -> Problem {
    log::provider_unavailable(Sentence(provider.name()), cause(&Status(status.as_u16())));
    Problem::Outage
}
