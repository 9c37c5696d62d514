//! A provider, which is another site, and everything on the way there and back without a script.

use super::second_factor::scan_and_confirm;
use super::{Pages, without_scripts};
use crate::browser::{Browser, Role};
use crate::hosts::consent;

/// Which page was wanted is in the cookie of the challenge.
#[tokio::test]
async fn the_second_factor_is_asked_for_after_the_return_and_leads_to_the_wanted_page() {
    without_scripts(async |browser: &mut Browser| {
        let pages = Pages::start_with_provider().await;
        let main = browser.page().main();
        pages.visit_provider(browser).await;
        consent(browser).await;
        browser.page().follow("Two-factor").await;
        main.press("Set it up").await;
        let app = scan_and_confirm(browser).await;
        pages.log_out(browser).await;

        browser.open(&pages.url("/profile")).await;
        main.press("Log in with demo").await;
        consent(browser).await;
        main.find(Role::Heading, "Your second factor").await;
        main.fill("Six-digit code of your app", &app.wrong_code()).await;
        main.press("Log in").await;
        main.shows("The code is wrong or was used before.").await;
        main.fill("Six-digit code of your app", &app.next_code()).await;
        main.press("Log in").await;
        main.find(Role::Heading, "Profile").await;
        assert_eq!(browser.cookies("").await.len(), 1);
    })
    .await;
}
