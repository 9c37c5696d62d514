//! The audit log without HTTP: every kind of event, portions, repeated writes, and a database that is busy.

use super::{Tested, on, on_each};
use crate::assurance::{Method, Methods};
use crate::events::{Actor, AttemptKind, Event, EventKind, EventName, EventSink, SessionEnd};
use crate::sql::database::plans::Plans;
use crate::sql::{AuditQuery, Database, SqlAuditLog, Table, migrate_only};
use crate::testing::databases::Kind;
use serde_json::json;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use std::time::{Duration, SystemTime};

const NOW: SystemTime = SystemTime::UNIX_EPOCH;

/// An event that happened so many milliseconds after 1970.
fn event(kind: EventKind, milliseconds: u64) -> Event {
    Event::new(kind, Some("ada".to_owned()), NOW + Duration::from_millis(milliseconds), None)
}

async fn log(tested: &Tested) -> SqlAuditLog {
    migrate_only(&tested.database, &[Table::AuthAudit]).await.unwrap();
    SqlAuditLog::new(&tested.database)
}

/// One event of each kind, with every fact that it can have.
fn every_kind() -> Vec<EventKind> {
    let session_id = || "4f2a".to_owned();
    let methods = Methods::from_iter([Method::Password, Method::OneTimeCode]);
    EventName::ALL
        .iter()
        .map(|name| match name {
            EventName::Registered => EventKind::Registered { methods },
            EventName::Login => EventKind::Login { session_id: session_id(), methods },
            EventName::LoginFailed => EventKind::LoginFailed { method: Method::Email },
            EventName::Confirmed => EventKind::Confirmed { methods },
            EventName::Logout => EventKind::Logout { session_id: session_id() },
            EventName::SessionEnded => {
                EventKind::SessionEnded { session_id: session_id(), reason: SessionEnd::CredentialChange }
            }
            EventName::Lockout => EventKind::Lockout { attempt: AttemptKind::TwoFactor },
            EventName::Unlocked => EventKind::Unlocked,
            EventName::PasswordReset => EventKind::PasswordReset,
            EventName::PasswordUpdated => EventKind::PasswordUpdated,
            EventName::PasswordRemoved => EventKind::PasswordRemoved,
            EventName::EmailVerified => EventKind::EmailVerified,
            EventName::EmailChangeRequested => EventKind::EmailChangeRequested,
            EventName::EmailChanged => EventKind::EmailChanged,
            EventName::EmailReverted => EventKind::EmailReverted,
            EventName::AccountSecured => EventKind::AccountSecured,
            EventName::LoginCodeSent => EventKind::LoginCodeSent,
            EventName::AccountReclaimed => EventKind::AccountReclaimed,
            EventName::TwoFactorEnabled => EventKind::TwoFactorEnabled,
            EventName::TwoFactorConfirmed => EventKind::TwoFactorConfirmed,
            EventName::TwoFactorDisabled => EventKind::TwoFactorDisabled,
            EventName::TwoFactorSecretShown => EventKind::TwoFactorSecretShown,
            EventName::TwoFactorChallenged => EventKind::TwoFactorChallenged,
            EventName::TwoFactorFailed => EventKind::TwoFactorFailed,
            EventName::ValidTwoFactorCode => EventKind::ValidTwoFactorCode,
            EventName::RecoveryCodeReplaced => EventKind::RecoveryCodeReplaced,
            EventName::RecoveryCodesGenerated => EventKind::RecoveryCodesGenerated,
            EventName::PasskeyAdded => EventKind::PasskeyAdded { passkey_id: session_id() },
            EventName::PasskeyRenamed => EventKind::PasskeyRenamed { passkey_id: session_id() },
            EventName::PasskeyRemoved => EventKind::PasskeyRemoved { passkey_id: session_id() },
            EventName::PasskeyCounterRegressed => {
                EventKind::PasskeyCounterRegressed { passkey_id: session_id() }
            }
            EventName::ApiTokenCreated => EventKind::ApiTokenCreated { token_id: session_id() },
            EventName::ApiTokenRevoked => EventKind::ApiTokenRevoked { token_id: session_id() },
            EventName::DeviceTrusted => EventKind::DeviceTrusted { device_id: session_id() },
            EventName::DeviceForgotten => EventKind::DeviceForgotten { device_id: session_id() },
            EventName::ImpersonationStarted => EventKind::ImpersonationStarted {
                session_id: session_id(),
                actor: "support".to_owned(),
                reason: "Ticket 4711".to_owned(),
            },
            EventName::ImpersonationEnded => {
                EventKind::ImpersonationEnded { session_id: session_id(), actor: "support".to_owned() }
            }
            EventName::InvitationSent => EventKind::InvitationSent,
            EventName::InvitationAccepted => EventKind::InvitationAccepted,
            EventName::DeletionScheduled => EventKind::DeletionScheduled { due_at: session_id() },
            EventName::DeletionCancelled => EventKind::DeletionCancelled { due_at: session_id() },
            EventName::AccountDeleted => EventKind::AccountDeleted { due_at: session_id() },
            EventName::IdentityLinked => {
                EventKind::IdentityLinked { identity_id: session_id(), provider: "acme".to_owned() }
            }
            EventName::IdentityUnlinked => {
                EventKind::IdentityUnlinked { identity_id: session_id(), provider: "acme".to_owned() }
            }
            EventName::RefreshTokenReused => EventKind::RefreshTokenReused { session_id: session_id() },
        })
        .collect()
}

