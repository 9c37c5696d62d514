//! From spans of `tracing` to spans of OpenTelemetry, and on to a collector.

use axum_auth_module::BoxError;
use opentelemetry::trace::TracerProvider;
use opentelemetry::{Key, Value};
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};

/// The name of the service, if no variable has another one.
const SERVICE: &str = env!("CARGO_PKG_NAME");

/// Exports over HTTP, as protobuf, to `OTEL_EXPORTER_OTLP_ENDPOINT` (`http://localhost:4318` by default) and the path `/v1/traces`.
pub(crate) fn otlp() -> Result<SpanExporter, BoxError> {
    Ok(SpanExporter::builder().with_http().build()?)
}

/// Exports what has ended from a thread of its own, in batches, every five seconds. If the collector cannot be reached, the log says so, and
/// requests do not notice it.
pub(crate) fn provider(exporter: impl opentelemetry_sdk::trace::SpanExporter + 'static) -> SdkTracerProvider {
    SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource()).build()
}

/// What is exported says from which service it is: `OTEL_SERVICE_NAME`, or `service.name` in `OTEL_RESOURCE_ATTRIBUTES`, or [`SERVICE`].
fn resource() -> Resource {
    let of_variables = Resource::builder().build();
    match of_variables.get(&Key::from_static_str("service.name")) {
        Some(Value::String(name)) if !name.as_str().starts_with("unknown_service") => of_variables,
        _ => Resource::builder().with_service_name(SERVICE).build(),
    }
}

/// Spans go to OpenTelemetry, and log lines to `lines`; a log line within a span becomes an event of the span, too.
///
/// Each has its own filter. The library's spans are at the level `debug`. Nothing of other crates is exported: of what they write at that
/// level, this host does not know whether it has personal data in it, and what the exporter itself writes would be exported again.
pub(crate) fn subscriber<W>(
    traces: &SdkTracerProvider,
    lines: W,
) -> impl tracing::Subscriber + Send + Sync + use<W>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let exported = Targets::new()
        .with_target("axum_auth_module", LevelFilter::DEBUG)
        .with_target(env!("CARGO_CRATE_NAME"), LevelFilter::INFO);
    let spans = tracing_opentelemetry::layer()
        .with_tracer(traces.tracer(SERVICE))
        // A trace needs neither the names of source files nor those of threads.
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_filter(exported);
    let lines = tracing_subscriber::fmt::layer().with_writer(lines).with_filter(LevelFilter::INFO);
    tracing_subscriber::registry().with(spans).with(lines)
}
