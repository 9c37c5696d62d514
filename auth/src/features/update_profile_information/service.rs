//! Changing a profile, and what follows from a changed address. No HTTP.

use super::requirements;
use crate::actions::{ActionError, BoundAction, ProfileData, UpdatesUserProfile, UsernameChange, typed};
use crate::client::ClientAddress;
use crate::config::Settings;
use crate::core::{
    ActingSession, Core, GuardedUsers, Identity, Patch, UsernameRules, WaysIn, is_other_username,
};
use crate::error::{AuthError, FieldErrors, FieldText};
use crate::events::EventKind;
use crate::posture::Deviation;
use crate::repository::RepositoryError;
use crate::telemetry::log;
use crate::user::{AuthUser, User, UserChange};
use crate::watch::watch_action;
use async_trait::async_trait;
use futures_util::FutureExt;
use futures_util::future::join;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// `UpdatesUserProfile` without the type of the user record.
#[async_trait]
pub(super) trait Updates: Send + Sync + 'static {
    async fn update(&self, acting: &ActingSession, data: ProfileData) -> Result<(), ActionError>;
    fn extra_fields(&self) -> &[&'static str];
}

#[async_trait]
impl<U: AuthUser> Updates for BoundAction<dyn UpdatesUserProfile<U>, U> {
    async fn update(&self, acting: &ActingSession, data: ProfileData) -> Result<(), ActionError> {
        let users = GuardedUsers::shared(&self.users, acting.clone());
        let context = acting.core().action_context(&users, acting.client());
        let update = self.action.update(typed(acting.user())?, data, &context);
        watch_action("UpdatesUserProfile", update).await
    }

    fn extra_fields(&self) -> &[&'static str] {
        self.action.extra_fields()
    }
}

/// Profile updates, with the rules and the limit of the route.
#[derive(Clone)]
pub struct UpdateProfileInformationService {
    core: Core,
    updates_user_profile: Arc<dyn Updates>,
}

impl UpdateProfileInformationService {
    pub(super) fn new(core: &Core, updates_user_profile: Arc<dyn Updates>) -> Self {
        Self { core: core.clone(), updates_user_profile }
    }

    pub(super) fn extra_fields(&self) -> &[&'static str] {
        self.updates_user_profile.extra_fields()
    }

