//! A program that keeps tokens.

use super::call::{self, Call, Caller};
use crate::core::TokenPair;
use axum::Router;
use axum::http::Method;
use std::net::{IpAddr, Ipv4Addr};

/// An address for documentation (RFC 5737).
pub(super) const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// A client that keeps tokens, for tests: it sends requests to the host's router, without a socket.
///
/// ```
/// use axum_auth_module::testing::Client;
/// use serde_json::{Value, json};
///
/// # async fn test(app: axum::Router) {
/// let client = Client::new(app);
/// let login = json!({ "email": "ada@example.com", "password": "correct horse battery" });
/// let tokens: Value = client.post("/auth/login").json(&login).await.expect(200).json();
/// let client = client.with_access_token(tokens["accessToken"].as_str().unwrap_or_default());
/// client.get("/me").await.expect(200);
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    app: Router,
    address: IpAddr,
    access_token: Option<String>,
}

impl Client {
    /// A client without tokens.
    #[must_use]
    pub fn new(app: Router) -> Self {
        Self { app, address: ADDRESS, access_token: None }
    }

    /// This client with the access token of this pair, which [`LoginAs::tokens`](crate::testing::LoginAs::tokens) returns,
    /// in each request.
    #[must_use]
    pub fn with_tokens(&self, tokens: &TokenPair) -> Self {
        self.with_access_token(&tokens.access_token)
    }

    /// This client with this access token in each request.
    #[must_use]
    pub fn with_access_token(&self, token: &str) -> Self {
        Self { access_token: Some(token.to_owned()), ..self.clone() }
    }

    /// This client at another address, by which the module's limits count. Default: 192.0.2.1.
    #[must_use]
    pub fn from_address(&self, address: IpAddr) -> Self {
        Self { address, ..self.clone() }
    }

    /// A request of this method. The path may have a query.
    ///
    /// # Panics
    /// If the path is not one.
    #[track_caller]
    pub fn request(&self, method: Method, path: &str) -> Call {
        let call = Call::new(self.app.clone(), Caller::Client(self.address), method, path);
        match &self.access_token {
            Some(token) => call.header("authorization", &format!("Bearer {token}")),
            None => call,
        }
    }

    call::methods!();
}
