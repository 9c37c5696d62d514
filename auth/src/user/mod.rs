//! The interface to the host's user record.
//!
//! A host has its own struct and its own table. Through [`AuthUser`] the library sees only the nine fields of
//! specification §2.1, and the user name of §2.5 if there is one. `#[derive(AuthUser)]` generates the implementation.

mod change;
mod field;
mod record;

pub(crate) use change::Changes;
pub use change::{ChangeError, NewUser, UserChange, UserPatch};
pub use field::{
    FieldNames, Flag, NullableText, NullableTimestamp, Text, Timestamp, TimestampOutOfRange, UserField,
    UserId, UsernameField,
};

pub(crate) use record::User;
pub use record::UserRecord;
use std::marker::PhantomData;
use std::time::SystemTime;

/// A user record of the host: the nine fields that the library reads (specification §2.1).
///
/// Use the derive. It finds fields by their name or by an attribute. If fields are missing, one message names all of
/// them; a field of a wrong type has its own message.
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
/// Times can have any type that converts from and to [`SystemTime`], as the types of chrono, time and jiff do.
///
/// The password can also be an `Option<String>`, written out: `None` and an empty text both mean that the account has no password.
///
/// Two attributes say which accounts are suspended: `#[auth(is_active)]` on a `bool`, and `#[auth(suspended_at)]` on an optional
/// time, as of rows that are marked as deleted. An account with a time there is suspended, whatever the time is.
///
/// With `#[auth(username)]` on a `String`, or on an `Option<String>`, users have user names ([`HasUsername`]).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a user record that the library can read",
    label = "does not implement `AuthUser`",
    note = "write `#[derive(Clone, AuthUser)]` above `{Self}`; the compiler then names the fields that are missing"
)]
pub trait AuthUser: Clone + Send + Sync + 'static /* `#[derive(Clone, AuthUser)]` writes it */ {
    /// The type of the record's id. It must be printable and parsable. Tokens carry the printed form, which
    /// [`to_text`](UserId::to_text) returns.
    type Id: UserId;

    /// The host's names of the nine fields. SQL adapters use them as column names.
    const FIELD_NAMES: FieldNames = FieldNames::STANDARD;

    /// Whether the record has null where the account has no password. SQL adapters then write NULL instead of an empty text. The
    /// derive sets it if the field of the password is an `Option`.
    const NULLABLE_PASSWORD: bool = false;

    /// Whether the record has a user name. The derive sets it if a field has `#[auth(username)]`.
    const USERNAME: UsernameField = UsernameField::Absent;

    /// The name of these users' realm: what sets their sessions apart from those of other users of the host. Two records of
    /// one host must not have the same. A module can be given another with `realm` (specification §11.2).
    ///
    /// The derive returns the struct's path, such as `shop::staff::Employee`. If the struct is renamed or moved, its users
    /// must log in again, unless their module gets the previous path as `realm` (with a configured audience: that, a slash and the path). The
    /// path begins with the name of the crate, so renaming that counts, too. For a generic struct it is what
    /// `std::any::type_name` returns, which another version of the compiler can change: write `realm` there.
    fn realm() -> &'static str;

    /// The id.
    fn id(&self) -> &Self::Id;
    /// The user's name.
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
    /// When two-factor authentication was confirmed, or `None`. While it is `None`, login does not require a second
    /// factor.
    fn two_factor_confirmed_at(&self) -> Option<SystemTime>;
    /// When the password was last confirmed, or `None`.
    fn password_confirmed_at(&self) -> Option<SystemTime>;

    /// Whether the account has a password.
    fn has_password(&self) -> bool {
        !self.password().is_empty()
    }

    /// Whether the account is active; `true` by default. The library checks it whenever it reads the record for a token
    /// or a password. An inactive account is refused like one that does not exist (specification §2.3).
    fn is_active(&self) -> bool {
        true
    }

    /// The language that the user has chosen, such as `de` or `pt-BR` (BCP 47); `None` by default. Mails to the user are in it, if
    /// the module has it ([`languages`](crate::languages)); otherwise they are in the language of the request.
    fn language(&self) -> Option<&str> {
        None
    }

    /// The user name in its canonical form (specification §7.7); `None` by default.
    fn username(&self) -> Option<&str> {
        None
    }
}

/// A user record with a user name, which USERNAMES needs (specification §2.5). The derive implements it if a field has
/// `#[auth(username)]`.
///
/// ```
/// use axum_auth_module::AuthUser;
/// use axum_auth_module::user::HasUsername;
/// use std::time::SystemTime;
///
/// #[derive(Clone, AuthUser)]
/// struct Account {
///     id: i64,
///     name: String,
///     email: String,
///     password: String,
///     email_verified_at: Option<SystemTime>,
///     two_factor_secret: Option<String>,
///     two_factor_recovery_codes: Option<String>,
///     two_factor_confirmed_at: Option<SystemTime>,
///     password_confirmed_at: Option<SystemTime>,
///     #[auth(username)]
///     username: Option<String>, // `String`: every user has one
/// }
///
/// fn has_username<U: HasUsername>() {}
/// has_username::<Account>();
/// ```
#[diagnostic::on_unimplemented(
    message = "USERNAMES needs a user name in the user record, and `{Self}` has none",
    label = "`{Self}` has no field with `#[auth(username)]`",
    note = "add to `{Self}`: `#[auth(username)] username: String,` or, if users can be without a user name, `#[auth(username)] username: Option<String>,`; a record without the derive implements `axum_auth_module::user::HasUsername`"
)]
pub trait HasUsername: AuthUser {
    /// Whether users can be without a user name. `auth_module!` calls this: then the compiler reports a missing implementation at the feature's word, without
    /// a note that points into this library.
    #[doc(hidden)]
    #[must_use]
    fn provided(_: PhantomData<Self>) -> UsernameField {
        const {
            assert!(
                Self::USERNAME.is_present(),
                "a record with `HasUsername` must say in `USERNAME` which user name it has"
            );
        };
        Self::USERNAME
    }
}

/// Write access to the nine fields and the user name, for adapters that store whole records, such as `MemoryUsers`.
///
/// The derive implements it, too. Adapters over a database do not need it, because they write columns.
pub trait AuthUserMut: AuthUser {
    /// Sets the id.
    fn set_id(&mut self, id: Self::Id);

    /// Sets one of the other fields.
    ///
    /// # Errors
    /// If the record's time type cannot hold the given time, or if the implementation does not know the field.
    fn set(&mut self, change: UserChange) -> Result<(), ChangeError>;
}