#[tokio::test]
async fn every_kind_of_event_is_written_and_read() {
    on_each(async |tested| {
        let log = log(&tested).await;
        let events: Vec<_> = every_kind().into_iter().map(|kind| event(kind, 5)).collect();
        for event in &events {
            log.handle(event.clone()).await;
        }
        let page = log.find(&AuditQuery::new().user(&"ada".to_owned())).await.unwrap();
        let mut entries = page.entries;
        entries.reverse();
        assert_eq!((log.lost(), entries.len()), (0, events.len()));
        for (entry, event) in entries.iter().zip(&events) {
            assert_eq!((&*entry.event, entry.at, entry.by), (event.name(), event.at, Actor::Client));
            let facts = entry.details.iter().map(|(name, fact)| (&**name, fact.as_str().unwrap()));
            let session = entry.session_id.iter().map(|id| ("session_id", &**id));
            assert_eq!(session.chain(facts).collect::<Vec<_>>(), event.kind.facts().collect::<Vec<_>>());
            let of_kind = log.find(&AuditQuery::new().kind(event.kind.event_name())).await.unwrap();
            assert_eq!(of_kind.entries, std::slice::from_ref(entry));
        }
    })
    .await;
}

#[tokio::test]
async fn old_rows_are_deleted_in_portions_of_a_thousand() {
    on_each(async |tested| {
        let log = log(&tested).await.keep_for(Duration::from_secs(1));
        let values: Vec<_> =
            (0..2500).map(|n| format!("('{n:032x}', 0, 'auth.login', NULL, 'client', '{{}}')")).collect();
        tested
            .run(&format!(
                "INSERT INTO auth_audit (id, at, event, user_id, actor, details) VALUES {}",
                values.join(", ")
            ))
            .await;
        for (seconds, left) in [(2, 1501), (2, 502), (2, 3), (2, 4), (602, 1)] {
            log.handle(event(EventKind::Unlocked, seconds * 1000)).await;
            assert_eq!(tested.count("auth_audit").await, left, "at {seconds} s");
        }
        assert_eq!(log.delete_before(NOW + Duration::from_secs(602)).await.unwrap(), 0);
        assert_eq!(log.delete_before(NOW + Duration::from_secs(603)).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_table_can_have_another_name() {
    on_each(async |tested| {
        let log = log(&tested).await.table("staff_audit").unwrap();
        tested.run("ALTER TABLE auth_audit RENAME TO staff_audit").await;
        log.handle(event(EventKind::Unlocked, 1)).await;
        assert_eq!(tested.count("staff_audit").await, 1);
        assert!(log.table("a b").is_err());
    })
    .await;
}

/// What makes it safe to repeat a write of which nobody knows whether it has succeeded.
#[tokio::test]
async fn an_event_that_is_written_again_is_there_once() {
    on_each(async |tested| {
        let _log = log(&tested).await;
        let event = event(EventKind::Unlocked, 1);
        let row = crate::sql::audit::row::NewRow::new(&event).unwrap();
        let table = crate::sql::identifier::Identifier::from_source("auth_audit");
        for _ in 0..2 {
            tested.database.execute(row.insert(&table, tested.database.dialect())).await.unwrap();
        }
        assert_eq!(tested.count("auth_audit").await, 1);
    })
    .await;
}

#[tokio::test]
async fn an_event_that_cannot_be_written_is_counted_and_the_next_one_is_written() {
    on_each(async |tested| {
        let log = log(&tested).await;
        tested.run("ALTER TABLE auth_audit RENAME TO elsewhere").await;
        // Not repeated: the database answers, and says no.
        log.handle(event(EventKind::Unlocked, 1)).await;
        assert_eq!(log.lost(), 1);
        tested.run("ALTER TABLE elsewhere RENAME TO auth_audit").await;
        log.handle(event(EventKind::Unlocked, 2)).await;
        assert_eq!((log.lost(), tested.count("auth_audit").await), (1, 1));
    })
    .await;
}

/// A SQLite that another connection has locked says so at once here, as a server does that has too many connections.
#[tokio::test]
async fn a_write_is_repeated_while_the_database_is_busy() {
    on(Kind::Sqlite, async |tested| {
        log(&tested).await;
        let options: SqliteConnectOptions = tested.place.url().parse().unwrap();
        let impatient = options.busy_timeout(Duration::ZERO);
        let pool = SqlitePoolOptions::new().connect_with(impatient).await.unwrap();
        let attempts = Plans::default();
        let log = SqlAuditLog::new(Database::from(&pool).explained(&attempts));
        let other = SqlitePool::connect(&tested.place.url()).await.unwrap();

        let lock = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
        let writing = tokio::spawn({
            let log = log.clone();
            async move { log.handle(event(EventKind::Unlocked, 1)).await }
        });
        let mut number = 0;
        while number < 2 {
            number += attempts.take().len();
            tokio::task::yield_now().await;
        }
        assert_eq!(tested.count("auth_audit").await, 0);
        lock.rollback().await.unwrap();
        writing.await.unwrap();
        assert_eq!((log.lost(), tested.count("auth_audit").await), (0, 1));
        pool.close().await;
        other.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_row_on_a_connection_of_the_hosts_is_part_of_its_transaction() {
    on(Kind::Sqlite, async |tested| {
        let log = log(&tested).await;
        let pool = SqlitePool::connect(&tested.place.url()).await.unwrap();
        for (commit, rows) in [(false, 0), (true, 1)] {
            let mut transaction = pool.begin().await.unwrap();
            log.write_in(
                &mut *transaction,
                &event(EventKind::Registered { methods: Methods::of(Method::Password) }, 1),
            )
            .await
            .unwrap();
            match commit {
                true => transaction.commit().await.unwrap(),
                false => transaction.rollback().await.unwrap(),
            }
            assert_eq!(tested.count("auth_audit").await, rows);
        }
        pool.close().await;
        let entry = log.find(&AuditQuery::new()).await.unwrap().entries.pop().unwrap();
        assert_eq!(
            (entry.event.as_str(), json!(entry.details)),
            ("auth.registered", json!({ "methods": "pwd" }))
        );
    })
    .await;
}
