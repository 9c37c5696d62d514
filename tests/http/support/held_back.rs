//! Requests whose head arrives first and whose body arrives later.

use super::App;
use super::routers::{SESSION_COOKIE, newest};
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What a server sends before the response to a request with `Expect: 100-continue`, once it reads the body (RFC 9110
/// §10.1.1).
const CONTINUE: &str = "HTTP/1.1 100 Continue\r\n\r\n";

/// A request whose last byte has not been sent.
pub(crate) struct HeldBack {
    stream: TcpStream,
    last: u8,
}

/// What a server does with a request whose last byte is missing.
pub(crate) enum Held {
    /// It waits for the body.
    Waits(HeldBack),
    /// It has sent a response without the body: the status and the code of the problem.
    Answered(u16, String),
}

impl HeldBack {
    /// Sends a request with the credential `access` but for the last byte of its body. It returns when the server reads the body,
    /// so that all checks of the head are done, or when the server has sent a response.
    pub(crate) async fn begin(app: &App, method: &str, path: &str, access: &str, body: &Value) -> Held {
        let (body, path) = (body.to_string(), app.path(path));
        let credential = match app.is_for_browsers() {
            true => format!("cookie: {SESSION_COOKIE}={}\r\nsec-fetch-site: same-origin", newest(access)),
            false => format!("authorization: Bearer {access}"),
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nx-forwarded-for: 192.0.2.1\r\n{credential}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n",
            app.address,
            body.len(),
        );
        let mut stream = TcpStream::connect(app.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut begun = vec![0; CONTINUE.len()];
        in_time(stream.read_exact(&mut begun)).await.unwrap();
        if begun != CONTINUE.as_bytes() {
            let (status, code) = response(begun, &mut stream).await;
            return Held::Answered(status, code);
        }
        let (last, rest) = body.as_bytes().split_last().unwrap();
        stream.write_all(rest).await.unwrap();
        Held::Waits(Self { stream, last: *last })
    }

    /// Sends the last byte. Returns the status of the response and the code of the problem.
    pub(crate) async fn finish(mut self) -> (u16, String) {
        self.stream.write_all(&[self.last]).await.unwrap();
        response(Vec::new(), &mut self.stream).await
    }
}

async fn response(mut begun: Vec<u8>, stream: &mut TcpStream) -> (u16, String) {
    in_time(stream.read_to_end(&mut begun)).await.unwrap();
    let text = String::from_utf8(begun).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    (status, body["code"].as_str().unwrap_or_default().to_owned())
}

/// A server that does not do its part fails the test instead of holding it up.
async fn in_time<T>(step: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), step).await.expect("the server does its part")
}
