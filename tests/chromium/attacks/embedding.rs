//! The site in images, scripts, style sheets and frames of other origins.

use crate::browser::wait::until;
use crate::browser::{self, Browser};
use crate::hosts::{Origin, Program, Site};

/// What Chromium writes to the console if `Cross-Origin-Resource-Policy` keeps a response from a page.
const KEPT_BACK: &str = "ERR_BLOCKED_BY_RESPONSE.NotSameOrigin";

#[tokio::test]
async fn another_origin_embeds_nothing() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        site.log_in(browser, "Ada", true).await;
        let before = site.snapshot().await;

        for origin in Origin::FOREIGN {
            let outcome = attack(browser, &site, origin).await;
            for line in
                outcome.lines().filter(|line| ["img", "script", "link"].iter().any(|k| line.starts_with(k)))
            {
                assert!(line.ends_with("failed"), "{origin:?} {line}");
            }
            assert_eq!(outcome.matches("reads: nothing").count(), 2, "{origin:?} {outcome}");
            let console = browser.console().await.join("\n");
            assert!(console.contains(KEPT_BACK), "{origin:?} {console}");
            assert!(console.contains("frame-ancestors"), "{origin:?} {console}");
            browser.enter_frame(1).await;
            let framed = browser.page().text().await;
            assert!(!framed.contains("Logged in"), "{origin:?} shows in a frame: {framed}");
            assert_eq!(site.snapshot().await, before, "{origin:?}");
            site.is_logged_in(browser, "Ada").await;
        }

        let outcome = attack(browser, &site, Origin::Own).await;
        assert!(outcome.contains("\"createdAt\""), "{outcome}");
        assert!(outcome.contains("Logged in as Ada"), "{outcome}");
        let console = browser.console().await.join("\n");
        assert!(!console.contains(KEPT_BACK), "{console}");
        browser.enter_frame(1).await;
        browser.page().shows("Logged in as Ada").await;
    })
    .await;
}

/// The policies of the examples.
#[tokio::test]
async fn no_other_site_shows_an_example_in_a_frame() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        let attacker = format!("{}/attacks/frame", site.origin(Origin::OtherSite));
        for name in ["quickstart", "pages", "spa"] {
            let example = Program::start(name, &[]);
            browser.console().await;
            browser.open(&format!("{attacker}?target={}", example.address())).await;
            let refusal = until("the refusal", async || {
                let console = browser.console().await.join("\n");
                if console.contains("frame-ancestors") { Ok(console) } else { Err(console) }
            });
            assert!(refusal.await.contains(example.address()), "{name}");
        }
        // Where nothing forbids it, the frame shows the page.
        browser.open(&format!("{attacker}?target={}", site.url(""))).await;
        browser.enter_frame(0).await;
        browser.page().shows("Not logged in").await;
    })
    .await;
}

/// Returns what the page says about each element.
async fn attack(browser: &Browser, site: &Site, origin: Origin) -> String {
    browser.open(&site.attack(origin, "embed")).await;
    browser.console().await;
    browser.page().press("Claim your prize").await;
    browser.page().shows("That was all.").await;
    browser.page().text().await
}
