//! What operators see of a login, and whether the dashboard asks for what there is.

use super::{app, for_operators, logs, module, prometheus};
use axum_auth_module::telemetry::{Metric, MetricKind};
use axum_auth_module::testing::{self, Client};
use serde_json::{Value, json};
use sqlx::sqlite::SqlitePoolOptions;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn read(&self) -> Vec<Value> {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One test, because a process has one recorder.
#[tokio::test]
async fn a_login_is_in_the_logs_in_the_metrics_and_in_the_audit_log_with_one_id() {
    let lines = Lines::default();
    let writer = lines.clone();
    let _guard = tracing::subscriber::set_default(logs("info", move || writer.clone()).unwrap());
    let metrics = prometheus().unwrap().install_recorder().unwrap();
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    let auth = module(testing::config().build().unwrap(), pool.clone()).await.unwrap();
    let client = Client::new(app(&auth));
    let password = "correct horse battery";
    let ada = json!({
        "name": "Ada", "email": "ada@example.com", "password": password, "passwordConfirmation": password,
    });
    let registered = client.post("/auth/register").json(&ada).await.expect(201);
    let id = registered.headers()["x-request-id"].to_str().unwrap().to_owned();
    let wrong = json!({ "email": "ada@example.com", "password": "wrong" });
    client.post("/auth/login").header("x-request-id", "from-the-proxy").json(&wrong).await.expect(401);
    auth.background_work_finished().await;

    // The lines of both requests have their ids: of the host's span, and of the library's.
    let told = lines.read();
    let of = |id: &str| told.iter().filter(|line| line["span"]["request_id"] == id).count();
    assert_eq!((of(&id), of("from-the-proxy")), (1, 1), "{told:?}");
    let ended = told.iter().find(|line| line["span"]["request_id"] == "from-the-proxy").unwrap();
    assert_eq!((&ended["span"]["route"], &ended["status"]), (&json!("/auth/login"), &json!(401)));

    let rows: Vec<(String, Option<String>)> =
        sqlx::query_as("SELECT event, request_id FROM auth_audit ORDER BY id")
            .fetch_all(&pool)
            .await
            .unwrap();
    let rows: Vec<_> = rows.iter().map(|(event, id)| (event.as_str(), id.as_deref())).collect();
    assert_eq!(rows, [("auth.registered", Some(&*id)), ("auth.login-failed", Some("from-the-proxy"))]);

    let response = Client::new(for_operators(metrics)).get("/metrics").await.expect(200);
    let page = response.text();
    for line in [
        "auth_logins_total{outcome=\"failed\"} 1",
        "auth_requests_total{method=\"POST\",path=\"/register\",router=\"bearer\",outcome=\"ok\"} 1",
        "auth_passwords_waiting 0",
        "auth_password_wait_seconds_count 2",
        "auth_password_duration_seconds_bucket{le=\"+Inf\"} 2",
    ] {
        assert!(page.lines().any(|found| found == line), "no {line} in\n{page}");
    }
}

/// The names in a query that look like the library's.
fn names(query: &str) -> impl Iterator<Item = &str> {
    let words = query.split(|end: char| !end.is_ascii_lowercase() && end != '_');
    words.filter(|word| word.starts_with("auth_"))
}

/// The name of a series without what Prometheus appends to a histogram.
fn metric(name: &str) -> Option<&'static Metric> {
    let find = |name: &str| Metric::ALL.iter().find(|metric| metric.name == name);
    find(name).filter(|metric| metric.kind != MetricKind::Histogram).or_else(|| {
        let histogram = ["_bucket", "_count", "_sum"].iter().find_map(|part| name.strip_suffix(part))?;
        find(histogram).filter(|metric| metric.kind == MetricKind::Histogram)
    })
}

/// The labels that a query names: in `by (…)` and before `=` in braces.
fn labels(query: &str) -> BTreeSet<&str> {
    let grouped = query.split("by (").skip(1).filter_map(|part| part.split(')').next());
    let matched = query.split('{').skip(1).filter_map(|part| part.split('}').next());
    let grouped = grouped.flat_map(|list| list.split(','));
    let matched = matched.flat_map(|list| list.split(',')).filter_map(|one| one.split(['=', '!']).next());
    grouped.chain(matched).map(str::trim).collect()
}

#[test]
fn the_dashboard_asks_for_each_metric_and_for_no_other() {
    let dashboard: Value = serde_json::from_str(include_str!("../dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let queries: Vec<_> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
    let mut shown = BTreeSet::new();
    for query in &queries {
        let mut known = BTreeSet::from(["le"]);
        for name in names(query) {
            let metric = metric(name).unwrap_or_else(|| panic!("there is no series {name}"));
            shown.insert(metric.name);
            known.extend(metric.labels);
        }
        let unknown: Vec<_> = labels(query).into_iter().filter(|label| !known.contains(label)).collect();
        assert!(unknown.is_empty(), "{query} names the labels {unknown:?}");
        let brackets = |open, close| query.matches(open).count() == query.matches(close).count();
        assert!(brackets('(', ')') && brackets('{', '}') && brackets('[', ']'), "{query}");
    }
    let missing: Vec<_> = Metric::ALL.iter().filter(|metric| !shown.contains(metric.name)).collect();
    assert!(missing.is_empty(), "the dashboard does not show {missing:?}");
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len());
}
