//! A host with the module in it, and a client that talks to it over a socket, through one of the module's routers
//! ([`routers`]).

pub(crate) mod account;
pub(crate) mod answer;
mod assured;
pub(crate) mod authenticator;
pub(crate) mod cookies;
pub(crate) mod database_servers;
#[allow(dead_code, reason = "the library's own tests need more of it")]
#[path = "../../../auth/src/testing/databases.rs"]
pub(crate) mod databases;
pub(crate) mod description;
pub(crate) mod forge;
pub(crate) mod held_back;
mod host_routes;
pub(crate) mod logs;
pub(crate) mod passkeys;
pub(crate) mod places;
pub(crate) mod provider;
pub(crate) mod providers;
pub(crate) mod routers;
pub(crate) mod sealed;
#[allow(dead_code, reason = "the library's own tests need more of it")]
#[path = "../../../auth/src/testing/servers.rs"]
pub(crate) mod servers;
pub(crate) mod witness;

pub(crate) use account::{Account, memory_users};

use crate::with_every_feature;
use answer::Answer;
use axum::Router;
use axum::extract::FromRef;
use axum_auth_module::config::{ApiScopes, AuthConfigBuilder, BcryptImplementation, ServiceKeys};
use axum_auth_module::endpoint::{Endpoint, RouterKind};
use axum_auth_module::events::Event;
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::repository::UserRepository;
use axum_auth_module::testing::{self, MemoryDeletions, MemoryPasswordResets, MemoryUsers, MovableClock};
use axum_auth_module::{AuthModule, AuthModuleBuilder, StandardActions};
use description::Description;
use host_routes::SCOPES;
use providers::{Channel, Deletes, Outbox};
use reqwest::Method;
use reqwest::header::HeaderMap;
use routers::{BROWSER_ROUTER, CHALLENGE_COOKIE, SESSION_COOKIE};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Barrier, Mutex};
use witness::Witness;

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
    /// The router that clients of this host use.
    pub(crate) router: RouterKind,
    /// Who remembers all requests and responses, if somebody does.
    pub(crate) witness: Option<Arc<Witness>>,
    /// What the module's OpenAPI document promises.
    description: Arc<Description>,
    events: Mutex<UnboundedReceiver<Event>>,
    http: reqwest::Client,
}

pub(crate) type Builder = AuthModuleBuilder<Account>;

/// The endpoints of a module with every feature that the router of the test has, as they are declared.
pub(crate) fn endpoints_here() -> Vec<Endpoint> {
    every_endpoint().into_iter().filter(|endpoint| endpoint.is_on(routers::current())).collect()
}

/// The cheap configuration of hosts' tests, with what features require of it.
pub(crate) fn config() -> AuthConfigBuilder {
    testing::config().relying_party(passkeys::site())
}

/// The endpoints of a module with every feature, as they are declared.
pub(crate) fn every_endpoint() -> Vec<Endpoint> {
    let config = config().build().unwrap();
    let builder = AuthModule::builder(config, memory_users());
    with_every_feature(builder, &MemoryPasswordResets::new(), &Outbox::default())
        .build()
        .unwrap()
        .endpoints()
        .to_vec()
}

