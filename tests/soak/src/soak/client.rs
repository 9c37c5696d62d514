//! Requests of one client, each of which is noted.

use super::history::{Answer, Fact, History, Request, Via};
use reqwest::Method;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a request has led to, as far as its sender can know.
pub(super) enum Outcome {
    /// 2xx, with the body.
    Done(Value),
    /// 4xx, with the code: nothing was changed.
    Refused(String),
    /// 5xx or no response: it may have been executed.
    Unknown,
}

impl Outcome {
    pub(super) fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }
}

/// A client with an address of its own, and with access to the cluster.
#[derive(Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    balancer: SocketAddr,
    instances: [SocketAddr; 2],
    /// The client's address. The driver stands for a trusted proxy, which writes it into `X-Forwarded-For`.
    address: String,
    history: Arc<History>,
}

/// A request that is sent as often as wanted.
#[derive(Clone)]
pub(super) struct Call<'a> {
    pub(super) via: Via,
    pub(super) method: Method,
    pub(super) path: &'a str,
    /// The endpoint in the report.
    pub(super) endpoint: &'static str,
    pub(super) token: Option<&'a str>,
    pub(super) body: Option<Value>,
    pub(super) may_refuse: &'static [&'static str],
}

impl<'a> Call<'a> {
    pub(super) fn post(path: &'static str, body: Value) -> Self {
        let body = Some(body);
        Self {
            via: Via::Balancer,
            method: Method::POST,
            path,
            endpoint: path,
            token: None,
            body,
            may_refuse: &[],
        }
    }

    pub(super) fn get(path: &'static str) -> Self {
        Self { method: Method::GET, body: None, ..Self::post(path, Value::Null) }
    }

    pub(super) fn put(path: &'static str, body: Value) -> Self {
        Self { method: Method::PUT, ..Self::post(path, body) }
    }

    pub(super) fn delete(path: &'static str) -> Self {
        Self { method: Method::DELETE, body: None, ..Self::post(path, Value::Null) }
    }

    pub(super) fn token(self, token: &'a str) -> Self {
        Self { token: Some(token), ..self }
    }

    /// The codes of the refusals that are right here.
    pub(super) fn may_refuse(self, may_refuse: &'static [&'static str]) -> Self {
        Self { may_refuse, ..self }
    }

    pub(super) fn via(self, via: Via) -> Self {
        Self { via, ..self }
    }
}

impl Client {
    /// The client with this number.
    pub(super) fn new(
        number: usize,
        balancer: SocketAddr,
        instances: [SocketAddr; 2],
        history: Arc<History>,
    ) -> reqwest::Result<Self> {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(40)).no_proxy().build()?;
        // Addresses for examples (RFC 5737).
        let address = format!("198.51.100.{}", number % 250 + 1);
        Ok(Self { http, balancer, instances, address, history })
    }

    pub(super) fn history(&self) -> &History {
        &self.history
    }

    pub(super) fn note(&self, fact: Fact) {
        self.history.note(fact);
    }

    /// Sends a request, and notes how it ended.
    pub(super) async fn send(&self, call: Call<'_>) -> Outcome {
        let Call { via, method, path, endpoint, token, body, may_refuse } = call;
        let [first, second] = self.instances;
        let address = match via {
            Via::Balancer => self.balancer,
            Via::Instance(0) => first,
            Via::Instance(_) => second,
        };
        let mut request = self.http.request(method, format!("http://{address}{path}"));
        request = request.header("x-forwarded-for", &self.address);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let sent = Instant::now();
        let (answer, outcome) = answer(request).await;
        let request = Request { via, endpoint, sent, ended: Instant::now(), answer, may_refuse };
        self.history.events().requests.push(request);
        outcome
    }
}

async fn answer(request: reqwest::RequestBuilder) -> (Answer, Outcome) {
    let Ok(response) = request.send().await else { return (Answer::Cut, Outcome::Unknown) };
    let status = response.status();
    let Ok(body) = response.bytes().await else { return (Answer::Cut, Outcome::Unknown) };
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let code = body.get("code").and_then(Value::as_str).map(str::to_owned);
    let outcome = match status.as_u16() {
        200..300 => Outcome::Done(body),
        400..500 => Outcome::Refused(code.clone().unwrap_or_default()),
        _ => Outcome::Unknown,
    };
    let code = if status.is_success() { None } else { code };
    (Answer::Status(status.as_u16(), code), outcome)
}
