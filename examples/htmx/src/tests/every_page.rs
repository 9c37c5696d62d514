//! What holds for every page: the headers, no script and no style in it, and forms that need no script.

use super::{PASSWORD, Site, by_htmx, has, login};
use crate::site::HtmxFile;
use axum_auth_module::testing::Reply;
use serde_json::{Value, json};

const FOR_GUESTS: [&str; 4] = ["/login", "/register", "/login?notice=logged-out", "/nowhere"];
const FOR_USERS: [&str; 4] = ["/notes", "/sessions", "/two-factor", "/confirm"];

const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src data:; \
                      base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/// Every page as a browser gets it, and as htmx does.
async fn pages(site: &Site) -> Vec<(Reply, Reply)> {
    let mut pages = Vec::new();
    let guest = site.telephone();
    for path in FOR_GUESTS {
        pages.push((guest.get(path).await, by_htmx(guest.get(path), path).await));
    }
    site.register().await;
    site.telephone().post("/login").form(login(PASSWORD)).await.expect(303);
    site.confirm_password().await;
    site.browser.post("/notes").form([("action", "add"), ("text", "Buy milk")]).await.expect(303);
    for path in FOR_USERS {
        let (page, part) = (site.browser.get(path).await, by_htmx(site.browser.get(path), path).await);
        pages.push((page.expect(200), part.expect(200)));
    }
    pages
}

#[tokio::test]
async fn a_response_depends_on_who_asks_and_is_not_stored() {
    let site = Site::start().await;
    let mut replies = Vec::new();
    for (page, part) in pages(&site).await {
        assert!(page.text().starts_with("<!DOCTYPE html>"), "{page:?}");
        assert!(part.text().starts_with('<') && !part.text().contains("<html"), "{part:?}");
        replies.extend([page, part]);
    }
    // A redirect, an error, and a login.
    replies.push(site.telephone().get("/notes").await.expect(303));
    replies.push(by_htmx(site.telephone().get("/notes"), "/notes").await.expect(401));
    replies.push(by_htmx(site.telephone().post("/login"), "/login").form(login(PASSWORD)).await.expect(204));
    for reply in replies {
        assert_eq!(reply.header("vary"), Some("HX-Request"), "{reply:?}");
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{reply:?}");
        assert_eq!(reply.header("content-security-policy"), Some(POLICY), "{reply:?}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{reply:?}");
        assert_eq!(reply.header("referrer-policy"), Some("same-origin"), "{reply:?}");
        if !reply.text().is_empty() {
            assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"), "{reply:?}");
        }
    }
    for file in ["/style.css", "/htmx.min.js"] {
        let reply = site.browser.get(file).await.expect(200);
        assert_eq!((reply.header("vary"), reply.header("content-security-policy")), (None, Some(POLICY)));
        assert!(reply.header("cache-control").unwrap().starts_with("max-age="));
    }
}

#[tokio::test]
async fn a_page_has_nothing_that_the_policy_forbids() {
    let site = Site::start().await;
    for (page, part) in pages(&site).await {
        has(&page, r#"<script src="/htmx.min.js" defer></script>"#);
        for reply in [&page, &part] {
            let html = reply.text().to_lowercase();
            let scripts = usize::from(html.starts_with("<!doctype"));
            assert_eq!(html.matches("<script").count(), scripts, "{html}");
            for forbidden in
                ["<style", " style=", " hx-on", " onclick", " onload", "javascript:", "http:", "https:"]
            {
                assert!(!html.contains(forbidden), "{forbidden} in {html}");
            }
        }
    }
}

#[tokio::test]
async fn htmx_is_configured_for_the_policy() {
    let site = Site::start().await;
    let page = site.browser.get("/login").await.expect(200).text();
    let content =
        page.split_once(r#"<meta name="htmx-config" content=""#).unwrap().1.split_once('"').unwrap().0;
    let config: Value = serde_json::from_str(&content.replace("&quot;", "\"")).unwrap();
    for option in ["allowEval", "allowScriptTags", "includeIndicatorStyles", "historyRestoreAsHxRequest"] {
        assert_eq!(config[option], false, "{option}");
    }
    assert_eq!((&config["selfRequestsOnly"], &config["historyCacheSize"]), (&json!(true), &json!(0)));
    assert_eq!(config["responseHandling"][2], json!({ "code": "422|429", "swap": true }));
    assert_eq!(config["responseHandling"][3]["target"], "#problem");
}

/// The start tags of the forms of a page.
fn forms(html: &str) -> Vec<&str> {
    html.split("<form ").skip(1).map(|rest| rest.split_once('>').unwrap().0).collect()
}

#[tokio::test]
async fn every_form_is_sent_by_the_browser_alike() {
    let site = Site::start().await;
    let mut number = 0;
    for (page, part) in pages(&site).await {
        for form in forms(&page.text()).into_iter().chain(forms(&part.text())) {
            let attribute = |name: &str| {
                let (_, rest) = form.split_once(&format!("{name}=\""))?;
                Some(rest.split_once('"').unwrap().0)
            };
            assert_eq!(attribute(" method"), Some("post"), "{form}");
            let action = attribute(" action").unwrap();
            assert!(action.starts_with('/'), "{form}");
            if attribute("id") != Some("logout-form") {
                assert_eq!(attribute("hx-post"), Some(action), "{form}");
                assert_eq!(attribute("hx-swap"), Some("outerHTML"), "{form}");
                let target = attribute("hx-target").unwrap();
                let is_there = |id: &str| page.text().contains(&format!("id=\"{id}\""));
                assert!(target == "this" || target.strip_prefix('#').is_some_and(is_there), "{form}");
            }
            number += 1;
        }
    }
    assert!(number > 15, "{number}");
}

#[tokio::test]
async fn without_the_file_the_site_has_no_script() {
    let site = Site::start_with(HtmxFile::read("/nowhere/htmx.min.js")).await;
    for (page, _) in pages(&site).await {
        assert!(!page.text().contains("<script") && !page.text().contains("htmx-config"), "{page:?}");
    }
    site.browser.get("/htmx.min.js").await.expect(404);
}
