//! What the host stores, in memory, so that a target can change it and start every input from the same.

use axum_auth_module::repository::{
    ApiTokenRecord, ApiTokenRepository, IdentityRecord, IdentityRepository, IdentityUse, LastUse,
    PasskeyRecord, PasskeyRepository, PasskeyUse, PasswordResetRepository, RepositoryError, SessionKind,
    SessionOwner, SessionRecord, SessionRepository, SessionState, StoredResetToken, UserRepository,
};
use axum_auth_module::store::{EphemeralStore, Slot, Window};
use axum_auth_module::user::{AuthUserMut as _, NewUser, UserChange, UserField, UserPatch};
use axum_auth_module::{AuthUser, BoxError, async_trait};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

#[derive(Clone, Default, AuthUser)]
pub struct Account {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub password: String,
    pub email_verified_at: Option<SystemTime>,
    pub two_factor_secret: Option<String>,
    pub two_factor_recovery_codes: Option<String>,
    pub two_factor_confirmed_at: Option<SystemTime>,
    pub password_confirmed_at: Option<SystemTime>,
    #[auth(username)]
    pub username: Option<String>,
}

#[derive(Clone, Default)]
pub struct Rows {
    pub users: Vec<Account>,
    /// By the id under which they were stored.
    pub sessions: HashMap<String, SessionRecord>,
    pub resets: HashMap<String, StoredResetToken>,
    pub passkeys: Vec<PasskeyRecord>,
    pub identities: Vec<IdentityRecord>,
    pub api_tokens: Vec<ApiTokenRecord>,
    pub values: HashMap<String, Vec<u8>>,
    pub counters: HashMap<String, u32>,
    /// What the store returns for every key, instead of what it has.
    pub every_value: Option<Vec<u8>>,
    /// What the store says of every counter.
    pub every_slot: Option<Slot>,
}

impl Rows {
    pub fn user(&mut self, email: &str) -> &mut Account {
        self.users.iter_mut().find(|user| user.email == email).unwrap()
    }
}

/// The user repository, the session repository, the repositories of passkeys and of identities, that of reset tokens, and the store.
/// Clones share the rows.
#[derive(Clone, Default)]
pub struct Tables(Arc<Mutex<Rows>>);

impl Tables {
    pub fn rows(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap()
    }
}

#[async_trait]
impl UserRepository for Tables {
    type User = Account;

    async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
        Ok(self.rows().users.iter().find(|user| user.id == *id).cloned())
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        let of = |user: &Account| match UserChange::current(field, user) {
            Some(UserChange::Name(text) | UserChange::Email(text) | UserChange::Password(text)) => Some(text),
            Some(
                UserChange::TwoFactorSecret(text)
                | UserChange::TwoFactorRecoveryCodes(text)
                | UserChange::Username(text),
            ) => text,
            _ => None,
        };
        Ok(self.rows().users.iter().find(|user| of(user).as_deref() == Some(value)).cloned())
    }

    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        let mut rows = self.rows();
        let takes = |change: &UserChange, user: &Account| {
            user.id != *patch.id() && matches!(change, UserChange::Email(email) if *email == user.email)
        };
        if rows.users.iter().any(|user| patch.changes().iter().any(|change| takes(change, user))) {
            return Err(RepositoryError::EmailTaken);
        }
        let names = |change: &UserChange, user: &Account| {
            user.id != *patch.id()
                && matches!(change, UserChange::Username(Some(name)) if user.username.as_ref() == Some(name))
        };
        if rows.users.iter().any(|user| patch.changes().iter().any(|change| names(change, user))) {
            return Err(RepositoryError::UsernameTaken);
        }
        let user = rows.users.iter_mut().find(|user| user.id == *patch.id());
        let user = user.ok_or_else(|| RepositoryError::other("there is no such user"))?;
        let holds = |value: &UserChange| UserChange::current(value.field(), user).as_ref() == Some(value);
        if !patch.conditions().iter().all(holds) {
            return Err(RepositoryError::Stale);
        }
        for change in patch.changes() {
            user.set(change.clone())?;
        }
        Ok(user.clone())
    }

    async fn create(&self, new: NewUser) -> Result<Account, RepositoryError> {
        let mut rows = self.rows();
        if rows.users.iter().any(|user| *user.email() == *new.email) {
            return Err(RepositoryError::EmailTaken);
        }
        if new.username.is_some() && rows.users.iter().any(|user| user.username == new.username) {
            return Err(RepositoryError::UsernameTaken);
        }
        let id = 1 + i64::try_from(rows.users.len()).unwrap();
        let NewUser { name, email, password, username, .. } = new;
        rows.users.push(Account { id, name, email, password, username, ..Account::default() });
        Ok(rows.users.last().unwrap().clone())
    }
}

