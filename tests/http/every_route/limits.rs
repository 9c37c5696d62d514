//! How many attempts are let through (specification §17).

use super::policy::Computes;
use crate::reset_passwords::reset_password::{NEW, reset};
use crate::support::databases::{Kind, TestDatabase, connect};
use crate::support::logs::OfThisThread;
use crate::support::places::{create_tables, on_database};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, at_once, registration};
use axum_auth_module::config::{AuthConfigBuilder, RateLimit, RateLimits};
use axum_auth_module::sql::Database;
use axum_auth_module::testing::MovableClock;
use serde_json::json;
use sqlx::{Connection, Row, SqliteConnection};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::task::JoinSet;

on_both_routers![
    the_sixth_failure_within_a_minute_is_refused_even_with_the_right_password,
    a_lockout_is_an_event,
    an_account_that_does_not_exist_is_counted_like_one_that_does,
    a_success_clears_the_accounts_own_counter,
    somebodys_success_clears_nobody_elses_counter,
    a_stranger_who_is_locked_out_does_not_lock_out_the_owner,
    a_client_may_fail_sixty_times_a_minute_over_all_accounts,
    the_networks_of_one_ipv6_line_have_four_times_the_limit_of_a_client,
    the_networks_of_one_ipv6_line_have_one_share_of_the_password_queue,
    a_call_that_is_refused_is_not_counted,
    a_forwarding_header_of_a_peer_that_is_not_trusted_is_logged_once_by_each_module,
    what_a_client_forwards_does_not_hide_it,
    limits_are_what_the_configuration_says,
    an_attempt_that_fails_for_another_reason_is_not_counted,
];

on_both_routers![threads: of_forty_guesses_at_once_five_are_let_through];

async fn the_sixth_failure_within_a_minute_is_refused_even_with_the_right_password() {
    let app = App::start().await;
    app.register(EMAIL).await;
    for _ in 0..5 {
        app.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    app.advance(20);
    let refused = app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("40"));
    app.advance(39);
    app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    app.advance(1);
    app.login(EMAIL).await;
}

async fn a_lockout_is_an_event() {
    let app = App::start().await;
    for _ in 0..6 {
        app.login_call(EMAIL, "wrong").await;
    }
    for _ in 0..5 {
        assert_eq!(app.event().await.name(), "auth.login-failed");
    }
    assert_eq!(app.event().await.name(), "auth.lockout");
}

async fn an_account_that_does_not_exist_is_counted_like_one_that_does() {
    let app = App::start().await;
    app.register(EMAIL).await;
    for email in [EMAIL, "unknown@example.com"] {
        let mut statuses = Vec::new();
        for _ in 0..7 {
            statuses.push(app.login_call(email, "wrong").await.status);
        }
        assert_eq!(statuses, [401, 401, 401, 401, 401, 429, 429], "{email}");
    }
}

async fn a_success_clears_the_accounts_own_counter() {
    let app = App::start().await;
    app.register(EMAIL).await;
    for _ in 0..3 {
        for _ in 0..4 {
            app.login_call(EMAIL, "wrong").await.expect(401);
        }
        app.login(EMAIL).await;
    }
}

async fn somebodys_success_clears_nobody_elses_counter() {
    let app = App::start().await;
    app.register(EMAIL).await;
    app.register("eve@example.com").await;
    for _ in 0..4 {
        app.login_call(EMAIL, "wrong").await.expect(401);
        app.login("eve@example.com").await;
    }
    app.login_call(EMAIL, "wrong").await.expect(401);
    app.login("eve@example.com").await;
    app.login_call(EMAIL, "wrong").await.refused(429, "too_many_attempts");
}

async fn a_stranger_who_is_locked_out_does_not_lock_out_the_owner() {
    let app = App::start().await;
    app.register(EMAIL).await;
    for _ in 0..6 {
        app.login_call(EMAIL, "wrong").from("203.0.113.66").await;
    }
    app.login_call(EMAIL, PASSWORD).from("203.0.113.66").await.expect(429);
    app.login(EMAIL).await;
}

