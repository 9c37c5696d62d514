//! A flow of a session that ends between its two requests: it links nothing and confirms nothing, and the provider is not asked.

use super::site::{Site, ada, site};
use super::visitor::{Purpose, Visitor};
use crate::support::provider::Person;
use crate::support::routers::{SESSION_COOKIE, is_browser, on_both_routers};
use crate::support::{EMAIL, PASSWORD, Tokens};
use serde_json::json;

on_both_routers![
    a_link_ends_with_its_session,
    a_confirmation_ends_with_its_session,
    a_change_of_the_password_in_the_session_ends_its_flows,
    the_next_session_of_the_browser_does_not_take_the_flow_over,
];

/// What ends the session of a flow.
#[derive(Clone, Copy, Debug)]
enum End {
    Logout,
    OfOneSession,
    OfAllOthers,
    NewPasswordElsewhere,
    Administrator,
    LockDown,
    Suspension,
    Deletion,
}

impl End {
    const ALL: [Self; 8] = [
        Self::Logout,
        Self::OfOneSession,
        Self::OfAllOthers,
        Self::NewPasswordElsewhere,
        Self::Administrator,
        Self::LockDown,
        Self::Suspension,
        Self::Deletion,
    ];

    /// Ends the session of the visitor. `other` is another session of the user.
    async fn happens(self, site: &Site, visitor: &Visitor, other: &Tokens) {
        let (app, id) = (&site.app, site.account(EMAIL).id);
        match self {
            Self::Logout => drop(visitor.post("/auth/logout", &json!({})).await.expect(200)),
            Self::OfOneSession => {
                let listed = visitor.get("/auth/user/sessions").await.expect(200).body;
                let all = listed["sessions"].as_array().unwrap();
                let current = all.iter().find(|session| session["current"] == true).unwrap();
                let path = format!("/auth/user/sessions/{}", current["id"].as_str().unwrap());
                app.delete(&path).bearer(&other.access).await.expect(200);
            }
            Self::OfAllOthers => {
                app.delete("/auth/user/sessions").bearer(&other.access).await.expect(200);
            }
            Self::NewPasswordElsewhere => drop(new_password(site, other).await),
            Self::Administrator => drop(app.auth.admin().end_all_sessions(&id).await.unwrap()),
            Self::LockDown => app.auth.admin().lock_down(&id).await.unwrap(),
            Self::Suspension => drop(app.users.update(EMAIL, |user| user.active = false)),
            Self::Deletion => drop(app.users.remove(EMAIL)),
        }
    }
}

async fn new_password(site: &Site, tokens: &Tokens) -> Tokens {
    let new = "another long password";
    let change = json!({ "currentPassword": PASSWORD, "password": new, "passwordConfirmation": new });
    let answer = site.app.put("/auth/user/password").bearer(&tokens.access).json(&change).await;
    answer.expect(200).tokens()
}

/// A user with an identity of `acme`, the session of the visitor, and another one. Both are confirmed.
async fn two_sessions() -> (Site, Visitor, Tokens) {
    let site = site().await;
    let tokens = site.linked_user(EMAIL, &ada()).await;
    let other = site.app.login(EMAIL).await;
    site.app.confirm_password(&other.access).await;
    let visitor = site.visitor().with(&tokens);
    (site, visitor, other)
}

/// Who comes back from `acme` in a flow of this purpose: somebody who can be linked, or the user.
fn person(purpose: Purpose) -> Person {
    if purpose == Purpose::Link { Person::new("eve", "eve@example.com") } else { ada() }
}

async fn ends_with_its_session(purpose: Purpose) {
    for end in End::ALL {
        let (site, visitor, other) = two_sessions().await;
        let acme = site.provider("acme");
        let flow = visitor.begin_for(purpose, "acme", &json!({ "next": "/settings" })).await;
        let returned = acme.consent(&flow.url, &person(purpose));
        let before = acme.calls("/token");
        end.happens(&site, &visitor, &other).await;
        if is_browser() {
            // With the cookie of the session that was, and as after a redirect in a strict browser without it.
            visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
            visitor.forget(SESSION_COOKIE);
            let outcome = visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
            assert!(outcome.page().unwrap().cookie(SESSION_COOKIE).is_none(), "{end:?}");
        } else {
            visitor.finish(&flow, &returned).await.refused(401, "unauthenticated");
        }
        assert_eq!(acme.calls("/token"), before, "{end:?}");
        assert!(site.identity("acme", "eve").await.is_none(), "{end:?}");
    }
}

async fn a_link_ends_with_its_session() {
    ends_with_its_session(Purpose::Link).await;
}

async fn a_confirmation_ends_with_its_session() {
    ends_with_its_session(Purpose::Confirm).await;
}

async fn a_change_of_the_password_in_the_session_ends_its_flows() {
    for purpose in [Purpose::Link, Purpose::Confirm] {
        let (site, _, tokens) = two_sessions().await;
        let visitor = site.visitor().with(&tokens);
        let flow = visitor.begin_for(purpose, "acme", &json!({})).await;
        let returned = site.provider("acme").consent(&flow.url, &person(purpose));
        let before = site.provider("acme").calls("/token");
        let visitor = visitor.with(&new_password(&site, &tokens).await);
        visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
        assert_eq!(site.provider("acme").calls("/token"), before, "{purpose:?}");
    }
}

async fn the_next_session_of_the_browser_does_not_take_the_flow_over() {
    for purpose in [Purpose::Link, Purpose::Confirm] {
        let (site, visitor, _) = two_sessions().await;
        let flow = visitor.begin_for(purpose, "acme", &json!({})).await;
        let returned = site.provider("acme").consent(&flow.url, &person(purpose));
        visitor.post("/auth/logout", &json!({})).await.expect(200);
        let visitor = visitor.with(&site.app.login(EMAIL).await);
        visitor.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
        assert!(site.identity("acme", "eve").await.is_none(), "{purpose:?}");
    }
}
