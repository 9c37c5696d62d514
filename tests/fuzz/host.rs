//! The host of most targets: every feature, all data in memory, two users, and what they and their browsers have of their
//! sessions. Ada has a passkey, two linked identities and no second factor; Grace has a second factor.
//!
//! A panic in the library ends the process, which the fuzzer reports: `libfuzzer-sys` sets a panic hook that aborts before
//! the library or tokio could catch the panic.

#![allow(dead_code, reason = "no target uses all of it")]

mod http;
mod mails;
mod passkeys;
pub mod providers;
mod tables;
mod visits;

pub use http::{Answer, of, post, request};
pub use passkeys::{ORIGIN, Passkeys, RELYING_PARTY};
pub use tables::{Account, Rows, Tables};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::FromRef;
use axum::http::Request;
use axum::routing::get;
use axum_auth_module::actions::{ActionContext, ActionError, DeletesUsers};
use axum_auth_module::config::{
    ApiScopes, AuthConfigBuilder, RateLimit, RateLimits, RelyingParty, ServiceKeys, SessionOptions,
    TwoFactorOptions,
};
use axum_auth_module::extract::{ApiScope, ApiUser, UserOrApi};
use axum_auth_module::testing::{self, MemoryDeletions, MovableClock};
use axum_auth_module::{AuthModule, Claims, CurrentUser, InResponse, StandardActions, async_trait};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mails::Mails;
use providers::Internet;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::runtime::Runtime;
use tower::ServiceExt;

pub const PASSWORD: &str = "correct horse battery";
pub const ADA: &str = "ada@example.com";
pub const GRACE: &str = "grace@example.com";
/// Always, for every input.
pub const NOW: u64 = 1_800_000_000;

pub const SESSION_COOKIE: &str = "__Host-Http-auth";
pub const CHALLENGE_COOKIE: &str = "__Host-Http-auth-challenge";

/// The secrets of `testing::config`, which everybody may know.
pub const JWT_SECRET: &str = "a secret for tests, known to everybody";
pub const REFRESH_SECRET: &str = "another secret for tests, as well known";
pub const ENCRYPTION_KEY: &[u8; 32] = b"thirty-two bytes for tests only!";

thread_local! {
    static HOST: Host = Host::configured(|config| config);
}

/// Calls this with the host, in which nothing is left of earlier inputs.
pub fn with_host(run: impl FnOnce(&Host)) {
    HOST.with(|host| {
        host.restart();
        run(host);
    });
}

