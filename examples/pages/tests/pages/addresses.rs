//! Changes of the e-mail address, and taking an account back.

use crate::authenticator::code;
use crate::browser::{Browser, PASSWORD};
use crate::site::Site;

const ADA: &str = "ada@example.com";
const NEW: &str = "lovelace@example.com";

const CONFIRM: &str = "email-change; kind=Confirm";
const CHANGED: &str = "email-change; kind=Changed";

/// Confirms the password and asks for an address on the page for it.
async fn ask(browser: &mut Browser<'_>, email: &str) {
    browser.open("/email").await;
    assert_eq!(browser.page.address, "/confirm?next=%2Femail");
    browser.confirm_password().await;
    browser.send("email", &[("email", email)]).await;
    assert_eq!(
        browser.page.text("notice"),
        "A mail to the new address has a link. Open it to change your address."
    );
}

#[tokio::test]
async fn an_address_changes_with_the_link_in_the_mail_to_it() {
    let site = Site::start();
    let (mut browser, mut other) = (Browser::new(&site), Browser::new(&site));
    browser.register(ADA).await;
    browser.verify_email().await;
    other.log_in(ADA, PASSWORD).await;
    browser.open("/profile").await;
    let link = browser.page.element("email-link").unwrap().attribute("href").unwrap().to_owned();
    assert_eq!(link, "/email");
    ask(&mut browser, NEW).await;
    assert!(browser.page.text("email-pending").starts_with("You have asked for lovelace@example.com."));

    let mail = site.mail(CONFIRM, 1).await;
    assert!(mail.contains("To: lovelace@example.com"), "{mail}");
    let link = site.link(CONFIRM, 1).await;
    browser.open(&link).await;
    assert_eq!(browser.page.headers["referrer-policy"], "same-origin");
    assert_eq!(browser.page.headers["cache-control"], "no-store");
    let state = "Your e-mail address is ada@example.com. It changes to lovelace@example.com, and your other sessions end.";
    assert_eq!(browser.page.text("email-change-state"), state);
    // The link alone changes nothing.
    browser.open("/profile").await;
    assert!(browser.page.text("profile-email").contains(ADA));
    browser.open(&link).await;
    browser.send("email-change", &[]).await;
    assert_eq!(browser.page.address, "/profile?notice=email-changed");
    assert!(browser.page.text("profile-email").contains(NEW));
    other.open("/").await;
    assert_eq!(other.page.text("greeting"), "Hello, stranger!");
    other.log_in(NEW, PASSWORD).await;
    assert_eq!(other.page.text("greeting"), "Hello, Ada!");

    // It works once.
    browser.open(&link).await;
    browser.send("email-change", &[]).await;
    let refused = (browser.page.status, browser.page.text("email-change-errors"));
    assert_eq!(refused, (422, "This link is not valid any more.".into()));
    assert_eq!(browser.page.address, "/email-change", "the token is not in the address any more");
}

#[tokio::test]
async fn the_owner_of_the_previous_address_takes_the_account_back() {
    let site = Site::start();
    let mut thief = Browser::new(&site);
    thief.register(ADA).await;
    thief.verify_email().await;
    ask(&mut thief, "thief@example.com").await;
    thief.open(&site.link(CONFIRM, 1).await).await;
    thief.send("email-change", &[]).await;

    let mail = site.mail(CHANGED, 1).await;
    assert!(mail.contains("To: ada@example.com"), "{mail}");
    let link = site.link(CHANGED, 1).await;
    assert!(link.starts_with("/revert?token="), "{link}");
    // The thief is logged in here, and stays so until the form is sent.
    thief.open(&link).await;
    assert_eq!(thief.page.text_of("h1"), "Take your account back");
    thief.open("/").await;
    assert_eq!(thief.page.text("greeting"), "Hello, Ada!");
    thief.open(&link).await;
    thief.send("revert", &[]).await;
    assert_eq!((thief.page.status, thief.page.text_of("h1")), (200, "Your account is yours again".into()));
    assert_eq!(thief.page.address, "/revert");
    let login = thief.page.element("login-link").unwrap().attribute("href").unwrap().to_owned();
    thief.open(&login).await;
    assert_eq!(thief.page.text_of("h1"), "Log in");
    thief.open("/profile").await;
    assert_eq!(thief.page.address, "/login?next=%2Fprofile");

    // The password is gone, and the owner gets a mail for another one.
    thief.log_in(ADA, PASSWORD).await;
    assert_eq!(thief.page.status, 422);
    let mut owner = Browser::new(&site);
    owner.open(&site.link("password-reset; kind=LockedDown", 1).await).await;
    assert_eq!(owner.page.value("reset-email"), ADA);
    owner.send("reset", &[("password", "battery staple"), ("passwordConfirmation", "battery staple")]).await;
    owner.log_in(ADA, "battery staple").await;
    assert_eq!(owner.page.text("greeting"), "Hello, Ada!");
    owner.open("/profile").await;
    assert!(owner.page.text("profile-email").contains(ADA));
}

