//! The lines of the log, the spans and the metrics: each is a row of the library's tables, and none has personal data.

use crate::support::authenticator::no_code_limits;
use crate::support::routers::{self, on_both_routers};
use crate::support::{App, EMAIL, PASSWORD, addresses_of_profiles, memory_users, registration};
use axum::body::Bytes;
use axum::http::{Request, Response};
use axum_auth_module::async_trait;
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::http::{HttpClient, HttpError};
use axum_auth_module::policy::BreachedPasswords;
use axum_auth_module::telemetry::{LogLine, Metric, MetricKind, Span, TARGET};
use axum_auth_module::testing::{Fault, Faults, Outbox, ProviderMethod};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

on_both_routers![
    all_that_a_user_does_has_rows_in_the_tables_and_no_personal_data,
    a_request_id_reaches_spans_and_events,
];

/// A span, when it ended, or a line.
#[derive(Clone, Debug)]
struct Seen {
    metadata: &'static Metadata<'static>,
    fields: Fields,
}

#[derive(Clone, Debug, Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

/// What the library tells the subscriber of this thread.
#[derive(Clone, Default)]
struct Operator(Arc<Mutex<Vec<Seen>>>);

impl Operator {
    fn watch() -> (Self, DefaultGuard) {
        let operator = Self::default();
        let guard = tracing::subscriber::set_default(Registry::default().with(operator.clone()));
        (operator, guard)
    }

    fn all(&self) -> Vec<Seen> {
        self.0.lock().unwrap().clone()
    }

    fn see(&self, metadata: &'static Metadata<'static>, fields: Fields) {
        if metadata.target() == TARGET {
            self.0.lock().unwrap().push(Seen { metadata, fields });
        }
    }

    /// The fields of all spans with this name.
    fn spans(&self, name: &str) -> Vec<BTreeMap<&'static str, String>> {
        let all = self.all().into_iter();
        all.filter(|seen| seen.metadata.is_span() && seen.metadata.name() == name)
            .map(|seen| seen.fields.0)
            .collect()
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Operator {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        context.span(id).unwrap().extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(fields) = context.span(id).unwrap().extensions_mut().get_mut::<Fields>() {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.see(event.metadata(), fields);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let span = context.span(&id).unwrap();
        let fields = span.extensions().get::<Fields>().cloned().unwrap_or_default();
        self.see(span.metadata(), fields);
    }
}

/// The metrics of this thread, until it is dropped.
struct Metrics {
    handle: PrometheusHandle,
}

impl Metrics {
    /// Runs a test with a recorder of its own.
    async fn with<T>(test: impl AsyncFnOnce(Self) -> T) -> T {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        let recorder: &'static _ = Box::leak(Box::new(recorder));
        let _guard = metrics::set_default_local_recorder(recorder);
        test(Self { handle }).await
    }

    /// The value of a counter or a gauge with these labels.
    fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let text = self.handle.render();
        let mut found = text.lines().filter(|line| {
            line.split(['{', ' ']).next() == Some(name)
                && labels.iter().all(|(label, value)| line.contains(&format!("{label}=\"{value}\"")))
        });
        found.next().map(|line| line.rsplit(' ').next().unwrap().parse().unwrap())
    }

    /// The names of the metrics that have values.
    fn names(&self) -> BTreeSet<String> {
        let text = self.handle.render();
        let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
        names.map(str::to_owned).collect()
    }
}

/// A service of leaked passwords that knows none.
struct KnowsNone;

#[async_trait]
impl HttpClient for KnowsNone {
    async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        Ok(Response::new(Bytes::new()))
    }
}

