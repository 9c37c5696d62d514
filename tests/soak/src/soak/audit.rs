//! The auditor: what is wrong in a history. It asks no server, so its tests can invent histories.

#[cfg(test)]
mod tests;

use super::history::{Answer, Events, Fact, Failure, Once, Outage, Probe, Request, SETTLING, Via};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// The longest time until a request is refused because a server does not respond.
const LONGEST_REFUSAL: Duration = Duration::from_secs(2);

/// `limits.login_account_and_client`: so many wrong passwords in this time.
const GUESSES: usize = 5;
const GUESSES_IN: Duration = Duration::from_secs(60);

/// Everything that is wrong, each in a sentence.
pub(super) fn violations(events: &Events) -> Vec<String> {
    let mut violations = Vec::new();
    violations.extend(events.requests.iter().filter_map(|request| response(request, &events.outages)));
    violations.extend(events.probes.iter().filter_map(probe));
    violations.extend(slow(&events.probes));
    violations.extend(sessions(&events.facts));
    violations.extend(used_twice(&events.facts));
    violations.extend(guesses(&events.facts));
    violations.extend(events.facts.iter().filter_map(|fact| match fact {
        Fact::LoginLost { email, detail } => Some(format!("lost account {email}: {detail}")),
        Fact::Contradiction { detail } => Some(format!("contradiction: {detail}")),
        _ => None,
    }));
    violations
}

/// Every response is 2xx, a refusal that is right there, or says that a server is down that is down.
fn response(request: &Request, outages: &[Outage]) -> Option<String> {
    let during = |failures: &[Failure]| {
        outages.iter().any(|outage| {
            let is_over = outage.ended.is_some_and(|ended| ended + SETTLING < request.sent);
            failures.contains(&outage.failure) && outage.began <= request.ended && !is_over
        })
    };
    let servers =
        [Failure::KilledPostgres, Failure::FrozenPostgres, Failure::KilledRedis, Failure::FrozenRedis];
    let is_right = match (&request.answer, request.via) {
        (Answer::Status(200..=299, _), _) => true,
        (Answer::Status(400..=499, Some(code)), _) => request.may_refuse.contains(&code.as_str()),
        (Answer::Status(503, Some(code)), _) => code == "unavailable" && during(&servers),
        // The balancer's own.
        (Answer::Status(502, None), Via::Balancer) => during(&[Failure::Instance]),
        (Answer::Cut, Via::Instance(_)) => during(&[Failure::Instance, Failure::RollingRestart]),
        _ => false,
    };
    (!is_right).then(|| {
        let Request { endpoint, answer, via, .. } = request;
        let took = request.ended.duration_since(request.sent).as_millis();
        let before = outages.iter().rfind(|outage| outage.began <= request.sent);
        let before = before.map_or_else(String::new, |outage| {
            let since = request.sent.duration_since(outage.began).as_millis();
            format!(", {since} ms after the beginning of: {}", outage.failure.name())
        });
        format!("{endpoint} on {via}: {answer} after {took} ms{before}")
    })
}

/// What needs a server is 503 while it is down, and what does not need it works.
fn probe(probe: &Probe) -> Option<String> {
    let is_right = matches!(probe.answer, Answer::Status(status, _) if status == probe.expected);
    let Probe { failure, what, expected, answer, .. } = probe;
    (!is_right).then(|| format!("{}: {what}: {answer}, not {expected}", failure.name()))
}

/// A refusal takes two seconds at most. A busy machine can delay one of them, but not all.
fn slow(probes: &[Probe]) -> Vec<String> {
    let mut fastest: BTreeMap<_, Duration> = BTreeMap::new();
    for probe in probes.iter().filter(|probe| probe.expected == 503) {
        let took = fastest.entry((probe.failure, probe.what)).or_insert(probe.took);
        *took = probe.took.min(*took);
    }
    let slow = fastest.into_iter().filter(|(_, took)| *took > LONGEST_REFUSAL);
    slow.map(|((failure, what), took)| {
        format!("{}: {what} was refused only after {} ms", failure.name(), took.as_millis())
    })
    .collect()
}

/// What is known about a session.
enum Session {
    Alive,
    Ended(&'static str),
    Unknown,
}

/// A session that has ended stays ended, on every instance, and no other session ends.
fn sessions(facts: &[Fact]) -> Vec<String> {
    let mut violations = Vec::new();
    let mut sessions = HashMap::new();
    for fact in facts {
        match fact {
            Fact::SessionStarted { session } => drop(sessions.insert(session, Session::Alive)),
            Fact::SessionEnded { session, by } => drop(sessions.insert(session, Session::Ended(by))),
            Fact::SessionUnknown { session } => drop(sessions.insert(session, Session::Unknown)),
            Fact::SessionSeen { session, is_accepted, how } => match (sessions.get(session), is_accepted) {
                (Some(Session::Alive), false) => {
                    violations.push(format!("lost session {session}: {how} was refused"));
                    // Once is enough.
                    sessions.insert(session, Session::Unknown);
                }
                (Some(Session::Ended(by)), true) => {
                    violations.push(format!("session {session} came back after {by}: {how} was accepted"));
                    sessions.insert(session, Session::Unknown);
                }
                (None, _) => violations.push(format!("session {session} never started")),
                _ => {}
            },
            _ => {}
        }
    }
    violations
}

/// What works once was accepted once.
fn used_twice(facts: &[Fact]) -> Vec<String> {
    let mut accepted: HashMap<(Once, &str), usize> = HashMap::new();
    for fact in facts {
        if let Fact::Accepted { kind, secret } = fact {
            *accepted.entry((*kind, secret)).or_default() += 1;
        }
    }
    let twice = accepted.into_iter().filter(|(_, times)| *times > 1);
    twice.map(|((kind, _), times)| format!("a {kind} was accepted {times} times")).collect()
}

/// In a window, no more wrong passwords are checked than the limit allows.
fn guesses(facts: &[Fact]) -> Vec<String> {
    let mut series: HashMap<&str, (Instant, usize)> = HashMap::new();
    for fact in facts {
        if let Fact::Guessed { series: name, sent, is_counted } = fact {
            let (first, counted) = series.entry(name).or_insert((*sent, 0));
            if *is_counted && sent.duration_since(*first) < GUESSES_IN {
                *counted += 1;
            }
        }
    }
    let above = series.into_iter().filter(|(_, (_, counted))| *counted > GUESSES);
    above
        .map(|(name, (_, counted))| format!("{counted} passwords were guessed for {name} in a minute"))
        .collect()
}
