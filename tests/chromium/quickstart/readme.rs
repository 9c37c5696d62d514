//! The pictures of the README: the page asks for a second factor, and beside it is the request that has led there.
//!
//! After a change of the page this command makes them, and writes them into `docs/images`:
//!
//! ```sh
//! UPDATE=1 tests/chromium/run quickstart::readme
//! ```

use super::Quickstart;
use super::second_factor::set_up;
use crate::browser::{self, Browser, Look, Role};
use crate::hosts::PASSWORD;
use std::env;
use std::fs;
use std::path::Path;

/// The window, in which the form and the whole response fit.
const WINDOW: (u32, u32) = (1280, 832);

/// The README is some 840 pixels wide, so that each of these is shown on two pixels of a screen with small ones.
const SCALE: f64 = 1.25;

/// The width and the height of a picture, from the head of its file.
fn size(png: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    assert_eq!(&png[1..4], b"PNG");
    (number(16), number(20))
}

#[tokio::test]
async fn the_page_has_its_picture_taken_for_the_readme() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        quickstart.open_with_mails(browser).await;
        quickstart.register(browser, "Ada").await;
        set_up(browser).await;
        quickstart.log_out(browser).await;
        // The requests so far do not belong to the picture, and neither do those that the login makes by itself.
        browser.reload().await;
        let (page, main) = (browser.page(), browser.page().main());
        let wire = page.within(Role::Aside, "On the wire");
        wire.shows("/web/auth/passkeys/login/options").await;
        wire.shows("/web/auth/oauth/providers").await;
        wire.press("Clear").await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.find(Role::Heading, "Your second factor").await;
        wire.shows("2 requests").await;
        main.fill("Code of your authenticator app", "482 913").await;
        browser.script("document.activeElement.blur()", Vec::new()).await;

        let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
        for (look, name, kept) in
            [(Look::Light, "readme", "quickstart.png"), (Look::Dark, "readme-dark", "quickstart-dark.png")]
        {
            browser.look(look).await;
            let taken = browser.window(name, WINDOW, SCALE).await;
            assert_eq!(size(&taken), (1600, 1040));
            let kept = images.join(kept);
            if env::var_os("UPDATE").is_some() {
                fs::create_dir_all(&images).expect("a directory");
                fs::write(&kept, &taken).expect("a file");
            }
            // Fonts differ from machine to machine, and so do pixels.
            let kept = fs::read(&kept).unwrap_or_else(|error| panic!("{}: {error}", kept.display()));
            assert_eq!(size(&kept), size(&taken), "the picture in docs/images has another size");
            assert!(kept.len() < 200_000, "{}: the README loads slowly", kept.len());
        }
    })
    .await;
}
