//! Requests and answers.

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, request};
use serde_json::Value;
use std::net::SocketAddr;

/// A response that was read to its end.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("this is no JSON: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The code of a problem document; empty for a success.
    pub fn code(&self) -> String {
        if self.status < 400 { String::new() } else { super::text(&self.json(), "code") }
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The value of the first cookie that is set.
    pub fn cookie(&self) -> String {
        let (_, value) = self.header("set-cookie").split_once('=').expect("a cookie");
        value.split(';').next().unwrap_or_default().to_owned()
    }
}

/// A request that a browser or a program could send.
pub fn request(method: &str, path: &str) -> request::Builder {
    let client: SocketAddr = ([192, 0, 2, 1], 443).into();
    Request::builder()
        .method(method)
        .uri(path)
        .header("host", "auth.example.com")
        .header("sec-fetch-site", "same-origin")
        .extension(ConnectInfo(client))
}

pub fn post(path: &str, token: Option<&str>, body: &Value) -> Request<Body> {
    let mut builder = request("POST", path).header("content-type", "application/json");
    if let Some(token) = token {
        builder = builder.header("authorization", format!("Bearer {token}"));
    }
    of(builder, Body::from(body.to_string()))
}

pub fn of(request: request::Builder, body: Body) -> Request<Body> {
    request.body(body).unwrap()
}
