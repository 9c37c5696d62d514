//! The host over HTTP.

use super::postgres::TestDatabase;
use super::{module, router};
use axum_auth_module::testing::{self, Client, MovableClock, Outbox};
use serde_json::{Value, json};
use std::time::Duration;

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse battery";

/// An instance of the host. Several can have one database.
struct Instance {
    clock: MovableClock,
    outbox: Outbox,
    client: Client,
}

impl Instance {
    fn start(test: &TestDatabase) -> Self {
        let (clock, outbox) = (MovableClock::new(), Outbox::new());
        let config = testing::config().clock(clock.clone()).build().unwrap();
        let auth = module(config, &test.database, clock.clone(), outbox.clone()).unwrap();
        Self { clock, outbox, client: Client::new(router(auth)) }
    }

    async fn post(&self, path: &str, body: Value) -> testing::Reply {
        self.client.post(path).json(&body).await
    }

    async fn register(&self) -> Value {
        let body =
            json!({ "name": "Ada", "email": ADA, "password": PASSWORD, "passwordConfirmation": PASSWORD });
        self.post("/auth/register", body).await.expect(201).json()
    }

    fn with(&self, tokens: &Value) -> Client {
        self.client.with_access_token(tokens["accessToken"].as_str().unwrap())
    }
}

fn login(password: &str) -> Value {
    json!({ "email": ADA, "password": password })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_registers_and_logs_in_at_any_instance() {
    let Some(test) = TestDatabase::create().await else { return };
    let (one, other) = (Instance::start(&test), Instance::start(&test));
    one.register().await;
    let taken =
        json!({ "name": "Eve", "email": ADA, "password": PASSWORD, "passwordConfirmation": PASSWORD });
    let taken = one.post("/auth/register", taken).await.expect(409);
    assert_eq!(taken.code().as_deref(), Some("email_taken"));
    let wrong = other.post("/auth/login", login("wrong horse battery")).await.expect(401);
    assert_eq!(wrong.code().as_deref(), Some("invalid_credentials"));
    let tokens: Value = other.post("/auth/login", login(PASSWORD)).await.expect(200).json();
    let me: Value = one.with(&tokens).get("/me").await.expect(200).json();
    assert_eq!(me, json!({ "id": 1, "name": "Ada", "plan": "free" }));
    let refresh = json!({ "refreshToken": tokens["refreshToken"] });
    let new: Value = one.post("/auth/refresh", refresh).await.expect(200).json();
    other.with(&new).get("/me").await.expect(200);
    let sessions: Value = one.with(&new).get("/auth/user/sessions").await.expect(200).json();
    assert!(sessions.to_string().matches("\"current\":true").count() == 1, "{sessions}");
    one.with(&new).post("/auth/logout").json(&json!({})).await.expect(200);
    other.with(&new).get("/me").await.expect(401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_token_works_once_and_ends_the_sessions() {
    let Some(test) = TestDatabase::create().await else { return };
    let host = Instance::start(&test);
    let tokens = host.register().await;
    host.post("/auth/forgot-password", json!({ "email": ADA })).await.expect(200);
    let token = host.outbox.next_reset(ADA).await.token;
    let new = "another horse battery";
    let reset = json!({ "token": token, "email": ADA, "password": new, "passwordConfirmation": new });
    host.post("/auth/reset-password", reset.clone()).await.expect(200);
    host.post("/auth/reset-password", reset).await.expect(422);
    host.with(&tokens).get("/me").await.expect(401);
    host.post("/auth/login", login(PASSWORD)).await.expect(401);
    host.post("/auth/login", login(new)).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_count_guesses_together() {
    let Some(test) = TestDatabase::create().await else { return };
    let instances = [Instance::start(&test), Instance::start(&test)];
    instances[0].register().await;
    let mut guesses = 0;
    while instances[guesses % 2].post("/auth/login", login("wrong horse battery")).await.status() == 401 {
        guesses += 1;
        assert!(guesses < 100, "no guess was refused");
    }
    for instance in &instances {
        instance.post("/auth/login", login("wrong horse battery")).await.expect(429);
        instance.clock.advance(Duration::from_secs(24 * 60 * 60));
    }
    for instance in &instances {
        instance.post("/auth/login", login(PASSWORD)).await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_the_database_is_a_response_without_details() {
    let Some(test) = TestDatabase::create().await else { return };
    let host = Instance::start(&test);
    host.register().await;
    test.execute("ALTER TABLE accounts RENAME TO elsewhere").await;
    let failed = host.post("/auth/login", login(PASSWORD)).await.expect(500);
    assert!(!failed.text().contains("accounts"), "{}", failed.text());
}
