//! A confirmation of the password that is overtaken at a certain point: the repository waits right before it saves.

use super::browser::Browser;
use super::host;
use crate::support::{Account, App, EMAIL, PASSWORD, memory_users};
use axum_auth_module::async_trait;
use axum_auth_module::repository::{RepositoryError, UserRepository};
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::user::{NewUser, UserChange, UserField, UserPatch};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

const NEW: &str = "a new password for all";

/// A repository that can hold one confirmation of a password back.
#[derive(Clone)]
struct Holding {
    users: MemoryUsers<Account>,
    holds: Arc<AtomicBool>,
    /// A confirmation is held back.
    held: Arc<Notify>,
    /// It may go on.
    released: Arc<Notify>,
}

#[async_trait]
impl UserRepository for Holding {
    type User = Account;

    async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
        self.users.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        self.users.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        let is_confirmation =
            |change: &UserChange| matches!(change, UserChange::PasswordConfirmedAt(Some(_)));
        if patch.changes().iter().any(is_confirmation) && self.holds.swap(false, Ordering::SeqCst) {
            self.held.notify_one();
            self.released.notified().await;
        }
        self.users.save(patch).await
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        self.users.create(user).await
    }
}

/// A thief has the cookie and the password. Their confirmation has checked both when the owner changes the password in
/// the same session, and is recorded afterwards. It must not bring a cookie that is valid.
#[tokio::test]
async fn a_confirmation_that_a_credential_change_overtakes_brings_no_cookie() {
    for path in ["/web/auth/user/confirm-password", "/form/confirm_password"] {
        let users = memory_users();
        let (holds, held, released) = <(Arc<AtomicBool>, Arc<Notify>, Arc<Notify>)>::default();
        let repository = Holding { users: users.clone(), holds, held, released };
        let Holding { holds, held, released, .. } = repository.clone();
        let app = App::with_everything_on(repository, users, |config| config, |module| module).await;
        let app = host::with_pages(app).await;
        let owner = Browser::new(&app);
        owner.register(EMAIL).await;
        let thief = owner.copy();

        holds.store(true, Ordering::SeqCst);
        let confirmation = thief.call(reqwest::Method::POST, path).json(&json!({ "password": PASSWORD }));
        let confirmation = tokio::spawn(confirmation.into_future());
        held.notified().await;
        owner.change_password(PASSWORD, NEW).await;
        released.notify_one();
        let answer = confirmation.await.unwrap();
        thief.keep(answer).refused(401, "unauthenticated");
        assert!(!thief.is_logged_in().await && owner.is_logged_in().await);
        // The owner's session does not have the confirmation, either.
        owner.get("/confirmed").await.refused(403, "password_confirmation_required");
    }
}

/// The same with tokens.
#[tokio::test]
async fn a_confirmation_with_a_token_that_a_credential_change_overtakes_is_not_recorded() {
    let users = memory_users();
    let (holds, held, released) = <(Arc<AtomicBool>, Arc<Notify>, Arc<Notify>)>::default();
    let repository = Holding { users: users.clone(), holds, held, released };
    let Holding { holds, held, released, .. } = repository.clone();
    let app = App::with_everything_on(repository, users, |config| config, |module| module).await;
    let app = host::with_pages(app).await;
    let tokens = app.register(EMAIL).await;
    holds.store(true, Ordering::SeqCst);
    let body = json!({ "password": PASSWORD });
    let confirmation = app.post("/auth/user/confirm-password").bearer(&tokens.access).json(&body);
    let confirmation = tokio::spawn(confirmation.into_future());
    held.notified().await;
    let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
    let change = app.put("/auth/user/password").bearer(&tokens.access).json(&body).await.expect(200).tokens();
    released.notify_one();
    confirmation.await.unwrap().refused(401, "unauthenticated");
    app.me(&change.access).await.expect(200);
    app.get("/confirmed").bearer(&change.access).await.refused(403, "password_confirmation_required");
}
