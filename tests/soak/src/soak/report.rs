//! The table at the end of a soak test.

use super::history::{Answer, Events, Fact, Failure, Once, Outage, Request, Via};
use super::verify::Compared;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// The table, as text.
pub(super) fn table(events: &Events, compared: &Compared, took: Duration) -> String {
    let mut text = String::new();
    requests(&mut text, events, took);
    failures(&mut text, events);
    secrets(&mut text, events);
    let count = |wanted: fn(&Fact) -> bool| events.facts.iter().filter(|fact| wanted(fact)).count();
    row(&mut text, "accounts registered", count(|fact| matches!(fact, Fact::Registered { .. })));
    row(&mut text, "sessions started", count(|fact| matches!(fact, Fact::SessionStarted { .. })));
    row(&mut text, "sessions ended", count(|fact| matches!(fact, Fact::SessionEnded { .. })));
    row(&mut text, "sessions with an unknown end", count(|fact| matches!(fact, Fact::SessionUnknown { .. })));
    row(&mut text, "looks at a session", count(|fact| matches!(fact, Fact::SessionSeen { .. })));
    row(&mut text, "accounts compared at the end", compared.accounts);
    row(&mut text, "live sessions compared at the end", compared.alive);
    row(&mut text, "ended sessions compared at the end", compared.ended);
    row(&mut text, "rows read from the database", compared.rows);
    text
}

fn row(text: &mut String, name: &str, value: impl std::fmt::Display) {
    // Writing to a `String` never fails.
    let _ = writeln!(text, "{name:<56} {value:>10}");
}

fn requests(text: &mut String, events: &Events, took: Duration) {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut endpoints: BTreeMap<&str, usize> = BTreeMap::new();
    for request in &events.requests {
        *endpoints.entry(request.endpoint).or_default() += 1;
        let kind = match &request.answer {
            Answer::Status(status @ 200..=299, _) => format!("  {status}"),
            Answer::Status(status, Some(code)) => format!("  {status} {code}"),
            Answer::Status(status, None) => format!("  {status} of the balancer: the outcome is unknown"),
            Answer::Cut => "  no response: the outcome is unknown".to_owned(),
        };
        *kinds.entry(kind).or_default() += 1;
    }
    row(text, "duration", format!("{} s", took.as_secs()));
    row(text, "requests", events.requests.len());
    for (kind, number) in kinds {
        row(text, &kind, number);
    }
    for (endpoint, number) in endpoints {
        row(text, &format!("  {endpoint}"), number);
    }
}

fn failures(text: &mut String, events: &Events) {
    for failure in Failure::ALL {
        row(text, failure.name(), events.outages.iter().filter(|outage| outage.failure == failure).count());
        let (sent, without) = requests_during(events, failure);
        row(text, "  requests meanwhile, of which 503, 502 or no response", format!("{sent}, {without}"));
        let probes = events.probes.iter().filter(|probe| probe.failure == failure);
        let mut slowest: BTreeMap<_, Duration> = BTreeMap::new();
        for probe in probes {
            let took = slowest.entry((probe.what, probe.expected)).or_default();
            *took = probe.took.max(*took);
        }
        for ((what, status), took) in slowest {
            row(
                text,
                &format!("  {what}: {status}, at the latest after"),
                format!("{} ms", took.as_millis()),
            );
        }
    }
}

/// How many requests were sent to the balancer while something was done to the servers, and how many of them got no
/// response of the module, or a 503.
fn requests_during(events: &Events, failure: Failure) -> (usize, usize) {
    let outages = || events.outages.iter().filter(|outage| outage.failure == failure);
    let is_during = |request: &&Request| {
        let is_within = |outage: &Outage| {
            outage.began <= request.sent && outage.ended.is_none_or(|ended| request.sent <= ended)
        };
        request.via == Via::Balancer && outages().any(is_within)
    };
    let requests: Vec<_> = events.requests.iter().filter(is_during).collect();
    let is_without = |request: &&&Request| matches!(request.answer, Answer::Cut | Answer::Status(500.., _));
    (requests.len(), requests.iter().filter(is_without).count())
}

fn secrets(text: &mut String, events: &Events) {
    for (kind, name) in [
        (Once::OneTimeCode, "one-time codes"),
        (Once::RecoveryCode, "recovery codes"),
        (Once::Challenge, "challenges"),
        (Once::ResetToken, "reset tokens"),
        (Once::RefreshToken, "refresh tokens after their grace"),
    ] {
        let accepted = events
            .facts
            .iter()
            .filter(|fact| matches!(fact, Fact::Accepted { kind: other, .. } if *other == kind));
        let replayed = events
            .facts
            .iter()
            .filter(|fact| matches!(fact, Fact::Replayed { kind: other } if *other == kind));
        let (accepted, replayed) = (accepted.count(), replayed.count());
        row(text, &format!("{name}: accepted, sent again"), format!("{accepted}, {replayed}"));
    }
}
