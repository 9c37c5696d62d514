//! Each flow, with a fault at each single call of each method of its providers.
//!
//! A flow is run once to see which methods it calls, and then again for each of these calls and each [`Trouble`]. A response
//! that is not an error means that everything was done; an error contains no token, and the requests after it are served. A
//! store that does not respond any more delays a response once.

use crate::support::answer::Answer;
use crate::support::authenticator::no_code_limits;
use crate::support::places::Place;
use crate::support::providers::{CAUSE, faults};
use crate::support::routers::{self, on_both_routers};
use crate::support::{App, Call, PASSWORD, Tokens, at_once, forge, registration};
use axum_auth_module::clock::Clock;
use axum_auth_module::config::{AuthConfigBuilder, RateLimit};
use axum_auth_module::delivery::{EmailLoginMessage, PasswordResetMessage};
use axum_auth_module::testing::ProviderMethod::{
    ResetsCreateToken, ResetsDeleteByEmail, ResetsFindByEmail, SessionsFindByUser, SessionsSwap,
    SessionsTouch, StoreDelete, StoreGet, StorePut, StoreSwap, UsersFindByField, UsersFindById, UsersSave,
};
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use reqwest::Method;
use serde_json::{Value, json};
use std::future::pending;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant, UNIX_EPOCH};
use tokio::sync::Mutex;

on_both_routers![threads: a_fault_at_any_call_of_any_flow_leaves_nothing_half_done];

const NEW: &str = "a new password for all";

/// How long an operation of the store may take: long enough that one wait cannot be taken for two on a busy machine.
const STORE_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a request may take if a provider hangs: long enough for all its other calls on a busy machine.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// A call: the method, and how often it was called before.
type CallOf = (ProviderMethod, usize);

/// What happens at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    Once(Fault),
    /// The store hangs from this call on.
    StoreIsGone,
}

impl Trouble {
    const ALL: [Self; 5] = [
        Self::Once(Fault::Fails),
        Self::Once(Fault::IsUnavailable),
        Self::Once(Fault::Panics),
        Self::Once(Fault::Hangs),
        Self::StoreIsGone,
    ];

    /// The fault of the first call.
    const fn fault(self) -> Fault {
        match self {
            Self::Once(fault) => fault,
            Self::StoreIsGone => Fault::Hangs,
        }
    }
}

/// A request that is ready to be sent, once or more.
struct Request {
    method: Method,
    path: String,
    bearer: Option<String>,
    challenge: Option<String>,
    body: Option<Value>,
    /// The sessions that it ends.
    ends: Vec<Tokens>,
}

impl Request {
    fn new(method: Method, path: &str) -> Self {
        Self { method, path: path.to_owned(), bearer: None, challenge: None, body: None, ends: Vec::new() }
    }

    fn by(self, tokens: &Tokens) -> Self {
        Self { bearer: Some(tokens.access.clone()), ..self }
    }

    fn with(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    fn answers(self, challenge: String) -> Self {
        Self { challenge: Some(challenge), ..self }
    }

    fn ends(self, sessions: impl IntoIterator<Item = Tokens>) -> Self {
        Self { ends: sessions.into_iter().collect(), ..self }
    }

    fn call(&self, app: &App) -> Call {
        let call = app.request(self.method.clone(), &self.path);
        let call = self.bearer.iter().fold(call, |call, access| call.bearer(access));
        match (&self.challenge, &self.body) {
            (Some(token), Some(body)) => call.challenge(token, body.clone()),
            (_, body) => body.iter().fold(call, Call::json),
        }
    }
}

/// The flows of the router of the test. What follows the credential is one service for both routers, so for browsers these are the
/// flows that set or end a cookie, or read one for a route of the host.
fn flows() -> impl Iterator<Item = &'static str> {
    let (flows, own) =
        if routers::is_browser() { (IN_BROWSERS, "session of a browser") } else { (FLOWS, "refresh") };
    flows.iter().copied().chain([own])
}

const IN_BROWSERS: &[&str] = &[
    "registration",
    "login",
    "logout",
    "confirm password",
    "password update",
    "challenge by code",
    "CurrentUser",
];