/// Switches CHANGE_EMAILS off, so that a profile update changes the address at once.
pub(crate) fn addresses_of_profiles(module: Builder) -> Builder {
    module.enabled(FeatureSet::all().difference([Feature::CHANGE_EMAILS].into())).unwrap()
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

    /// A host with every feature but CHANGE_EMAILS: a profile update changes the address at once.
    pub(crate) async fn with_addresses_of_profiles() -> Self {
        Self::with_everything_and(|config| config, addresses_of_profiles).await
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
        let deletes = Deletes::from(users.clone());
        let everything = |builder: Builder| {
            let builder = with_every_feature(builder, &resets, &outbox);
            module(builder.delete_accounts(MemoryDeletions::new(), deletes, outbox.clone()))
        };
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
        // The tests come from loopback and say in a header where they come from. The crate computes the digests of the library's own
        // implementation, and is optimised here.
        let base = self::config()
            .clock(clock.clone())
            .trusted_proxies(["127.0.0.0/8".parse().unwrap()])
            .bcrypt_implementation(BcryptImplementation::Crate);
        let (sink, events) = Channel::new();
        let builder = AuthModule::builder(config(base).build().unwrap(), repository).events(sink);
        let router = routers::current();
        let builder = if router == RouterKind::Browser { builder.browser_sessions() } else { builder };
        let auth = module(builder).build().unwrap();
        let app = Router::new()
            .merge(host_routes::routes())
            .merge(assured::routes())
            .nest("/auth", auth.router())
            .nest(BROWSER_ROUTER, auth.browser_router())
            .with_state(Host { auth: auth.clone() });
        let description = Description::of(&auth);
        let address = serve(app).await;
        let (resets, outbox, witness) = Default::default();
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self {
            address,
            clock,
            users,
            auth,
            resets,
            outbox,
            router,
            witness,
            description,
            events: Mutex::new(events),
            http,
        }
    }

    /// Whether the clients of this host are browsers.
    pub(crate) fn is_for_browsers(&self) -> bool {
        self.router == RouterKind::Browser
    }

    /// What the list of sessions calls the sessions of this host.
    pub(crate) fn session_kind(&self) -> &'static str {
        if self.is_for_browsers() { "browser" } else { "bearer" }
    }

    /// A path of the module, which is written as on the bearer router, on the router of this host. Other paths are the
    /// host's own.
    pub(crate) fn path(&self, path: &str) -> String {
        match path.strip_prefix("/auth") {
            Some(rest) if self.is_for_browsers() => format!("{BROWSER_ROUTER}{rest}"),
            _ => path.to_owned(),
        }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> Call {
        let path = self.path(path);
        let url = format!("http://{}{path}", self.address);
        let request = self.http.request(method.clone(), url).header("x-forwarded-for", "192.0.2.1");
        let request = match self.is_for_browsers() {
            true => request.header("sec-fetch-site", "same-origin"),
            false => request,
        };
        let (is_of_a_browser, witness) = (self.is_for_browsers(), self.witness.clone());
        let description = Arc::clone(&self.description);
        Call { request, method, path, is_of_a_browser, cookie: None, witness, description }
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

    /// On the bearer router alone.
    pub(crate) async fn refresh(&self, token: &str) -> Answer {
        assert!(!self.is_for_browsers(), "the browser router has no refresh tokens");
        self.post("/auth/refresh").json(&json!({ "refreshToken": token })).await
    }

    pub(crate) async fn me(&self, token: &str) -> Answer {
        self.get("/me").bearer(token).await
    }

    /// What the client of a session goes on with: the next pair of tokens, or the cookie that it has.
    pub(crate) async fn renew(&self, tokens: &Tokens) -> Tokens {
        if self.is_for_browsers() {
            self.me(&tokens.access).await.expect(200);
            return tokens.clone();
        }
        self.refresh(&tokens.refresh).await.expect(200).tokens()
    }

    /// These tokens open nothing where the user is looked up, and cannot be renewed.
    pub(crate) async fn is_refused(&self, tokens: &Tokens) {
        self.me(&tokens.access).await.refused(401, "unauthenticated");
        if !self.is_for_browsers() {
            self.refresh(&tokens.refresh).await.refused(401, "invalid_refresh_token");
        }
    }

    /// The session of these tokens has ended: they open nothing, not even where the user is not looked up.
    pub(crate) async fn is_over(&self, tokens: &Tokens) {
        self.is_refused(tokens).await;
        self.get("/claims").bearer(&tokens.access).await.refused(401, "unauthenticated");
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// The next event but `auth.confirmed`, which most preparations cause.
    pub(crate) async fn event(&self) -> Event {
        loop {
            let event = self.any_event().await;
            if event.name() != "auth.confirmed" {
                return event;
            }
        }
    }

    /// The next event. It is on its way when the answer is there, so this waits, and not for ever.
    pub(crate) async fn any_event(&self) -> Event {
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

/// The scopes of the host's API tokens.
pub(crate) fn api_scopes() -> ApiScopes {
    ApiScopes::new(SCOPES).unwrap()
}

/// The keys that sign tokens for other services.
pub(crate) fn service_keys() -> ServiceKeys {
    let pem = ServiceKeys::new_ed25519_pem().unwrap();
    ServiceKeys::ed25519_pem(&pem).unwrap().audiences(["billing", "search"]).issuer("https://app.example")
}

/// Serves on a port of its own, until the test ends.
pub(crate) async fn serve(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    address
}

/// The key of an address in the repository of reset tokens.
pub(crate) fn reset_key(email: &str) -> String {
    format!("{} {email}", <Account as axum_auth_module::AuthUser>::realm())
}

pub(crate) fn registration(email: &str) -> Value {
    json!({ "name": "Ada", "email": email, "password": PASSWORD, "passwordConfirmation": PASSWORD })
}

/// What a client keeps of its session.
#[derive(Clone)]
pub(crate) struct Tokens {
    /// The access token, or the session cookie of a browser.
    pub(crate) access: String,
    /// Browsers have none: it is empty.
    pub(crate) refresh: String,
}

/// A request that is being put together; awaiting it sends it.
pub(crate) struct Call {
    request: reqwest::RequestBuilder,
    method: Method,
    path: String,
    is_of_a_browser: bool,
    /// The session cookie that it has.
    cookie: Option<String>,
    witness: Option<Arc<Witness>>,
    description: Arc<Description>,
}

impl Call {
    /// With this credential: an access token, or the session cookie of a browser.
    pub(crate) fn bearer(self, token: &str) -> Self {
        if !self.is_of_a_browser {
            return self.header("authorization", &format!("Bearer {token}"));
        }
        let cookie = routers::newest(token);
        let call = self.header("cookie", &format!("{SESSION_COOKIE}={cookie}"));
        Self { cookie: Some(cookie), ..call }
    }

    /// With this challenge, which is in the body or in the challenge cookie of a browser.
    pub(crate) fn challenge(self, token: &str, mut body: Value) -> Self {
        if self.is_of_a_browser {
            return self.header("cookie", &format!("{CHALLENGE_COOKIE}={token}")).json(&body);
        }
        body["challengeToken"] = token.into();
        self.json(&body)
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
            if let Some(witness) = &self.witness {
                witness.sees_request(&self.request);
            }
            let (client, request) = self.request.build_split();
            let request = request.unwrap();
            // The document has no requests for another protocol.
            let is_upgrade = request.headers().contains_key("upgrade");
            let body = request.body().and_then(reqwest::Body::as_bytes).map(<[u8]>::to_vec);
            let response = client.execute(request).await.expect("an answer");
            let of_the_module = ["/auth", BROWSER_ROUTER].iter().any(|router| self.path.starts_with(router));
            let answer = Answer::read(response, &self.method, of_the_module).await;
            if of_the_module && !is_upgrade {
                self.description.is_kept(&self.method, &self.path, body.as_deref(), &answer);
            }
            if let Some(witness) = &self.witness {
                witness.sees_answer(&self.path, &answer);
            }
            // Tests read the new cookie from the response to a change of credentials, but not to a confirmation.
            if let (Some(cookie), Some(successor)) = (self.cookie, answer.session())
                && self.path.contains("/user/confirm-")
            {
                routers::replace(cookie, successor.access);
            }
            answer
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
        tokio::spawn(routers::on(routers::current(), async move {
            barrier.wait().await;
            task.await
        }))
    };
    let tasks: Vec<_> = tasks.into_iter().map(begin).collect();
    let mut results = Vec::with_capacity(tasks.len());
    for task in tasks {
        results.push(task.await.unwrap());
    }
    results
}
