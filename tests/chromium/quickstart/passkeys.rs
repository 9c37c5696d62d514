//! Passkeys of the computer and of a security key. The page is open at `localhost`, because browsers have no passkeys for an
//! IP address.

use super::second_factor::scan_and_confirm;
use super::{Quickstart, confirm_password};
use crate::browser::wait::until;
use crate::browser::{self, Browser, Device, Kind, Role};
use crate::gallery::Gallery;
use crate::hosts::{Authenticator, PASSWORD};
use serde_json::json;

/// A page that is open at `localhost`, and a user whose address is verified.
async fn start(browser: &Browser) -> Quickstart {
    let quickstart = Quickstart::start_at_localhost();
    quickstart.open_with_mails(browser).await;
    quickstart.register(browser, "Ada").await;
    quickstart.verify(browser, "Ada").await;
    quickstart
}

/// Adds a passkey of a device that is touched.
async fn add(browser: &Browser, name: &str) {
    let main = browser.page().main();
    browser.page().follow("Passkeys").await;
    main.find(Role::Heading, "Your passkeys").await;
    main.within(Role::Region, "Add one").fill("Name optional", name).await;
    main.press("Add a passkey").await;
}

/// A user with a passkey of this computer.
pub(super) async fn with_passkey(browser: &Browser) -> (Quickstart, Device) {
    let quickstart = start(browser).await;
    let device = browser.connect(Kind::Computer).await;
    add(browser, "Desk").await;
    confirm_password(browser).await;
    browser.page().main().shows("The passkey “Desk” is yours.").await;
    (quickstart, device)
}

#[tokio::test]
async fn a_passkey_is_added_and_signs_in_and_opens_the_vault() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start_at_localhost();
        quickstart.open_with_mails(browser).await;
        quickstart.register(browser, "Ada").await;
        let main = browser.page().main();
        let device = browser.connect(Kind::Computer).await;
        add(browser, "").await;
        confirm_password(browser).await;
        main.shows("Verify your e-mail address first.").await;
        quickstart.open(browser, "/profile").await;
        quickstart.verify(browser, "Ada").await;
        add(browser, "").await;
        main.shows("The passkey “Passkey” is yours.").await;
        assert_eq!(browser.passkeys(&device).await.len(), 1);

        let own = main.within(Role::Region, "Your passkeys");
        own.fill("Name", "Desk").await;
        own.press("Rename it: Passkey").await;
        main.shows("The passkey is called “Desk”.").await;
        main.find(Role::Heading, "Desk").await;
        Gallery::new(browser, "quickstart/passkeys").take("passkeys").await;

        browser.is_touched(&device, false).await;
        quickstart.log_out(browser).await;
        browser.is_touched(&device, true).await;
        main.press("Sign in with a passkey").await;
        main.shows("You are signed in with a passkey.").await;
        browser.page().follow("Sessions").await;
        main.shows("passkey").await;
        browser.page().follow("Safe").await;
        main.press("Open the vault").await;
        main.shows("The vault is open.").await;
        main.press("Open the safe").await;
        main.shows("The safe is open.").await;
    })
    .await;
}

/// The browser offers the passkey in the field of the address, and this user chooses it there at once.
#[tokio::test]
async fn a_passkey_signs_in_by_autofill() {
    browser::run(async |browser: &mut Browser| {
        let (quickstart, device) = with_passkey(browser).await;
        browser.is_touched(&device, false).await;
        quickstart.log_out(browser).await;
        // Who chooses none logs in in another way.
        quickstart.log_in(browser, "Ada").await;
        browser.is_touched(&device, true).await;
        browser.page().press("Log out").await;
        browser.page().main().shows("You are signed in with a passkey.").await;
    })
    .await;
}

#[tokio::test]
async fn a_passkey_is_the_second_factor() {
    browser::run(async |browser: &mut Browser| {
        let (quickstart, device) = with_passkey(browser).await;
        set_up(browser).await;
        browser.is_touched(&device, false).await;
        quickstart.log_out(browser).await;
        quickstart.send_login(browser, "Ada", PASSWORD).await;
        let main = browser.page().main();
        main.find(Role::Heading, "Your second factor").await;
        // Presence is enough beside a password.
        browser.recognizes_its_user(&device, false).await;
        browser.is_touched(&device, true).await;
        main.press("Use a passkey").await;
        main.shows("You are logged in.").await;
        browser.page().follow("Sessions").await;
        main.shows("password and passkey").await;
    })
    .await;
}

/// Sets up an app in a session that has confirmed the password already.
pub(super) async fn set_up(browser: &Browser) -> Authenticator {
    browser.page().follow("Second factor").await;
    browser.page().main().press("Set up an authenticator app").await;
    scan_and_confirm(browser).await
}

/// A session that began with a password: the passkey opens the vault, and is the confirmation for what requires one.
#[tokio::test]
async fn a_passkey_confirms_who_somebody_is() {
    browser::run(async |browser: &mut Browser| {
        let (quickstart, device) = with_passkey(browser).await;
        browser.is_touched(&device, false).await;
        quickstart.log_out(browser).await;
        quickstart.log_in(browser, "Ada").await;
        browser.page().follow("Passkeys").await;
        let main = browser.page().main();
        main.press("Add a passkey").await;
        let dialog = browser.page().within(Role::Dialog, "Confirm that it is you");
        dialog.find(Role::Field, "Password").await;
        dialog.find(Role::Button, "Send me a code").await;
        browser.is_touched(&device, true).await;
        dialog.press("Use a passkey").await;
        // The browser knows from the options that this computer has a passkey of the account.
        main.shows("This device has a passkey of this account already.").await;

        browser.is_touched(&device, false).await;
        quickstart.log_out(browser).await;
        quickstart.log_in(browser, "Ada").await;
        browser.is_touched(&device, true).await;
        browser.page().follow("Safe").await;
        main.press("Open the vault").await;
        main.within(Role::Region, "Vault").shows("Refused").await;
        main.shows("a passkey (phr)").await;
        main.within(Role::Region, "Prove more").press("Use a passkey").await;
        main.shows("The vault is open.").await;
    })
    .await;
}

