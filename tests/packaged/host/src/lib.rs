//! A host of the packaged crates. Only its test uses the cargo feature `testing`.

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::config::ConfigError;
use axum_auth_module::repository::UserRepository;
use axum_auth_module::{AuthConfig, AuthModule, AuthUser, CurrentUser, StandardActions, auth_module};
use std::time::SystemTime;

/// The host's user record.
#[derive(Clone, Default, AuthUser)]
pub struct Account {
    id: u32,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

/// The host's routes: the module under `/auth`, and one of its own.
///
/// # Errors
/// If the module cannot be built.
pub fn app(config: AuthConfig, users: impl UserRepository<User = Account>) -> Result<Router, ConfigError> {
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION],
        user_repo: users,
        actions: { CreatesNewUsers: StandardActions },
    };
    let me = get(async |CurrentUser(account): CurrentUser<Account>| account.email);
    Ok(Router::new().route("/me", me).nest("/auth", auth.router()).with_state(App { auth }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum_auth_module::testing::{self, MemoryUsers};
    use serde_json::{Value, json};
    use std::net::SocketAddr;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn a_user_registers_and_logs_in_over_http() {
        let app = app(testing::config().build().unwrap(), MemoryUsers::<Account>::default()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let service = app.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });

        let client = reqwest::Client::new();
        let post = |path: &str, body: Value| client.post(format!("{base}{path}")).json(&body).send();
        let (email, password) = ("ada@example.com", "correct horse battery");
        let registered = post(
            "/auth/register",
            json!({ "name": "Ada", "email": email, "password": password, "passwordConfirmation": password }),
        );
        assert_eq!(registered.await.unwrap().status(), 201);
        let logged_in = post("/auth/login", json!({ "email": email, "password": password })).await.unwrap();
        assert_eq!(logged_in.status(), 200);
        let tokens: Value = logged_in.json().await.unwrap();
        let access = tokens["accessToken"].as_str().unwrap();
        let me = client.get(format!("{base}/me")).bearer_auth(access).send().await.unwrap();
        assert_eq!((me.status().as_u16(), me.text().await.unwrap().as_str()), (200, email));
    }
}
