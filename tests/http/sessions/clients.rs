//! What a `User-Agent` can contain, and what remains of it in each kind of database.

use super::{list, session_id};
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD};
use axum_auth_module::client::{ClientAddress, ClientInfo};
use axum_auth_module::clock::Clock;
use axum_auth_module::repository::{SessionRepository, SessionState};
use axum_auth_module::services::{LoginService, SignedIn};
use axum_auth_module::values::{EmailAddress, Password};
use serde_json::{Value, json};
use std::time::{Duration, UNIX_EPOCH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

in_every_place![user_agents_are_cleaned];
in_every_place![on_both_routers: a_state_that_was_changed_is_no_session];
on_both_routers![
    a_user_agent_that_is_no_header_is_refused_by_the_server,
    a_time_that_cannot_be_written_is_that_of_no_session,
];

async fn user_agents_are_cleaned(place: &Place) {
    let app = place.start().await;
    let own = app.register(EMAIL).await;
    for (header, recorded) in [
        (vec![b'x'; 1 << 20], json!("x".repeat(256))),
        (b"one\r\nSet-Cookie: two".to_vec(), json!("oneSet-Cookie: two")),
        (b"nul\0nul\x07\x7f".to_vec(), json!("nulnul")),
        ("Z\u{fc}rich \u{1f980}".as_bytes().to_vec(), json!("Zrich")),
        (b"'; DROP TABLE auth_sessions; --".to_vec(), json!("'; DROP TABLE auth_sessions; --")),
        (vec![0xff; 300], Value::Null),
        (Vec::new(), Value::Null),
    ] {
        app.advance(60);
        let id = log_in(&app, &header).await;
        let sessions = list(&app, &own).await;
        let session = sessions.iter().find(|session| session["id"] == id).unwrap();
        assert_eq!(session["userAgent"], recorded);
    }
    // No header at all, over HTTP.
    app.advance(60);
    let missing = app.login(EMAIL).await;
    let sessions = list(&app, &own).await;
    let session = sessions.iter().find(|session| session["id"] == session_id(&missing)).unwrap();
    assert_eq!(session["userAgent"], Value::Null);
}

/// A login through the service, with any bytes as the header. Returns the id of the session.
async fn log_in(app: &App, user_agent: &[u8]) -> String {
    let service = app.auth.service::<LoginService>().unwrap();
    let visitor = ClientInfo::from(ClientAddress::UNKNOWN).with_user_agent(user_agent);
    let (email, password) = (EmailAddress::parse(EMAIL).unwrap(), Password::to_check(PASSWORD.to_owned()));
    let Ok(SignedIn::Session(pair)) = service.login(&email, &password, visitor).await else {
        panic!("a session")
    };
    pair.session_id().to_owned()
}

/// What no client of the tests sends: the server itself refuses it, and serves the next request.
async fn a_user_agent_that_is_no_header_is_refused_by_the_server() {
    let app = App::with_everything().await;
    let own = app.register(EMAIL).await;
    let body = json!({ "email": EMAIL, "password": PASSWORD }).to_string();
    for (user_agent, statuses) in [
        (vec![b'x'; 1 << 20], ["431", "400"].as_slice()),
        (b"a\0b".to_vec(), &["400"]),
        (b"a\rb".to_vec(), &["400"]),
        // The line break ends the header; what follows is another one.
        (b"a\r\nX-Other: b".to_vec(), &["200"]),
    ] {
        let mut request = format!("POST {} HTTP/1.1\r\nhost: x\r\n", app.path("/auth/login")).into_bytes();
        request.extend(b"connection: close\r\nsec-fetch-site: same-origin\r\n");
        request.extend(b"content-type: application/json\r\nuser-agent: ");
        request.extend(&user_agent);
        request.extend(format!("\r\ncontent-length: {}\r\n\r\n{body}", body.len()).bytes());
        let mut stream = TcpStream::connect(app.address).await.unwrap();
        // The server may close the connection before it has read everything.
        let _sent = stream.write_all(&request).await;
        let mut response = vec![0; 12];
        if stream.read_exact(&mut response).await.is_ok() {
            let status = std::str::from_utf8(&response[9..]).unwrap();
            assert!(statuses.contains(&status), "{status}");
        }
        app.me(&own.access).await.expect(200);
    }
    let recorded: Vec<_> =
        list(&app, &own).await.iter().map(|session| session["userAgent"].clone()).collect();
    assert_eq!(recorded, [Value::Null, json!("a")]);
}

/// RFC 3339 has the years up to 9999, and the library none before 1970.
async fn a_time_that_cannot_be_written_is_that_of_no_session() {
    let (before, after) =
        (UNIX_EPOCH - Duration::from_secs(1), UNIX_EPOCH + Duration::from_secs(253_402_300_800));
    let place = Place::memory();
    let app = place.start().await;
    let now = app.clock.now();
    let own = app.register(EMAIL).await;
    let sessions = place.sessions().await;
    for (created_at, last_used_at, expires_at) in
        [(before, None, None), (after, None, None), (now, Some(after), None), (now, None, Some(after))]
    {
        let other = app.login(EMAIL).await;
        let record = sessions.find(&session_id(&other)).await.unwrap().unwrap();
        sessions.delete(&record.id).await.unwrap();
        let mut changed = record;
        changed.created_at = created_at;
        changed.last_used_at = last_used_at.unwrap_or(changed.last_used_at);
        changed.expires_at = expires_at.unwrap_or(changed.expires_at);
        sessions.create(changed).await.unwrap();
        assert_eq!(list(&app, &own).await.len(), 1);
        app.is_over(&other).await;
    }
}

/// Whatever else is in the database instead of the state.
async fn a_state_that_was_changed_is_no_session(place: &Place) {
    let app = place.start().await;
    let (tokens, other) = (app.register(EMAIL).await, app.login(EMAIL).await);
    let sessions = place.sessions().await;
    let find = async |id: String| sessions.find(&id).await.ok().flatten().unwrap();
    let (record, of_other) = (find(session_id(&tokens)).await, find(session_id(&other)).await);
    let mut stored = record.state.clone();
    for state in [
        String::new(),
        "null".to_owned(),
        of_other.state.to_string(),
        record.state.replace("\"amr\":[\"pwd\"]", "\"amr\":[\"pwd\",\"otp\"]"),
        record.state.replace("\"v\":1", "\"v\":9"),
        format!("{} ", record.state.as_str()),
        // As much as the column of each database can contain.
        "x".repeat(60_000),
    ] {
        let state = SessionState::from(state);
        let swapped = sessions.swap(&record.id, &stored, &state, record.expires_at).await;
        assert!(swapped.is_ok_and(|swapped| swapped), "{} bytes", state.len());
        stored = state;
        app.is_over(&tokens).await;
        app.me(&other.access).await.expect(200);
        // It is left out of the list.
        assert_eq!(list(&app, &other).await.len(), 1);
    }
    assert!(sessions.swap(&record.id, &stored, &record.state, record.expires_at).await.is_ok());
    app.me(&tokens.access).await.expect(200);
}
