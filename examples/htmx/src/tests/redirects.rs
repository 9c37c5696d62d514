//! Where a success leads, and where a visitor without a session or a confirmation comes to.

use super::{PASSWORD, Site, by_htmx, by_htmx_at, has, hx_redirect, login, redirect, registration};

#[tokio::test]
async fn a_success_opens_a_page_and_sets_the_cookie() {
    let site = Site::start().await;
    let (plain, htmx) = (site.telephone(), site.telephone());
    let reply = by_htmx(htmx.post("/register"), "/register").form(registration()).await.expect(204);
    assert_eq!(hx_redirect(&reply), "/notes");
    assert!(reply.header("set-cookie").unwrap().starts_with("__Host-Http-auth="));
    htmx.get("/notes").await.expect(200);

    assert_eq!(redirect(&plain.post("/login").form(login(PASSWORD)).await), "/notes");
    plain.get("/notes").await.expect(200);

    let reply = by_htmx(htmx.post("/logout"), "/notes").await.expect(204);
    assert_eq!(hx_redirect(&reply), "/login?notice=logged-out");
    htmx.get("/notes").await.expect(303);
    let entered = [("email", "ada@example.com"), ("password", PASSWORD), ("next", "/sessions")];
    let reply = by_htmx(htmx.post("/login"), "/login").form(entered).await.expect(204);
    assert_eq!(hx_redirect(&reply), "/sessions");
    // An open login page leads on, too.
    assert_eq!(redirect(&htmx.get("/login?next=%2Fsessions").await), "/sessions");
    assert_eq!(redirect(&plain.post("/logout").await), "/login?notice=logged-out");
}

#[tokio::test]
async fn a_session_that_has_ended_leads_to_the_login_and_back() {
    let site = Site::start().await;
    let account = site.register().await;
    assert_eq!(site.auth.admin().end_all_sessions(&account.id).await.unwrap(), 1);
    let add = [("action", "add"), ("text", "Buy milk")];
    let reply = by_htmx(site.browser.post("/notes"), "/notes?page=2").form(add).await.expect(401);
    assert_eq!(hx_redirect(&reply), "/login?next=%2Fnotes%3Fpage%3D2");
    let reply = by_htmx(site.browser.get("/notes"), "/sessions").await.expect(401);
    assert_eq!(hx_redirect(&reply), "/login?next=%2Fsessions", "the page that is open, not its part");

    assert_eq!(redirect(&site.browser.get("/sessions?a=1").await), "/login?next=%2Fsessions%3Fa%3D1");
    // The page of the form: a form is not sent again.
    assert_eq!(
        redirect(&site.browser.post("/sessions").form([("id", "1")]).await),
        "/login?next=%2Fsessions"
    );
    assert_eq!(redirect(&site.browser.post("/notes").form(add).await), "/login");
    assert!(site.notes().await.is_empty());

    let page = site.browser.get("/login?next=%2Fnotes%3Fpage%3D2").await.expect(200);
    has(&page, r#"<input type="hidden" name="next" value="/notes?page=2">"#);
}

#[tokio::test]
async fn next_leads_to_no_other_origin() {
    let site = Site::start().await;
    for (url, expected) in [
        ("https://app.example.com/sessions#end", "/login?next=%2Fsessions"),
        ("https://evil.example/sessions", "/login?next=%2Fsessions"),
        ("https://app.example.com//evil.example", "/login"),
        ("https://app.example.com/\\evil.example", "/login"),
        ("//evil.example/sessions", "/login"),
        ("https://evil.example", "/login?next=%2F"),
        ("javascript:alert(1)", "/login"),
        ("evil.example", "/login"),
        ("", "/login"),
    ] {
        let reply = by_htmx_at(site.browser.get("/notes"), url).await.expect(401);
        assert_eq!(hx_redirect(&reply), expected, "{url}");
    }
    let with_header =
        site.browser.get("/sessions").header("hx-current-url", "https://app.example.com/two-factor");
    assert_eq!(
        redirect(&with_header.await),
        "/login?next=%2Fsessions",
        "a browser is asked for its own address"
    );
    let long = format!("https://app.example.com/{}", "a".repeat(1024));
    assert_eq!(hx_redirect(&by_htmx_at(site.browser.get("/notes"), &long).await.expect(401)), "/login");

    site.register().await;
    for next in ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"] {
        let entered = [("email", "ada@example.com"), ("password", PASSWORD), ("next", next)];
        let reply = by_htmx(site.telephone().post("/login"), "/login").form(entered).await.expect(204);
        assert_eq!(hx_redirect(&reply), "/notes", "{next}");
        assert_eq!(redirect(&site.telephone().post("/login").form(entered).await), "/notes", "{next}");
    }
}

#[tokio::test]
async fn a_missing_confirmation_leads_to_its_page_and_back() {
    let site = Site::start().await;
    site.register().await;
    let telephone = site.telephone();
    telephone.post("/login").form(login(PASSWORD)).await.expect(303);
    let other = site.auth.admin().sessions_of(&site.account().await.id).await.unwrap();
    let form = |id: &str| [("id", id.to_owned())];

    let page = site.browser.get("/sessions").await.expect(200).text();
    let ids: Vec<_> =
        other.iter().filter(|session| page.contains(&format!("end-{}-form", session.id))).collect();
    assert_eq!((other.len(), ids.len()), (2, 1), "the session of the page has no button");
    let id = &ids[0].id;

    let reply = by_htmx(site.browser.post("/sessions"), "/sessions").form(form(id)).await.expect(403);
    assert_eq!(hx_redirect(&reply), "/confirm?next=%2Fsessions");
    let reply = site.browser.post("/sessions").form(form(id)).await;
    assert_eq!(redirect(&reply), "/confirm?next=%2Fsessions");
    assert_eq!(redirect(&site.browser.get("/two-factor").await), "/confirm?next=%2Ftwo%2Dfactor");
    telephone.get("/notes").await.expect(200);

    let wrong = [("password", "wrong"), ("next", "/sessions")];
    let part = by_htmx(site.browser.post("/confirm"), "/confirm").form(wrong).await.expect(422);
    assert!(part.text().starts_with(r#"<form id="confirm-form""#), "{}", part.text());
    has(&part, r#"id="confirm-password-error""#);
    has(&part, r#"<input type="hidden" name="next" value="/sessions">"#);
    let right = [("password", PASSWORD), ("next", "/sessions")];
    let reply = by_htmx(site.browser.post("/confirm"), "/confirm").form(right).await.expect(204);
    assert_eq!(hx_redirect(&reply), "/sessions?notice=confirmed");

    let part = by_htmx(site.browser.post("/sessions"), "/sessions").form(form(id)).await.expect(200);
    assert!(part.text().starts_with(r#"<section id="sessions">"#), "{}", part.text());
    has(&part, "The session has ended.");
    assert!(!part.text().contains(id.as_str()));
    telephone.get("/notes").await.expect(303);
    // Once more, as from another tab that still shows it.
    let reply = site.browser.post("/sessions").form(form(id)).await;
    assert_eq!(redirect(&reply), "/sessions?notice=session-ended");
}
