//! What somebody can do who can write the table of sessions and nothing else: end sessions, and no more.

use super::session_id;
use crate::support::places::Place;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, Tokens, forge, routers};
use axum_auth_module::clock::Clock;
use axum_auth_module::repository::{SessionKind, SessionRecord};
use serde_json::json;
use std::time::{Duration, UNIX_EPOCH};

on_both_routers![
    a_row_whose_kind_was_changed_is_no_session,
    a_session_ends_by_its_start_whatever_the_times_of_its_row_say,
    a_credential_does_not_outlive_its_session_whatever_the_row_says,
    a_last_use_in_the_future_lasts_until_the_next_use,
];

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

async fn row(place: &Place, of: &Tokens) -> SessionRecord {
    let rows = place.rows("1").await;
    rows.into_iter().find(|row| row.id == session_id(of)).expect("the row of the session")
}

/// In memory, a row with the id of another one replaces it.
async fn write(place: &Place, row: &SessionRecord) {
    place.sessions().await.create(row.clone()).await.unwrap();
}

async fn a_row_whose_kind_was_changed_is_no_session() {
    let place = Place::memory();
    let app = place.start().await;
    let (tokens, other) = (app.register(EMAIL).await, app.login(EMAIL).await);
    let own = row(&place, &tokens).await;
    for kind in SessionKind::ALL.iter().copied().filter(|kind| *kind != own.kind) {
        let mut changed = own.clone();
        changed.kind = kind;
        write(&place, &changed).await;
        app.is_over(&tokens).await;
        let sessions = app.auth.admin().sessions_of(&1).await.unwrap();
        assert_eq!(sessions.len(), 1, "{kind:?}");
    }
    write(&place, &own).await;
    app.me(&tokens.access).await.expect(200);
    app.me(&other.access).await.expect(200);
}

/// The session of a remembered login, on the browser router, and how long it may last.
async fn logged_in(app: &App, remember: bool) -> (Tokens, Duration) {
    let body = json!({ "email": EMAIL, "password": PASSWORD, "remember": remember });
    let tokens = app.post("/auth/login").json(&body).await.expect(200).tokens();
    (tokens, if app.is_for_browsers() && !remember { DAY } else { 30 * DAY })
}

async fn a_session_ends_by_its_start_whatever_the_times_of_its_row_say() {
    for remember in [false, true] {
        let place = Place::memory();
        let app = place.start().await;
        app.register(EMAIL).await;
        let (tokens, lifetime) = logged_in(&app, remember).await;
        let mut row = row(&place, &tokens).await;
        // The state has whole seconds.
        let end = app.clock.now() + lifetime;
        (row.expires_at, row.last_used_at) = (app.clock.now() + 366 * DAY, app.clock.now() + 365 * DAY);
        write(&place, &row).await;
        let id = session_id(&tokens);
        let found = async || {
            let sessions = app.auth.admin().sessions_of(&1).await.unwrap();
            sessions.into_iter().find(|session| session.id == id)
        };
        let shown = found().await.expect("the session").expires_at;
        assert!(shown <= end && shown > end - Duration::from_secs(1));
        app.clock.set(end - Duration::from_secs(1));
        assert!(found().await.is_some());
        app.clock.set(end);
        assert!(found().await.is_none());
        app.is_over(&tokens).await;
    }
}

async fn a_credential_does_not_outlive_its_session_whatever_the_row_says() {
    for remember in [false, true] {
        let place = Place::memory();
        let app = place.start().await;
        app.register(EMAIL).await;
        let (mut tokens, lifetime) = logged_in(&app, remember).await;
        let auth = forge::claims(&tokens.access)["iat"].as_u64().unwrap();
        let mut row = row(&place, &tokens).await;
        row.expires_at = app.clock.now() + 366 * DAY;
        write(&place, &row).await;
        app.confirm_password(&tokens.access).await;
        let newest = routers::newest(&tokens.access);
        let credentials = match app.is_for_browsers() {
            true => vec![newest],
            false => {
                tokens = app.renew(&tokens).await;
                vec![tokens.access, tokens.refresh]
            }
        };
        for credential in credentials {
            let expires = forge::claims(&credential)["exp"].as_u64().unwrap();
            assert!(
                UNIX_EPOCH + Duration::from_secs(expires)
                    <= UNIX_EPOCH + Duration::from_secs(auth) + lifetime
            );
        }
    }
}

/// `last_used_at` is not under the MAC, because every use writes it.
async fn a_last_use_in_the_future_lasts_until_the_next_use() {
    let place = Place::memory();
    let app = place.start().await;
    let tokens = app.register(EMAIL).await;
    let mut changed = row(&place, &tokens).await;
    changed.last_used_at = app.clock.now() + 20 * HOUR;
    write(&place, &changed).await;
    app.get("/claims").bearer(&tokens.access).await.expect(200);
    while row(&place, &tokens).await.last_used_at > app.clock.now() {
        tokio::task::yield_now().await;
    }
}
