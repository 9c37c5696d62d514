//! What users of another program do after their move: they log in over HTTP with what they had before.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::http::request::Builder;
use axum_auth_module::config::AuthConfig;
use axum_auth_module::testing::{self, MovableClock};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;
use std::time::{Duration, UNIX_EPOCH};
use tower::ServiceExt;

/// `people.json` in a folder of `tests/migrations`.
#[derive(Deserialize)]
pub(crate) struct People {
    /// The other program's keys, by their names.
    #[serde(default)]
    pub(crate) keys: Value,
    codes_at: u64,
    pub(crate) people: Vec<Person>,
}

/// A user of the other program, and what only this user knows.
#[derive(Clone, Deserialize)]
pub(crate) struct Person {
    pub(crate) email: String,
    pub(crate) password: String,
    /// What the authenticator app shows at `codes_at`.
    #[serde(default)]
    pub(crate) code: Option<String>,
    #[serde(default)]
    pub(crate) recovery_codes: Vec<String>,
    /// Whether the second factor was in force in the other program.
    #[serde(default)]
    pub(crate) is_confirmed: bool,
}

impl People {
    pub(crate) fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap()
    }

    /// One of the other program's keys.
    pub(crate) fn key(&self, name: &str) -> &str {
        self.keys[name].as_str().unwrap()
    }

    /// A configuration whose clock stands at the time of the one-time codes.
    pub(crate) fn config(&self) -> AuthConfig {
        let clock = MovableClock::at(UNIX_EPOCH + Duration::from_secs(self.codes_at));
        // A hash that is much dearer than a new one is not verified.
        testing::config().bcrypt_cost(10).clock(clock).build().unwrap()
    }

    pub(crate) fn person(&self, name: &str) -> &Person {
        self.people.iter().find(|person| person.email.starts_with(name)).unwrap()
    }
}

/// A database with these statements run in it, one after another.
pub(crate) async fn database(sql: &[&'static str]) -> SqlitePool {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    for sql in sql {
        sqlx::raw_sql(*sql).execute(&pool).await.unwrap();
    }
    pool
}

/// A page shows the statements that the tests run.
pub(crate) fn page_has(page: &str, sql: &str) {
    assert!(page.contains(&format!("```sql\n{sql}```")), "the page does not have these statements:\n{sql}");
}

/// What a login leads to.
#[derive(Debug, PartialEq)]
pub(crate) enum Login {
    Session,
    Challenge(String),
    Refused(u16),
}

/// Requests to a host under `/auth`.
pub(crate) struct Client(pub(crate) Router);

impl Client {
    pub(crate) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        let request = Request::post(path)
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()))
            .unwrap();
        self.send(request).await
    }

    async fn send(&self, request: Request<Body>) -> (u16, Value) {
        let response = self.0.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), 65_536).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap())
    }

    pub(crate) async fn log_in(&self, email: &str, password: &str) -> Login {
        let (status, body) = self.post("/auth/login", json!({ "email": email, "password": password })).await;
        match (status, body["challengeToken"].as_str()) {
            (200, Some(token)) => Login::Challenge(token.to_owned()),
            (200, None) => Login::Session,
            _ => Login::Refused(status),
        }
    }

    /// The access token of a user without a second factor.
    pub(crate) async fn access_token(&self, person: &Person) -> String {
        let login = json!({ "email": person.email, "password": person.password });
        self.post("/auth/login", login).await.1["accessToken"].as_str().unwrap().to_owned()
    }

    /// The body of a page for users.
    pub(crate) async fn get(&self, path: &str, access: &str) -> String {
        let request = Request::get(path).header("authorization", format!("Bearer {access}"));
        let response = self.0.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        String::from_utf8(to_bytes(response.into_body(), 65_536).await.unwrap().to_vec()).unwrap()
    }

    /// Completes a login with `{ "code": … }` or `{ "recoveryCode": … }`, and returns the status and the access token.
    pub(crate) async fn challenge(&self, person: &Person, factor: Value) -> (u16, String) {
        let login = self.log_in(&person.email, &person.password).await;
        let Login::Challenge(token) = login else { panic!("{}: {login:?}", person.email) };
        let mut body = factor;
        body["challengeToken"] = token.into();
        let (status, body) = self.post("/auth/two-factor-challenge", body).await;
        (status, body["accessToken"].as_str().unwrap_or_default().to_owned())
    }

    /// A user with a second factor logs in with the app. Returns the access token.
    pub(crate) async fn has_the_app_of_before(&self, person: &Person) -> String {
        let code = json!({ "code": person.code });
        let (status, access) = self.challenge(person, code.clone()).await;
        assert_eq!(status, 200, "{}", person.email);
        assert_eq!(self.challenge(person, code).await.0, 422, "a code is accepted once");
        access
    }

    /// A user sees the recovery codes.
    pub(crate) async fn recovery_codes(&self, person: &Person, access: &str) -> Vec<String> {
        let request = |builder: Builder| {
            builder
                .header("authorization", format!("Bearer {access}"))
                .header("content-type", "application/json")
        };
        let password = json!({ "password": person.password }).to_string();
        let confirm = request(Request::post("/auth/user/confirm-password")).body(password.into()).unwrap();
        assert_eq!(self.send(confirm).await.0, 200);
        let codes =
            request(Request::get("/auth/user/two-factor-recovery-codes")).body(Body::empty()).unwrap();
        serde_json::from_value(self.send(codes).await.1).unwrap()
    }

    /// The same with each recovery code, which is accepted once, after the app.
    pub(crate) async fn has_the_second_factor_of_before(&self, person: &Person) {
        self.has_the_app_of_before(person).await;
        for recovery_code in &person.recovery_codes {
            let recovery_code = json!({ "recoveryCode": recovery_code });
            assert_eq!(self.challenge(person, recovery_code).await.0, 200, "{}", person.email);
        }
        let spent = json!({ "recoveryCode": person.recovery_codes[0] });
        assert_eq!(self.challenge(person, spent).await.0, 422, "a recovery code is accepted once");
    }

    /// A user without one logs in with the password alone.
    pub(crate) async fn logs_in_by_password_alone(&self, person: &Person) {
        assert_eq!(self.log_in(&person.email, &person.password).await, Login::Session, "{}", person.email);
        assert_eq!(self.log_in(&person.email, "a wrong password").await, Login::Refused(401));
    }
}
