//! Two modules in one application, and modules in different modes: none reads the cookies of another.

use super::browser::{Browser, SESSION};
use super::host;
use crate::support::{Account, App, Builder, EMAIL, memory_users, serve};
use axum::Router;
use axum::extract::FromRef;
use axum::routing::any;
use axum_auth_module::config::{AuthConfigBuilder, BrowserOptions};
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::{AuthModule, CurrentUser};
use serde_json::json;
use std::sync::Arc;

const STAFF: &str = "__Host-Http-staff";

/// The state of one of the two modules' routes.
#[derive(Clone, FromRef)]
struct Part {
    auth: AuthModule<Account>,
}

/// One address with two modules: the customers below `/web/auth` and `/me`, and the staff below `/staff`.
struct Both {
    customers: Arc<App>,
    staff: Arc<App>,
}

/// Both modules have the same secrets, sessions and users' ids, but another realm and another name of the cookies.
async fn both() -> Both {
    let sessions = MemorySessions::new();
    let module = |name: &'static str| {
        let sessions = sessions.clone();
        let users = memory_users();
        let options = BrowserOptions::default().name(name);
        App::with_everything_on(
            users.clone(),
            users,
            move |config: AuthConfigBuilder| config.browser(options).limits(host::no_limits()),
            move |module: Builder| module.sessions(sessions).realm(name),
        )
    };
    let (mut customers, mut staff) = (module("auth").await, module("staff").await);
    let part = |auth: &AuthModule<Account>| {
        Router::new()
            .route("/me", any(async |CurrentUser(user): CurrentUser<Account>| user.email))
            .nest("/web/auth", auth.browser_router())
            .nest("/auth", auth.router())
            .with_state(Part { auth: auth.clone() })
    };
    let router = part(&customers.auth).nest("/staff", part(&staff.auth));
    let address = serve(router).await;
    (customers.address, staff.address) = (address, address);
    Both { customers: Arc::new(customers), staff: Arc::new(staff) }
}

#[tokio::test]
async fn two_modules_in_one_app_do_not_see_each_others_cookies() {
    let Both { customers, .. } = both().await;
    customers.register(EMAIL).await;
    let browser = Browser::new(&customers);
    browser.log_in(EMAIL).await;
    let staff_registration = crate::support::registration(EMAIL);
    browser.post("/staff/web/auth/register", &staff_registration).await.expect(201);
    assert_eq!(browser.names(), [SESSION, STAFF]);
    for path in ["/me", "/staff/me"] {
        assert_eq!(browser.get(path).await.expect(200).text, EMAIL);
    }
    // Both are user 1: the users have the same id, and the sessions are in one repository.
    let lists = [
        browser.get("/web/auth/user/sessions").await.expect(200),
        browser.get("/staff/web/auth/user/sessions").await.expect(200),
    ];
    let current = lists.map(|list| list.body["sessions"][0]["id"].clone());
    assert_ne!(current[0], current[1]);

    // The end of one leaves the other.
    let both = browser.copy();
    browser.post("/staff/web/auth/logout", &json!({})).await.expect(200);
    assert_eq!(browser.names(), [SESSION]);
    browser.get("/staff/me").await.refused(401, "unauthenticated");
    browser.get("/me").await.expect(200);
    both.get("/staff/me").await.refused(401, "unauthenticated");
    // A login at one does not end the session of the other.
    browser
        .post("/staff/web/auth/login", &json!({ "email": EMAIL, "password": crate::support::PASSWORD }))
        .await
        .expect(200);
    both.get("/me").await.expect(200);
}

#[tokio::test]
async fn a_cookie_under_the_name_of_the_other_module_is_no_credential() {
    let Both { customers, staff } = both().await;
    let browser = Browser::new(&customers);
    browser.register(EMAIL).await;
    let own = browser.session();
    let thief = Browser::new(&staff);
    thief.plant(STAFF, &own);
    thief.get("/staff/me").await.refused(401, "unauthenticated");
    let session = thief.get("/staff/web/auth/session").await.expect(200);
    assert_eq!(session.body, json!({ "authenticated": false }));
    thief.plant(SESSION, &own);
    thief.get("/me").await.expect(200);
    thief.get("/staff/me").await.refused(401, "unauthenticated");
    // A login at the other module with this cookie under its name does not end the session.
    thief.post("/staff/web/auth/register", &crate::support::registration(EMAIL)).await.expect(201);
    browser.get("/me").await.expect(200);
}

#[tokio::test]
async fn development_mode_reads_no_cookie_with_the_prefix_and_the_other_way_round() {
    let sessions = MemorySessions::new();
    let users = memory_users();
    let start = |options: BrowserOptions| {
        let (users, sessions): (MemoryUsers<Account>, _) = (users.clone(), sessions.clone());
        App::with_everything_on(
            users.clone(),
            users,
            |config| config.browser(options),
            |module: Builder| module.sessions(sessions),
        )
    };
    let secure = host::with_pages(start(BrowserOptions::default()).await).await;
    let insecure = host::with_pages(start(BrowserOptions::default().insecure_for_development()).await).await;

    let browser = Browser::new(&insecure);
    let registered = browser.register(EMAIL).await;
    let cookie = registered.header("set-cookie").unwrap();
    assert!(
        cookie.starts_with("auth=ey") && cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax"),
        "{cookie}"
    );
    assert_eq!(browser.names(), ["auth"]);
    assert!(browser.is_logged_in().await);
    assert!(!browser.at(&secure).is_logged_in().await);

    // The value alone is good in both: the name decides.
    let value = browser.cookie("auth").unwrap();
    let other = Browser::new(&secure);
    other.plant(SESSION, &value);
    assert!(other.is_logged_in().await);
    assert!(!other.at(&insecure).is_logged_in().await);
    other.plant("auth", &value);
    assert!(other.is_logged_in().await && other.at(&insecure).is_logged_in().await);

    // The challenge, too.
    let grace = insecure.enrolled("grace@example.com").await;
    let challenged = Browser::new(&insecure);
    let answer = challenged.log_in("grace@example.com").await;
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with("auth-challenge=ey") && !cookie.contains("Secure"), "{cookie}");
    let code = json!({ "code": grace.authenticator.wrong_code(&insecure) });
    let secure_answer = challenged.at(&secure).post("/web/auth/two-factor-challenge", &code).await;
    secure_answer.refused(401, "invalid_challenge_token");
    challenged.post("/web/auth/two-factor-challenge", &code).await.refused(422, "invalid_two_factor_code");
    let logged_out = browser.log_out().await;
    assert_eq!(logged_out.header("set-cookie"), Some("auth=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"));
}

#[tokio::test]
async fn the_origin_is_checked_in_development_mode_too() {
    let options = BrowserOptions::default().insecure_for_development();
    let app = host::start_with(|config| config.browser(options)).await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let cookie = browser.cookie_header().unwrap();
    for path in ["/me", "/web/auth/logout"] {
        let call = app.post(path).header("cookie", &cookie).header("origin", "http://evil.example");
        call.await.refused(403, "cross_origin_request");
    }
    let own = format!("http://{}", app.address);
    app.post("/me").header("cookie", &cookie).header("origin", &own).await.expect(200);
}
