//! Inviting a user, and the first password of an invited one. No HTTP.

use super::entries::{Entry, InvitationToken};
use crate::client::ClientAddress;
use crate::config::{LONGEST_INVITATION, Limit};
use crate::core::{Ceremonies, Core, Flow, Patch, ProvenBy, best_effort};
use crate::delivery::{Delivers, InvitationMessage};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::policy::not_allowed;
use crate::repository::RepositoryError;
use crate::store::StoreKey;
use crate::user::{User, UserChange};
use crate::values::NewPassword;
use std::sync::Arc;

/// Invitations, with the rules, limits and events of the route.
#[derive(Clone)]
pub struct InvitationsService {
    core: Core,
    delivery: Arc<dyn Delivers<InvitationMessage>>,
}

impl InvitationsService {
    pub(super) fn new(core: &Core, delivery: Arc<dyn Delivers<InvitationMessage>>) -> Self {
        Self { core: core.clone(), delivery }
    }

    pub(super) fn min_password_characters(&self) -> usize {
        self.core.config.password_min_characters
    }

    /// Mails an invitation to a user without a password. An earlier one ends.
    pub(super) async fn invite(&self, user: &User) -> Result<(), AuthError> {
        let (core, options) = (&self.core, self.core.config.invitations);
        if options.sign_in_by_mail && !core.signs_in_by_mail() {
            return Err(AuthError::internal("`invitations.sign_in_by_mail` needs EMAIL_LOGIN"));
        }
        if user.has_password() {
            return Err(not_allowed("has_password"));
        }
        let user = core.usable(Some(User::clone(user))).await?.ok_or_else(|| not_allowed("inactive"))?;
        let (sub, email) = (user.id_text(), user.email().to_owned());
        let entry = Entry::of(core, &sub);
        let flow =
            core.flows.begin(InvitationToken { sub: sub.clone(), email: email.clone() }, options.lifetime)?;
        let token = match options.sign_in_by_mail {
            true => {
                entry.end().await?;
                None
            }
            false => {
                entry.set(&flow).await?;
                Some(core.flows.token(&flow)?)
            }
        };
        let message = InvitationMessage {
            email,
            name: user.name().to_owned(),
            token,
            expires_at: flow.expires_at(),
            language: core.language_of_owner(&*user),
        };
        core.deliver(&self.delivery, message);
        core.events.emit_by_administrator(EventKind::InvitationSent, Some(sub)).await;
        Ok(())
    }

    /// Sets the first password of an invited user and verifies the address, for somebody who has the newest invitation
    /// (specification §9.68). Sessions that the user has end, and none starts.
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`], also if the account has a password or another address by now, or is suspended;
    /// [`AuthError::ExpiredMailToken`]; what the policy refuses with; [`AuthError::TooManyAttempts`]; [`AuthError::Overloaded`].
    pub async fn accept(
        &self,
        token: &str,
        password: &NewPassword,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let core = &self.core;
        core.count_call(&[Limit::MailTokens], "", client).await?;
        let flow = core.flows.open_mailed::<InvitationToken>(token)?;
        let user = self.invited(&flow).await?;
        let passwords = core.passwords_of(client);
        core.policy.allows_password(password, &*user, &passwords).await?;
        let hash = passwords.hash(password).await?;
        let service = self.clone();
        self.core.run_to_completion(async move { service.complete(&flow, hash, client).await }).await
    }

    /// The user of an invitation that can be accepted.
    async fn invited(&self, flow: &Flow<InvitationToken>) -> Result<User, AuthError> {
        let InvitationToken { sub, email } = &flow.content;
        let user = self.core.users.find_by_id(sub).await?;
        let user = self.core.usable(user).await?;
        let is_invited = |user: &User| !user.has_password() && user.email() == email;
        let user = user.filter(is_invited).ok_or(AuthError::InvalidMailToken)?;
        self.core.flows.must_last(flow)?;
        match self.is_newest(flow).await? {
            true => Ok(user),
            false => Err(AuthError::InvalidMailToken),
        }
    }

    /// Whether this is the newest invitation of its user, and nothing has ended it.
    async fn is_newest(&self, flow: &Flow<InvitationToken>) -> Result<bool, AuthError> {
        let newest = Entry::of(&self.core, &flow.content.sub).newest().await?;
        Ok(newest.is_some_and(|newest| newest.content.token_id == flow.jti))
    }

    /// Ends the sessions of the user and what is under way, after the password was written.
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`] if something has ended the invitation at that moment, such as a lock down, to which the account had no
    /// password; [`AuthError::Unavailable`].
    async fn end_sessions(&self, flow: &Flow<InvitationToken>) -> Result<(), AuthError> {
        if !self.is_newest(flow).await? {
            return Err(AuthError::InvalidMailToken);
        }
        let id = &flow.content.sub;
        self.core.end_ceremonies(&[Ceremonies::OfMailbox], id).await?;
        self.core.end_all_sessions(id).await.map(drop)
    }

    /// Removes the password with this hash again.
    async fn take_back(&self, before: &User, hash: String) -> Result<(), AuthError> {
        let patch = Patch::of(&**before)
            .with(UserChange::Password(before.password().to_owned()))
            .only_if(UserChange::Password(hash));
        match self.core.users.save(patch).await {
            Ok(_) | Err(RepositoryError::Stale) => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Claims the token and writes the password. Hashing it has taken a moment, so everything is looked at once more.
    async fn complete(
        &self,
        flow: &Flow<InvitationToken>,
        hash: String,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let core = &self.core;
        if !core.use_mail_token(&flow.jti, LONGEST_INVITATION).await? {
            return Err(AuthError::InvalidMailToken);
        }
        let written = async {
            let user = self.invited(flow).await?;
            let patch = Patch::of(&*user)
                .with(UserChange::Password(hash.clone()))
                .only_if(UserChange::Password(user.password().to_owned()))
                .only_if(UserChange::Email(user.email().to_owned()));
            match core.users.save(patch).await {
                // The user has got a password or another address at that moment.
                Err(RepositoryError::Stale) => return Err(AuthError::InvalidMailToken),
                saved => saved?,
            };
            if let Err(refused) = self.end_sessions(flow).await {
                self.take_back(&user, hash).await?;
                return Err(refused);
            }
            Ok(user)
        };
        let user = match written.await {
            Ok(user) => user,
            Err(refused) => {
                if refused.code().status() >= 500 {
                    // If nothing has changed, the link may be opened again.
                    let of = [flow.jti.as_str()];
                    let give_back = core.store.delete(StoreKey::MailTokenUsed, &of);
                    best_effort("giving a mailed token back", core.config.store_timeout, give_back).await;
                }
                return Err(refused);
            }
        };
        let (id, share) = (user.id_text(), core.config.request_timeout / 4);
        best_effort("deleting an accepted invitation", share, Entry::of(core, &id).end()).await;
        core.events.emit(EventKind::InvitationAccepted, Some(id), client).await;
        // `user` was read before the password was written. `owner_arrives` looks at the address alone, which has not changed.
        core.owner_arrives(&user, ProvenBy::Reset, client).await.map(drop)
    }
}
