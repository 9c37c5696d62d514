//! The table of the lines that the library writes to the log. No other file calls tracing's macros for events.

use super::TARGET;
use std::error::Error;
use std::fmt::Debug;
use tracing::field::DebugValue;

/// A line that the library may write to the log.
///
/// ```
/// use axum_auth_module::telemetry::LogLine;
///
/// // The errors, which somebody should be told of.
/// let errors = LogLine::ALL.iter().filter(|line| line.level == "error");
/// assert!(errors.clone().any(|line| line.message == "a request failed"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine {
    /// The name of the tracing event: `auth.request-failed`.
    pub name: &'static str,
    /// `error`, `warn`, `info` or `debug`.
    pub level: &'static str,
    /// The message, which has no values in it: those are in the fields.
    pub message: &'static str,
    /// The names of the fields.
    pub fields: &'static [&'static str],
    /// When it is written.
    pub when: &'static str,
}

/// The cause of an error.
type Cause = dyn Error + Send + Sync;

/// A value as its `Debug` writes it.
type Debugged<'a> = DebugValue<&'a dyn Debug>;

macro_rules! level {
    (error) => {
        tracing::Level::ERROR
    };
    (warn) => {
        tracing::Level::WARN
    };
    (info) => {
        tracing::Level::INFO
    };
    (debug) => {
        tracing::Level::DEBUG
    };
}

/// Generates [`LogLine::ALL`] and the functions of `log` from one list.
///
/// A row is: level, function with its fields, name, message, when it is written.
macro_rules! log_lines {
    ($($level:ident $function:ident($($field:ident: $type:ty),*) $name:literal $message:literal, $when:literal;)*) => {
        impl LogLine {
            /// All lines.
            pub const ALL: &'static [Self] = &[$(Self {
                name: $name,
                level: stringify!($level),
                message: $message,
                fields: &[$(stringify!($field)),*],
                when: $when,
            }),*];
        }

        /// Writes the lines.
        #[allow(dead_code, reason = "some are written by adapters that are cargo features")]
        pub(crate) mod log {
            use super::*;

            $(
                #[doc = concat!("`", $name, "`: ", $when, ".")]
                pub(crate) fn $function($($field: $type),*) {
                    tracing::event!(name: $name, target: TARGET, level!($level), $($field = $field,)* $message);
                }
            )*

            /// A value of a field, as its `Debug` writes it.
            pub(crate) fn debugged(value: &dyn Debug) -> Debugged<'_> {
                tracing::field::debug(value)
            }
        }
    };
}

