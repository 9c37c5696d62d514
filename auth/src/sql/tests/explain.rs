//! Every statement that the adapters run finds its rows by an index.
//!
//! The statements are not repeated here: each is explained when the adapter runs it.

use super::{Account, Tested, new_user, on_each};
use crate::assurance::{Method, Methods};
use crate::events::{Event, EventKind, EventName, EventSink};
use crate::repository::{
    ApiTokenRecord, ApiTokenRepository, DeletionRepository, IdentityRecord, IdentityRepository, IdentityUse,
    LastUse, PasskeyRecord, PasskeyRepository, PasskeyUse, PasswordResetRepository, RepositoryError,
    SessionKind, SessionOwner, SessionRecord, SessionRepository, UserRepository,
};
use crate::sql::database::plans::Plans;
use crate::sql::{
    AuditQuery, Database, SqlApiTokens, SqlAuditLog, SqlDeletions, SqlIdentities, SqlPasskeys,
    SqlPasswordResets, SqlSessions, SqlStore, SqlUsers, Table, migrate,
};
use crate::store::{EphemeralStore, Window};
use crate::testing::databases::Kind;
use crate::user::{UserChange, UserField, UserPatch};
use std::time::{Duration, SystemTime};

/// Rows enough for the database to prefer an index, where the statement can use one.
async fn fill(tested: &Tested) {
    let users = SqlUsers::<Account>::new(tested.database.clone());
    let resets = SqlPasswordResets::new(tested.database.clone());
    let passkeys = SqlPasskeys::new(tested.database.clone());
    let identities = SqlIdentities::new(tested.database.clone());
    let tokens = SqlApiTokens::new(tested.database.clone());
    let deletions = SqlDeletions::new(tested.database.clone());
    let sessions = SqlSessions::new(tested.database.clone());
    let store = SqlStore::new(tested.database.clone());
    let audit = SqlAuditLog::new(&tested.database);
    let now = SystemTime::now();
    for number in 0..200 {
        let email = format!("{number}@b.co");
        let id = users.create(new_user(&email)).await.unwrap().id;
        resets.create_token(&email, "hash", now).await.unwrap();
        let passkey = PasskeyRecord::new(number.to_string(), &id, email.as_bytes(), *b"key", now);
        passkeys.insert(passkey).await.unwrap();
        let identity = IdentityRecord::new(number.to_string(), &id, ISSUER, &email, now);
        identities.insert(identity).await.unwrap();
        let ends = now + Duration::from_secs(number);
        tokens.insert(ApiTokenRecord::new(number.to_string(), &id, [7; 32], now, ends)).await.unwrap();
        deletions.schedule(REALM, &id, ends).await.unwrap();
        let session = SessionRecord::new(number.to_string(), id, SessionKind::Bearer, "state", now, ends);
        sessions.create(session).await.unwrap();
        store.put(&number.to_string(), b"value", Duration::from_secs(number)).await.unwrap();
        audit.handle(Event::new(KINDS[number as usize % 4].clone(), Some(email), ends, None)).await;
    }
    match tested.kind {
        Kind::Sqlite | Kind::Postgres => tested.run("ANALYZE").await,
        Kind::MySql => {
            let tables: Vec<_> = Table::ALL.iter().map(|table| table.name()).collect();
            tested.run(&format!("ANALYZE TABLE {}", tables.join(", "))).await;
        }
    }
}

/// All identities have one issuer, as those of a popular provider have.
const ISSUER: &str = "https://id.example";

/// All accounts are in one realm, as those of most hosts are.
const REALM: &str = "default";

const KINDS: [EventKind; 4] = [
    EventKind::Registered { methods: Methods::of(Method::Password) },
    EventKind::LoginFailed { method: Method::Password },
    EventKind::PasswordReset,
    EventKind::EmailChanged,
];

