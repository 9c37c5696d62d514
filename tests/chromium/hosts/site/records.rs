//! What has happened at the site: its requests, and its state.

use super::Site;
use crate::browser::wait::until;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;
use axum_auth_module::clock::Clock;
use axum_auth_module::repository::{SessionKind, SessionRecord, SessionRepository};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request with the status of its response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arrival {
    /// Method and path: `POST /transfer`.
    pub(crate) line: String,
    pub(crate) has_cookie: bool,
    pub(crate) origin: Option<String>,
    pub(crate) sec_fetch_site: Option<String>,
    pub(crate) status: u16,
}

/// Everything that an attack could change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Snapshot {
    /// The users: id, name, address, password hash.
    pub(crate) users: Vec<(u32, String, String, String)>,
    /// The sessions: id, user, state. The state changes with each replaced cookie.
    pub(crate) sessions: Vec<(String, String, String)>,
    /// The receivers of the transfers that were made.
    pub(crate) transfers: Vec<String>,
    /// The users of the WebSocket connections that were opened.
    pub(crate) live: Vec<String>,
}

/// Shared by the routes and the test.
#[derive(Clone, Default)]
pub(super) struct Records(Arc<Mutex<Recorded>>);

#[derive(Default)]
struct Recorded {
    arrivals: Vec<Arrival>,
    transfers: Vec<String>,
    live: Vec<String>,
}

impl Records {
    pub(super) fn transfer(&self, to: String) {
        self.0.lock().unwrap().transfers.push(to);
    }

    pub(super) fn live(&self, name: String) {
        self.0.lock().unwrap().live.push(name);
    }
}

/// A middleware that records each request when its response is ready.
pub(super) async fn record(State(records): State<Records>, request: Request, next: Next) -> Response {
    let text = |headers: &HeaderMap, name| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let headers = request.headers();
    let mut arrival = Arrival {
        line: format!("{} {}", request.method(), request.uri().path()),
        has_cookie: text(headers, "cookie").is_some_and(|cookies| cookies.contains("__Host-Http-auth=")),
        origin: text(headers, "origin"),
        sec_fetch_site: text(headers, "sec-fetch-site"),
        status: 0,
    };
    let response = next.run(request).await;
    arrival.status = response.status().as_u16();
    records.0.lock().unwrap().arrivals.push(arrival);
    response
}

impl Site {
    /// The requests since the last call.
    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        std::mem::take(&mut self.records.0.lock().unwrap().arrivals)
    }

    /// Waits for a request with this method and path, and forgets all requests until then.
    pub(crate) async fn arrival(&self, line: &str) -> Arrival {
        until(&format!("the request {line}"), async || {
            let arrivals = self.arrivals();
            let found = arrivals.iter().find(|arrival| arrival.line == line).cloned();
            found.ok_or_else(|| format!("{arrivals:?}"))
        })
        .await
    }

    /// Waits until the only session's last use is recorded as now. Uses are written in the background.
    pub(crate) async fn was_used_now(&self) {
        until("the use of the session", async || {
            let [row] = &self.rows().await[..] else { return Err("there is not one session".to_owned()) };
            let since = self.clock.now().duration_since(row.last_used_at).expect("a use in the past");
            // Stored times are whole milliseconds.
            if since < Duration::from_secs(1) { Ok(()) } else { Err(format!("it was {since:?} ago")) }
        })
        .await;
    }

    pub(crate) async fn snapshot(&self) -> Snapshot {
        let users = self.users.all().into_iter();
        let users: Vec<_> = users.map(|user| (user.id, user.name, user.email, user.password)).collect();
        let rows = self.rows().await.into_iter();
        let mut sessions: Vec<_> = rows.map(|row| (row.id, row.user_id, row.state.to_string())).collect();
        sessions.sort();
        let recorded = self.records.0.lock().unwrap();
        Snapshot { users, sessions, transfers: recorded.transfers.clone(), live: recorded.live.clone() }
    }
    async fn rows(&self) -> Vec<SessionRecord> {
        let kinds = [SessionKind::Bearer, SessionKind::Browser, SessionKind::Device];
        let mut rows = Vec::new();
        for user in self.users.all() {
            rows.extend(
                self.sessions.find_by_user(&user.id.to_string(), &kinds).await.expect("memory does not fail"),
            );
        }
        rows
    }
}
