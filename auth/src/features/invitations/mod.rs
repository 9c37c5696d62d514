//! INVITATIONS: a user whom an administrator has created without a password chooses one.
//!
//! **Needs** a delivery.
//!
//! The token of the mail is worth something only as long as it is the newest one of its user and the account has no password. It starts no
//! session.

mod entries;
mod handlers;
mod hooks;
mod service;

pub use service::InvitationsService;

use crate::config::Limit;
use crate::delivery::{Delivers, InvitationMessage};
use crate::endpoint::{Consequence, Endpoint, EndpointBody, EndpointField, EndpointFieldKind};
use crate::erase::erase;
use crate::error::{AuthError, ErrorCode};
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{Admin, AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use crate::watch::Watch;
use hooks::OfInvitations;
use std::sync::Arc;

const ACCEPT: Endpoint = Endpoint::post("/invitation/accept", "acceptInvitation")
    .of(Feature::Invitations)
    .summary("Sets the first password of an invited user with the token of the invitation.")
    .takes(EndpointBody::Required(&[
        EndpointField::required("token", EndpointFieldKind::NonEmptyText),
        EndpointField::NEW_PASSWORD,
        EndpointField::PASSWORD_CONFIRMATION,
    ]))
    .limits(&[Limit::MailTokens])
    .emits(&[EventName::InvitationAccepted])
    .leads_to(Consequence::Arrival)
    .refuses(&[ErrorCode::InvalidMailToken, ErrorCode::ExpiredMailToken, ErrorCode::Overloaded]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// INVITATIONS: `POST /invitation/accept`, and [`Admin::invite`](crate::Admin::invite).
    pub fn invitations<D: Delivers<InvitationMessage>>(self, delivery: D) -> Self {
        let delivery = erase::<dyn Delivers<InvitationMessage>, _>(delivery, |delivery| delivery);
        self.mount(pending(Arc::new(Watch::over(delivery))))
    }
}

fn pending(delivery: Arc<dyn Delivers<InvitationMessage>>) -> Pending {
    Pending::new(move |core| InvitationsService::new(core, Arc::clone(&delivery))).with_hooks(OfInvitations)
}

impl<U: AuthUser> Admin<'_, U> {
    /// Invites a user whom the host has created without a password, or with an empty hash: the user gets a mail with a token, with which
    /// [`POST /invitation/accept`](crate::services::InvitationsService::accept) sets the first password and verifies the address. With the
    /// option [`sign_in_by_mail`](crate::config::InvitationOptions::sign_in_by_mail) the mail has no token and leads to the login page.
    /// An earlier invitation of the user ends.
    ///
    /// ```
    /// use axum_auth_module::repository::UserRepository;
    /// use axum_auth_module::user::NewUser;
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// async fn new_colleague<R: UserRepository>(auth: &AuthModule<R::User>, users: &R) -> Result<(), AuthError> {
    ///     let grace = users.create(NewUser::new("Grace", "grace@example.com", "")).await?;
    ///     auth.admin().invite(&grace.id()).await
    /// }
    /// ```
    ///
    /// # Errors
    /// [`AuthError::NotAllowed`] with the reason `has_password`, or `inactive` if the user is suspended or is going to be deleted; those of
    /// the repositories and the store; [`AuthError::Internal`] when there is no such user, without INVITATIONS, and with
    /// `sign_in_by_mail` without EMAIL_LOGIN.
    pub async fn invite(&self, user_id: &U::Id) -> Result<(), AuthError> {
        let service = self.service::<InvitationsService>();
        let service = service.ok_or_else(|| AuthError::internal("`invite` needs INVITATIONS"))?;
        service.invite(&self.user(user_id).await?).await
    }
}
