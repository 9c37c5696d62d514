//! `/passkeys`: the user's passkeys. The page needs a recent confirmation, as their routes do.

use crate::account::Account;
use crate::site::{Field, FormErrors, Notice, Page, PasskeyButton, PostForm, time};
use axum::Form;
use axum::response::{IntoResponse, Response};
use axum_auth_module::extract::WithBody;
use axum_auth_module::services::{PasskeysService, UserPasskey};
use axum_auth_module::{AuthError, Browser, ConfirmedUser};
use maud::{Markup, html};
use serde::Deserialize;

const PATH: &str = "/passkeys";

/// `wrong`: the id of the passkey whose form has these errors.
async fn page(
    browser: &Browser<Account>,
    account: &Account,
    (wrong, errors): (&str, &FormErrors),
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    let listed = browser.service::<PasskeysService>()?.list(&browser.identity().await?).await?;
    Ok(Page::new("Passkeys").user(account).errors(errors).notice(notice).with(html! {
        p { "With a passkey you log in as you unlock your device. No other site can ask for it." }
        @if listed.passkeys.is_empty() { p #no-passkeys { "You have none yet." } }
        ul #passkeys-list {
            @for passkey in &listed.passkeys {
                li.session { (described(passkey, (passkey.id == wrong).then_some(errors))) }
            }
        }
        @match account.email_verified_at {
            Some(_) => (PasskeyButton::Add("/passkeys?notice=passkey-added")),
            None => p { a href="/email-verification" { "Verify your e-mail address" } " before you add one." },
        }
        noscript { p { "To add a passkey, the page needs JavaScript." } }
    }))
}

fn described(passkey: &UserPasskey, errors: Option<&FormErrors>) -> Markup {
    let no_errors = FormErrors::default();
    let (rename, remove) = (format!("rename-{}", passkey.id), format!("remove-{}", passkey.id));
    html! {
        h2 { (passkey.name) }
        p {
            "Added " (time(passkey.created_at))
            @if let Some(used) = passkey.last_used_at { " · last used " (time(used)) }
            @if !passkey.usable { " · of another site: it cannot log you in" }
        }
        (PostForm::new(&rename, PATH, errors.unwrap_or(&no_errors))
            .hidden("action", "rename")
            .hidden("id", &passkey.id)
            .field(Field::text("name", "Name", "off").value(&passkey.name))
            .submit("Rename it"))
        (PostForm::new(&remove, PATH, &no_errors)
            .hidden("action", "remove")
            .hidden("id", &passkey.id)
            .submit_danger(format!("Remove {}", passkey.name)))
    }
}

pub(crate) async fn show(
    browser: Browser<Account>,
    ConfirmedUser(account): ConfirmedUser<Account>,
    notice: Option<Notice>,
) -> Result<Response, AuthError> {
    page(&browser, &account, ("", &FormErrors::default()), notice).await
}

/// What a form of the page does.
#[derive(Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub(crate) enum Change {
    Rename { id: String, name: String },
    Remove { id: String },
}

pub(crate) async fn change(
    browser: Browser<Account>,
    WithBody(ConfirmedUser(account), Form(change)): WithBody<ConfirmedUser<Account>, Form<Change>>,
) -> Result<Response, AuthError> {
    let (passkeys, who) = (browser.service::<PasskeysService>()?, browser.identity().await?);
    let client = browser.visitor().address();
    Ok(match change {
        Change::Rename { id, name } => match passkeys.rename(&who, &id, &name, client).await {
            Ok(_) => Notice::PasskeyRenamed.on(PATH).into_response(),
            Err(error) => page(&browser, &account, (&id, &FormErrors::of(error)?), None).await?,
        },
        Change::Remove { id } => match passkeys.remove(&who, &id, client).await {
            Ok(removal) => {
                (browser.cookies(removal.credentials), Notice::PasskeyRemoved.on(PATH)).into_response()
            }
            Err(error) => page(&browser, &account, (&id, &FormErrors::of(error)?), None).await?,
        },
    })
}