/// A host with every feature, whose users and verification links can fail.
async fn host(faults: &Faults, config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> App {
    let users = memory_users();
    let repository = faults.over(users.clone());
    let links = faults.over(Outbox::new());
    App::with_everything_on(repository, users, config, |module| {
        addresses_of_profiles(module.email_verification(links).policy(BreachedPasswords::new(KnowsNone)))
    })
    .await
}

/// Everything that a user can do, and a delivery that fails.
async fn everything(app: &App, faults: &Faults) {
    app.register(EMAIL).await;
    app.post("/auth/register").json(&json!({ "name": "" })).await.expect(422);
    app.login_call(EMAIL, "wrong").await.expect(401);
    let tokens = app.login(EMAIL).await;
    app.me(&tokens.access).await.expect(200);
    app.confirm_password(&tokens.access).await;
    let profile = json!({ "name": "Ada Lovelace", "email": "ada.lovelace@example.com" });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&profile).await.expect(200);
    faults.next(ProviderMethod::Deliver, Fault::Fails);
    app.post("/auth/email/verification-notification").bearer(&tokens.access).await;
    app.post("/auth/forgot-password").json(&json!({ "email": "ada.lovelace@example.com" })).await.expect(200);
    app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    if !routers::is_browser() {
        app.refresh(&tokens.refresh).await.expect(200);
    }
    app.post("/auth/logout").bearer(&tokens.access).await.expect(200);
    let enrolled = app.enrolled("grace@example.com").await;
    let token = app.challenge_token("grace@example.com").await;
    app.challenge(&token, &enrolled.authenticator.code(app)).await.expect(200);
    let none = app.get("/auth/user/sessions").bearer("not a token").await;
    none.refused(401, "unauthenticated");
}

async fn all_that_a_user_does_has_rows_in_the_tables_and_no_personal_data() {
    let (operator, _guard) = Operator::watch();
    let faults = Faults::new();
    Metrics::with(async |metrics| {
        let app = host(&faults, |config| config.limits(no_code_limits())).await;
        everything(&app, &faults).await;
        app.auth.background_work_finished().await;

        let seen = operator.all();
        for Seen { metadata, fields } in &seen {
            let (name, level) = (metadata.name(), metadata.level().as_str().to_lowercase());
            let known = if metadata.is_span() {
                let span = Span::ALL.iter().find(|span| span.name == name);
                span.map(|span| (span.level, span.fields))
            } else {
                let line = LogLine::ALL.iter().find(|line| line.name == name);
                line.inspect(|line| assert_eq!(fields.0["message"], line.message));
                line.map(|line| (line.level, line.fields))
            };
            let (known_level, known_fields) = known.unwrap_or_else(|| panic!("{name} is in no table"));
            assert_eq!(level, known_level, "{name}");
            let names: BTreeSet<_> = metadata.fields().iter().map(|field| field.name()).collect();
            let own = names.into_iter().filter(|name| *name != "message").collect::<BTreeSet<_>>();
            assert_eq!(own, known_fields.iter().copied().collect(), "{name}");
        }
        let names: BTreeSet<_> = seen.iter().map(|seen| seen.metadata.name()).collect();
        for span in Span::ALL {
            assert!(names.contains(span.name), "no {}", span.name);
        }
        assert!(names.contains("auth.message-not-delivered"), "{names:?}");
        for name in metrics.names() {
            assert!(Metric::ALL.iter().any(|metric| metric.name == name), "{name} is in no table");
        }

        let told = format!("{seen:?}\n{}", metrics.handle.render());
        let hashes = app.users.all().into_iter().map(|user| user.password);
        let personal = [EMAIL, "example.com", "Ada", "Lovelace", "grace", "192.0.2.1", PASSWORD, "$2b$"];
        for personal in personal.into_iter().map(str::to_owned).chain(hashes) {
            assert!(!told.contains(&personal), "{personal} is in\n{told}");
        }
    })
    .await;
}

