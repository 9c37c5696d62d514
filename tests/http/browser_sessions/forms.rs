//! `Browser`: each of its methods does what the route does, with the same limits, events and cookies.

use super::browser::{Browser, CHALLENGE, SESSION};
use super::host;
use crate::support::answer::Answer;
use crate::support::authenticator::Authenticator;
use crate::support::routers::DEVICE_COOKIE;
use crate::support::{App, EMAIL, PASSWORD, registration};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

const NEW: &str = "a new password for all";

/// The methods, each with its route.
static METHODS: [(&str, Method, &str); 9] = [
    ("register", Method::POST, "/register"),
    ("login", Method::POST, "/login"),
    ("challenge", Method::POST, "/two-factor-challenge"),
    ("confirm_password", Method::POST, "/user/confirm-password"),
    ("update_password", Method::PUT, "/user/password"),
    ("confirm_two_factor", Method::POST, "/user/confirmed-two-factor-authentication"),
    ("disable_two_factor", Method::DELETE, "/user/two-factor-authentication"),
    ("log_out", Method::POST, "/logout"),
    ("identity", Method::GET, "/user/sessions"),
];

#[derive(Clone, Copy, Debug)]
enum Way {
    Route,
    Form,
}

/// A browser that does everything in one way, and what it has seen.
struct Visit {
    way: Way,
    browser: Browser,
    seen: Vec<String>,
}

impl Visit {
    async fn start(way: Way) -> Self {
        // With the limits of the defaults.
        let app = host::start_with(|config| config).await;
        Self { way, browser: Browser::new(&app), seen: Vec::new() }
    }

    fn app(&self) -> &Arc<App> {
        &self.browser.app
    }

    async fn act(&mut self, action: &str, body: &Value) -> Answer {
        let (name, method, route) = METHODS.iter().find(|(name, ..)| *name == action).unwrap();
        let answer = match self.way {
            Way::Form => self.browser.post(&format!("/form/{name}"), body).await,
            Way::Route => {
                let call = self.browser.call(method.clone(), &format!("/web/auth{route}"));
                let call =
                    if *method == Method::GET || *method == Method::DELETE { call } else { call.json(body) };
                self.browser.keep(call.await)
            }
        };
        self.seen.push(format!("{action} {body}: {}", outcome(&answer)));
        self.seen.push(format!("  {:?}", self.browser.names()));
        answer
    }

    /// Enrols an authenticator app, by routes that have no method.
    async fn enable(&self) -> Authenticator {
        let browser = &self.browser;
        browser.post("/web/auth/user/two-factor-authentication", &json!({})).await.expect(200);
        let key = browser.get("/web/auth/user/two-factor-secret-key").await.expect(200);
        Authenticator::new(key.body["secretKey"].as_str().unwrap())
    }

    /// Everything that was seen, and all events in their order.
    async fn end(mut self) -> Vec<String> {
        // The event of this account is the last one.
        self.app()
            .post("/auth/register")
            .from("203.0.113.9")
            .json(&registration("last@example.com"))
            .await
            .expect(201);
        loop {
            let event = self.app().event().await;
            let is_last = event.name() == "auth.registered" && event.user_id.as_deref() == Some("2");
            if is_last {
                return self.seen;
            }
            self.seen.push(format!("{} {:?} {:?}", event.name(), event.user_id, event.client));
        }
    }
}

/// What is the same in both ways: whether it succeeded, the error, and the cookies without their values.
fn outcome(answer: &Answer) -> String {
    let errors = match &answer.body["errors"] {
        Value::Array(errors) => {
            errors.iter().map(|error| format!("{} {}", error["field"], error["code"])).collect()
        }
        _ => Vec::new(),
    };
    let retry = answer.header("retry-after").unwrap_or_default();
    let cookies = answer.headers.get_all("set-cookie").iter().map(|cookie| {
        let (pair, attributes) = cookie.to_str().unwrap().split_once("; ").unwrap();
        let (name, value) = pair.split_once('=').unwrap();
        format!("{name} {} {attributes}", value.is_empty())
    });
    let cookies: Vec<_> = cookies.collect();
    let status = if answer.status < 300 { 200 } else { answer.status };
    format!("{status} {} {errors:?} {retry} {cookies:?}", answer.code())
}

/// Both ways see the same.
async fn alike(run: impl AsyncFn(Visit) -> Vec<String>) {
    let [route, form] = [run(Visit::start(Way::Route).await).await, run(Visit::start(Way::Form).await).await];
    for (route, form) in route.iter().zip(&form) {
        assert_eq!(route, form);
    }
    assert_eq!(route.len(), form.len());
}

