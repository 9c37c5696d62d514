//! The table of the lines that the library writes to the log. No other file calls tracing's macros for events.

use super::TARGET;
use super::cause::Cause;
use tracing::Value;

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

/// What a field of a line can hold. The text of an error is no such value: it becomes one with [`cause`](super::cause) alone.
trait FieldValue {
    fn value(self) -> impl Value;
}

/// A text of the program itself.
impl FieldValue for &'static str {
    fn value(self) -> impl Value {
        self
    }
}

impl FieldValue for u64 {
    fn value(self) -> impl Value {
        self
    }
}

impl FieldValue for Cause {
    fn value(self) -> impl Value {
        tracing::field::display(self)
    }
}

/// The id of a session.
pub(crate) struct SessionId<'a>(pub(crate) &'a str);

impl FieldValue for SessionId<'_> {
    fn value(self) -> impl Value {
        tracing::field::display(self.0.to_owned())
    }
}

/// A sentence that the library has written about a setting. It quotes no error.
pub(crate) struct Sentence<'a>(pub(crate) &'a str);

impl FieldValue for Sentence<'_> {
    fn value(self) -> impl Value {
        tracing::field::display(self.0.to_owned())
    }
}

/// A text of the program itself that is found out only if the line is written.
pub(crate) struct Lazily<F>(pub(crate) F);

impl<F: FnOnce() -> &'static str> FieldValue for Lazily<F> {
    fn value(self) -> impl Value {
        (self.0)()
    }
}

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
                    tracing::event!(name: $name, target: TARGET, level!($level), $($field = FieldValue::value($field),)* $message);
                }
            )*
        }
    };
}