/// The flows, by the name of their arm in [`prepare`].
const FLOWS: &[&str] = &[
    "registration",
    "login",
    "login with an outdated hash",
    "mail for a login",
    "login by mail",
    "registration by mail",
    "logout",
    "confirm password",
    "password update",
    "removal of the password",
    "forgotten password",
    "reset",
    "enable two-factor",
    "confirm two-factor",
    "disable two-factor",
    "challenge by code",
    "challenge by recovery code",
    "list of sessions",
    "revocation",
    "revocation of all others",
    "Claims",
    "CurrentUser",
    "ConfirmedUser",
];

/// Prepares a flow of a user with two sessions.
async fn prepare(flow: &str, app: &App, email: &str) -> Request {
    let (get, post, put, delete) = (Method::GET, Method::POST, Method::PUT, Method::DELETE);
    if flow == "registration" {
        return Request::new(post, "/auth/register").with(registration(email));
    }
    if flow == "registration by mail" {
        let begun = app.post("/auth/login/email").json(&json!({ "email": email })).await.expect(200);
        let code = app.outbox.next::<EmailLoginMessage>().await.code;
        let body = json!({ "flowToken": begun.body["flowToken"], "code": code });
        let proven = app.post("/auth/login/email/verify").json(&body).await.expect(200);
        let body = json!({ "registrationToken": proven.body["registrationToken"], "name": "Ada" });
        return Request::new(post, "/auth/register/passwordless").with(body);
    }
    if flow.starts_with("challenge") || flow.starts_with("disable") {
        let enrolled = app.enrolled(email).await;
        app.confirm_password(&enrolled.tokens.access).await;
        if flow.starts_with("disable") {
            let token = app.challenge_token(email).await;
            let other = app.challenge(&token, &enrolled.authenticator.code(app)).await.expect(200).tokens();
            let path = "/auth/user/two-factor-authentication";
            return Request::new(delete, path).by(&enrolled.tokens).ends([other]);
        }
        let token = app.challenge_token(email).await;
        let body = match flow {
            "challenge by code" => json!({ "code": enrolled.authenticator.code(app) }),
            _ => {
                let code = app.recovery_codes(&enrolled.tokens.access).await.remove(0);
                json!({ "recoveryCode": code })
            }
        };
        return Request::new(post, "/auth/two-factor-challenge").answers(token).with(body);
    }
    let own = app.confirmed_session(email).await;
    let other = app.login(email).await;
    let credentials = json!({ "email": email, "password": PASSWORD });
    match flow {
        "login" => Request::new(post, "/auth/login").with(credentials),
        "login with an outdated hash" => {
            app.users.update(email, |user| user.password = bcrypt::hash(PASSWORD, 5).unwrap());
            Request::new(post, "/auth/login").with(credentials)
        }
        "mail for a login" => Request::new(post, "/auth/login/email").with(json!({ "email": email })),
        "login by mail" => {
            app.verify_address(email);
            let begun = app.post("/auth/login/email").json(&json!({ "email": email })).await.expect(200);
            let code = app.outbox.next::<EmailLoginMessage>().await.code;
            let body = json!({ "flowToken": begun.body["flowToken"], "code": code });
            Request::new(post, "/auth/login/email/verify").with(body)
        }
        "refresh" => Request::new(post, "/auth/refresh").with(json!({ "refreshToken": own.refresh })),
        "session of a browser" => Request::new(get, "/auth/session").by(&own),
        "logout" => Request::new(post, "/auth/logout").by(&own).ends([own]),
        "confirm password" => {
            Request::new(post, "/auth/user/confirm-password").by(&own).with(json!({ "password": PASSWORD }))
        }
        "password update" => {
            let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
            Request::new(put, "/auth/user/password").by(&own).with(body).ends([other])
        }
        "removal of the password" => {
            app.verify_address(email);
            Request::new(delete, "/auth/user/password").by(&own).ends([other])
        }
        "forgotten password" => Request::new(post, "/auth/forgot-password").with(json!({ "email": email })),
        "reset" => {
            app.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
            let token = app.outbox.next::<PasswordResetMessage>().await.token;
            let body =
                json!({ "email": email, "token": token, "password": NEW, "passwordConfirmation": NEW });
            Request::new(post, "/auth/reset-password").with(body).ends([own, other])
        }
        "enable two-factor" => Request::new(post, "/auth/user/two-factor-authentication").by(&own),
        "confirm two-factor" => {
            app.enable(&own.access).await.expect(200);
            let code = app.authenticator(&own.access).await.code(app);
            let path = "/auth/user/confirmed-two-factor-authentication";
            Request::new(post, path).by(&own).with(json!({ "code": code })).ends([other])
        }
        "list of sessions" => Request::new(get, "/auth/user/sessions").by(&own),
        "revocation" => {
            let path =
                format!("/auth/user/sessions/{}", forge::claims(&other.access)["sid"].as_str().unwrap());
            Request::new(delete, &path).by(&own).ends([other])
        }
        "revocation of all others" => Request::new(delete, "/auth/user/sessions").by(&own).ends([other]),
        "Claims" => Request::new(get, "/claims").by(&own),
        "CurrentUser" => Request::new(get, "/me").by(&own),
        "ConfirmedUser" => Request::new(get, "/confirmed").by(&own),
        _ => panic!("{flow}"),
    }
}