pub struct Host {
    runtime: Runtime,
    app: RefCell<Router>,
    pub auth: AuthModule<Account>,
    pub tables: Tables,
    pub net: Internet,
    mails: Mails,
    /// Ada's passkey, and another one.
    pub passkeys: RefCell<Passkeys>,
    /// What is stored when an input begins.
    start: Rows,
    /// What an input can name.
    known: Vec<(&'static str, Vec<u8>)>,
}

#[derive(Clone)]
struct State {
    auth: AuthModule<Account>,
}

impl FromRef<State> for AuthModule<Account> {
    fn from_ref(state: &State) -> Self {
        state.auth.clone()
    }
}

/// The configuration of the host.
fn config() -> AuthConfigBuilder {
    let (mut two_factor, mut sessions) = (TwoFactorOptions::default(), SessionOptions::default());
    // A secret is in force without a code, and no endpoint asks for the password again.
    (two_factor.confirm, two_factor.confirm_password, sessions.confirm_password) = (false, false, false);
    testing::config()
        .clock(MovableClock::at(now()))
        .limits(RateLimits::all(RateLimit::per_seconds(u32::MAX, 60)))
        .password_threads(NonZeroUsize::MIN)
        .two_factor(two_factor)
        .sessions(sessions)
        .relying_party(RelyingParty::new(RELYING_PARTY, "Example", [ORIGIN]).unwrap())
}

/// New in each process: no target reads a token for a service.
fn service_keys() -> ServiceKeys {
    let pem = ServiceKeys::new_ed25519_pem().unwrap();
    ServiceKeys::ed25519_pem(&pem).unwrap().audiences(["billing"]).issuer("https://app.example")
}

/// The scope of Ada's API token.
struct Read;

impl ApiScope for Read {
    const SCOPE: &'static str = "demo:read";
}

/// No target has an account deleted.
struct DeletesNobody;

#[async_trait]
impl DeletesUsers<Account> for DeletesNobody {
    async fn delete(&self, _: &Account, _: &ActionContext<Account>) -> Result<(), ActionError> {
        Ok(())
    }
}

/// A module with every feature, and the routes of the host.
fn start(
    config: AuthConfigBuilder,
    tables: &Tables,
    mails: &Mails,
    net: &Internet,
) -> (AuthModule<Account>, Router) {
    let auth = AuthModule::builder(config.build().unwrap(), tables.clone())
        .registration(StandardActions)
        .reset_passwords(tables.clone(), StandardActions, InResponse)
        .email_verification(InResponse)
        .update_profile_information(StandardActions)
        .update_passwords(StandardActions)
        .two_factor_authentication()
        .sessions(tables.clone())
        .browser_sessions()
        .email_login(mails.clone())
        .passwordless_registration(StandardActions)
        .change_emails(mails.clone())
        .security_notices(mails.clone())
        .usernames()
        .delete_accounts(MemoryDeletions::new(), DeletesNobody, mails.clone())
        .passkeys(tables.clone())
        .social_login(tables.clone(), providers::configured(), net.clone())
        .api_tokens(tables.clone(), ApiScopes::new([Read::SCOPE]).unwrap())
        .trusted_devices()
        .invitations(mails.clone())
        .service_tokens(service_keys())
        .store(tables.clone())
        .build()
        .unwrap();
    let app = Router::new()
        .route("/me", get(async |CurrentUser(user): CurrentUser<Account>| user.email))
        .route("/api", get(async |caller: ApiUser<Account, Read>| caller.user.email))
        .route("/either", get(async |user: UserOrApi<Account, Read>| user.email.clone()))
        .route("/claims", get(async |claims: Claims<Account>| claims.user_id().to_owned()))
        .nest("/bearer", auth.router())
        .nest("/browser", auth.browser_router())
        .with_state(State { auth: auth.clone() });
    (auth, app)
}

impl Host {
    /// The host with another configuration.
    pub fn configured(configure: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> Self {
        let (tables, mails, net) = (Tables::default(), Mails::default(), Internet::default());
        let (auth, app) = start(configure(config()), &tables, &mails, &net);
        let app = RefCell::new(app);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (passkeys, start) = (RefCell::default(), Rows::default());
        let mut host = Self { runtime, app, auth, tables, net, mails, passkeys, start, known: Vec::new() };
        host.known = host.sign_everybody_in();
        host.start = host.tables.rows().clone();
        host
    }

    /// Calls this with another process of the host, which knows nothing of the providers yet.
    pub fn in_a_new_process(&self, run: impl FnOnce()) {
        let (_, app) = start(config(), &self.tables, &self.mails, &self.net);
        let app = self.app.replace(app);
        run();
        drop(self.app.replace(app));
    }

    /// Forgets what the last input has changed.
    pub fn restart(&self) {
        *self.tables.rows() = self.start.clone();
        self.net.replies().clear();
    }

    /// The text that an input can name.
    pub fn known(&self, name: &str) -> &str {
        std::str::from_utf8(self.known_bytes(name)).expect("a text")
    }

    /// What an input can name, which need not be a text.
    pub fn known_bytes(&self, name: &str) -> &[u8] {
        let found = self.known.iter().find(|(known, _)| *known == name);
        found.map_or_else(|| panic!("{name} is not known"), |(_, value)| value)
    }

    /// The text with values for the names in it: `{access}`, and `{access.1}` for its part after the first dot.
    pub fn filled(&self, text: &[u8]) -> Vec<u8> {
        let mut filled = Vec::new();
        let mut rest = text;
        while let Some((first, after)) = rest.split_first() {
            let named = (*first == b'{').then(|| self.value_at_beginning(after)).flatten();
            let (value, after) = named.unwrap_or((&rest[..1], after));
            filled.extend_from_slice(value);
            rest = after;
        }
        filled
    }

    /// The same with replacement characters for what is not UTF-8.
    pub fn filled_text(&self, text: &[u8]) -> String {
        String::from_utf8_lossy(&self.filled(text)).into_owned()
    }

    /// The value of the name before the next brace, and what follows.
    fn value_at_beginning<'a>(&self, text: &'a [u8]) -> Option<(&[u8], &'a [u8])> {
        let end = text.iter().position(|byte| *byte == b'}')?;
        let (name, after) = (std::str::from_utf8(&text[..end]).ok()?, &text[end + 1..]);
        let (name, part) = name.split_once('.').map_or((name, None), |(name, part)| (name, Some(part)));
        let (_, value) = self.known.iter().find(|(known, _)| *known == name)?;
        let value = match part {
            Some(part) => value.split(|byte| *byte == b'.').nth(part.parse().ok()?)?,
            None => value,
        };
        Some((value, after))
    }

