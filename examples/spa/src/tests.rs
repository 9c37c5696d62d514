//! The tests of `examples/client`, which run in Node against this host, and the files of the page.
//!
//! Without Node the former are skipped with a line on stderr, and fail if the variable `CI` is set.

#[path = "../../quickstart/src/demo_provider/mod.rs"]
#[expect(dead_code, reason = "the quickstart shows its redirect URIs")]
mod demo_provider;

use self::demo_provider::DemoProvider;
use super::{app, providers, settings};
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::post;
use axum::{Json, Router};
use axum_auth_module::clock::Clock;
use axum_auth_module::config::RelyingParty;
use axum_auth_module::mail::Mailer;
use axum_auth_module::social::{SocialProvider, SocialProviders};
use axum_auth_module::sql::SqlStore;
use axum_auth_module::testing::{self, MovableClock};
use chrono::Utc;
use sqlx::SqlitePool;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::{self, Write};
use std::mem;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::process::Command;
use tower::ServiceExt;

async fn application(clock: MovableClock, providers: SocialProviders) -> (Router, SqlitePool) {
    let site = RelyingParty::new("localhost", "Notes", ["http://localhost:3000"]).unwrap();
    let config = testing::config().clock(clock.clone()).relying_party(site).build().unwrap();
    let pool = settings::database_in_memory().await.unwrap();
    let store = SqlStore::new(pool.clone()).clock(clock);
    let mailer = Mailer::files(outbox(), "Notes <notes@localhost>").build().unwrap();
    (app(config, pool.clone(), store, mailer, providers, "http://localhost:3000").await.unwrap(), pool)
}

/// Where the mails are.
fn outbox() -> PathBuf {
    env::temp_dir().join(format!("spa-tests-{}", std::process::id()))
}

/// What the tests in Node control.
#[derive(Clone, Default)]
struct Control {
    clock: MovableClock,
    requests: Arc<Mutex<BTreeMap<String, u32>>>,
}

impl Control {
    /// Routes that move the clock, count the requests, read a mail and verify an address, around the application.
    fn around(self, application: Router, pool: SqlitePool) -> Router {
        let counted = application.layer(middleware::from_fn_with_state(self.clone(), count));
        Router::new()
            .route("/test/advance/{seconds}", post(advance))
            .route("/test/requests", post(requests_since))
            .route("/test/mail/{email}", post(mail))
            .with_state(self)
            .route("/test/verify/{email}", post(verify).with_state(pool))
            .merge(counted)
    }
}

async fn count(State(control): State<Control>, request: Request, next: Next) -> Response {
    *control.requests.lock().unwrap().entry(request.uri().path().to_owned()).or_default() += 1;
    next.run(request).await
}

/// Moves the clock, and returns its time.
async fn advance(State(control): State<Control>, Path(seconds): Path<u64>) -> Json<u64> {
    control.clock.advance(Duration::from_secs(seconds));
    Json(control.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs())
}

