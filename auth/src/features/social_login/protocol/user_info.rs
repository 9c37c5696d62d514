//! The UserInfo endpoint (OpenID Connect Core §5.3), which is asked if the ID token has no address.

use super::flaw::{Flaw, Problem};
use super::id_token::Claims;
use super::requests::about_user;
use crate::json;
use crate::social::{ProviderClient, SocialProvider};
use axum::http::StatusCode;

/// What the provider says about the user of the ID token.
pub(super) async fn ask(
    provider: &SocialProvider,
    client: &ProviderClient,
    endpoint: &str,
    access_token: &str,
    claims: &Claims,
) -> Result<Claims, Problem> {
    let response = about_user(provider, client, endpoint, access_token).await?;
    if response.status() != StatusCode::OK {
        return Err(Flaw::UserInfo.into());
    }
    let answer = json::object(response.body()).ok_or(Flaw::UserInfo)?;
    // OpenID Connect Core §5.3.4: otherwise it is about somebody else.
    if answer.get("sub").is_none() || answer.get("sub") != claims.get("sub") {
        return Err(Flaw::UserInfoSubject.into());
    }
    Ok(answer)
}