async fn a_client_may_fail_sixty_times_a_minute_over_all_accounts() {
    let app = App::start().await;
    app.register(EMAIL).await;
    for n in 0..60 {
        app.login_call(&format!("u{n}@example.com"), "wrong").await.expect(401);
    }
    app.login_call("another@example.com", "wrong").await.refused(429, "too_many_attempts");
    app.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    app.login_call(EMAIL, PASSWORD).from("192.0.2.2").await.expect(200);
}

async fn the_networks_of_one_ipv6_line_have_four_times_the_limit_of_a_client() {
    let app = App::with_everything().await;
    let forgot = |n: usize, client: &str| {
        let body = json!({ "email": format!("{n}@example.com") });
        app.post("/auth/forgot-password").from(client).json(&body)
    };
    // 20 of one network, and 80 of all networks of the line.
    for n in 0..80 {
        forgot(n, &format!("2001:db8:1:2{:02x}::1", n / 2)).await.expect(200);
    }
    forgot(80, "2001:db8:1:2ff::1").await.refused(429, "too_many_attempts");
    forgot(81, "2001:db8:1:300::1").await.expect(200);
    for n in 0..240 {
        let client = format!("2001:db8:2:{:x}::1", n / 2);
        app.login_call(&format!("{n}@example.com"), "wrong").from(&client).await.expect(401);
    }
    let refused = app.login_call(EMAIL, "wrong").from("2001:db8:2:ff::1").await;
    refused.refused(429, "too_many_attempts");
    app.login_call(EMAIL, "wrong").from("2001:db8:2:100::1").await.expect(401);
}

async fn the_networks_of_one_ipv6_line_have_one_share_of_the_password_queue() {
    let config = |config: AuthConfigBuilder| config.password_threads(NonZeroUsize::MIN).password_queue(8);
    let policy = Computes::default();
    let (begun, released) = (Arc::clone(&policy.begun), Arc::clone(&policy.released));
    let app = App::with_everything_and(config, |module| module.policy(policy)).await;
    let register = |n: usize, client: &str| {
        let body = registration(&format!("{n}@example.com"));
        app.post("/auth/register").from(client).json(&body).into_future()
    };
    let mut of_the_line = JoinSet::new();
    for n in 0..20 {
        of_the_line.spawn(register(n, &format!("2001:db8:1:2{n:02x}::1")));
        while begun.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    }
    let mut refused = Vec::new();
    while refused.len() < 17 {
        refused.extend(of_the_line.join_next().await.unwrap());
    }
    assert!(refused.iter().all(|answer| answer.body["code"] == "overloaded"));
    let another = tokio::spawn(register(20, "2001:db8:1:300::1"));
    released.store(true, Ordering::SeqCst);
    another.await.unwrap().expect(201);
    let rest = of_the_line.join_all().await;
    assert!(rest.len() == 3 && rest.iter().all(|answer| [201, 503].contains(&answer.status)));
}

/// Neither by the client that makes it nor by the line of the client.
async fn a_call_that_is_refused_is_not_counted() {
    let app = App::with_everything().await;
    let forgot = |email: &str, client: &str| {
        app.post("/auth/forgot-password").from(client).json(&json!({ "email": email }))
    };
    for _ in 0..3 {
        forgot(EMAIL, "2001:db8:1:200::1").await.expect(200);
    }
    for _ in 0..90 {
        forgot(EMAIL, "2001:db8:1:200::1").await.refused(429, "too_many_attempts");
    }
    for n in 0..17 {
        forgot(&format!("{n}@example.com"), "2001:db8:1:200::1").await.expect(200);
    }
    forgot("17@example.com", "2001:db8:1:200::1").await.refused(429, "too_many_attempts");
    forgot("17@example.com", "2001:db8:1:201::1").await.expect(200);
}

