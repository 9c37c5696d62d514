//! A WebSocket that sends back what it receives, for users.

use crate::Account;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum_auth_module::{AuthModule, Claims, CurrentUser};
use std::time::Duration;

pub(crate) async fn live(
    user: CurrentUser<Account>,
    claims: Claims<Account>,
    State(auth): State<AuthModule<Account>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let session_id = claims.session_id().to_owned();
    upgrade.on_upgrade(async move |socket| echo(socket, auth, &user.id, &session_id).await)
}

async fn echo(mut socket: WebSocket, auth: AuthModule<Account>, user_id: &String, session_id: &str) {
    let mut minute = tokio::time::interval(Duration::from_secs(60));
    loop {
        tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(Message::Text(text))) if socket.send(Message::Text(text.clone())).await.is_ok() => {}
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => return,
            },
            _ = minute.tick() => if !is_alive(&auth, user_id, session_id).await { return },
        }
    }
}

/// Whether the session has not ended. If the database cannot be reached, it counts as ended.
async fn is_alive(auth: &AuthModule<Account>, user_id: &String, session_id: &str) -> bool {
    let sessions = auth.admin().sessions_of(user_id).await.unwrap_or_default();
    sessions.iter().any(|session| session.id == session_id)
}
