//! The list of sessions.

use crate::browser::{Browser, PASSWORD};
use crate::html::tags;
use crate::site::Site;

/// The ids of the forms that end one session each.
fn end_forms(browser: &Browser<'_>) -> Vec<String> {
    let forms = tags(&browser.page.html).into_iter().filter_map(|tag| tag.attribute("id").map(str::to_owned));
    let forms = forms.filter_map(|id| Some(id.strip_suffix("-form")?.to_owned()));
    forms.filter(|id| id.starts_with("end-") && id != "end-others").collect()
}

#[tokio::test]
async fn a_user_ends_another_session_and_then_all_others() {
    let site = Site::start();
    let mut browser = Browser::new(&site);
    browser.register("ada@example.com").await;
    browser.open("/sessions").await;
    assert!(end_forms(&browser).is_empty() && browser.page.element("end-others-form").is_none());
    let mut others = [Browser::new(&site), Browser::new(&site), Browser::new(&site)];
    for other in &mut others {
        other.log_in("ada@example.com", PASSWORD).await;
    }
    browser.open("/sessions").await;
    assert!(browser.page.text("sessions-list").contains("Test <browser>"), "the user agent is only text");
    let forms = end_forms(&browser);
    assert_eq!(forms.len(), 3);

    // The button leads to the confirmation of the password, and from there back to the list.
    browser.send(&forms[0], &[]).await;
    assert_eq!(browser.page.address, "/confirm?next=%2Fsessions");
    browser.confirm_password().await;
    assert_eq!(browser.page.address, "/sessions?notice=confirmed");
    browser.send(&forms[0], &[]).await;
    assert_eq!(browser.page.text("notice"), "The session has ended.");
    assert_eq!(end_forms(&browser).len(), 2);
    assert_eq!(greeted(&mut others).await, 2);

    browser.send("end-others", &[]).await;
    assert_eq!(browser.page.address, "/sessions?notice=others-ended");
    assert!(end_forms(&browser).is_empty());
    assert_eq!(greeted(&mut others).await, 0);
}

/// How many of them are still logged in.
async fn greeted(browsers: &mut [Browser<'_>]) -> usize {
    let mut greeted = 0;
    for browser in browsers {
        browser.open("/").await;
        greeted += usize::from(browser.page.text("greeting") == "Hello, Ada!");
    }
    greeted
}