    /// The answer to a request. It is not a failure of the server.
    pub fn send(&self, request: Request<Body>) -> Answer {
        let described = format!("{} {}", request.method(), request.uri());
        let answer = self.send_to_broken(request);
        assert!(answer.status < 500, "{described}: {} {}", answer.status, answer.text());
        answer
    }

    /// The answer to a request of a host whose data is broken, so that it can be a failure. Each answer of the module is
    /// what the contract says: an error is a problem document with a code.
    pub fn send_to_broken(&self, request: Request<Body>) -> Answer {
        let (path, is_head) = (request.uri().path().to_owned(), request.method() == "HEAD");
        let answer = self.runtime.block_on(async {
            let app = self.app.borrow().clone();
            let response = app.oneshot(request).await.unwrap();
            let (parts, body) = response.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
            // What the request has started in the background.
            for _ in 0..4 {
                tokio::task::yield_now().await;
            }
            Answer { status: parts.status.as_u16(), headers: parts.headers, body }
        });
        if path.starts_with("/bearer/") || path.starts_with("/browser/") {
            assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        }
        if answer.status >= 400 && !is_head {
            let problem = answer.json();
            assert_eq!(answer.header("content-type"), "application/problem+json", "{path}");
            assert_eq!(problem["status"], answer.status, "{path}");
            assert!(problem["code"].is_string(), "{path}: {problem}");
        }
        answer
    }

    pub fn get(&self, path: &str, header: &str, value: &str) -> Answer {
        self.send(of(request("GET", path).header(header, value), Body::empty()))
    }

    pub fn post(&self, path: &str, token: Option<&str>, body: &Value) -> Answer {
        self.send(post(path, token, body))
    }

