//! The tables in the documentation are generated from the declarations in the source.
//!
//! `UPDATE=1 cargo test -p auth-tests --test http -- reference` writes them.

use crate::support::every_endpoint;
use axum_auth_module::AuthConfig;
use axum_auth_module::config::{ClientScope, Limit, LimitKey, LimitUnit, RateLimits};
use axum_auth_module::endpoint::{
    Credential, Endpoint, EndpointBody, EndpointContent, EndpointField, EndpointFieldKind, EndpointResponse,
    RouterKind,
};
use axum_auth_module::error::ErrorCode;
use axum_auth_module::events::EventName;
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::languages::{Language, TextKey};
use axum_auth_module::telemetry::{LogLine, Metric, Span};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The pages with generated tables.
const PAGES: [&str; 3] = ["README.md", "docs/observability.md", "docs/reference.md"];

/// Before and after a table on a page: `<!-- generated: limits -->`.
const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A table in Markdown. A bar in a cell is escaped.
fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | ")).replace("|  |", "| |")
    };
    let head: Vec<_> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule = format!("|{}\n", "---|".repeat(head.len()));
    line(&head) + &rule + &rows.into_iter().map(|row| line(&row)).collect::<String>()
}

fn code(text: impl AsRef<str>) -> String {
    format!("`{}`", text.as_ref())
}

fn codes<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    texts.into_iter().map(code).collect::<Vec<_>>().join(", ")
}

fn place(endpoint: &Endpoint) -> String {
    code(format!("{} {}", endpoint.method.as_str(), endpoint.path))
}

fn request(endpoint: &Endpoint) -> String {
    let field = |field: &EndpointField| {
        let optional = if field.is_required { "" } else { ", optional" };
        let feature = if field.only_with_devices { " (TRUSTED_DEVICES)" } else { "" };
        format!("{}{optional}{}{feature}", code(field.name), only(field.only_on))
    };
    let fields = endpoint.body.fields().iter().map(field);
    let query = endpoint.query.iter().map(|own| format!("in the query {}", field(own)));
    let mut all: Vec<_> = fields.chain(query).collect();
    if matches!(endpoint.body, EndpointBody::Extensible(_)) {
        all.push("the action's extra fields".to_owned());
    }
    all.join("; ")
}

fn only(router: Option<RouterKind>) -> &'static str {
    match router {
        Some(RouterKind::Bearer) => " (bearer router only)",
        Some(RouterKind::Browser) => " (browser router only)",
        _ => "",
    }
}

fn credential(endpoint: &Endpoint) -> &'static str {
    match endpoint.credential {
        Credential::Session => "session",
        Credential::RecentConfirmation => "step-up",
        Credential::ConfirmationWithoutPassword => "session; step-up for a user without a password",
        _ => "",
    }
}

fn endpoints() -> String {
    let row = |endpoint: &Endpoint| {
        vec![
            place(endpoint),
            format!("{}{}", endpoint.summary, only(endpoint.only_on)),
            credential(endpoint).to_owned(),
            request(endpoint),
            format!("{} {}", endpoint.status, responses(endpoint)),
        ]
    };
    let head = ["endpoint", "what it does", "credential", "request", "response"];
    table(&head, every_endpoint().iter().map(row))
}

/// `{message}`, or `{message, token}` with …
fn responses(endpoint: &Endpoint) -> String {
    let response = |response: &EndpointResponse| {
        let body = match response.content {
            EndpointContent::Object(members) => code(object(members)),
            EndpointContent::List(_, description)
            | EndpointContent::Redirect(description)
            | EndpointContent::Page(description) => description.to_owned(),
            _ => panic!("{} has content of a new kind", response.name),
        };
        format!("{body} {}", response.when.description()).trim_end().to_owned()
    };
    endpoint.responses.iter().map(response).collect::<Vec<_>>().join(", or ")
}

/// `{twoFactor: false, accessToken}`: the names of the members, and what they hold if that is short.
fn object(members: &[EndpointField]) -> String {
    let member = |member: &EndpointField| match kind(member.kind) {
        Some(kind) => format!("{}: {kind}", member.name),
        None => member.name.to_owned(),
    };
    format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
}

fn kind(kind: EndpointFieldKind) -> Option<String> {
    match kind {
        EndpointFieldKind::Always(value) => Some(value.to_string()),
        EndpointFieldKind::Bool => Some("bool".to_owned()),
        EndpointFieldKind::Object(members) => Some(object(members)),
        EndpointFieldKind::List(of) => self::kind(*of).map(|of| format!("[{of}]")),
        _ => None,
    }
}

fn endpoint_details() -> String {
    let row = |endpoint: &Endpoint| {
        let limits = codes(endpoint.limits.iter().map(|limit| limit.option().trim_start_matches("limits.")));
        let events = codes(endpoint.events().map(EventName::as_str));
        vec![place(endpoint), limits, events, codes(endpoint.own_errors.iter().map(|code| code.as_str()))]
    };
    table(&["endpoint", "limits", "events", "errors of its own"], every_endpoint().iter().map(row))
}

fn constant(feature: Feature) -> String {
    feature.value().replace('-', "_").to_uppercase()
}

/// What a feature needs, as its folder says it.
fn needs(feature: Feature) -> String {
    let folder = feature.value().replace('-', "_");
    let file = repository().join(format!("auth/src/features/{folder}/mod.rs"));
    let text = fs::read_to_string(file).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("//! **Needs** ")).unwrap().to_owned();
    line.trim_end_matches('.').to_owned()
}