/// Waits for a mail with a code to this address, and takes it out of the outbox.
async fn mail(Path(email): Path<String>) -> Json<String> {
    for _ in 0..500 {
        for entry in fs::read_dir(outbox()).into_iter().flatten() {
            let path = entry.unwrap().path();
            // Another request may have taken it.
            let text = fs::read_to_string(&path).unwrap_or_default();
            let is_it =
                text.contains(&format!("To: {email}\r\n")) && text.contains("X-Auth-Message: email-login");
            // It is gone if another request has taken it, or if the mailer has just given the complete file its name.
            if is_it && fs::remove_file(path).is_ok() {
                return Json(text);
            }
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("there is no mail to {email}");
}

/// Marks an address as verified.
async fn verify(State(pool): State<SqlitePool>, Path(email): Path<String>) -> Json<u64> {
    let mark = sqlx::query("UPDATE users SET email_verified_at = ? WHERE email = ?");
    Json(mark.bind(Utc::now()).bind(email).execute(&pool).await.unwrap().rows_affected())
}

/// How often each path was requested since the last call.
async fn requests_since(State(control): State<Control>) -> Json<BTreeMap<String, u32>> {
    Json(mem::take(&mut *control.requests.lock().unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_passes_its_tests_in_node() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let control = Control::default();
    let (application, pool) = application(control.clock.clone(), no_providers()).await;
    passes("tests/client.test.mjs", listener, control.around(application, pool)).await;
}

/// A host of its own: the times of a provider are real, and the other tests move the clock by days.
#[tokio::test(flavor = "multi_thread")]
async fn the_client_signs_in_with_a_provider() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let url = format!("http://{}", demo_provider::name_of(address));
    let [first, second] = [providers::with_cookies(&url, "demo"), providers::with_tokens(&url, "demo")];
    let demo = DemoProvider::new(address, vec![first.clone(), second.clone()]).unwrap();
    let provider = SocialProvider::oidc("demo", demo.issuer(), demo_provider::CLIENT_ID, first);
    let provider = provider.client_secret(demo_provider::CLIENT_SECRET).redirect_uris([second]);
    let control = Control::default();
    let (application, pool) =
        application(control.clock.clone(), SocialProviders::new([provider]).unwrap()).await;
    let host = control.around(application, pool).nest(demo_provider::PATH, demo.router());
    passes("tests/demo-provider.test.mjs", listener, host).await;
}

fn no_providers() -> SocialProviders {
    SocialProviders::new(Vec::<SocialProvider>::new()).unwrap()
}

/// Serves the host, and runs a file of tests in Node.
async fn passes(file: &str, listener: TcpListener, host: Router) {
    let Ok(version) = Command::new("node").arg("--version").output().await else {
        assert!(env::var_os("CI").is_none(), "tests cannot be skipped here: there is no program `node`");
        // The test harness captures what `eprintln!` writes, but not this.
        return io::stderr()
            .write_all(b"skipped tests: examples/client: there is no program `node`\n")
            .unwrap();
    };
    let version = String::from_utf8(version.stdout).unwrap();
    let major: u32 = version.trim_start_matches('v').split('.').next().unwrap().parse().unwrap();
    assert!(major >= 20, "the tests need Node 20 or later, not {version}");

    let address = listener.local_addr().unwrap();
    let public = format!("http://{}", demo_provider::name_of(address));
    let service = host.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(axum::serve(listener, service).into_future());

    let mut node = Command::new("node");
    node.args(["--test", file]).current_dir(env!("CARGO_MANIFEST_DIR"));
    node.env("HOST", format!("http://{address}")).env("PUBLIC_HOST", public);
    let output = node.kill_on_drop(true).output().await.unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}");
    assert!(report.contains("# fail 0") || report.contains("ℹ fail 0"), "no test has run: {report}");
}

async fn get(path: &str) -> (StatusCode, HeaderMap, String) {
    let (application, _) = application(MovableClock::new(), no_providers()).await;
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = application.oneshot(request).await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, headers, String::from_utf8(body.to_vec()).unwrap())
}

/// The texts between `before` and the next quotation mark.
fn quoted<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).map(|rest| rest.split('"').next().unwrap())
}

#[tokio::test]
async fn every_file_of_the_page_is_served_under_its_policy() {
    let names = |directory: &str| {
        let files = fs::read_dir(format!("{}/{directory}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        files.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let page = names("web").into_iter().map(|file| ("", file));
    let scripts = names("../client/dist").into_iter().filter(|file| file.ends_with(".js"));
    for (folder, file) in page.chain(scripts.map(|file| ("client/", file))) {
        let path = if file == "index.html" { "/".to_owned() } else { format!("/{folder}{file}") };
        let (status, headers, body) = get(&path).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        for import in quoted(&body, " from \"./") {
            let (status, ..) = get(&format!("/{folder}{import}")).await;
            assert_eq!(status, StatusCode::OK, "{path} imports {import}");
        }
    }
}

/// A stable id is what labels, scripts and tests refer to.
#[tokio::test]
async fn every_field_of_the_page_has_a_label_and_every_id_is_there_once() {
    let (_, _, page) = get("/").await;
    let ids: Vec<_> = quoted(&page, " id=\"").collect();
    let unique: BTreeSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), unique.len());
    for id in quoted(&page, " for=\"").chain(quoted(&page, " aria-labelledby=\"")) {
        assert!(unique.contains(&id), "{id}");
    }
    let tags = page.split('<').filter(|tag| tag.starts_with("input ") || tag.starts_with("textarea "));
    for tag in tags.filter(|tag| !tag.contains("type=\"radio\"")) {
        let id = quoted(tag, " id=\"").next().unwrap();
        assert!(page.contains(&format!("<label for=\"{id}\">")), "{tag}");
        assert!(
            tag.contains("autocomplete=") || tag.contains("checkbox") || tag.contains("textarea"),
            "{tag}"
        );
    }
    for file in ["app.js", "forms.js", "providers.js", "views.js"] {
        let (_, _, script) = get(&format!("/{file}")).await;
        for id in quoted(&script, "element(\"").chain(quoted(&script, "onSubmit(\"")) {
            assert!(unique.contains(&id), "{file} uses {id}");
        }
    }
}
