//! A host with the module in it, and a client that talks to it over a socket.

pub(crate) mod account;
pub(crate) mod answer;
pub(crate) mod authenticator;
pub(crate) mod database_servers;
#[allow(dead_code, reason = "the library's own tests need more of it")]
#[path = "../../../auth/src/testing/databases.rs"]
pub(crate) mod databases;
pub(crate) mod faults;
pub(crate) mod forge;
pub(crate) mod logs;
pub(crate) mod places;
pub(crate) mod providers;
pub(crate) mod sealed;
#[allow(dead_code, reason = "the library's own tests need more of it")]
#[path = "../../../auth/src/testing/servers.rs"]
pub(crate) mod servers;

pub(crate) use account::{Account, memory_users};

use crate::with_every_feature;
use answer::Answer;
use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::endpoint::Endpoint;
use axum_auth_module::events::Event;
use axum_auth_module::repository::UserRepository;
use axum_auth_module::testing::{self, MemoryPasswordResets, MemoryUsers, MovableClock};
use axum_auth_module::{
    AuthModule, AuthModuleBuilder, Claims, ConfirmedUser, CurrentUser, StandardActions, VerifiedUser,
};
use providers::{Channel, Outbox};
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Barrier, Mutex};

pub(crate) const PASSWORD: &str = "correct horse battery";
pub(crate) const EMAIL: &str = "ada@example.com";

/// The host's state.
#[derive(Clone, FromRef)]
struct Host {
    auth: AuthModule<Account>,
}

/// A running host.
pub(crate) struct App {
    pub(crate) address: SocketAddr,
    pub(crate) clock: MovableClock,
    pub(crate) users: MemoryUsers<Account>,
    /// The module itself, for what is called without HTTP.
    pub(crate) auth: AuthModule<Account>,
    /// Where [`with_everything`](Self::with_everything) keeps reset tokens.
    pub(crate) resets: MemoryPasswordResets,
    /// What [`with_everything`](Self::with_everything) has delivered.
    pub(crate) outbox: Outbox,
    events: Mutex<UnboundedReceiver<Event>>,
    http: reqwest::Client,
}

pub(crate) type Builder = AuthModuleBuilder<Account>;

/// The endpoints of a module with every feature, as they are declared.
pub(crate) fn every_endpoint() -> Vec<Endpoint> {
    let config = testing::config().build().unwrap();
    let builder = AuthModule::builder(config, memory_users());
    with_every_feature(builder, &MemoryPasswordResets::new(), &Outbox::default())
        .build()
        .unwrap()
        .endpoints()
        .to_vec()
}

impl App {
    /// A host with registration on and nothing special.
    pub(crate) async fn start() -> Self {
        Self::with(|config| config, |module| module.registration(StandardActions)).await
    }