fn features() -> String {
    let all = every_endpoint();
    let of = |feature: Option<Feature>| {
        let own = all.iter().filter(move |endpoint| endpoint.feature == feature);
        let own = own.map(place).collect::<Vec<_>>().join(", ");
        if own.is_empty() { "fields of other routes".to_owned() } else { own }
    };
    let always = vec!["always enabled".to_owned(), of(None), "the user repository".to_owned()];
    let rows = FeatureSet::all()
        .iter()
        .map(|feature| vec![code(constant(feature)), of(Some(feature)), needs(feature)]);
    table(&["feature", "endpoints", "needs"], std::iter::once(always).chain(rows.collect::<Vec<_>>()))
}

fn options() -> String {
    let row = |option: &axum_auth_module::config::ConfigOption| {
        let variable = option.variable.map(code).unwrap_or_default();
        vec![code(option.name), variable, option.default.to_owned(), option.description.to_owned()]
    };
    table(&["option", "variable", "default", "meaning"], AuthConfig::options().map(row))
}

fn limits() -> String {
    let defaults = RateLimits::default();
    let row = |limit: &Limit| {
        let default = defaults.of(*limit);
        let counts = match limit.counts() {
            LimitUnit::Calls => "all calls",
            LimitUnit::Successes => "successes",
            _ => "failures",
        };
        let per = match limit.counted_by() {
            LimitKey::PerClient => "client",
            LimitKey::PerAccount => "account or address",
            LimitKey::PerAccountAndClient => "account and client",
            LimitKey::PerKindAndAccount => "kind of secret and account",
            _ => "kind of secret, account and client",
        };
        let from = match limit.from_clients() {
            ClientScope::All => "all",
            ClientScope::Known => "known",
            _ => "unknown",
        };
        let default = format!("{} in {} s", default.limit, default.window.as_secs());
        vec![
            code(limit.option()),
            counts.to_owned(),
            from.to_owned(),
            per.to_owned(),
            default,
            limit.description().to_owned(),
        ]
    };
    table(
        &["limit", "counts", "from clients", "per", "default", "what is limited"],
        Limit::ALL.iter().map(row),
    )
}

fn events() -> String {
    let row = |event: &EventName| vec![code(event.as_str()), event.description().to_owned()];
    table(&["event", "emitted when"], EventName::ALL.iter().map(row))
}

fn errors() -> String {
    let row = |error: &ErrorCode| {
        vec![error.status().to_string(), code(error.as_str()), error.description().to_owned()]
    };
    table(&["status", "code", "when"], ErrorCode::ALL.iter().map(row))
}

/// Every text in both languages of the library.
fn sentences() -> String {
    let german = Language::german();
    let row =
        |text: TextKey| vec![code(text.to_string()), text.english().to_owned(), german.text(text).to_owned()];
    table(&["name", "English", "German"], TextKey::all().map(row))
}

fn log_lines() -> String {
    let row = |line: &LogLine| {
        let fields = codes(line.fields.iter());
        vec![line.level.to_owned(), code(line.name), line.message.to_owned(), fields, line.when.to_owned()]
    };
    table(&["level", "name", "message", "fields", "when"], LogLine::ALL.iter().map(row))
}

fn spans() -> String {
    let row = |span: &Span| {
        vec![code(span.name), span.level.to_owned(), codes(span.fields.iter()), span.covers.to_owned()]
    };
    table(&["span", "level", "fields", "what it covers"], Span::ALL.iter().map(row))
}

fn metrics() -> String {
    let row = |metric: &Metric| {
        let labels = codes(metric.labels.iter());
        vec![code(metric.name), metric.kind.to_string(), labels, metric.description.to_owned()]
    };
    table(&["metric", "kind", "labels", "what it counts or measures"], Metric::ALL.iter().map(row))
}

fn generated(name: &str) -> String {
    match name {
        "endpoints" => endpoints(),
        "endpoint details" => endpoint_details(),
        "features" => features(),
        "options" => options(),
        "limits" => limits(),
        "events" => events(),
        "errors" => errors(),
        "sentences" => sentences(),
        "log lines" => log_lines(),
        "spans" => spans(),
        "metrics" => metrics(),
        other => panic!("there is no table `{other}`"),
    }
}

/// The page with every generated table as it must be.
fn with_tables(page: &str) -> String {
    let mut parts = page.split(BEGIN);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").expect("a name");
        let (_, behind) = rest.split_once(END).expect("an end");
        out += &format!("{BEGIN}{name} -->\n{}{END}{behind}", generated(name));
    }
    out
}

/// Every table has one home, apart from the short one of the features, which ends the README.
#[test]
fn every_table_is_on_one_page() {
    let mut homes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for page in PAGES {
        let text = fs::read_to_string(repository().join(page)).unwrap();
        for rest in text.split(BEGIN).skip(1) {
            homes.entry(rest.split(" -->").next().unwrap().to_owned()).or_default().push(page);
        }
    }
    assert_eq!(homes.remove("features"), Some(vec!["README.md", "docs/reference.md"]));
    assert!(homes.values().all(|pages| pages.len() == 1), "{homes:?}");
    assert_eq!(homes.len(), 10);
}

#[test]
fn every_table_in_the_documentation_is_the_one_of_the_source() {
    for page in PAGES {
        let path = repository().join(page);
        let text = fs::read_to_string(&path).unwrap();
        let expected = with_tables(&text);
        if env::var("UPDATE").is_ok() {
            fs::write(&path, &expected).unwrap();
        }
        let current = fs::read_to_string(&path).unwrap();
        let differs = expected.lines().zip(current.lines()).find(|(expected, current)| expected != current);
        assert!(
            expected == current,
            "{page} differs from the source, first at {differs:?}\n\
             UPDATE=1 cargo test -p auth-tests --test http -- reference"
        );
    }
}
