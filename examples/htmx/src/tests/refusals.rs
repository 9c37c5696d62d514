//! Requests of other sites, and errors for which there is no form.

use super::{PASSWORD, Site, by_htmx, by_htmx_at, has, login};

#[tokio::test]
async fn a_request_of_another_origin_changes_nothing() {
    let site = Site::start().await;
    site.register().await;
    let add = [("action", "add"), ("text", "Buy milk")];
    // The cookie comes with the requests of the sibling.
    for evil in [
        site.browser.on_sibling("https://evil.example.com"),
        site.browser.on_other_site("https://evil.example"),
    ] {
        for form in ["/notes", "/logout", "/sessions", "/confirm"] {
            let reply = by_htmx_at(evil.post(form), "https://evil.example/").form(add).await;
            assert!(reply.status() == 403 || reply.status() == 401, "{form}: {reply:?}");
        }
        let reply =
            by_htmx_at(evil.post("/login"), "https://evil.example/").form(login(PASSWORD)).await.expect(403);
        assert_eq!(reply.header("hx-retarget"), Some("#problem"));
        assert_eq!(reply.header("hx-reswap"), Some("innerHTML"));
        assert_eq!((reply.header("hx-redirect"), reply.header("set-cookie")), (None, None));
        assert_eq!(
            reply.text(),
            "<p>This form was sent from another site. If that was you, open the page here.</p>"
        );
        let page = evil.post("/login").form(login(PASSWORD)).await.expect(403);
        assert!(page.text().starts_with("<!DOCTYPE html>"));
    }
    let sibling = site.browser.on_sibling("https://evil.example.com");
    by_htmx(sibling.post("/notes"), "/notes").form(add).await.expect(403);
    sibling.post("/notes").form(add).await.expect(403);
    assert!(site.notes().await.is_empty());
    site.browser.get("/notes").await.expect(200);
}

#[tokio::test]
async fn every_other_error_is_an_explanation() {
    let site = Site::start().await;
    site.register().await;
    for (call, status, text) in [
        (site.browser.get("/nowhere"), 404, "There is no such page."),
        (site.browser.get("/logout"), 405, "This page cannot be used in this way."),
        (site.browser.post("/notes").form([("action", "paint")]), 422, "The request could not be read."),
    ] {
        let reply = by_htmx(call, "/notes").await.expect(status);
        assert_eq!(reply.header("hx-retarget"), Some("#problem"), "{text}");
        assert!(reply.text().starts_with(&format!("<p>{text}")), "{}", reply.text());
    }
    has(&site.browser.get("/nowhere").await.expect(404), "<title>Error: Not found");
    // The database is gone.
    site.pool.close().await;
    let reply = by_htmx(site.browser.get("/notes"), "/notes").await;
    assert!(reply.status() >= 500);
    assert_eq!(reply.header("hx-retarget"), Some("#problem"));
}
