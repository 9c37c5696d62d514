//! The host's own routes: notes, whose deletion requires a confirmed password.

use super::{Credential, Spa, confirm_password};
use crate::browser::{self, Browser, Role};

#[tokio::test]
async fn a_user_adds_and_deletes_notes() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            let main = browser.page().main();
            main.shows("There are no notes yet.").await;
            for note in ["Buy milk", "Call Bob"] {
                main.fill("A new note", note).await;
                main.press("Add the note").await;
                main.shows(note).await;
            }
            browser.reload().await;
            main.shows("Buy milk").await;

            main.press("Delete all notes").await;
            let dialog = browser.page().within(Role::Dialog, "Confirm your password");
            dialog.fill("Password", "not the password").await;
            dialog.press("Confirm").await;
            dialog.shows("The password is wrong.").await;
            // The request is sent again after the password was confirmed.
            confirm_password(browser).await;
            main.shows("There are no notes yet.").await;
        })
        .await;
    }
}
