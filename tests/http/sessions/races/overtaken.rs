//! Changes of credentials that are overtaken at a certain point: the repository does something right before it saves.

use super::{NEW, change};
use crate::support::providers::OvertakenUsers;
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, Builder, EMAIL, PASSWORD, memory_users};
use axum_auth_module::actions::{ActionContext, ActionError, PasswordUpdateData, UpdatesUserPasswords};
use axum_auth_module::async_trait;
use axum_auth_module::config::AuthConfigBuilder;
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::user::{UserChange, UserPatch};

on_both_routers![
    a_change_that_a_reset_overtakes_writes_nothing,
    a_failed_change_that_changes_no_mark_takes_nothing_back,
];

/// Stores the new password without a condition of its own.
struct Careless;

#[async_trait]
impl UpdatesUserPasswords<Account> for Careless {
    async fn update(
        &self,
        user: &Account,
        data: PasswordUpdateData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        let hash = context.passwords().hash(&data.password).await?;
        let patch = UserPatch::new(user.id).with(UserChange::Password(hash));
        context.users().save(patch).await?;
        Ok(())
    }
}

/// A reset stores its password right before the change of somebody with a stolen token is written.
async fn a_change_that_a_reset_overtakes_writes_nothing() {
    let users = memory_users();
    let faulty = OvertakenUsers::over(users.clone());
    let before_save = faulty.before_save.clone();
    let module = |module: Builder| module.update_passwords(Careless);
    let app = App::with_everything_on(faulty, users, |config| config, module).await;
    let enrolled = app.enrolled(EMAIL).await;
    let (stored, reset_to) = (app.users.clone(), bcrypt::hash(NEW, 4).unwrap());
    let overtaking = reset_to.clone();
    before_save.set(move |patch| {
        let changes_credentials = |change: &UserChange| {
            matches!(change, UserChange::Password(_) | UserChange::TwoFactorConfirmedAt(_))
        };
        if patch.changes().iter().any(changes_credentials) {
            let hash = overtaking.clone();
            stored.update(EMAIL, move |user| user.password = hash.clone());
        }
    });
    let thief = &enrolled.tokens;
    change(&app, thief, PASSWORD, "the thief's new password").await.refused(401, "unauthenticated");
    assert_eq!(app.users.by_email(EMAIL).unwrap().password, reset_to);

    // The same for the second factor, in a session under the password of the reset.
    app.users.update(EMAIL, |user| user.password = bcrypt::hash(PASSWORD, 4).unwrap());
    before_save.set(|_| {});
    app.next_step();
    let token = app.challenge_token(EMAIL).await;
    let session = app.challenge(&token, &enrolled.authenticator.code(&app)).await.expect(200).tokens();
    app.confirm_password(&session.access).await;
    let (stored, overtaking) = (app.users.clone(), reset_to.clone());
    before_save.set(move |_| {
        let hash = overtaking.clone();
        stored.update(EMAIL, move |user| user.password = hash.clone());
    });
    app.disable(&session.access).await.refused(401, "unauthenticated");
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(user.two_factor_confirmed_at.is_some() && user.two_factor_secret.is_some());
}

/// The mark of the credentials is the same before and after: disabling what is only pending changes none.
async fn a_failed_change_that_changes_no_mark_takes_nothing_back() {
    let (users, sessions) = (memory_users(), MemorySessions::new());
    let faulty = OvertakenUsers::over(users.clone());
    let before_save = faulty.before_save.clone();
    let start = |cost| {
        let (faulty, users, kept) = (faulty.clone(), users.clone(), sessions.clone());
        let config = move |base: AuthConfigBuilder| base.bcrypt_cost(cost);
        App::with_everything_on(faulty, users, config, |module: Builder| module.session_repo(kept))
    };
    let tokens = start(4).await.register(EMAIL).await;
    // The login hashes the password again, so the row has a previous mark.
    let app = start(5).await;
    app.login(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    app.enable(&tokens.access).await.expect(200);
    let hash = users.by_email(EMAIL).unwrap().password;
    let stored = users.clone();
    before_save.set(move |_| {
        stored.update(EMAIL, |user| user.password = "another".to_owned());
    });
    app.disable(&tokens.access).await.refused(401, "unauthenticated");
    before_save.set(|_| {});
    users.update(EMAIL, |user| user.password.clone_from(&hash));
    app.me(&tokens.access).await.expect(200);
}
