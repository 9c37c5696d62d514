//! The site under attack: a host with the module in this process, whose clock the test moves. It records every request, and
//! its state can be compared. People can also log in with a provider.

mod pages;
mod people;
mod records;

pub(crate) use records::Arrival;

use super::{Account, Origin, PASSWORD, Provider};
use crate::attacks;
use axum::extract::FromRef;
use axum::middleware::from_fn_with_state;
use axum::{Router, serve};
use axum_auth_module::config::{BrowserOptions, SameSite};
use axum_auth_module::http::OutboundClient;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::social::SocialProviders;
use axum_auth_module::testing::{self, MemoryIdentities, MemoryUsers, MovableClock};
use axum_auth_module::{AuthModule, StandardActions, auth_module};
use records::Records;
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// A running host.
pub(crate) struct Site {
    port: u16,
    /// The port of the pages that attack it.
    foreign_port: u16,
    pub(crate) clock: MovableClock,
    pub(crate) auth: AuthModule<Account>,
    users: MemoryUsers<Account>,
    sessions: MemorySessions,
    records: Records,
}

/// The state of the host's routes.
#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
    records: Records,
}

impl Site {
    /// Starts the site, and next to it a server with the pages that attack it.
    pub(crate) async fn start() -> Self {
        Self::start_with(BrowserOptions::default()).await
    }

    /// Starts a site whose session cookie is `SameSite=Strict`.
    pub(crate) async fn start_strict() -> Self {
        Self::start_with(BrowserOptions::default().same_site(SameSite::Strict)).await
    }

    async fn start_with(browser: BrowserOptions) -> Self {
        let (clock, users, sessions) = (MovableClock::new(), MemoryUsers::default(), MemorySessions::new());
        let (listener, port) = bind().await;
        let provider = Provider::new().await;
        let callback = format!("http://{}:{port}/auth/oauth/demo/callback", Origin::Own.host());
        let config = testing::config().clock(clock.clone()).browser(browser);
        let auth = auth_module! {
            config: config.build().expect("a valid configuration"),
            features: [
                REGISTRATION, UPDATE_PASSWORDS, UPDATE_PROFILE_INFORMATION, SESSIONS, BROWSER_SESSIONS,
                PASSWORDLESS_REGISTRATION, SOCIAL_LOGIN,
            ],
            user_repo: users.clone(),
            session_repo: sessions.clone(),
            identity_repo: MemoryIdentities::new(),
            social_providers: SocialProviders::new([provider.for_host(&callback)]).expect("a valid provider"),
            http_client: OutboundClient::new(),
            actions: StandardActions,
        };
        provider.serve([callback]);
        let records = Records::default();
        let app = pages::router()
            .nest("/auth", auth.browser_router())
            .nest("/attacks", attacks::pages())
            .layer(from_fn_with_state(records.clone(), records::record))
            .with_state(App { auth: auth.clone(), records: records.clone() });
        listen(listener, app);
        let (foreign, foreign_port) = bind().await;
        listen(foreign, Router::new().nest("/attacks", attacks::pages()));
        Self { port, foreign_port, clock, auth, users, sessions, records }
    }

    /// A page of the site.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin(Origin::Own))
    }

    /// Scheme, host and port of a place that the attacks are tried from.
    pub(crate) fn origin(&self, origin: Origin) -> String {
        let port = if origin == Origin::Own { self.port } else { self.foreign_port };
        format!("http://{}:{port}", origin.host())
    }

    /// A page that attacks this site.
    pub(crate) fn attack(&self, from: Origin, page: &str) -> String {
        format!("{}/attacks/{page}?target={}", self.origin(from), self.url(""))
    }
}

/// A free port of this machine.
async fn bind() -> (TcpListener, u16) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

/// Serves for as long as the runtime of the test lives.
fn listen(listener: TcpListener, app: Router) {
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { serve(listener, app).await });
}