    /// Which user names users can have.
    pub(super) fn username_rules(&self) -> UsernameRules<'_> {
        self.core.username_rules()
    }

    /// How the options of the feature deviate from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        if self.core.changes_addresses() {
            return Vec::new();
        }
        let mut found = of_settings(&self.core.config);
        if self.core.verifies_addresses() && self.core.notices.is_none() {
            let message = "nobody tells the previous address of an account that the account has left it";
            found.push(Deviation::new("notices", &["6.3.7"], message));
        }
        found
    }

    /// Has the host change the profile (specification §9.10).
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`] for another address with the option `confirm_email_change`;
    /// [`AuthError::ValidationFailed`] for another address with CHANGE_EMAILS, and for a user name that is reserved or missing;
    /// [`AuthError::LastSignInMethod`] for another address of a user whose only way in is the mailbox;
    /// [`AuthError::Unauthenticated`] if the session has ended; [`AuthError::EmailTaken`], [`AuthError::UsernameTaken`] and whatever else the action or the
    /// policy refuses with; [`AuthError::TooManyAttempts`].
    pub async fn update(
        &self,
        who: &Identity,
        data: ProfileData,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        let (email, own) = (data.email.as_str(), who.user().email());
        let changes_elsewhere = self.core.changes_addresses();
        // Here an address that another program has stored with capitals is replaced by its canonical form; there it stays.
        let has_other_address = !changes_elsewhere && email != own;
        let has_other_username = matches!(&data.username, UsernameChange::Set(username) if is_other_username(username, who.user()));
        let required = requirements(&self.core.config, has_other_address, has_other_username);
        let acting = self.core.begin_with(required, who, client).await?;
        self.username_rules().allows_change(&data.username, who.user())?;
        if changes_elsewhere && !email.eq_ignore_ascii_case(own) {
            return Err(FieldErrors::standard("email", FieldText::EmailChangesElsewhere).into());
        }
        if has_other_address {
            self.core.policy.allows_email(&data.email, Some(who.user())).await?;
            self.core.leaving_address(&who.user().shared()).await?;
        }
        let change =
            Arc::new(ChangeByProfile { service: self.clone(), acting, was_emitted: AtomicBool::new(false) });
        let on_timeout = OnTimeout(Some(Arc::clone(&change)));
        let outcome = self.core.run_to_completion(async move {
            let ChangeByProfile { service, acting, .. } = &*change;
            // An action may write without its context.
            acting.check_alive().await?;
            let leaves_mailbox = has_other_address && service.core.has_other_ways_in();
            let updated = async {
                let update = async { Ok(service.updates_user_profile.update(acting, data).await?) };
                if !leaves_mailbox {
                    return update.await;
                }
                let left = |ways: WaysIn| WaysIn { mailbox: false, ..ways };
                service.core.begin_removal(&acting.who().user_id(), left).await?.run(update).await
            };
            let updated = AssertUnwindSafe(updated).catch_unwind().await;
            // An action may fail after it has written, so this looks at the stored record and not at the outcome.
            change.follow_up().await?;
            updated.map_err(|_| AuthError::internal("the action that updates a profile panicked"))?
        });
        let outcome = outcome.await;
        on_timeout.cancel();
        outcome
    }
}

/// What follows from an update that may change the address.
struct ChangeByProfile {
    service: UpdateProfileInformationService,
    /// With the record from before the change.
    acting: ActingSession,
    was_emitted: AtomicBool,
}

impl ChangeByProfile {
    /// If the address has changed: emits the event, tells the previous address, clears `emailVerifiedAt`, and tells the
    /// features, so that nothing that was sent to either address works.
    async fn follow_up(&self) -> Result<(), AuthError> {
        let (core, before) = (&self.service.core, &self.acting.who().user);
        let id = before.id_text();
        let Some(after) = core.users.find_by_id(&id).await? else { return Ok(()) };
        if after.email() == before.email() || core.has_moved(&id, after.email()).await? {
            return Ok(());
        }
        let emitted = async {
            if !self.was_emitted.swap(true, Ordering::Relaxed) {
                core.address_left(&**before);
                core.events.emit(EventKind::EmailChanged, Some(id), self.acting.client()).await;
            }
        };
        // At the same time: while a sink is waited for, nobody must be verified by the previous address.
        let ((), unverified) = join(emitted, unverify(core, &after)).await;
        unverified?;
        core.email_changed(Some(self.acting.who()), before, &after).await
    }
}

/// Clears `emailVerifiedAt` of a user whose address has changed.
async fn unverify(core: &Core, after: &User) -> Result<(), AuthError> {
    if after.email_verified_at().is_none() {
        return Ok(());
    }
    let patch = Patch::of(&**after)
        .with(UserChange::EmailVerifiedAt(None))
        .only_if(UserChange::Email(after.email().to_owned()));
    match core.users.save(patch).await {
        // The address has changed again, and the request that did so unverifies that address.
        Ok(_) | Err(RepositoryError::Stale) => Ok(()),
        Err(failure) => Err(failure.into()),
    }
}

/// Does what follows from a changed address as soon as the request times out, without waiting for an action that may hang for
/// long after it has written. The same steps after the end of the action still happen.
struct OnTimeout(Option<Arc<ChangeByProfile>>);

impl OnTimeout {
    fn cancel(mut self) {
        self.0 = None;
    }
}

impl Drop for OnTimeout {
    fn drop(&mut self) {
        let Some(change) = self.0.take() else { return };
        let core = change.service.core.clone();
        core.background.spawn("unverifying a changed address", async move {
            if let Err(error) = change.follow_up().await {
                log::address_not_unverified(error.code().as_str());
            }
        });
    }
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    if settings.confirm_email_change {
        return Vec::new();
    }
    let message = "anyone with a session can change the address that receives reset tokens";
    vec![Deviation::new("confirm_email_change", &["7.5.1"], message)]
}
