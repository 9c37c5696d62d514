//! The one address: a reverse proxy for HTTP/1 that distributes requests over the instances.
//!
//! It asks each instance for `/healthz` and sends requests to those that are ready. If none says so, for example because
//! the database does not respond, it sends them to any, whose responses say what is wrong. An instance that accepts no
//! connection is passed over. A request that has been sent is never sent again: the instance may have executed it.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum_auth_module::BoxError;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// How often an instance is asked whether it is ready.
const PERIOD: Duration = Duration::from_millis(200);

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// A running balancer. It ends when it is dropped.
pub struct Balancer {
    address: SocketAddr,
    tasks: Vec<JoinHandle<()>>,
}

struct Backends {
    client: reqwest::Client,
    instances: Vec<Backend>,
    next: AtomicUsize,
}

struct Backend {
    address: SocketAddr,
    is_ready: AtomicBool,
}

impl Balancer {
    /// Listens on this address. Port 0 is a free one.
    ///
    /// # Errors
    /// If it is in use.
    pub async fn start(address: SocketAddr, instances: &[SocketAddr]) -> Result<Self, BoxError> {
        // A new connection for each request: an instance that ends can close idle ones at any moment, also when the next
        // request is on its way.
        let client = reqwest::Client::builder()
            .pool_max_idle_per_host(0)
            .connect_timeout(Duration::from_secs(1))
            .timeout(Duration::from_secs(30))
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let backend = |&address| Backend { address, is_ready: AtomicBool::new(false) };
        let instances = instances.iter().map(backend).collect();
        let backends = Arc::new(Backends { client, instances, next: AtomicUsize::new(0) });
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let watches =
            (0..backends.instances.len()).map(|index| tokio::spawn(watch(Arc::clone(&backends), index)));
        let mut tasks: Vec<_> = watches.collect();
        let app = Router::new().fallback(forward).with_state(backends);
        let service = app.into_make_service_with_connect_info::<SocketAddr>();
        tasks.push(tokio::spawn(async move {
            // Serving never returns an error.
            let _ = axum::serve(listener, service).await;
        }));
        Ok(Self { address, tasks })
    }

    /// Where the balancer listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Asks an instance for its health, again and again.
async fn watch(backends: Arc<Backends>, index: usize) {
    let Some(backend) = backends.instances.get(index) else { return };
    let url = format!("http://{}/healthz", backend.address);
    loop {
        let response = backends.client.get(&url).timeout(Duration::from_secs(1)).send().await;
        let is_ready = response.is_ok_and(|response| response.status() == StatusCode::OK);
        backend.is_ready.store(is_ready, Ordering::Relaxed);
        tokio::time::sleep(PERIOD).await;
    }
}

/// Forwards a request, and returns the instance's response.
async fn forward(
    State(backends): State<Arc<Backends>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let headers = forwarded(headers, peer);
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    for backend in backends.in_order() {
        let url = format!("http://{}{path}", backend.address);
        let request =
            backends.client.request(method.clone(), url).headers(headers.clone()).body(body.clone());
        match request.send().await {
            Ok(response) => return returned(response).await,
            // Nothing was sent.
            Err(error) if error.is_connect() => backend.is_ready.store(false, Ordering::Relaxed),
            Err(_) => return problem(StatusCode::BAD_GATEWAY, "the instance has closed the connection"),
        }
    }
    problem(StatusCode::BAD_GATEWAY, "no instance accepts connections")
}

impl Backends {
    /// The instances, those that are ready first, beginning with another one each time.
    fn in_order(&self) -> Vec<&Backend> {
        let first = self.next.fetch_add(1, Ordering::Relaxed) % self.instances.len().max(1);
        let (before, after) = self.instances.split_at(first);
        let mut order: Vec<_> = after.iter().chain(before).collect();
        order.sort_by_key(|backend| !backend.is_ready.load(Ordering::Relaxed));
        order
    }
}

/// The headers for the instance: those of the request, and the address of the peer at the end of `X-Forwarded-For`.
fn forwarded(mut headers: HeaderMap, peer: SocketAddr) -> HeaderMap {
    let chain = headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
    let peer = peer.ip().to_string();
    let chain = chain.chain([peer.as_str()]).collect::<Vec<_>>().join(", ");
    for name in [CONNECTION, TRANSFER_ENCODING, CONTENT_LENGTH, HOST, FORWARDED_FOR] {
        headers.remove(name);
    }
    if let Ok(chain) = HeaderValue::from_str(&chain) {
        headers.insert(FORWARDED_FOR, chain);
    }
    headers
}

/// The response for the client.
async fn returned(response: reqwest::Response) -> Response {
    let status = response.status();
    let mut headers = response.headers().clone();
    for name in [CONNECTION, TRANSFER_ENCODING, CONTENT_LENGTH] {
        headers.remove(name);
    }
    match response.bytes().await {
        Ok(body) => (status, headers, Body::from(body)).into_response(),
        Err(_) => problem(StatusCode::BAD_GATEWAY, "the instance has closed the connection"),
    }
}

/// A problem document of the balancer's own (RFC 9457).
fn problem(status: StatusCode, detail: &str) -> Response {
    let body = format!(
        r#"{{"type":"about:blank","title":"{}","status":{},"detail":"{detail}"}}"#,
        status.canonical_reason().unwrap_or_default(),
        status.as_u16()
    );
    (status, [(CONTENT_TYPE, "application/problem+json")], body).into_response()
}
