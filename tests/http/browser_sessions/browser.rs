//! A small browser: its tabs share one jar of cookies, which it keeps as RFC 6265bis says, and its requests come from a
//! page of the module's own origin.

use crate::support::answer::Answer;
use crate::support::{App, Call, PASSWORD, forge, registration};
use axum_auth_module::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

/// The names of the cookies.
pub(super) const SESSION: &str = "__Host-Http-auth";
pub(super) const CHALLENGE: &str = "__Host-Http-auth-challenge";

/// A tab. Its clones are further tabs of the same browser.
#[derive(Clone)]
pub(super) struct Browser {
    pub(super) app: Arc<App>,
    jar: Arc<Mutex<Vec<Cookie>>>,
}

#[derive(Clone, Debug)]
struct Cookie {
    name: String,
    value: String,
    /// `None`: until the browser closes.
    expires_at: Option<SystemTime>,
}

impl Browser {
    pub(super) fn new(app: &Arc<App>) -> Self {
        Self { app: Arc::clone(app), jar: Arc::default() }
    }

    /// The same browser at another instance of the host.
    pub(super) fn at(&self, app: &Arc<App>) -> Self {
        Self { app: Arc::clone(app), jar: Arc::clone(&self.jar) }
    }

    /// Another browser with the same cookies: that of a thief, for example.
    pub(super) fn copy(&self) -> Self {
        let jar = Arc::new(Mutex::new(self.jar().clone()));
        Self { app: Arc::clone(&self.app), jar }
    }

    fn jar(&self) -> MutexGuard<'_, Vec<Cookie>> {
        self.jar.lock().unwrap()
    }

    /// The names of the cookies that it sends.
    pub(super) fn names(&self) -> Vec<String> {
        let now = self.app.clock.now();
        let jar = self.jar();
        let alive = jar.iter().filter(|cookie| cookie.expires_at.is_none_or(|end| now < end));
        alive.map(|cookie| cookie.name.clone()).collect()
    }

    pub(super) fn cookie(&self, name: &str) -> Option<String> {
        self.jar().iter().find(|cookie| cookie.name == name).map(|cookie| cookie.value.clone())
    }

    /// The value of the session cookie.
    #[track_caller]
    pub(super) fn session(&self) -> String {
        self.cookie(SESSION).expect("a session cookie")
    }

    /// The id of the session.
    #[track_caller]
    pub(super) fn session_id(&self) -> String {
        forge::claims(&self.session())["sid"].as_str().unwrap().to_owned()
    }

    /// The number of the session cookie.
    #[track_caller]
    pub(super) fn number(&self) -> u64 {
        forge::claims(&self.session())["n"].as_u64().unwrap()
    }

    /// Somebody has put this cookie into the browser.
    pub(super) fn plant(&self, name: &str, value: &str) {
        let mut jar = self.jar();
        jar.retain(|known| known.name != name);
        jar.push(Cookie { name: name.to_owned(), value: value.to_owned(), expires_at: None });
    }

    /// Closes all windows and opens a new one.
    pub(super) fn restart(&self) {
        self.jar().retain(|cookie| cookie.expires_at.is_some());
    }

    /// A request from a page of the module's own origin.
    pub(super) fn call(&self, method: Method, path: &str) -> Call {
        let call = self.app.request(method, path).header("sec-fetch-site", "same-origin");
        match self.cookie_header() {
            Some(header) => call.header("cookie", &header),
            None => call,
        }
    }

    pub(super) fn cookie_header(&self) -> Option<String> {
        let now = self.app.clock.now();
        let jar = self.jar();
        let alive = jar.iter().filter(|cookie| cookie.expires_at.is_none_or(|end| now < end));
        let pairs: Vec<_> = alive.map(|cookie| format!("{}={}", cookie.name, cookie.value)).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// Keeps the cookies of a response.
    pub(super) fn keep(&self, answer: Answer) -> Answer {
        for header in answer.headers.get_all("set-cookie") {
            self.set(header.to_str().unwrap());
        }
        answer
    }

    /// Keeps a cookie, if RFC 6265bis §5.7 lets it: a name with this prefix requires certain attributes.
    #[track_caller]
    fn set(&self, header: &str) {
        let mut parts = header.split("; ");
        let (name, value) = parts.next().unwrap().split_once('=').unwrap();
        let attributes: Vec<_> = parts.collect();
        let has = |attribute: &str| attributes.contains(&attribute);
        assert!(has("Path=/") && has("HttpOnly"), "{header}");
        assert!(!name.starts_with("__Host-Http-") || has("Secure"), "{header}");
        assert!(!header.contains("Domain") && header.len() < 1400, "{header}");
        let max_age = attributes.iter().find_map(|attribute| attribute.strip_prefix("Max-Age="));
        let max_age = max_age.map(|seconds| Duration::from_secs(seconds.parse().unwrap()));
        let mut jar = self.jar();
        jar.retain(|known| known.name != name);
        if max_age != Some(Duration::ZERO) {
            let expires_at = max_age.map(|age| self.app.clock.now() + age);
            jar.push(Cookie { name: name.to_owned(), value: value.to_owned(), expires_at });
        }
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.keep(self.call(Method::GET, path).await)
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.keep(self.call(Method::POST, path).json(body).await)
    }

    pub(super) async fn delete(&self, path: &str) -> Answer {
        self.keep(self.call(Method::DELETE, path).await)
    }
}

/// What its user does.
impl Browser {
    pub(super) async fn register(&self, email: &str) -> Answer {
        self.post("/web/auth/register", &registration(email)).await.expect(201)
    }

    pub(super) async fn log_in(&self, email: &str) -> Answer {
        let body = json!({ "email": email, "password": PASSWORD });
        self.post("/web/auth/login", &body).await.expect(200)
    }

    pub(super) async fn log_in_remembered(&self, email: &str) -> Answer {
        let body = json!({ "email": email, "password": PASSWORD, "remember": true });
        self.post("/web/auth/login", &body).await.expect(200)
    }

    pub(super) async fn log_out(&self) -> Answer {
        self.post("/web/auth/logout", &json!({})).await.expect(200)
    }

    pub(super) fn confirm_call(&self) -> Call {
        self.call(Method::POST, "/web/auth/user/confirm-password").json(&json!({ "password": PASSWORD }))
    }

    pub(super) async fn confirm(&self) -> Answer {
        self.keep(self.confirm_call().await.expect(200))
    }

    pub(super) fn change_password_call(&self, current: &str, new: &str) -> Call {
        let body = json!({ "currentPassword": current, "password": new, "passwordConfirmation": new });
        self.call(Method::PUT, "/web/auth/user/password").json(&body)
    }

    pub(super) async fn change_password(&self, current: &str, new: &str) -> Answer {
        self.keep(self.change_password_call(current, new).await.expect(200))
    }

    /// Whether the session is alive, by each way to ask for it.
    pub(super) async fn is_logged_in(&self) -> bool {
        let user = self.call(Method::GET, "/me").await;
        let claims = self.call(Method::GET, "/claims").await;
        let session = self.call(Method::GET, "/web/auth/session").await.expect(200);
        match (user.status, claims.status, &session.body["authenticated"]) {
            (200, 200, Value::Bool(true)) => true,
            (401, 401, Value::Bool(false)) => false,
            other => panic!("{other:?}"),
        }
    }

    /// What `GET /session` says.
    pub(super) async fn session_status(&self) -> Value {
        self.get("/web/auth/session").await.expect(200).body
    }
}
