//! The profile of a user of GitHub, which speaks no OpenID Connect: `GET /user` and `GET /user/emails` of its REST API.

use super::flaw::{Flaw, Problem};
use super::requests::about_user;
use crate::json;
use crate::social::{Profile, ProviderClient, SocialProvider, Trust};
use axum::http::StatusCode;
use serde_json::Value;

/// The profile of the user who has granted access.
pub(super) async fn profile(
    provider: &SocialProvider,
    client: &ProviderClient,
    api: &str,
    access_token: &str,
) -> Result<Profile, Problem> {
    let response = about_user(provider, client, &format!("{api}/user"), access_token).await?;
    if response.status() != StatusCode::OK {
        return Err(Flaw::UserInfo.into());
    }
    let user = json::object(response.body()).ok_or(Flaw::UserInfo)?;
    // The number never changes; `login` is a name that another user can get.
    let id = user.get("id").and_then(Value::as_u64).filter(|id| *id > 0).ok_or(Flaw::Subject)?;
    let mut profile = Profile::new(id.to_string());
    if let Some(name) = user.get("name").and_then(Value::as_str) {
        profile = profile.with_name(name);
    }
    let response = about_user(provider, client, &format!("{api}/user/emails"), access_token).await?;
    // Without the scope there are none.
    if matches!(response.status(), StatusCode::FORBIDDEN | StatusCode::NOT_FOUND) {
        return Ok(profile);
    }
    if response.status() != StatusCode::OK {
        return Err(Flaw::UserInfo.into());
    }
    let trust = provider.configured_trust().unwrap_or(Trust::Verified);
    let primary = primary(response.body()).ok_or(Flaw::UserInfo)?;
    Ok(match primary {
        Some((email, is_verified)) => {
            profile.with_email(email, if is_verified { trust } else { Trust::None })
        }
        None => profile,
    })
}

/// The primary address, and whether it is verified. The outer `None` is for a response that is no list.
fn primary(list: &[u8]) -> Option<Option<(String, bool)>> {
    // The strict parser reads objects.
    let wrapped = json::object(&[b"{\"list\":", list, b"}"].concat())?;
    let entries = wrapped.get("list").filter(|_| wrapped.len() == 1)?.as_array()?;
    let is_true = |entry: &Value, name: &str| entry.get(name) == Some(&Value::Bool(true));
    let primary = entries.iter().find(|entry| is_true(entry, "primary"));
    Some(
        primary
            .and_then(|entry| Some((entry.get("email")?.as_str()?.to_owned(), is_true(entry, "verified")))),
    )
}
