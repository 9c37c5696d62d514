//! The safe and the vault, which require more than a login.

use super::second_factor::set_up;
use super::{Quickstart, confirm_password};
use crate::browser::{self, Browser, Role};

#[tokio::test]
async fn a_safe_is_refused_and_opens_after_a_second_factor_was_set_up() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        browser.page().follow("Safe").await;
        let main = browser.page().main();
        let (safe, vault) = (main.within(Role::Region, "Safe"), main.within(Role::Region, "Vault"));
        safe.press("Open the safe").await;
        safe.shows("Refused").await;
        safe.shows("This needs a stronger or more recent authentication.").await;
        safe.shows("two factors (aal2) or a passkey (phr)").await;
        safe.shows("nothing that is enough").await;
        safe.follow("Set one up").await;
        main.find(Role::Heading, "Second factor").await;

        set_up(browser).await;
        browser.page().follow("Safe").await;
        safe.press("Open the safe").await;
        safe.shows("The safe is open.").await;
        safe.hides("Refused").await;
        vault.shows("It opens with a passkey of the last five minutes.").await;
        vault.press("Open the vault").await;
        vault.shows("Refused").await;
        vault.shows("a passkey (phr)").await;
        vault.shows("within the last 300 seconds").await;
        vault.shows("nothing that is enough").await;
        vault.follow("Add one").await;
        main.find(Role::Heading, "Your passkeys").await;
    })
    .await;
}

#[tokio::test]
async fn a_user_proves_the_second_factor_and_the_password() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.register(browser, "Ada").await;
        let app = set_up(browser).await;
        browser.page().follow("Safe").await;
        let main = browser.page().main();
        let (safe, prove) = (main.within(Role::Region, "Safe"), main.within(Role::Region, "Prove more"));
        let refused = async || {
            browser.refuse_once("/safe").await;
            safe.press("Open the safe").await;
            safe.shows("Refused").await;
            safe.shows("your password and your second factor").await;
        };
        let opened = async || {
            safe.shows("The safe is open.").await;
            main.hides("Prove more").await;
        };
        refused().await;
        prove.fill("Code of your authenticator app", &app.wrong_code()).await;
        prove.press("Prove the second factor").await;
        prove.shows("The code is wrong or was used before.").await;
        prove.fill("Code of your authenticator app", &app.next_code()).await;
        prove.press("Prove the second factor").await;
        opened().await;
        refused().await;
        prove.press("Confirm the password").await;
        confirm_password(browser).await;
        opened().await;
        let wire = browser.page().within(Role::Aside, "On the wire");
        wire.shows("/web/auth/user/confirm-two-factor").await;
    })
    .await;
}
