//! `docs/guide/more-than-a-password.md`

use crate::two_factor::Account;
use axum_auth_module::assurance::{Assurance, Level};
use axum_auth_module::extract::Assured;
use std::time::Duration;

/// Both factors, proven within the last five minutes.
pub struct Payout;

impl Assurance for Payout {
    const LEVEL: Level = Level::TwoFactors;
    const MAX_AGE: Option<Duration> = Some(Duration::from_secs(300));
}

pub async fn pay(Assured(account, ..): Assured<Account, Payout>) -> String {
    format!("Paid to {}", account.name)
}

use axum_auth_module::extract::AssuredPageUser;

pub async fn safe(AssuredPageUser(account, ..): AssuredPageUser<Account, Payout>) -> String {
    format!("The safe of {}", account.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{call, database, register};
    use axum::Router;
    use axum::routing::{get, post};
    use axum_auth_module::sql::SqlUsers;
    use axum_auth_module::testing::{self, Browser};
    use axum_auth_module::{AuthModule, StandardActions, auth_module};
    use serde_json::{Value, json};

    async fn app() -> Router {
        let pool = database().await;
        axum_auth_module::sql::migrate(&pool).await.unwrap();
        let auth: AuthModule<Account> = auth_module! {
            config: testing::config().build().unwrap(),
            features: [REGISTRATION, TWO_FACTOR_AUTHENTICATION, BROWSER_SESSIONS],
            user_repo: SqlUsers::<Account>::new(pool),
            actions: StandardActions,
        };
        let app = Router::new().route("/pay", post(pay)).route("/safe", get(safe));
        app.nest("/auth", auth.router()).nest("/web/auth", auth.browser_router()).with_state(auth)
    }

    #[tokio::test]
    async fn a_route_says_what_it_needs() {
        let app = app().await;
        let token = register(&app, "/auth/register", "ada@example.com", Value::Null).await;
        let (status, response) = call(&app, "POST", "/pay", &token, Value::Null).await;
        assert_eq!((status, &response["code"]), (401, &"insufficient_user_authentication".into()));
        assert_eq!(response["acrValues"], json!(["aal2", "phr"]), "{response}");
        assert_eq!((&response["maxAge"], &response["methods"]), (&json!(300), &json!([])));
    }

    #[tokio::test]
    async fn a_page_leads_to_the_page_for_that() {
        let browser = Browser::new(app().await);
        let ada = json!({
            "name": "Ada", "email": "ada@example.com", "password": "correct horse",
            "passwordConfirmation": "correct horse",
        });
        let response = browser.get("/safe").await.expect(303);
        assert_eq!(response.location(), Some("/login?next=%2Fsafe"));
        browser.post("/web/auth/register").json(&ada).await.expect(201);
        let response = browser.get("/safe").await.expect(303);
        assert_eq!(response.location(), Some("/confirm?next=%2Fsafe"));
    }
}
