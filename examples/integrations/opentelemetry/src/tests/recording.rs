//! A host whose spans stay in memory.

use super::{module, router, telemetry};
use axum_auth_module::AuthModule;
use axum_auth_module::testing::{self, Client, Outbox};
use opentelemetry::{Key, SpanId, TraceId};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use serde_json::{Value, json};
use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;
use std::io;
use std::sync::OnceLock;
use tokio::sync::{Mutex, MutexGuard};

pub(super) const ADA: &str = "ada@example.com";
pub(super) const PASSWORD: &str = "correct horse battery";

/// Where the spans of the tests go. The subscriber is that of the whole process, as in the program: a thread of SQLite closes spans as well,
/// and closes the parents of these with the subscriber that it finds there. So the tests run one after the other.
struct Recorder {
    exporter: InMemorySpanExporter,
    provider: SdkTracerProvider,
    one_at_a_time: Mutex<()>,
}

impl Recorder {
    fn of_process() -> &'static Self {
        static RECORDER: OnceLock<Recorder> = OnceLock::new();
        RECORDER.get_or_init(|| {
            let exporter = InMemorySpanExporter::default();
            let provider = telemetry::provider(exporter.clone());
            tracing::subscriber::set_global_default(telemetry::subscriber(&provider, io::sink)).unwrap();
            Self { exporter, provider, one_at_a_time: Mutex::new(()) }
        })
    }

    /// The spans that have ended since the previous call.
    fn take(&self) -> Vec<SpanData> {
        self.provider.force_flush().unwrap();
        let spans = self.exporter.get_finished_spans().unwrap();
        self.exporter.reset();
        spans
    }
}

pub(super) struct Host {
    pub(super) client: Client,
    pub(super) outbox: Outbox,
    pub(super) pool: SqlitePool,
    auth: AuthModule<crate::Account>,
    recorder: &'static Recorder,
    _alone: MutexGuard<'static, ()>,
}

impl Host {
    pub(super) async fn start() -> Self {
        let recorder = Recorder::of_process();
        let alone = recorder.one_at_a_time.lock().await;
        recorder.take();
        // One connection, because each connection to `:memory:` has its own database.
        let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
        let outbox = Outbox::new();
        let auth = module(testing::config().build().unwrap(), pool.clone(), outbox.clone()).await.unwrap();
        let client = Client::new(router(&auth));
        Self { client, outbox, pool, auth, recorder, _alone: alone }
    }

    pub(super) async fn register(&self) -> Value {
        let body =
            json!({ "name": "Ada", "email": ADA, "password": PASSWORD, "passwordConfirmation": PASSWORD });
        self.client.post("/auth/register").json(&body).await.expect(201).json()
    }

    /// The spans of what has been done since the previous call.
    pub(super) async fn spans(&self) -> Spans {
        self.auth.background_work_finished().await;
        // The thread of the connection keeps the span of a statement until it takes the next one.
        sqlx::query("SELECT 1").execute(&self.pool).await.unwrap();
        Spans(self.recorder.take())
    }
}

pub(super) struct Spans(pub(super) Vec<SpanData>);

impl Spans {
    pub(super) fn named(&self, name: &str) -> Vec<&SpanData> {
        self.0.iter().filter(|span| span.name == name).collect()
    }

    /// The only span of this name.
    #[track_caller]
    pub(super) fn only(&self, name: &str) -> &SpanData {
        let [span] = self.named(name)[..] else { panic!("not one span {name}: {:?}", self.names()) };
        span
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|span| &*span.name).collect()
    }

    /// Whether the span is below the other one, in one trace.
    pub(super) fn is_below(&self, span: &SpanData, above: &SpanData) -> bool {
        let mut at = Some(span);
        while let Some(span) = at {
            if span.parent_span_id == id(above) {
                return trace(span) == trace(above);
            }
            at = self.0.iter().find(|parent| id(parent) == span.parent_span_id);
        }
        false
    }
}

pub(super) fn id(span: &SpanData) -> SpanId {
    span.span_context.span_id()
}

pub(super) fn trace(span: &SpanData) -> TraceId {
    span.span_context.trace_id()
}

/// An attribute as text, or nothing.
pub(super) fn attribute(span: &SpanData, name: &'static str) -> String {
    let found = span.attributes.iter().find(|attribute| attribute.key == Key::from_static_str(name));
    found.map_or_else(String::new, |attribute| attribute.value.to_string())
}
