//! "Remember me": the field `remember`, and what it does.

use super::browser::{Browser, CHALLENGE, SESSION};
use super::host;
use crate::support::answer::Answer;
use crate::support::authenticator::Enrolled;
use crate::support::{EMAIL, PASSWORD, forge, registration};
use serde_json::{Value, json};

fn with_remember(mut body: Value, remember: Option<Value>) -> Value {
    if let Some(remember) = remember {
        body["remember"] = remember;
    }
    body
}

fn is_remembered(answer: &Answer) -> bool {
    let cookies: Vec<_> =
        answer.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap()).collect();
    let cookie = cookies.iter().find(|cookie| cookie.starts_with("__Host-Http-auth=ey"));
    cookie.expect("a session cookie").contains("Max-Age=2592000")
}

#[tokio::test]
async fn remember_is_true_or_false_and_false_without_it() {
    let app = host::start().await;
    for (index, (remember, expected)) in
        [(None, false), (Some(Value::Null), false), (Some(json!(false)), false), (Some(json!(true)), true)]
            .into_iter()
            .enumerate()
    {
        let email = format!("user{index}@example.com");
        let browser = Browser::new(&app);
        let body = with_remember(registration(&email), remember.clone());
        let answer = browser.post("/web/auth/register", &body).await.expect(201);
        assert_eq!(is_remembered(&answer), expected, "{remember:?}");
        let body = with_remember(json!({ "email": email, "password": PASSWORD }), remember.clone());
        let answer = browser.post("/web/auth/login", &body).await.expect(200);
        assert_eq!(is_remembered(&answer), expected, "{remember:?}");
        let list = browser.get("/web/auth/user/sessions").await.expect(200);
        assert_eq!(list.body["sessions"][0]["remembered"], json!(expected));
    }
}

#[tokio::test]
async fn remember_with_another_type_is_422_for_browsers_and_ignored_for_other_clients() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let before = browser.session();
    for (index, wrong) in
        [json!("true"), json!(1), json!(0), json!(""), json!([true]), json!({})].into_iter().enumerate()
    {
        let login = with_remember(json!({ "email": EMAIL, "password": PASSWORD }), Some(wrong.clone()));
        let email = format!("user{index}@example.com");
        let register = with_remember(registration(&email), Some(wrong.clone()));
        for (path, body) in [("/web/auth/login", &login), ("/web/auth/register", &register)] {
            let refused = browser.post(path, body).await.field_errors();
            assert_eq!(refused, ["remember: wrong_type"], "{wrong}");
        }
        assert_eq!(browser.session(), before);
        app.post("/auth/login").json(&login).await.expect(200).tokens();
        app.post("/auth/register")
            .from(&format!("192.0.2.{}", index + 10))
            .json(&register)
            .await
            .expect(201)
            .tokens();
    }
    // Together with the errors of other fields.
    let all = json!({ "email": "x", "password": 1, "remember": "x" });
    let errors = browser.post("/web/auth/login", &all).await.field_errors();
    assert!(errors.contains(&"remember: wrong_type".to_owned()) && errors.len() == 3, "{errors:?}");
    // A session of tokens is never remembered.
    let body = json!({ "email": EMAIL, "password": PASSWORD, "remember": true });
    let tokens = app.post("/auth/login").json(&body).await.expect(200).tokens();
    let list = app.get("/auth/user/sessions").bearer(&tokens.access).await.expect(200);
    assert_eq!(list.body["sessions"][0]["remembered"], json!(false));
}

#[tokio::test]
async fn remember_survives_the_challenge() {
    let app = host::start().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    for remember in [true, false] {
        let browser = Browser::new(&app);
        let body = json!({ "email": EMAIL, "password": PASSWORD, "remember": remember });
        let answer = browser.post("/web/auth/login", &body).await.expect(200);
        assert_eq!(answer.body, json!({ "twoFactor": true, "methods": ["totp", "recovery_code"] }));
        assert_eq!(forge::claims(&browser.cookie(CHALLENGE).unwrap())["rem"], json!(remember));
        // The second step cannot change it.
        let body = json!({ "code": authenticator.code(&app), "remember": !remember });
        let answer = browser.post("/web/auth/two-factor-challenge", &body).await.expect(200);
        assert_eq!(is_remembered(&answer), remember);
        assert_eq!(browser.names(), [SESSION]);
        let session = &browser.get("/web/auth/user/sessions").await.expect(200).body["sessions"][0];
        assert_eq!(session["remembered"], json!(remember));
        assert_eq!(session["authenticatedBy"], json!(["pwd", "otp", "mfa"]));
        app.next_step();
    }
}
