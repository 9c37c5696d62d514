//! How long rows are kept.

use super::{Host, on_each_database};
use crate::support::EMAIL;
use crate::support::databases::Kind;
use axum_auth_module::clock::Clock;
use axum_auth_module::events::EventName;
use axum_auth_module::sql::SqlAuditLog;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

on_each_database![
    old_rows_are_deleted_while_others_are_written,
    without_a_limit_rows_are_kept,
    a_host_can_delete_old_rows_itself,
    the_rows_of_an_account_can_be_deleted_with_it,
];

fn for_30_days(log: SqlAuditLog) -> SqlAuditLog {
    log.keep_for(30 * DAY)
}

async fn old_rows_are_deleted_while_others_are_written(kind: Kind) {
    let Some(host) = Host::start(kind, for_30_days).await else { return };
    host.app.register(EMAIL).await;
    host.app.clock.advance(30 * DAY);
    host.app.login(EMAIL).await;
    assert_eq!(host.names().await, ["auth.registered", "auth.login"], "not older than 30 days");
    // The next deletion is ten minutes after the last one.
    host.app.advance(599);
    host.app.login(EMAIL).await;
    assert_eq!(host.names().await, ["auth.registered", "auth.login", "auth.login"]);
    host.app.advance(1);
    host.app.login(EMAIL).await;
    assert_eq!(host.names().await, ["auth.login"; 3]);
}

async fn without_a_limit_rows_are_kept(kind: Kind) {
    let Some(host) = Host::start(kind, |log| log).await else { return };
    host.app.register(EMAIL).await;
    host.app.clock.advance(3000 * DAY);
    host.app.login(EMAIL).await;
    assert_eq!(host.names().await, ["auth.registered", "auth.login"]);
}

async fn a_host_can_delete_old_rows_itself(kind: Kind) {
    let Some(host) = Host::start(kind, |log| log).await else { return };
    host.app.register(EMAIL).await;
    host.app.clock.advance(DAY);
    host.app.login(EMAIL).await;
    assert_eq!(host.names().await.len(), 2);
    assert_eq!(host.audit.delete_before(host.app.clock.now()).await.unwrap(), 1);
    assert_eq!(host.names().await, ["auth.login"]);
}

async fn the_rows_of_an_account_can_be_deleted_with_it(kind: Kind) {
    let Some(host) = Host::start(kind, |log| log).await else { return };
    host.app.register(EMAIL).await;
    host.app.register("eve@example.com").await;
    host.app.login(EMAIL).await;
    assert_eq!(host.names().await.len(), 3);
    host.app.auth.close_account(&1).await.unwrap();
    host.app.auth.background_work_finished().await;
    assert_eq!(host.audit.delete_user(&1_i64).await.unwrap(), 2);
    assert_eq!(host.names().await, ["auth.registered"]);
    assert_eq!(host.count(EventName::Registered).await, 1);
}