/// What may break without an error in the response, because the request does not depend on it.
fn may_be_ignored(flow: &str, call: CallOf) -> bool {
    match (flow, call.0) {
        (_, SessionsTouch) => true,
        // The client of a login that has succeeded is remembered by a later one.
        ("login", _) => [(StoreGet, 3), (StoreGet, 4)].contains(&call),
        ("login by mail", _) => [(StoreGet, 6), (StoreGet, 7)].contains(&call),
        // The end of the lease, which expires.
        ("removal of the password", StoreDelete) => true,
        ("challenge by code", _) => [(StoreGet, 8), (StoreGet, 9), (StoreSwap, 2)].contains(&call),
        ("challenge by recovery code", _) => [(StoreGet, 7), (StoreGet, 8), (StoreSwap, 2)].contains(&call),
        // The first ones are of the limit of wrong tokens, and mark the token as used. The others make the account's clients unknown,
        // and clear the counters of the old password, which expire.
        ("reset", StoreDelete | StoreSwap) => call.1 >= 1,
        ("reset", StoreGet) => call.1 >= 2,
        // It is done beside the response, so that nobody sees in the response whether the address has an account.
        ("forgotten password", ResetsCreateToken | ResetsFindByEmail) => true,
        ("forgotten password", StorePut | StoreDelete | StoreSwap) => true,
        ("forgotten password", UsersFindByField) => call.1 == 1,
        // The used token stays marked as used in the store.
        ("reset", ResetsDeleteByEmail) => true,
        // The password is hashed again by a later login.
        ("login with an outdated hash", method) => {
            matches!(method, UsersFindById | UsersSave | SessionsFindByUser | SessionsSwap)
                || is_of_store(method)
        }
        _ => false,
    }
}

fn is_of_store(method: ProviderMethod) -> bool {
    method.name().starts_with("store.")
}

/// The status of a request that depends on a call with this trouble.
fn status(method: ProviderMethod, trouble: Trouble) -> u16 {
    match trouble {
        Trouble::Once(Fault::Panics) => 500,
        Trouble::Once(Fault::Fails) if method.name().starts_with(['u', 'r']) => 500,
        _ => 503,
    }
}

/// A host without faults, and one with: on the same place.
struct Hosts {
    healthy: App,
    faulty: App,
    faults: Faults,
    /// Those of the deletion of kept reset tokens, which is beside the response.
    of_kept: Faults,
}

/// How long the renewal of an outdated hash is claimed by a login that has panicked. Later logins wait for it.
const CLAIMED: Duration = Duration::from_secs(30);

/// How long a removal of a way in that could not end its turn makes others wait.
const TURN: Duration = Duration::from_secs(10);

