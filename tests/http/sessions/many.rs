//! Many logins and logouts, through the services: memory stays bounded and everybody is served.
//!
//! A million, in stores of the default size, with the time and the memory that they take:
//!
//! ```text
//! LOGINS=1000000 cargo test --release -p auth-tests --test http -- --nocapture many_logins_and_logouts
//! ```

use crate::support::{App, Builder, EMAIL, PASSWORD, Tokens, memory_users};
use axum_auth_module::client::ClientAddress;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::services::{LoginService, SignedIn};
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::MovableClock;
use axum_auth_module::values::{EmailAddress, Password};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Much less than what the logins of this test would leave if they left anything.
const SESSIONS: usize = 8;
const ENTRIES: usize = 160;
const LOGINS: u32 = 600;

#[tokio::test]
async fn many_logins_and_logouts_leave_nothing_and_serve_everybody() {
    let many: Option<u32> = std::env::var("LOGINS").ok().map(|number| number.parse().unwrap());
    let clock = MovableClock::new();
    let (sessions, store) = match many {
        Some(_) => (MemorySessions::new(), MemoryStore::with(Arc::new(clock.clone()), 500_000)),
        None => {
            (MemorySessions::with_capacity(SESSIONS), MemoryStore::with(Arc::new(clock.clone()), ENTRIES))
        }
    };
    let (users, at) = (memory_users(), clock.clone());
    let module = |module: Builder| module.session_repo(sessions).store(store);
    let app = App::with_everything_on(users.clone(), users, |config| config.clock(at), module).await;
    // A session that nobody uses would be the first to end for lack of space.
    let bystander = app.register("bystander@example.com").await;
    app.register(EMAIL).await;
    assert_eq!(app.event_names().await, ["auth.registered"; 2]);
    let (began, before) = (Instant::now(), resident());
    for login in 0..many.unwrap_or(LOGINS) {
        // Each from another client, a thousand a second.
        let ended = log_in_and_out(&app, Ipv4Addr::from(0x0a00_0000 + login).into()).await;
        // The test keeps the events that nobody reads.
        assert_eq!(app.event_names().await, ["auth.login", "auth.logout"]);
        clock.advance(Duration::from_millis(1));
        if login % 500 == 0 {
            app.is_over(&ended).await;
        }
    }
    if many.is_some() {
        let text = format!("{:?}, from {before} to {} kB of memory\n", began.elapsed(), resident());
        std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes()).unwrap();
    } else {
        app.me(&bystander.access).await.expect(200);
    }
    app.refresh(&bystander.refresh).await.expect(200);
    assert_eq!(app.auth.admin().sessions_of(&2).await.unwrap().len(), 1);
    app.login(EMAIL).await;
}

/// A login, a refresh and a logout.
async fn log_in_and_out(app: &App, client: std::net::IpAddr) -> Tokens {
    let (service, client) = (app.auth.service::<LoginService>().unwrap(), ClientAddress::from(client));
    let (email, password) = (EmailAddress::parse(EMAIL).unwrap(), Password::to_check(PASSWORD.to_owned()));
    let SignedIn::Session(pair) = service.login(&email, &password, client).await.unwrap() else {
        panic!("a session")
    };
    let pair = service.refresh(&pair.into_tokens().unwrap().refresh_token, client).await.unwrap();
    let who = app.auth.authenticate(&pair.access_token).await.unwrap();
    service.logout(&who, client).await.unwrap();
    Tokens { access: pair.access_token, refresh: pair.refresh_token }
}

/// The memory of this process, in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
