//! The nine fields and the user name: how they are called, and the types that they can have in the host's struct.

use std::fmt::Display;
use std::str::FromStr;
use std::time::SystemTime;

/// One of the nine fields of a user record (specification §2.1), or the user name (§2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UserField {
    /// `id`
    Id,
    /// `name`
    Name,
    /// `email`
    Email,
    /// `password`, stored as a hash
    Password,
    /// `emailVerifiedAt`
    EmailVerifiedAt,
    /// `twoFactorSecret`, stored encrypted
    TwoFactorSecret,
    /// `twoFactorRecoveryCodes`, stored encrypted
    TwoFactorRecoveryCodes,
    /// `twoFactorConfirmedAt`
    TwoFactorConfirmedAt,
    /// `passwordConfirmedAt`
    PasswordConfirmedAt,
    /// `username`: only of records that have a user name
    Username,
}

impl UserField {
    /// The nine that every record has, in the order of specification §2.1.
    pub const ALL: &'static [Self] = &[
        Self::Id,
        Self::Name,
        Self::Email,
        Self::Password,
        Self::EmailVerifiedAt,
        Self::TwoFactorSecret,
        Self::TwoFactorRecoveryCodes,
        Self::TwoFactorConfirmedAt,
        Self::PasswordConfirmedAt,
    ];

    /// The fields of such a record: the nine, and the user name if it has one.
    pub(crate) fn of_record(username: UsernameField) -> impl Iterator<Item = Self> + Clone {
        Self::ALL.iter().copied().chain(username.is_present().then_some(Self::Username))
    }

    /// Whether a field of a request is one of the user record, which no action of a host gets as a field of its own.
    pub(crate) fn is_wire_name(name: &str, username: UsernameField) -> bool {
        Self::of_record(username).any(|field| field.wire_name() == name)
    }

    /// The field's name on the wire, as specification §2.1 spells it: `emailVerifiedAt`.
    #[must_use]
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Name => "name",
            Self::Email => "email",
            Self::Password => "password",
            Self::EmailVerifiedAt => "emailVerifiedAt",
            Self::TwoFactorSecret => "twoFactorSecret",
            Self::TwoFactorRecoveryCodes => "twoFactorRecoveryCodes",
            Self::TwoFactorConfirmedAt => "twoFactorConfirmedAt",
            Self::PasswordConfirmedAt => "passwordConfirmedAt",
            Self::Username => "username",
        }
    }
}

/// Whether a record has a user name (specification §2.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UsernameField {
    /// It has none.
    #[default]
    Absent,
    /// Users can be without a user name: the field is an `Option`.
    Optional,
    /// Every user has a user name.
    Required,
}

impl UsernameField {
    /// Whether the record has a user name.
    #[must_use]
    pub const fn is_present(self) -> bool {
        !matches!(self, Self::Absent)
    }
}

/// The host's names of the nine fields and of the user name, which SQL adapters use as column names.
///
/// ```
/// use axum_auth_module::user::{FieldNames, UserField};
///
/// const NAMES: FieldNames = FieldNames::STANDARD.with(UserField::Name, "full_name");
/// assert_eq!(NAMES.of(UserField::Name), "full_name");
/// assert_eq!(NAMES.of(UserField::Email), "email");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is the name of the field of the same name")]
pub struct FieldNames {
    pub id: &'static str,
    pub name: &'static str,
    pub email: &'static str,
    pub password: &'static str,
    pub email_verified_at: &'static str,
    pub two_factor_secret: &'static str,
    pub two_factor_recovery_codes: &'static str,
    pub two_factor_confirmed_at: &'static str,
    pub password_confirmed_at: &'static str,
    pub username: &'static str,
}

impl FieldNames {
    /// The names in the first column of specification §2.1.
    pub const STANDARD: Self = Self {
        id: "id",
        name: "name",
        email: "email",
        password: "password",
        email_verified_at: "email_verified_at",
        two_factor_secret: "two_factor_secret",
        two_factor_recovery_codes: "two_factor_recovery_codes",
        two_factor_confirmed_at: "two_factor_confirmed_at",
        password_confirmed_at: "password_confirmed_at",
        username: "username",
    };

    /// These names, with another name for this field.
    #[must_use]
    pub const fn with(mut self, field: UserField, name: &'static str) -> Self {
        match field {
            UserField::Id => self.id = name,
            UserField::Name => self.name = name,
            UserField::Email => self.email = name,
            UserField::Password => self.password = name,
            UserField::EmailVerifiedAt => self.email_verified_at = name,
            UserField::TwoFactorSecret => self.two_factor_secret = name,
            UserField::TwoFactorRecoveryCodes => self.two_factor_recovery_codes = name,
            UserField::TwoFactorConfirmedAt => self.two_factor_confirmed_at = name,
            UserField::PasswordConfirmedAt => self.password_confirmed_at = name,
            UserField::Username => self.username = name,
        }
        self
    }

    /// The host's name of one field.
    #[must_use]
    pub const fn of(&self, field: UserField) -> &'static str {
        match field {
            UserField::Id => self.id,
            UserField::Name => self.name,
            UserField::Email => self.email,
            UserField::Password => self.password,
            UserField::EmailVerifiedAt => self.email_verified_at,
            UserField::TwoFactorSecret => self.two_factor_secret,
            UserField::TwoFactorRecoveryCodes => self.two_factor_recovery_codes,
            UserField::TwoFactorConfirmedAt => self.two_factor_confirmed_at,
            UserField::PasswordConfirmedAt => self.password_confirmed_at,
            UserField::Username => self.username,
        }
    }
}

