//! A pepper that is introduced, replaced and removed (specification §14.6).

use super::{A, Shared};
use crate::reset_passwords::reset_password::{NEW, reset, token};
use crate::support::{App, EMAIL, PASSWORD, logs};
use axum_auth_module::config::{AuthConfigBuilder, PasswordHash};

crate::support::routers::on_both_routers![
    a_hash_without_a_pepper_is_renewed_with_it,
    a_pepper_is_replaced_without_locking_anybody_out,
    instances_with_two_peppers_accept_each_others_hashes,
    a_pepper_that_is_not_used_any_more_is_removed_from_the_hashes,
    a_hash_whose_pepper_is_missing_matches_no_password,
    reset_tokens_do_not_depend_on_the_pepper,
];

const FIRST: &str = "the first pepper, of forty bytes or more";
const SECOND: &str = "the second pepper, as long as the first";

/// An instance that makes hashes with the current pepper, and verifies those of the previous ones, too.
async fn start(shared: &Shared, current: Option<&str>, previous: &[&str]) -> App {
    let peppers = |config: AuthConfigBuilder| {
        let config = config.previous_password_peppers(previous.iter().copied());
        match current {
            Some(current) => config.password_pepper(current),
            None => config,
        }
    };
    shared.start_with(&[A], peppers, |module| module).await
}

fn stored(shared: &Shared) -> String {
    shared.users.by_email(EMAIL).unwrap().password
}

/// The id of the pepper with which the stored hash was made, and the hash.
fn parts(shared: &Shared) -> (String, String) {
    let stored = stored(shared);
    let rest = stored.strip_prefix("$peppered$").unwrap_or_else(|| panic!("{stored} has no pepper"));
    let (id, hash) = rest.split_at(8);
    (id.to_owned(), hash.to_owned())
}

async fn only_the_right_password_logs_in(app: &App) {
    app.login_call(EMAIL, "another password").await.refused(401, "invalid_credentials");
    app.login(EMAIL).await;
}

async fn a_hash_without_a_pepper_is_renewed_with_it() {
    let shared = Shared::new();
    let tokens = start(&shared, None, &[]).await.register(EMAIL).await;
    let without = stored(&shared);
    let app = start(&shared, Some(FIRST), &[]).await;
    app.login_call(EMAIL, "another password").await.refused(401, "invalid_credentials");
    assert_eq!(stored(&shared), without);
    only_the_right_password_logs_in(&app).await;
    let (_, hash) = parts(&shared);
    assert!(hash.starts_with("$2b$04$") && !bcrypt::verify(PASSWORD, &hash).unwrap(), "{hash}");
    let renewed = stored(&shared);
    only_the_right_password_logs_in(&app).await;
    assert_eq!(stored(&shared), renewed);
    // It was no change of the password.
    app.me(&tokens.access).await.expect(200);
    assert!(!logs::recorded().contains(FIRST));
}

async fn a_pepper_is_replaced_without_locking_anybody_out() {
    for kind in [PasswordHash::Bcrypt, PasswordHash::Argon2id] {
        let shared = Shared::new();
        let config = |config: AuthConfigBuilder| config.password_hash(kind).password_pepper(FIRST);
        shared.start_with(&[A], config, |module| module).await.register(EMAIL).await;
        let (first, _) = parts(&shared);
        only_the_right_password_logs_in(&start(&shared, Some(SECOND), &[FIRST]).await).await;
        let (second, _) = parts(&shared);
        assert_ne!(first, second);
        only_the_right_password_logs_in(&start(&shared, Some(SECOND), &[]).await).await;
        let app = start(&shared, Some(FIRST), &[]).await;
        app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    }
}

async fn instances_with_two_peppers_accept_each_others_hashes() {
    let shared = Shared::new();
    let old = start(&shared, Some(FIRST), &[SECOND]).await;
    let new = start(&shared, Some(SECOND), &[FIRST]).await;
    old.register(EMAIL).await;
    for _ in 0..2 {
        only_the_right_password_logs_in(&new).await;
        let (of_new, _) = parts(&shared);
        only_the_right_password_logs_in(&old).await;
        let (of_old, _) = parts(&shared);
        assert_ne!(of_new, of_old);
    }
}

async fn a_pepper_that_is_not_used_any_more_is_removed_from_the_hashes() {
    let shared = Shared::new();
    start(&shared, Some(FIRST), &[]).await.register(EMAIL).await;
    only_the_right_password_logs_in(&start(&shared, None, &[FIRST]).await).await;
    assert!(stored(&shared).starts_with("$2b$04$"), "{}", stored(&shared));
    only_the_right_password_logs_in(&start(&shared, None, &[]).await).await;
}

async fn a_hash_whose_pepper_is_missing_matches_no_password() {
    let shared = Shared::new();
    start(&shared, Some(FIRST), &[]).await.register(EMAIL).await;
    let (id, hash) = parts(&shared);
    for app in [start(&shared, None, &[]).await, start(&shared, Some(SECOND), &[]).await] {
        let lines = || logs::recorded().matches("kind=\"$peppered$\"").count();
        let before = lines();
        for client in ["192.0.2.7", "192.0.2.8"] {
            app.login_call(EMAIL, PASSWORD).from(client).await.refused(401, "invalid_credentials");
            app.advance(3600);
        }
        assert!(lines() > before);
        assert!(!logs::recorded().contains(&hash));
    }
    // Without its beginning it is the hash of something else, and with other ids none at all.
    let app = start(&shared, Some(FIRST), &[]).await;
    for other in [
        hash.clone(),
        format!("$peppered${id}"),
        format!("$peppered$AAAAAAAA{hash}"),
        format!("$peppered${hash}"),
    ] {
        shared.users.update(EMAIL, |user| user.password = other.clone());
        app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
        app.advance(3600);
    }
    // A pepper around a hash with a pepper.
    shared.users.update(EMAIL, |user| user.password = format!("$peppered${id}$peppered${id}{hash}"));
    app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
}

async fn reset_tokens_do_not_depend_on_the_pepper() {
    let shared = Shared::new();
    let before = start(&shared, Some(FIRST), &[]).await;
    before.register(EMAIL).await;
    let token = token(&before, &shared.outbox, EMAIL).await;
    let after = start(&shared, Some(SECOND), &[]).await;
    reset(&after, EMAIL, &token, NEW).await.expect(200);
    after.login_call(EMAIL, NEW).await.expect(200);
    parts(&shared);
}
