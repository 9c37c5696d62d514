//! Writes to user records: new ones, and changed fields of existing ones.

use super::{AuthUser, TimestampOutOfRange, UserField, UserId, UserRecord};
use serde_json::{Map, Value};
use std::fmt;
use std::time::SystemTime;

/// A new value for one field of a user record. The id never changes.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UserChange {
    /// A new name.
    Name(String),
    /// A new e-mail address, canonical.
    Email(String),
    /// A new password hash.
    Password(String),
    /// When the address was verified.
    EmailVerifiedAt(Option<SystemTime>),
    /// A new encrypted two-factor secret.
    TwoFactorSecret(Option<String>),
    /// New encrypted recovery codes.
    TwoFactorRecoveryCodes(Option<String>),
    /// When two-factor was confirmed.
    TwoFactorConfirmedAt(Option<SystemTime>),
    /// When the password was last confirmed.
    PasswordConfirmedAt(Option<SystemTime>),
    /// A new user name, canonical, or none.
    Username(Option<String>),
}

impl UserChange {
    /// The current value of a field. `None` for the id, which never changes.
    #[must_use]
    pub fn current<U: AuthUser>(field: UserField, user: &U) -> Option<Self> {
        Self::of_record(field, user)
    }

    /// The same for a record of any host.
    pub(crate) fn of_record(field: UserField, user: &dyn UserRecord) -> Option<Self> {
        Some(match field {
            UserField::Id => return None,
            UserField::Name => Self::Name(user.name().to_owned()),
            UserField::Email => Self::Email(user.email().to_owned()),
            UserField::Password => Self::Password(user.password().to_owned()),
            UserField::EmailVerifiedAt => Self::EmailVerifiedAt(user.email_verified_at()),
            UserField::TwoFactorSecret => Self::TwoFactorSecret(user.two_factor_secret().map(str::to_owned)),
            UserField::TwoFactorRecoveryCodes => {
                Self::TwoFactorRecoveryCodes(user.two_factor_recovery_codes().map(str::to_owned))
            }
            UserField::TwoFactorConfirmedAt => Self::TwoFactorConfirmedAt(user.two_factor_confirmed_at()),
            UserField::PasswordConfirmedAt => Self::PasswordConfirmedAt(user.password_confirmed_at()),
            UserField::Username => Self::Username(user.username().map(str::to_owned)),
        })
    }

    /// The field that changes.
    #[must_use]
    pub const fn field(&self) -> UserField {
        match self {
            Self::Name(_) => UserField::Name,
            Self::Email(_) => UserField::Email,
            Self::Password(_) => UserField::Password,
            Self::EmailVerifiedAt(_) => UserField::EmailVerifiedAt,
            Self::TwoFactorSecret(_) => UserField::TwoFactorSecret,
            Self::TwoFactorRecoveryCodes(_) => UserField::TwoFactorRecoveryCodes,
            Self::TwoFactorConfirmedAt(_) => UserField::TwoFactorConfirmedAt,
            Self::PasswordConfirmedAt(_) => UserField::PasswordConfirmedAt,
            Self::Username(_) => UserField::Username,
        }
    }
}

/// Shows the field but not the value, because most values are secrets.
impl fmt::Debug for UserChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}(..)", self.field())
    }
}

/// Why a field of a record could not be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The record's time type cannot hold the time.
    #[error(transparent)]
    TimestampOutOfRange(#[from] TimestampOutOfRange),
    /// The implementation of [`AuthUserMut`](super::AuthUserMut) does not know this field, because it is older than the
    /// library.
    #[error("the user record has no field `{field}`", field = .0.wire_name())]
    UnknownField(UserField),
    /// The field of the record cannot be null.
    #[error("the field `{field}` of the user record cannot be null", field = .0.wire_name())]
    NotNullable(UserField),
}

/// What a patch writes, and on which conditions. It does not contain the type of the record, so that it is compiled with
/// the library.
#[derive(Clone, Default)]
pub(crate) struct Changes {
    changes: Vec<UserChange>,
    conditions: Vec<UserChange>,
}