log_lines! {
    // Requests.
    error request_failed(code: &'static str, error: Cause) "auth.request-failed"
        "a request failed",
        "a response has status 500, or 503 because of a provider of the host or the store";
    warn no_peer_address() "auth.no-peer-address"
        "requests carry no peer address, so all clients share one limit: serve with `into_make_service_with_connect_info::<std::net::SocketAddr>()`",
        "the first request without the peer's address";
    warn untrusted_proxy() "auth.untrusted-proxy"
        "a request has `X-Forwarded-For`, but its peer is not one of the `trusted_proxies` (AUTH_TRUSTED_PROXIES), so the header is ignored: if the peer is your proxy, all of its clients share one limit",
        "the first request with a forwarding header from a peer that is not trusted";
    debug unauthenticated(reason: Lazily<impl FnOnce() -> &'static str>) "auth.unauthenticated"
        "a request has no valid credential",
        "a response has status 401 `unauthenticated` or `invalid_api_token`, or an extractor such as `Option<CurrentUser<_>>` is `None`";
    error attempt_not_given_back(error: Cause) "auth.attempt-not-given-back"
        "an attempt without an outcome counts as a failure",
        "a request ended before its outcome was known, and the store could not be told";

    // Sessions and tokens.
    warn token_of_the_future(seconds: u64) "auth.token-of-the-future"
        "a token was issued in the future: the clocks of the instances differ",
        "a token's time of issue is in the future";
    error session_state_invalid(session_id: SessionId<'_>) "auth.session-state-invalid"
        "the stored state of a session is invalid",
        "a row of a session was changed by somebody else, or was written with secrets that are gone";
    error session_time_invalid(session_id: SessionId<'_>) "auth.session-time-invalid"
        "a stored time of a session is invalid",
        "a row of a session has a time before 1970 or after 9999";
    warn session_not_reset(code: &'static str) "auth.session-not-reset"
        "a session could not be reset after a failed change",
        "a change of a password or a second factor failed, and so did undoing its mark";
    warn change_completed(session_id: SessionId<'_>) "auth.change-completed"
        "a change of a password or a second factor was interrupted, and is completed now: the sessions of before end",
        "a session in which such a change was interrupted is used again";
    warn last_use_not_recorded(error: Cause) "auth.last-use-not-recorded"
        "the last use of a session or an API token could not be recorded",
        "the repository failed; the request did not wait for it";
    warn expired_sessions_not_deleted(code: &'static str) "auth.expired-sessions-not-deleted"
        "expired sessions could not be deleted",
        "the clean-up, which runs every `maintenance_interval`, failed; the next one tries again";
    warn due_work_not_done(code: &'static str) "auth.due-work-not-done"
        "what is due could not be done",
        "the repository of deletions failed; the next clean-up tries again";
    error user_not_deleted(code: &'static str, error: Cause) "auth.user-not-deleted"
        "a user whose deletion is due was not deleted",
        "the action `DeletesUsers`, a repository or the store failed; it is tried again after 15 minutes";
    error deletion_panicked() "auth.deletion-panicked"
        "the deletion of a user panicked",
        "the action `DeletesUsers` or a provider of the host panicked; it is tried again after 15 minutes";
    error deletion_timed_out() "auth.deletion-timed-out"
        "the deletion of a user timed out and was cancelled",
        "the deletion of a user took longer than 10 minutes; it is tried again after 15 minutes";
    warn client_not_remembered(code: &'static str) "auth.client-not-remembered"
        "the client of a login could not be remembered",
        "the store failed; during a lockout this client counts as unknown";

    // Passwords.
    warn hash_not_replaced(code: &'static str) "auth.hash-not-replaced"
        "an outdated password hash could not be replaced",
        "the user repository or the password pool failed; the next login tries again";
    warn rehash_not_released(code: &'static str) "auth.rehash-not-released"
        "other logins wait for a hash that is replaced already",
        "the store failed; the entry expires by itself";
    warn way_in_not_released(code: &'static str) "auth.way-in-not-released"
        "other removals of the user's ways in wait for one that has ended",
        "the store failed; the entry expires by itself";
    warn hash_unreadable(kind: &'static str, reason: &'static str) "auth.hash-unreadable"
        "a stored password hash cannot be verified: no password matches it; logged once for each kind",
        "a stored hash is of an unknown kind or is damaged";
    warn hash_dear() "auth.hash-dear"
        "a stored password hash needs more than four times the work of a new one, and the time of a guess at it shows that; logged once",
        "a stored hash is of a much higher cost than new ones; a login of its user replaces it";
    warn hash_kind_kept() "auth.hash-kind-kept"
        "stored password hashes are of Argon2 and stay that, but new passwords are hashed with bcrypt: set `password_hash` (AUTH_PASSWORD_HASH) to `argon2id`, or to `bcrypt` to replace them; logged once",
        "`password_hash` is not set, and somebody logs in whose stored hash is of Argon2";
    error verifier_panicked() "auth.verifier-panicked"
        "`recognises` of the `password_verifier` panicked",
        "the host's `PasswordVerifier` panicked; the hash counts as unknown";
    error password_job_failed(error: Cause) "auth.password-job-failed"
        "a password job failed",
        "a hash could not be computed";
    error password_job_panicked() "auth.password-job-panicked"
        "a password job panicked",
        "a computation of a hash panicked; the thread goes on";
    error password_thread_not_started(error: Cause) "auth.password-thread-not-started"
        "a password thread could not be started",
        "the operating system has refused a thread";
    debug password_priority_unchanged(error: Cause) "auth.password-priority-unchanged"
        "password threads run at normal priority",
        "the operating system does not let a thread lower its priority";
    warn leaked_passwords_unknown(error: Cause) "auth.leaked-passwords-unknown"
        "a password could not be compared with leaked ones, and is allowed",
        "the service of `BreachedPasswords` did not answer";

    // Features.
    error reset_token_not_made(code: &'static str, error: Cause) "auth.reset-token-not-made"
        "a reset token could not be made",
        "a provider failed while a requested reset token was stored";
    info passkey_refused(reason: &'static str) "auth.passkey-refused"
        "a passkey does not verify",
        "a passkey was refused; `reason` is a stable name, and no response has it";
    warn provider_unavailable(provider: Sentence<'_>, why: Cause) "auth.provider-unavailable"
        "a provider does not respond",
        "a request to a provider failed, or got a redirect, the status 429 or 5xx; `why` has nothing of the response";
    error provider_metadata_unreadable(provider: Sentence<'_>, what: &'static str) "auth.provider-metadata-unreadable"
        "the metadata or the keys of a provider do not verify: nobody can sign in with it",
        "a document of a provider is not what OpenID Connect Discovery or RFC 7517 says; `what` is the member";
    error provider_refuses_client(provider: Sentence<'_>) "auth.provider-refuses-client"
        "a provider refuses the client: its id, its secret or `client_auth` is wrong",
        "the token endpoint has answered that it does not know the client";
    info provider_refused(provider: Sentence<'_>, reason: &'static str) "auth.provider-refused"
        "a sign-in with a provider does not verify",
        "a provider has refused, or what it or a client presents was refused; `reason` is a stable name, and no response has it";
    error second_factor_unreadable(error: Cause) "auth.second-factor-unreadable"
        "a second factor cannot be read, and stays as it is",
        "a stored secret of a second factor is damaged, or was encrypted with another key";
    error address_not_judged(code: &'static str, error: Cause) "auth.address-not-judged"
        "the policy could not decide about an address, and no mail was sent to it",
        "the host's `Policy` failed in `allows_email` before a mail with which somebody can register";
    error address_not_unverified(code: &'static str) "auth.address-not-unverified"
        "a changed address could not be unverified",
        "the user repository failed after an action had changed an address";
    warn notice_not_sent(what: &'static str) "auth.notice-not-sent"
        "a notice was not sent: the module has no delivery of notices",
        "`auth_module!` has no `Notices` in `delivery`, and a user should have been told of something";
    error notice_not_made(code: &'static str) "auth.notice-not-made"
        "a security notice was not sent: its link could not be made",
        "there were no random bytes";
    warn visit_not_recorded(code: &'static str) "auth.visit-not-recorded"
        "a security notice could not be recorded",
        "the store failed; the notice was sent, and the links of later ones undo only what came after their own events";
    warn sign_in_not_compared(code: &'static str) "auth.sign-in-not-compared"
        "whether a sign-in is a new one could not be found out",
        "the store or the session repository failed; the user was not told of the sign-in";
    error message_not_delivered(what: &'static str, error: Cause) "auth.message-not-delivered"
        "a message could not be delivered",
        "a delivery of the host failed";

    // Work that no request waits for.
    error background_task_panicked(what: &'static str) "auth.background-task-panicked"
        "a background task panicked",
        "a provider of the host panicked, and no request waited for it";
    error background_task_timed_out(what: &'static str) "auth.background-task-timed-out"
        "a background task timed out and was cancelled",
        "a background task took longer than 120 s";
    error cleanup_failed(what: &'static str, error: Cause) "auth.cleanup-failed"
        "a cleanup step failed",
        "what a request has left behind could not be deleted";
    error cleanup_panicked(what: &'static str) "auth.cleanup-panicked"
        "a cleanup step panicked",
        "a provider of the host panicked during a cleanup";
    error cleanup_timed_out(what: &'static str) "auth.cleanup-timed-out"
        "a cleanup step timed out and was cancelled",
        "a provider of the host took too long during a cleanup";

    // Events.
    warn sink_is_late(event: &'static str) "auth.sink-is-late"
        "the event sink has not taken an event in time: the response waits no longer",
        "a sink with `longest_wait` took longer";
    warn events_dropped(number: u64) "auth.events-dropped"
        "events were dropped: the sink is too slow",
        "the queue of the event sink was full";
    error sink_panicked(event: &'static str) "auth.sink-panicked"
        "the event sink panicked",
        "`EventSink::handle` panicked; the event is lost";
    error event_lost(event: &'static str, error: Cause) "auth.event-lost"
        "an event is lost: the audit log cannot be written",
        "the database of `SqlAuditLog` failed";
    error audit_rows_not_deleted(error: Cause) "auth.audit-rows-not-deleted"
        "old rows of the audit log could not be deleted",
        "the database of `SqlAuditLog` failed; the next event tries again";

    // Start.
    info only_memory_has_sessions() "auth.sessions-in-memory"
        "sessions are in memory and end with this process; `session_repo` stores them",
        "a module without `session_repo` is built";
    info columns_to_fill(columns: Sentence<'_>) "auth.columns-to-fill"
        "columns of the table of users are NOT NULL and have no default: the action `CreatesNewUsers` must give them with `NewUser::with_extra`, otherwise registrations are refused with 500",
        "`SqlUsers::check` finds columns of the host's that the table does not fill";
    info addresses_unverified(users: u64) "auth.addresses-unverified"
        "some users have an address that nobody has proven. With EMAIL_LOGIN or SOCIAL_LOGIN, the first sign-in with that address removes the password of such a user: before you enable one of them, mark the addresses that you know as verified",
        "`SqlUsers::check` finds users without `emailVerifiedAt`";
    warn cookies_are_insecure() "auth.cookies-are-insecure"
        "session cookies have no `Secure` (`insecure_for_development`): not for production",
        "a module with browsers and `insecure_for_development` is built";
    warn in_response(what: Sentence<'_>) "auth.in-response"
        "messages to users are in responses (`InResponse`): not for production",
        "a module is built that returns reset tokens or verification links in responses";
    warn browser_router_has_no_routes() "auth.browser-router-has-no-routes"
        "`browser_router()` without the feature BROWSER_SESSIONS: all its responses are 404; add the feature, or leave the router out",
        "a host makes the browser router of a module without that feature";
    warn variables_unknown(names: Sentence<'_>) "auth.variables-unknown"
        "the library reads no variables of these names",
        "variables that begin with `AUTH_` are set, and no variable of the library has a name like theirs; names that are nearly right are errors";
    info deviations(number: u64) "auth.deviations"
        "the configuration deviates from ASVS: `posture()` lists how, and so does this log at the level debug",
        "a module whose configuration deviates is built";
    debug posture(option: &'static str, asvs: Sentence<'_>, deviation: Sentence<'_>) "auth.posture"
        "posture: the configuration deviates from ASVS",
        "a module is built, once for each deviation";
    warn store_may_forget(warning: Sentence<'_>) "auth.store-may-forget"
        "the ephemeral store may forget what it must keep",
        "the first connection to a Redis that deletes keys when it is full";
    error store_self_test_failed(reason: Sentence<'_>) "auth.store-self-test-failed"
        "the ephemeral store failed its self-test",
        "a store of the host does not do what `EphemeralStore` says, before its first use";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::collections::HashSet;
    use tracing::subscriber::NoSubscriber;

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

    #[test]
    fn a_reason_for_which_there_is_no_log_is_not_found_out() {
        let is_found_out = Cell::new(false);
        let reason = || {
            is_found_out.set(true);
            "a reason"
        };
        tracing::subscriber::with_default(NoSubscriber::default(), || log::unauthenticated(Lazily(reason)));
        assert!(!is_found_out.get());
    }
}
