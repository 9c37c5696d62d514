//! The program, with a collector that is a stub: what it has recorded arrives there when a signal ends it.

#![allow(clippy::unwrap_used, reason = "what cannot go on has failed")]

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::ResourceSpans;
use prost::Message;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

/// What the stub has received.
type Received = Arc<Mutex<Vec<ExportTraceServiceRequest>>>;

/// Starts the stub. Returns its URL and what arrives there.
async fn collector() -> (String, Received) {
    async fn take(State(received): State<Received>, body: Bytes) {
        received.lock().unwrap().push(ExportTraceServiceRequest::decode(body).unwrap());
    }
    let received = Received::default();
    let app = Router::new().route("/v1/traces", post(take)).with_state(received.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    (url, received)
}

/// The program in a directory of its own. It is killed on drop.
struct Program {
    process: Child,
    address: String,
    directory: PathBuf,
}

impl Program {
    fn start(collector: &str, name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("opentelemetry-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_opentelemetry_host"))
            .current_dir(&directory)
            .env_clear()
            .env("AUTH_JWT_SECRET", "the secret of a test that signs access tokens")
            .env("AUTH_REFRESH_SECRET", "another secret of a test, for refresh tokens")
            .env("AUTH_ENCRYPTION_KEY", "dGhpcnR5LXR3byBieXRlcyBmb3IgdGVzdHMgb25seSE=")
            .env("DATABASE_URL", "sqlite://accounts.db?mode=rwc")
            .env("ADDRESS", "127.0.0.1:0")
            .env("OTEL_SERVICE_NAME", "shop")
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector)
            // No batch is exported by its time: only the end of the program exports.
            .env("OTEL_BSP_SCHEDULE_DELAY", "86400000")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let listening = lines.find_map(|line| {
            let line = line.unwrap();
            Some(line.split_once("address=")?.1.trim().to_owned())
        });
        // The rest is read as well, so that the program is never blocked by a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address: listening.unwrap(), directory }
    }

    /// The status of the response.
    fn post(&self, path: &str, body: &str) -> String {
        let mut connection = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
        let rest = format!("content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}");
        connection.write_all(format!("{head}{rest}").as_bytes()).unwrap();
        let mut response = String::new();
        connection.read_to_string(&mut response).unwrap();
        response.split(' ').nth(1).unwrap().to_owned()
    }

    /// Sends the signal and waits for the end. Whether the program has ended well.
    fn end(&mut self, signal: &str) -> bool {
        let process = self.process.id().to_string();
        assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
        self.process.wait().unwrap().success()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ended = (self.process.kill(), self.process.wait());
        let _left = std::fs::remove_dir_all(&self.directory);
    }
}

fn service(spans: &ResourceSpans) -> Option<&str> {
    let attributes = &spans.resource.as_ref()?.attributes;
    let name = attributes.iter().find(|attribute| attribute.key == "service.name")?;
    match name.value.as_ref()?.value.as_ref()? {
        Value::StringValue(name) => Some(name),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_recorded_is_exported_when_a_signal_ends_the_program() {
    for signal in ["-TERM", "-INT"] {
        let (url, received) = collector().await;
        let mut program = Program::start(&url, signal);
        let login = r#"{"email": "ada@example.com", "password": "correct horse battery"}"#;
        assert_eq!(program.post("/auth/login", login), "401");
        assert!(received.lock().unwrap().is_empty(), "nothing is exported yet");
        assert!(program.end(signal), "{signal} ends the program well");
        let received = received.lock().unwrap();
        let exported: Vec<_> = received.iter().flat_map(|request| &request.resource_spans).collect();
        assert!(exported.iter().all(|spans| service(spans) == Some("shop")), "{exported:?}");
        let spans = exported.iter().flat_map(|spans| &spans.scope_spans).flat_map(|scope| &scope.spans);
        let names: Vec<_> = spans.map(|span| span.name.as_str()).collect();
        for name in ["POST /auth/login", "auth.request", "auth.provider", "auth.password"] {
            assert!(names.contains(&name), "no {name} in {names:?}");
        }
    }
}