    /// Makes both users and what they have, and names it.
    fn sign_everybody_in(&self) -> Vec<(&'static str, Vec<u8>)> {
        let credentials = |email| json!({ "email": email, "password": PASSWORD });
        let nothing = json!({});

        let ada = self.register(ADA);
        let (access, refresh) = (text(&ada, "accessToken"), text(&ada, "refreshToken"));
        let cookie = self.post("/browser/login", None, &credentials(ADA)).cookie();
        let link = self.post("/bearer/email/verification-notification", Some(&access), &nothing).json();
        let reset = self.post("/bearer/forgot-password", None, &json!({ "email": ADA })).json();

        let grace = self.register(GRACE);
        let enable = "/bearer/user/two-factor-authentication";
        let grace = self.post(enable, Some(&text(&grace, "accessToken")), &nothing).json();
        let (grace_access, grace_refresh) = (text(&grace, "accessToken"), text(&grace, "refreshToken"));
        let bearer = format!("Bearer {grace_access}");
        let codes = self.get("/bearer/user/two-factor-recovery-codes", "authorization", &bearer).json();
        let challenge = self.post("/bearer/login", None, &credentials(GRACE)).json();
        let challenge_cookie = self.post("/browser/login", None, &credentials(GRACE)).cookie();

        let flow = self.post("/bearer/login/email", None, &json!({ "email": ADA })).json();
        let (code, link_token) = self.mails.last();
        let newcomer = self.post("/bearer/login/email", None, &json!({ "email": "new@example.com" })).json();
        let proof = json!({ "flowToken": newcomer["flowToken"], "code": self.mails.last().0 });
        let registration = self.post("/bearer/login/email/verify", None, &proof).json();

        let passkeys = self.add_passkeys(&access);
        let wanted = json!({ "name": "Backup", "scopes": [Read::SCOPE] });
        self.tables.rows().user(ADA).email_verified_at = Some(now());
        self.post("/bearer/user/confirm-password", Some(&access), &json!({ "password": PASSWORD }));
        let api_token = self.post("/bearer/user/api-tokens", Some(&access), &wanted).json();
        let visits = self.visit_providers(&access);

        let [sid, grace_sid, cookie_sid] =
            [&access, &grace_access, &cookie].map(|token| text(&claims(token), "sid"));
        let mut rows = self.tables.rows();
        let state = |sid: &str| rows.sessions[sid].state.as_str().to_owned();
        let [state, grace_state, cookie_state] = [&sid, &grace_sid, &cookie_sid].map(|sid| state(sid));
        let password_hash = rows.user(ADA).password.clone();
        let stored = rows.user(GRACE).clone();
        let texts = [
            ("claims", claims(&access).to_string()),
            ("refresh_claims", claims(&refresh).to_string()),
            ("api_token", text(&api_token, "token")),
            ("access", access),
            ("refresh", refresh),
            ("cookie", cookie),
            ("id", text(&link, "id")),
            ("hash", text(&link, "hash")),
            ("signature", text(&link, "signature")),
            ("expires", link["expires"].to_string()),
            ("reset", text(&reset, "token")),
            ("password_hash", password_hash),
            ("grace_access", grace_access),
            ("grace_refresh", grace_refresh),
            ("challenge", text(&challenge, "challengeToken")),
            ("challenge_cookie", challenge_cookie),
            ("recovery_code", text(&codes, 0)),
            ("flow", text(&flow, "flowToken")),
            ("code", code),
            ("link", link_token),
            ("registration", text(&registration, "registrationToken")),
            ("secret", stored.two_factor_secret.unwrap()),
            ("codes", stored.two_factor_recovery_codes.unwrap()),
            ("sid", sid),
            ("grace_sid", grace_sid),
            ("cookie_sid", cookie_sid),
            ("state", state),
            ("grace_state", grace_state),
            ("cookie_state", cookie_state),
        ];
        let texts = texts.into_iter().chain(visits).map(|(name, text)| (name, text.into_bytes()));
        texts.chain(passkeys).collect()
    }

    fn register(&self, email: &str) -> Value {
        let (username, _) = email.split_once('@').expect("an address");
        let body = json!({
            "name": "Ada", "email": email, "username": username, "password": PASSWORD, "passwordConfirmation": PASSWORD,
        });
        self.post("/bearer/register", None, &body).json()
    }
}

pub fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(NOW)
}

/// The claims in a token.
pub fn claims(token: &str) -> Value {
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
    serde_json::from_slice(&claims).unwrap()
}

fn text(object: &Value, key: impl serde_json::value::Index) -> String {
    object.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("a text in {object}")).to_owned()
}
