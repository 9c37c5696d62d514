use crate::host::Account;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum_auth_module::{AuthModule, Claims, CurrentUser};
use std::time::Duration;

async fn live(
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

#[cfg(test)]
mod tests {
    use super::{is_alive, live};
    use crate::host::App;
    use crate::host::tests::{registered, state};
    use axum::Router;
    use axum::routing::get;
    use axum_auth_module::testing;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    /// Serves the snippet. Returns the address and the state.
    async fn served() -> (String, Router, App) {
        let app = state(testing::config()).await;
        let router = Router::new()
            .route("/live", get(live))
            .nest("/auth", app.auth.browser_router())
            .with_state(app.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(axum::serve(listener, router.clone()).into_future());
        (address, router, app)
    }

    /// Asks for a WebSocket, and returns the first line of the response.
    async fn opened(address: &str, site: &str, cookie: &str) -> (TcpStream, String) {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "GET /live HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Sec-Fetch-Site: {site}\r\n{cookie}\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        while !response.ends_with(b"\r\n\r\n") {
            response.push(stream.read_u8().await.unwrap());
        }
        let response = String::from_utf8(response).unwrap();
        (stream, response.lines().next().unwrap().to_owned())
    }

    #[tokio::test]
    async fn pages_of_the_same_origin_open_a_websocket_and_others_do_not() {
        let (address, router, _) = served().await;
        let cookie = format!("Cookie: {}\r\n", registered(&router).await);
        assert_eq!(opened(&address, "same-origin", "").await.1, "HTTP/1.1 401 Unauthorized");
        assert_eq!(opened(&address, "cross-site", &cookie).await.1, "HTTP/1.1 403 Forbidden");
        let (mut socket, status) = opened(&address, "same-origin", &cookie).await;
        assert_eq!(status, "HTTP/1.1 101 Switching Protocols");
        // A text of two bytes (RFC 6455 §5.2), masked with zeros.
        socket.write_all(b"\x81\x82\0\0\0\0hi").await.unwrap();
        let mut echoed = [0; 4];
        socket.read_exact(&mut echoed).await.unwrap();
        assert_eq!(&echoed, b"\x81\x02hi");
    }

    #[tokio::test]
    async fn the_end_of_the_session_is_noticed() {
        let (_, router, App { auth, pool }) = served().await;
        registered(&router).await;
        let user_id: String = sqlx::query_scalar("SELECT id FROM users").fetch_one(&pool).await.unwrap();
        let session = auth.admin().sessions_of(&user_id).await.unwrap().remove(0).id;
        assert!(is_alive(&auth, &user_id, &session).await);
        auth.admin().end_session(&session).await.unwrap();
        assert!(!is_alive(&auth, &user_id, &session).await);
        pool.close().await;
        assert!(!is_alive(&auth, &user_id, &session).await, "without a database");
    }
}