fn login(password: &str, remember: bool) -> Value {
    json!({ "email": EMAIL, "password": password, "remember": remember })
}

#[tokio::test]
async fn a_life_of_an_account_is_the_same_with_forms() {
    alike(async |mut visit: Visit| {
        let nothing = json!({});
        visit.act("register", &registration("x")).await;
        let short = json!({ "name": "", "email": EMAIL, "password": "short", "passwordConfirmation": "other" });
        visit.act("register", &short).await;
        visit.act("register", &registration(EMAIL)).await;
        visit.act("register", &registration(EMAIL)).await;
        visit.act("identity", &nothing).await.expect(200);
        visit.act("login", &login(PASSWORD, true)).await.expect(200);
        visit.act("login", &login("wrong", true)).await.expect(401);
        visit.act("login", &json!({ "email": "x", "password": PASSWORD })).await.expect(422);
        visit.act("confirm_password", &json!({ "password": "wrong" })).await.expect(422);
        visit.act("confirm_two_factor", &json!({ "code": "123456" })).await.expect(403);
        visit.act("disable_two_factor", &nothing).await.expect(403);
        visit.act("confirm_password", &json!({ "password": PASSWORD })).await;
        let authenticator = visit.enable().await;
        let wrong = authenticator.wrong_code(visit.app());
        visit.act("confirm_two_factor", &json!({ "code": wrong })).await.expect(422);
        let code = authenticator.code(visit.app());
        // The code itself is random.
        visit.act("confirm_two_factor", &json!({ "code": code })).await;
        visit.seen.retain(|line| !line.contains(&code) && !line.contains(&wrong));
        visit.act("log_out", &nothing).await;
        visit.act("log_out", &nothing).await;
        visit.act("identity", &nothing).await.expect(401);

        visit.app().next_step();
        visit.act("challenge", &json!({ "code": "000000" })).await.expect(401);
        visit.act("login", &login(PASSWORD, true)).await.expect(200);
        assert_eq!(visit.browser.names(), [CHALLENGE]);
        let code = authenticator.code(visit.app());
        visit.act("challenge", &json!({ "code": code })).await;
        visit.seen.retain(|line| !line.contains(&code));
        assert_eq!(visit.browser.names(), [SESSION]);
        visit.act("log_out", &nothing).await.expect(200);
        visit.act("login", &login(PASSWORD, true)).await.expect(200);
        visit.app().next_step();
        let code = authenticator.code(visit.app());
        visit.act("challenge", &json!({ "code": code, "trustDevice": true })).await;
        visit.seen.retain(|line| !line.contains(&code));
        visit.act("log_out", &nothing).await.expect(200);
        assert_eq!(visit.browser.names(), [DEVICE_COOKIE]);
        visit.act("login", &login(PASSWORD, true)).await.expect(200);
        assert_eq!(visit.browser.names(), [DEVICE_COOKIE, SESSION]);
        visit.act("confirm_password", &json!({ "password": PASSWORD })).await;
        visit.act("disable_two_factor", &nothing).await;
        let change = |current: &str, confirmation: &str| {
            json!({ "currentPassword": current, "password": NEW, "passwordConfirmation": confirmation })
        };
        visit.act("update_password", &change("wrong", NEW)).await.expect(422);
        visit.act("update_password", &change(PASSWORD, "other")).await.expect(422);
        visit.act("update_password", &change(PASSWORD, NEW)).await;
        visit.act("identity", &nothing).await.expect(200);
        visit.act("log_out", &nothing).await;
        for action in ["confirm_password", "disable_two_factor", "identity"] {
            visit.act(action, &json!({ "password": NEW })).await.expect(401);
        }
        visit.act("login", &login(NEW, false)).await.expect(200);
        visit.end().await
    })
    .await;
}

#[tokio::test]
async fn a_recovery_code_is_the_same_with_forms() {
    alike(async |mut visit: Visit| {
        visit.act("register", &registration(EMAIL)).await;
        visit.act("confirm_password", &json!({ "password": PASSWORD })).await;
        let authenticator = visit.enable().await;
        let code = authenticator.code(visit.app());
        visit
            .browser
            .post("/web/auth/user/confirmed-two-factor-authentication", &json!({ "code": code }))
            .await
            .expect(200);
        let codes = visit.browser.get("/web/auth/user/two-factor-recovery-codes").await.expect(200);
        visit.act("log_out", &json!({})).await;
        visit.act("login", &login(PASSWORD, false)).await.expect(200);
        visit.act("challenge", &json!({ "recoveryCode": "wrong-code" })).await.expect(422);
        visit.act("challenge", &json!({ "recoveryCode": codes.body[0] })).await;
        let used = codes.body[0].as_str().unwrap();
        visit.seen.retain(|line| !line.contains(used));
        visit.act("identity", &json!({})).await.expect(200);
        let status = visit.browser.session_status().await;
        assert_eq!(status["authenticatedBy"], json!(["pwd", "rec", "mfa"]));
        visit.end().await
    })
    .await;
}

