//! A provider at a real socket that sends for ever, hangs, or sends more than it says: the requests end, and nobody else waits.

use super::site::{Offer, Rules, Site, ada};
use super::visitor::Purpose;
use crate::support::provider::{Internet, Person};
use crate::support::routers::{self, on_both_routers};
use crate::support::{EMAIL, PASSWORD, at_once};
use axum::body::Bytes;
use axum::http::{Request, Response};
use axum_auth_module::async_trait;
use axum_auth_module::http::{HttpClient, HttpError, OutboundClient};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

on_both_routers![
    a_provider_at_a_socket_is_as_good_as_one_without,
    a_response_that_does_not_end_is_an_outage,
    a_response_that_is_compressed_is_an_outage_and_is_not_unpacked,
    a_provider_that_hangs_ends_after_five_seconds_and_nobody_else_waits,
];

/// More than the client reads of a response, with what the sockets hold.
const MUCH: u64 = 16 * 1024 * 1024;

/// What the server does at a path instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    /// A body without a length that does not end.
    Endless,
    /// A head that does not end.
    EndlessHead,
    /// A body of many chunks that does not end.
    EndlessChunks,
    /// A byte now and then.
    Drips,
    /// Nothing at all.
    Hangs,
    /// The beginning of a body, and nothing more.
    HangsWithin,
    /// A short body that says how it is packed.
    Packed(&'static str),
}

/// A server at a port of this machine, which is a provider of the test's internet.
#[derive(Clone)]
struct Socket {
    net: Internet,
    issuer: String,
    trouble: Arc<Mutex<BTreeMap<&'static str, Trouble>>>,
    sent: Arc<AtomicU64>,
    troubled: Arc<AtomicUsize>,
}

/// Reaches servers of this machine by their sockets, and all others without.
struct Wire {
    sockets: OutboundClient,
    net: Internet,
}

#[async_trait]
impl HttpClient for Wire {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        match request.uri().host() {
            Some("127.0.0.1") => self.sockets.send(request).await,
            _ => self.net.send(request).await,
        }
    }
}

impl Socket {
    /// A host with `acme` at a socket and `third` elsewhere, whose client takes the time that `client` says for a request. Ada has an
    /// identity of each.
    async fn with_ada(client: fn(&Internet) -> Arc<dyn HttpClient>) -> (Site, Self) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let offers = |net: &Internet| {
            let acme = net.openid(&issuer);
            acme.keeps_the_address_in_userinfo();
            vec![Offer::of("acme", super::site::Preset::OpenId, acme), Offer::openid("third", net)]
        };
        let site = Site::planned(offers, Rules { client: Some(client), ..Rules::default() }).await;
        let (trouble, sent, troubled) = Default::default();
        let socket = Self { net: site.net.clone(), issuer, trouble, sent, troubled };
        let served = socket.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let served = served.clone();
                tokio::spawn(async move { served.serve(stream).await });
            }
        });
        let tokens = site.linked_user(EMAIL, &ada()).await;
        site.visitor().with(&tokens).link(&site, "third", &third()).await.linked(201);
        (site, socket)
    }

    fn set(&self, path: &'static str, trouble: Option<Trouble>) {
        let mut troubles = self.trouble.lock().unwrap();
        match trouble {
            Some(trouble) => troubles.insert(path, trouble),
            None => troubles.remove(path),
        };
    }

    async fn serve(self, mut stream: TcpStream) {
        let Some(request) = self.read(&mut stream).await else { return };
        let path = request.uri().path().to_owned();
        let trouble = self.trouble.lock().unwrap().get(&*path).copied();
        let Some(trouble) = trouble else {
            let response = self.net.send(request).await.expect("a response of the provider");
            let head = format!(
                "HTTP/1.1 {} X\r\ncontent-length: {}\r\n\r\n",
                response.status().as_u16(),
                response.body().len()
            );
            let _closed = stream.write_all(&[head.as_bytes(), response.body()].concat()).await;
            return;
        };
        self.troubled.fetch_add(1, Ordering::SeqCst);
        self.make(trouble, stream).await;
    }

    /// Makes this trouble until the client closes the connection.
    async fn make(&self, trouble: Trouble, mut stream: TcpStream) {
        let [start, repeated] = match trouble {
            Trouble::Endless => ["HTTP/1.1 200 OK\r\n\r\n", &" ".repeat(65_536)],
            Trouble::EndlessHead => ["HTTP/1.1 200 OK\r\n", &format!("x: {}\r\n", "y".repeat(4096))],
            Trouble::EndlessChunks => [
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
                &format!("1000\r\n{}\r\n", " ".repeat(4096)),
            ],
            Trouble::Drips => ["HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n", " "],
            Trouble::Hangs => ["", ""],
            Trouble::HangsWithin => ["HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{", ""],
            Trouble::Packed(how) => {
                [&format!("HTTP/1.1 200 OK\r\ncontent-encoding: {how}\r\ncontent-length: 2\r\n\r\n{{}}"), ""]
            }
        };
        if stream.write_all(start.as_bytes()).await.is_err() {
            return;
        }
        if repeated.is_empty() {
            // Until the client has gone.
            let _gone = stream.read(&mut [0]).await;
            return;
        }
        while stream.write_all(repeated.as_bytes()).await.is_ok() {
            self.sent.fetch_add(repeated.len() as u64, Ordering::SeqCst);
            if trouble == Trouble::Drips {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }

    /// The request, as the provider of the test's internet reads it.
    async fn read(&self, stream: &mut TcpStream) -> Option<Request<Bytes>> {
        let mut read = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&read).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let mut lines = head.lines();
                let mut words = lines.next()?.split(' ');
                let (method, path) = (words.next()?, words.next()?);
                let request = Request::builder().method(method).uri(format!("{}{path}", self.issuer));
                let headers: Vec<_> = lines.filter_map(|line| line.split_once(": ")).collect();
                let length = headers.iter().find(|(name, _)| *name == "content-length");
                if body.len() >= length.map_or(0, |(_, length)| length.parse().unwrap()) {
                    let request =
                        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
                    return request.body(body.to_owned().into()).ok();
                }
            }
            if stream.read_buf(&mut read).await.ok()? == 0 {
                return None;
            }
        }
    }
}

