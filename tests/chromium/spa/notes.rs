//! The host's own routes: notes, whose deletion requires a confirmed password, and whose export requires two factors.

use super::second_factor::set_up;
use super::{Credential, Spa, confirm_password};
use crate::browser::wait::until;
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;
use std::fs;

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

#[tokio::test]
async fn a_user_exports_notes_with_two_factors() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            let main = browser.page().main();
            main.fill("A new note", "Buy milk").await;
            main.press("Add the note").await;
            main.press("Export all notes").await;
            main.shows("This requires a passkey or two-factor authentication. Set it up first.").await;

            let app = set_up(browser).await;
            browser.page().within(Role::Navigation, "Account").follow("Notes").await;
            main.press("Export all notes").await;
            main.shows("The notes are in your downloads.").await;
            is_downloaded(browser, "notes.json").await;

            browser.refuse_once("/api/notes/export").await;
            main.press("Export all notes").await;
            let dialog = browser.page().within(Role::Dialog, "Confirm that it is you");
            let prove = async |code: &str| {
                dialog.fill("Password", PASSWORD).await;
                dialog.fill("Code of your authenticator app, or a recovery code", code).await;
                dialog.press("Confirm").await;
            };
            prove(&app.wrong_code()).await;
            dialog.shows("The code is wrong or was used before.").await;
            prove(&app.next_code()).await;
            is_downloaded(browser, "notes (1).json").await;
        })
        .await;
    }
}

async fn is_downloaded(browser: &Browser, name: &str) {
    let file = browser.downloads().join(name);
    until("the download", async || {
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        if text.contains("Buy milk") { Ok(()) } else { Err(text) }
    })
    .await;
}
