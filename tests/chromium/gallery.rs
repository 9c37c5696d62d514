//! Pictures of the pages of an example, in light, in dark and on a phone, each checked for accessibility and for what
//! it loads.

use crate::browser::{self, Browser, Look};
use std::cell::Cell;

/// The pictures of one example: `quickstart/03-profile-dark.png`.
pub(crate) struct Gallery<'a> {
    browser: &'a Browser,
    example: &'static str,
    taken: Cell<u32>,
}

impl<'a> Gallery<'a> {
    pub(crate) fn new(browser: &'a Browser, example: &'static str) -> Self {
        Self { browser, example, taken: Cell::new(0) }
    }

    /// Takes the pictures of the current page.
    pub(crate) async fn take(&self, page: &str) {
        self.taken.set(self.taken.get() + 1);
        let name = format!("{}/{:02}-{page}", self.example, self.taken.get());
        let refused =
            self.browser.console().await.into_iter().find(|line| line.contains("Content Security Policy"));
        assert_eq!(refused, None, "{name} violates its own policy");
        let foreign = self.browser.foreign_resources().await;
        assert!(foreign.is_empty(), "{name} loads from other hosts: {foreign:?}");
        for look in Look::ALL {
            self.browser.look(look).await;
            self.browser.picture(&name, look).await;
            self.browser.is_accessible(&format!("{name} in {look:?}")).await;
            assert!(!self.browser.is_too_wide().await, "{name} in {look:?} is wider than the screen");
        }
        self.browser.look(Look::Light).await;
        // axe-core tries things that policies forbid.
        self.browser.console().await;
    }
}

#[tokio::test]
async fn axe_core_finds_what_is_wrong() {
    browser::run(async |browser: &mut Browser| {
        browser.open("data:text/html,<html lang=en><title>Wrong</title><img src='data:,'>").await;
        if let Some(violations) = browser.violations().await {
            let found: Vec<_> = violations.iter().map(|violation| &violation["id"]).collect();
            assert_eq!(found, ["image-alt"]);
        }
    })
    .await;
}
