//! The forms for registration, login, logout and the password.

use crate::Account;
use crate::errors::ErrorPage;
use crate::site::page;
use axum::extract::{Form, Query};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum_auth_module::extract::{Browser, BrowserLogin, RegistrationForm, Remember, SetCookies, next_path};
use axum_auth_module::{AuthError, ConfirmedUser};
use serde::Deserialize;

const LOGIN: &str = "<form method=post>
    <label>E-mail address <input name=email type=email autocomplete=username required></label>
    <label>Password <input name=password type=password autocomplete=current-password required></label>
    <label><input name=remember type=checkbox> Stay logged in on this device</label>
    <button>Log in</button></form><p><a href=/register>Create an account</a>";

const REGISTER: &str = "<form method=post>
    <label>Name <input name=name autocomplete=name required></label>
    <label>E-mail address <input name=email type=email autocomplete=username required></label>
    <label>Password <input name=password type=password autocomplete=new-password required></label>
    <label>Password again <input name=password_confirmation type=password autocomplete=new-password required></label>
    <label><input name=remember type=checkbox> Stay logged in on this device</label>
    <button>Create the account</button></form>";

const CONFIRM: &str = "<form method=post>
    <label>Password <input name=password type=password autocomplete=current-password required></label>
    <button>Continue</button></form>";

const PASSWORD: &str = "<form method=post>
    <label>Current password <input name=current_password type=password autocomplete=current-password required></label>
    <label>New password <input name=password type=password autocomplete=new-password required></label>
    <label>New password again
        <input name=password_confirmation type=password autocomplete=new-password required></label>
    <button>Change the password</button></form>";

pub(crate) async fn login_page() -> Html<String> {
    page("Log in", LOGIN)
}

pub(crate) async fn registration_page() -> Html<String> {
    page("Create an account", REGISTER)
}

pub(crate) async fn confirmation_page() -> Html<String> {
    page("Confirm the password", CONFIRM)
}

#[derive(Deserialize)]
pub(crate) struct Next {
    next: Option<String>,
}

impl Next {
    fn redirect(&self) -> Redirect {
        Redirect::to(self.next.as_deref().and_then(next_path).unwrap_or("/"))
    }
}

#[derive(Deserialize)]
pub(crate) struct Login {
    email: String,
    password: String,
    /// A checkbox that is not checked is not sent.
    remember: Option<String>,
}

pub(crate) async fn log_in(
    browser: Browser<Account>,
    Query(next): Query<Next>,
    Form(form): Form<Login>,
) -> Result<Response, ErrorPage> {
    let remember = Remember::from(form.remember.is_some());
    Ok(match browser.login(&form.email, &form.password, remember).await? {
        BrowserLogin::Session(cookies) => (cookies, next.redirect()).into_response(),
        BrowserLogin::Challenge(cookies) => (cookies, Redirect::to("/two-factor")).into_response(),
        _ => return Err(AuthError::internal("a step of the login that this site does not have").into()),
    })
}

#[derive(Deserialize)]
pub(crate) struct Registration {
    name: String,
    email: String,
    password: String,
    password_confirmation: String,
    remember: Option<String>,
}

pub(crate) async fn register(
    browser: Browser<Account>,
    Form(form): Form<Registration>,
) -> Result<(SetCookies, Redirect), ErrorPage> {
    let remember = Remember::from(form.remember.is_some());
    let form = RegistrationForm::new(form.name, form.email, form.password, form.password_confirmation);
    let cookies = browser.register(form, remember).await?;
    Ok((cookies, Redirect::to("/")))
}

pub(crate) async fn log_out(browser: Browser<Account>) -> Result<(SetCookies, Redirect), ErrorPage> {
    Ok((browser.log_out().await?, Redirect::to("/")))
}

#[derive(Deserialize)]
pub(crate) struct Confirm {
    password: String,
}

pub(crate) async fn confirm_password(
    browser: Browser<Account>,
    Query(next): Query<Next>,
    Form(form): Form<Confirm>,
) -> Result<(SetCookies, Redirect), ErrorPage> {
    Ok((browser.confirm_password(&form.password).await?, next.redirect()))
}

/// Only shortly after the user has confirmed the password.
pub(crate) async fn password_page(
    user: Result<ConfirmedUser<Account>, AuthError>,
) -> Result<Html<String>, Response> {
    match user {
        Ok(_) => Ok(page("Change the password", PASSWORD)),
        Err(AuthError::PasswordConfirmationRequired { .. }) => {
            Err(Redirect::to("/confirm-password?next=%2Fpassword").into_response())
        }
        Err(AuthError::Unauthenticated) => Err(Redirect::to("/login?next=%2Fpassword").into_response()),
        Err(error) => Err(ErrorPage::from(error).into_response()),
    }
}

#[derive(Deserialize)]
pub(crate) struct NewPassword {
    current_password: String,
    password: String,
    password_confirmation: String,
}

pub(crate) async fn change_password(
    _user: ConfirmedUser<Account>,
    browser: Browser<Account>,
    Form(form): Form<NewPassword>,
) -> Result<(SetCookies, Redirect), ErrorPage> {
    let cookies =
        browser.update_password(&form.current_password, &form.password, &form.password_confirmation).await?;
    Ok((cookies, Redirect::to("/")))
}
