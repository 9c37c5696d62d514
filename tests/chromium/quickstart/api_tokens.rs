//! API tokens: created, tried and revoked on the page.

use super::{Quickstart, confirm_password};
use crate::browser::{self, Browser, Role};
use crate::gallery::Gallery;

#[tokio::test]
async fn a_user_creates_a_token_tries_it_and_revokes_it() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
        quickstart.register(browser, "Ada").await;
        let main = browser.page().main();
        browser.page().follow("API tokens").await;
        main.shows("You have none yet.").await;
        main.fill("Name", "Nightly backup").await;
        main.press("Create a token").await;
        main.shows("Verify your e-mail address first.").await;
        quickstart.open(browser, "/profile").await;
        quickstart.verify(browser, "Ada").await;

        browser.page().follow("API tokens").await;
        main.fill("Name", "Nightly backup").await;
        main.press("Create a token").await;
        confirm_password(browser).await;
        main.shows("The token “Nightly backup” is ready.").await;
        let made = main.within(Role::Region, "Your new token");
        let text = made.text().await;
        let token = text.split_whitespace().find(|word| word.starts_with("pat_")).expect("a token");
        assert_eq!(token.len(), 65, "{token}");
        made.press("Try it").await;
        made.shows("The route was opened by “api-token”.").await;
        Gallery::new(browser, "quickstart/api-tokens").take("api-tokens").await;
        // The panel with the requests shows neither the header nor the response with the token.
        let shown = browser.page().text().await;
        assert_eq!(shown.matches(&token[16..]).count(), 1, "{shown}");

        let own = main.within(Role::Region, "Your tokens");
        own.shows(&format!("…{}", &token[61..])).await;
        own.shows("demo:read").await;
        own.press("Revoke it: Nightly backup").await;
        browser.page().within(Role::Dialog, "Revoke Nightly backup?").press("Revoke it").await;
        main.shows("The API token has been revoked.").await;
        main.shows("You have none yet.").await;
        made.press("Try it").await;
        made.shows("The API token is invalid or has expired.").await;

        // What is wrong is said at the field.
        main.press("Create a token").await;
        main.shows("The name is required.").await;
    })
    .await;
}
