//! The host over HTTP.

use crate::accounts::Accounts;
use crate::{App, drive, router};
use std::time::{Duration, SystemTime};

#[tokio::test]
async fn a_session_from_registration_to_logout() {
    let app = App::new(b"a secret for tests, known to everybody", b"another one, as well known", 4).unwrap();
    drive::whole_session(router(app)).await.unwrap();
}

#[test]
fn a_refresh_token_that_is_used_again_ends_its_session() {
    let (mut accounts, now) = (Accounts::default(), SystemTime::now());
    let id = accounts.create("Ada".into(), "ada@example.com".into(), String::new()).unwrap();
    let first = accounts.begin(id, 7, now);
    let second = accounts.next(first, now).unwrap();
    assert!(accounts.next(first, now).is_none());
    assert!(accounts.next(second, now).is_none());
    assert!(accounts.by_session(7, now).is_none());
}

#[test]
fn a_session_that_is_over_is_nobodys() {
    let (mut accounts, now) = (Accounts::default(), SystemTime::now());
    let id = accounts.create("Ada".into(), "ada@example.com".into(), String::new()).unwrap();
    let turn = accounts.begin(id, 7, now);
    let later = now + Duration::from_hours(24 * 7);
    assert!(accounts.by_session(7, now).is_some());
    assert!(accounts.by_session(7, later).is_none());
    assert!(accounts.next(turn, later).is_none());
}
