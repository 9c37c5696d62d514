//! The host's user record, as far as the library needs it.
//!
//! A host keeps its own struct and its own table. [`AuthUser`] is the view that the library has of it: the nine
//! fields of specification §2.1, and nothing else. `#[derive(AuthUser)]` writes the implementation.

mod change;
mod field;
mod record;

pub use change::{ChangeError, NewUser, UserChange, UserPatch};
pub use field::{
    FieldNames, Flag, NullableText, NullableTimestamp, Text, Timestamp, TimestampOutOfRange, UserField,
    UserId,
};

pub(crate) use record::User;
pub use record::UserRecord;
use std::time::SystemTime;

/// A user record of the host: the nine fields that the library reads (specification §2.1).
///
/// Derive it. The derive maps fields by their name or by an attribute, and names everything that is missing in
/// one message, and each type that cannot hold what its field is for:
///
/// ```
/// use axum_auth_module::AuthUser;
/// use std::time::SystemTime;
///
/// #[derive(Clone, AuthUser)]
/// struct Account {
///     id: i64,
///     #[auth(name)]
///     display_name: String,
///     email: String,
///     #[auth(password)]
///     password_hash: String,
///     email_verified_at: Option<SystemTime>,
///     two_factor_secret: Option<String>,
///     two_factor_recovery_codes: Option<String>,
///     two_factor_confirmed_at: Option<SystemTime>,
///     password_confirmed_at: Option<SystemTime>,
///     plan: String, // the host's own
/// }
/// ```
///
/// Times may be of any type that converts from and to [`SystemTime`]: chrono's, time's and jiff's do.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a user record that the library can read",
    label = "does not implement `AuthUser`",
    note = "write `#[derive(Clone, AuthUser)]` above `{Self}`; the compiler then names the fields that are missing"
)]
pub trait AuthUser: Clone + Send + Sync + 'static {
    /// The type of the record's id: anything that can be printed and read back. Tokens carry the printed form, which
    /// is [`to_text`](UserId::to_text) of it.
    type Id: UserId;

    /// What the host calls the nine fields. SQL adapters take them as column names.
    const FIELD_NAMES: FieldNames = FieldNames::STANDARD;

    /// The id.
    fn id(&self) -> &Self::Id;
    /// The name that the user goes by.
    fn name(&self) -> &str;
    /// The e-mail address, in its canonical form: trimmed and lower-cased (specification §7.3).
    fn email(&self) -> &str;
    /// The password's *hash*. Empty when the account has no password; such an account cannot log in with one.
    fn password(&self) -> &str;
    /// When the e-mail address was verified, or `None`.
    fn email_verified_at(&self) -> Option<SystemTime>;
    /// The encrypted two-factor secret, or `None`.
    fn two_factor_secret(&self) -> Option<&str>;
    /// The encrypted recovery codes, or `None`.
    fn two_factor_recovery_codes(&self) -> Option<&str>;
    /// When two-factor was confirmed, or `None`: without it the second factor is not asked for.
    fn two_factor_confirmed_at(&self) -> Option<SystemTime>;
    /// When the password was last confirmed, or `None`.
    fn password_confirmed_at(&self) -> Option<SystemTime>;

    /// Whether the account may be used. It is asked wherever a token or a password is honoured; a suspended
    /// account is refused exactly as one that does not exist. `true` unless the host says otherwise.
    fn is_active(&self) -> bool {
        true
    }
}

/// Writing access to the nine fields, for adapters that keep whole records (the in-memory repository).
///
/// The derive writes this too. Adapters over a database do not need it: they write columns.
pub trait AuthUserMut: AuthUser {
    /// Sets the id.
    fn set_id(&mut self, id: Self::Id);

    /// Sets one of the other fields.
    ///
    /// # Errors
    /// If the record's time type cannot hold the given time, or if the implementation does not know the field.
    fn set(&mut self, change: UserChange) -> Result<(), ChangeError>;
}
