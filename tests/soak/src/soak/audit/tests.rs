//! Invented histories, each with one thing that is wrong, and the same without it.

use super::*;

/// A history with these requests, failures and facts.
fn found(build: impl FnOnce(&mut Events, Instant)) -> Vec<String> {
    let mut events = Events::default();
    build(&mut events, Instant::now());
    violations(&events)
}

fn facts(facts: impl IntoIterator<Item = Fact>) -> Vec<String> {
    found(|events, _| events.facts.extend(facts))
}

const SECOND: Duration = Duration::from_secs(1);

fn request(via: Via, sent: Instant, answer: Answer) -> Request {
    let may_refuse = &["invalid_credentials"];
    Request { via, endpoint: "/auth/login", sent, ended: sent + SECOND, answer, may_refuse }
}

fn status(status: u16, code: &str) -> Answer {
    Answer::Status(status, Some(code.to_owned()))
}

fn started(session: &str) -> Fact {
    Fact::SessionStarted { session: session.to_owned() }
}

fn ended(session: &str) -> Fact {
    Fact::SessionEnded { session: session.to_owned(), by: "logout" }
}

fn unknown(session: &str) -> Fact {
    Fact::SessionUnknown { session: session.to_owned() }
}

fn seen(session: &str, is_accepted: bool) -> Fact {
    Fact::SessionSeen { session: session.to_owned(), is_accepted, how: "its access token" }
}

#[test]
fn a_session_that_came_back_is_found() {
    assert_eq!(facts([started("a"), seen("a", true), ended("a"), seen("a", false)]).len(), 0);
    let back = facts([started("a"), ended("a"), seen("a", false), seen("a", true)]);
    assert_eq!(back, ["session a came back after logout: its access token was accepted"]);
}

#[test]
fn a_session_that_was_lost_is_found() {
    let lost = facts([started("a"), started("b"), seen("a", false), seen("b", true)]);
    assert_eq!(lost, ["lost session a: its access token was refused"]);
    assert_eq!(facts([seen("a", true)]), ["session a never started"]);
}

#[test]
fn a_session_whose_end_had_no_response_may_be_both() {
    assert_eq!(facts([started("a"), unknown("a"), seen("a", true), seen("a", false)]).len(), 0);
}

#[test]
fn a_secret_that_was_accepted_twice_is_found() {
    let accepted = |kind, secret: &str| Fact::Accepted { kind, secret: secret.to_owned() };
    for kind in [Once::OneTimeCode, Once::RecoveryCode, Once::Challenge, Once::ResetToken, Once::RefreshToken]
    {
        assert_eq!(facts([accepted(kind, "a"), accepted(kind, "b")]).len(), 0);
        let expected = format!("a {kind} was accepted 2 times");
        assert_eq!(facts([accepted(kind, "a"), accepted(kind, "b"), accepted(kind, "a")]), [expected]);
    }
}

#[test]
fn a_lost_account_is_found() {
    let email = "ada@example.com".to_owned();
    assert_eq!(facts([Fact::Registered { email: email.clone() }]).len(), 0);
    let lost = facts([Fact::LoginLost { email, detail: "no password that it can have is accepted" }]);
    assert_eq!(lost, ["lost account ada@example.com: no password that it can have is accepted"]);
    assert_eq!(facts([Fact::Contradiction { detail: "a".to_owned() }]), ["contradiction: a"]);
}

#[test]
fn guesses_above_the_limit_are_found() {
    let guesses = |number, apart: Duration| {
        found(|events, now| {
            let guess = |index| {
                let series = "nobody@example.net".to_owned();
                Fact::Guessed { series, sent: now + apart * index, is_counted: true }
            };
            events.facts.extend((0..number).map(guess));
        })
    };
    assert_eq!(guesses(5, SECOND).len(), 0);
    assert_eq!(guesses(6, SECOND), ["6 passwords were guessed for nobody@example.net in a minute"]);
    assert_eq!(guesses(6, SECOND * 15).len(), 0, "in two windows");
}

#[test]
fn refusals_must_be_expected() {
    let is_right =
        |via, answer| found(|events, now| events.requests.push(request(via, now, answer))).is_empty();
    assert!(is_right(Via::Balancer, Answer::Status(201, None)));
    assert!(is_right(Via::Balancer, status(401, "invalid_credentials")));
    for wrong in [
        status(401, "unauthenticated"),
        status(500, "internal_error"),
        status(503, "unavailable"),
        Answer::Status(502, None),
        Answer::Cut,
    ] {
        assert!(!is_right(Via::Balancer, wrong.clone()), "{wrong:?}");
        assert!(!is_right(Via::Instance(0), wrong.clone()), "{wrong:?}");
    }
}

#[test]
fn a_failure_excuses_what_it_causes_while_it_lasts() {
    let is_right = |failure, after: Duration, via, answer| {
        let found = found(|events, now| {
            events.outages.push(Outage { failure, began: now, ended: Some(now + SECOND) });
            events.requests.push(request(via, now + after, answer));
        });
        found.is_empty()
    };
    let unavailable = || status(503, "unavailable");
    for failure in
        [Failure::KilledPostgres, Failure::FrozenPostgres, Failure::KilledRedis, Failure::FrozenRedis]
    {
        assert!(is_right(failure, SECOND / 2, Via::Balancer, unavailable()), "{failure:?}");
        assert!(!is_right(failure, SECOND * 4, Via::Balancer, unavailable()), "{failure:?}");
        assert!(!is_right(failure, SECOND / 2, Via::Balancer, status(500, "internal_error")), "{failure:?}");
        assert!(!is_right(failure, SECOND / 2, Via::Balancer, Answer::Cut), "{failure:?}");
        assert!(!is_right(failure, SECOND / 2, Via::Balancer, Answer::Status(502, None)), "{failure:?}");
    }
    let cut = |failure, via| is_right(failure, SECOND / 2, via, Answer::Cut);
    let by_balancer = |failure| is_right(failure, SECOND / 2, Via::Balancer, Answer::Status(502, None));
    assert!(cut(Failure::Instance, Via::Instance(0)) && by_balancer(Failure::Instance));
    assert!(!is_right(Failure::Instance, SECOND / 2, Via::Balancer, unavailable()));
    // A rolling restart closes ports, but the balancer's clients do not notice it.
    assert!(cut(Failure::RollingRestart, Via::Instance(0)) && !by_balancer(Failure::RollingRestart));
    assert!(!is_right(Failure::RollingRestart, SECOND / 2, Via::Balancer, unavailable()));
}

#[test]
fn what_a_frozen_server_causes_is_checked() {
    let probes = |expected, answers: &[(u16, Duration)]| {
        found(|events, _| {
            events.probes.extend(answers.iter().map(|&(status, took)| Probe {
                failure: Failure::FrozenPostgres,
                what: "an access token",
                expected,
                answer: Answer::Status(status, None),
                took,
            }));
        })
    };
    assert_eq!(probes(503, &[(503, SECOND), (503, SECOND * 3)]).len(), 0);
    assert_eq!(probes(503, &[(200, SECOND)]).len(), 1, "the database was not needed");
    assert_eq!(probes(200, &[(503, SECOND)]).len(), 1, "what needs no Redis must work without it");
    assert_eq!(probes(503, &[(503, SECOND * 3), (503, SECOND * 4)]).len(), 1, "each took too long");
}