impl Hosts {
    async fn start(trouble: Trouble) -> Self {
        let (place, faults) = (Place::memory(), faults());
        // The hour of a client's last login is written once. It must not end between the first login and the recorded flow.
        let since = place.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        place.clock.set(UNIX_EPOCH + Duration::from_secs(since - since % 3600));
        let config = |base: AuthConfigBuilder, timeout| {
            let (mut limits, many) = (no_code_limits(), RateLimit::per_seconds(100_000, 60));
            limits.register = many;
            limits.login_client = many;
            limits.forgot_password_client = many;
            limits.reset_password_client = many;
            limits.email_login_client = many;
            let base = base.limits(limits).request_timeout(timeout).password_threads(NonZeroUsize::MIN);
            base.store_timeout(STORE_TIMEOUT.min(timeout))
        };
        let timeout =
            if trouble == Trouble::Once(Fault::Hangs) { REQUEST_TIMEOUT } else { Duration::from_secs(60) };
        let healthy = place.start_with(|base| config(base, Duration::from_secs(60))).await;
        let of_kept = Faults::new();
        let start = place.start_faulty_with_kept_apart(&faults, &of_kept, |base| config(base, timeout));
        let faulty = start.await;
        let hosts = Self { healthy, faulty, faults, of_kept };
        // The first request starts the deletion of expired sessions in the background, which no flow is to call.
        let tokens = hosts.healthy.register("first@example.com").await;
        hosts.faulty.me(&tokens.access).await.expect(200);
        // That somebody has logged in from this client is recorded once.
        hosts.healthy.login("first@example.com").await;
        hosts.background_work_finished().await;
        hosts
    }

    async fn background_work_finished(&self) {
        self.healthy.auth.background_work_finished().await;
        self.faulty.auth.background_work_finished().await;
    }

    /// The calls of a flow.
    async fn calls(&self, flow: &str) -> Vec<CallOf> {
        let request = prepare(flow, &self.healthy, "recorded@example.com").await;
        self.background_work_finished().await;
        self.faults.clear_calls();
        let response = request.call(&self.faulty).await;
        assert!(response.status < 300, "{flow}: {}", response.text);
        self.is_done(&request, &response).await.unwrap();
        self.faulty.auth.background_work_finished().await;
        let calls = self.faults.calls();
        let before = |at: usize| calls[..at].iter().filter(|earlier| **earlier == calls[at]).count();
        (0..calls.len()).map(|at| (calls[at], before(at))).collect()
    }

    /// Runs a flow with trouble at one call.
    async fn run(&self, flow: &str, number: usize, call: CallOf, trouble: Trouble) -> Result<(), String> {
        let email = format!("user{number}@example.com");
        let request = prepare(flow, &self.healthy, &email).await;
        // The calls of the run before, which no response has waited for, must not count as calls of this one. And whether the
        // account knows the client, which a login of the preparation has recorded beside its response, decides what is called.
        self.background_work_finished().await;
        let (method, before) = call;
        self.faults.nth(method, before + 1, trouble.fault());
        // No kept token of a reset is deleted. What is left of it expires, and counts only while its hash is in the table.
        self.of_kept.always(StoreDelete, trouble.fault());
        let began = Instant::now();
        let store_is_gone = async {
            while trouble != Trouble::StoreIsGone || !self.faults.have_happened() {
                tokio::time::sleep(STORE_TIMEOUT / 100).await;
            }
            self.faults.everywhere("store", Fault::Hangs);
            pending().await
        };
        let response = tokio::select! {
            response = request.call(&self.faulty).into_future() => response,
            never = store_is_gone => never,
        };
        if trouble == Trouble::StoreIsGone && began.elapsed() >= STORE_TIMEOUT * 2 {
            return Err(format!("it has waited for the store more than once: {:?}", began.elapsed()));
        }
        // The last use of a session is recorded beside the response.
        let happened = async {
            while !self.faults.have_happened() {
                tokio::task::yield_now().await;
            }
        };
        if tokio::time::timeout(Duration::from_secs(10), happened).await.is_err() {
            return Err(format!("the flow did not make this call: {} {}", response.status, response.text));
        }
        // A store that is gone comes back.
        self.faults.heal();
        self.of_kept.heal();
        match flow {
            "login with an outdated hash" => self.healthy.clock.advance(CLAIMED),
            "removal of the password" => self.healthy.clock.advance(TURN),
            _ => {}
        }
        let (Answer { status: got, text, .. }, wanted) = (&response, status(method, trouble));
        if text.contains(CAUSE) || (*got >= 300 && response.has_credentials()) {
            return Err(format!("{got} shows too much: {text}"));
        }
        match *got {
            200..300 if may_be_ignored(flow, call) => self.is_done(&request, &response).await?,
            _ if *got == wanted => {}
            _ => return Err(format!("{got} and not {wanted}: {text}")),
        }
        // The same again, without a fault. What was done already can be refused.
        let again = request.call(&self.faulty).await;
        match again.status {
            200..300 => self.is_done(&request, &again).await?,
            400..500 => {}
            _ => return Err(format!("then {}: {}", again.status, again.text)),
        }
        if self.healthy.users.by_email(&email).is_some_and(|user| user.password.is_empty()) {
            return Ok(());
        }
        // Who has not got the account can ask for another mail.
        if flow == "registration by mail" {
            let request = prepare(flow, &self.healthy, &email).await;
            request.call(&self.faulty).await.expect(201);
            return Ok(());
        }
        for password in [PASSWORD, NEW] {
            if self.faulty.login_call(&email, password).await.status == 200 {
                return Ok(());
            }
        }
        Err("the user cannot log in any more".to_owned())
    }

