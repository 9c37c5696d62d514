//! The client beside servers on this machine, some of which do what no server should.

mod connections;

use super::*;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A text in the query, a header and the body of each request, which no error may have.
const SECRET: &str = "canary";
const EMPTY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// A server on a free port of this machine, and how many connections it has accepted.
struct Local {
    port: u16,
    accepted: Arc<AtomicUsize>,
}

impl Local {
    /// What it does with each connection.
    async fn serving<F: Future<Output = ()> + Send + 'static>(
        serve: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let accepted = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream));
            }
        });
        Self { port, accepted }
    }

    /// It reads each request, sends these bytes, and closes the connection.
    async fn responding(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into().into();
        Self::serving(move |mut stream| {
            let bytes = Arc::clone(&bytes);
            async move {
                read_request(&mut stream).await;
                let _closed_early = stream.write_all(&bytes).await;
            }
        })
        .await
    }

    fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    fn uri(&self) -> String {
        format!("http://127.0.0.1:{}/path?code={SECRET}", self.port)
    }
}

/// The request: its header, and the body of the length that the header says.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8(read.clone()).unwrap();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        if stream.read_buf(&mut read).await.unwrap() == 0 {
            return text;
        }
    }
}

/// A request with the secret in its parts.
fn post(uri: &str) -> Request<Bytes> {
    let mut request = Request::new(Bytes::from_static(SECRET.as_bytes()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri.parse().unwrap();
    request.headers_mut().insert("authorization", HeaderValue::from_static(SECRET));
    request
}

/// The same to a host that the configuration names.
fn configured(uri: &str) -> Request<Bytes> {
    let mut request = post(uri);
    request.extensions_mut().insert(ConfiguredHost);
    request
}

/// Whether an error is certain that nothing was sent. No error has the secret.
#[track_caller]
fn is_certain(result: Result<Response<Bytes>, HttpError>) -> bool {
    let error = result.unwrap_err();
    assert!(!texts(&error).contains(SECRET), "{}", texts(&error));
    matches!(error, HttpError::NotSent(_))
}

/// The texts of an error and of its sources.
fn texts(error: &HttpError) -> String {
    let mut texts = format!("{error:?}");
    let mut next: Option<&dyn Error> = Some(error);
    while let Some(error) = next {
        texts = format!("{texts}: {error}");
        next = error.source();
    }
    texts
}

async fn of(server: &Local) -> Result<Response<Bytes>, HttpError> {
    OutboundClient::new().send(configured(&server.uri())).await
}

#[tokio::test]
async fn a_server_gets_what_the_request_says_and_nothing_else() {
    let (seen, mut requests) = tokio::sync::mpsc::unbounded_channel();
    let server = Local::serving(move |mut stream| {
        let seen = seen.clone();
        async move {
            seen.send(read_request(&mut stream).await).unwrap();
            let response = b"HTTP/1.1 201 Created\r\nX-A: b\r\nContent-Encoding: identity\r\nContent-Length: 2\r\n\r\nok";
            stream.write_all(response).await.unwrap();
        }
    })
    .await;
    let mut request = configured(&server.uri());
    for name in ["accept-encoding", "content-length", "host", "transfer-encoding", "upgrade"] {
        request.headers_mut().insert(name, HeaderValue::from_static("1"));
    }
    let response = OutboundClient::new().send(request).await.unwrap();
    assert_eq!(response.status(), 201);
    assert_eq!(response.headers()["x-a"], "b");
    assert_eq!(response.body(), "ok");
    let request = requests.recv().await.unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let (line, headers) = head.split_once("\r\n").unwrap();
    assert_eq!(line, "POST /path?code=canary HTTP/1.1");
    let mut headers: Vec<_> = headers.lines().collect();
    headers.sort_unstable();
    let host = format!("host: 127.0.0.1:{}", server.port);
    assert_eq!(headers, ["authorization: canary", "connection: close", "content-length: 6", &host]);
    assert_eq!(body, SECRET);
}

#[tokio::test]
async fn a_server_that_drips_gets_no_more_time_than_the_limit() {
    let server = Local::serving(|mut stream| async move {
        read_request(&mut stream).await;
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
        stream.write_all(head).await.unwrap();
        while stream.write_all(b"a").await.is_ok() {
            time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let began = Instant::now();
    let client = OutboundClient::new().timeout(Duration::from_millis(400));
    assert!(!is_certain(client.send(configured(&server.uri())).await));
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(400) && took < Duration::from_secs(4), "{took:?}");
}

#[tokio::test]
async fn a_body_has_a_mebibyte_at_most() {
    let with = |length: usize, header: String| {
        let head = format!("HTTP/1.1 200 OK\r\n{header}\r\n");
        [head.into_bytes(), vec![b'a'; length]].concat()
    };
    let announced = |length: usize| with(length, format!("Content-Length: {length}\r\n"));
    for longest in [announced(MAX_RESPONSE), with(MAX_RESPONSE, String::new())] {
        assert_eq!(of(&Local::responding(longest).await).await.unwrap().body().len(), MAX_RESPONSE);
    }
    for longer in [announced(MAX_RESPONSE + 1), with(MAX_RESPONSE + 1, String::new())] {
        assert!(!is_certain(of(&Local::responding(longer).await).await));
    }
}

#[tokio::test]
async fn an_endless_body_is_not_read_to_the_end_of_the_time() {
    let server = Local::serving(|mut stream| async move {
        read_request(&mut stream).await;
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        stream.write_all(head).await.unwrap();
        let chunk = [b"1000\r\n".to_vec(), vec![b'a'; 0x1000], b"\r\n".to_vec()].concat();
        while stream.write_all(&chunk).await.is_ok() {}
    })
    .await;
    let client = OutboundClient::new().timeout(Duration::from_secs(600));
    assert!(!is_certain(client.send(configured(&server.uri())).await));
}

#[tokio::test]
async fn a_body_that_ends_too_early_is_no_response() {
    let cut = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort";
    assert!(!is_certain(of(&Local::responding(cut).await).await));
}

#[tokio::test]
async fn an_encoded_body_is_refused() {
    for encodings in ["gzip", "identity\r\nContent-Encoding: br", "identity, zstd"] {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {encodings}\r\nContent-Length: 0\r\n\r\n");
        assert!(!is_certain(of(&Local::responding(head).await).await), "{encodings}");
    }
}

#[tokio::test]
async fn a_redirect_is_a_response() {
    let other = Local::responding(EMPTY).await;
    let location = other.uri();
    let head =
        format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    let server = Local::responding(head).await;
    let response = of(&server).await.unwrap();
    assert_eq!(response.status(), 307);
    assert_eq!(response.headers()["location"], location);
    assert_eq!((server.accepted(), other.accepted()), (1, 0));
}

#[test]
fn it_shows_its_time_limit_alone() {
    assert_eq!(format!("{:?}", OutboundClient::default()), "OutboundClient { timeout: 5s, .. }");
}
