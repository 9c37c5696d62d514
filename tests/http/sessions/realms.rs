//! Two modules for two user types, which share a configuration, the sessions, the store and the reset tokens, and no `realm`:
//! neither accepts anything of the other.

use crate::support::{EMAIL, PASSWORD, registration, serve};
use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::config::AuthConfig;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers};
use axum_auth_module::user::AuthUserMut;
use axum_auth_module::{AuthModule, Claims, CurrentUser, InResponse, StandardActions};
use reqwest::Client;
use serde_json::{Value, json};
use std::net::SocketAddr;

/// Two records with one name, in two modules.
macro_rules! users {
    ($($module:ident)*) => {$(
        mod $module {
            use axum_auth_module::AuthUser;
            use std::time::SystemTime;

            #[derive(Clone, Default, AuthUser)]
            pub(super) struct User {
                id: i64,
                name: String,
                pub(super) email: String,
                password: String,
                email_verified_at: Option<SystemTime>,
                two_factor_secret: Option<String>,
                two_factor_recovery_codes: Option<String>,
                two_factor_confirmed_at: Option<SystemTime>,
                password_confirmed_at: Option<SystemTime>,
            }
        }
    )*};
}
users! { customers staff }

#[derive(Clone, FromRef)]
struct App {
    customers: AuthModule<customers::User>,
    staff: AuthModule<staff::User>,
}

/// What both modules use.
struct Shared {
    config: AuthConfig,
    sessions: MemorySessions,
    store: MemoryStore,
    resets: MemoryPasswordResets,
}

impl Shared {
    fn module<U: AuthUserMut + Default>(&self) -> AuthModule<U> {
        AuthModule::builder(self.config.clone(), MemoryUsers::<U>::default())
            .registration(StandardActions)
            .reset_passwords(self.resets.clone(), StandardActions, InResponse)
            .session_repo(self.sessions.clone())
            .store(self.store.clone())
            .build()
            .unwrap()
    }
}

async fn start() -> SocketAddr {
    let shared = Shared {
        config: testing::config().build().unwrap(),
        sessions: MemorySessions::new(),
        store: MemoryStore::new(),
        resets: MemoryPasswordResets::new(),
    };
    let (customers, staff) = (shared.module(), shared.module());
    let router = Router::new()
        .route("/me", get(async |CurrentUser(user): CurrentUser<customers::User>| user.email))
        .route("/claims", get(async |claims: Claims<customers::User>| claims.user_id().to_owned()))
        .route("/staff/me", get(async |CurrentUser(user): CurrentUser<staff::User>| user.email))
        .route("/staff/claims", get(async |claims: Claims<staff::User>| claims.user_id().to_owned()))
        .nest("/auth", customers.router())
        .nest("/staff/auth", staff.router())
        .with_state(App { customers, staff });
    serve(router).await
}

/// The prefixes of the two modules.
const PREFIXES: [&str; 2] = ["", "/staff"];

async fn post(address: SocketAddr, path: &str, body: &Value) -> (u16, Value) {
    let sent = Client::new().post(format!("http://{address}{path}"));
    let response =
        sent.header("content-type", "application/json").body(body.to_string()).send().await.unwrap();
    (response.status().as_u16(), serde_json::from_str(&response.text().await.unwrap()).unwrap())
}

async fn get_with(address: SocketAddr, path: &str, token: &str) -> (u16, String) {
    let sent = Client::new().get(format!("http://{address}{path}")).bearer_auth(token);
    let response = sent.send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

fn text(body: &Value, name: &str) -> String {
    body[name].as_str().unwrap_or_else(|| panic!("{body} has no {name}")).to_owned()
}

#[tokio::test]
async fn two_user_types_have_two_realms() {
    let address = start().await;
    let mut tokens = Vec::new();
    for prefix in PREFIXES {
        let (status, body) = post(address, &format!("{prefix}/auth/register"), &registration(EMAIL)).await;
        assert_eq!(status, 201, "{body}");
        tokens.push((text(&body, "accessToken"), text(&body, "refreshToken")));
    }
    for (own, (access, refresh)) in PREFIXES.into_iter().zip(&tokens) {
        for prefix in PREFIXES {
            // Both are user 1.
            let expected =
                |text: &str| if prefix == own { (200, text.to_owned()) } else { (401, String::new()) };
            for (path, answer) in [("claims", "1"), ("me", EMAIL)] {
                let (status, text) = get_with(address, &format!("{prefix}/{path}"), access).await;
                assert_eq!(
                    (status, if status == 200 { text } else { String::new() }),
                    expected(answer),
                    "{own} {prefix}"
                );
            }
            let body = json!({ "refreshToken": refresh });
            let (status, _) = post(address, &format!("{prefix}/auth/refresh"), &body).await;
            assert_eq!(status, expected("").0, "{own} {prefix}");
        }
    }
}

#[tokio::test]
async fn two_user_types_have_their_own_reset_tokens_and_limits() {
    let address = start().await;
    let mut tokens = Vec::new();
    for prefix in PREFIXES {
        post(address, &format!("{prefix}/auth/register"), &registration(EMAIL)).await;
        let (_, body) =
            post(address, &format!("{prefix}/auth/forgot-password"), &json!({ "email": EMAIL })).await;
        tokens.push(text(&body, "token"));
    }
    for (prefix, (own, other)) in PREFIXES.into_iter().zip([(0, 1), (1, 0)]) {
        for (token, expected) in [(&tokens[other], 422), (&tokens[own], 200)] {
            let new = "a new password for all";
            let body =
                json!({ "email": EMAIL, "token": token, "password": new, "passwordConfirmation": new });
            let (status, body) = post(address, &format!("{prefix}/auth/reset-password"), &body).await;
            assert_eq!(status, expected, "{prefix}: {body}");
        }
    }
    for expected in [401, 401, 401, 401, 401, 429] {
        let body = json!({ "email": EMAIL, "password": PASSWORD });
        assert_eq!(post(address, "/auth/login", &body).await.0, expected);
    }
    let body = json!({ "email": EMAIL, "password": "a new password for all" });
    assert_eq!(post(address, "/staff/auth/login", &body).await.0, 200);
}
