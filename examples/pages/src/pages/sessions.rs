//! `/sessions`: where the user is logged in.

use crate::account::Account;
use crate::site::{FormErrors, Notice, Page, PostForm, time};
use axum::Form;
use axum::response::{IntoResponse, Response};
use axum_auth_module::services::{SessionInfo, SessionListService};
use axum_auth_module::{AuthError, Browser, PageUser};
use maud::{Markup, html};
use serde::Deserialize;

pub(crate) async fn show(
    browser: Browser<Account>,
    PageUser(account): PageUser<Account>,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    let sessions = browser.service::<SessionListService>()?.list(&browser.identity().await?).await?;
    let no_errors = FormErrors::default();
    Ok(Page::new("Sessions").user(&account).notice(notice).with(html! {
        p { "You are logged in here. End what you do not know, and change your password then." }
        ul #sessions-list {
            @for session in &sessions { li.session id={ "session-" (session.id) } { (described(session)) } }
        }
        @if sessions.len() > 1 {
            (PostForm::new("end-others", "/sessions", &no_errors)
                .hidden("action", "end-others")
                .submit_danger("Log out everywhere else"))
        }
    }))
}

fn described(session: &SessionInfo) -> Markup {
    let agent = match (&session.actor, &session.user_agent) {
        (Some(actor), _) => format!("The support ({actor})"),
        (None, Some(agent)) => agent.clone(),
        (None, None) => "An unknown program".to_owned(),
    };
    let no_errors = FormErrors::default();
    let form = format!("end-{}", session.id);
    html! {
        h2 { (agent) }
        p {
            @if session.current { strong.current { "This session" } " · " }
            @if let Some(client) = &session.client { (client) " · " }
            "since " (time(session.created_at)) " · last used " (time(session.last_used_at))
            @if session.remembered { " · stays logged in" }
        }
        @if !session.current {
            (PostForm::new(&form, "/sessions", &no_errors)
                .hidden("action", "end")
                .hidden("id", &session.id)
                .submit_danger(html! { "End this session" span.for-screen-readers { ": " (agent) } }))
        }
    }
}

/// What a button of the page does.
#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub(crate) enum Action {
    End { id: String },
    EndOthers,
}

pub(crate) async fn end(
    browser: Browser<Account>,
    Form(action): Form<Action>,
) -> Result<Response, AuthError> {
    let (sessions, client) = (browser.service::<SessionListService>()?, browser.visitor().address());
    let who = browser.identity().await?;
    let notice = match action {
        Action::End { id } => {
            match sessions.end(&who, &id, client).await {
                // It has ended meanwhile.
                Ok(()) | Err(AuthError::NotFound) => Notice::SessionEnded,
                Err(error) => return Err(error),
            }
        }
        Action::EndOthers => {
            sessions.end_others(&who, client).await?;
            Notice::OthersEnded
        }
    };
    Ok(notice.on("/sessions").into_response())
}
