//! No request has two credentials: a bearer token takes precedence over a cookie at the host's routes, and counts for
//! nothing at the browser router.

use super::browser::Browser;
use super::host;
use crate::support::{EMAIL, PASSWORD};
use serde_json::json;

#[tokio::test]
async fn a_bearer_token_takes_precedence_over_a_cookie_even_if_it_is_invalid() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let tokens = app.register("grace@example.com").await;
    let call = |path: &str| browser.call(reqwest::Method::GET, path);
    for path in ["/me", "/claims", "/verified", "/confirmed"] {
        for header in
            ["Bearer x", "bearer x", "BEARER x", "Bearer", "Bearer ", &format!("Bearer {}x", tokens.access)]
        {
            call(path).header("authorization", header).await.refused(401, "unauthenticated");
        }
        // Two headers, in both orders.
        let both = call(path).header("authorization", "Basic eDp5").bearer("x");
        both.await.refused(401, "unauthenticated");
        let both = call(path).bearer("x").header("authorization", "Basic eDp5");
        both.await.refused(401, "unauthenticated");
    }
    assert_eq!(call("/optional").bearer("x").await.expect(200).text, "nobody");
    assert_eq!(call("/me").bearer(&tokens.access).await.expect(200).text, "grace@example.com");
    assert_eq!(call("/kind").bearer(&tokens.access).await.expect(200).text, "bearer");
    assert_eq!(call("/kind").await.expect(200).text, "browser");
    // Another scheme belongs to a proxy, and is ignored.
    for header in ["Basic eDp5", "Negotiate x", "Bearerx y", "", "Digest username=\"Bearer x\""] {
        assert_eq!(call("/me").header("authorization", header).await.expect(200).text, EMAIL, "{header}");
    }
    // The browser router reads no `Authorization` header.
    for header in ["Bearer x", "Basic eDp5", &format!("Bearer {}", tokens.access)] {
        let list = call("/web/auth/user/sessions").header("authorization", header).await.expect(200);
        assert_eq!(list.body["sessions"][0]["kind"], "browser");
        let alone = app.get("/web/auth/user/sessions").header("authorization", header);
        alone.await.refused(401, "unauthenticated");
        let session = app.get("/web/auth/session").header("authorization", header).await.expect(200);
        assert_eq!(session.body, json!({ "authenticated": false }));
    }
    let body = json!({ "password": PASSWORD });
    let confirm = app.post("/auth/user/confirm-password").header("cookie", &browser.cookie_header().unwrap());
    confirm.json(&body).await.refused(401, "unauthenticated");
}
