//! `docs/guide/captchas.md`

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Request};
use axum_auth_module::client::ClientAddress;
use axum_auth_module::endpoint::Endpoint;
use axum_auth_module::http::HttpClient;
use axum_auth_module::policy::{Policy, PolicyError};
use axum_auth_module::{AuthUser, async_trait};
use serde::{Deserialize, Serialize};

const VERIFY: &str = "https://challenges.cloudflare.com/turnstile/v0/siteverify";

/// Asks for a captcha. `http` is `axum_auth_module::http::OutboundClient::new()`, or your own client.
pub struct Captcha<C> {
    pub http: C,
    pub secret: String,
}

#[derive(Serialize)]
struct Question<'a> {
    secret: &'a str,
    response: &'a str,
}

#[derive(Deserialize)]
struct Verdict {
    success: bool,
}

#[async_trait]
impl<U: AuthUser, C: HttpClient> Policy<U> for Captcha<C> {
    async fn allows_request(
        &self,
        _endpoint: &Endpoint,
        _client: ClientAddress,
        headers: &HeaderMap,
    ) -> Result<(), PolicyError> {
        let refused = || PolicyError::refused("captcha", "Please solve the captcha.");
        let solution = headers.get("x-captcha").and_then(|value| value.to_str().ok());
        let question = Question { secret: &self.secret, response: solution.ok_or_else(refused)? };
        let request = Request::post(VERIFY).header(CONTENT_TYPE, "application/json");
        let request = request.body(Bytes::from(serde_json::to_vec(&question)?))?;
        let answer = self.http.send(request).await?;
        let verdict: Verdict = serde_json::from_slice(answer.body())?;
        if verdict.success { Ok(()) } else { Err(refused()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::Account;
    use axum::Router;
    use axum::http::Response;
    use axum_auth_module::http::HttpError;
    use axum_auth_module::policy::CommonPasswords;
    use axum_auth_module::testing::{self, Client, MemoryUsers};
    use axum_auth_module::{AuthModule, StandardActions, auth_module};
    use serde_json::{Value, json};
    use std::sync::{Arc, Mutex};

    /// The service, and the questions that it was asked.
    #[derive(Clone, Default)]
    struct Service(Arc<Mutex<Vec<Value>>>);

    #[async_trait]
    impl HttpClient for Service {
        async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
            assert_eq!(request.uri(), VERIFY);
            let question: Value = serde_json::from_slice(request.body()).map_err(HttpError::failed)?;
            let success = question["response"] == "right" && question["secret"] == "secret";
            self.0.lock().unwrap().push(question);
            Ok(Response::new(Bytes::from(json!({ "success": success }).to_string())))
        }
    }

    #[tokio::test]
    async fn nobody_registers_without_a_solution() {
        let service = Service::default();
        let captcha = Captcha { http: service.clone(), secret: "secret".to_owned() };
        let auth: AuthModule<Account> = auth_module! {
            config: testing::config().build().unwrap(),
            features: [REGISTRATION],
            user_repo: MemoryUsers::<Account>::default(),
            policy: (CommonPasswords, captcha),
            actions: StandardActions,
        };
        let client = Client::new(Router::new().nest("/auth", auth.router()));
        let password = "a horse with a correct battery";
        let body = json!({
            "name": "Ada", "email": "ada@example.com", "password": password, "passwordConfirmation": password,
        });
        let refused: Value = client.post("/auth/register").json(&body).await.expect(403).json();
        assert_eq!((&refused["code"], &refused["reason"]), (&json!("not_allowed"), &json!("captcha")));
        assert!(service.0.lock().unwrap().is_empty(), "without a solution nobody is asked");
        let wrong = client.post("/auth/register").header("x-captcha", "wrong").json(&body);
        wrong.await.expect(403);
        let right = client.post("/auth/register").header("x-captcha", "right").json(&body);
        right.await.expect(201);
        assert_eq!(service.0.lock().unwrap().len(), 2);
    }
}