#[tokio::test]
async fn the_limits_are_the_same_with_forms() {
    alike(async |mut visit: Visit| {
        visit.act("register", &registration(EMAIL)).await;
        for _ in 0..6 {
            visit.act("confirm_password", &json!({ "password": "wrong" })).await;
        }
        visit
            .act("confirm_password", &json!({ "password": PASSWORD }))
            .await
            .refused(429, "too_many_attempts");
        let change = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
        visit.act("update_password", &change).await.refused(429, "too_many_attempts");
        for _ in 0..6 {
            visit.act("login", &login("wrong", false)).await;
        }
        visit.act("login", &login(PASSWORD, false)).await.refused(429, "too_many_attempts");
        for index in 0..10 {
            visit.act("register", &registration(&format!("x{index}@"))).await;
        }
        visit.end().await
    })
    .await;
}

/// Both ways count towards the same limits.
#[tokio::test]
async fn a_form_and_a_route_share_the_limits() {
    let app = host::start_with(|config| config).await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    for path in ["/web/auth/login", "/form/login", "/auth/login", "/form/login", "/web/auth/login"] {
        browser.post(path, &login("wrong", false)).await.refused(401, "invalid_credentials");
    }
    for path in ["/web/auth/login", "/form/login", "/auth/login"] {
        browser.post(path, &login(PASSWORD, false)).await.refused(429, "too_many_attempts");
    }
}

#[tokio::test]
async fn a_form_of_another_origin_is_refused_by_every_method() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let cookie = browser.cookie_header().unwrap();
    let body = json!({ "email": EMAIL, "password": PASSWORD }).to_string();
    for (method, ..) in &METHODS {
        for cookie in [None, Some(&cookie)] {
            for site in [Some("cross-site"), Some("same-site"), None] {
                // As a browser sends a form.
                let mut call = app
                    .post(&format!("/form/{method}"))
                    .body("application/x-www-form-urlencoded", body.clone());
                if let Some(cookie) = cookie {
                    call = call.header("cookie", cookie);
                }
                if let Some(site) = site {
                    call = call.header("sec-fetch-site", site);
                }
                let answer = call.header("origin", "https://evil.example").await;
                assert_eq!(answer.header("set-cookie"), None);
                answer.refused(403, "cross_origin_request");
            }
        }
    }
    assert!(browser.is_logged_in().await);
    assert_eq!(app.event_names().await, ["auth.registered"]);
}

#[tokio::test]
async fn a_method_whose_feature_is_off_is_404() {
    use axum_auth_module::StandardActions;
    let app =
        App::with(|config| config, |module| module.registration(StandardActions).browser_sessions()).await;
    let app = host::with_pages(app).await;
    let browser = Browser::new(&app);
    let challenge = json!({ "code": "000000" });
    browser.post("/form/register", &registration(EMAIL)).await.expect(200);
    let change = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
    browser.post("/form/update_password", &change).await.refused(404, "not_found");
    browser.post("/form/confirm_password", &json!({ "password": PASSWORD })).await.expect(200);
    browser.post("/form/confirm_two_factor", &challenge).await.refused(404, "not_found");
    browser.post("/form/disable_two_factor", &challenge).await.refused(404, "not_found");
    browser.plant(CHALLENGE, "x");
    browser.post("/form/challenge", &challenge).await.refused(404, "not_found");

    let app = App::with(|config| config, axum_auth_module::AuthModuleBuilder::browser_sessions).await;
    let app = host::with_pages(app).await;
    let answer = Browser::new(&app).post("/form/register", &registration(EMAIL)).await;
    answer.refused(404, "not_found");
}

#[tokio::test]
async fn the_identity_of_a_form_is_the_one_of_the_cookie() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let other = app.register("grace@example.com").await;
    let identity = |call: crate::support::Call| call.bearer(&other.access);
    let answer = identity(browser.call(Method::POST, "/form/identity")).await.expect(200);
    assert_eq!(answer.text, EMAIL);
    let alone = identity(app.post("/form/identity").header("sec-fetch-site", "none"));
    alone.await.refused(401, "unauthenticated");
    let confirmed = async || browser.post("/form/confirmed_identity", &json!({})).await;
    confirmed().await.refused(403, "password_confirmation_required");
    browser.post("/form/confirm_password", &json!({ "password": PASSWORD })).await.expect(200);
    assert_eq!(confirmed().await.expect(200).text, EMAIL);
}
