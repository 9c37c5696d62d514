//! Asking for another address, and changing to it. No HTTP.

use super::entries::{ConfirmToken, Entries, Reservation, owner_of};
use super::{CONFIRM, REQUEST};
use crate::background::LONGEST;
use crate::client::{ClientAddress, ClientInfo};
use crate::clock::whole_seconds;
use crate::config::{Limit, Settings};
use crate::core::{
    ActingSession, By, Core, CredentialChange, Credentials, Flow, Identity, Patch, Requirements, best_effort,
};
use crate::delivery::{Delivers, EmailChangeMessage, EmailChangePurpose};
use crate::error::{AuthError, FieldErrors, FieldText};
use crate::events::EventKind;
use crate::posture::Deviation;
use crate::repository::RepositoryError;
use crate::store::StoreKey;
use crate::user::{User, UserChange, UserRecord};
use crate::values::EmailAddress;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// For how long an account that has asked for an address is not counted again by the limit of the address.
const COUNTED: Duration = Duration::from_secs(3600);

/// Changes of the address, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct ChangeEmailsService {
    pub(super) core: Core,
    pub(super) delivery: Arc<dyn Delivers<EmailChangeMessage>>,
}

/// A change of the address that the user has asked for and not confirmed yet.
#[derive(Clone)]
#[non_exhaustive]
pub struct PendingEmailChange {
    /// The new address.
    pub email: String,
    /// When the link in its mail expires.
    pub expires_at: SystemTime,
}

/// A change of the address that is about to be written.
struct Move<'a> {
    /// The session in which it was confirmed. `None`: an administrator changes the address.
    who: Option<&'a Identity>,
    before: &'a User,
    email: &'a EmailAddress,
    /// When it was asked for: a lock down undoes what has happened since then.
    since: SystemTime,
    by: By,
    client: ClientInfo,
}

impl ChangeEmailsService {
    pub(super) fn new(core: &Core, delivery: Arc<dyn Delivers<EmailChangeMessage>>) -> Self {
        Self { core: core.clone(), delivery }
    }