/// Calls each method of each adapter, in each form that has a statement of its own.
async fn call_everything(database: &Database) -> Result<(), RepositoryError> {
    let users = SqlUsers::<Account>::new(database.clone());
    let user = users.create(new_user("ada@b.co")).await?;
    users.find_by_id(&user.id).await?;
    users.find_by_field(UserField::Email, "ada@b.co").await?;
    let unchanged = || UserPatch::new(user.id.clone());
    let conditional = |patch: UserPatch<Account>| {
        patch
            .only_if(UserChange::Password("hash".to_owned()))
            .only_if(UserChange::TwoFactorSecret(None))
            .only_if(UserChange::EmailVerifiedAt(None))
    };
    for patch in [unchanged(), unchanged().with(UserChange::Email("new@b.co".to_owned()))] {
        users.save(patch.clone()).await?;
        users.save(conditional(patch)).await?;
    }

    let resets = SqlPasswordResets::new(database.clone());
    resets.create_token("ada@b.co", "hash", SystemTime::now()).await?;
    resets.find_by_email("ada@b.co").await?;
    resets.delete_by_email("ada@b.co").await?;

    let now = SystemTime::now();
    let passkeys = SqlPasskeys::new(database.clone());
    passkeys.insert(PasskeyRecord::new("ada", &user.id, *b"credential", *b"key", now)).await?;
    passkeys.find_by_credential_id(b"credential").await?;
    passkeys.find_by_user(&user.id).await?;
    passkeys.record_use("ada", None, &PasskeyUse::new(1, true, now)).await?;
    passkeys.record_use("ada", Some(1), &PasskeyUse::new(2, true, now)).await?;
    passkeys.rename(&user.id, "ada", "phone").await?;
    passkeys.delete(&user.id, "ada").await?;
    passkeys.delete_all(&user.id).await?;

    let identities = SqlIdentities::new(database.clone());
    identities.insert(IdentityRecord::new("ada", &user.id, ISSUER, "ada", now)).await?;
    identities.find_by_subject(ISSUER, "ada").await?;
    identities.find_by_user(&user.id).await?;
    identities.record_use("ada", &IdentityUse::new(None, now)).await?;
    identities.delete(&user.id, "ada").await?;
    identities.delete_all(&user.id).await?;

    let tokens = SqlApiTokens::new(database.clone());
    tokens.insert(ApiTokenRecord::new("ada", &user.id, [7; 32], now, now)).await?;
    tokens.find_by_id("ada").await?;
    tokens.find_by_user(&user.id).await?;
    tokens.record_use("ada", now, now).await?;
    tokens.delete(&user.id, "ada").await?;
    tokens.delete_all(&user.id).await?;
    tokens.delete_expired(now - Duration::from_secs(1), 10).await?;

    let deletions = SqlDeletions::new(database.clone());
    for due_at in [now, now + Duration::from_secs(1)] {
        deletions.schedule(REALM, "ada", due_at).await?;
    }
    assert_eq!(deletions.lease_due(REALM, now, now + Duration::from_secs(60), 1).await?.len(), 1);
    deletions.cancel(REALM, "ada", now, now).await?;
    deletions.finish(REALM, "ada", now).await?;

    let sessions = SqlSessions::new(database.clone());
    let kinds = [SessionKind::Bearer, SessionKind::Browser];
    sessions.create(SessionRecord::new("ada", &user.id, SessionKind::Bearer, "state", now, now)).await?;
    sessions.find("ada").await?;
    sessions.find_by_user(&user.id, &kinds).await?;
    sessions.swap("ada", &"state".into(), &"new".into(), now).await?;
    sessions.touch("ada", &LastUse::new(now)).await?;
    sessions.delete_all(SessionOwner::User(&user.id), &kinds, Some("ada")).await?;
    sessions.delete_all(SessionOwner::User(&user.id), &kinds, None).await?;
    sessions.delete("ada").await?;
    sessions.delete_expired(now - Duration::from_secs(1), 10).await?;

    let store = SqlStore::new(database.clone());
    let minute = Duration::from_secs(60);
    let other = RepositoryError::Other;
    store.put("a", b"one", minute).await.map_err(other)?;
    store.get("a").await.map_err(other)?;
    store.swap("a", Some(b"one"), b"two", minute).await.map_err(other)?;
    store.swap("b", None, b"two", minute).await.map_err(other)?;
    for _ in 0..3 {
        store.count("c", 2, minute).await.map_err(other)?;
    }
    store.give_back("c", Window::new(1)).await.map_err(other)?;
    store.delete("a").await.map_err(other)?;
    store.delete_expired(10).await.map_err(other)?;

    let audit = SqlAuditLog::new(database);
    let registered = EventKind::Registered { methods: Methods::of(Method::Password) };
    audit.handle(Event::new(registered, Some(user.id.clone()), now, None)).await;
    let of_user = AuditQuery::new().user(&user.id);
    for query in
        [of_user.clone(), of_user.kind(EventName::Registered), AuditQuery::new().kind(EventName::Login)]
    {
        let after = audit.find(&query.clone().at_most(1)).await?.next;
        audit.find(&after.map_or(query.clone(), |cursor| query.after(cursor))).await?;
    }
    audit.find(&AuditQuery::new().before(now).since(now - minute)).await?;
    audit.delete_user(&user.id).await?;
    audit.delete_before(now - 10 * minute).await?;
    Ok(())
}

/// Whether the plan reads a whole table.
fn reads_everything(kind: Kind, step: &str) -> bool {
    match kind {
        Kind::Sqlite => step.starts_with("SCAN"),
        Kind::Postgres => step.contains("Seq Scan"),
        // The access types of a whole table and of a whole index.
        Kind::MySql => step.starts_with("ALL ") || step.starts_with("index "),
    }
}

#[tokio::test]
async fn every_statement_uses_an_index() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        fill(&tested).await;
        let plans = Plans::default();
        call_everything(&tested.that_prefers_indexes().await.explained(&plans)).await.unwrap();
        let plans = plans.take();
        assert!(plans.len() > 30, "{plans:?}");
        // An INSERT of values reads nothing. MariaDB calls that `ALL`, too.
        for (sql, steps) in plans.into_iter().filter(|(sql, _)| !sql.starts_with("INSERT")) {
            let bad = steps.iter().any(|step| reads_everything(tested.kind, step));
            assert!(!bad, "{sql}: {steps:#?}");
        }
    })
    .await;
}

/// That the test above can fail.
#[tokio::test]
async fn a_statement_without_an_index_is_found() {
    on_each(async |tested| {
        migrate(&tested.database).await.unwrap();
        fill(&tested).await;
        let plans = Plans::default();
        let sessions = SqlSessions::new(tested.database.explained(&plans));
        sessions.delete_all(SessionOwner::Everybody, SessionKind::ALL, None).await.unwrap();
        let plans = plans.take();
        assert!(
            plans.iter().any(|(_, steps)| steps.iter().any(|step| reads_everything(tested.kind, step))),
            "{plans:?}"
        );
    })
    .await;
}
