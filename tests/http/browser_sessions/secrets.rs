//! No cookie reaches a log line of the module, or a page.

use super::browser::{Browser, CHALLENGE, SESSION};
use super::host;
use crate::support::PASSWORD;
use crate::support::authenticator::Authenticator;
use crate::support::logs;
use serde_json::json;

#[tokio::test]
async fn no_log_line_and_no_body_has_a_cookie() {
    let app = host::start().await;
    let email = "logged-in-a-browser@example.com";
    let browser = Browser::new(&app);
    let (mut secrets, mut bodies) = (Vec::new(), Vec::new());
    let mut keep = |answer: crate::support::answer::Answer| {
        bodies.push(answer.text);
        secrets.extend([SESSION, CHALLENGE].into_iter().filter_map(|name| browser.cookie(name)));
    };
    keep(browser.register(email).await);
    keep(browser.log_in_remembered(email).await);
    keep(browser.confirm().await);
    keep(browser.post("/web/auth/user/two-factor-authentication", &json!({})).await.expect(200));
    let key = browser.get("/web/auth/user/two-factor-secret-key").await.expect(200);
    let authenticator = Authenticator::new(key.body["secretKey"].as_str().unwrap());
    let code = json!({ "code": authenticator.code(&app) });
    keep(browser.post("/form/confirm_two_factor", &code).await.expect(200));
    keep(browser.post("/form/log_out", &json!({})).await.expect(200));
    app.next_step();
    keep(browser.post("/form/login", &json!({ "email": email, "password": PASSWORD })).await.expect(200));
    let wrong = json!({ "code": authenticator.wrong_code(&app) });
    keep(browser.post("/web/auth/two-factor-challenge", &wrong).await.expect(422));
    let code = json!({ "code": authenticator.code(&app) });
    keep(browser.post("/form/challenge", &code).await.expect(200));
    keep(browser.post("/web/auth/login", &json!({ "email": email, "password": "wrong" })).await.expect(401));
    for path in ["/web/auth/session", "/web/auth/user/sessions", "/me", "/page", "/optional"] {
        keep(browser.get(path).await.expect(200));
    }
    let evil = browser.call(reqwest::Method::POST, "/me").header("sec-fetch-site", "cross-site");
    keep(evil.await.expect(403));
    secrets.sort();
    secrets.dedup();
    assert_eq!(secrets.len(), 6, "each cookie is another one");
    let logs = logs::recorded();
    let ours: Vec<_> = logs.lines().filter(|line| line.contains(" axum_auth_module: ")).collect();
    for secret in &secrets {
        let signature = secret.rsplit('.').next().unwrap();
        assert!(!ours.iter().any(|line| line.contains(signature)), "{secret}");
        assert!(!bodies.iter().any(|body| body.contains(signature)), "{secret}");
    }
}
