//! A service for invoices, in another program than the application. It has no secret of the application: it verifies the tokens of
//! `POST /service-token` with the keys that the application publishes.
//!
//! `ISSUER` is the `iss` of the tokens, `http://localhost:3000` for the quickstart. `ADDR` is where it listens.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use reqwest::Client;
use serde::Deserialize;
use std::env;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// The name of this service, as the application's `ServiceKeys` has it.
const AUDIENCE: &str = "billing";
/// So long the keys are used, at least and at most: an unknown `kid` is no reason to ask all the time.
const SHORTEST: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(300);

/// The application, and the keys that it has published last.
struct Issuer {
    url: String,
    client: Client,
    keys: Mutex<Option<(JwkSet, Instant)>>,
}

#[derive(Deserialize)]
struct Claims {
    /// The user's id.
    sub: String,
}

impl Issuer {
    /// Who the user of a token is: 401 if the token is not valid for this service, 503 if the keys cannot be read.
    async fn user(&self, token: &str) -> Result<Claims, StatusCode> {
        let header = decode_header(token).map_err(|_| StatusCode::UNAUTHORIZED)?;
        let is_expected = matches!(header.alg, Algorithm::EdDSA | Algorithm::ES256)
            && header.typ.as_deref() == Some("at+jwt");
        let id = header.kid.as_deref().filter(|_| is_expected).ok_or(StatusCode::UNAUTHORIZED)?;
        let key = match self.key(id).await {
            Ok(key) => key.ok_or(StatusCode::UNAUTHORIZED)?,
            Err(error) => {
                eprintln!("the keys of {} cannot be read: {error}", self.url);
                return Err(StatusCode::SERVICE_UNAVAILABLE);
            }
        };
        let mut validation = Validation::new(header.alg);
        validation.set_issuer(&[&self.url]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["iss", "aud", "exp"]);
        validation.leeway = 0;
        let token = decode(token, &key, &validation).map_err(|_| StatusCode::UNAUTHORIZED)?;
        Ok(token.claims)
    }

    /// The published key with this id, if there is one. Of several requests at once, one reads the keys and the others wait.
    async fn key(&self, id: &str) -> Result<Option<DecodingKey>, reqwest::Error> {
        let mut known = self.keys.lock().await;
        let is_current = |(keys, read): &&mut (JwkSet, Instant)| {
            read.elapsed() < if keys.find(id).is_some() { LONGEST } else { SHORTEST }
        };
        let keys = match known.as_mut().filter(is_current) {
            Some((keys, _)) => keys,
            None => {
                let request = self.client.get(format!("{}/.well-known/jwks.json", self.url));
                let keys = request.send().await?.error_for_status()?.json().await?;
                &mut known.insert((keys, Instant::now())).0
            }
        };
        Ok(keys.find(id).and_then(|key| DecodingKey::from_jwk(key).ok()))
    }
}

async fn invoices(State(issuer): State<Arc<Issuer>>, headers: HeaderMap) -> Result<String, StatusCode> {
    let token = headers.get("authorization").and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let claims = issuer.user(token.ok_or(StatusCode::UNAUTHORIZED)?).await?;
    Ok(format!("The invoices of {}", claims.sub))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let setting = |name, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let url = setting("ISSUER", "http://localhost:3000");
    let client = Client::builder().timeout(Duration::from_secs(5)).build()?;
    let issuer = Issuer { url, client, keys: Mutex::default() };
    let listener = tokio::net::TcpListener::bind(setting("ADDR", "127.0.0.1:3001")).await?;
    let app = Router::new().route("/invoices", get(invoices)).route("/healthz", get(async || "ok"));
    let app = app.with_state(Arc::new(issuer));
    axum::serve(listener, app).await?;
    Ok(())
}
