//! A session is a row: what is read and written, and what remains after a restart.

use crate::support::providers::Outbox;
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Builder, EMAIL, PASSWORD, Tokens, at_once, forge, memory_users};
use axum_auth_module::StandardActions;
use axum_auth_module::clock::Clock;
use axum_auth_module::config::{AuthConfigBuilder, SessionOptions};
use axum_auth_module::delivery::PasswordResetMessage;
use axum_auth_module::events::{EventKind, SessionEnd};
use axum_auth_module::repository::{MemorySessions, SessionKind, SessionRecord, SessionRepository};
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::{Faults, MemoryPasswordResets, MemoryUsers, MovableClock, ProviderMethod};
use serde_json::json;
use std::time::Duration;

on_both_routers![
    a_password_that_was_confirmed_before_a_restart_is_confirmed_after_it,
    a_check_reads_the_row_once_and_an_invalid_token_reads_nothing,
    the_last_use_is_written_once_in_five_minutes,
    a_session_records_its_client,
    a_host_can_do_without_personal_data,
    a_state_that_was_changed_or_copied_counts_as_no_session,
    two_modules_with_one_configuration_do_not_accept_each_others_tokens,
    expired_sessions_are_deleted_by_later_requests,
    more_expired_sessions_than_a_portion_are_deleted_by_one_clean_up,
    logins_and_logouts_leave_nothing_behind,
    two_modules_with_one_store_do_not_touch_each_others_entries,
];

on_both_routers![threads: more_sessions_than_allowed_end_the_least_recently_used_ones];

/// What a host keeps when it is restarted.
#[derive(Clone)]
struct Kept {
    users: MemoryUsers<Account>,
    sessions: MemorySessions,
    clock: MovableClock,
}

impl Kept {
    fn new() -> Self {
        Self { users: memory_users(), sessions: MemorySessions::new(), clock: MovableClock::new() }
    }

    /// A host on this, with a store of its own.
    async fn start(&self) -> App {
        self.start_with(|config| config).await
    }

