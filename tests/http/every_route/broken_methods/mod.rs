//! Each flow, with a fault at each single call of each method of its providers.
//!
//! A flow is run once to see which methods it calls, and then again for each of these calls and each [`Trouble`]. A response
//! that is not an error means that everything was done; an error contains no token, and the requests after it are served. A
//! store that does not respond any more delays a response once.

mod flows;

use crate::support::answer::Answer;
use crate::support::authenticator::no_code_limits;
use crate::support::places::Place;
use crate::support::providers::{CAUSE, faults};
use crate::support::routers::{self, on_both_routers};
use crate::support::{App, PASSWORD, at_once};
use axum_auth_module::clock::Clock;
use axum_auth_module::config::{AuthConfigBuilder, NoticeOptions, RateLimit};
use axum_auth_module::delivery::SecurityNoticeKind;
use axum_auth_module::testing::ProviderMethod::{
    ApiTokensRecordUse, DeletionsFind, ResetsCreateToken, ResetsDeleteByEmail, ResetsFindByEmail,
    SessionsFindByUser, SessionsSwap, SessionsTouch, StoreDelete, StoreGet, StorePut, StoreSwap,
    UsersFindByField, UsersFindById, UsersSave,
};
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use flows::{Request, flows, moved, prepare};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};
use tokio::sync::Mutex;

on_both_routers![threads: a_fault_at_any_call_of_any_flow_leaves_nothing_half_done];

const NEW: &str = "a new password for all";

/// How long an operation of the store may take: long enough that one wait cannot be taken for two on a busy machine.
const STORE_TIMEOUT: Duration = Duration::from_secs(3);

/// How often a run looks whether its fault has happened.
const TICK: Duration = Duration::from_millis(30);

/// How long a request may take on a host whose providers hang.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a request without a fault is repeated there, which can take longer than [`REQUEST_TIMEOUT`] on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

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

