//! Name and address.

use super::{Quickstart, email};
use crate::browser::{self, Browser, Role};

#[tokio::test]
async fn a_user_changes_name_and_address() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let main = browser.page().main();
        main.fill("Name", "Countess").await;
        main.fill("E-mail address", &email("Countess")).await;
        main.press("Save").await;
        main.shows("The profile has been updated.").await;
        browser.page().within(Role::Navigation, "Account").shows("Countess").await;

        browser.reload().await;
        main.find(Role::Heading, "Profile").await;
        assert_eq!(main.value("Name").await, "Countess");
        quickstart.log_out(browser).await;
        quickstart.log_in(browser, "Countess").await;
    })
    .await;
}