    async fn start_with(&self, config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> App {
        let Self { users, sessions, clock } = self.clone();
        let at = clock.clone();
        let config = |base: AuthConfigBuilder| config(base.clock(at));
        let module = |module: Builder| module.session_repo(sessions);
        let mut app = App::with_everything_on(users.clone(), users, config, module).await;
        app.clock = clock;
        app
    }
}

async fn records(sessions: &impl SessionRepository) -> Vec<SessionRecord> {
    sessions.find_by_user("1", SessionKind::ALL).await.unwrap_or_else(|_| panic!("it is in memory"))
}

fn session_id(tokens: &Tokens) -> String {
    forge::claims(&tokens.access)["sid"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_has_ended_stays_ended_after_a_restart_and_what_is_alive_continues() {
    let kept = Kept::new();
    let before = kept.start().await;
    let ended = before.register(EMAIL).await;
    before.post("/auth/logout").bearer(&ended.access).await.expect(200);
    let (alive, spent) = (before.login(EMAIL).await, before.login(EMAIL).await);
    let refreshed = before.renew(&spent).await;

    let after = kept.start().await;
    after.is_over(&ended).await;
    after.me(&alive.access).await.expect(200);
    after.renew(&alive).await;
    after.me(&refreshed.access).await.expect(200);
    kept.clock.advance(Duration::from_secs(11));
    after.refresh(&spent.refresh).await.refused(401, "refresh_token_reused");
    after.is_over(&refreshed).await;
    kept.clock.advance(Duration::from_secs(8 * 24 * 3600));
    after.is_over(&ended).await;
}

async fn a_password_that_was_confirmed_before_a_restart_is_confirmed_after_it() {
    let kept = Kept::new();
    let before = kept.start().await;
    let tokens = before.register(EMAIL).await;
    before.confirm_password(&tokens.access).await;
    let other = before.login(EMAIL).await;
    let after = kept.start().await;
    after.get("/confirmed").bearer(&tokens.access).await.expect(200);
    after.get("/confirmed").bearer(&other.access).await.refused(403, "password_confirmation_required");
}

async fn a_check_reads_the_row_once_and_an_invalid_token_reads_nothing() {
    let (users, faults) = (memory_users(), Faults::new());
    let (repository, sessions) = (faults.over(users.clone()), faults.over(MemorySessions::new()));
    let module = |module: Builder| module.registration(StandardActions).session_repo(sessions);
    let app = App::on(repository, users, |config| config, module).await;
    let tokens = app.register(EMAIL).await;
    // The first request after the start deletes expired sessions.
    while !faults.calls().contains(&ProviderMethod::SessionsDeleteExpired) {
        tokio::task::yield_now().await;
    }
    let reads = || {
        let calls = faults.calls();
        faults.clear_calls();
        calls
    };
    let (session, user) = (ProviderMethod::SessionsFind, ProviderMethod::UsersFindById);
    reads();
    app.get("/claims").bearer(&tokens.access).await.expect(200);
    assert_eq!(reads(), [session]);
    app.me(&tokens.access).await.expect(200);
    assert_eq!(reads(), [session, user]);
    app.confirm_password(&tokens.access).await;
    // The first use of the cookie that a browser now has is recorded.
    app.me(&tokens.access).await.expect(200);
    reads();
    app.get("/confirmed").bearer(&tokens.access).await.expect(200);
    assert_eq!(reads(), [session, user]);
    let forged = forge::sign(&forge::access_header(), "{}", "another secret than the module's");
    for invalid in [forged.as_str(), "x.y.z", &tokens.refresh] {
        let (access, refresh) = (invalid.to_owned(), tokens.access.clone());
        app.is_over(&Tokens { access, refresh }).await;
    }
    assert_eq!(reads(), []);
}

async fn the_last_use_is_written_once_in_five_minutes() {
    let (sessions, faults) = (MemorySessions::new(), Faults::new());
    let kept = faults.over(sessions.clone());
    let app =
        App::with(|config| config, |module| module.registration(StandardActions).session_repo(kept)).await;
    let mut tokens = app.register(EMAIL).await;
    for (seconds, written) in [(299, 0), (1, 1), (10, 0), (300, 1)] {
        app.advance(seconds);
        faults.clear_calls();
        for _ in 0..5 {
            app.me(&tokens.access).await.expect(200);
            if !app.is_for_browsers() {
                tokens = app.refresh(&tokens.refresh).await.expect(200).tokens();
            }
        }
        if written == 1 {
            let now = app.clock.now() - Duration::from_secs(1);
            while records(&sessions).await[0].last_used_at < now {
                tokio::task::yield_now().await;
            }
        }
        let touched = faults.calls().iter().filter(|call| **call == ProviderMethod::SessionsTouch).count();
        assert_eq!(touched, written, "after {seconds} more seconds");
    }
}

async fn a_session_records_its_client() {
    let sessions = MemorySessions::new();
    let kept = sessions.clone();
    let app =
        App::with(|config| config, |module| module.registration(StandardActions).session_repo(kept)).await;
    app.register(EMAIL).await;
    for (header, recorded) in [
        (b"Mozilla/5.0 (X11; Linux)".to_vec(), Some("Mozilla/5.0 (X11; Linux)".to_owned())),
        ("Zürich\tBrowser".as_bytes().to_vec(), Some("ZrichBrowser".to_owned())),
        (vec![b'x'; 4000], Some("x".repeat(256))),
        ("üüü".as_bytes().to_vec(), None),
        (b"   ".to_vec(), None),
    ] {
        let call = app.login_call(EMAIL, PASSWORD).header_bytes("user-agent", &header);
        let id = session_id(&call.await.expect(200).tokens());
        let record = sessions.find(&id).await.ok().flatten().unwrap();
        assert_eq!((record.client.as_deref(), record.user_agent), (Some("192.0.2.1"), recorded));
    }
}

async fn a_host_can_do_without_personal_data() {
    let sessions = MemorySessions::new();
    let kept = sessions.clone();
    let mut options = SessionOptions::default();
    options.record_client = false;
    let app = App::with(
        |config| config.sessions(options),
        |module| module.registration(StandardActions).session_repo(kept),
    );
    app.await.register(EMAIL).await;
    let record = records(&sessions).await.remove(0);
    assert_eq!((record.client, record.user_agent), (None, None));
}

async fn more_sessions_than_allowed_end_the_least_recently_used_ones() {
    for max in [1, 5] {
        let kept = Kept::new();
        let mut options = SessionOptions::default();
        options.max_per_user = max;
        let app = kept.start_with(|config| config.sessions(options)).await;
        let first = app.register(EMAIL).await;
        app.advance(1);
        let logins = (0..10).map(|_| app.login_call(EMAIL, PASSWORD));
        for answer in at_once(logins.map(IntoFuture::into_future)).await {
            answer.expect(200);
        }
        assert!(records(&kept.sessions).await.len() <= max);
        app.is_over(&first).await;
        app.advance(1);
        let newest = app.login(EMAIL).await;
        app.me(&newest.access).await.expect(200);
        let mut reasons = Vec::new();
        while reasons.is_empty() {
            if let EventKind::SessionEnded { reason, .. } = app.event().await.kind {
                reasons.push(reason);
            }
        }
        assert_eq!(reasons, [SessionEnd::Superseded]);
    }
}

async fn a_state_that_was_changed_or_copied_counts_as_no_session() {
    let kept = Kept::new();
    let app = kept.start().await;
    let (tokens, other) = (app.register(EMAIL).await, app.login(EMAIL).await);
    let record = kept.sessions.find(&session_id(&tokens)).await.ok().flatten().unwrap();
    let of_other = kept.sessions.find(&session_id(&other)).await.ok().flatten().unwrap();
    for state in [
        String::new(),
        "{}".to_owned(),
        of_other.state.to_string(),
        record.state.replace("\"v\":1", "\"v\":2"),
        record.state.replace("\"amr\":[\"pwd\"]", "\"amr\":[\"pwd\",\"otp\"]"),
        "x".repeat(1 << 20),
    ] {
        let mut changed = record.clone();
        changed.state = state.into();
        kept.sessions.create(changed).await.unwrap_or_else(|_| panic!("it is in memory"));
        app.is_over(&tokens).await;
    }
    kept.sessions.create(record).await.unwrap_or_else(|_| panic!("it is in memory"));
    app.me(&tokens.access).await.expect(200);
    app.me(&other.access).await.expect(200);
}

async fn two_modules_with_one_configuration_do_not_accept_each_others_tokens() {
    let kept = Kept::new();
    let start = |realm: &'static str| {
        let Kept { users, sessions, clock } = kept.clone();
        App::on(
            users.clone(),
            users,
            |config| config.clock(clock),
            move |module| module.registration(StandardActions).session_repo(sessions).realm(realm),
        )
    };
    let (customers, staff) = (start("customers").await, start("staff").await);
    let tokens = customers.register(EMAIL).await;
    customers.me(&tokens.access).await.expect(200);
    staff.is_over(&tokens).await;
    customers.renew(&tokens).await;
    customers.get("/claims").bearer(&tokens.access).await.expect(200);
}

async fn expired_sessions_are_deleted_by_later_requests() {
    let kept = Kept::new();
    let app = kept.start().await;
    app.register(EMAIL).await;
    app.advance(8 * 24 * 3600);
    app.login(EMAIL).await;
    while records(&kept.sessions).await.len() > 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(app.auth.maintain().await.unwrap(), 0);
    app.advance(8 * 24 * 3600);
    assert_eq!(app.auth.maintain().await.unwrap(), 1);
}

async fn more_expired_sessions_than_a_portion_are_deleted_by_one_clean_up() {
    let kept = Kept::new();
    let app = kept.start().await;
    let now = axum_auth_module::clock::Clock::now(&app.clock);
    for n in 0..3500 {
        let (id, user_id) = (format!("{n}"), "1".to_owned());
        let expired = SessionRecord::new(id, user_id, SessionKind::Bearer, "v1", now, now);
        kept.sessions.create(expired).await.unwrap();
    }
    app.register(EMAIL).await;
    while records(&kept.sessions).await.len() > 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(app.auth.maintain().await.unwrap(), 0);
}

async fn logins_and_logouts_leave_nothing_behind() {
    let kept = Kept::new();
    let app = kept.start().await;
    app.register(EMAIL).await;
    for _ in 0..200 {
        let tokens = app.login(EMAIL).await;
        app.post("/auth/logout").bearer(&tokens.access).await.expect(200);
    }
    assert_eq!(records(&kept.sessions).await.len(), 1);
}

/// Two modules with one configuration, one store, one repository of reset tokens and one of sessions, and users of their
/// own with the same ids and addresses.
async fn two_modules_with_one_store_do_not_touch_each_others_entries() {
    let (sessions, store, resets) = (MemorySessions::new(), MemoryStore::new(), MemoryPasswordResets::new());
    let start = |realm: &'static str| {
        let (sessions, store, resets) = (sessions.clone(), store.clone(), resets.clone());
        let outbox = Outbox::default();
        let delivery = outbox.clone();
        let module = move |module: Builder| {
            let module =
                module.registration(StandardActions).session_repo(sessions).store(store).realm(realm);
            module.reset_passwords(resets, StandardActions, delivery)
        };
        async move { (App::with(|config| config, module).await, outbox) }
    };
    let ((customers, to_customers), (staff, to_staff)) = (start("customers").await, start("staff").await);
    for app in [&customers, &staff] {
        app.register(EMAIL).await;
        app.post("/auth/forgot-password").json(&json!({ "email": EMAIL })).await.expect(200);
    }
    for _ in 0..5 {
        customers.login_call(EMAIL, "wrong").await.refused(401, "invalid_credentials");
    }
    customers.login_call(EMAIL, PASSWORD).await.refused(429, "too_many_attempts");
    staff.login(EMAIL).await;
    let new = "a new password for all";
    for (app, outbox, other) in [(&customers, &to_customers, &to_staff), (&staff, &to_staff, &to_customers)] {
        let token = outbox.next::<PasswordResetMessage>().await.token;
        let body = json!({ "email": EMAIL, "token": token, "password": new, "passwordConfirmation": new });
        app.post("/auth/reset-password").json(&body).await.expect(200);
        assert!(outbox.is_empty() && (other.is_empty() || app.address == customers.address));
    }
}
