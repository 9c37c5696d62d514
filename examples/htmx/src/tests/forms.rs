//! A form that is shown again, and a part of a page that has changed.

use super::{EMAIL, PASSWORD, Site, by_htmx, has, login, redirect};

#[tokio::test]
async fn a_refused_login_is_the_form_for_htmx_and_the_page_for_a_browser() {
    let site = Site::start().await;
    site.register().await;
    let telephone = site.telephone();
    let wrong = "not the password";
    let part = by_htmx(telephone.post("/login"), "/login").form(login(wrong)).await.expect(422);
    let page = telephone.post("/login").form(login(wrong)).await.expect(422);
    assert!(part.text().starts_with(r#"<form id="login-form""#), "{}", part.text());
    assert!(page.text().starts_with("<!DOCTYPE html>"));
    has(&page, "<title>Error: Log in");
    for reply in [part, page] {
        has(&reply, r#"name="email" type="email" value="ada@example.com""#);
        has(&reply, r#"name="password" type="password" value="""#);
        has(&reply, r#"<div class="errors" id="login-errors" role="alert" tabindex="-1" autofocus>"#);
        has(&reply, "The e-mail address or the password is wrong.");
        assert!(!reply.text().contains(wrong));
        assert_eq!(reply.header("set-cookie"), None);
    }
}

#[tokio::test]
async fn the_errors_of_fields_are_at_the_fields() {
    let site = Site::start().await;
    let entered =
        [("name", "Ada <b>"), ("email", "ada"), ("password", "short"), ("passwordConfirmation", "other")];
    let part = by_htmx(site.browser.post("/register"), "/register").form(entered).await.expect(422);
    assert!(part.text().starts_with(r#"<form id="register-form""#), "{}", part.text());
    has(&part, r#"<p class="error" id="register-email-error">"#);
    has(
        &part,
        r#"name="email" type="email" value="ada" autocomplete="username" aria-describedby="register-email-error" aria-invalid="true" autofocus>"#,
    );
    has(&part, r#"aria-describedby="register-password-error" aria-invalid="true">"#);
    has(&part, r#"name="name" type="text" value="Ada &lt;b&gt;" autocomplete="name">"#);
    assert_eq!(part.text().matches("autofocus").count(), 1, "the first field to correct has the focus");
    assert!(!part.text().contains("short") && !part.text().contains("other"), "{}", part.text());
}

#[tokio::test]
async fn a_form_says_when_to_try_again() {
    let site = Site::start().await;
    site.register().await;
    let telephone = site.telephone();
    for _ in 0..100 {
        let reply = by_htmx(telephone.post("/login"), "/login").form(login("wrong")).await;
        if reply.status() == 429 {
            let seconds: u64 = reply.header("retry-after").unwrap().parse().unwrap();
            assert!(seconds > 0);
            has(&reply, "There were too many attempts. Try again in ");
            assert!(reply.text().starts_with(r#"<form id="login-form""#));
            return;
        }
        assert_eq!(reply.status(), 422);
    }
    panic!("no limit");
}

#[tokio::test]
async fn a_change_is_the_new_part_for_htmx_and_a_redirect_for_a_browser() {
    let site = Site::start().await;
    site.register().await;
    let add = [("action", "add"), ("text", " <script>alert(1)</script> ")];
    let part = by_htmx(site.browser.post("/notes"), "/notes").form(add).await.expect(200);
    assert!(part.text().starts_with(r#"<section id="notes">"#), "{}", part.text());
    has(&part, r#"<p id="notice" role="status" tabindex="-1" autofocus>The note is added.</p>"#);
    has(&part, "<li>&lt;script&gt;alert(1)&lt;/script&gt;");
    has(&part, r#"id="add-text" name="text" type="text" value="""#);
    has(&part, r#"<div id="problem" role="alert" hx-swap-oob="true"></div>"#);

    let added = site.browser.post("/notes").form([("action", "add"), ("text", "Buy milk")]).await;
    assert_eq!(redirect(&added), "/notes?notice=note-added");
    let page = site.browser.get("/notes?notice=note-added").await.expect(200);
    has(&page, "Buy milk");
    has(&page, "The note is added.");
    has(&page, r#"<div id="problem" role="alert"></div>"#);
    assert_eq!(site.notes().await, ["<script>alert(1)</script>", "Buy milk"]);

    let remove = [("action", "remove"), ("id", "1")];
    let part = by_htmx(site.browser.post("/notes"), "/notes").form(remove).await.expect(200);
    has(&part, "The note is removed.");
    assert_eq!(site.notes().await, ["Buy milk"]);
}

#[tokio::test]
async fn a_note_that_is_refused_stays_in_its_field() {
    let site = Site::start().await;
    site.register().await;
    let long = "a".repeat(501);
    for (text, detail) in [("  ", "The note is empty."), (&long, "The note is longer than 500 characters.")] {
        let add = [("action", "add"), ("text", text)];
        let part = by_htmx(site.browser.post("/notes"), "/notes").form(add).await.expect(422);
        has(&part, &format!(r#"<p class="error" id="add-text-error">{detail}</p>"#));
        has(&part, &format!(r#"value="{text}""#));
        site.browser.post("/notes").form(add).await.expect(422);
    }
    assert!(site.notes().await.is_empty());
}

#[tokio::test]
async fn nobody_removes_the_note_of_somebody_else() {
    let site = Site::start().await;
    site.register().await;
    site.browser.post("/notes").form([("action", "add"), ("text", "Buy milk")]).await.expect(303);
    let eve = site.telephone();
    let registration = [
        ("name", "Eve"),
        ("email", "eve@example.com"),
        ("password", PASSWORD),
        ("passwordConfirmation", PASSWORD),
    ];
    eve.post("/register").form(registration).await.expect(303);
    assert!(!eve.get("/notes").await.expect(200).text().contains("Buy milk"));
    by_htmx(eve.post("/notes"), "/notes").form([("action", "remove"), ("id", "1")]).await.expect(200);
    assert_eq!(site.notes().await, ["Buy milk"]);
}

#[tokio::test]
async fn an_address_that_is_taken_is_an_error_of_its_field() {
    let site = Site::start().await;
    site.register().await;
    let reply = by_htmx(site.telephone().post("/register"), "/register").form(super::registration()).await;
    has(&reply.expect(422), r#"id="register-email-error""#);
    let page = site.telephone().post("/register").form(super::registration()).await.expect(422);
    has(&page, &format!(r#"value="{EMAIL}""#));
}
