//! Routes for the administrators of the host, who have one token together. With a user type of administrators, a host would check the role of
//! the user of a session instead.

use crate::account::Account;
use crate::problems::Problems;
use crate::settings::variable;
use axum::body::Bytes;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL};
use axum::http::request::Parts;
use axum::response::IntoResponse;
use axum::routing::post;
use axum::{Json, Router};
use axum_auth_module::error::FieldErrors;
use axum_auth_module::policy::{Policy, PolicyError};
use axum_auth_module::repository::UserRepository;
use axum_auth_module::sql::SqlUsers;
use axum_auth_module::user::NewUser;
use axum_auth_module::values::{EmailAddress, UserName};
use axum_auth_module::{AuthError, AuthModule, async_trait};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Who acts for a user, as the user sees it.
const ACTOR: &str = "admin";

/// The least length of the token.
const LEAST: usize = 8;

/// The token of the administrators.
#[derive(Clone)]
pub(crate) struct AdminToken(Arc<str>);

impl AdminToken {
    /// `ADMIN_TOKEN`, if it is set.
    ///
    /// # Errors
    /// If it is too short or fits into no header.
    pub(crate) fn from_env() -> Result<Option<Self>, Problems> {
        let Some(token) = variable("ADMIN_TOKEN") else { return Ok(None) };
        let is_valid = token.len() >= LEAST && token.bytes().all(|byte| byte.is_ascii_graphic());
        let expected = || Problems::one("ADMIN_TOKEN", "expected 8 or more ASCII characters without spaces");
        is_valid.then(|| Some(Self(token.into()))).ok_or_else(expected)
    }

    fn is(&self, presented: &str) -> bool {
        self.0.as_bytes().ct_eq(presented.as_bytes()).into()
    }
}

/// Lets the administrators act for everybody, by the route below alone.
#[async_trait]
impl Policy<Account> for AdminToken {
    async fn allows_impersonation(&self, actor: &str, _user: &Account) -> Result<bool, PolicyError> {
        Ok(actor == ACTOR)
    }
}

#[derive(Clone)]
struct Administration {
    token: AdminToken,
    auth: AuthModule<Account>,
    users: SqlUsers<Account>,
}

/// The routes below `/admin`.
pub(crate) fn routes<S>(token: AdminToken, auth: AuthModule<Account>, users: SqlUsers<Account>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    Router::new()
        .route("/impersonate", post(impersonate))
        .route("/invite", post(invite))
        .route("/lock-down", post(lock_down))
        .route("/require-new-password", post(require_new_password))
        .with_state(Administration { token, auth, users })
}

/// Extracts nothing, but refuses a request without the token.
struct Administrator;

impl FromRequestParts<Administration> for Administrator {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &Administration) -> Result<Self, AuthError> {
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = header.and_then(|value| value.split_once(' '));
        match token {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && state.token.is(token) => {
                Ok(Self)
            }
            _ => Err(AuthError::Unauthenticated),
        }
    }
}

/// The body of a request.
struct Fields(Map<String, Value>);

impl Fields {
    fn read(body: &Bytes) -> Result<Self, AuthError> {
        match serde_json::from_slice(body) {
            Ok(fields) => Ok(Self(fields)),
            Err(_) => Err(AuthError::MalformedRequest),
        }
    }

    /// A text, which is empty if it is missing.
    fn text(&self, name: &'static str) -> Result<&str, FieldErrors> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(""),
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(FieldErrors::one(name, "wrong_type", "The field must be a string.")),
        }
    }
}

impl Administration {
    /// The name and the address of somebody who has no account yet.
    fn newcomer(fields: &Fields) -> Result<(UserName, EmailAddress), AuthError> {
        Ok((UserName::parse(fields.text("name")?)?, EmailAddress::parse(fields.text("email")?)?))
    }

    /// The id of the user, if there is one.
    async fn user(&self, fields: &Fields) -> Result<String, AuthError> {
        let id = fields.text("userId")?;
        if id.is_empty() {
            return Err(FieldErrors::one("userId", "required", "The field is required.").into());
        }
        let id = id.to_owned();
        match self.users.find_by_id(&id).await? {
            Some(_) => Ok(id),
            None => Err(AuthError::NotFound),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Impersonated {
    access_token: String,
    refresh_token: String,
    expires_at: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invited {
    user_id: String,
}

#[derive(Serialize)]
struct Done {
    message: &'static str,
}

/// `POST /admin/impersonate {userId, reason}`: the tokens of a session of one hour in which the administrator acts for the user.
async fn impersonate(
    State(host): State<Administration>,
    _: Administrator,
    body: Bytes,
) -> Result<impl IntoResponse, AuthError> {
    let fields = Fields::read(&body)?;
    let (id, reason) = (host.user(&fields).await?, fields.text("reason")?);
    let started = host.auth.admin().impersonate(ACTOR, &id, reason).await?;
    let body = Impersonated {
        access_token: started.tokens.access_token,
        refresh_token: started.tokens.refresh_token,
        expires_at: DateTime::<Utc>::from(started.expires_at).to_rfc3339_opts(SecondsFormat::Secs, true),
    };
    Ok(([(CACHE_CONTROL, "no-store")], Json(body)))
}

/// `POST /admin/invite {name, email}`: creates an account without a password and mails an invitation.
async fn invite(
    State(host): State<Administration>,
    _: Administrator,
    body: Bytes,
) -> Result<impl IntoResponse, AuthError> {
    let (name, email) = Administration::newcomer(&Fields::read(&body)?)?;
    let newcomer = NewUser::new(name.as_str(), email.as_str(), "");
    let user = host.users.create(newcomer).await?;
    host.auth.admin().invite(&user.id).await?;
    Ok((StatusCode::CREATED, Json(Invited { user_id: user.id })))
}

/// `POST /admin/lock-down {userId}`: for an account that somebody else has used.
async fn lock_down(
    State(host): State<Administration>,
    _: Administrator,
    body: Bytes,
) -> Result<Json<Done>, AuthError> {
    let id = host.user(&Fields::read(&body)?).await?;
    host.auth.admin().lock_down(&id).await?;
    Ok(Json(Done { message: "The account is locked down." }))
}

/// `POST /admin/require-new-password {userId}`: for a password that somebody else knows.
async fn require_new_password(
    State(host): State<Administration>,
    _: Administrator,
    body: Bytes,
) -> Result<Json<Done>, AuthError> {
    let id = host.user(&Fields::read(&body)?).await?;
    host.auth.admin().require_new_password(&id).await?;
    Ok(Json(Done { message: "The password is removed, and the user has a mail." }))
}