    /// A host with registration on and another configuration.
    pub(crate) async fn configured(config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> Self {
        Self::with(config, |module| module.registration(StandardActions)).await
    }

    /// A host with another configuration and another module.
    pub(crate) async fn with(
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
        module: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let users = memory_users();
        Self::on(users.clone(), users, config, module).await
    }

    /// A host with every feature on, the standard actions and deliveries that record.
    pub(crate) async fn with_everything() -> Self {
        Self::with_everything_and(|config| config, |module| module).await
    }

    /// The same with another configuration. What `module` adds stands in the place of what is there.
    pub(crate) async fn with_everything_and(
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
        module: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let users = memory_users();
        Self::with_everything_on(users.clone(), users, config, module).await
    }

    /// The same on a repository of the test's, which stores in `users`.
    pub(crate) async fn with_everything_on(
        repository: impl UserRepository<User = Account>,
        users: MemoryUsers<Account>,
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
        module: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let (resets, outbox) = (MemoryPasswordResets::new(), Outbox::default());
        let everything = |builder: Builder| module(with_every_feature(builder, &resets, &outbox));
        let app = Self::on(repository, users, config, everything).await;
        Self { resets, outbox, ..app }
    }

    /// A host whose module asks `repository`, which stores in `users`.
    pub(crate) async fn on(
        repository: impl UserRepository<User = Account>,
        users: MemoryUsers<Account>,
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
        module: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        logs::record();
        let clock = MovableClock::new();
        // The tests come from loopback and say in a header where they come from.
        let base = testing::config().clock(clock.clone()).trusted_proxies(["127.0.0.0/8".parse().unwrap()]);
        let (sink, events) = Channel::new();
        let builder = AuthModule::builder(config(base).build().unwrap(), repository).events(sink);
        let auth = module(builder).build().unwrap();
        let router = Router::new()
            .route("/me", get(async |CurrentUser(user): CurrentUser<Account>| user.email))
            .route("/verified", get(async |VerifiedUser(user): VerifiedUser<Account>| user.email))
            .route("/confirmed", get(async |ConfirmedUser(user): ConfirmedUser<Account>| user.email))
            .route("/claims", get(async |claims: Claims<Account>| claims.user_id().to_owned()))
            .nest("/auth", auth.router())
            .with_state(Host { auth: auth.clone() });
        let address = serve(router).await;
        let (resets, outbox, http) = Default::default();
        Self { address, clock, users, auth, resets, outbox, events: Mutex::new(events), http }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> Call {
        let url = format!("http://{}{path}", self.address);
        let request = self.http.request(method.clone(), url).header("x-forwarded-for", "192.0.2.1");
        Call { request, method, of_the_module: path.starts_with("/auth") }
    }

    pub(crate) fn post(&self, path: &str) -> Call {
        self.request(Method::POST, path)
    }

    pub(crate) fn put(&self, path: &str) -> Call {
        self.request(Method::PUT, path)
    }

    pub(crate) fn delete(&self, path: &str) -> Call {
        self.request(Method::DELETE, path)
    }

    pub(crate) fn get(&self, path: &str) -> Call {
        self.request(Method::GET, path)
    }

    pub(crate) async fn register(&self, email: &str) -> Tokens {
        self.post("/auth/register").json(&registration(email)).await.expect(201).tokens()
    }

    pub(crate) fn login_call(&self, email: &str, password: &str) -> Call {
        self.post("/auth/login").json(&json!({ "email": email, "password": password }))
    }

    pub(crate) async fn login(&self, email: &str) -> Tokens {
        self.login_call(email, PASSWORD).await.expect(200).tokens()
    }

    pub(crate) async fn confirm_password(&self, access: &str) {
        let body = json!({ "password": PASSWORD });
        self.post("/auth/user/confirm-password").bearer(access).json(&body).await.expect(200);
    }

    pub(crate) async fn refresh(&self, token: &str) -> Answer {
        self.post("/auth/refresh").json(&json!({ "refreshToken": token })).await
    }

    pub(crate) async fn me(&self, token: &str) -> Answer {
        self.get("/me").bearer(token).await
    }

    /// The session of these tokens has ended: neither opens anything, not even where the user is not looked up.
    pub(crate) async fn is_over(&self, tokens: &Tokens) {
        self.me(&tokens.access).await.refused(401, "unauthenticated");
        self.get("/claims").bearer(&tokens.access).await.refused(401, "unauthenticated");
        self.refresh(&tokens.refresh).await.refused(401, "invalid_refresh_token");
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// The next event. It is on its way when the answer is there, so this waits, and not for ever.
    pub(crate) async fn event(&self) -> Event {
        let mut events = self.events.lock().await;
        tokio::time::timeout(Duration::from_secs(10), events.recv()).await.expect("an event").unwrap()
    }

    /// The names of the next so many events.
    pub(crate) async fn event_names<const N: usize>(&self) -> [&'static str; N] {
        let mut names = [""; N];
        for name in &mut names {
            *name = self.event().await.name();
        }
        names
    }
}

/// Serves on a port of its own, until the test ends.
pub(crate) async fn serve(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    address
}

pub(crate) fn registration(email: &str) -> Value {
    json!({ "name": "Ada", "email": email, "password": PASSWORD, "passwordConfirmation": PASSWORD })
}

#[derive(Clone)]
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
}

/// A request that is being put together; awaiting it sends it.
pub(crate) struct Call {
    request: reqwest::RequestBuilder,
    method: Method,
    of_the_module: bool,
}

impl Call {
    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// Comes from this client instead of the usual one.
    pub(crate) fn from(self, client: &str) -> Self {
        let (builder_client, request) = self.request.build_split();
        let mut request = request.unwrap();
        request.headers_mut().insert("x-forwarded-for", client.parse().unwrap());
        let request = reqwest::RequestBuilder::from_parts(builder_client, request);
        Self { request, ..self }
    }

    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        Self { request: self.request.header(name, value), ..self }
    }

    pub(crate) fn header_bytes(self, name: &str, value: &[u8]) -> Self {
        let value = reqwest::header::HeaderValue::from_bytes(value).unwrap();
        Self { request: self.request.header(name, value), ..self }
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        Self { request: self.request.json(body), ..self }
    }

    pub(crate) fn body(self, content_type: &str, body: impl Into<reqwest::Body>) -> Self {
        Self { request: self.request.header("content-type", content_type).body(body), ..self }
    }
}

impl IntoFuture for Call {
    type Output = Answer;
    type IntoFuture = std::pin::Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let response = self.request.send().await.expect("an answer");
            Answer::read(response, &self.method, self.of_the_module).await
        })
    }
}

/// What a client can compare: status, headers but for the date, and body.
pub(crate) fn visible(answer: &Answer) -> (u16, HeaderMap, String) {
    let mut headers = answer.headers.clone();
    headers.remove("date");
    (answer.status, headers, answer.text.clone())
}

/// Runs the futures at once, on all threads, and gives their results in order. None begins before all are there.
pub(crate) async fn at_once<T: Send + 'static>(
    tasks: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let tasks: Vec<_> = tasks.into_iter().collect();
    let barrier = Arc::new(Barrier::new(tasks.len()));
    let begin = |task| {
        let barrier = Arc::clone(&barrier);
        tokio::spawn(async move {
            barrier.wait().await;
            task.await
        })
    };
    let tasks: Vec<_> = tasks.into_iter().map(begin).collect();
    let mut results = Vec::with_capacity(tasks.len());
    for task in tasks {
        results.push(task.await.unwrap());
    }
    results
}
