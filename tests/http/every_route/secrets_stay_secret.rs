//! Nothing secret reaches a log, an event or a Debug print.

use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, logs};
use serde_json::json;

on_both_routers![no_log_line_holds_a_password_a_token_a_hash_or_a_secret];

async fn no_log_line_holds_a_password_a_token_a_hash_or_a_secret() {
    let app = App::start().await;
    let email = "logged@example.com";
    let password = "a password that only this test has";
    let body =
        json!({ "name": "Ada", "email": email, "password": password, "passwordConfirmation": password });
    let first = app.post("/auth/register").json(&body).await.expect(201).tokens();
    app.login_call(email, "a wrong password that only this test has").await.expect(401);
    let second = app.login_call(email, password).await.expect(200).tokens();
    let third = app.renew(&second).await;
    let confirm = app.post("/auth/user/confirm-password").bearer(&third.access);
    let confirmed = confirm.json(&json!({ "password": password })).await.expect(200).session();
    app.post("/auth/logout").bearer(&third.access).await.expect(200);
    app.me(&third.access).await.expect(401);
    let hash = app.users.by_email(email).unwrap().password;
    let logs = logs::recorded();
    // Only the module's own lines: the HTTP client of these tests and hyper may log what passes through them.
    let ours: Vec<_> = logs.lines().filter(|line| line.contains(" axum_auth_module: ")).collect();
    let tokens = [first, second, third].into_iter().chain(confirmed);
    let tokens = tokens.flat_map(|tokens| [tokens.access, tokens.refresh]).filter(|token| !token.is_empty());
    for secret in [password.to_owned(), "a wrong password".to_owned(), hash].into_iter().chain(tokens) {
        assert!(!ours.iter().any(|line| line.contains(&secret)), "{secret}");
    }
}

#[tokio::test]
async fn no_debug_print_holds_what_it_prints_about() {
    use axum_auth_module::testing;
    use axum_auth_module::user::{NewUser, UserChange, UserPatch};
    use axum_auth_module::values::EmailAddress;
    let config = testing::config().build().unwrap();
    let new_user = NewUser::new("Ada", EMAIL, "$2b$hash").with_extra("token", PASSWORD);
    let patch = UserPatch::<crate::support::Account>::new(7)
        .with(UserChange::Password("$2b$hash".to_owned()))
        .only_if(UserChange::Password("$2b$hash".to_owned()));
    let address = EmailAddress::parse(EMAIL).unwrap();
    let module = axum_auth_module::AuthModule::builder(config.clone(), crate::support::memory_users())
        .build()
        .unwrap();
    let printed = format!("{config:?} {new_user:?} {patch:?} {address:?} {module:?}");
    for secret in [EMAIL, PASSWORD, "$2b$", "secret for tests", "dGhpcnR5"] {
        assert!(!printed.contains(secret), "{printed}");
    }
    assert!(printed.contains("Password(..)"), "{printed}");
}