/// A type of a user's id: `i64`, `Uuid`, `String` and every other type that is `Display + FromStr + Clone + Send + Sync`.
///
/// Code for any user record calls `user.id().to_text()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the id of a user",
    label = "an id must implement `Display` and `FromStr`",
    note = "`axum_auth_module::user::UserId` is any type that is `Display + FromStr + Clone + Send + Sync`: `i64`, `Uuid`, `String`"
)]
pub trait UserId: Clone + Send + Sync + 'static {
    /// The id as tokens, links and events carry it.
    fn to_text(&self) -> String;
    /// The id with this printed form, if there is one.
    fn from_text(text: &str) -> Option<Self>;
}

// No supertraits, because the compiler would report each missing one as an error of its own.
#[diagnostic::do_not_recommend]
impl<T: Display + FromStr + Clone + Send + Sync + 'static> UserId for T {
    fn to_text(&self) -> String {
        self.to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// The type of the field that says whether the account is active: `bool`.
#[diagnostic::on_unimplemented(
    message = "`is_active` must be a `bool`, found `{Self}`",
    label = "expected `bool`",
    note = "`bool` is the only type that implements `axum_auth_module::user::Flag`"
)]
pub trait Flag {
    /// Whether the account is active.
    fn is_set(&self) -> bool;
}

// Without it, the compiler would show this line in its message.
#[diagnostic::do_not_recommend]
impl Flag for bool {
    fn is_set(&self) -> bool {
        *self
    }
}

/// A type of a text field that cannot be null: `String`, `Box<str>`, `Arc<str>` and similar types.
#[diagnostic::on_unimplemented(
    message = "this field of the user record must hold text, found `{Self}`",
    label = "expected `String`",
    note = "`name`, `email` and `password` can have any type with `AsRef<str>` and `From<String>`, which then implements `axum_auth_module::user::Text`; `password` can also be an `Option` of it, written without an alias"
)]
pub trait Text {
    /// The text.
    fn as_text(&self) -> &str;
    /// A value with this text.
    fn from_text(text: String) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: AsRef<str> + From<String>> Text for T {
    fn as_text(&self) -> &str {
        self.as_ref()
    }

    fn from_text(text: String) -> Self {
        Self::from(text)
    }
}

/// A type of a text field that can be null: `Option` of a [`Text`].
#[diagnostic::on_unimplemented(
    message = "this field of the user record must hold an optional text, found `{Self}`",
    label = "expected `Option<String>`",
    note = "`two_factor_secret` and `two_factor_recovery_codes` are null while two-factor is off, and `language` until the user has chosen one; `Option<String>` implements `axum_auth_module::user::NullableText`"
)]
pub trait NullableText {
    /// The text, if there is one.
    fn as_text(&self) -> Option<&str>;
    /// A value with this text, or null.
    fn from_text(text: Option<String>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Text> NullableText for Option<T> {
    fn as_text(&self) -> Option<&str> {
        self.as_ref().map(Text::as_text)
    }

    fn from_text(text: Option<String>) -> Self {
        text.map(T::from_text)
    }
}

/// A point in time: `SystemTime`, chrono's `DateTime<Utc>`, time's `OffsetDateTime`, jiff's `Timestamp`, and other types that
/// convert from and to [`SystemTime`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a point in time that the library supports",
    label = "expected a time type",
    note = "use `SystemTime`, `chrono::DateTime<Utc>`, `time::OffsetDateTime`, `jiff::Timestamp`, or a type with `TryFrom<SystemTime>` and `Into<SystemTime>`"
)]
pub trait Timestamp: Sized {
    /// This point in time.
    fn to_system_time(&self) -> SystemTime;
    /// This point in time as a value of this type.
    ///
    /// # Errors
    /// If the time is out of this type's range.
    fn from_system_time(time: SystemTime) -> Result<Self, TimestampOutOfRange>;
}

#[diagnostic::do_not_recommend]
impl<T: Clone + TryFrom<SystemTime> + Into<SystemTime>> Timestamp for T {
    fn to_system_time(&self) -> SystemTime {
        self.clone().into()
    }

    fn from_system_time(time: SystemTime) -> Result<Self, TimestampOutOfRange> {
        Self::try_from(time).map_err(|_| TimestampOutOfRange)
    }
}

/// A type of a time field that can be null: `Option` of a [`Timestamp`].
#[diagnostic::on_unimplemented(
    message = "this field of the user record must hold an optional time, found `{Self}`",
    label = "expected `Option` of a time type",
    note = "`Option<SystemTime>`, `Option<chrono::DateTime<Utc>>`, `Option<time::OffsetDateTime>` and `Option<jiff::Timestamp>` implement `axum_auth_module::user::NullableTimestamp`"
)]
pub trait NullableTimestamp: Sized {
    /// The time, if there is one.
    fn to_system_time(&self) -> Option<SystemTime>;
    /// A value with this time, or null.
    ///
    /// # Errors
    /// If the time is out of the type's range.
    fn from_system_time(time: Option<SystemTime>) -> Result<Self, TimestampOutOfRange>;
}

#[diagnostic::do_not_recommend]
impl<T: Timestamp> NullableTimestamp for Option<T> {
    fn to_system_time(&self) -> Option<SystemTime> {
        self.as_ref().map(Timestamp::to_system_time)
    }

    fn from_system_time(time: Option<SystemTime>) -> Result<Self, TimestampOutOfRange> {
        time.map(T::from_system_time).transpose()
    }
}

/// A time that the host's time type cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the user record's time type cannot hold this time")]
pub struct TimestampOutOfRange;