impl Changes {
    /// Adds a change. A later change of the same field replaces the earlier one.
    pub(crate) fn with(mut self, change: UserChange) -> Self {
        self.changes.retain(|earlier| earlier.field() != change.field());
        self.changes.push(change);
        self
    }

    /// Adds a condition.
    pub(crate) fn only_if(mut self, current: UserChange) -> Self {
        self.conditions.push(current);
        self
    }

    /// The changes, each field once.
    pub(crate) fn changes(&self) -> &[UserChange] {
        &self.changes
    }
}

/// The argument of `UserRepository::save`: an id and the fields to write (specification §2.4).
#[derive(Clone)]
pub struct UserPatch<U: AuthUser> {
    id: U::Id,
    changes: Changes,
}

impl<U: AuthUser> UserPatch<U> {
    /// A patch of this user without changes.
    pub fn new(id: U::Id) -> Self {
        Self::of(id, Changes::default())
    }

    pub(crate) fn of(id: U::Id, changes: Changes) -> Self {
        Self { id, changes }
    }

    /// Adds a change. A later change of the same field replaces the earlier one.
    #[must_use]
    pub fn with(self, change: UserChange) -> Self {
        Self { changes: self.changes.with(change), ..self }
    }

    /// Makes the patch conditional: it applies only if the stored field has this value. Otherwise the repository
    /// returns [`RepositoryError::Stale`](crate::repository::RepositoryError::Stale) and writes nothing.
    ///
    /// The library's own conditions are texts and nulls, never times, because databases may round them.
    #[must_use]
    pub fn only_if(self, current: UserChange) -> Self {
        Self { changes: self.changes.only_if(current), ..self }
    }

    /// The id of the record.
    pub fn id(&self) -> &U::Id {
        &self.id
    }

    /// The changes, each field once.
    pub fn changes(&self) -> &[UserChange] {
        &self.changes.changes
    }

    /// The values that the stored record must have for the patch to apply. Often the list is empty.
    pub fn conditions(&self) -> &[UserChange] {
        &self.changes.conditions
    }
}

impl<U: AuthUser> fmt::Debug for UserPatch<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserPatch").field("id", &self.id.to_text()).field("changes", &self.changes()).finish()
    }
}

/// A user without an id, as passed to `UserRepository::create` (specification §3.2).
///
/// All nullable fields of a new user are null. [`with_extra`](Self::with_extra) adds fields of the host.
#[derive(Clone)]
#[expect(clippy::manual_non_exhaustive, reason = "for a private field the compiler proposes `NewUser::new`")]
pub struct NewUser {
    /// The name.
    pub name: String,
    /// The e-mail address, canonical.
    pub email: String,
    /// The password's hash.
    pub password: String,
    /// The user name, canonical, if the record has one (specification §2.5).
    pub username: Option<String>,
    /// Fields of the host. An SQL adapter writes them into the columns of these names.
    pub extra: Map<String, Value>,
    #[expect(dead_code, reason = "it keeps hosts from writing literals")]
    pub(crate) more: (),
}

impl NewUser {
    /// A new user with the three fields that cannot be null.
    pub fn new(name: impl Into<String>, email: impl Into<String>, password_hash: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            email: email.into(),
            password: password_hash.into(),
            username: None,
            extra: Map::new(),
            more: (),
        }
    }

    /// Adds the user name.
    #[must_use]
    pub fn with_username(self, username: impl Into<String>) -> Self {
        Self { username: Some(username.into()), ..self }
    }

    /// Adds a field of the host.
    #[must_use]
    pub fn with_extra(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(field.into(), value.into());
        self
    }
}

/// Shows only the names of the host's fields.
impl fmt::Debug for NewUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extra: Vec<_> = self.extra.keys().collect();
        f.debug_struct("NewUser").field("extra", &extra).finish_non_exhaustive()
    }
}
