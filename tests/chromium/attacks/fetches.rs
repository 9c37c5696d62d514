//! `fetch` with credentials, with and without a preflight, and beacons.

use crate::browser::{self, Browser};
use crate::hosts::{Arrival, Origin, Site};

/// The requests that browsers send without asking, and the status if they have no cookie.
const WITHOUT_PREFLIGHT: [(&str, u16); 4] = [
    ("POST /transfer", 401),
    ("POST /auth/user/confirm-password", 403),
    ("POST /auth/logout", 403),
    ("POST /logout", 403),
];

const WITH_PREFLIGHT: [(&str, &str); 2] = [
    ("PUT /auth/user/profile-information", "OPTIONS /auth/user/profile-information"),
    ("DELETE /auth/user/sessions", "OPTIONS /auth/user/sessions"),
];

#[tokio::test]
async fn a_fetch_of_another_origin_changes_and_reads_nothing() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        site.log_in(browser, "Ada", true).await;
        let before = site.snapshot().await;

        for origin in Origin::FOREIGN {
            let (outcome, arrivals) = attack(browser, &site, origin).await;
            for line in outcome.lines().filter(|line| line.contains(" /")) {
                let nothing = line.ends_with("TypeError: Failed to fetch") || line.ends_with("opaque 0");
                assert!(nothing, "{origin:?} got a response: {line}");
            }
            for (request, without_cookie) in WITHOUT_PREFLIGHT {
                let expected = if origin.has_cookie() { 403 } else { without_cookie };
                let arrivals = of(&arrivals, request);
                assert!(!arrivals.is_empty(), "{request} of {origin:?} did not arrive");
                for arrival in arrivals {
                    assert_eq!(arrival.status, expected, "{origin:?} {arrival:?}");
                    assert_eq!(arrival.has_cookie, origin.has_cookie(), "{origin:?} {arrival:?}");
                    assert_eq!(arrival.sec_fetch_site.as_deref(), Some(origin.sec_fetch_site()));
                }
            }
            for (request, preflight) in WITH_PREFLIGHT {
                assert!(!of(&arrivals, preflight).is_empty(), "{origin:?} did not ask for {request}");
                assert!(of(&arrivals, request).is_empty(), "{request} of {origin:?}");
            }
            assert_eq!(site.snapshot().await, before, "{origin:?}");
            site.is_logged_in(browser, "Ada").await;
        }

        let (outcome, arrivals) = attack(browser, &site, Origin::Own).await;
        assert!(outcome.contains("Ada has 1000 coins"), "{outcome}");
        assert!(outcome.contains("\"createdAt\""), "{outcome}");
        assert_eq!(of(&arrivals, "PUT /auth/user/profile-information")[0].status, 200);
        assert_eq!(of(&arrivals, "DELETE /auth/user/sessions")[0].status, 200);
        assert_eq!(of(&arrivals, "POST /auth/logout")[0].status, 200);
        let after = site.snapshot().await;
        assert_eq!(after.transfers, ["Mallory", "Mallory"], "one by `fetch` and one by a beacon");
        assert_eq!(after.users[0].1, "Mallory");
        assert_eq!(after.sessions, []);
    })
    .await;
}

/// Runs the attack to its end. Returns what the page got, and the requests that arrived.
async fn attack(browser: &Browser, site: &Site, origin: Origin) -> (String, Vec<Arrival>) {
    browser.open(&site.attack(origin, "fetch")).await;
    site.arrivals();
    browser.page().press("Claim your prize").await;
    browser.page().shows("That was all.").await;
    (browser.page().text().await, site.arrivals())
}

fn of<'a>(arrivals: &'a [Arrival], line: &str) -> Vec<&'a Arrival> {
    arrivals.iter().filter(|arrival| arrival.line == line).collect()
}
