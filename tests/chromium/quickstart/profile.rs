//! Name and address.

use super::{Quickstart, email};
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;

#[tokio::test]
async fn a_user_changes_the_name() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let profile = browser.page().main().within(Role::Region, "Name");
        assert!(!profile.text().await.contains("E-mail address"), "it has a section of its own");
        profile.fill("Name", "Countess").await;
        profile.press("Save").await;
        profile.shows("The profile has been updated.").await;
        browser.page().within(Role::Navigation, "Account").shows("Countess").await;
        browser.reload().await;
        assert_eq!(profile.value("Name").await, "Countess");
    })
    .await;
}

/// Without the feature `change-emails` the form of the profile has the address, too.
#[tokio::test]
async fn a_user_changes_name_and_address() {
    browser::run(async |browser: &mut Browser| {
        let features = "registration, update-profile-information, browser-sessions";
        let quickstart = Quickstart::start_with_features(features);
        quickstart.register(browser, "Ada").await;
        let main = browser.page().main();
        main.find(Role::Heading, "Name and address").await;
        assert!(!main.text().await.contains("New e-mail address"));
        main.fill("Name", "Countess").await;
        main.fill("E-mail address", &email("Countess")).await;
        main.press("Save").await;
        main.shows("The profile has been updated.").await;
        browser.page().within(Role::Navigation, "Account").shows("Countess").await;

        browser.reload().await;
        main.find(Role::Heading, "Profile").await;
        assert_eq!(main.value("Name").await, "Countess");
        quickstart.log_out(browser).await;
        // Without user names the login asks for an address.
        main.find(Role::Heading, "Log in").await;
        main.fill("E-mail address", &email("Countess")).await;
        main.fill("Password", PASSWORD).await;
        main.press("Log in").await;
        main.shows("You are logged in.").await;
    })
    .await;
}
