//! The two routers of a module. The suite runs on both: a test is written for the bearer router, and the support translates
//! it for the browser router.
//!
//! | a test says | on the browser router |
//! |---|---|
//! | `request("/auth/…")` | a request to `/web/auth/…` from a page of the same origin |
//! | [`Call::bearer`](super::Call::bearer), also on the host's own routes | the session cookie |
//! | [`Tokens`](super::Tokens) | the session cookie, and no refresh token |
//! | a challenge token | the challenge cookie |
//! | a device token | the cookie of the device |
//! | [`App::renew`](super::App::renew) | nothing: the cookie does not change |
//!
//! What is only on one of the routers has tests of its own.

use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::feature::{Feature, FeatureSet};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{LazyLock, Mutex};
use tokio::runtime::Builder;

/// The cookies with the options of the tests.
pub(crate) const SESSION_COOKIE: &str = "__Host-Http-auth";
pub(crate) const CHALLENGE_COOKIE: &str = "__Host-Http-auth-challenge";
pub(crate) const DEVICE_COOKIE: &str = "__Host-Http-auth-device";

/// Where the hosts of the tests have the browser router.
pub(crate) const BROWSER_ROUTER: &str = "/web/auth";

tokio::task_local! {
    static ROUTER: RouterKind;
}

/// Runs a test on this router: the hosts that it starts are used through it.
pub(crate) async fn on<T>(router: RouterKind, test: impl Future<Output = T>) -> T {
    ROUTER.scope(router, test).await
}

/// How many threads a test has.
#[derive(Clone, Copy)]
pub(crate) enum Threads {
    One,
    /// For requests at once.
    Many,
}

/// The whole of a test on this router. It is no function for each test, because there are thousands: what is generic over their futures
/// is compiled as often.
pub(crate) fn run(router: RouterKind, threads: Threads, test: Pin<Box<dyn Future<Output = ()> + '_>>) {
    let mut runtime = match threads {
        Threads::One => Builder::new_current_thread(),
        Threads::Many => Builder::new_multi_thread(),
    };
    if let Threads::Many = threads {
        runtime.worker_threads(4);
    }
    runtime.enable_all().build().expect("a runtime").block_on(ROUTER.scope(router, test));
}

/// The router of the test that runs. Tests that do not say it run on the bearer router.
pub(crate) fn current() -> RouterKind {
    ROUTER.try_with(|router| *router).unwrap_or(RouterKind::Bearer)
}

pub(crate) fn is_browser() -> bool {
    current() == RouterKind::Browser
}

/// These features, and the one without which the router of the test would have no routes.
pub(crate) fn features(features: impl IntoIterator<Item = Feature>) -> FeatureSet {
    features.into_iter().chain(is_browser().then_some(Feature::BrowserSessions)).collect()
}

/// The session cookies that a confirmation of the password has replaced, and their successors. A test goes on with the
/// tokens that it had; a browser sends the newest cookie. A test can have several hosts, which are instances of one origin.
static REPLACED: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

/// Keeps the cookie that replaces another one.
pub(super) fn replace(cookie: String, successor: String) {
    REPLACED.lock().unwrap().insert(cookie, successor);
}

/// What a browser sends that once received this cookie.
pub(crate) fn newest(cookie: &str) -> String {
    let replaced = REPLACED.lock().unwrap();
    let mut newest = cookie;
    while let Some(successor) = replaced.get(newest) {
        newest = successor;
    }
    newest.to_owned()
}

/// Makes each of these functions a test on the bearer router and a test on the browser router. After `threads:`, the tests
/// have four threads, for requests at once.
macro_rules! on_both_routers {
    (threads: $($test:ident),+ $(,)?) => {
        $($crate::support::routers::on_both_routers!(@ Many $test);)+
    };
    ($($test:ident),+ $(,)?) => {
        $($crate::support::routers::on_both_routers!(@ One $test);)+
    };
    (@ $threads:ident $test:ident) => {
        mod $test {
            use crate::support::routers::{Threads, run};
            use axum_auth_module::endpoint::RouterKind;

            #[test]
            fn bearer() {
                run(RouterKind::Bearer, Threads::$threads, Box::pin(super::$test()));
            }

            #[test]
            fn browser() {
                run(RouterKind::Browser, Threads::$threads, Box::pin(super::$test()));
            }
        }
    };
}
pub(crate) use on_both_routers;

#[tokio::test]
async fn a_host_is_used_through_the_router_of_its_test_also_if_it_starts_in_another_task() {
    for router in [RouterKind::Bearer, RouterKind::Browser] {
        let apps = on(router, async { super::at_once([super::App::start(), super::App::start()]).await });
        for app in apps.await {
            assert_eq!(app.router, router);
            let answer = app.post("/auth/register").json(&super::registration(super::EMAIL)).await;
            assert_eq!(answer.set_cookies().len(), usize::from(router == RouterKind::Browser));
        }
    }
}

#[tokio::test]
async fn a_browser_sends_the_cookie_of_its_last_confirmation() {
    on(RouterKind::Browser, async {
        let app = super::App::start().await;
        let first = app.register(super::EMAIL).await;
        assert_eq!(newest(&first.access), first.access);
        app.confirm_password(&first.access).await;
        let second = newest(&first.access);
        app.confirm_password(&first.access).await;
        assert!(second != first.access && newest(&second) != second);
        assert_eq!(newest(&first.access), newest(&second));
        app.get("/confirmed").bearer(&first.access).await.expect(200);
    })
    .await;
}
