//! Administrators who act for a user (specification §33).

mod endings;
mod sessions;
mod starts;
mod what_it_may;

use crate::change_emails::unlimited;
use crate::support::answer::Answer;
use crate::support::routers::SESSION_COOKIE;
use crate::support::{Account, App, EMAIL, Tokens};
use axum_auth_module::policy::{Policy, PolicyError};
use axum_auth_module::{AuthError, AuthUser, async_trait};
use serde_json::json;

pub(crate) const ACTOR: &str = "support";
const REASON: &str = "Ticket 4711: the orders are missing";

/// Lets the support desk act for everybody.
#[derive(Clone, Copy)]
pub(crate) struct SupportDesk;

#[async_trait]
impl Policy<Account> for SupportDesk {
    async fn allows_impersonation(&self, actor: &str, _user: &Account) -> Result<bool, PolicyError> {
        Ok(actor == ACTOR)
    }
}

async fn host() -> App {
    App::with_everything_and(unlimited, |module| module.policy(SupportDesk)).await
}

fn id(app: &App) -> <Account as AuthUser>::Id {
    app.users.by_email(EMAIL).unwrap().id
}

/// The start of a session in which the support desk acts for this user, on the router of the test.
async fn start(app: &App, id: i64) -> Answer {
    let body = json!({ "id": id, "reason": REASON });
    app.post("/impersonate").json(&body).await
}

/// Such a session.
pub(crate) async fn impersonate(app: &App, id: i64) -> Tokens {
    if app.is_for_browsers() {
        let cookies = start(app, id).await.expect(200).set_cookies();
        let session = cookies.into_iter().find(|cookie| cookie.name == SESSION_COOKIE);
        return Tokens { access: session.unwrap().value, refresh: String::new() };
    }
    let pair = app.auth.admin().impersonate(ACTOR, &id, REASON).await.unwrap().tokens;
    Tokens { access: pair.access_token, refresh: pair.refresh_token }
}

/// A user in a session, and the session in which the support desk acts for the user.
async fn impersonated() -> (App, Tokens, Tokens) {
    let app = host().await;
    let own = app.register(EMAIL).await;
    app.verify_address(EMAIL);
    let acting = impersonate(&app, id(&app)).await;
    (app, own, acting)
}

/// The reason of a refusal of the library, or of a policy.
fn reason(refused: &AuthError) -> &str {
    match refused {
        AuthError::NotAllowed { reason, .. } => reason,
        other => panic!("{other:?}"),
    }
}