#[async_trait]
impl SessionRepository for Tables {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        self.rows().sessions.insert(session.id.clone(), session);
        Ok(())
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        Ok(self.rows().sessions.get(id).cloned())
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        let rows = self.rows();
        let found = rows.sessions.values().filter(|row| row.user_id == user_id && kinds.contains(&row.kind));
        Ok(found.cloned().collect())
    }

    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let mut rows = self.rows();
        let Some(row) = rows.sessions.get_mut(id).filter(|row| row.state == *expected) else {
            return Ok(false);
        };
        (row.state, row.expires_at) = (state.clone(), expires_at);
        Ok(true)
    }

    async fn touch(&self, id: &str, seen: &LastUse) -> Result<(), RepositoryError> {
        if let Some(row) = self.rows().sessions.get_mut(id) {
            row.last_used_at = seen.last_used_at;
            (row.client, row.user_agent) = (seen.client.clone(), seen.user_agent.clone());
        }
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        Ok(self.rows().sessions.remove(id).is_some())
    }

    async fn delete_all(
        &self,
        whose: SessionOwner<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        let is_meant = |row: &SessionRecord| match whose {
            SessionOwner::User(id) => row.user_id == id,
            _ => true,
        };
        let stays = |id: &str, row: &SessionRecord| {
            !is_meant(row) || !kinds.contains(&row.kind) || except == Some(id)
        };
        let sessions = &mut self.rows().sessions;
        let before = sessions.len();
        sessions.retain(|id, row| stays(id, row));
        Ok((before - sessions.len()) as u64)
    }

    async fn delete_expired(&self, now: SystemTime, _: u32) -> Result<u64, RepositoryError> {
        let sessions = &mut self.rows().sessions;
        let before = sessions.len();
        sessions.retain(|_, row| row.expires_at > now);
        Ok((before - sessions.len()) as u64)
    }
}

#[async_trait]
impl PasswordResetRepository for Tables {
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError> {
        let stored = StoredResetToken::new(hashed_token, created_at);
        self.rows().resets.insert(email.to_owned(), stored);
        Ok(())
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        Ok(self.rows().resets.get(email).cloned())
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        self.rows().resets.remove(email);
        Ok(())
    }
}

#[async_trait]
impl PasskeyRepository for Tables {
    async fn insert(&self, passkey: PasskeyRecord) -> Result<bool, RepositoryError> {
        let passkeys = &mut self.rows().passkeys;
        let is_new = passkeys.iter().all(|row| row.credential_id != passkey.credential_id);
        if is_new {
            passkeys.push(passkey);
        }
        Ok(is_new)
    }

    async fn find_by_credential_id(&self, id: &[u8]) -> Result<Option<PasskeyRecord>, RepositoryError> {
        Ok(self.rows().passkeys.iter().find(|row| row.credential_id == id).cloned())
    }

    async fn find_by_user(&self, user_id: &str) -> Result<Vec<PasskeyRecord>, RepositoryError> {
        Ok(self.rows().passkeys.iter().filter(|row| row.user_id == user_id).cloned().collect())
    }

    async fn record_use(
        &self,
        id: &str,
        expected: Option<u32>,
        seen: &PasskeyUse,
    ) -> Result<bool, RepositoryError> {
        let mut rows = self.rows();
        let Some(row) = rows.passkeys.iter_mut().find(|row| row.id == id) else { return Ok(false) };
        let is_expected = expected.is_none_or(|counter| counter == row.counter);
        if is_expected {
            (row.counter, row.backed_up) = (seen.counter, seen.backed_up);
            row.last_used_at = Some(seen.last_used_at);
        }
        Ok(is_expected)
    }

    async fn rename(&self, user_id: &str, id: &str, name: &str) -> Result<bool, RepositoryError> {
        let mut rows = self.rows();
        let found = rows.passkeys.iter_mut().find(|row| row.id == id && row.user_id == user_id);
        Ok(found.map(|row| name.clone_into(&mut row.name)).is_some())
    }

    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        let passkeys = &mut self.rows().passkeys;
        let before = passkeys.len();
        passkeys.retain(|row| row.id != id || row.user_id != user_id);
        Ok(passkeys.len() < before)
    }

    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        let passkeys = &mut self.rows().passkeys;
        let before = passkeys.len();
        passkeys.retain(|row| row.user_id != user_id);
        Ok((before - passkeys.len()) as u64)
    }
}

