//! `/sessions`: where the user is logged in.

use crate::account::Account;
use crate::site::{FormErrors, Notice, Page, PostForm};
use axum::Form;
use axum_auth_module::extract::WithBody;
use axum_auth_module::services::{SessionInfo, SessionListService};
use axum_auth_module::{AuthError, Browser, CurrentUser};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use serde::Deserialize;

async fn page(
    browser: &Browser<Account>,
    account: &Account,
    notice: Option<Notice>,
) -> Result<Page, AuthError> {
    let sessions = browser.service::<SessionListService>()?.list(&browser.identity().await?).await?;
    let part = html! {
        section #sessions {
            @if let Some(notice) = notice { (notice) }
            p { "You are logged in here. End what you do not know." }
            ul { @for session in &sessions { li { (described(session)) } } }
        }
    };
    Ok(Page::new("Sessions", part).user(account))
}

fn described(session: &SessionInfo) -> Markup {
    let agent = session.user_agent.as_deref().unwrap_or("An unknown program");
    let last_used = DateTime::<Utc>::from(session.last_used_at).format("%-d %B %Y, %H:%M UTC").to_string();
    let no_errors = FormErrors::default();
    html! {
        p { strong { (agent) } ", last used " (last_used) }
        @if session.current {
            p { "This session" }
        } @else {
            (PostForm::new(&format!("end-{}", session.id), "/sessions", &no_errors)
                .within("#sessions")
                .hidden("id", &session.id)
                .submit_for("End this session", agent))
        }
    }
}

pub(crate) async fn show(
    browser: Browser<Account>,
    CurrentUser(account): CurrentUser<Account>,
    notice: Option<Notice>,
) -> Result<Page, AuthError> {
    page(&browser, &account, notice).await
}

#[derive(Deserialize)]
pub(crate) struct Entered {
    id: String,
}

/// Without a recent confirmation of the password the service refuses this, and the visitor comes to `/confirm`.
pub(crate) async fn end(
    browser: Browser<Account>,
    WithBody(CurrentUser(account), Form(entered)): WithBody<CurrentUser<Account>, Form<Entered>>,
) -> Result<Page, AuthError> {
    let (sessions, who) = (browser.service::<SessionListService>()?, browser.identity().await?);
    match sessions.end(&who, &entered.id, browser.visitor().address()).await {
        // It may have ended meanwhile.
        Ok(()) | Err(AuthError::NotFound) => {}
        Err(error) => return Err(error),
    }
    let page = page(&browser, &account, Some(Notice::SessionEnded)).await?;
    Ok(page.changed("/sessions", Notice::SessionEnded))
}
