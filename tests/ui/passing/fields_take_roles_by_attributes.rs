//! A host with other field names, an integer id, the times of three crates, and further fields. An attribute takes
//! precedence over a name.

use axum_auth_module::AuthUser;
use axum_auth_module::user::{AuthUserMut, UserChange};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

#[derive(Clone, AuthUser)]
struct Account {
    #[auth(id)]
    number: u32,
    #[auth(name)]
    display_name: Arc<str>,
    name: Vec<u8>,
    email: Box<str>,
    #[auth(password)]
    r#type: Option<Box<str>>,
    email_verified_at: Option<jiff::Timestamp>,
    two_factor_secret: Option<Box<str>>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<time::OffsetDateTime>,
    #[auth(password_confirmed_at)]
    confirmed: Option<chrono::DateTime<chrono::Utc>>,
    #[auth(is_active)]
    open: bool,
    is_active: u8,
    #[auth(suspended_at)]
    gone: Option<chrono::DateTime<chrono::Utc>>,
    #[auth(language)]
    locale: Option<Arc<str>>,
    language: u8,
    plan: &'static str,
}

pub(crate) fn main() {
    let mut account = Account {
        number: 1,
        display_name: "Ada".into(),
        name: vec![1],
        email: "ada@example.com".into(),
        r#type: Some("hash".into()),
        email_verified_at: None,
        two_factor_secret: Some("secret".into()),
        two_factor_recovery_codes: None,
        two_factor_confirmed_at: None,
        confirmed: None,
        open: false,
        gone: None,
        is_active: 7,
        locale: Some("de".into()),
        language: 8,
        plan: "free",
    };
    let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(43_200);
    account.set(UserChange::EmailVerifiedAt(Some(noon))).unwrap();
    account.set(UserChange::TwoFactorConfirmedAt(Some(noon))).unwrap();
    account.set(UserChange::PasswordConfirmedAt(Some(noon))).unwrap();
    assert_eq!(account.email_verified_at(), Some(noon));
    assert_eq!(account.two_factor_confirmed_at(), Some(noon));
    assert_eq!(account.password_confirmed_at(), Some(noon));
    assert_eq!((*account.id(), account.name(), account.password()), (1, "Ada", "hash"));
    assert_eq!(account.two_factor_secret(), Some("secret"));
    account.set(UserChange::Password(String::new())).unwrap();
    assert_eq!((account.password(), &account.r#type, account.has_password()), ("", &None, false));
    account.set(UserChange::Password("other".to_owned())).unwrap();
    assert_eq!((account.password(), account.has_password()), ("other", true));
    assert!(!account.is_active());
    account.open = true;
    assert!(account.is_active());
    account.gone = Some(noon.into());
    assert!(!account.is_active());
    assert_eq!((account.language(), account.language), (Some("de"), 8));
    assert_eq!((account.name.len(), account.is_active, account.plan), (1, 7, "free"));

    let names = Account::FIELD_NAMES;
    assert_eq!((names.id, names.name, names.password), ("number", "display_name", "type"));
    assert_eq!((names.email, names.password_confirmed_at), ("email", "confirmed"));
}
