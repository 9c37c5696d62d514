//! A database server that is frozen or killed while a host runs: 503 within the contract's two seconds, then normal
//! operation, with the sessions from before.

use crate::support::answer::Answer;
use crate::support::database_servers::DatabaseServer;
use crate::support::databases::Kind;
use crate::support::places::on_database;
use crate::support::{App, Call, EMAIL, PASSWORD, Tokens, at_once, registration};
use axum_auth_module::testing::MovableClock;
use serde_json::json;
use std::time::{Duration, Instant};

/// The contract's bound for a response while the database does not answer.
const SOON: Duration = Duration::from_secs(2);

/// A request of each kind: with and without a credential, that reads and that writes.
fn calls(app: &App, session: &Tokens) -> Vec<Call> {
    let access = &session.access;
    vec![
        app.get("/claims").bearer(access),
        app.get("/me").bearer(access),
        app.get("/confirmed").bearer(access),
        app.login_call(EMAIL, PASSWORD),
        app.post("/auth/register").json(&registration("eve@example.com")),
        app.post("/auth/refresh").json(&json!({ "refreshToken": session.refresh })),
        app.post("/auth/logout").bearer(access),
        app.get("/auth/user/sessions").bearer(access),
        app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })),
    ]
}

async fn is_unavailable(app: &App, session: &Tokens) {
    let calls = calls(app, session).into_iter().map(|call| async move {
        let began = Instant::now();
        let answer: Answer = call.await;
        (answer, began.elapsed())
    });
    for (answer, elapsed) in at_once(calls.collect::<Vec<_>>()).await {
        let text = answer.refused(503, "unavailable").text;
        assert!(elapsed < SOON, "{elapsed:?}: {text}");
    }
}

async fn works_again(app: &App, session: &mut Tokens) {
    let began = Instant::now();
    while app.me(&session.access).await.status != 200 {
        assert!(began.elapsed() < 3 * SOON, "it has not recovered");
    }
    *session = app.refresh(&session.refresh).await.expect(200).tokens();
    app.login(EMAIL).await;
    app.post("/auth/register").json(&registration("eve@example.com")).await;
}

async fn survives(kind: Kind) {
    let Some(mut server) = DatabaseServer::start(kind).await else { return };
    server.create_tables().await;
    let app = on_database(server.connect().await, &MovableClock::new(), |config| config).await;
    let mut session = app.register(EMAIL).await;

    server.freeze();
    is_unavailable(&app, &session).await;
    server.thaw();
    works_again(&app, &mut session).await;

    server.kill();
    is_unavailable(&app, &session).await;
    server.run().await;
    works_again(&app, &mut session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_survives_a_postgres_that_freezes_or_is_killed() {
    survives(Kind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_survives_a_mariadb_that_freezes_or_is_killed() {
    survives(Kind::MySql).await;
}
