//! Which folder may import which, and where HTTP may be used.

use crate::{Line, code, words_after};
use std::collections::BTreeMap;

/// The layers of `auth/src`, from the lowest to the highest, in five groups. A file imports from its own layer and from
/// lower ones; layers in one row do not import each other.
const LAYERS: &[&[&str]] = &[
    // Ground: what everything else speaks about.
    &["assurance"],
    &[
        "user",
        "feature",
        "clock",
        "client",
        "error",
        "uri",
        "origin",
        "erase",
        "json",
        "sync",
        "telemetry",
        "notices",
    ],
    &["languages", "provider", "web_url"],
    &["request"],
    &["values", "events", "passwords", "background"],
    // Tools: cryptography, options, the store, limits.
    &["crypto"],
    &["config"],
    &["store", "endpoint", "posture"],
    &["limits"],
    // The host's side: what a host supplies, and the implementations that the library ships.
    &["repository", "delivery", "outbound"],
    &["actions"],
    &["watch"],
    &["policy", "sql", "mail", "social"],
    // Core: sessions, and what features share.
    &["core", "given"],
    // Front: HTTP, the module, its features, and what a host names.
    &["http"],
    &["module"],
    &["features"],
    &["extract", "openapi"],
    // What generated code may name; what hosts test with, which nothing above imports; and the functions of the command.
    &["private", "testing", "command"],
    // A program: the command.
    &["bin"],
    // Text alone.
    &["guide"],
];

/// Where axum may be named. Everything else works without HTTP.
fn may_know_axum(path: &str) -> bool {
    path.starts_with("http/")
        || (path.starts_with("features/") && path.ends_with("handlers.rs"))
        // The module holds the finished router; the crate's own documentation shows hosts.
        || path.starts_with("extract/")
        // Requests to other servers, which some policies and the sign-in with other providers send.
        || path.starts_with("outbound/")
        // A policy sees the headers of a request.
        || path.starts_with("policy/")
        || path.starts_with("social/")
        || path == "web_url.rs"
        // It writes hosts.
        || path == "command/init/host.rs"
        || path.starts_with("features/social_login/protocol/")
        // A browser for tests, over the host's router.
        || path.starts_with("testing/browser/")
        || ["module/mod.rs", "module/routers.rs", "lib.rs"].contains(&path)
}

fn layer_of(file: &str) -> &str {
    // An action for a table, under the path at which hosts look for actions.
    if file == "actions/delete_record.rs" {
        return "sql";
    }
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

#[test]
fn every_layer_imports_only_lower_layers() {
    let height: BTreeMap<_, _> = LAYERS
        .iter()
        .enumerate()
        .flat_map(|(height, layers)| layers.iter().map(move |layer| (*layer, height)))
        .collect();
    let mut wrong = Vec::new();
    for line in code("auth/src") {
        let layer = layer_of(&line.file);
        if layer == "lib" {
            continue;
        }
        let Some(own) = height.get(layer) else { panic!("{layer} is in no layer; add it to LAYERS") };
        for imported in words_after(&line.text, "crate::") {
            let is_lower = height.get(imported).is_some_and(|height| height < own);
            // In a macro the name may be a parameter.
            if !imported.is_empty() && imported != layer && !is_lower {
                wrong.push(line.place());
            }
        }
    }
    assert!(wrong.is_empty(), "imports against the order of the layers:\n{}", wrong.join("\n"));
}

#[test]
fn axum_is_used_only_for_http() {
    let knows = |line: &Line| {
        let names_axum = words_after(&line.text, "axum").any(|_| line.text.contains("axum::"));
        names_axum && !may_know_axum(&line.file)
    };
    let wrong: Vec<_> = code("auth/src").iter().filter(|line| knows(line)).map(Line::place).collect();
    assert!(wrong.is_empty(), "axum outside of the HTTP layers:\n{}", wrong.join("\n"));
}

/// Its lines, spans and metrics are rows of tables, which the documentation is generated from.
#[test]
fn only_telemetry_writes_to_the_log_and_records_metrics() {
    let macros = [
        "error!",
        "warn!",
        "info!",
        "debug!",
        "trace!",
        "event!",
        "span!",
        "counter!",
        "gauge!",
        "histogram!",
    ];
    let is_outside = |line: &Line| {
        let names_crate = ["tracing::", "metrics::"].iter().any(|name| line.text.contains(name));
        names_crate
            && macros.iter().any(|name| line.text.contains(name))
            && !line.file.starts_with("telemetry/")
    };
    let code = code("auth/src");
    assert!(
        code.iter().any(|line| line.file.starts_with("telemetry/") && line.text.contains("tracing::event!"))
    );
    let wrong: Vec<_> = code.iter().filter(|line| is_outside(line)).map(Line::place).collect();
    assert!(wrong.is_empty(), "lines, spans and metrics that no table has:\n{}", wrong.join("\n"));
}

/// What `tests/interleavings` explores. Elsewhere a lock is held for a moment, and nothing depends on its order.
const EXPLORED: &[&str] = &[
    "core/tasks.rs",
    "crypto/passwords/pool.rs",
    "limits/in_flight.rs",
    "limits/mod.rs",
    "repository/memory_sessions.rs",
    "store/attempt.rs",
    "store/memory.rs",
];

/// shuttle sees only the locks, threads and tasks of `crate::sync`.
#[test]
fn what_is_explored_takes_its_locks_and_tasks_from_sync() {
    let others = ["Mutex", "RwLock", "Condvar", "atomic", "std::thread", "tokio::spawn"];
    let is_other = |line: &Line| {
        let is_std = line.text.contains("std::sync");
        others.iter().any(|word| line.text.contains(word) && (is_std || word.contains("::")))
    };
    let code = code("auth/src");
    assert!(EXPLORED.iter().all(|file| code.iter().any(|line| line.file == *file)));
    let wrong: Vec<_> = code
        .iter()
        .filter(|line| EXPLORED.contains(&&*line.file) && is_other(line))
        .map(Line::place)
        .collect();
    assert!(wrong.is_empty(), "locks and tasks that shuttle does not see:\n{}", wrong.join("\n"));
}
