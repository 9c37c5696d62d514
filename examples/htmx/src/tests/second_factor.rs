//! A login with a second factor.

use super::{EMAIL, PASSWORD, Site, by_htmx, has, hx_redirect, login, redirect};
use axum_auth_module::testing::{enable_two_factor, totp_at, totp_next, totp_now};
use std::time::SystemTime;

#[tokio::test]
async fn a_login_with_htmx_asks_for_the_second_factor() {
    let site = Site::start().await;
    let account = site.register().await;
    let factor = enable_two_factor(&site.auth, &account).await.unwrap();
    let browser = site.telephone();
    let entered = [("email", EMAIL), ("password", PASSWORD), ("next", "/sessions")];
    let reply = by_htmx(browser.post("/login"), "/login").form(entered).await.expect(204);
    assert_eq!(hx_redirect(&reply), "/two-factor-challenge?next=%2Fsessions");
    assert!(reply.header("set-cookie").unwrap().starts_with("__Host-Http-auth-challenge="));
    let page = browser.get("/two-factor-challenge?next=%2Fsessions").await.expect(200);
    has(&page, r#"<input type="hidden" name="next" value="/sessions">"#);

    let answer = |code: &str| [("code", code.to_owned()), ("next", "/sessions".to_owned())];
    let path = "/two-factor-challenge";
    for wrong in ["abcdefghij-klmnopqrst", "x"] {
        let part = by_htmx(browser.post(path), path).form(answer(wrong)).await.expect(422);
        assert!(part.text().starts_with(r#"<form id="challenge-form""#), "{}", part.text());
        has(&part, r#"id="challenge-code-error""#);
    }
    let code = totp_now(&site.auth, &account).await.unwrap();
    let reply = by_htmx(browser.post(path), path).form(answer(&code)).await.expect(204);
    assert_eq!(hx_redirect(&reply), "/sessions");
    browser.get("/sessions").await.expect(200);

    // Without htmx, and with a recovery code.
    let plain = site.telephone();
    assert_eq!(redirect(&plain.post("/login").form(login(PASSWORD)).await), path);
    let recovery_code = &factor.recovery_codes[0];
    let reply = plain.post(path).form([("code", recovery_code.as_str())]).await;
    assert_eq!(redirect(&reply), "/notes");
    plain.get("/notes").await.expect(200);
}

#[tokio::test]
async fn a_second_step_without_a_first_one_leads_to_the_login() {
    let site = Site::start().await;
    let path = "/two-factor-challenge";
    assert_eq!(redirect(&site.browser.get(path).await), "/login?notice=login-expired");
    let reply = by_htmx(site.browser.post(path), path).form([("code", "123456")]).await;
    assert_eq!(hx_redirect(&reply), "/login?notice=login-expired");
    assert!((400..500).contains(&reply.status()), "{}", reply.status());
    has(&site.browser.get("/login?notice=login-expired").await.expect(200), "Please log in again");
}

#[tokio::test]
async fn a_user_sets_a_second_factor_up_and_switches_it_off() {
    let site = Site::start().await;
    site.register().await;
    let path = "/two-factor";
    let action = |action: &str| by_htmx(site.browser.post(path), path).form([("action", action)]);
    assert_eq!(hx_redirect(&action("enable").await.expect(403)), "/confirm?next=%2Ftwo%2Dfactor");
    site.confirm_password().await;
    has(&site.browser.get(path).await.expect(200), "Two-factor authentication is off.");
    assert_eq!(hx_redirect(&action("enable").await.expect(204)), path);
    let page = site.browser.get(path).await.expect(200).text();
    let key = page.split_once(r#"<code id="secret-key">"#).unwrap().1.split_once('<').unwrap().0.to_owned();

    let confirm = |code: &str| {
        let form = [("action", "confirm".to_owned()), ("code", code.to_owned())];
        by_htmx(site.browser.post(path), path).form(form)
    };
    let part = confirm("x").await.expect(422);
    assert!(part.text().starts_with(r#"<section id="two-factor">"#), "{}", part.text());
    has(&part, r#"id="confirm-code-error""#);
    has(&part, "data:image/svg+xml;base64,");
    let code = totp_at(&key, SystemTime::now()).unwrap();
    assert_eq!(hx_redirect(&confirm(&code).await.expect(204)), "/two-factor?notice=two-factor-on");
    let page = site.browser.get("/two-factor?notice=two-factor-on").await.expect(200);
    assert_eq!(page.text().matches("<li><code>").count(), 8);
    assert_eq!(hx_redirect(&action("disable").await.expect(204)), "/two-factor?notice=two-factor-off");
    has(&site.browser.get(path).await.expect(200), "Two-factor authentication is off.");
}

#[tokio::test]
async fn a_user_with_a_second_factor_confirms_with_both() {
    let site = Site::start().await;
    let account = site.register().await;
    enable_two_factor(&site.auth, &account).await.unwrap();
    site.browser.post("/login").form(login(PASSWORD)).await.expect(303);
    let code = totp_now(&site.auth, &account).await.unwrap();
    site.browser.post("/two-factor-challenge").form([("code", code)]).await.expect(303);

    let entered = |code: &str| [("password", PASSWORD.to_owned()), ("code", code.to_owned())];
    has(&site.browser.get("/confirm").await.expect(200), r#"name="code""#);
    let part = by_htmx(site.browser.post("/confirm"), "/confirm").form(entered("x")).await.expect(422);
    has(&part, r#"id="confirm-code-error""#);
    let code = totp_next(&site.auth, &account).await.unwrap();
    let reply = by_htmx(site.browser.post("/confirm"), "/confirm").form(entered(&code)).await.expect(204);
    assert_eq!(hx_redirect(&reply), "/notes?notice=confirmed");
    has(&site.browser.get("/two-factor").await.expect(200), "Two-factor authentication is on.");
}