/// What has no password is confirmed with a code by mail.
#[tokio::test]
async fn a_code_by_mail_confirms_who_somebody_is() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = start(browser).await;
        browser.connect(Kind::Computer).await;
        add(browser, "Desk").await;
        let dialog = browser.page().within(Role::Dialog, "Confirm that it is you");
        dialog.press("Send me a code").await;
        dialog.shows("Mails are in the outbox.").await;
        dialog.fill("Code of the mail", "0000 0000").await;
        dialog.press("Confirm").await;
        dialog.shows("Correct the field that is marked.").await;
        let code = quickstart.code_of_mail(2).await;
        dialog.fill("Code of the mail", &code).await;
        dialog.press("Confirm").await;
        browser.page().main().shows("The passkey “Desk” is yours.").await;
    })
    .await;
}

/// Two devices. A passkey that is removed is gone from the device, too, and one that was removed elsewhere after its next use.
#[tokio::test]
async fn passkeys_are_removed_and_the_devices_are_told() {
    browser::run(async |browser: &mut Browser| {
        let (quickstart, computer) = with_passkey(browser).await;
        let main = browser.page().main();
        browser.is_touched(&computer, false).await;
        let key = browser.connect(Kind::SecurityKey).await;
        add(browser, "Blue").await;
        main.shows("The passkey “Blue” is yours.").await;
        assert_eq!(browser.passkeys(&key).await.len(), 1);
        main.within(Role::Region, "Your passkeys").press("Remove it: Blue").await;
        let question = browser.page().within(Role::Dialog, "Remove this passkey?");
        question.press("Cancel").await;
        main.shows("Nothing was changed.").await;
        main.press("Remove it: Blue").await;
        question.press("Remove it").await;
        main.shows("The passkey has been removed.").await;
        main.within(Role::Region, "Your passkeys").hides("Blue").await;
        has_forgotten(browser, &key).await;
        browser.disconnect(key).await;

        // Behind the back of the computer.
        remove_with_a_script(browser).await;
        quickstart.log_out(browser).await;
        assert_eq!(browser.passkeys(&computer).await.len(), 1);
        browser.is_touched(&computer, true).await;
        main.press("Sign in with a passkey").await;
        main.shows("This passkey is not known here any more.").await;
        has_forgotten(browser, &computer).await;
    })
    .await;
}

/// Removes the user's only passkey in a session with a recent confirmation. No device is told.
async fn remove_with_a_script(browser: &Browser) {
    let remove = "const { passkeys: [{ id }] } = await (await fetch('web/auth/user/passkeys')).json();
        const { status } = await fetch(`web/auth/user/passkeys/${id}`, { method: 'DELETE' });
        return status;";
    assert_eq!(browser.async_script(remove, Vec::new()).await["value"], json!(200));
}

/// A device with two passkeys that were removed elsewhere. The user chooses both in the field of the address, one after the other,
/// because the page offers passkeys again after the first one.
#[tokio::test]
async fn passkeys_are_offered_again_after_one_that_is_not_known() {
    browser::run(async |browser: &mut Browser| {
        let (quickstart, device) = with_passkey(browser).await;
        let mut other = browser.passkeys(&device).await.remove(0);
        for id in ["credentialId", "userHandle"] {
            other[id] = json!("b3RoZXI");
        }
        browser.store_passkey(&device, other).await;
        assert_eq!(browser.passkeys(&device).await.len(), 2);
        remove_with_a_script(browser).await;
        browser.page().press("Log out").await;
        browser.page().main().shows("This passkey is not known here any more.").await;
        has_forgotten(browser, &device).await;
        quickstart.log_in(browser, "Ada").await;
    })
    .await;
}

/// Waits until a device has no passkeys.
async fn has_forgotten(browser: &Browser, device: &Device) {
    until("the device to forget its passkeys", async || {
        let left = browser.passkeys(device).await;
        if left.is_empty() { Ok(()) } else { Err(format!("{left:?}")) }
    })
    .await;
}

#[tokio::test]
async fn a_device_that_does_not_recognize_its_user_signs_nobody_in() {
    browser::run(async |browser: &mut Browser| {
        let (quickstart, device) = with_passkey(browser).await;
        browser.recognizes_its_user(&device, false).await;
        quickstart.log_out(browser).await;
        let main = browser.page().main();
        main.press("Sign in with a passkey").await;
        main.shows("Nothing was changed.").await;
    })
    .await;
}

/// At an IP address the page says where the passkeys work, and links there with the word of the outbox.
#[tokio::test]
async fn a_page_at_an_ip_address_links_to_the_one_with_passkeys() {
    browser::run(async |browser: &mut Browser| {
        let quickstart = Quickstart::start();
        quickstart.open_with_mails(browser).await;
        let main = browser.page().main();
        main.shows("Passkeys work at http://localhost:").await;
        let button = main.find(Role::Button, "Sign in with a passkey").await;
        assert!(!button.is_enabled().await.expect("a button"));
        let there = quickstart.0.address().replace("127.0.0.1", "localhost");
        main.follow(&format!("{there}/")).await;
        main.hides("Passkeys work at").await;
        assert!(browser.address().await.starts_with(&there));
        browser.page().follow("Outbox").await;
        main.shows("There are no mails yet.").await;
    })
    .await;
}