/// What may break without an error in the response, because the request does not depend on it.
fn may_be_ignored(flow: &str, call: CallOf) -> bool {
    match (flow, call.0) {
        (_, SessionsTouch | ApiTokensRecordUse) => true,
        // The client of a login that has succeeded is remembered by a later one.
        ("login" | "login by user name" | "login on a trusted device", _) => {
            [(StoreGet, 3), (StoreGet, 4)].contains(&call)
        }
        ("restored account", _) => [(StoreGet, 4), (StoreGet, 5)].contains(&call),
        ("login with a passkey", _) => [(StoreGet, 1), (StoreGet, 2)].contains(&call),
        ("login by mail", _) => [(StoreGet, 6), (StoreGet, 7)].contains(&call),
        ("login with a provider", _) => [(StoreGet, 1), (StoreGet, 2)].contains(&call),
        // The end of the lease, which expires.
        ("removal of the password" | "removal of a passkey" | "new passkey", StoreDelete) => true,
        ("removal of an identity" | "new identity" | "registration with a provider", StoreDelete) => true,
        ("new API token", StoreDelete) => true,
        // The end of the lease of the change; and of that of the reset token, which need not be kept to be mailed again.
        ("change of the address", StoreDelete) => true,
        ("revert" | "secured account", StoreDelete | StorePut) => true,
        // The end of an invitation that was accepted: its token is used, and the account has a password.
        ("accepted invitation", StoreDelete) => true,
        ("accepted invitation", _) => call == (StoreGet, 7) || (call.0 == StoreSwap && call.1 >= 1),
        // An invitation that could not be ended: nobody can accept it while the account has a password.
        ("password update", _) => [(StoreGet, 4), (StoreGet, 12)].contains(&call),
        ("removal of the password", StoreGet) => call.1 == 2,
        ("challenge by code" | "challenge that trusts the device", _) => {
            [(StoreGet, 8), (StoreGet, 9), (StoreSwap, 2)].contains(&call)
        }
        ("challenge by recovery code", _) => [(StoreGet, 7), (StoreGet, 8), (StoreSwap, 2)].contains(&call),
        // The first ones are of the limit of wrong tokens, and mark the token as used. The others make the account's clients unknown,
        // and clear the counters of the old password, which expire.
        ("reset", StoreDelete | StoreSwap) => call.1 >= 1,
        ("reset", StoreGet) => call.1 >= 2,
        // It is done beside the response, so that nobody sees in the response whether the address has an account.
        ("forgotten password", ResetsCreateToken | ResetsFindByEmail) => true,
        ("forgotten password", StorePut | StoreDelete | StoreSwap) => true,
        ("forgotten password", UsersFindByField) => call.1 == 1,
        ("forgotten password", DeletionsFind) => true,
        // The deletion of the used token, which stays marked as used in the store; and whether a newer token was deleted with it.
        ("reset", ResetsDeleteByEmail) => true,
        ("reset", ResetsFindByEmail) => call.1 >= 1,
        ("reset", UsersFindById) => call.1 >= 2,
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

/// What is wrong with a run.
enum Problem {
    /// The call that was to break was not made; with the response.
    CallNotMade(String),
    Other(String),
}

impl From<String> for Problem {
    fn from(problem: String) -> Self {
        Self::Other(problem)
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

/// How long a mail with a reset token that could not end its turn makes others wait: thirty seconds more than a request may take.
const MAIL_TURN: Duration = Duration::from_secs(90);

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
            limits.mail_tokens = many;
            limits.social_client = many;
            limits.social_client_calls = many;
            let base = base.limits(limits).request_timeout(timeout).password_threads(NonZeroUsize::MIN);
            base.store_timeout(STORE_TIMEOUT.min(timeout))
        };
        let timeout =
            if trouble == Trouble::Once(Fault::Hangs) { REQUEST_TIMEOUT } else { Duration::from_secs(60) };
        let healthy = place.start_with(|base| config(base, Duration::from_secs(60))).await;
        let of_kept = Faults::new();
        let is_of_kept = |method, key: &str| method == StoreDelete && key.starts_with("reset-kept:");
        // A notice makes its calls beside the response, and so before or after any other call of the flow.
        let notices =
            SecurityNoticeKind::ALL.iter().fold(NoticeOptions::default(), |on, kind| on.without(*kind));
        let config = |base| config(base, timeout).notices(notices);
        let faulty = place.start_faulty_apart(&faults, (&of_kept, is_of_kept), config).await;
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
    async fn calls(&self, flow: &str, trouble: Trouble) -> Vec<CallOf> {
        let (began, mut number) = (Instant::now(), 0);
        let (request, response) = loop {
            number += 1;
            let request = prepare(flow, &self.healthy, &format!("recorded{number}@example.com")).await;
            self.background_work_finished().await;
            self.faults.clear_calls();
            let response = request.call(&self.faulty).await;
            // Where calls hang, a request has a second, which is not enough on a machine that is busy.
            let may_be_late = trouble == Trouble::Once(Fault::Hangs) && began.elapsed() < PATIENCE;
            if response.status != 503 || !may_be_late {
                break (request, response);
            }
        };
        assert!(response.status < 300, "{flow}: {}", response.text);
        self.is_done(&request, &response).await.unwrap();
        self.faulty.auth.background_work_finished().await;
        let calls = self.faults.calls();
        let before = |at: usize| calls[..at].iter().filter(|earlier| **earlier == calls[at]).count();
        (0..calls.len()).map(|at| (calls[at], before(at))).collect()
    }

    /// Runs a flow with trouble at one call. On a busy machine, a request can be too late before it makes the call: then another one is sent.
    async fn run(&self, flow: &str, number: usize, call: CallOf, trouble: Trouble) -> Result<(), String> {
        let (began, mut attempt) = (Instant::now(), 0);
        loop {
            attempt += 1;
            let email = format!("user{number}-{attempt}@example.com");
            match self.attempt(flow, &email, call, trouble).await {
                Ok(()) => return Ok(()),
                Err(Problem::CallNotMade(response))
                    if trouble != Trouble::Once(Fault::Hangs) || began.elapsed() >= PATIENCE =>
                {
                    return Err(format!("the flow did not make this call: {response}"));
                }
                Err(Problem::CallNotMade(_)) => {}
                Err(Problem::Other(problem)) => return Err(problem),
            }
        }
    }

    async fn attempt(&self, flow: &str, email: &str, call: CallOf, trouble: Trouble) -> Result<(), Problem> {
        let request = prepare(flow, &self.healthy, email).await;
        // The calls of the run before, which no response has waited for, must not count as calls of this one. And whether the
        // account knows the client, which a login of the preparation has recorded beside its response, decides what is called.
        self.background_work_finished().await;
        let (method, before) = call;
        self.faults.nth(method, before + 1, trouble.fault());
        // No kept token of a reset is deleted. What is left of it expires, and counts only while its hash is in the table.
        self.of_kept.always(StoreDelete, trouble.fault());
        // Time in which the machine has served this task: what a busy machine takes from it is no time for which the store was waited for.
        let ticks = AtomicU32::new(0);
        let store_is_gone = async {
            let mut is_gone = false;
            loop {
                if trouble == Trouble::StoreIsGone && !is_gone && self.faults.have_happened() {
                    self.faults.everywhere("store", Fault::Hangs);
                    is_gone = true;
                }
                tokio::time::sleep(TICK).await;
                ticks.fetch_add(1, Ordering::Relaxed);
            }
        };
        let response = tokio::select! {
            response = request.call(&self.faulty).into_future() => response,
            never = store_is_gone => never,
        };
        let waited = TICK * ticks.load(Ordering::Relaxed);
        if trouble == Trouble::StoreIsGone && waited >= STORE_TIMEOUT * 3 / 2 {
            // What follows must not find the store gone.
            self.faults.heal();
            self.of_kept.heal();
            return Err(format!("it has waited for the store more than once: {waited:?}").into());
        }
        // The last use of a session is recorded beside the response.
        let happened = async {
            while !self.faults.have_happened() {
                tokio::time::sleep(TICK).await;
            }
        };
        if tokio::time::timeout(Duration::from_secs(10), happened).await.is_err() {
            self.faults.heal();
            self.of_kept.heal();
            return Err(Problem::CallNotMade(format!("{} {}", response.status, response.text)));
        }
        // A store that is gone comes back.
        self.faults.heal();
        self.of_kept.heal();
        // A change that has hung goes on, or is taken back. It must not do so between the requests that look at what is there.
        self.background_work_finished().await;
        match flow {
            "login with an outdated hash" => self.healthy.clock.advance(CLAIMED),
            "removal of the password"
            | "change of the address"
            | "new passkey"
            | "removal of a passkey"
            | "registration with a provider"
            | "new identity"
            | "removal of an identity"
            | "new API token" => {
                self.healthy.clock.advance(TURN);
            }
            "revert" | "secured account" | "forgotten password" => self.healthy.clock.advance(MAIL_TURN),
            _ => {}
        }
        let (Answer { status: got, text, .. }, wanted) = (&response, status(method, trouble));
        if text.contains(CAUSE) || (*got >= 300 && response.has_credentials()) {
            return Err(format!("{got} shows too much: {text}").into());
        }
        match *got {
            200..300 if may_be_ignored(flow, call) => self.is_done(&request, &response).await?,
            _ if *got == wanted => {}
            _ => return Err(format!("{got} and not {wanted}: {text}").into()),
        }
        // The same again, without a fault. What was done already can be refused.
        let again = served(trouble, || request.call(&self.faulty)).await;
        match again.status {
            200..300 => self.is_done(&request, &again).await?,
            400..500 => {}
            _ => return Err(format!("then {}: {}", again.status, again.text).into()),
        }
        // Nor may a change that was too slow on a busy machine.
        self.background_work_finished().await;
        let has_no_password =
            |email: &str| self.healthy.users.by_email(email).is_some_and(|user| user.password.is_empty());
        if has_no_password(email) || has_no_password(&moved(email)) {
            return Ok(());
        }
        // Who has not got the account can begin again.
        if flow == "registration by mail" || flow == "registration with a provider" {
            let attempts = AtomicU32::new(0);
            let anew = || async {
                attempts.fetch_add(1, Ordering::Relaxed);
                prepare(flow, &self.healthy, email).await.call(&self.faulty).await
            };
            let answer = served(trouble, anew).await;
            // After a response that was too late on a busy machine the account can be there, and the next request signs in.
            let signs_in = attempts.load(Ordering::Relaxed) > 1 && answer.status == 200;
            answer.expect(if signs_in { 200 } else { 201 });
            return Ok(());
        }
        let mut refusals = Vec::new();
        for (email, password) in [(email, PASSWORD), (email, NEW), (&*moved(email), PASSWORD)] {
            let answer = served(trouble, || self.faulty.login_call(email, password)).await;
            if answer.status == 200 || answer.code() == "account_pending_deletion" {
                return Ok(());
            }
            refusals.push(format!("{} {}", answer.status, answer.text));
        }
        Err(format!("the user cannot log in any more: {}", refusals.join(", ")).into())
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

/// The response to a request without a fault, on a host that had one with this trouble.
async fn served<C: IntoFuture<Output = Answer>>(trouble: Trouble, call: impl Fn() -> C) -> Answer {
    let began = Instant::now();
    loop {
        let answer = call().await;
        let may_be_late = trouble == Trouble::Once(Fault::Hangs) && began.elapsed() < PATIENCE;
        if answer.status != 503 || !may_be_late {
            return answer;
        }
    }
}

/// The hosts that share the calls of a flow, because a call that hangs takes some seconds. Where the store is gone, the time that a request
/// waits is measured, and more hosts would make the machine busy.
fn hosts_for(trouble: Trouble) -> usize {
    if trouble == Trouble::Once(Fault::Hangs) { 8 } else { 1 }
}

/// The number of broken calls of a flow with this trouble, and the problems.
async fn problems(flow: &'static str, trouble: Trouble, host: usize) -> (usize, Vec<String>) {
    let hosts = Hosts::start(trouble).await;
    let (calls, mut broken, mut problems) = (hosts.calls(flow, trouble).await, 0, Vec::new());
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
