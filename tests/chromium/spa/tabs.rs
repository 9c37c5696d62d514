//! Several tabs of one user.

use super::{Credential, Spa};
use crate::browser::wait::until;
use crate::browser::{self, Browser, Role};
use crate::hosts::Program;

/// A logout in one tab shows the login in the other one, without a reload.
#[tokio::test]
async fn a_logout_is_noticed_in_every_tab() {
    for credential in Credential::BOTH {
        browser::run(async |browser: &mut Browser| {
            let spa = Spa::start();
            spa.open(browser, credential).await;
            spa.register(browser, "Ada").await;
            let first = browser.tab().await;
            browser.new_tab(&spa.url("/notes")).await;
            browser.page().main().find(Role::Heading, "Notes").await;
            spa.log_out(browser).await;
            browser.switch_to(&first).await;
            browser.page().main().find(Role::Heading, "Log in").await;
        })
        .await;
    }
}

/// Two tabs send 30 requests each when the access token has expired: one of them refreshes it, once.
#[tokio::test]
async fn tabs_share_one_refresh() {
    browser::run(async |browser: &mut Browser| {
        let spa = Spa(Program::start("spa", &[("AUTH_ACCESS_TOKEN_SECONDS", "3")]));
        spa.open(browser, Credential::Tokens).await;
        spa.register(browser, "Ada").await;
        let first = browser.tab().await;
        let second = browser.new_tab(&spa.url("/notes")).await;
        browser.page().main().find(Role::Heading, "Notes").await;

        // The token has expired when the server no longer accepts it.
        until("the end of the access token", async || {
            let read = "const [, text] = Object.entries(localStorage).find(([, text]) => text.includes('accessToken'));
                const response = await fetch(new Request('/api/me',
                    { headers: { authorization: `Bearer ${JSON.parse(text).accessToken}` } }));
                return response.status;";
            let status = browser.async_script(read, Vec::new()).await;
            if status["value"] == 401 { Ok(()) } else { Err(status.to_string()) }
        })
        .await;

        for tab in [&first, &second] {
            browser.switch_to(tab).await;
            browser.script("document.querySelector('#burst').click()", Vec::new()).await;
        }
        let mut refreshes = 0;
        for tab in [&first, &second] {
            browser.switch_to(tab).await;
            let result = browser.page().line("Responses: ").await;
            assert!(result.starts_with("Responses: 30 × 200."), "{result}");
            let of_tab = result.trim_end_matches('.').rsplit(' ').next().unwrap();
            refreshes += of_tab.parse::<u32>().unwrap_or_else(|error| panic!("{result}: {error}"));
        }
        assert_eq!(refreshes, 1);
    })
    .await;
}
