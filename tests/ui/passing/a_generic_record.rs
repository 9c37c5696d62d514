//! A record with type parameters is a user record if they satisfy the bounds.

use axum_auth_module::AuthUser;
use axum_auth_module::user::{AuthUserMut, UserChange};
use std::fmt::Debug;
use std::time::SystemTime;

#[derive(Clone, AuthUser)]
struct Account<Id, Time, Extra, const SLOTS: usize>
where
    Extra: Debug,
{
    id: Id,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<Time>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<Time>,
    password_confirmed_at: Option<Time>,
    extra: Option<Extra>,
    slots: Vec<[u8; SLOTS]>,
}

fn account<Id, Time, Extra: Debug, const SLOTS: usize>(
    id: Id,
    confirmed: Time,
    extra: Extra,
) -> Account<Id, Time, Extra, SLOTS> {
    Account {
        id,
        name: String::new(),
        email: String::new(),
        password: String::new(),
        email_verified_at: None,
        two_factor_secret: None,
        two_factor_recovery_codes: None,
        two_factor_confirmed_at: Some(confirmed),
        password_confirmed_at: None,
        extra: Some(extra),
        slots: Vec::new(),
    }
}

fn renamed<U: AuthUserMut>(mut user: U) -> U {
    user.set(UserChange::Name("Ada".to_owned())).unwrap();
    user
}

pub(crate) fn main() {
    let by_number = renamed(account::<i64, SystemTime, u8, 3>(1, SystemTime::UNIX_EPOCH, 0));
    let by_text =
        renamed(account::<String, _, Vec<u8>, 0>("1".to_owned(), jiff::Timestamp::UNIX_EPOCH, vec![]));
    assert_eq!((by_number.name(), by_text.name()), ("Ada", "Ada"));
    assert_eq!(by_number.two_factor_confirmed_at(), by_text.two_factor_confirmed_at());
    assert_eq!((*by_number.id(), by_text.id().as_str()), (1, "1"));
}
