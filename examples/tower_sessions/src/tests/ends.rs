//! Every way in which a session ends takes its data along, and that of no other session.

use super::{Host, PASSWORD, Visit, days, now, tea};
use crate::Account;
use axum_auth_module::AuthError;
use serde_json::json;

/// What ends the first session of a user.
enum End {
    Logout,
    FromTheList,
    AllOthers,
    Password,
    Reuse,
    ByAdministrator,
    AllByAdministrator,
    ClosedAccount,
}

impl End {
    const ALL: [Self; 8] = [
        Self::Logout,
        Self::FromTheList,
        Self::AllOthers,
        Self::Password,
        Self::Reuse,
        Self::ByAdministrator,
        Self::AllByAdministrator,
        Self::ClosedAccount,
    ];

    /// Whether the user's other session goes on.
    const fn is_of_one(&self) -> bool {
        !matches!(self, Self::AllByAdministrator | Self::ClosedAccount)
    }

    async fn happen(&self, host: &Host, ada: &Account, visit: &Visit, other: &Visit) {
        match self {
            Self::Logout => drop(visit.client.post("/auth/logout").await.expect(200)),
            Self::FromTheList => {
                let path = format!("/auth/user/sessions/{}", visit.id);
                other.client.delete(&path).await.expect(200);
            }
            Self::AllOthers => drop(other.client.delete("/auth/user/sessions").await.expect(200)),
            Self::Password => {
                let new = "another good one";
                let body =
                    json!({ "currentPassword": PASSWORD, "password": new, "passwordConfirmation": new });
                other.client.put("/auth/user/password").json(&body).await.expect(200);
            }
            Self::Reuse => {
                let body = json!({ "refreshToken": visit.refresh_token });
                host.client().post("/auth/refresh").json(&body).await.expect(200);
                host.clock.advance(days(1));
                let refused = host.client().post("/auth/refresh").json(&body).await.expect(401);
                assert_eq!(refused.code().unwrap(), "refresh_token_reused");
            }
            Self::ByAdministrator => assert!(host.auth.admin().end_session(&visit.id).await.unwrap()),
            Self::AllByAdministrator => {
                assert_eq!(host.auth.admin().end_all_sessions(&ada.id).await.unwrap(), 3);
            }
            Self::ClosedAccount => host.auth.close_account(&ada.id).await.unwrap(),
        }
    }
}

#[tokio::test]
async fn the_data_ends_with_the_session() -> Result<(), AuthError> {
    for end in End::ALL {
        let host = Host::start().await;
        let (ada, bob) = (host.account("ada").await, host.account("bob").await);
        let (visit, other, bobs) = (host.visit(&ada).await, host.visit(&ada).await, host.visit(&bob).await);
        end.happen(&host, &ada, &visit, &other).await;
        assert!(host.data(&visit.id).await.is_none());
        assert_eq!(host.data(&other.id).await.is_some(), end.is_of_one());
        assert!(host.data(&bobs.id).await.is_some());
        visit.client.post("/basket").json(&tea()).await.expect(401);
        assert!(host.data(&visit.id).await.is_none());
        // Everybody's, at last.
        host.auth.admin().end_everybodys_sessions().await?;
        assert!(host.data(&other.id).await.is_none() && host.data(&bobs.id).await.is_none());
    }
    Ok(())
}

#[tokio::test]
async fn a_login_in_the_browser_starts_with_an_empty_basket() {
    let host = Host::start().await;
    host.account("ada").await;
    let browser = host.browser();
    let login = json!({ "email": "ada@example.com", "password": PASSWORD });
    browser.post("/web/auth/login").json(&login).await.expect(200);
    browser.post("/basket").json(&tea()).await.expect(200);
    browser.post("/web/auth/login").json(&login).await.expect(200);
    assert_eq!(browser.get("/basket").await.expect(200).json::<serde_json::Value>(), json!({}));
}

#[tokio::test]
async fn the_data_of_an_expired_session_is_deleted_with_its_row() {
    let host = Host::start().await;
    let visit = host.visit(&host.account("ada").await).await;
    host.clock.advance(days(6));
    host.auth.maintain().await.unwrap();
    assert!(host.data(&visit.id).await.is_some(), "the session is not over yet");
    host.clock.advance(days(2));
    visit.client.get("/basket").await.expect(401);
    assert!(host.row(&visit.id).await.unwrap().expires_at < now(&host));
    host.auth.maintain().await.unwrap();
    assert!(host.row(&visit.id).await.is_none() && host.data(&visit.id).await.is_none());
}
