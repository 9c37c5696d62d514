//! The host over HTTP, and what SeaORM and the library see of each other's rows.

use super::{App, account, host, router};
use crate::entity::note;
use axum_auth_module::config::DeletionOptions;
use axum_auth_module::repository::UserRepository;
use axum_auth_module::sql::SqlUsers;
use axum_auth_module::testing::{self, Client, Outbox, conformance};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, Set,
};
use serde_json::{Value, json};
use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;
use std::time::Duration;

const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct horse battery";

struct Host {
    app: App,
    pool: SqlitePool,
    outbox: Outbox,
    client: Client,
}

impl Host {
    /// With a pool of one connection: each connection to `:memory:` has its own database. A transaction that waited for a second
    /// connection would never end.
    async fn start() -> Self {
        let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
        let mut deletion = DeletionOptions::default();
        deletion.grace = Duration::ZERO;
        let config = testing::config().deletion(deletion).build().unwrap();
        let outbox = Outbox::new();
        let app = host(config, pool.clone(), outbox.clone(), outbox.clone()).await.unwrap();
        let client = Client::new(router(app.clone()));
        Self { app, pool, outbox, client }
    }

    /// Registers a user, who sends the requests of the returned client.
    async fn register(&self, email: &str) -> Client {
        let body: Value =
            self.client.post("/auth/register").json(&registration(email)).await.expect(201).json();
        self.client.with_access_token(body["accessToken"].as_str().unwrap())
    }

    async fn account(&self, email: &str) -> account::Model {
        let account = account::Entity::find().filter(account::Column::Email.eq(email));
        account.one(&self.app.database).await.unwrap().unwrap()
    }

    async fn rows(&self) -> (u64, u64) {
        let accounts = account::Entity::find().count(&self.app.database).await.unwrap();
        (accounts, note::Entity::find().count(&self.app.database).await.unwrap())
    }

    /// The adapter of the module, over the table of SeaORM.
    fn users(&self) -> SqlUsers<account::Model> {
        SqlUsers::new(self.pool.clone()).table("accounts").unwrap()
    }
}

fn registration(email: &str) -> Value {
    json!({ "name": "Ada", "email": email, "password": PASSWORD, "passwordConfirmation": PASSWORD })
}

