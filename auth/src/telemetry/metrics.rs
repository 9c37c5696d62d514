//! The table of the metrics. They are recorded with the cargo feature `metrics`; without it, the functions do nothing.

use std::fmt;
use std::time::Duration;

/// A metric of the library, recorded with the crate [`metrics`](https://docs.rs/metrics) if the cargo feature `metrics` is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metric {
    /// The name: `auth_logins_total`.
    pub name: &'static str,
    /// What it is.
    pub kind: MetricKind,
    /// The names of the labels. None has a value that a client can choose.
    pub labels: &'static [&'static str],
    /// What it counts or measures, with the values of the labels.
    pub description: &'static str,
}

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MetricKind {
    /// A number that only grows.
    Counter,
    /// A number of what there is at the moment.
    Gauge,
    /// The distribution of durations, in seconds.
    Histogram,
}

/// `counter`, `gauge` or `histogram`.
impl fmt::Display for MetricKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        })
    }
}

/// Generates [`Metric::ALL`] and the functions of `measure` from one list.
///
/// A row is: kind, what is registered and what it is told, function with the value and the labels, name, description. Without
/// the cargo feature, the functions ignore what they are given.
macro_rules! metrics {
    ($($kind:ident $register:ident.$tell:ident
        $function:ident($value:ident: $type:ty $(, $label:ident: $of:ty)*) $name:literal $description:literal;)*
    ) => {
        impl Metric {
            /// All metrics.
            pub const ALL: &'static [Self] = &[$(Self {
                name: $name,
                kind: MetricKind::$kind,
                labels: &[$(stringify!($label)),*],
                description: $description,
            }),*];
        }

        /// Records the metrics.
        pub(crate) mod measure {
            #[cfg(feature = "metrics")]
            use super::super::metric_keys::{Keys, METADATA};
            #[cfg(feature = "metrics")]
            use ::metrics::{Key, with_recorder};
            use super::*;

            $(
                #[doc = concat!("`", $name, "`: ", $description, ".")]
                #[cfg_attr(not(feature = "metrics"), allow(unused_variables, reason = "nothing is recorded"))]
                pub(crate) fn $function($value: $type $(, $label: $of)*) {
                    #[cfg(feature = "metrics")]
                    {
                        const LABELS: &[&str] = &[$(stringify!($label)),*];
                        static KEYS: Keys<{ LABELS.len() }> = Keys::new($name, [$(stringify!($label)),*]);
                        let of_key = |key: &Key| with_recorder(|recorder| recorder.$register(key, &METADATA));
                        KEYS.with([$($label),*], of_key).$tell($value);
                    }
                }
            )*
        }
    };
}

metrics! {
    Counter register_counter.increment requests(number: u64, method: &'static str, path: &'static str, router: &'static str, outcome: &'static str)
        "auth_requests_total"
        "responses of the library's routes; `path` is that of the route, `router` `bearer` or `browser`, and `outcome` `ok` or the error code";
    Histogram register_histogram.record request_time(time: Duration, method: &'static str, path: &'static str)
        "auth_request_duration_seconds"
        "how long the library's routes take";
    Counter register_counter.increment logins(number: u64, outcome: &'static str)
        "auth_logins_total"
        "attempts to log in; `outcome` is `success` (also after a challenge), `challenged` (the password was right, and a code is asked for), `failed` or `locked_out` (the first attempt that a limit refuses in its window)";
    Counter register_counter.increment events(number: u64, event: &'static str)
        "auth_events_total"
        "events by their name, also those that no sink receives";
    Counter register_counter.increment events_dropped(number: u64)
        "auth_events_dropped_total"
        "events that the sink did not get because it is too slow";
    Histogram register_histogram.record event_sink_time(time: Duration)
        "auth_event_sink_duration_seconds"
        "how long the event sink takes for an event";
    Counter register_counter.increment limits_hit(number: u64, limit: &'static str)
        "auth_limits_hit_total"
        "requests that a limit has refused; `limit` is its option without `limits.`";
    Counter register_counter.increment session_started(number: u64, router: &'static str)
        "auth_sessions_started_total"
        "sessions that started; `router` is `bearer` or `browser`";
    Counter register_counter.increment session_ended(number: u64, reason: &'static str)
        "auth_sessions_ended_total"
        "sessions that ended otherwise than by expiring; `reason` is `logout`, `refresh-token-reused` or that of the event `auth.session-ended`";
    Histogram register_histogram.record provider_time(time: Duration, provider: &'static str, method: &'static str, outcome: &'static str)
        "auth_provider_duration_seconds"
        "how long the calls of repositories, the store, deliveries and the HTTP client take; `provider` is `users`, `sessions`, `resets`, `passkeys`, `identities`, `deletions`, `api_tokens`, `store`, `delivery` or `http`, and `outcome` `ok`, `refused`, `error` or `cancelled`";
    Histogram register_histogram.record action_time(time: Duration, action: &'static str, outcome: &'static str)
        "auth_action_duration_seconds"
        "how long the host's actions take; `outcome` is `ok`, `refused`, `error` or `cancelled`";
    Gauge register_gauge.increment passwords_waiting(change: f64)
        "auth_passwords_waiting"
        "passwords that wait for a thread";
    Histogram register_histogram.record password_wait(time: Duration)
        "auth_password_wait_seconds"
        "how long passwords wait for a thread";
    Histogram register_histogram.record password_time(time: Duration)
        "auth_password_duration_seconds"
        "how long hashing, verifying or judging a password takes, including the wait";
    Counter register_counter.increment passwords_refused(number: u64)
        "auth_passwords_refused_total"
        "passwords that were refused because too many wait: responses `overloaded`";
    Gauge register_gauge.increment background_tasks(change: f64)
        "auth_background_tasks"
        "work that no response waits for and that has not ended";
    Gauge register_gauge.set cleanup_unfinished(value: f64)
        "auth_cleanup_unfinished"
        "1 if the last clean-up of this process has left expired sessions or entries of the store because a minute was not enough, otherwise 0";
}

/// Tells the recorder what the metrics are. If there is none yet, nobody is told.
pub(crate) fn describe() {
    #[cfg(feature = "metrics")]
    for Metric { name, kind, description, .. } in Metric::ALL.iter().copied() {
        use ::metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
        match kind {
            MetricKind::Counter => describe_counter!(name, Unit::Count, description),
            MetricKind::Gauge => describe_gauge!(name, Unit::Count, description),
            MetricKind::Histogram => describe_histogram!(name, Unit::Seconds, description),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prometheus' rules for names: <https://prometheus.io/docs/practices/naming/>.
    #[test]
    fn the_names_follow_the_rules_of_prometheus() {
        let names: std::collections::HashSet<_> = Metric::ALL.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), Metric::ALL.len());
        for metric in Metric::ALL {
            let Metric { name, kind, .. } = metric;
            assert!(name.starts_with("auth_"), "{name}");
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
            assert_eq!(name.ends_with("_total"), *kind == MetricKind::Counter, "{name}");
            assert_eq!(name.ends_with("_seconds"), *kind == MetricKind::Histogram, "{name}");
        }
    }
}
