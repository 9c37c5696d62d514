//! An answer, and the promises that every answer of the module keeps (specification §6, §27.1).

use super::Tokens;
use super::cookies::{SetCookie, jwts, member_names};
use super::routers::{BROWSER_ROUTER, CHALLENGE_COOKIE, DEVICE_COOKIE, SESSION_COOKIE};
use axum_auth_module::endpoint::RouterKind;
use reqwest::header::HeaderMap;
use reqwest::{Method, Response};
use serde_json::Value;

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) body: Value,
    router: RouterKind,
}

impl Answer {
    pub(crate) async fn read(response: Response, method: &Method, of_the_module: bool) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let is_of_browsers = response.url().path().starts_with(BROWSER_ROUTER);
        let is_for_a_service = response.url().path().ends_with("/service-token");
        let router = if is_of_browsers { RouterKind::Browser } else { RouterKind::Bearer };
        let text = response.text().await.expect("a whole body");
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        let answer = Self { status, headers, text, body, router };
        if of_the_module && *method != Method::HEAD {
            answer.keeps_the_promises();
        } else if status >= 400 && !answer.text.is_empty() {
            answer.is_a_problem();
        }
        match router {
            RouterKind::Browser => answer.keeps_the_promises_to_browsers(is_for_a_service),
            _ => assert!(!of_the_module || answer.set_cookies().is_empty(), "no cookies for bearers"),
        }
        answer
    }

    fn keeps_the_promises(&self) {
        assert_eq!(self.header("cache-control"), Some("no-store"), "{} {}", self.status, self.text);
        if self.status == 303 {
            assert_eq!((self.header("content-type"), self.text.as_str()), (None, ""));
            assert!(self.header("location").is_some_and(|page| page.starts_with('/')), "{:?}", self.headers);
        } else if self.status < 400 {
            assert_eq!(self.header("content-type"), Some("application/json"));
            assert!(!self.body.is_null(), "a JSON body: {}", self.text);
        } else {
            self.is_a_problem();
        }
    }

    fn is_a_problem(&self) {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text);
        assert_eq!(self.body["status"], self.status);
        for member in ["type", "title", "detail", "code"] {
            assert!(self.body[member].is_string(), "{member}: {}", self.text);
        }
        let known = axum_auth_module::error::ErrorCode::ALL.iter().find(|code| code.as_str() == self.code());
        assert_eq!(known.map(|code| code.status()), Some(self.status), "{}", self.text);
        let challenge = self.header("www-authenticate");
        match self.code() {
            "invalid_api_token" => assert_eq!(challenge, Some("Bearer error=\"invalid_token\"")),
            "insufficient_user_authentication" | "insufficient_scope" => {
                assert!(challenge.is_some_and(|value| value.starts_with("Bearer error=")));
            }
            _ => assert_eq!(challenge, (self.status == 401).then_some("Bearer")),
        }
        let retry_after = self.header("retry-after").map(|seconds| seconds.parse::<u64>().unwrap());
        assert_eq!(retry_after.is_some(), matches!(self.status, 429 | 503), "{}", self.text);
        assert!(retry_after != Some(0));
        assert_eq!(self.body["errors"].is_array(), self.code() == "validation_failed");
    }

    /// What scripts of a page can read has no token, pages of other origins can read nothing, and cookies are as promised.
    fn keeps_the_promises_to_browsers(&self, is_for_a_service: bool) {
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"), "{} {}", self.status, self.text);
        let policy = self.header("cross-origin-resource-policy");
        assert!(matches!(policy, Some("same-origin" | "same-site")), "{policy:?} {}", self.text);
        let members = member_names(&self.body);
        for token in ["accessToken", "refreshToken", "challengeToken", "restoreToken", "deviceToken"] {
            assert!(!members.contains(&token), "{token} for a browser: {}", self.text);
        }
        // A token for a service is in the body, because a script sends it there.
        let for_a_service = self.body["token"].as_str().filter(|_| is_for_a_service);
        let text = self.text.replace(for_a_service.unwrap_or("no token"), "");
        assert!(jwts(&text).is_empty(), "a token for a browser: {}", self.text);
        for (name, value) in self.headers.iter().filter(|(name, _)| *name != "set-cookie") {
            let value = String::from_utf8_lossy(value.as_bytes());
            assert!(jwts(&value).is_empty(), "a token for a browser: {name}: {value}");
        }
        for cookie in self.set_cookies() {
            cookie.keeps_the_promises();
            // The cookie with what links the identity to the account that exists.
            let is_link = self.code() == "account_exists" && cookie.name.ends_with("-link");
            // And the cookie with what restores an account that is going to be deleted.
            let is_restoration =
                self.code() == "account_pending_deletion" && cookie.name.ends_with("-challenge");
            assert!(
                self.status < 400 || cookie.is_expired() || is_link || is_restoration,
                "{} sets {}",
                self.status,
                cookie.name
            );
        }
    }

    /// The cookies that the answer sets or expires.
    pub(crate) fn set_cookies(&self) -> Vec<SetCookie> {
        let lines = self.headers.get_all("set-cookie").iter();
        lines.map(|line| SetCookie::parse(line.to_str().unwrap())).collect()
    }

    /// The value of a cookie that the answer sets.
    fn cookie(&self, name: &str) -> Option<String> {
        let cookies = self.set_cookies().into_iter();
        cookies.filter(|cookie| !cookie.is_expired()).find(|cookie| cookie.name == name).map(|set| set.value)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    /// The answer, if it has this status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// The answer, if it is this problem.
    #[track_caller]
    pub(crate) fn refused(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.text);
        self
    }

    /// The errors of a validation problem, as `field: code`.
    #[track_caller]
    pub(crate) fn field_errors(self) -> Vec<String> {
        let answer = self.refused(422, "validation_failed");
        let errors = answer.body["errors"].as_array().unwrap();
        let text = |error: &Value, member: &str| error[member].as_str().unwrap().to_owned();
        errors.iter().map(|error| format!("{}: {}", text(error, "field"), text(error, "code"))).collect()
    }

    /// What the client keeps of the session that the answer starts or continues, if it does.
    pub(crate) fn session(&self) -> Option<Tokens> {
        let token = |member: &str| self.body[member].as_str().map(str::to_owned);
        match self.router {
            RouterKind::Browser => {
                self.cookie(SESSION_COOKIE).map(|access| Tokens { access, refresh: String::new() })
            }
            _ => token("accessToken")
                .zip(token("refreshToken"))
                .map(|(access, refresh)| Tokens { access, refresh }),
        }
    }

    /// The challenge of a login with a second factor.
    pub(crate) fn challenge(&self) -> Option<String> {
        match self.router {
            RouterKind::Browser => self.cookie(CHALLENGE_COOKIE),
            _ => self.body["challengeToken"].as_str().map(str::to_owned),
        }
    }

    /// The token of a device that has become trusted.
    pub(crate) fn device(&self) -> Option<String> {
        match self.router {
            RouterKind::Browser => self.cookie(DEVICE_COOKIE),
            _ => self.body["deviceToken"].as_str().map(str::to_owned),
        }
    }

    /// Whether the answer has anything that a client could use as a credential.
    pub(crate) fn has_credentials(&self) -> bool {
        self.text.contains("Token\":") || self.set_cookies().iter().any(|cookie| !cookie.is_expired())
    }

    #[track_caller]
    pub(crate) fn tokens(self) -> Tokens {
        self.session().unwrap_or_else(|| panic!("a session: {}", self.text))
    }

    /// The body's members, sorted.
    pub(crate) fn members(&self) -> Vec<&str> {
        self.body.as_object().unwrap().keys().map(String::as_str).collect()
    }

    /// The body's members, sorted, without the tokens of the session that the answer starts or continues.
    #[track_caller]
    pub(crate) fn members_beside_the_session(&self) -> Vec<&str> {
        assert!(self.session().is_some() && self.challenge().is_none(), "a session: {}", self.text);
        self.members_beside(&["accessToken", "refreshToken"])
    }

    /// The body's members, sorted, without the challenge that the answer has.
    #[track_caller]
    pub(crate) fn members_beside_the_challenge(&self) -> Vec<&str> {
        assert!(self.session().is_none() && self.challenge().is_some(), "a challenge: {}", self.text);
        self.members_beside(&["challengeToken"])
    }

    fn members_beside(&self, tokens: &[&str]) -> Vec<&str> {
        self.members().into_iter().filter(|member| !tokens.contains(member)).collect()
    }
}