async fn texts(client: &Client) -> Vec<String> {
    let notes: Vec<Value> = client.get("/notes").await.expect(200).json();
    notes.iter().map(|note| note["text"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn users_read_and_write_their_own_notes_and_no_others() {
    let host = Host::start().await;
    host.client.get("/notes").await.expect(401);
    let (ada, bob) = (host.register(ADA).await, host.register("bob@example.com").await);
    let note: Value = ada.post("/notes").json(&json!({ "text": "buy milk" })).await.expect(201).json();
    assert_eq!(note["accountId"], host.account(ADA).await.id);
    assert_eq!(texts(&ada).await, ["Welcome, Ada!", "buy milk"]);
    assert_eq!(texts(&bob).await, ["Welcome, Ada!"]);
    let path = format!("/notes/{}", note["id"]);
    bob.delete(&path).await.expect(404);
    assert_eq!(texts(&ada).await.len(), 2);
    ada.delete(&path).await.expect(204);
    ada.delete(&path).await.expect(404);
    assert_eq!(texts(&ada).await, ["Welcome, Ada!"]);
    let long = "x".repeat(1_001);
    for refused in ["", "  ", &long] {
        let reply = ada.post("/notes").json(&json!({ "text": refused })).await.expect(422);
        assert_eq!(reply.code().as_deref(), Some("validation_failed"));
    }
}

#[tokio::test]
async fn a_registration_writes_both_rows_or_none() {
    let host = Host::start().await;
    host.register(ADA).await;
    let taken = host.client.post("/auth/register").json(&registration(ADA)).await.expect(409);
    assert_eq!(taken.code().as_deref(), Some("email_taken"));
    assert_eq!(host.rows().await, (1, 1));
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON notes BEGIN SELECT RAISE(ABORT, 'refused'); END";
    host.app.database.execute_unprepared(refuse).await.unwrap();
    host.client.post("/auth/register").json(&registration("bob@example.com")).await.expect(500);
    assert_eq!(host.rows().await, (1, 1));
    host.app.database.execute_unprepared("DROP TRIGGER refuse").await.unwrap();
    host.register("bob@example.com").await;
    assert_eq!(host.rows().await, (2, 2));
}

#[tokio::test]
async fn the_library_and_seaorm_read_what_the_other_one_writes() {
    let host = Host::start().await;
    let ada = host.register(ADA).await;
    ada.post("/auth/user/confirm-password").json(&json!({ "password": PASSWORD })).await.expect(200);
    let account = host.account(ADA).await;
    let confirmed_at = account.password_confirmed_at.expect("the library has written the time");
    assert_eq!(host.users().find_by_id(&account.id).await.unwrap().as_ref(), Some(&account));
    // Only the column that is set is written, as the library writes only the fields that change.
    let verified = account::ActiveModel {
        id: Set(account.id),
        email_verified_at: Set(Some(confirmed_at)),
        ..Default::default()
    };
    let verified = verified.update(&host.app.database).await.unwrap();
    assert_eq!(verified.password_confirmed_at, Some(confirmed_at));
    assert_eq!(host.users().find_by_id(&account.id).await.unwrap(), Some(verified));
}

#[tokio::test]
async fn a_reset_changes_the_password_in_the_table_of_seaorm_and_ends_the_sessions() {
    let host = Host::start().await;
    let ada = host.register(ADA).await;
    host.client.post("/auth/forgot-password").json(&json!({ "email": ADA })).await.expect(200);
    let reset = host.outbox.next_reset(ADA).await;
    let new = "another horse battery";
    let body = json!({ "token": reset.token, "email": ADA, "password": new, "passwordConfirmation": new });
    host.client.post("/auth/reset-password").json(&body).await.expect(200);
    ada.get("/notes").await.expect(401);
    let login =
        |password| host.client.post("/auth/login").json(&json!({ "email": ADA, "password": password }));
    login(PASSWORD).await.expect(401);
    login(new).await.expect(200);
}

#[tokio::test]
async fn a_deletion_takes_the_notes_along() {
    let host = Host::start().await;
    let (ada, bob) = (host.register(ADA).await, host.register("bob@example.com").await);
    ada.post("/auth/user/confirm-password").json(&json!({ "password": PASSWORD })).await.expect(200);
    ada.delete("/auth/user").json(&json!({})).await.expect(202);
    host.app.auth.background_work_finished().await;
    assert_eq!(host.rows().await, (1, 1));
    ada.get("/notes").await.expect(401);
    assert_eq!(texts(&bob).await.len(), 1);
}

#[tokio::test]
async fn a_note_of_an_account_that_is_gone_is_refused_as_unauthenticated() {
    let host = Host::start().await;
    let ada = host.register(ADA).await;
    // As if the account were deleted between the extractor and the insert.
    let vanish = "CREATE TRIGGER vanish BEFORE INSERT ON notes BEGIN DELETE FROM accounts; END";
    host.app.database.execute_unprepared(vanish).await.unwrap();
    let reply = ada.post("/notes").json(&json!({ "text": "too late" })).await.expect(401);
    assert_eq!(reply.code().as_deref(), Some("unauthenticated"));
}

#[tokio::test]
async fn the_debug_output_of_a_user_shows_no_secret() {
    let host = Host::start().await;
    host.register(ADA).await;
    let account = host.account(ADA).await;
    assert_eq!(format!("{account:?}"), format!("Model {{ id: {}, .. }}", account.id));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_of_seaorm_stores_users_as_the_library_requires() -> Result<(), conformance::Failures> {
    conformance::users(Host::start().await.users()).await
}
