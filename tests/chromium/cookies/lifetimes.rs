//! How long a session lasts: by the browser, and by the site's clock.

use crate::browser::{self, Browser};
use crate::hosts::Site;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn a_session_that_is_not_remembered_is_gone_with_the_browser() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        site.log_in(browser, "Ada", false).await;
        browser.restart().await;
        site.nobody_is_logged_in(browser).await;
        // The browser has forgotten it; the site has not been told.
        assert_eq!(site.snapshot().await.sessions.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_remembered_session_outlives_the_browser() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        site.log_in(browser, "Ada", true).await;
        for _ in 0..2 {
            browser.restart().await;
            site.is_logged_in(browser, "Ada").await;
        }
    })
    .await;
}

/// Unused, a session ends after 8 hours, a remembered one after 7 days.
#[tokio::test]
async fn an_unused_session_ends() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        for (remember, idle) in [(false, 8 * HOUR), (true, 7 * DAY)] {
            site.log_in(browser, "Ada", remember).await;
            site.clock.advance(idle - HOUR);
            site.is_logged_in(browser, "Ada").await;
            site.was_used_now().await;
            site.clock.advance(idle - HOUR);
            site.is_logged_in(browser, "Ada").await;
            site.was_used_now().await;
            site.clock.advance(idle + Duration::from_secs(1));
            site.nobody_is_logged_in(browser).await;
        }
    })
    .await;
}

/// A session that is used all the time ends after 24 hours, a remembered one after 30 days.
#[tokio::test]
async fn a_session_in_use_ends() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        for (remember, step, steps) in [(false, 4 * HOUR, 6), (true, 3 * DAY, 10)] {
            site.log_in(browser, "Ada", remember).await;
            for _ in 1..steps {
                site.clock.advance(step);
                site.is_logged_in(browser, "Ada").await;
                site.was_used_now().await;
            }
            site.clock.advance(step + Duration::from_secs(1));
            site.nobody_is_logged_in(browser).await;
        }
    })
    .await;
}

#[tokio::test]
async fn the_login_page_leads_back() {
    browser::run(async |browser: &mut Browser| {
        let site = Site::start().await;
        site.account("Ada").await;
        browser.open(&site.url("/settings")).await;
        assert_eq!(browser.address().await, site.url("/login?next=%2Fsettings"));
        browser.page().fill("Email", "ada@example.com").await;
        browser.page().fill("Password", crate::hosts::PASSWORD).await;
        browser.page().press("Log in").await;
        browser.page().shows("The settings of Ada").await;
        assert_eq!(browser.address().await, site.url("/settings"));
    })
    .await;
}
