//! Login CSRF: a page that logs its visitor in to the attacker's account.

use crate::browser::{self, Browser, wait};
use crate::hosts::{Origin, Site};

/// The buttons of the attacking page with the requests that they send, and whether these log in at the site's own origin.
const ATTACKS: [(&str, &str, bool); 3] = [
    ("Claim your prize", "POST /login", true),
    // The module's routes take no forms from anybody.
    ("Answer a question", "POST /auth/login", false),
    ("Spin the wheel", "POST /auth/login", true),
];

#[tokio::test]
async fn another_origin_logs_nobody_in() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Mallory").await;
        let before = site.snapshot().await;
        for origin in Origin::FOREIGN {
            attacks_are_refused(browser, &site, origin).await;
            assert_eq!(site.snapshot().await, before, "{origin:?}");
            assert!(browser.cookies("").await.is_empty(), "{origin:?}");
            site.nobody_is_logged_in(browser).await;
        }

        for (button, request, logs_in) in ATTACKS {
            attack(browser, &site, Origin::Own, button).await;
            let arrivals = site.arrivals();
            assert!(arrivals.iter().any(|arrival| arrival.line == request), "{arrivals:?}");
            if logs_in {
                site.is_logged_in(browser, "Mallory").await;
                site.log_out(browser).await;
            }
            site.nobody_is_logged_in(browser).await;
        }
    })
    .await;
}

#[tokio::test]
async fn another_origin_replaces_no_session() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        site.account("Mallory").await;
        site.log_in(browser, "Ada", false).await;
        let before = site.snapshot().await;
        for origin in Origin::FOREIGN {
            attacks_are_refused(browser, &site, origin).await;
            assert_eq!(site.snapshot().await, before, "{origin:?}");
            site.is_logged_in(browser, "Ada").await;
        }
    })
    .await;
}

async fn attacks_are_refused(browser: &Browser, site: &Site, origin: Origin) {
    for (button, request, _) in ATTACKS {
        attack(browser, site, origin, button).await;
        let arrivals = site.arrivals();
        let arrived: Vec<_> = arrivals.iter().filter(|arrival| arrival.line == request).collect();
        assert_eq!(arrived.len(), 1, "{button} of {origin:?}: {arrivals:?}");
        assert_eq!(arrived[0].status, 403, "{button} of {origin:?}");
        assert_eq!(arrived[0].sec_fetch_site.as_deref(), Some(origin.sec_fetch_site()));
    }
}

/// Presses the button and waits for the end of the attack: a new page, or the script's last words.
async fn attack(browser: &Browser, site: &Site, origin: Origin, button: &str) {
    let attacker = site.attack(origin, "login");
    browser.open(&attacker).await;
    site.arrivals();
    browser.page().press(button).await;
    wait::until("the end of the attack", async || {
        let text = browser.page().text().await;
        let has_ended = browser.address().await != attacker || text.contains("That was all.");
        has_ended.then_some(()).ok_or(text)
    })
    .await;
}
