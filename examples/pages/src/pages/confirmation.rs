//! `/confirm`: where a user is redirected who opens a page that requires a recent confirmation, or more than was proven in the
//! session. The page has a form for each thing that the user can prove, and leads back.

use crate::account::Account;
use crate::site::{Field, FormErrors, Next, Notice, Page, PasskeyButton, PostForm};
use axum::Form;
use axum::extract::Query;
use axum::response::{IntoResponse, Response};
use axum_auth_module::assurance::Proof;
use axum_auth_module::extract::WithBody;
use axum_auth_module::services::{PasswordConfirmationService, SecondFactor};
use axum_auth_module::{AuthError, Browser, CurrentUser, PageUser};
use maud::{Markup, Render, html};
use serde::Deserialize;

/// The forms of the page, with the errors of the one that was sent.
#[derive(Default)]
struct Forms {
    password: FormErrors,
    code: FormErrors,
    mail: FormErrors,
    /// The flow token, if a code was mailed: a hidden field keeps it.
    flow: Option<String>,
}

async fn page(
    browser: &Browser<Account>,
    account: &Account,
    next: &Next,
    forms: &Forms,
) -> Result<Response, AuthError> {
    let who = browser.identity().await?;
    let proofs = browser.service::<PasswordConfirmationService>()?.proofs(&who).await?;
    let errors = [&forms.password, &forms.code, &forms.mail].into_iter().find(|errors| !errors.is_empty());
    let page = Page::new("Confirm that it is you").user(account).errors(errors.unwrap_or(&forms.password));
    Ok(page.with(html! {
        p { "To continue, please show that it is still you at this device." }
        @for proof in proofs { (form(proof, account, next, forms)) }
    }))
}

/// The form for one of the things that the user can prove.
fn form(proof: Proof, account: &Account, next: &Next, forms: &Forms) -> Markup {
    match (proof, &forms.flow) {
        (Proof::Password, _) => PostForm::new("confirm-password", "/confirm", &forms.password)
            .hidden("with", "password")
            .content(html! { input type="text" hidden autocomplete="username" value=(account.email); })
            .field(Field::password("currentPassword", "Password", "current-password"))
            .content(next.field())
            .submit("Confirm"),
        (Proof::TwoFactor, _) => PostForm::new("confirm-code", "/confirm", &forms.code)
            .hidden("with", "code")
            .field(Field::code())
            .content(next.field())
            .submit("Confirm with the app"),
        (Proof::Email, None) => PostForm::new("confirm-mail", "/confirm", &forms.mail)
            .hidden("with", "mail")
            .content(next.field())
            .submit(format!("Mail a code to {}", account.email)),
        (Proof::Email, Some(flow)) => PostForm::new("confirm-mailed", "/confirm", &forms.mail)
            .hidden("with", "mailed")
            .hidden("flow", flow)
            .field(Field::mailed_code())
            .content(next.field())
            .submit("Confirm with the mail"),
        (Proof::Passkey, _) => PasskeyButton::Confirm(next).render(),
        // A later version of the library can have others.
        _ => html! {},
    }
}

pub(crate) async fn show(
    browser: Browser<Account>,
    PageUser(account): PageUser<Account>,
    Query(next): Query<Next>,
) -> Result<Response, AuthError> {
    page(&browser, &account, &next, &Forms::default()).await
}

/// What one of the forms sends.
#[derive(Deserialize)]
pub(crate) struct Entered {
    #[serde(flatten)]
    proof: Entry,
    #[serde(flatten)]
    next: Next,
}

#[derive(Deserialize)]
#[serde(tag = "with", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum Entry {
    Password { current_password: String },
    Code { code: String },
    Mail,
    Mailed { flow: String, code: String },
}

pub(crate) async fn confirm(
    browser: Browser<Account>,
    WithBody(CurrentUser(account), Form(entered)): WithBody<CurrentUser<Account>, Form<Entered>>,
) -> Result<Response, AuthError> {
    let Entered { proof, next } = entered;
    let mut forms = Forms::default();
    let confirmed = match proof {
        Entry::Mail => {
            match browser.confirm_email().await {
                Ok(started) => forms.flow = Some(started.flow_token),
                Err(error) => forms.mail = FormErrors::of(error)?,
            }
            return page(&browser, &account, &next, &forms).await;
        }
        Entry::Password { current_password } => match browser.confirm_password(&current_password).await {
            Ok(cookies) => Some(cookies),
            Err(error) => {
                forms.password = FormErrors::of(error)?;
                None
            }
        },
        Entry::Code { code } => match browser.prove_second_factor(&SecondFactor::Code(code)).await {
            Ok(cookies) => Some(cookies),
            Err(error) => {
                forms.code = FormErrors::of(error)?;
                None
            }
        },
        Entry::Mailed { flow, code } => match browser.confirm_email_verify(&flow, &code).await {
            Ok(cookies) => Some(cookies),
            Err(error) => {
                forms.mail = FormErrors::of(error)?;
                // A flow token that is not valid any more needs another mail.
                forms.flow = forms.mail.has("code").then_some(flow);
                None
            }
        },
    };
    match confirmed {
        Some(cookies) => Ok((cookies, Notice::Confirmed.on(next.path())).into_response()),
        None => page(&browser, &account, &next, &forms).await,
    }
}
