//! The site over HTTP, asked by a browser and by htmx.

mod every_page;
mod forms;
mod redirects;
mod refusals;
mod second_factor;

use super::App;
use crate::account::Account;
use crate::settings::database_in_memory;
use crate::site::HtmxFile;
use axum::Router;
use axum_auth_module::AuthModule;
use axum_auth_module::testing::{self, Browser, Call, Reply};
use sqlx::SqlitePool;

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "correct horse battery";

/// The site with htmx, and a browser that visits it.
struct Site {
    routes: Router,
    auth: AuthModule<Account>,
    pool: SqlitePool,
    browser: Browser,
}

impl Site {
    async fn start() -> Self {
        Self::start_with(HtmxFile::read(concat!(env!("CARGO_MANIFEST_DIR"), "/package.json"))).await
    }

    /// Any file can stand for htmx: these tests run no script.
    async fn start_with(htmx: HtmxFile) -> Self {
        let pool = database_in_memory().await.unwrap();
        let app = App::new(testing::config().build().unwrap(), pool.clone(), htmx).await.unwrap();
        let (auth, routes) = (app.auth.clone(), app.routes());
        Self { browser: Browser::new(routes.clone()), routes, auth, pool }
    }

    /// Another browser.
    fn telephone(&self) -> Browser {
        Browser::new(self.routes.clone())
    }

    /// Creates the account, whose session the browser has then.
    async fn register(&self) -> Account {
        self.browser.post("/register").form(registration()).await.expect(303);
        self.account().await
    }

    async fn account(&self) -> Account {
        let select = sqlx::query_as("SELECT * FROM users WHERE email = ?").bind(EMAIL);
        select.fetch_one(&self.pool).await.unwrap()
    }

    async fn confirm_password(&self) {
        self.browser.post("/confirm").form([("password", PASSWORD)]).await.expect(303);
    }

    /// The texts of all notes.
    async fn notes(&self) -> Vec<String> {
        sqlx::query_scalar("SELECT text FROM notes ORDER BY id").fetch_all(&self.pool).await.unwrap()
    }
}

/// htmx sends the request, in the page at this path.
fn by_htmx(call: Call, open: &str) -> Call {
    by_htmx_at(call, &format!("https://app.example.com{open}"))
}

/// htmx sends the request, in the page at this URL.
fn by_htmx_at(call: Call, url: &str) -> Call {
    call.by_script().header("hx-request", "true").header("hx-current-url", url)
}

fn registration() -> [(&'static str, &'static str); 4] {
    [("name", "Ada"), ("email", EMAIL), ("password", PASSWORD), ("passwordConfirmation", PASSWORD)]
}

fn login(password: &str) -> [(&'static str, &str); 2] {
    [("email", EMAIL), ("password", password)]
}

/// Where a response to htmx leads.
#[track_caller]
fn hx_redirect(reply: &Reply) -> &str {
    assert_eq!(reply.location(), None, "an XMLHttpRequest follows a redirect itself");
    assert_eq!(reply.text(), "");
    reply.header("hx-redirect").expect("HX-Redirect")
}

/// Where a response to a browser leads.
#[track_caller]
fn redirect(reply: &Reply) -> &str {
    assert_eq!((reply.status(), reply.header("hx-redirect")), (303, None));
    reply.location().expect("a redirect")
}

#[track_caller]
fn has(reply: &Reply, part: &str) {
    assert!(reply.text().contains(part), "no {part} in {}", reply.text());
}
