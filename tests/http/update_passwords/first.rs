//! `PUT /user/password` by a user who has no password yet.

use super::{NEW, PATH, change};
use crate::support::answer::Answer;
use crate::support::{Account, App, EMAIL, PASSWORD, Tokens, at_once};
use axum_auth_module::testing::login_as;
use axum_auth_module::user::{AuthUser, NewUser};
use serde_json::{Value, json};

/// A user without a password, in a session with a recent confirmation and in one without.
async fn without_a_password() -> (App, Tokens, Tokens) {
    let app = App::with_everything().await;
    let account =
        axum_auth_module::repository::UserRepository::create(&app.users, NewUser::new("Ada", EMAIL, ""));
    let account: Account = account.await.unwrap();
    assert!(!account.has_password());
    let login = || login_as(&app.auth, &account);
    let [confirmed, plain] =
        [login().with_confirmed_password().tokens().await.unwrap(), login().tokens().await.unwrap()]
            .map(|pair| Tokens { access: pair.access_token, refresh: pair.refresh_token });
    (app, confirmed, plain)
}

async fn set(app: &App, tokens: &Tokens, body: &Value) -> Answer {
    app.put(PATH).bearer(&tokens.access).json(body).await
}

fn first(password: &str) -> Value {
    json!({ "password": password, "passwordConfirmation": password })
}

#[tokio::test]
async fn a_user_without_a_password_sets_the_first_one() {
    let (app, tokens, other) = without_a_password().await;
    let tokens = set(&app, &tokens, &first(NEW)).await.expect(200).tokens();
    app.is_over(&other).await;
    app.me(&tokens.access).await.expect(200);
    app.login_call(EMAIL, NEW).await.expect(200);
    // From now on it is the current password that counts.
    set(&app, &tokens, &first(PASSWORD)).await.refused(422, "validation_failed");
    change(&app, &tokens, NEW, PASSWORD).await.expect(200);
}

#[tokio::test]
async fn a_null_current_password_is_one_that_is_absent() {
    let (app, tokens, _) = without_a_password().await;
    let body = json!({ "currentPassword": null, "password": NEW, "passwordConfirmation": NEW });
    set(&app, &tokens, &body).await.expect(200);
}

#[tokio::test]
async fn without_a_recent_confirmation_nothing_else_is_looked_at() {
    let (app, tokens, plain) = without_a_password().await;
    for body in [first(NEW), first("x"), json!([])] {
        let refused = set(&app, &plain, &body).await.refused(403, "password_confirmation_required");
        assert_eq!(refused.body["confirmWith"], json!([]));
    }
    app.advance(900);
    let tokens = app.renew(&tokens).await;
    set(&app, &tokens, &first(NEW)).await.refused(403, "password_confirmation_required");
    assert_eq!(app.users.by_email(EMAIL).unwrap().password, "");
}

#[tokio::test]
async fn a_current_password_that_does_not_exist_is_refused_with_the_other_fields() {
    let (app, tokens, _) = without_a_password().await;
    for current in [json!(""), json!(PASSWORD), json!(1)] {
        let body =
            json!({ "currentPassword": current, "password": "short", "passwordConfirmation": "short" });
        let refused = set(&app, &tokens, &body).await.refused(422, "validation_failed");
        assert_eq!(refused.body["errors"][0]["field"], "currentPassword");
        assert_eq!(refused.body["errors"][0]["code"], "conflict");
        assert_eq!(refused.body["errors"][1]["code"], "too_short");
    }
    assert_eq!(app.users.by_email(EMAIL).unwrap().password, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_first_passwords_at_once_one_is_stored() {
    let (app, tokens, _) = without_a_password().await;
    let password = |n: usize| format!("the first password no. {n}");
    let calls =
        (0..20).map(|n| app.put(PATH).bearer(&tokens.access).json(&first(&password(n))).into_future());
    let answers = at_once(calls).await;
    let winners: Vec<_> = (0..20).filter(|n| answers[*n].status == 200).collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    app.login_call(EMAIL, &password(winners[0])).await.expect(200);
}

#[tokio::test]
async fn no_password_opens_an_account_that_has_none() {
    let (app, tokens, _) = without_a_password().await;
    app.login_call(EMAIL, NEW).await.refused(401, "invalid_credentials");
    let call = app.post("/auth/user/confirm-password").bearer(&tokens.access);
    call.json(&json!({ "password": NEW })).await.refused(422, "incorrect_password");
}
