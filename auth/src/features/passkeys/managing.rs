//! Listing, adding, renaming and removing passkeys. No HTTP.

use super::entries::is_usable;
use super::flows::{Addition, LIFETIME};
use super::service::{PasskeyCeremony, PasskeysService};
use super::verification::refused;
use super::webauthn::{Expected, NewCredential};
use super::{ADD, ADD_OPTIONS, REMOVE, RENAME, names, options};
use crate::client::{ClientAddress, ClientInfo};
use crate::clock::whole_milliseconds;
use crate::core::{ActingSession, Credentials, Identity, SpentFlow, UserRow, WaysIn};
use crate::crypto::random;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::limits::Checked;
use crate::repository::PasskeyRecord;
use crate::values::short_name;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use std::time::SystemTime;

/// The length of a user handle, in bytes.
const HANDLE: usize = 32;

/// A passkey of a user, as the user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserPasskey {
    /// The id, by which it is renamed and removed. It is not a secret.
    pub id: String,
    /// The id of the credential, in base64url, as browsers know it.
    pub credential_id: String,
    /// The name.
    pub name: String,
    /// The model of the authenticator, if it tells.
    pub aaguid: Option<String>,
    /// How browsers reach the authenticator.
    pub transports: Vec<String>,
    /// Whether it is copied to other devices of the user.
    pub backed_up: bool,
    /// Whether it can be.
    pub backup_eligible: bool,
    /// Whether it can sign in: it is of the relying party that is configured.
    pub usable: bool,
    /// When it was added.
    pub created_at: SystemTime,
    /// When it was used for the last time.
    pub last_used_at: Option<SystemTime>,
}

/// The passkeys of a user, with what the signal methods of browsers take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserPasskeys {
    /// The id of the relying party.
    pub rp_id: String,
    /// The user handle, in base64url. `None` without passkeys.
    pub user_handle: Option<String>,
    /// The user's address.
    pub name: String,
    /// The user's name.
    pub display_name: String,
    /// The passkeys, the oldest first.
    pub passkeys: Vec<UserPasskey>,
}

/// What is left after a passkey was removed. It has no `Debug`, because the credentials of the session are secrets.
#[non_exhaustive]
pub struct PasskeyRemoval {
    /// What the acting session continues with.
    pub credentials: Credentials,
    /// The id of the relying party.
    pub rp_id: String,
    /// The user handle, in base64url.
    pub user_handle: String,
    /// The ids of the credentials that are left, in base64url.
    pub credential_ids: Vec<String>,
}

impl PasskeysService {
    /// The passkeys of the session's user (specification §9.38).
    ///
    /// # Errors
    /// Those of the repository.
    pub async fn list(&self, who: &Identity) -> Result<UserPasskeys, AuthError> {
        let all = self.entries(&who.user_id()).all().await?;
        let (user, site) = (who.user(), self.site()?);
        Ok(UserPasskeys {
            rp_id: site.id().to_owned(),
            user_handle: all.first().map(|passkey| URL_SAFE_NO_PAD.encode(&passkey.user_handle)),
            name: user.email().to_owned(),
            display_name: user.name().to_owned(),
            passkeys: all.iter().map(|passkey| self.shown(passkey)).collect(),
        })
    }