async fn a_forwarding_header_of_a_peer_that_is_not_trusted_is_logged_once_by_each_module() {
    let log = OfThisThread::record();
    for module in 1..=2 {
        let app = App::configured(|config| config.trusted_proxies([])).await;
        for _ in 0..3 {
            app.login_call(EMAIL, PASSWORD).from("203.0.113.1").await.expect(401);
        }
        assert_eq!(log.lines_with("AUTH_TRUSTED_PROXIES"), module);
    }
    let app = App::start().await;
    app.login_call(EMAIL, PASSWORD).from("203.0.113.1").await.expect(401);
    assert_eq!(log.lines_with("AUTH_TRUSTED_PROXIES"), 2);
}

async fn what_a_client_forwards_does_not_hide_it() {
    let app = App::start().await;
    for forged in ["é", "198.51.100.1, ü", "\u{1f600},", "unknown"] {
        for client in ["203.0.113.1", "203.0.113.2"] {
            let forwarded = format!("{forged}, {client}");
            app.login_call(EMAIL, "wrong").header_bytes("x-forwarded-for", forwarded.as_bytes()).await;
        }
    }
    for client in ["203.0.113.1", "203.0.113.2"] {
        app.login_call(EMAIL, "wrong").from(client).await.expect(401);
        app.login_call(EMAIL, "wrong").from(client).await.refused(429, "too_many_attempts");
    }
}

#[tokio::test]
async fn a_client_that_is_refused_takes_no_place_in_the_store() {
    let Some(database) = TestDatabase::create(Kind::Sqlite).await else { return };
    create_tables(Kind::Sqlite, &database.url()).await;
    let clock = MovableClock::new();
    let pool = connect::<Database>(Kind::Sqlite, &database.url(), 2).await;
    let app = on_database(pool, &clock, |config| config).await;
    let mut connection = SqliteConnection::connect(&database.url()).await.unwrap();
    let mut entries = async || -> i64 {
        let count = sqlx::query("SELECT count(*) FROM auth_store").fetch_one(&mut connection).await;
        count.unwrap().get(0)
    };
    for n in 0..60 {
        app.login_call(&format!("{n}@example.com"), "wrong").await.expect(401);
    }
    for n in 0..20 {
        reset(&app, &format!("{n}@example.com"), "wrong", NEW).await.expect(422);
    }
    // The first refusal of a counter is recorded, so that the next ones are no events.
    app.login_call("refused@example.com", "wrong").await.expect(429);
    let before = entries().await;
    for n in 100..110 {
        let email = format!("{n}@example.com");
        app.login_call(&email, "wrong").await.refused(429, "too_many_attempts");
        reset(&app, &email, "wrong", NEW).await.refused(429, "too_many_attempts");
    }
    assert_eq!(entries().await, before);
}

async fn of_forty_guesses_at_once_five_are_let_through() {
    let app = App::start().await;
    app.register(EMAIL).await;
    let calls = (0..40).map(|_| app.login_call(EMAIL, "wrong").into_future());
    let statuses: Vec<_> = at_once(calls).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 5, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 35, "{statuses:?}");
}

async fn limits_are_what_the_configuration_says() {
    let mut limits = RateLimits::default();
    limits.login_account_and_client = RateLimit::per_seconds(1, 10);
    limits.register = RateLimit::per_seconds(1, 10);
    let app = App::configured(|config| config.limits(limits)).await;
    app.register(EMAIL).await;
    app.post("/auth/register").json(&registration("b@example.com")).await.expect(429);
    app.login_call(EMAIL, "wrong").await.expect(401);
    let refused = app.login_call(EMAIL, PASSWORD).await.expect(429);
    assert_eq!(refused.header("retry-after"), Some("10"));
}

async fn an_attempt_that_fails_for_another_reason_is_not_counted() {
    use axum_auth_module::testing::{Fault, Faults};
    let (users, faults) = (crate::support::memory_users(), Faults::new());
    let app = App::on(
        faults.over(users.clone()),
        users,
        |config| config,
        |module| module.registration(axum_auth_module::StandardActions),
    )
    .await;
    app.register(EMAIL).await;
    faults.everywhere("users", Fault::Fails);
    for _ in 0..10 {
        app.login_call(EMAIL, PASSWORD).await.refused(500, "internal_error");
    }
    faults.heal();
    app.login(EMAIL).await;
}
