//! Forms, which browsers send to any origin without a preflight.

use crate::browser::{self, Browser};
use crate::hosts::{Origin, Site};

/// A button of the attacking page.
struct Attack {
    button: &'static str,
    request: &'static str,
    /// The status if the request has no cookie: the host's own route does not know the user, all others check the origin.
    without_cookie: u16,
    /// The status at the site's own origin.
    own: u16,
}

const ATTACKS: [Attack; 4] = [
    Attack { button: "Claim your prize", request: "POST /transfer", without_cookie: 401, own: 200 },
    Attack { button: "Spin the wheel", request: "POST /transfer", without_cookie: 401, own: 200 },
    // The module's routes take no forms from anybody.
    Attack {
        button: "Answer a question",
        request: "POST /auth/user/confirm-password",
        without_cookie: 403,
        own: 415,
    },
    Attack { button: "Read the rules", request: "POST /logout", without_cookie: 403, own: 303 },
];

#[tokio::test]
async fn a_form_of_another_origin_changes_nothing() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        site.log_in(browser, "Ada", true).await;
        let before = site.snapshot().await;

        for origin in Origin::FOREIGN {
            for attack in &ATTACKS {
                browser.open(&site.attack(origin, "form")).await;
                browser.page().press(attack.button).await;
                let arrival = site.arrival(attack.request).await;
                assert_eq!(arrival.sec_fetch_site.as_deref(), Some(origin.sec_fetch_site()), "{arrival:?}");
                assert_eq!(arrival.has_cookie, origin.has_cookie(), "{origin:?} {arrival:?}");
                let expected = if origin.has_cookie() { 403 } else { attack.without_cookie };
                assert_eq!(arrival.status, expected, "{origin:?} {arrival:?}");
                assert_eq!(site.snapshot().await, before, "{origin:?} {arrival:?}");
            }
            site.is_logged_in(browser, "Ada").await;
        }

        for attack in &ATTACKS {
            browser.open(&site.attack(Origin::Own, "form")).await;
            browser.page().press(attack.button).await;
            let arrival = site.arrival(attack.request).await;
            assert_eq!(arrival.status, attack.own, "{arrival:?}");
        }
        let after = site.snapshot().await;
        assert_eq!(after.transfers, ["Mallory", "Mallory"]);
        assert_eq!(after.sessions, []);
        site.nobody_is_logged_in(browser).await;
    })
    .await;
}

/// A sandboxed frame has no origin of its own, not even on a page of the site.
#[tokio::test]
async fn a_form_in_a_sandboxed_frame_changes_nothing() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        site.log_in(browser, "Ada", true).await;
        let before = site.snapshot().await;
        for origin in [Origin::Own].into_iter().chain(Origin::FOREIGN) {
            browser.open(&site.attack(origin, "form")).await;
            browser.enter_frame(0).await;
            // ChromeDriver computes no roles in a frame with a process of its own.
            browser.script("document.querySelector('button').click()", Vec::new()).await;
            let arrival = site.arrival("POST /transfer").await;
            assert_eq!(arrival.origin.as_deref(), Some("null"));
            assert_eq!(arrival.sec_fetch_site.as_deref(), Some("cross-site"));
            assert!([401, 403].contains(&arrival.status), "{origin:?} {arrival:?}");
            assert_eq!(site.snapshot().await, before, "{origin:?}");
        }
        site.is_logged_in(browser, "Ada").await;
    })
    .await;
}
