//! The host over HTTP: baskets, what ends them, and requests at the same time.

mod ends;
mod gate;
mod races;

use super::{Account, App};
use crate::visit::key;
use axum::Router;
use axum_auth_module::AuthModule;
use axum_auth_module::repository::{SessionRecord, SessionRepository};
use axum_auth_module::sql::SqlSessions;
use axum_auth_module::testing::{self, Browser, Client, MovableClock, conformance, login_as};
use serde_json::{Value, json};
use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;
use std::time::{Duration, SystemTime};
use tower_sessions::session::Record;
use tower_sessions::{MemoryStore, SessionStore};

const PASSWORD: &str = "correct horse battery";

struct Host {
    routes: Router,
    auth: AuthModule<Account>,
    pool: SqlitePool,
    clock: MovableClock,
    store: MemoryStore,
    sessions: SqlSessions,
}

async fn database() -> SqlitePool {
    // One connection, because each connection to `:memory:` has its own database.
    SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap()
}

impl Host {
    async fn start() -> Self {
        let store = MemoryStore::default();
        Self::start_with(store.clone(), store).await
    }

    /// The data is stored through `around`, which passes it to `store`.
    async fn start_with(around: impl SessionStore, store: MemoryStore) -> Self {
        let (clock, pool) = (MovableClock::new(), database().await);
        let sessions = SqlSessions::new(pool.clone());
        let config = testing::config().clock(clock.clone()).build().unwrap();
        let app = App::new(config, pool.clone(), sessions.clone(), around).await.unwrap();
        let (auth, routes) = (app.auth.clone(), app.routes());
        Self { routes, auth, pool, clock, store, sessions }
    }

    fn client(&self) -> Client {
        Client::new(self.routes.clone())
    }

    fn browser(&self) -> Browser {
        Browser::new(self.routes.clone()).with_clock(&self.clock)
    }

    async fn account(&self, name: &str) -> Account {
        let email = format!("{name}@example.com");
        let registration =
            json!({ "name": name, "email": email, "password": PASSWORD, "passwordConfirmation": PASSWORD });
        self.client().post("/auth/register").json(&registration).await.expect(201);
        sqlx::query_as("SELECT * FROM users WHERE email = ?").bind(email).fetch_one(&self.pool).await.unwrap()
    }

    /// A session of this user with two packets of tea in its basket: its client, its id and its refresh token.
    async fn visit(&self, account: &Account) -> Visit {
        let tokens = login_as(&self.auth, account).with_confirmed_password().tokens().await.unwrap();
        let client = self.client().with_tokens(&tokens);
        client.post("/basket").json(&tea()).await.expect(200);
        let (id, refresh_token) = (tokens.session_id.clone(), tokens.refresh_token.clone());
        assert!(self.data(&id).await.is_some());
        Visit { client, id, refresh_token }
    }

    /// What is stored for a session.
    async fn data(&self, session_id: &str) -> Option<Record> {
        self.store.load(&key(session_id).unwrap()).await.unwrap()
    }

    async fn row(&self, session_id: &str) -> Option<SessionRecord> {
        self.sessions.find(session_id).await.unwrap()
    }
}

struct Visit {
    client: Client,
    id: String,
    refresh_token: String,
}

fn tea() -> Value {
    json!({ "article": "tea", "number": 2 })
}

async fn basket(client: &Client) -> Value {
    client.get("/basket").await.expect(200).json()
}

#[tokio::test]
async fn a_basket_belongs_to_one_session() {
    let host = Host::start().await;
    let ada = host.account("ada").await;
    let visit = host.visit(&ada).await;
    visit.client.post("/basket").json(&json!({ "article": "cup", "number": 1 })).await.expect(200);
    visit.client.post("/basket").json(&tea()).await.expect(200);
    assert_eq!(basket(&visit.client).await, json!({ "cup": 1, "tea": 4 }));
    // Another session of the user, a user without a basket, and nobody.
    let tokens = login_as(&host.auth, &ada).tokens().await.unwrap();
    assert_eq!(basket(&host.client().with_tokens(&tokens)).await, json!({}));
    assert!(host.data(&tokens.session_id).await.is_none(), "reading stores nothing");
    host.client().get("/basket").await.expect(401);
    host.client().post("/basket").json(&tea()).await.expect(401);

    let emptied: Value = visit.client.delete("/basket").await.expect(200).json();
    assert_eq!((emptied, basket(&visit.client).await), (json!({}), json!({})));
}