fn third() -> Person {
    Person::new("ada-at-third", EMAIL)
}

/// A client that takes a second for a request.
fn hasty(net: &Internet) -> Arc<dyn HttpClient> {
    Arc::new(Wire { sockets: OutboundClient::new().timeout(Duration::from_secs(1)), net: net.clone() })
}

/// The client of a host that says nothing about the time.
fn usual(net: &Internet) -> Arc<dyn HttpClient> {
    Arc::new(Wire { sockets: OutboundClient::new(), net: net.clone() })
}

async fn a_provider_at_a_socket_is_as_good_as_one_without() {
    let (site, _) = Socket::with_ada(usual).await;
    site.sign_in("acme", &ada()).await.signed_in();
    site.is_in_order();
}

/// An outage at this path, which is over afterwards.
async fn is_an_outage(site: &Site, socket: &Socket, path: &'static str, trouble: Trouble) {
    let (visitor, acme) = (site.visitor(), site.provider("acme"));
    let flow = visitor.begin("acme").await;
    let returned = acme.consent(&flow.url, &ada());
    // Keys are asked for again if one is missing, once in a minute.
    if path == "/keys" {
        acme.rotate(&format!("{trouble:?}"), crate::support::provider::keys::Algorithm::EdDsa, false);
        site.app.advance(60);
    }
    socket.sent.store(0, Ordering::SeqCst);
    socket.set(path, Some(trouble));
    visitor.finish(&flow, &returned).await.refused(503, "provider_unavailable");
    socket.set(path, None);
    site.app.advance(60);
    let sent = socket.sent.load(Ordering::SeqCst);
    assert!(sent < MUCH, "{path} {trouble:?}: {sent} bytes");
    // The server has received the code, and nobody can know what became of it.
    visitor.plant(&flow.cookie(), &flow.token);
    visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
}

async fn a_response_that_does_not_end_is_an_outage() {
    let troubles = [
        Trouble::Endless,
        Trouble::EndlessHead,
        Trouble::EndlessChunks,
        Trouble::Drips,
        Trouble::Hangs,
        Trouble::HangsWithin,
    ];
    at_once(troubles.map(is_an_outage_everywhere)).await;
}

async fn is_an_outage_everywhere(trouble: Trouble) {
    let (site, socket) = Socket::with_ada(hasty).await;
    for path in ["/token", "/keys", "/userinfo"] {
        is_an_outage(&site, &socket, path, trouble).await;
    }
    // Too old to serve while no other metadata can be had.
    site.app.advance(49 * 3600);
    let path = "/.well-known/openid-configuration";
    socket.set(path, Some(trouble));
    let answer = site.visitor().authorize(Purpose::SignIn, "acme", &json!({})).await;
    answer.refused(503, "provider_unavailable");
    socket.set(path, None);
    assert!(socket.sent.load(Ordering::SeqCst) < MUCH, "{trouble:?}");
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn a_response_that_is_compressed_is_an_outage_and_is_not_unpacked() {
    let (site, socket) = Socket::with_ada(usual).await;
    for how in ["gzip", "GZIP", "br", "deflate", "zstd", "identity, gzip", "gzip, gzip"] {
        is_an_outage(&site, &socket, "/token", Trouble::Packed(how)).await;
    }
    for path in ["/keys", "/userinfo"] {
        is_an_outage(&site, &socket, path, Trouble::Packed("gzip")).await;
    }
    site.sign_in("acme", &ada()).await.signed_in();
}

async fn a_provider_that_hangs_ends_after_five_seconds_and_nobody_else_waits() {
    let (site, socket) = Socket::with_ada(usual).await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    socket.set("/token", Some(Trouble::Hangs));
    let began = Instant::now();
    let finishing =
        tokio::spawn(routers::on(routers::current(), async move { visitor.finish(&flow, &returned).await }));
    let waiting = async {
        while socket.troubled.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.unwrap();
    site.app.login_call(EMAIL, PASSWORD).await.expect(200);
    site.sign_in("third", &third()).await.signed_in();
    // Where it does not hang, the provider is at work.
    site.visitor().begin("acme").await;
    assert!(!finishing.is_finished(), "{:?}", began.elapsed());
    finishing.await.unwrap().refused(503, "provider_unavailable");
    let taken = began.elapsed();
    assert!((Duration::from_secs(5)..Duration::from_secs(8)).contains(&taken), "{taken:?}");
}
