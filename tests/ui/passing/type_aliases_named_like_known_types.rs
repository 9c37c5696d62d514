//! Aliases with the names of known types mean what the host says.

use axum_auth_module::AuthUser;
use axum_auth_module::user::{AuthUserMut, UserChange};
use chrono::Utc;
use std::time::SystemTime;

mod one {
    use super::*;

    type String = Option<Box<str>>;
    type NaiveDateTime = chrono::DateTime<Utc>;
    type Instant = Option<SystemTime>;
    type DateTime<T> = Option<chrono::DateTime<T>>;
    type Uuid = u64;
    type Vec = std::string::String;

    #[derive(Clone, Default, AuthUser)]
    pub struct Account {
        pub id: Uuid,
        pub name: Vec,
        pub email: std::string::String,
        pub password: Box<str>,
        pub email_verified_at: Option<NaiveDateTime>,
        pub two_factor_secret: String,
        pub two_factor_recovery_codes: String,
        pub two_factor_confirmed_at: Instant,
        pub password_confirmed_at: DateTime<Utc>,
    }
}

mod other {
    use super::*;

    type HashMap<K, V> = Pair<K, V>;
    type SystemTime = String;
    type Arc = u8;
    type Timestamp = Option<std::time::SystemTime>;
    type NaiveDate = bool;

    #[derive(Clone, Default)]
    pub struct Pair<K, V>(std::marker::PhantomData<(K, V)>, String);

    impl<K, V> AsRef<str> for Pair<K, V> {
        fn as_ref(&self) -> &str {
            &self.1
        }
    }

    impl<K, V> From<String> for Pair<K, V> {
        fn from(text: String) -> Self {
            Self(std::marker::PhantomData, text)
        }
    }

    #[derive(Clone, Default, AuthUser)]
    pub struct Account {
        pub id: Arc,
        pub name: SystemTime,
        pub email: HashMap<u8, u8>,
        pub password: String,
        pub email_verified_at: Timestamp,
        pub two_factor_secret: Option<SystemTime>,
        pub two_factor_recovery_codes: Option<String>,
        pub two_factor_confirmed_at: Timestamp,
        pub password_confirmed_at: Timestamp,
        #[auth(is_active)]
        pub is_active: NaiveDate,
    }
}

pub(crate) fn main() {
    let mut account = one::Account::default();
    account.set(UserChange::TwoFactorSecret(Some("secret".to_owned()))).unwrap();
    account.set(UserChange::TwoFactorConfirmedAt(Some(SystemTime::UNIX_EPOCH))).unwrap();
    assert_eq!(account.two_factor_secret(), Some("secret"));
    assert_eq!(account.two_factor_confirmed_at(), Some(SystemTime::UNIX_EPOCH));

    let mut account = other::Account::default();
    account.set(UserChange::Email("ada@example.org".to_owned())).unwrap();
    account.set(UserChange::EmailVerifiedAt(Some(SystemTime::UNIX_EPOCH))).unwrap();
    assert_eq!(account.email(), "ada@example.org");
    assert_eq!(account.email_verified_at(), Some(SystemTime::UNIX_EPOCH));
    assert!(!account.is_active());
}