    /// What a page needs to make a passkey for the session's user (specification §9.39).
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`]; [`AuthError::EmailNotVerified`]; [`AuthError::LimitReached`].
    pub async fn add_options(
        &self,
        who: &Identity,
        client: ClientAddress,
    ) -> Result<PasskeyCeremony, AuthError> {
        self.core.begin(&ADD_OPTIONS, who, client).await?;
        self.core.require_verified_address(who)?;
        let all = self.entries(&who.user_id()).all().await?;
        self.must_have_room(&all)?;
        let handle = match all.first() {
            Some(passkey) => URL_SAFE_NO_PAD.encode(&passkey.user_handle),
            None => URL_SAFE_NO_PAD.encode(random::bytes::<HANDLE>()?),
        };
        let of = self.of_session(who).await?;
        let user_verification = self.core.config.passkeys.user_verification;
        let (site, user) = (self.site()?, who.user());
        let options = options::creation(site, user, &handle, &of.challenge, &all, user_verification);
        self.begun(options, Addition { of, handle }, LIFETIME)
    }

    /// Adds a passkey that the browser has made (specification §9.40). `name` is one of 1 to 64 characters; without one it has the name of
    /// its model.
    ///
    /// # Errors
    /// [`AuthError::EmailNotVerified`]; [`AuthError::InvalidFlowToken`]; [`AuthError::InvalidPasskey`]; [`AuthError::PasskeyTaken`];
    /// [`AuthError::LimitReached`]; [`AuthError::ValidationFailed`]; [`AuthError::TooManyAttempts`].
    pub async fn add(
        &self,
        who: &Identity,
        flow_token: &str,
        credential: Value,
        name: Option<&str>,
        client: impl Into<ClientInfo>,
    ) -> Result<UserPasskey, AuthError> {
        let client = client.into().address;
        let acting = self.core.begin(&ADD, who, client).await?;
        self.core.require_verified_address(who)?;
        let name = name.map(short_name).transpose()?;
        let check = async {
            let flow = self.core.flows.open::<Addition>(flow_token)?;
            self.must_be_of(who, &flow.content.of).await?;
            let expected = Expected {
                challenge: &flow.content.of.challenge,
                relying_party: self.site()?,
                user_verification: self.core.config.passkeys.user_verification.is_required(),
            };
            match NewCredential::verify(credential, &expected) {
                Ok(made) => Ok(Checked::Right((flow, made))),
                Err(flaw) => Ok(Checked::Wrong(refused(flaw))),
            }
        };
        let (flow, made) = self.guess(client, check).await?;
        let handle = URL_SAFE_NO_PAD.decode(&flow.content.handle).map_err(AuthError::internal)?;
        let name = name.unwrap_or_else(|| names::of_model(made.aaguid).to_owned());
        let row = self.row(who, made, handle, name)?;
        let mut spent = self.core.spend_flow(&flow.jti).await?;
        let service = self.clone();
        let added = self.core.run_to_completion(async move {
            let added = service.insert(&acting, row, &mut spent).await;
            spent.after(&service.core, added).await
        });
        let row = added.await?;
        Ok(self.shown(&row))
    }

    fn row(
        &self,
        who: &Identity,
        made: NewCredential,
        handle: Vec<u8>,
        name: String,
    ) -> Result<PasskeyRecord, AuthError> {
        let (id, key) = (random::id()?, self.core.repository_key(&who.user_id()));
        let now = whole_milliseconds(self.core.now());
        let mut row = PasskeyRecord::new(id, key, made.id, made.public_key, now);
        row.user_handle = handle;
        self.site()?.id().clone_into(&mut row.rp_id);
        row.name = name;
        row.aaguid = made.aaguid;
        row.transports = made.transports;
        row.counter = made.counter;
        row.backup_eligible = made.backup_eligible;
        row.backed_up = made.backed_up;
        Ok(row)
    }

    /// Inserts a passkey in the turn of its user, so that several at once count each other. None is left by a session that has ended:
    /// who takes passkeys away ends the sessions first, so that one that is stored later is seen here, and takes away one that is stored
    /// earlier.
    async fn insert(
        &self,
        acting: &ActingSession,
        row: PasskeyRecord,
        spent: &mut SpentFlow,
    ) -> Result<PasskeyRecord, AuthError> {
        let id = acting.who().user_id();
        let turn = self.core.take_turn(&id).await?;
        turn.run(async {
            acting.check_alive().await?;
            let all = self.entries(&id).all().await?;
            self.must_have_room(&all)?;
            // Two first passkeys at once would have two handles: the page asks for new options.
            if all.iter().any(|passkey| passkey.user_handle != row.user_handle) {
                return Err(AuthError::InvalidFlowToken);
            }
            spent.keep();
            if !self.passkeys.insert(row.clone()).await? {
                return Err(AuthError::PasskeyTaken);
            }
            if let Err(ended) = acting.check_alive().await {
                self.entries(&id).delete(&row.id).await?;
                return Err(ended);
            }
            Ok(())
        })
        .await?;
        let added = EventKind::PasskeyAdded { passkey_id: row.id.clone() };
        self.core.emit_about(added, &**turn.user(), acting.client()).await;
        Ok(row)
    }

    /// Gives a passkey of the session's user another name (specification §9.41).
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if the user has no passkey with this id; [`AuthError::ValidationFailed`].
    pub async fn rename(
        &self,
        who: &Identity,
        id: &str,
        name: &str,
        client: ClientAddress,
    ) -> Result<UserPasskey, AuthError> {
        let acting = self.core.begin(&RENAME, who, client).await?;
        let name = short_name(name)?;
        acting.check_alive().await?;
        let entries = self.entries(&who.user_id());
        if !self.passkeys.rename(&entries.key, id, &name).await? {
            return Err(AuthError::NotFound);
        }
        let all = entries.all().await?;
        let renamed = all.iter().find(|passkey| passkey.id == id).ok_or(AuthError::NotFound)?;
        let event = EventKind::PasskeyRenamed { passkey_id: id.to_owned() };
        self.core.events.emit(event, Some(who.user_id()), client).await;
        Ok(self.shown(renamed))
    }

    /// Removes a passkey of the session's user and ends the user's other sessions (specification §9.42).
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`]; [`AuthError::NotFound`]; [`AuthError::LastSignInMethod`].
    pub async fn remove(
        &self,
        who: &Identity,
        id: &str,
        client: ClientAddress,
    ) -> Result<PasskeyRemoval, AuthError> {
        let acting = self.core.begin(&REMOVE, who, client).await?;
        let (service, id) = (self.clone(), id.to_owned());
        self.core.run_to_completion(async move { service.remove_in_turn(&acting, &id).await }).await
    }

    async fn remove_in_turn(&self, acting: &ActingSession, id: &str) -> Result<PasskeyRemoval, AuthError> {
        let (core, user_id) = (&self.core, acting.who().user_id());
        let entries = self.entries(&user_id);
        let turn = core.take_turn(&user_id).await?;
        let removal = turn.run(async {
            let all = entries.all().await?;
            let removed = all.iter().find(|passkey| passkey.id == id).ok_or(AuthError::NotFound)?;
            if is_usable(core, removed) {
                turn.must_leave(core, |ways| WaysIn { passkeys: ways.passkeys.saturating_sub(1), ..ways })
                    .await?;
            }
            let change = acting.remove_way_in(entries.delete(id)).await?;
            core.emit_about(removed.clone().removed(), &**turn.user(), acting.client()).await;
            Ok((change, removed.clone(), all))
        });
        let (change, removed, all) = removal.await?;
        let credentials = change.finish().await?;
        drop(turn);
        let left = all.iter().filter(|passkey| passkey.id != removed.id && passkey.rp_id == removed.rp_id);
        Ok(PasskeyRemoval {
            credentials,
            user_handle: URL_SAFE_NO_PAD.encode(&removed.user_handle),
            credential_ids: left.map(|passkey| URL_SAFE_NO_PAD.encode(&passkey.credential_id)).collect(),
            rp_id: removed.rp_id,
        })
    }

    fn shown(&self, passkey: &PasskeyRecord) -> UserPasskey {
        UserPasskey {
            id: passkey.id.clone(),
            credential_id: URL_SAFE_NO_PAD.encode(&passkey.credential_id),
            name: passkey.name.clone(),
            aaguid: passkey.aaguid.map(names::text),
            transports: passkey.transports.clone(),
            backed_up: passkey.backed_up,
            backup_eligible: passkey.backup_eligible,
            usable: is_usable(&self.core, passkey),
            created_at: passkey.created_at,
            last_used_at: passkey.last_used_at,
        }
    }

    fn must_have_room(&self, present: &[PasskeyRecord]) -> Result<(), AuthError> {
        let has_room = present.len() < self.core.config.passkeys.max_per_user;
        if has_room { Ok(()) } else { Err(AuthError::LimitReached) }
    }
}