    /// Whether all was done that a successful response promises.
    async fn is_done(&self, request: &Request, response: &Answer) -> Result<(), String> {
        for ended in &request.ends {
            for path in ["/me", "/claims"] {
                let status = self.healthy.get(path).bearer(&ended.access).await.status;
                if status != 401 {
                    return Err(format!("{path} is {status} with a session that was to end"));
                }
            }
        }
        if let Some(tokens) = response.session() {
            self.healthy.me(&tokens.access).await.expect(200);
        }
        Ok(())
    }
}

/// The hosts that share the calls of a flow, because a call that hangs takes some seconds.
fn hosts_for(trouble: Trouble) -> usize {
    if trouble.fault() == Fault::Hangs { 8 } else { 1 }
}

/// The number of broken calls of a flow with this trouble, and the problems.
async fn problems(flow: &'static str, trouble: Trouble, host: usize) -> (usize, Vec<String>) {
    let hosts = Hosts::start(trouble).await;
    let (calls, mut broken, mut problems) = (hosts.calls(flow).await, 0, Vec::new());
    for (number, call) in calls.iter().enumerate().skip(host).step_by(hosts_for(trouble)) {
        // The host's own routes have the time limit and the panic handler of the host.
        let is_of_the_host = flow.starts_with(char::is_uppercase);
        if is_of_the_host && matches!(trouble, Trouble::Once(Fault::Panics | Fault::Hangs)) {
            continue;
        }
        if trouble == Trouble::StoreIsGone && !is_of_store(call.0) {
            continue;
        }
        // For sessions and the store, all errors are alike.
        if trouble == Trouble::Once(Fault::IsUnavailable)
            && status(call.0, Trouble::Once(Fault::Fails)) == 503
        {
            continue;
        }
        broken += 1;
        if let Err(problem) = hosts.run(flow, number, *call, trouble).await {
            problems.push(format!("{flow}: {} (call {}) {trouble:?}: {problem}", call.0, call.1));
        }
    }
    (broken, problems)
}

/// Each of the two tests uses the whole machine, and has requests that must not take longer than a second.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

async fn a_fault_at_any_call_of_any_flow_leaves_nothing_half_done() {
    let _guard = ONE_AT_A_TIME.lock().await;
    let mut results = Vec::new();
    for trouble in Trouble::ALL {
        let hosts = flows().flat_map(|flow| (0..hosts_for(trouble)).map(move |host| (flow, host)));
        results.extend(at_once(hosts.map(|(flow, host)| problems(flow, trouble, host))).await);
    }
    let calls: usize = results.iter().map(|(calls, _)| calls).sum();
    let expected = if routers::is_browser() { 120 } else { 350 };
    assert!(calls > expected, "only {calls} calls were broken");
    let problems: Vec<_> = results.into_iter().flat_map(|(_, problems)| problems).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
