//! The nine fields: their names, and what type each may have in the host's struct.

use std::fmt::Display;
use std::str::FromStr;
use std::time::SystemTime;

/// One of the nine fields of a user record (specification §2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}

impl UserField {
    /// All nine, in the order of specification §2.1.
    pub const ALL: [Self; 9] = [
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
        }
    }
}

/// What a host calls the nine fields, for adapters that need column names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each field is the name of the field it is called after")]
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
    };

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
        }
    }
}

/// What a user's id can be: it prints, and it is read back from what it printed. `i64`, `Uuid`, `String` all are.
///
/// Every type has it that is `Display + FromStr + Clone + Send + Sync`. Code for any user record writes
/// `user.id().to_text()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the id of a user",
    label = "an id has to print itself and be read back from that",
    note = "`axum_auth_module::user::UserId` is any type that is `Display + FromStr + Clone + Send + Sync`: `i64`, `Uuid`, `String`"
)]
pub trait UserId: Clone + Send + Sync + 'static {
    /// The id as tokens, links and events carry it.
    fn to_text(&self) -> String;
    /// The id that was printed so, if the text is one.
    fn from_text(text: &str) -> Option<Self>;
}

// Not supertraits: the compiler would name each that a type lacks, in words of its own and one error each.
#[diagnostic::do_not_recommend]
impl<T: Display + FromStr + Clone + Send + Sync + 'static> UserId for T {
    fn to_text(&self) -> String {
        self.to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// Whether the account may be used: a `bool`, and nothing else.
#[diagnostic::on_unimplemented(
    message = "this field of the user record has to say yes or no, and `{Self}` does not",
    label = "expected `bool`",
    note = "is_active is a `bool`, which is the only `axum_auth_module::user::Flag`: whether the account may be used"
)]
pub trait Flag {
    /// Whether it says yes.
    fn is_set(&self) -> bool;
}

// Otherwise the compiler would show this line.
#[diagnostic::do_not_recommend]
impl Flag for bool {
    fn is_set(&self) -> bool {
        *self
    }
}

/// What a text field that cannot be null may be: `String`, `Box<str>`, `Arc<str>` and their like.
#[diagnostic::on_unimplemented(
    message = "this field of the user record has to hold text, and `{Self}` does not",
    label = "expected `String`",
    note = "name, email and password are `String`, or another `axum_auth_module::user::Text`: any type with `AsRef<str>` and `From<String>`"
)]
pub trait Text {
    /// The text.
    fn as_text(&self) -> &str;
    /// A value that holds this text.
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

/// What a text field that can be null may be: `Option` of a [`Text`].
#[diagnostic::on_unimplemented(
    message = "this field of the user record has to hold text or nothing, and `{Self}` does not",
    label = "expected `Option<String>`",
    note = "two_factor_secret and two_factor_recovery_codes are null while two-factor is off: an `axum_auth_module::user::NullableText` is `Option<String>`, or `Option` of another text"
)]
pub trait NullableText {
    /// The text, if there is one.
    fn as_text(&self) -> Option<&str>;
    /// A value that holds this text, or null.
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

/// A point in time: `SystemTime` itself, chrono's `DateTime<Utc>`, time's `OffsetDateTime`, jiff's `Timestamp`, and
/// whatever else converts from and to [`SystemTime`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a point in time that the library can read and write",
    label = "expected a time type",
    note = "use `SystemTime`, `chrono::DateTime<Utc>`, `time::OffsetDateTime`, `jiff::Timestamp`, or a type with `TryFrom<SystemTime>` and `Into<SystemTime>`"
)]
pub trait Timestamp: Sized {
    /// This point in time.
    fn to_system_time(&self) -> SystemTime;
    /// The same point in this type.
    ///
    /// # Errors
    /// When this type's range does not reach that far.
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

/// What a time field that can be null may be: `Option` of a [`Timestamp`].
#[diagnostic::on_unimplemented(
    message = "this field of the user record has to hold a time or nothing, and `{Self}` does not",
    label = "expected `Option` of a time type",
    note = "an `axum_auth_module::user::NullableTimestamp` is `Option<SystemTime>`, `Option<chrono::DateTime<Utc>>`, `Option<time::OffsetDateTime>` or `Option<jiff::Timestamp>`"
)]
pub trait NullableTimestamp: Sized {
    /// The time, if there is one.
    fn to_system_time(&self) -> Option<SystemTime>;
    /// A value that holds this time, or null.
    ///
    /// # Errors
    /// When the type's range does not reach that far.
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
