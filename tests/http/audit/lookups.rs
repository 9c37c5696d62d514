//! What is in the log, and how it is found.

use super::{Host, on_each_database};
use crate::support::databases::Kind;
use crate::support::{EMAIL, PASSWORD, forge};
use axum_auth_module::clock::Clock;
use axum_auth_module::events::{Actor, EventName};
use axum_auth_module::sql::{AuditEntry, AuditQuery};
use serde_json::json;
use std::time::Duration;

on_each_database![
    a_row_says_what_happened_to_whom_and_when_and_from_where,
    rows_are_found_by_user_and_by_kind,
    pages_have_every_row_once_also_while_others_are_written,
    no_secret_is_in_a_row,
];

async fn a_row_says_what_happened_to_whom_and_when_and_from_where(kind: Kind) {
    let Some(host) = Host::start(kind, |log| log).await else { return };
    let app = &host.app;
    app.register(EMAIL).await;
    app.advance(60);
    let login = app.login(EMAIL).await;
    let session_id = forge::claims(&login.access)["sid"].as_str().unwrap().to_owned();
    app.auth.admin().end_session(&session_id).await.unwrap();
    for _ in 0..6 {
        app.login_call("nobody@example.com", PASSWORD).from("2001:db8::7").await;
    }

    assert_eq!(
        host.names().await,
        [
            &["auth.registered", "auth.login", "auth.session-ended"][..],
            &["auth.login-failed"; 5],
            &["auth.lockout"]
        ]
        .concat()
    );
    let entries = host.entries().await;
    let [lockout, failed, .., ended, login, registered] = &entries[..] else { panic!("{entries:?}") };
    for entry in [registered, login, ended] {
        assert_eq!(entry.user_id.as_deref(), Some("1"));
    }
    let now = app.clock.now().duration_since(login.at).unwrap();
    assert!(now < Duration::from_millis(1), "{now:?}");
    assert_eq!(login.at.duration_since(registered.at).unwrap(), Duration::from_secs(60));
    assert_eq!(login.client, Some("192.0.2.1".parse().unwrap()));
    assert_eq!((login.session_id.as_deref(), login.by), (Some(&*session_id), Actor::Client));
    assert_eq!(ended.session_id.as_deref(), Some(&*session_id));
    assert_eq!((ended.by, ended.client), (Actor::Administrator, None));
    assert_eq!(json!(ended.details), json!({ "reason": "administrator" }));
    assert_eq!((failed.user_id.as_deref(), failed.client), (None, Some("2001:db8::7".parse().unwrap())));
    assert_eq!(json!(lockout.details), json!({ "attempt": "login" }));
    assert_eq!(lockout.event_name(), Some(EventName::Lockout));
}

async fn rows_are_found_by_user_and_by_kind(kind: Kind) {
    let Some(host) = Host::start(kind, |log| log).await else { return };
    let app = &host.app;
    let began = app.clock.now();
    for email in [EMAIL, "eve@example.com"] {
        app.register(email).await;
        app.login_call(email, "wrong").await.expect(401);
        app.advance(3600);
        app.login(email).await;
    }
    app.auth.background_work_finished().await;
    let hour = Duration::from_secs(3600);
    let all = AuditQuery::new;
    for (query, expected) in [
        (all().user(&1_i64), "1 auth.login, 1 auth.login-failed, 1 auth.registered"),
        (all().user(&"2".to_owned()).kind(EventName::Login), "2 auth.login"),
        (all().kind(EventName::Registered), "2 auth.registered, 1 auth.registered"),
        (
            all().since(began + hour).before(began + 2 * hour),
            "2 auth.login-failed, 2 auth.registered, 1 auth.login",
        ),
        (all().user(&1_i64).before(began), ""),
        (all().user(&3_i64), ""),
    ] {
        let page = host.audit.find(&query).await.unwrap();
        let line = |entry: &AuditEntry| format!("{} {}", entry.user_id.as_deref().unwrap(), entry.event);
        let found: Vec<_> = page.entries.iter().map(line).collect();
        assert_eq!(found.join(", "), expected, "{query:?}");
        assert!(page.next.is_none());
    }
}

async fn pages_have_every_row_once_also_while_others_are_written(kind: Kind) {
    let Some(host) = Host::start(kind, |log| log).await else { return };
    host.app.register(EMAIL).await;
    // Many events at one time of the module's clock, in one order.
    for _ in 0..6 {
        host.app.login(EMAIL).await;
    }
    let whole = host.entries().await;
    let query = AuditQuery::new().user(&1_i64).at_most(3);
    let mut page = host.audit.find(&query).await.unwrap();
    let mut entries = page.entries;
    while let Some(cursor) = page.next {
        assert_eq!(entries.len() % 3, 0);
        host.app.login(EMAIL).await;
        host.app.auth.background_work_finished().await;
        page = host.audit.find(&query.after(cursor.to_string().parse().unwrap())).await.unwrap();
        entries.extend(page.entries);
    }
    assert_eq!(entries, whole);
}

async fn no_secret_is_in_a_row(kind: Kind) {
    let Some(host) = Host::start(kind, |log| log).await else { return };
    let app = &host.app;
    let tokens = app.register(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    app.post("/auth/user/two-factor-authentication").bearer(&tokens.access).await.expect(200);
    app.login_call(EMAIL, "another secret word").await.expect(401);
    let secret = app.get("/auth/user/two-factor-secret-key").bearer(&tokens.access).await.expect(200);
    let rows = format!("{:?}", host.entries().await);
    let key = secret.body["secretKey"].as_str().unwrap();
    for secret in [PASSWORD, EMAIL, "another secret word", &tokens.access, &tokens.refresh, key] {
        assert!(!rows.contains(secret), "{secret}: {rows}");
    }
}
