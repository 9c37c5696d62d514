//! What has happened: requests with their responses, failures of servers, and what follows from the responses.
//!
//! The history is in the memory of the driver, which nothing kills. The audit reads it at the end.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long after a failure its effects may still be seen: connections are replaced, and a statement that has waited in
/// the frozen server is executed.
pub(super) const SETTLING: Duration = Duration::from_secs(2);

/// Where a request was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    Balancer,
    /// One of the instances, by its index.
    Instance(usize),
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// A response, with the `code` of its problem document.
    Status(u16, Option<String>),
    /// None: refused, or cut off.
    Cut,
}

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Balancer => f.write_str("the balancer"),
            Self::Instance(index) => write!(f, "instance {index}"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status, Some(code)) => write!(f, "{status} {code}"),
            Self::Status(status, None) => write!(f, "{status}"),
            Self::Cut => f.write_str("no response"),
        }
    }
}

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) via: Via,
    pub(super) endpoint: &'static str,
    pub(super) sent: Instant,
    pub(super) ended: Instant,
    pub(super) answer: Answer,
    /// The codes of the refusals that are right here.
    pub(super) may_refuse: &'static [&'static str],
}

/// What is done to the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Failure {
    /// An instance is killed.
    Instance,
    KilledPostgres,
    FrozenPostgres,
    KilledRedis,
    FrozenRedis,
    /// The instances are ended with SIGTERM and started again, one after the other. No failure: nobody may notice.
    RollingRestart,
}

impl Failure {
    pub(super) const ALL: [Self; 6] = [
        Self::Instance,
        Self::KilledPostgres,
        Self::FrozenPostgres,
        Self::KilledRedis,
        Self::FrozenRedis,
        Self::RollingRestart,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Instance => "instance killed",
            Self::KilledPostgres => "PostgreSQL killed",
            Self::FrozenPostgres => "PostgreSQL frozen",
            Self::KilledRedis => "Redis killed",
            Self::FrozenRedis => "Redis frozen",
            Self::RollingRestart => "rolling restart",
        }
    }
}

/// When something was done to the servers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outage {
    pub(super) failure: Failure,
    pub(super) began: Instant,
    /// `None`: it has not ended.
    pub(super) ended: Option<Instant>,
}

/// A request that was sent while a server was frozen or down.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) failure: Failure,
    /// What the request is, in the report.
    pub(super) what: &'static str,
    /// The status that it must get.
    pub(super) expected: u16,
    pub(super) answer: Answer,
    pub(super) took: Duration,
}

/// A secret that works once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Once {
    OneTimeCode,
    RecoveryCode,
    Challenge,
    ResetToken,
    /// A refresh token after its grace period.
    RefreshToken,
}

impl fmt::Display for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OneTimeCode => "one-time code",
            Self::RecoveryCode => "recovery code",
            Self::Challenge => "challenge token",
            Self::ResetToken => "reset token",
            Self::RefreshToken => "refresh token",
        })
    }
}

/// Something that follows from a response. `session` names a session under one set of credentials: after a change of the
/// password the session that goes on has another name here, because its earlier tokens are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// The response says that the account exists.
    Registered {
        email: String,
    },
    /// Nobody could log in with a password that must be right.
    LoginLost {
        email: String,
        detail: &'static str,
    },
    /// A secret was accepted.
    Accepted {
        kind: Once,
        secret: String,
    },
    /// A secret that had been accepted was sent again.
    Replayed {
        kind: Once,
    },
    SessionStarted {
        session: String,
    },
    SessionEnded {
        session: String,
        by: &'static str,
    },
    /// A request that may have ended it had no response.
    SessionUnknown {
        session: String,
    },
    /// A token of the session was used.
    SessionSeen {
        session: String,
        is_accepted: bool,
        how: &'static str,
    },
    /// A wrong password was sent for an address that has no account.
    Guessed {
        series: String,
        sent: Instant,
        is_counted: bool,
    },
    /// A response contradicts what was stored before.
    Contradiction {
        detail: String,
    },
}

/// Everything that has happened.
#[derive(Default)]
pub(super) struct History(Mutex<Events>);

/// The events, each list in the order in which they were noted.
#[derive(Default)]
pub(super) struct Events {
    pub(super) requests: Vec<Request>,
    pub(super) outages: Vec<Outage>,
    pub(super) probes: Vec<Probe>,
    pub(super) facts: Vec<Fact>,
}

impl History {
    pub(super) fn events(&self) -> MutexGuard<'_, Events> {
        // A panic while it was locked leaves the lists as they are.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, fact: Fact) {
        self.events().facts.push(fact);
    }

    pub(super) fn begin(&self, failure: Failure) {
        self.events().outages.push(Outage { failure, began: Instant::now(), ended: None });
    }

    /// The last outage has ended.
    pub(super) fn end(&self) {
        if let Some(outage) = self.events().outages.last_mut() {
            outage.ended = Some(Instant::now());
        }
    }

    /// Whether all servers run, and the effects of the last failure are over.
    pub(super) fn is_calm(&self) -> bool {
        let outages = &self.events().outages;
        outages.last().is_none_or(|outage| outage.ended.is_some_and(|ended| ended.elapsed() > SETTLING))
    }
}