#[tokio::test]
async fn a_browser_has_a_basket_and_another_site_does_not_fill_it() {
    let host = Host::start().await;
    let browser = host.browser();
    let id = login_as(&host.auth, &host.account("ada").await).in_browser(&browser).await.unwrap();
    browser.post("/basket").json(&tea()).await.expect(200);
    let evil = browser.on_sibling("https://evil.example.com");
    assert_eq!(evil.post("/basket").json(&tea()).await.expect(403).code().unwrap(), "cross_origin_request");
    assert_eq!(browser.get("/basket").await.expect(200).json::<Value>(), json!({ "tea": 2 }));
    assert_eq!(host.data(&id).await.unwrap().expiry_date, host.row(&id).await.unwrap().expires_at);
    browser.post("/web/auth/logout").await.expect(200);
    assert!(host.data(&id).await.is_none());
}

#[tokio::test]
async fn the_key_is_the_id_of_the_session() {
    let host = Host::start().await;
    let visit = host.visit(&host.account("ada").await).await;
    assert_eq!(key(&visit.id).unwrap().to_string(), visit.id, "each id has a key of its own");
    // Not canonical, too short, too long: none of them is an id of the library.
    for other in ["AAAAAAAAAAAAAAAAAAAAAB", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAA", "ääääääääääääääääääääää"]
    {
        assert!(key(other).is_err(), "{other}");
    }
}

#[tokio::test]
async fn what_is_no_line_changes_nothing() {
    let host = Host::start().await;
    let visit = host.visit(&host.account("ada").await).await;
    for article in [String::new(), "a".repeat(101)] {
        let line = json!({ "article": article, "number": 1 });
        visit.client.post("/basket").json(&line).await.expect(422);
    }
    for number in 0..99 {
        let line = json!({ "article": number.to_string(), "number": u32::MAX });
        visit.client.post("/basket").json(&line).await.expect(200);
    }
    visit.client.post("/basket").json(&json!({ "article": "99", "number": 1 })).await.expect(422);
    let full: Value = visit.client.post("/basket").json(&tea()).await.expect(200).json();
    assert_eq!((&full["tea"], full.as_object().unwrap().len()), (&json!(4), 100));
}

#[tokio::test]
async fn a_refresh_keeps_the_basket_and_prolongs_it() {
    let host = Host::start().await;
    let visit = host.visit(&host.account("ada").await).await;
    let before = host.data(&visit.id).await.unwrap();
    assert_eq!(before.expiry_date, host.row(&visit.id).await.unwrap().expires_at);
    host.clock.advance(Duration::from_secs(5 * 86_400));
    let body = json!({ "refreshToken": visit.refresh_token });
    let pair: Value = host.client().post("/auth/refresh").json(&body).await.expect(200).json();
    let client = host.client().with_access_token(pair["accessToken"].as_str().unwrap());
    assert_eq!(basket(&client).await, json!({ "tea": 2 }));
    let after = host.data(&visit.id).await.unwrap();
    assert_eq!(after.expiry_date, host.row(&visit.id).await.unwrap().expires_at);
    assert!(after.expiry_date > before.expiry_date, "it ends with the session");

    // After a change of the password the session goes on with other tokens.
    let body = json!({ "currentPassword": PASSWORD, "password": "another good one", "passwordConfirmation": "another good one" });
    let pair: Value = client.put("/auth/user/password").json(&body).await.expect(200).json();
    let client = host.client().with_access_token(pair["accessToken"].as_str().unwrap());
    assert_eq!(basket(&client).await, json!({ "tea": 2 }));
}

/// No cookie of tower-sessions is set, and none is read.
#[tokio::test]
async fn there_is_no_second_cookie() {
    let host = Host::start().await;
    let visit = host.visit(&host.account("ada").await).await;
    let reply = visit.client.get("/basket").await.expect(200);
    assert_eq!(reply.header("set-cookie"), None);
    let thief = host.browser();
    assert!(thief.set_cookie(&format!("id={}; Path=/", visit.id)));
    thief.get("/basket").await.expect(401);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_repository_does_what_the_library_requires() -> Result<(), conformance::Failures> {
    let pool = database().await;
    axum_auth_module::sql::migrate(&pool).await.unwrap();
    let visits = crate::Visits::new(SqlSessions::new(pool), MemoryStore::default());
    conformance::sessions(visits).await
}

fn days(number: u64) -> Duration {
    Duration::from_secs(number * 86_400)
}

fn now(host: &Host) -> SystemTime {
    axum_auth_module::clock::Clock::now(&host.clock)
}
