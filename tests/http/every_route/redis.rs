//! Hosts whose store is Redis: several instances on one, and what they do without it.

use crate::support::authenticator::Enrolled;
use crate::support::servers::RedisServer;
use crate::support::{App, EMAIL, PASSWORD, at_once, memory_users, registration};
use axum_auth_module::StandardActions;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::store::RedisStore;
use std::time::{Duration, Instant};

/// The contract's bound for a response that needs the store while Redis does not answer.
const SOON: Duration = Duration::from_secs(2);

fn store(server: &RedisServer) -> RedisStore {
    RedisStore::connect(&server.url()).unwrap()
}

/// Two instances with every feature: the same users, sessions and time, and two connections to one Redis.
async fn two_instances(server: &RedisServer) -> (App, App) {
    let (users, sessions) = (memory_users(), MemorySessions::new());
    let (of_one, of_another) = (sessions.clone(), sessions);
    let one = App::with_everything_on(
        users.clone(),
        users.clone(),
        |config| config,
        |module| module.sessions(of_one).shared_store(store(server)),
    )
    .await;
    let clock = one.clock.clone();
    let another = App::with_everything_on(
        users.clone(),
        users,
        |config| config.clock(clock),
        |module| module.sessions(of_another).shared_store(store(server)),
    )
    .await;
    (one, another)
}

#[tokio::test]
async fn failures_at_one_instance_count_at_the_other() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let (one, another) = two_instances(&server).await;
    one.register(EMAIL).await;
    for instance in [&one, &another, &one, &another, &one] {
        instance.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    for instance in [&one, &another] {
        let refused = instance.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
        let retry_after: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((30..=60).contains(&retry_after), "{retry_after}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_burst_at_both_instances_is_let_through_as_often_as_at_one() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let (one, another) = two_instances(&server).await;
    one.register(EMAIL).await;
    let attempts = [&one, &another].into_iter().cycle().take(40);
    let statuses = at_once(attempts.map(|instance| {
        let call = instance.login_call(EMAIL, "wrong");
        async move { call.await.status }
    }))
    .await;
    let count = |wanted| statuses.iter().filter(|status| **status == wanted).count();
    assert_eq!((count(401), count(429)), (5, 35), "{statuses:?}");
}

#[tokio::test]
async fn a_code_that_was_used_at_one_instance_is_used_at_the_other() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let (one, another) = two_instances(&server).await;
    let Enrolled { authenticator, .. } = one.enrolled(EMAIL).await;
    let code = authenticator.code(&one);
    let (first, second) = (one.challenge_token(EMAIL).await, another.challenge_token(EMAIL).await);
    one.challenge(&first, &code).await.expect(200);
    another.challenge(&second, &code).await.refused(422, "invalid_two_factor_code");
    // The challenge token too.
    one.next_step();
    another.challenge(&first, &authenticator.code(&one)).await.refused(401, "invalid_challenge_token");
    another.challenge(&second, &authenticator.code(&one)).await.expect(200);
}

/// While Redis does not answer: what needs the store is 503 soon, and what does not need it works.
async fn works_without_the_store(app: &App, session: Option<&crate::support::Tokens>) {
    let began = Instant::now();
    let answer = app.login_call(EMAIL, PASSWORD).await.refused(503, "unavailable");
    assert!(answer.header("retry-after").is_some());
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    let began = Instant::now();
    app.post("/auth/register").json(&registration("eve@example.com")).await.refused(503, "unavailable");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    if let Some(session) = session {
        app.me(&session.access).await.expect(200);
        let refreshed = app.refresh(&session.refresh).await.expect(200).tokens();
        app.me(&refreshed.access).await.expect(200);
    }
}

/// Redis is back: after a few seconds at most, everything works.
async fn works_again(app: &App) {
    let began = Instant::now();
    while app.login_call(EMAIL, PASSWORD).await.status != 200 {
        assert!(began.elapsed() < 2 * SOON, "it has not recovered");
    }
    app.login(EMAIL).await;
}

#[tokio::test]
async fn a_host_starts_without_redis_and_works_while_redis_is_there() {
    let mut server = RedisServer::stopped(&[]);
    let redis = store(&server);
    let app =
        App::with(|config| config, |module| module.registration(StandardActions).shared_store(redis)).await;
    works_without_the_store(&app, None).await;
    if !server.run() {
        return;
    }
    let began = Instant::now();
    while app.post("/auth/register").json(&registration(EMAIL)).await.status != 201 {
        assert!(began.elapsed() < 2 * SOON, "it does not use Redis");
    }
    app.login(EMAIL).await;

    let session = app.login(EMAIL).await;
    server.freeze();
    works_without_the_store(&app, Some(&session)).await;
    server.thaw();
    works_again(&app).await;

    let session = app.login(EMAIL).await;
    server.kill();
    works_without_the_store(&app, Some(&session)).await;
    server.run();
    works_again(&app).await;
}
