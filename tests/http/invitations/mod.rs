//! INVITATIONS: a user whom an administrator has created without a password chooses one.

mod accepting;
mod ended;
mod inviting;
mod races;

use crate::change_emails::unlimited;
use crate::every_route::features_off::service_is_there_only_with;
use crate::support::{Account, App, Call, EMAIL};
use axum_auth_module::AuthUser;
use axum_auth_module::delivery::{InvitationMessage, PasswordResetMessage};
use axum_auth_module::feature::Feature;
use axum_auth_module::repository::UserRepository;
use axum_auth_module::services::InvitationsService;
use axum_auth_module::user::NewUser;
use serde_json::json;

pub(crate) const NEW: &str = "a long first password";

async fn host() -> App {
    App::with_everything_and(unlimited, |module| module).await
}

fn id(app: &App) -> <Account as AuthUser>::Id {
    app.users.by_email(EMAIL).unwrap().id
}

/// Creates a user without a password, as a host does.
pub(crate) async fn created(app: &App, email: &str) {
    app.users.create(NewUser::new("Ada", email, "")).await.unwrap();
}

/// Such a user, also where the users are in a database: the password of a registration is removed.
async fn without_password(app: &App, email: &str, id: <Account as AuthUser>::Id) {
    app.auth.admin().require_new_password(&id).await.unwrap();
    assert_eq!(app.outbox.next::<PasswordResetMessage>().await.email, email);
}

/// Invites the user, and returns the mail.
pub(crate) async fn invited(app: &App, id: <Account as AuthUser>::Id) -> InvitationMessage {
    app.auth.admin().invite(&id).await.unwrap();
    app.outbox.next::<InvitationMessage>().await
}

/// A host and the token of a user who was created and invited.
async fn with_invitation() -> (App, String) {
    let app = host().await;
    created(&app, EMAIL).await;
    let token = invited(&app, id(&app)).await.token.unwrap();
    (app, token)
}

pub(crate) fn accept(app: &App, token: &str, password: &str) -> Call {
    let body = json!({ "token": token, "password": password, "passwordConfirmation": password });
    app.post("/auth/invitation/accept").json(&body)
}

#[tokio::test]
async fn the_service_is_there_only_with_its_feature() {
    service_is_there_only_with::<InvitationsService>(Feature::INVITATIONS).await;
}