    /// How the options and the store of the feature deviate from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        let mut found = of_settings(&self.core.config);
        if !self.core.store.is_durable() {
            let message = "a restart ends pending changes of addresses and the reservations of previous ones, and forgets which links \
                           were used that take an account back";
            found.push(Deviation::new("store", &["6.4.3"], message));
        }
        found
    }

    /// Has a link mailed to a new address, with which the user confirms it (specification §9.31). If the address has an account, or
    /// is kept for one, its mailbox is told instead, and the result is alike.
    ///
    /// # Errors
    /// [`AuthError::ValidationFailed`] if it is the address of the user; [`AuthError::PasswordConfirmationRequired`]; what the policy
    /// refuses with; [`AuthError::TooManyAttempts`].
    pub async fn request(
        &self,
        who: &Identity,
        email: &EmailAddress,
        client: impl Into<ClientInfo>,
    ) -> Result<(), AuthError> {
        let (core, client) = (&self.core, client.into());
        let (user, id) = (who.user(), who.user_id());
        if user.email().eq_ignore_ascii_case(email.as_str()) {
            return Err(FieldErrors::standard("email", FieldText::EmailUnchanged).into());
        }
        let confirmation = REQUEST.required_confirmation(&core.config, user.has_password());
        let required = Requirements { confirmation, calls: &[Limit::EmailChange] };
        let acting = core.begin_with(required, who, client.address).await?;
        self.count_address(&id, email, client.address).await?;
        core.policy.allows_email(email, Some(user)).await?;
        let taken_by = core.users.find_by_email(email.as_str()).await?;
        let kept_for = owner_of(core, email.as_str()).await?.filter(|owner| *owner != id);
        let is_free = taken_by.is_none() && kept_for.is_none();
        let owner = match (taken_by, kept_for) {
            (None, Some(kept_for)) => core.users.find_by_id(&kept_for).await?,
            (taken_by, _) => taken_by,
        };
        let content =
            ConfirmToken { sub: id.clone(), email: email.as_str().to_owned(), from: user.email().to_owned() };
        let flow = core.flows.begin(content, core.config.email_change.lifetime)?;
        let entries = Entries::of(core, &id);
        acting.check_alive().await?;
        entries.set_pending(email.as_str(), &flow.jti).await?;
        // What ends the session from here on may have looked for a pending change before there was one.
        if let Err(ended) = acting.check_alive().await {
            entries.end_pending().await?;
            return Err(ended);
        }
        core.events.emit(EventKind::EmailChangeRequested, Some(id.clone()), client.address).await;
        let purpose = if is_free { EmailChangePurpose::Confirm } else { EmailChangePurpose::Taken };
        let language = match &owner {
            Some(owner) => core.language_of_owner(&**owner),
            None => core.language_of(user),
        };
        // Also for an address that is taken: the time must not tell.
        let token = core.flows.token(&flow)?;
        let message = EmailChangeMessage {
            token: is_free.then_some(token),
            expires_at: flow.expires_at(),
            language,
            ..self.message(email.as_str(), purpose, client, user)
        };
        core.deliver(&self.delivery, message);
        Ok(())
    }

    /// The change that the user has asked for, if there is one.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub async fn pending(&self, who: &Identity) -> Result<Option<PendingEmailChange>, AuthError> {
        let pending = Entries::of(&self.core, &who.user_id()).pending().await?;
        Ok(pending
            .map(|flow| PendingEmailChange { expires_at: flow.expires_at(), email: flow.content.email }))
    }

    /// Cancels the change that the user has asked for, if there is one.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub async fn cancel(&self, who: &Identity, client: ClientAddress) -> Result<(), AuthError> {
        let acting = self.core.begin(&super::CANCEL, who, client).await?;
        acting.check_alive().await?;
        Entries::of(&self.core, &who.user_id()).end_pending().await
    }

    /// Changes the address of the session's user to the one to which the token was mailed (specification §9.33). Every other session
    /// ends, and this one continues with what is returned.
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`]; [`AuthError::ExpiredMailToken`]; what the policy refuses with; [`AuthError::EmailTaken`];
    /// [`AuthError::Unauthenticated`] if the session has ended meanwhile.
    pub async fn confirm(
        &self,
        who: &Identity,
        token: &str,
        client: impl Into<ClientInfo>,
    ) -> Result<Credentials, AuthError> {
        let (core, client) = (&self.core, client.into());
        let acting = core.begin(&CONFIRM, who, client.address).await?;
        let flow = core.flows.open_mailed::<ConfirmToken>(token)?;
        let ConfirmToken { sub, from, email } = &flow.content;
        if *sub != who.user_id() || from != who.user().email() {
            return Err(AuthError::InvalidMailToken);
        }
        core.flows.must_last(&flow)?;
        let pending = Entries::of(core, sub).pending().await?;
        if pending.is_none_or(|pending| pending.content.token_id != flow.jti) {
            return Err(AuthError::InvalidMailToken);
        }
        let email = EmailAddress::parse(email)?;
        core.policy.allows_email(&email, Some(who.user())).await?;
        self.must_be_free(&email, sub).await?;
        let service = self.clone();
        self.core
            .run_to_completion(async move { service.complete(&acting, &flow, &email, client).await })
            .await
    }

    async fn complete(
        &self,
        acting: &ActingSession,
        flow: &Flow<ConfirmToken>,
        email: &EmailAddress,
        client: ClientInfo,
    ) -> Result<Credentials, AuthError> {
        let (core, lifetime) = (&self.core, self.core.config.email_change.lifetime);
        if !core.use_mail_token(&flow.jti, lifetime).await? {
            return Err(AuthError::InvalidMailToken);
        }
        let (who, by) = (acting.who(), By::Client(client.address));
        let moving = Move { who: Some(who), before: &who.user, email, since: flow.began_at(), by, client };
        let save = async |patch| match acting.change_credentials(patch).await {
            // A request that was faster has given the user another address.
            Err(RepositoryError::Stale) => Err(AuthError::InvalidMailToken),
            saved => Ok(saved?),
        };
        let (change, reservation) = match self.write(&moving, save).await {
            Ok(written) => written,
            Err(refused) => {
                // If nothing has changed, the link may be opened again.
                let of = [flow.jti.as_str()];
                let give_back = core.store.delete(StoreKey::MailTokenUsed, &of);
                best_effort("giving a mailed token back", core.config.store_timeout, give_back).await;
                return Err(refused);
            }
        };
        self.follow_up(&moving, reservation).await?;
        CredentialChange::finish(&change).await
    }

    /// Changes the address for an administrator.
    pub(super) async fn change_by_administrator(
        &self,
        before: &User,
        email: &EmailAddress,
    ) -> Result<(), AuthError> {
        if before.email().eq_ignore_ascii_case(email.as_str()) {
            return Ok(());
        }
        let (core, id) = (&self.core, before.id_text());
        self.must_be_free(email, &id).await?;
        let client = ClientInfo::from(ClientAddress::UNKNOWN);
        let moving = Move { who: None, before, email, since: core.now(), by: By::Administrator, client };
        let save = async |patch| match core.users.save(patch).await {
            Err(RepositoryError::Stale) => {
                Err(AuthError::Unavailable("the user's address changed at that moment".into()))
            }
            saved => Ok(saved.map(drop)?),
        };
        core.end_sessions_by_administrator(&id).await?;
        let ((), reservation) = self.write(&moving, save).await?;
        self.follow_up(&moving, reservation).await?;
        core.end_sessions_by_administrator(&id).await.map(drop)
    }

    /// Fails if another account has the address, or an address is kept for another account.
    async fn must_be_free(&self, email: &EmailAddress, user_id: &str) -> Result<(), AuthError> {
        let taken_by = self.core.users.find_by_email(email.as_str()).await?;
        let is_taken = taken_by.is_some_and(|owner| owner.id_text() != user_id);
        match is_taken || self.core.is_reserved(email.as_str(), Some(user_id)).await? {
            true => Err(AuthError::EmailTaken),
            false => Ok(()),
        }
    }

    /// Reserves the previous address, if it can take the account back, and writes the new one. Changes of one user run one after
    /// another, on all instances, so the reservation is that of the change that was written. A repository may fail after it has
    /// written: then the previous address is told nevertheless.
    async fn write<T>(
        &self,
        moving: &Move<'_>,
        save: impl AsyncFnOnce(Patch) -> Result<T, AuthError>,
    ) -> Result<(T, Option<Reservation>), AuthError> {
        let (core, id) = (&self.core, moving.before.id_text());
        let entries = Entries::of(core, &id);
        let mut reservation = None;
        let turn = core.begin_removal(&id, |ways| ways).await?;
        let written = turn.run(async {
            core.leaving_address(moving.before).await?;
            reservation = entries.reserve(&**moving.before, moving.since).await?;
            core.store.claim(StoreKey::EmailMoved, &[&id, moving.email.as_str()], LONGEST).await?;
            let saved = save(self.patch(moving)).await?;
            // Another account may have left the address after it was found to be free.
            if core.is_reserved(moving.email.as_str(), Some(&id)).await? {
                self.undo(moving).await?;
                return Err(AuthError::EmailTaken);
            }
            Ok(saved)
        });
        let failure = match written.await {
            Ok(saved) => return Ok((saved, reservation)),
            Err(failure) => failure,
        };
        let now = core.users.find_by_id(&id).await?;
        if now.is_some_and(|now| now.email() == moving.email.as_str()) {
            self.follow_up(moving, reservation).await?;
        } else if let Some(reserved) = &reservation {
            entries.take_back(reserved).await?;
        }
        Err(failure)
    }

    fn patch(&self, moving: &Move<'_>) -> Patch {
        Patch::of(&**moving.before)
            .with(UserChange::Email(moving.email.as_str().to_owned()))
            .with(UserChange::EmailVerifiedAt(Some(whole_seconds(self.core.now()))))
            .only_if(UserChange::Email(moving.before.email().to_owned()))
    }

    /// Writes the previous address back, unless something else has changed the address since.
    async fn undo(&self, moving: &Move<'_>) -> Result<(), AuthError> {
        let (core, id) = (&self.core, moving.before.id_text());
        core.store.claim(StoreKey::EmailMoved, &[&id, moving.before.email()], LONGEST).await?;
        let patch = Patch::of(&**moving.before)
            .with(UserChange::Email(moving.before.email().to_owned()))
            .with(UserChange::EmailVerifiedAt(moving.before.email_verified_at()))
            .only_if(UserChange::Email(moving.email.as_str().to_owned()));
        match core.users.save(patch).await {
            Ok(_) | Err(RepositoryError::Stale) => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }

    /// What follows from an address that has changed: the previous one is told first, whatever fails afterwards.
    async fn follow_up(&self, moving: &Move<'_>, reservation: Option<Reservation>) -> Result<(), AuthError> {
        let (core, before, id) = (&self.core, moving.before, moving.before.id_text());
        if before.email_verified_at().is_some() {
            let (purpose, client) = (EmailChangePurpose::Changed, moving.client.clone());
            let message = self.message(before.email(), purpose, client, &**before);
            let message = match reservation {
                Some(Reservation { token, expires_at, .. }) => {
                    EmailChangeMessage { token: Some(token), expires_at, ..message }
                }
                None => message,
            };
            core.deliver(&self.delivery, message);
        }
        core.events.emit_by(EventKind::EmailChanged, Some(id.clone()), moving.by).await;
        let entries = Entries::of(core, &id);
        entries.end_pending().await?;
        if let Some(possible) = entries.possible_revert().await?
            && possible.content.email.eq_ignore_ascii_case(moving.email.as_str())
        {
            // The account has gone back by itself.
            entries.end_revert().await?;
        }
        match core.users.find_by_id(&id).await? {
            Some(after) => core.email_changed(moving.who, before, &after).await,
            None => Ok(()),
        }
    }

    /// Counts the account towards the limit of the address, once in an hour: so the owner of a mailbox is not kept from it by a stranger
    /// who has asked for it again and again.
    async fn count_address(
        &self,
        user_id: &str,
        email: &EmailAddress,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let of = [user_id, email.as_str()];
        if self.core.store.exists(StoreKey::EmailChangeCounted, &of).await? {
            return Ok(());
        }
        self.core.count_call(&[Limit::EmailChangeAddress], email.as_str(), client).await?;
        self.core.store.claim(StoreKey::EmailChangeCounted, &of, COUNTED).await.map(drop)
    }

    /// A message without a link, in a language that the owner of the account understands.
    pub(super) fn message(
        &self,
        email: &str,
        purpose: EmailChangePurpose,
        client: ClientInfo,
        owner: &dyn UserRecord,
    ) -> EmailChangeMessage {
        let now = self.core.now();
        EmailChangeMessage {
            email: email.to_owned(),
            purpose,
            token: None,
            client: client.address.ip(),
            user_agent: client.user_agent.map(|text| text.to_string()),
            requested_at: now,
            expires_at: now,
            language: self.core.language_of_owner(owner),
        }
    }
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    if !settings.email_change.revert_lifetime.is_zero() {
        return Vec::new();
    }
    let message = "the previous address of an account cannot take the account back";
    vec![Deviation::new("email_change.revert_lifetime", &["6.4.3"], message)]
}
