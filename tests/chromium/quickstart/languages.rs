//! The language of messages and mails. The page itself is in English, and marks what is not.

use super::{Quickstart, email};
use crate::browser::{self, Browser, Role};
use crate::hosts::PASSWORD;
use serde_json::{Value, json};

const MENU: &str = "Language of messages and mails";

/// The language of the innermost element with this text, and of the page.
async fn languages(browser: &Browser, text: &str) -> Value {
    browser.page().main().shows(text).await;
    let find = "const all = [...document.querySelectorAll('main *')].filter(part => part.innerText?.includes(arguments[0]));
        return [all.at(-1).closest('[lang]').lang, document.documentElement.lang];";
    browser.script(find, vec![json!(text)]).await
}

#[tokio::test]
async fn a_chosen_language_is_that_of_messages_and_mails_and_is_remembered() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
        quickstart.register(browser, "Ada").await;
        quickstart.log_out(browser).await;
        let (page, main) = (browser.page(), browser.page().main());
        quickstart.send_login(browser, "Ada", "not the password").await;
        let wrong = languages(browser, "The e-mail address or the password is wrong.").await;
        assert_eq!(wrong, json!(["en", "en"]));

        let menu = page.find(Role::Field, MENU).await;
        menu.select_by_label("Deutsch").await.expect("a language");
        quickstart.send_login(browser, "Ada", "not the password").await;
        let wrong = languages(browser, "Die E-Mail-Adresse oder das Passwort ist falsch.").await;
        assert_eq!(wrong, json!(["de", "en"]));
        page.within(Role::Aside, "On the wire").shows("accept-language: de").await;

        // Fields, a message with a sentence of the page behind it, and a mail.
        quickstart.open(browser, "/forgot-password").await;
        main.press("Send the link").await;
        assert_eq!(languages(browser, "Die E-Mail-Adresse fehlt.").await, json!(["de", "en"]));
        main.fill("E-mail address", &email("Ada")).await;
        main.press("Send the link").await;
        assert_eq!(languages(browser, "Wenn ein Konto diese Adresse hat").await, json!(["de", "en"]));
        assert_eq!(languages(browser, "Mails are in the outbox.").await, json!(["en", "en"]));
        page.follow("Outbox").await;
        assert_eq!(languages(browser, "Guten Tag,").await, json!(["de", "en"]));
        assert_eq!(languages(browser, &format!("To {}", email("Ada"))).await, json!(["en", "en"]));

        // Also after the browser was closed.
        browser.restart().await;
        let (page, main) = (browser.page(), browser.page().main());
        quickstart.open(browser, "/login").await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        main.shows("You are logged in.").await;
        assert_eq!(page.value(MENU).await, "de");
        // This notice is a sentence of the page. That of the server is in its response.
        quickstart.log_out(browser).await;
        page.within(Role::Aside, "On the wire").shows("Sie sind abgemeldet.").await;
    })
    .await;
}
