//! Passkeys, on both routers.

use super::{Credential, OUTBOX, Spa, confirm_password};
use crate::browser::{self, Browser, Kind, Role};

#[tokio::test]
async fn a_passkey_is_added_logs_in_confirms_and_is_removed() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start_at_localhost();
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            let (page, main) = (browser.page(), browser.page().main());
            page.follow("Profile").await;
            main.press("Send a mail with a link").await;
            main.shows("mail").await;
            spa.0.follow_mail(browser, OUTBOX, 1).await;
            main.shows("The e-mail address is verified.").await;

            let device = browser.connect(Kind::Computer).await;
            page.follow("Passkeys").await;
            main.shows("You have none yet.").await;
            main.fill("Name of a new one", "Desk").await;
            main.press("Add a passkey").await;
            confirm_password(browser).await;
            main.shows("You can log in with the passkey “Desk” now.").await;
            main.hides("You have none yet.").await;
            main.press("Add a passkey").await;
            main.shows("This device has a passkey of this account already.").await;

            spa.log_out(browser).await;
            main.press("Use a passkey").await;
            page.find(Role::Button, "Log out").await;
            // A passkey is two factors, and a recent confirmation.
            page.within(Role::Navigation, "Account").follow("Notes").await;
            main.fill("A new note", "Buy milk").await;
            main.press("Add the note").await;
            main.press("Export all notes").await;
            main.shows("The notes are in your downloads.").await;

            spa.log_out(browser).await;
            spa.log_in(browser, "Ada").await;
            page.follow("Passkeys").await;
            main.press("Remove the passkey: Desk").await;
            page.within(Role::Dialog, "Confirm your password").press("Use a passkey").await;
            main.shows("The passkey has been removed.").await;
            main.shows("You have none yet.").await;
            assert_eq!(browser.passkeys(&device).await.len(), 0);
        })
        .await;
    }
}