#[async_trait]
impl IdentityRepository for Tables {
    async fn insert(&self, identity: IdentityRecord) -> Result<bool, RepositoryError> {
        let identities = &mut self.rows().identities;
        let is_new = identities.iter().all(|row| !is_of(row, &identity.issuer, &identity.subject));
        if is_new {
            identities.push(identity);
        }
        Ok(is_new)
    }

    async fn find_by_subject(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<IdentityRecord>, RepositoryError> {
        Ok(self.rows().identities.iter().find(|row| is_of(row, issuer, subject)).cloned())
    }

    async fn find_by_user(&self, user_id: &str) -> Result<Vec<IdentityRecord>, RepositoryError> {
        Ok(self.rows().identities.iter().filter(|row| row.user_id == user_id).cloned().collect())
    }

    async fn record_use(&self, id: &str, seen: &IdentityUse) -> Result<bool, RepositoryError> {
        let mut rows = self.rows();
        let found = rows.identities.iter_mut().find(|row| row.id == id);
        let write = |row: &mut IdentityRecord| {
            row.email.clone_from(&seen.email);
            row.last_used_at = Some(seen.last_used_at);
        };
        Ok(found.map(write).is_some())
    }

    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        let identities = &mut self.rows().identities;
        let before = identities.len();
        identities.retain(|row| row.id != id || row.user_id != user_id);
        Ok(identities.len() < before)
    }

    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        let identities = &mut self.rows().identities;
        let before = identities.len();
        identities.retain(|row| row.user_id != user_id);
        Ok((before - identities.len()) as u64)
    }
}

fn is_of(row: &IdentityRecord, issuer: &str, subject: &str) -> bool {
    row.issuer == issuer && row.subject == subject
}

/// Nothing in it ends, because the clock stands still.
#[async_trait]
impl EphemeralStore for Tables {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        let rows = self.rows();
        Ok(rows.every_value.clone().or_else(|| rows.values.get(key).cloned()))
    }

    async fn put(&self, key: &str, value: &[u8], _: Duration) -> Result<(), BoxError> {
        self.rows().values.insert(key.to_owned(), value.to_vec());
        Ok(())
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        _: Duration,
    ) -> Result<bool, BoxError> {
        let mut rows = self.rows();
        let current = rows.every_value.as_ref().or_else(|| rows.values.get(key));
        if current.map(Vec::as_slice) != expected {
            return Ok(false);
        }
        rows.values.insert(key.to_owned(), value.to_vec());
        Ok(true)
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        let mut rows = self.rows();
        rows.values.remove(key);
        rows.counters.remove(key);
        Ok(())
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        let mut rows = self.rows();
        if let Some(slot) = rows.every_slot {
            return Ok(slot);
        }
        let counter = rows.counters.entry(key.to_owned()).or_default();
        if *counter >= limit {
            return Ok(Slot::Full { retry_after: window });
        }
        *counter += 1;
        Ok(Slot::Taken { window: Window::new(1) })
    }

    async fn give_back(&self, key: &str, _: Window) -> Result<(), BoxError> {
        if let Some(counter) = self.rows().counters.get_mut(key) {
            *counter = counter.saturating_sub(1);
        }
        Ok(())
    }
}

#[async_trait]
impl ApiTokenRepository for Tables {
    async fn insert(&self, token: ApiTokenRecord) -> Result<bool, RepositoryError> {
        self.rows().api_tokens.push(token);
        Ok(true)
    }

    async fn find_by_id(&self, id: &str) -> Result<Option<ApiTokenRecord>, RepositoryError> {
        Ok(self.rows().api_tokens.iter().find(|row| row.id == id).cloned())
    }

    async fn find_by_user(&self, user_id: &str) -> Result<Vec<ApiTokenRecord>, RepositoryError> {
        Ok(self.rows().api_tokens.iter().filter(|row| row.user_id == user_id).cloned().collect())
    }

    async fn record_use(&self, _: &str, _: SystemTime, _: SystemTime) -> Result<bool, RepositoryError> {
        Ok(true)
    }

    async fn delete(&self, user_id: &str, id: &str) -> Result<bool, RepositoryError> {
        let mut rows = self.rows();
        let before = rows.api_tokens.len();
        rows.api_tokens.retain(|row| row.id != id || row.user_id != user_id);
        Ok(rows.api_tokens.len() < before)
    }

    async fn delete_all(&self, user_id: &str) -> Result<u64, RepositoryError> {
        let mut rows = self.rows();
        let before = rows.api_tokens.len();
        rows.api_tokens.retain(|row| row.user_id != user_id);
        Ok((before - rows.api_tokens.len()) as u64)
    }

    async fn delete_expired(&self, _: SystemTime, _: u32) -> Result<u64, RepositoryError> {
        Ok(0)
    }
}
