//! BROWSER_SESSIONS: browsers keep a session cookie instead of tokens.
//!
//! **Needs** no provider.
//!
//! The browser router has the routes of all features. What is here is the one route that only browsers have; the cookies and
//! the origin check are in `http`, and the sessions in `core`.

mod handlers;
mod service;

pub use service::{BrowserSession, BrowserSessionsService};

use crate::endpoint::{Credential, Endpoint, EndpointField, EndpointFieldKind, EndpointResponse, RouterKind};
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::user::AuthUser;

const SESSION: Endpoint = Endpoint::get("/session", "session")
    .of(Feature::BrowserSessions)
    .only_on(RouterKind::Browser)
    .summary("Says whether the browser has a session.")
    .requires(Credential::Optional)
    .returns(&[
        EndpointResponse::object(
            "NoSession",
            &[EndpointField::required("authenticated", EndpointFieldKind::Always(false))],
        ),
        EndpointResponse::object(
            "Session",
            &[
                EndpointField::required("authenticated", EndpointFieldKind::Always(true)),
                EndpointField::required("confirmed", EndpointFieldKind::Bool),
                EndpointField::required("expiresAt", EndpointFieldKind::Time),
                EndpointField::required("authenticatedBy", EndpointFieldKind::List(&EndpointFieldKind::Text)),
                EndpointField::ACTOR,
            ],
        ),
    ])
    .changes_cookies();

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// BROWSER_SESSIONS: [`AuthModule::browser_router`](crate::AuthModule::browser_router), and extractors that accept its
    /// session cookie. It needs no provider.
    pub fn browser_sessions(self) -> Self {
        self.mount(pending())
    }
}

fn pending() -> Pending {
    Pending::new(BrowserSessionsService::new).with_browsers()
}