log_lines! {
    // Requests.
    error request_failed(code: &str, error: &Cause) "auth.request-failed"
        "a request failed",
        "a response has status 500, or 503 because of a provider of the host or the store";
    warn no_peer_address() "auth.no-peer-address"
        "requests carry no peer address, so all clients share one limit: serve with `into_make_service_with_connect_info::<std::net::SocketAddr>()`",
        "the first request without the peer's address";
    warn untrusted_proxy() "auth.untrusted-proxy"
        "a request has `X-Forwarded-For`, but its peer is not one of the `trusted_proxies` (AUTH_TRUSTED_PROXIES), so the header is ignored: if the peer is your proxy, all of its clients share one limit",
        "the first request with a forwarding header from a peer that is not trusted";
    error attempt_not_given_back(error: Debugged<'_>) "auth.attempt-not-given-back"
        "an attempt without an outcome counts as a failure",
        "a request ended before its outcome was known, and the store could not be told";

    // Sessions and tokens.
    warn token_of_the_future(seconds: u64) "auth.token-of-the-future"
        "a token was issued in the future: the clocks of the instances differ",
        "a token's time of issue is in the future";
    error session_state_invalid(session_id: &str) "auth.session-state-invalid"
        "the stored state of a session is invalid",
        "a row of a session was changed by somebody else, or was written with secrets that are gone";
    error session_time_invalid(session_id: &str) "auth.session-time-invalid"
        "a stored time of a session is invalid",
        "a row of a session has a time before 1970 or after 9999";
    warn session_not_reset(code: &str) "auth.session-not-reset"
        "a session could not be reset after a failed change",
        "a change of a password or a second factor failed, and so did undoing its mark";
    warn change_completed(session_id: &str) "auth.change-completed"
        "a change of a password or a second factor was interrupted, and is completed now: the sessions of before end",
        "a session in which such a change was interrupted is used again";
    warn last_use_not_recorded(error: Debugged<'_>) "auth.last-use-not-recorded"
        "the last use of a session could not be recorded",
        "the session repository failed; the request did not wait for it";
    warn expired_sessions_not_deleted(code: &str) "auth.expired-sessions-not-deleted"
        "expired sessions could not be deleted",
        "the hourly cleanup failed; the next one tries again";
    warn client_not_remembered(code: &str) "auth.client-not-remembered"
        "the client of a login could not be remembered",
        "the store failed; during a lockout this client counts as unknown";

    // Passwords.
    warn hash_not_replaced(code: &str) "auth.hash-not-replaced"
        "an outdated password hash could not be replaced",
        "the user repository or the password pool failed; the next login tries again";
    warn rehash_not_released(code: &str) "auth.rehash-not-released"
        "other logins wait for a hash that is replaced already",
        "the store failed; the entry expires by itself";
    warn hash_unreadable(kind: &str, reason: &str) "auth.hash-unreadable"
        "a stored password hash cannot be verified: no password matches it; logged once for each kind",
        "a stored hash is of an unknown kind or is damaged";
    error verifier_panicked() "auth.verifier-panicked"
        "`recognises` of the `password_verifier` panicked",
        "the host's `PasswordVerifier` panicked; the hash counts as unknown";
    error password_job_failed(error: &str) "auth.password-job-failed"
        "a password job failed",
        "a hash could not be computed";
    error password_job_panicked() "auth.password-job-panicked"
        "a password job panicked",
        "a computation of a hash panicked; the thread goes on";
    error password_thread_not_started(error: &(dyn Error + 'static)) "auth.password-thread-not-started"
        "a password thread could not be started",
        "the operating system has refused a thread";
    debug password_priority_unchanged(error: &(dyn Error + 'static)) "auth.password-priority-unchanged"
        "password threads run at normal priority",
        "the operating system does not let a thread lower its priority";
    warn leaked_passwords_unknown(error: &Cause) "auth.leaked-passwords-unknown"
        "a password could not be compared with leaked ones, and is allowed",
        "the service of `BreachedPasswords` did not answer";

    // Features.
    error reset_token_not_made(code: &str, error: Debugged<'_>) "auth.reset-token-not-made"
        "a reset token could not be made",
        "a provider failed while a requested reset token was stored";
    error second_factor_unreadable(error: Debugged<'_>) "auth.second-factor-unreadable"
        "a second factor cannot be read, and stays as it is",
        "a stored secret of a second factor is damaged, or was encrypted with another key";
    error address_not_unverified(code: &str) "auth.address-not-unverified"
        "a changed address could not be unverified",
        "the user repository failed after an action had changed an address";
    error previous_address_not_told(error: &Cause) "auth.previous-address-not-told"
        "the previous address of an account could not be told",
        "the delivery of `AddressChanged` failed";
    error message_not_delivered(what: &str, error: &Cause) "auth.message-not-delivered"
        "a message could not be delivered",
        "a delivery of the host failed";

    // Work that no request waits for.
    error background_task_panicked(what: &str) "auth.background-task-panicked"
        "a background task panicked",
        "a provider of the host panicked, and no request waited for it";
    error background_task_timed_out(what: &str) "auth.background-task-timed-out"
        "a background task timed out and was cancelled",
        "a background task took longer than 120 s";
    error cleanup_failed(what: &str, error: Debugged<'_>) "auth.cleanup-failed"
        "a cleanup step failed",
        "what a request has left behind could not be deleted";
    error cleanup_panicked(what: &str) "auth.cleanup-panicked"
        "a cleanup step panicked",
        "a provider of the host panicked during a cleanup";
    error cleanup_timed_out(what: &str) "auth.cleanup-timed-out"
        "a cleanup step timed out and was cancelled",
        "a provider of the host took too long during a cleanup";

    // Events.
    warn sink_is_late(event: &str) "auth.sink-is-late"
        "the event sink has not taken an event in time: the response waits no longer",
        "a sink with `longest_wait` took longer";
    warn events_dropped(number: u64) "auth.events-dropped"
        "events were dropped: the sink is too slow",
        "the queue of the event sink was full";
    error sink_panicked(event: &str) "auth.sink-panicked"
        "the event sink panicked",
        "`EventSink::handle` panicked; the event is lost";
    error event_lost(event: &str, error: Debugged<'_>) "auth.event-lost"
        "an event is lost: the audit log cannot be written",
        "the database of `SqlAuditLog` failed";
    error audit_rows_not_deleted(error: Debugged<'_>) "auth.audit-rows-not-deleted"
        "old rows of the audit log could not be deleted",
        "the database of `SqlAuditLog` failed; the next event tries again";

    // Start.
    info only_memory_has_sessions() "auth.sessions-in-memory"
        "sessions are in memory and end with this process; `session_repo` stores them",
        "a module without `session_repo` is built";
    warn cookies_are_insecure() "auth.cookies-are-insecure"
        "session cookies have no `Secure` (`insecure_for_development`): not for production",
        "a module with browsers and `insecure_for_development` is built";
    info posture(option: &str, asvs: &str, deviation: &str) "auth.posture"
        "posture: the configuration deviates from ASVS",
        "a module is built, once for each deviation";
    warn store_may_forget(warning: &str) "auth.store-may-forget"
        "the ephemeral store may forget what it must keep",
        "the first connection to a Redis that deletes keys when it is full";
    error store_self_test_failed(reason: &str) "auth.store-self-test-failed"
        "the ephemeral store failed its self-test",
        "a store of the host does not do what `EphemeralStore` says, before its first use";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_line_has_its_own_name_and_a_message_without_values() {
        let names: HashSet<_> = LogLine::ALL.iter().map(|line| line.name).collect();
        assert_eq!(names.len(), LogLine::ALL.len());
        for line in LogLine::ALL {
            let dashed = line.name.strip_prefix("auth.").unwrap_or_default();
            assert!(
                !dashed.is_empty() && dashed.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
                "{line:?}"
            );
            assert!(!line.message.contains('{'), "{line:?}");
        }
    }
}
