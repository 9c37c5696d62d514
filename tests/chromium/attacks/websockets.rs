//! WebSockets, to which the rules for reading responses of other origins do not apply.

use crate::browser::{self, Browser};
use crate::hosts::{Origin, Site};

#[tokio::test]
async fn a_websocket_of_another_origin_is_not_opened() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        site.log_in(browser, "Ada", true).await;
        let before = site.snapshot().await;

        for origin in Origin::FOREIGN {
            let said = attack(browser, &site, origin).await;
            assert_eq!(said, "Closed.", "{origin:?}");
            let arrival = site.arrival("GET /live").await;
            assert_eq!(arrival.has_cookie, origin.has_cookie(), "{origin:?} {arrival:?}");
            // Chromium sends no `Sec-Fetch-Site` with a WebSocket, so the module goes by `Origin`.
            assert_eq!(arrival.sec_fetch_site, None, "{arrival:?}");
            assert_eq!(arrival.origin, Some(site.origin(origin)), "{arrival:?}");
            assert_eq!(arrival.status, if origin.has_cookie() { 403 } else { 401 }, "{origin:?} {arrival:?}");
            assert_eq!(site.snapshot().await, before, "{origin:?}");
        }

        assert_eq!(attack(browser, &site, Origin::Own).await, "Opened. Hello Ada. Closed.");
        assert_eq!(site.snapshot().await.live, ["Ada"]);
    })
    .await;
}

/// Returns what the page says about the connection, until it is closed.
async fn attack(browser: &Browser, site: &Site, origin: Origin) -> String {
    browser.open(&site.attack(origin, "websocket")).await;
    site.arrivals();
    browser.page().press("Claim your prize").await;
    browser.page().shows("Closed.").await;
    let text = browser.page().text().await;
    text.lines().last().unwrap_or_default().trim().to_owned()
}
