//! An in-memory user repository.

use crate::actions::{ActionContext, ActionError, DeletesUsers};
use crate::repository::RepositoryError;
use crate::repository::UserRepository;
use crate::user::{AuthUser, AuthUserMut, NewUser, UserChange, UserField, UserId, UserPatch};
use async_trait::async_trait;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Users in memory, for tests of any host. Clones share the users.
///
/// If the record implements `Default`, create the repository with `MemoryUsers::<Account>::default()`. Otherwise use
/// [`MemoryUsers::new`] with a function that makes a record.
pub struct MemoryUsers<U: AuthUser> {
    table: Arc<Mutex<Table<U>>>,
    make: Arc<dyn Fn(U::Id, NewUser) -> U + Send + Sync>,
}

struct Table<U> {
    users: Vec<U>,
    made: u64,
}

impl<U: AuthUserMut> MemoryUsers<U> {
    /// An empty repository. `make` makes a record from an id and a new user.
    ///
    /// Ids are numbers from 1. If the id type cannot parse them, they are UUIDs that end in the number.
    pub fn new(make: impl Fn(U::Id, NewUser) -> U + Send + Sync + 'static) -> Self {
        let table = Table { users: Vec::new(), made: 0 };
        Self { table: Arc::new(Mutex::new(table)), make: Arc::new(make) }
    }

    /// All users, in the order of their creation.
    pub fn all(&self) -> Vec<U> {
        self.table().users.clone()
    }

    /// The user with this address.
    pub fn by_email(&self, email: &str) -> Option<U> {
        self.table().users.iter().find(|user| user.email() == email).cloned()
    }

    /// Changes the user with this address directly, as a host's own code could. Returns whether there was one.
    pub fn update(&self, email: &str, change: impl FnOnce(&mut U)) -> bool {
        self.table().users.iter_mut().find(|user| user.email() == email).map(change).is_some()
    }

    /// Deletes the user with this address. Returns whether there was one.
    pub fn remove(&self, email: &str) -> bool {
        let mut table = self.table();
        let before = table.users.len();
        table.users.retain(|user| user.email() != email);
        table.users.len() < before
    }
}

impl<U: AuthUser> MemoryUsers<U> {
    fn table(&self) -> MutexGuard<'_, Table<U>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<U: AuthUserMut + Default> Default for MemoryUsers<U> {
    fn default() -> Self {
        Self::new(|id, NewUser { name, email, password, username, .. }| {
            let mut user = U::default();
            user.set_id(id);
            let changes = [UserChange::Name(name), UserChange::Email(email), UserChange::Password(password)];
            for change in changes.into_iter().chain(username.map(|name| UserChange::Username(Some(name)))) {
                // Setting a string cannot fail: only times can be out of range.
                let _cannot_fail = user.set(change);
            }
            user
        })
    }
}

impl<U: AuthUser> Clone for MemoryUsers<U> {
    fn clone(&self) -> Self {
        Self { table: Arc::clone(&self.table), make: Arc::clone(&self.make) }
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUserMut> UserRepository for MemoryUsers<U> {
    type User = U;

    async fn find_by_id(&self, id: &U::Id) -> Result<Option<U>, RepositoryError> {
        let id = id.to_text();
        Ok(self.table().users.iter().find(|user| user.id().to_text() == id).cloned())
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<U>, RepositoryError> {
        let holds = |user: &&U| match field {
            UserField::Id => user.id().to_text() == value,
            UserField::Name => user.name() == value,
            UserField::Email => user.email() == value,
            UserField::Password => user.password() == value,
            UserField::TwoFactorSecret => user.two_factor_secret() == Some(value),
            UserField::TwoFactorRecoveryCodes => user.two_factor_recovery_codes() == Some(value),
            UserField::Username => user.username() == Some(value),
            UserField::EmailVerifiedAt | UserField::TwoFactorConfirmedAt | UserField::PasswordConfirmedAt => {
                false
            }
        };
        Ok(self.table().users.iter().find(holds).cloned())
    }

    async fn save(&self, patch: UserPatch<U>) -> Result<U, RepositoryError> {
        let id = patch.id().to_text();
        let mut table = self.table();
        let (mut email, mut username) = (None, None);
        for change in patch.changes() {
            match change {
                UserChange::Email(new) => email = Some(new.as_str()),
                UserChange::Username(new) => username = new.as_deref(),
                _ => {}
            }
        }
        let others: Vec<_> = table.users.iter().filter(|user| user.id().to_text() != id).collect();
        refuse_taken(&others, email, username)?;
        let user = table.users.iter_mut().find(|user| user.id().to_text() == id);
        let user = user.ok_or_else(|| RepositoryError::other("there is no user with this id"))?;
        let holds =
            |condition: &UserChange| UserChange::current(condition.field(), user).as_ref() == Some(condition);
        if !patch.conditions().iter().all(holds) {
            return Err(RepositoryError::Stale);
        }
        let mut changed = user.clone();
        for change in patch.changes() {
            changed.set(change.clone())?;
        }
        *user = changed.clone();
        Ok(changed)
    }

    async fn create(&self, new: NewUser) -> Result<U, RepositoryError> {
        let mut table = self.table();
        let others: Vec<_> = table.users.iter().collect();
        refuse_taken(&others, Some(&new.email), new.username.as_deref())?;
        table.made += 1;
        let user = (self.make)(id::<U>(table.made)?, new);
        table.users.push(user.clone());
        Ok(user)
    }
}

/// Fails if one of these users has the address or the user name. The address is reported first.
fn refuse_taken<U: AuthUser>(
    others: &[&U],
    email: Option<&str>,
    username: Option<&str>,
) -> Result<(), RepositoryError> {
    if email.is_some_and(|email| others.iter().any(|user| user.email() == email)) {
        return Err(RepositoryError::EmailTaken);
    }
    if username.is_some_and(|username| others.iter().any(|user| user.username() == Some(username))) {
        return Err(RepositoryError::UsernameTaken);
    }
    Ok(())
}

/// Deletes the user, for a module with DELETE_ACCOUNTS.
#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> DeletesUsers<U> for MemoryUsers<U> {
    async fn delete(&self, user: &U, _: &ActionContext<U>) -> Result<(), ActionError> {
        let id = user.id().to_text();
        self.table().users.retain(|user| user.id().to_text() != id);
        Ok(())
    }
}

/// The id with this number: the number itself, or a UUID that ends in it.
fn id<U: AuthUser>(number: u64) -> Result<U::Id, RepositoryError> {
    let uuid = || U::Id::from_text(&format!("00000000-0000-4000-8000-{number:012}"));
    let id = U::Id::from_text(&number.to_string()).or_else(uuid);
    id.ok_or_else(|| {
        RepositoryError::other("MemoryUsers can only make ids that are numbers, strings or UUIDs")
    })
}
