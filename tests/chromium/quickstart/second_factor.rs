//! The second factor: setting it up with the QR code on the screen, logging in with it, recovery codes, and disabling it.

use super::{Quickstart, confirm_password};
use crate::browser::wait::until;
use crate::browser::{self, Browser, Role};
use crate::hosts::{Authenticator, PASSWORD, recovery_codes};
use std::fs;

#[tokio::test]
async fn a_user_sets_up_a_second_factor_and_logs_in_with_it() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let app = set_up(browser).await;
        let main = browser.page().main();
        assert_eq!(recovery_codes(&main.text().await).len(), 8);
        quickstart.log_out(browser).await;

        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Your second factor").await;
        main.fill("Code of your authenticator app", &app.wrong_code()).await;
        main.press("Continue").await;
        main.shows("The code is wrong or was used before.").await;
        main.fill("Code of your authenticator app", &app.next_code()).await;
        main.press("Continue").await;
        main.shows("You are logged in.").await;
        browser.page().follow("Sessions").await;
        main.shows("password and one-time code").await;
    })
    .await;
}

#[tokio::test]
async fn a_recovery_code_replaces_the_app_once() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        set_up(browser).await;
        let main = browser.page().main();
        let code = recovery_codes(&main.text().await).remove(0);
        quickstart.log_out(browser).await;
        let use_code = async || {
            quickstart.send_login(browser, "Ada", PASSWORD).await;
            main.press("Use a recovery code").await;
            main.fill("Recovery code", &code).await;
            main.press("Continue").await;
        };
        use_code().await;
        main.shows("You are logged in.").await;
        browser.page().follow("Sessions").await;
        main.shows("password and recovery code").await;
        quickstart.log_out(browser).await;
        use_code().await;
        main.shows("The code is wrong or was used before.").await;
    })
    .await;
}

#[tokio::test]
async fn recovery_codes_are_copied_downloaded_and_replaced() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        set_up(browser).await;
        let main = browser.page().main();
        let codes = recovery_codes(&main.text().await);

        main.press("Copy").await;
        assert_eq!(browser.clipboard().await.lines().collect::<Vec<_>>(), codes);
        main.follow("Download").await;
        let file = browser.downloads().join("recovery-codes.txt");
        let text =
            until("the download", async || fs::read_to_string(&file).map_err(|error| error.to_string()))
                .await;
        assert_eq!(text.lines().collect::<Vec<_>>(), codes);

        main.press("Replace them by new ones").await;
        let question = browser.page().within(Role::Dialog, "Replace the recovery codes?");
        question.press("Cancel").await;
        main.shows("Nothing was changed.").await;
        assert_eq!(recovery_codes(&main.text().await), codes);
        main.press("Replace them by new ones").await;
        question.press("Replace them").await;
        main.shows("These are your new codes.").await;
        let new = recovery_codes(&main.text().await);
        assert_eq!(new.len(), 8);
        assert!(new.iter().all(|code| !codes.contains(code)), "{new:?}");
    })
    .await;
}

#[tokio::test]
async fn a_user_disables_the_second_factor() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        set_up(browser).await;
        let main = browser.page().main();
        main.press("Disable the second factor").await;
        browser.page().within(Role::Dialog, "Disable the second factor?").press("Disable it").await;
        main.shows("The second factor is off.").await;
        quickstart.log_out(browser).await;
        quickstart.log_in(browser, "Ada").await;
    })
    .await;
}

/// Groups of four are for the eye. Who copies the key, with the button or with the mouse, gets it without spaces.
#[tokio::test]
async fn the_key_for_the_app_is_shown_in_groups_and_copied_without_spaces() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        browser.page().follow("Second factor").await;
        let main = browser.page().main();
        main.press("Set up an authenticator app").await;
        confirm_password(browser).await;
        let picture = main.find(Role::Image, "QR code with the key for an authenticator app").await;
        let app = Authenticator::scan(browser, &picture).await;
        main.press("Copy the key").await;
        assert_eq!(browser.clipboard().await, app.secret());
        let seen = "const key = document.getElementById('secret-key');
            getSelection().selectAllChildren(key);
            const places = [...key.children].map(group => group.getBoundingClientRect());
            const gaps = places.slice(1).map((place, index) => place.top > places[index].top || place.left - places[index].right);
            return [String(getSelection()), [...key.children].map(group => group.innerText), Math.min(...gaps)];";
        let seen = browser.script(seen, Vec::new()).await;
        assert_eq!(seen[0], app.secret());
        let groups: Vec<_> = seen[1].as_array().expect("groups").iter().filter_map(|group| group.as_str()).collect();
        assert!(groups.len() > 4 && groups.iter().all(|group| group.len() <= 4), "{groups:?}");
        assert_eq!(groups.concat(), app.secret());
        assert!(seen[2].as_f64().is_some_and(|gap| gap >= 1.0), "the groups are not apart: {seen}");
    })
    .await;
}

/// Sets up an app. The module asks for the password first.
pub(super) async fn set_up(browser: &Browser) -> Authenticator {
    browser.page().follow("Second factor").await;
    browser.page().main().press("Set up an authenticator app").await;
    confirm_password(browser).await;
    scan_and_confirm(browser).await
}

/// Sets up an app with the QR code that is on the screen.
pub(super) async fn scan_and_confirm(browser: &Browser) -> Authenticator {
    let main = browser.page().main();
    let picture = main.find(Role::Image, "QR code with the key for an authenticator app").await;
    let app = Authenticator::scan(browser, &picture).await;
    main.shows(app.secret()).await;
    assert!(
        app.account().contains("ada@example.com") || app.account().contains("ada%40example.com"),
        "{}",
        app.account()
    );
    main.fill("The code that the app shows now", &app.code()).await;
    main.press("Confirm").await;
    main.shows("The second factor is on.").await;
    app
}
