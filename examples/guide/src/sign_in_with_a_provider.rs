//! `docs/guide/sign-in-with-a-provider.md`

use axum_auth_module::http::OutboundClient;
use axum_auth_module::mail::Mailer;
use axum_auth_module::social::{SocialProvider, SocialProviders};
use axum_auth_module::sql::{SqlIdentities, SqlSessions, SqlStore, SqlUsers};
use axum_auth_module::{AuthConfig, AuthModule, BoxError, StandardActions, auth_module};
use sqlx::SqlitePool;
use std::env;

fn setting(name: &str) -> Result<String, BoxError> {
    env::var(name).map_err(|_| format!("the variable {name} is missing").into())
}

pub async fn module(
    config: AuthConfig,
    pool: SqlitePool,
    mailer: Mailer,
) -> Result<AuthModule<Account>, BoxError> {
    axum_auth_module::sql::migrate(&pool).await?;
    let providers = SocialProviders::new([
        SocialProvider::google(
            setting("GOOGLE_CLIENT_ID")?,
            setting("GOOGLE_CLIENT_SECRET")?,
            "https://example.com/web/auth/oauth/google/callback",
        ),
        SocialProvider::github(
            setting("GITHUB_CLIENT_ID")?,
            setting("GITHUB_CLIENT_SECRET")?,
            "https://example.com/web/auth/oauth/github/callback",
        ),
    ])?;
    Ok(auth_module! {
        config: config,
        features: [
            REGISTRATION,
            EMAIL_VERIFICATION,
            PASSWORDLESS_REGISTRATION,
            SOCIAL_LOGIN,
            BROWSER_SESSIONS,
        ],
        user_repo: SqlUsers::<Account>::new(pool.clone()),
        session_repo: SqlSessions::new(pool.clone()),
        identity_repo: SqlIdentities::new(pool.clone()),
        social_providers: providers,
        http_client: OutboundClient::new(),
        store: SqlStore::new(pool),
        actions: StandardActions,
        delivery: {
            EmailVerification: mailer.email_verification(
                "https://example.com/verify#id={id}&hash={hash}&signature={signature}&expires={expires}",
            )?,
        },
    })
}

use axum::extract::Path;
use axum::response::Response;
use axum_auth_module::extract::Remember;
use axum_auth_module::{AuthError, Browser};

/// `POST /login/{provider}`, the button of a page without a script.
pub async fn begin(browser: Browser<Account>, Path(provider): Path<String>) -> Result<Response, AuthError> {
    browser.authorize(&provider, Some("/"), Remember::No).await
}

use axum_auth_module::repository::{IdentityRecord, IdentityRepository};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use getrandom::fill;
use std::time::SystemTime;

/// An identity of another program: the id of the user here, and what the provider calls the same person.
pub struct OldIdentity {
    pub user_id: String,
    pub provider: String,
    pub subject: String,
}

/// Stores the identities, and returns how many of them are new. It can run again.
pub async fn import(identities: &dyn IdentityRepository, old: Vec<OldIdentity>) -> Result<usize, BoxError> {
    let mut new = 0;
    for OldIdentity { user_id, provider, subject } in old {
        let issuer = match provider.as_str() {
            "google" => "https://accounts.google.com",
            "github" => "github",
            other => return Err(format!("the issuer of {other} is not known").into()),
        };
        let mut id = [0; 16];
        fill(&mut id)?;
        // This is the realm of a module without the options `realm` and `audience`.
        let key = |id: String| format!("{} {id}", Account::realm());
        let (id, now) = (URL_SAFE_NO_PAD.encode(id), SystemTime::now());
        let mut identity = IdentityRecord::new(id, key(user_id), issuer, key(subject), now);
        identity.provider = provider;
        if identities.insert(identity).await? {
            new += 1;
        }
    }
    Ok(new)
}

use axum_auth_module::AuthUser;
use chrono::{DateTime, Utc};

#[derive(Clone, Default, AuthUser, sqlx::FromRow)]
pub struct Account {
    pub id: String,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<DateTime<Utc>>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<DateTime<Utc>>,
    pub password_confirmed_at: Option<DateTime<Utc>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    use axum::Router;
    use axum::body::Bytes;
    use axum::extract::Query;
    use axum::http::header::CONTENT_TYPE;
    use axum::http::{HeaderValue, Request, Response, Uri};
    use axum_auth_module::async_trait;
    use axum_auth_module::http::{HttpClient, HttpError};
    use axum_auth_module::testing::{self, Client, MemoryIdentities, MemoryUsers};
    use serde_json::{Value, json};
    use std::collections::HashMap;

    /// GitHub, as far as a sign-in asks it. Whoever comes back from there is Ada.
    struct GitHub;

    #[async_trait]
    impl HttpClient for GitHub {
        async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
            let body = match (request.uri().host(), request.uri().path()) {
                (Some("github.com"), _) => json!({ "access_token": "token", "token_type": "bearer" }),
                (_, "/user") => json!({ "id": 42, "login": "ada", "name": "Ada" }),
                _ => json!([{ "email": "ada@example.com", "primary": true, "verified": true }]),
            };
            let mut response = Response::new(Bytes::from(body.to_string()));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            Ok(response)
        }
    }

    #[tokio::test]
    async fn ada_signs_up_with_github() -> Result<(), BoxError> {
        let github = SocialProvider::github("id", "secret", "https://example.com/callback");
        let auth = auth_module! {
            config: testing::config().build()?,
            features: [PASSWORDLESS_REGISTRATION, SOCIAL_LOGIN],
            user_repo: MemoryUsers::<Account>::default(),
            identity_repo: MemoryIdentities::new(),
            social_providers: SocialProviders::new([github])?,
            http_client: GitHub,
            actions: StandardActions,
        };
        let client = Client::new(Router::new().nest("/auth", auth.router()));

        let begun: Value =
            client.post("/auth/oauth/github/authorize").json(&json!({})).await.expect(200).json();
        // GitHub would send the browser back with a code, and with the `state` of this address.
        let address: Uri = begun["authorizationUrl"].as_str().unwrap_or_default().parse()?;
        let Query(sent) = Query::<HashMap<String, String>>::try_from_uri(&address)?;
        let body = json!({ "flowToken": begun["flowToken"], "code": "code", "state": sent["state"] });
        // GitHub has verified the address, and nobody has this identity or this address: Ada has an account now.
        client.post("/auth/oauth/github/callback").json(&body).await.expect(201);
        Ok(())
    }
}