#[tokio::test]
async fn a_visitor_who_is_not_logged_in_logs_in_and_keeps_the_token() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register(ADA).await;
    ask(&mut browser, NEW).await;
    let link = site.link(CONFIRM, 1).await;
    browser.send("logout", &[]).await;
    browser.open(&link).await;
    assert_eq!(browser.page.text_of("h1"), "Log in");
    browser.send("login", &[("email", ADA), ("password", "wrong")]).await;
    browser.send("login", &[("email", ADA), ("password", PASSWORD)]).await;
    assert_eq!(browser.page.address, link);

    // A session that ends while the page is open.
    browser.close();
    browser.send("email-change", &[]).await;
    assert_eq!(browser.page.text_of("h1"), "Log in");
    browser.send("login", &[("email", ADA), ("password", PASSWORD)]).await;
    assert_eq!(token(&browser), token_of(&link));
    browser.send("email-change", &[]).await;
    assert_eq!(browser.page.address, "/profile?notice=email-changed");
}

/// The longest token: it has both addresses.
#[tokio::test]
async fn the_token_of_long_addresses_survives_the_login_too() {
    let site = Site::start();
    let domain = ["example"; 23].join(".") + ".com";
    let [old, new] = ["a", "b"].map(|letter| format!("{}@{domain}", letter.repeat(60)));
    let mut browser = Browser::new(&site);
    browser.register(&old).await;
    ask(&mut browser, &new).await;
    let link = site.link(CONFIRM, 1).await;
    let mut phone = Browser::new(&site);
    phone.open(&link).await;
    phone.send("login", &[("email", &old), ("password", PASSWORD)]).await;
    assert_eq!(phone.page.address, link);
    phone.send("email-change", &[]).await;
    assert_eq!(phone.page.address, "/profile?notice=email-changed", "{}", phone.page.html);
}

/// The token in the form of the page.
fn token(browser: &Browser<'_>) -> String {
    let field = r#"name="token" value=""#;
    let (_, rest) = browser.page.html.split_once(field).expect("a token");
    rest.split('"').next().unwrap().to_owned()
}

fn token_of(link: &str) -> &str {
    link.split_once("token=").expect("a token").1
}

#[tokio::test]
async fn the_token_survives_a_login_with_a_second_factor() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register(ADA).await;
    browser.open("/two-factor").await;
    browser.confirm_password().await;
    browser.send("enable", &[]).await;
    let key = browser.page.text("secret-key");
    browser.send("confirm", &[("code", &code(&key, 0))]).await;
    browser.open("/email").await;
    browser.send("email", &[("email", NEW)]).await;
    let link = site.link(CONFIRM, 1).await;

    let mut phone = Browser::new(&site);
    phone.open(&link).await;
    phone.send("login", &[("email", ADA), ("password", PASSWORD)]).await;
    assert_eq!(phone.page.text_of("h1"), "Your second factor");
    phone.send("challenge", &[("code", &code(&key, 1))]).await;
    assert_eq!(phone.page.address, link);
    phone.send("email-change", &[]).await;
    assert_eq!(phone.page.address, "/profile?notice=email-changed");
}

#[tokio::test]
async fn what_cannot_be_asked_for_is_an_error_at_the_field() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register(ADA).await;
    ask(&mut browser, NEW).await;
    browser.send("email", &[("email", "nobody")]).await;
    assert_eq!(browser.page.text("email-email-error"), "This is not an e-mail address.");
    assert_eq!(browser.page.value("email-email"), "nobody");
    browser.send("email", &[("email", ADA)]).await;
    assert_eq!(browser.page.text("email-email-error"), "This is your e-mail address already.");
    assert!(browser.page.text("email-pending").contains(NEW), "the pending change stays");
}

#[tokio::test]
async fn a_change_is_cancelled() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register(ADA).await;
    ask(&mut browser, NEW).await;
    let link = site.link(CONFIRM, 1).await;
    browser.send("cancel", &[]).await;
    assert_eq!(browser.page.text("notice"), "Your e-mail address stays as it is.");
    browser.open("/email").await;
    assert!(browser.page.element("email-pending").is_none());
    browser.open(&link).await;
    assert_eq!(browser.page.text("email-change-state"), "Your e-mail address is ada@example.com.");
    browser.send("email-change", &[]).await;
    assert_eq!(browser.page.text("email-change-errors"), "This link is not valid any more.");
}

/// Nobody learns here who has an account.
#[tokio::test]
async fn an_address_of_another_account_gets_the_same_page_and_another_mail() {
    let site = Site::start();
    Browser::new(&site).register("eve@example.com").await;
    let mut browser = Browser::new(&site);
    browser.register(ADA).await;
    ask(&mut browser, "eve@example.com").await;
    assert!(browser.page.text("email-pending").contains("eve@example.com"));
    let mail = site.mail("email-change; kind=Taken", 1).await;
    assert!(mail.contains("To: eve@example.com") && !mail.contains("http"), "{mail}");
}

#[tokio::test]
async fn a_link_of_another_user_or_a_wrong_one_changes_nothing() {
    let site = Site::start();
    let (mut ada, mut eve) = (Browser::new(&site), Browser::new(&site));
    ada.register(ADA).await;
    ask(&mut ada, NEW).await;
    let link = site.link(CONFIRM, 1).await;
    eve.register("eve@example.com").await;
    for (address, form) in
        [(&*link, "email-change"), ("/email-change", "email-change"), ("/revert", "revert")]
    {
        eve.open(address).await;
        eve.send(form, &[]).await;
        let refused = (eve.page.status, eve.page.text(&format!("{form}-errors")));
        assert_eq!(refused, (422, "This link is not valid any more.".into()), "{address}");
    }
    // The page of another site sends no form for a user.
    ada.open(&link).await;
    ada.send_from_elsewhere("email-change", &[]).await;
    assert_eq!((ada.page.status, ada.page.text_of("h1")), (403, "Not from here".into()));
}
