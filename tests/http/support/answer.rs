//! An answer, and the promises that every answer of the module keeps (specification §6).

use super::Tokens;
use reqwest::header::HeaderMap;
use reqwest::{Method, Response};
use serde_json::Value;

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) async fn read(response: Response, method: &Method, of_the_module: bool) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("a whole body");
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        let answer = Self { status, headers, text, body };
        if of_the_module && *method != Method::HEAD {
            answer.keeps_the_promises();
        } else if status >= 400 && !answer.text.is_empty() {
            answer.is_a_problem();
        }
        answer
    }

    fn keeps_the_promises(&self) {
        assert_eq!(self.header("cache-control"), Some("no-store"), "{} {}", self.status, self.text);
        if self.status < 400 {
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
        assert_eq!(self.header("www-authenticate"), (self.status == 401).then_some("Bearer"));
        let retry_after = self.header("retry-after").map(|seconds| seconds.parse::<u64>().unwrap());
        assert_eq!(retry_after.is_some(), matches!(self.status, 429 | 503), "{}", self.text);
        assert!(retry_after != Some(0));
        assert_eq!(self.body["errors"].is_array(), self.code() == "validation_failed");
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

    #[track_caller]
    pub(crate) fn tokens(self) -> Tokens {
        let token =
            |member: &str| self.body[member].as_str().unwrap_or_else(|| panic!("{member}")).to_owned();
        Tokens { access: token("accessToken"), refresh: token("refreshToken") }
    }

    /// The body's members, sorted.
    pub(crate) fn members(&self) -> Vec<&str> {
        self.body.as_object().unwrap().keys().map(String::as_str).collect()
    }
}
