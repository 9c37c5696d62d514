//! The simplest host: every field has the name of its role, and the times are `SystemTime`.

use axum_auth_module::AuthUser;
use axum_auth_module::user::{AuthUserMut, UserChange, UserField};
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

pub(crate) fn main() {
    let mut account = Account::default();
    account.set_id("one".to_owned());
    for change in [
        UserChange::Name("Ada".to_owned()),
        UserChange::Email("ada@example.com".to_owned()),
        UserChange::Password("hash".to_owned()),
        UserChange::EmailVerifiedAt(Some(SystemTime::UNIX_EPOCH)),
        UserChange::TwoFactorSecret(Some("secret".to_owned())),
        UserChange::TwoFactorRecoveryCodes(Some("codes".to_owned())),
        UserChange::TwoFactorConfirmedAt(Some(SystemTime::UNIX_EPOCH)),
        UserChange::PasswordConfirmedAt(Some(SystemTime::UNIX_EPOCH)),
    ] {
        account.set(change).unwrap();
    }
    assert_eq!(account.id(), "one");
    assert_eq!((account.name(), account.email(), account.password()), ("Ada", "ada@example.com", "hash"));
    assert_eq!(account.two_factor_secret(), Some("secret"));
    assert_eq!(account.two_factor_recovery_codes(), Some("codes"));
    assert_eq!(account.email_verified_at(), Some(SystemTime::UNIX_EPOCH));
    assert_eq!(account.two_factor_confirmed_at(), Some(SystemTime::UNIX_EPOCH));
    assert_eq!(account.password_confirmed_at(), Some(SystemTime::UNIX_EPOCH));
    assert!(account.is_active());

    account.set(UserChange::TwoFactorSecret(None)).unwrap();
    account.set(UserChange::EmailVerifiedAt(None)).unwrap();
    assert_eq!((account.two_factor_secret(), account.email_verified_at()), (None, None));
    assert!(UserField::ALL.iter().all(|field| !Account::FIELD_NAMES.of(*field).is_empty()));
}