#[tokio::test]
async fn metrics_count_logins_sessions_limits_and_calls_of_providers() {
    let faults = Faults::new();
    Metrics::with(async |metrics| {
        let app = host(&faults, |config| config).await;
        everything(&app, &faults).await;
        for _ in 0..6 {
            app.login_call("nobody@example.com", "wrong").await;
        }
        faults.next(ProviderMethod::UsersFindByField, Fault::IsUnavailable);
        app.login_call(EMAIL, PASSWORD).from("192.0.2.77").await.expect(503);
        app.auth.background_work_finished().await;

        let logins = |outcome| metrics.value("auth_logins_total", &[("outcome", outcome)]);
        // Two logins and one challenge; one wrong password and five for nobody.
        assert_eq!(logins("success"), metrics.value("auth_events_total", &[("event", "auth.login")]));
        assert_eq!(logins("failed"), Some(6.0));
        assert_eq!(logins("locked_out"), Some(1.0));
        assert!(logins("challenged") >= Some(1.0));
        let refused = [("path", "/login"), ("router", "bearer"), ("outcome", "too_many_attempts")];
        assert_eq!(metrics.value("auth_requests_total", &refused), Some(1.0));
        let limit = [("limit", "login_account_and_client")];
        assert_eq!(metrics.value("auth_limits_hit_total", &limit), Some(1.0));
        assert_eq!(metrics.value("auth_sessions_ended_total", &[("reason", "logout")]), Some(1.0));
        assert!(metrics.value("auth_sessions_started_total", &[("router", "bearer")]) >= Some(3.0));
        let calls = |provider, method, outcome| {
            let labels = [("provider", provider), ("method", method), ("outcome", outcome)];
            metrics.value("auth_provider_duration_seconds_count", &labels)
        };
        assert_eq!(calls("users", "find_by_field", "error"), Some(1.0));
        assert_eq!(calls("delivery", "deliver", "error"), Some(1.0));
        for (provider, method) in [
            ("users", "save"),
            ("sessions", "create"),
            ("resets", "create_token"),
            ("store", "count"),
            ("http", "send"),
        ] {
            assert!(calls(provider, method, "ok") >= Some(1.0), "{provider}.{method}");
        }
        assert_eq!(
            metrics.value(
                "auth_action_duration_seconds_count",
                &[("action", "CreatesNewUsers"), ("outcome", "ok")]
            ),
            Some(2.0)
        );
        assert_eq!(metrics.value("auth_background_tasks", &[]), Some(0.0));
        let all = metrics.names();
        // These are recorded by the threads for passwords, or only under load.
        let elsewhere = [
            "auth_passwords_waiting",
            "auth_password_wait_seconds",
            "auth_passwords_refused_total",
            "auth_events_dropped_total",
        ];
        for Metric { name, .. } in Metric::ALL.iter().filter(|metric| !elsewhere.contains(&metric.name)) {
            assert!(all.contains(*name), "no {name}");
        }
        let text = metrics.handle.render();
        let described = Metric::ALL.iter().find(|metric| metric.kind == MetricKind::Counter).unwrap();
        assert!(text.contains(&format!("# HELP {} {}", described.name, described.description)), "{text}");
    })
    .await;
}

async fn a_request_id_reaches_spans_and_events() {
    let (operator, _guard) = Operator::watch();
    let app = App::start().await;
    let id = "4bf92f3577b34da6/a3ce929d";
    app.post("/auth/register").header("x-request-id", id).json(&registration(EMAIL)).await.expect(201);
    let registered = app.event().await;
    assert_eq!((registered.name(), registered.request_id.as_deref()), ("auth.registered", Some(id)));
    let wrong = json!({ "email": EMAIL, "password": "wrong" });
    let login = app.post("/auth/login").header("x-request-id", "of the login").json(&wrong);
    login.await.expect(401);
    assert_eq!(app.event().await.request_id, None, "an id has no spaces");
    app.auth.background_work_finished().await;
    let requests = operator.spans("auth.request");
    let [register, login] = &requests[..] else { panic!("{requests:?}") };
    let router = if routers::is_browser() { "browser" } else { "bearer" };
    let fields = |status, code: Option<&'static str>, path, id: Option<&'static str>| -> BTreeMap<_, _> {
        let fields = [
            ("method", Some("POST")),
            ("path", Some(path)),
            ("router", Some(router)),
            ("status", Some(status)),
            ("code", code),
            ("request_id", id),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name, value?.to_owned()))).collect()
    };
    assert_eq!(*register, fields("201", None, "/register", Some(id)));
    assert_eq!(*login, fields("401", Some("invalid_credentials"), "/login", None));
    let background = operator.spans("auth.background");
    assert!(
        background.iter().any(|span| span.get("request_id").is_some_and(|of| of == id)),
        "{background:?}"
    );
}
