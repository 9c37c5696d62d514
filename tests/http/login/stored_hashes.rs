//! Users whose password hashes were stored by other programs, or with other options (specification §14).

use crate::support::logs::OfThisThread;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, at_once, memory_users, registration};
use axum_auth_module::StandardActions;
use axum_auth_module::config::{AuthConfigBuilder, PasswordHash};
use axum_auth_module::passwords::PasswordVerifier;
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

on_both_routers![
    a_hash_of_another_program_is_verified_once_and_renewed,
    hashes_of_argon2_become_bcrypt_only_if_that_is_configured,
    new_passwords_are_bcrypt_unless_that_is_configured,
    new_hashes_are_argon2id_if_that_is_configured,
    the_hosts_verifier_is_asked_for_hashes_of_other_kinds,
    a_verifier_that_panics_fails_its_request_and_no_other,
    a_long_password_matches_no_hash_of_another_program,
    a_hash_that_is_replaced_late_ends_no_session,
];

on_both_routers![threads: no_more_verifications_run_at_once_than_there_are_threads];

/// Hashes of [`PASSWORD`] as other programs have made them: Python's bcrypt, argon2-cffi and passlib, and PHP.
const OF_OTHER_PROGRAMS: [&str; 9] = [
    "$2y$04$BCRYPT",
    "$2a$05$BCRYPT",
    "$argon2id$v=19$m=64,t=1,p=1$y/jXkj6BEy0cjN1FXqUzOg$ZOm+0pHzL8yTmSzvnU4PjRsgmuhJmNzL16opfmXCQrE",
    "$argon2i$v=19$m=64,t=1,p=2$qmgu8CjWdd9BDY4hPGTogQ$1t9ESlF5Da6we+Mlgdiiskfw/sW5YY4wW9cEF59DvOg",
    "$argon2d$v=19$m=64,t=1,p=1$5AotVs3qEcFsN+C+1Zorng$OJRnHdf9tcJvjS/Xt0R480clmxu8fISYlZHnKH2SeCE",
    "$scrypt$ln=4,r=8,p=1$0Np7r1XKeY/R2ttbay3lnA$C+0ABJStPr4FWr0KZ5IW5RyUdQFATAvKwzT0WSkZ8Ho",
    "$pbkdf2-sha256$1000$ZizlHKOU8v7/vxfi/F.LMQ$AzBzIj20qX4OvuLQSbLA4za99v5lRtFaMEHFyuzSq7I",
    "$pbkdf2-sha512$i=1000$c2l4dGVlbiBvY3RldHMhIQ$lknsBR9yqqvwnDJBZf9uN5IeJI4JzOExWSAELMrsF5SgPZkf4eUyI31KBB5NZoqPDKYKb2tF298ljdE+50nN6w",
    "$pbkdf2-sha256$i=1000,l=32$c2l4dGVlbiBvY3RldHMhIQ$lwpsz5FDzDBggTsWeyDMMH1kucveiY2Cik0O7I9SzW4",
];

/// What a new hash of Argon2id begins with.
const ARGON2ID: &str = "$argon2id$v=19$m=1024,t=1,p=1$";

/// A stored hash of [`PASSWORD`].
fn of_another_program(hash: &str) -> String {
    let Some(begin) = hash.strip_suffix("BCRYPT") else { return hash.to_owned() };
    let cost = begin[4..6].parse().unwrap();
    bcrypt::hash(PASSWORD, cost).unwrap().replacen(&format!("$2b${cost:02}$"), begin, 1)
}

/// Stores this hash for the user.
fn store(app: &App, hash: &str) {
    app.users.update(EMAIL, |user| user.password = hash.to_owned());
}

fn stored(app: &App) -> String {
    app.users.by_email(EMAIL).unwrap().password
}

/// The right password logs in and has its hash replaced by one that begins like this, which the next login verifies.
async fn is_renewed_once(app: &App, hash: &str, renewed: &str) {
    store(app, hash);
    app.login_call(EMAIL, "another password").await.refused(401, "invalid_credentials");
    assert_eq!(stored(app), hash, "a wrong password renews nothing");
    let tokens = app.login(EMAIL).await;
    let new = stored(app);
    assert!(new.starts_with(renewed), "{hash} became {new}");
    app.me(&tokens.access).await.expect(200);
    app.login(EMAIL).await;
    app.login_call(EMAIL, "another password").await.refused(401, "invalid_credentials");
    assert_eq!(stored(app), new, "a hash that is like new ones is kept");
}

async fn a_hash_of_another_program_is_verified_once_and_renewed() {
    let app = App::configured(|config| config.password_hash(PasswordHash::Bcrypt)).await;
    app.register(EMAIL).await;
    for hash in OF_OTHER_PROGRAMS {
        is_renewed_once(&app, &of_another_program(hash), "$2b$04$").await;
    }
}

/// The old program may still verify them.
async fn hashes_of_argon2_become_bcrypt_only_if_that_is_configured() {
    let app = App::start().await;
    app.register(EMAIL).await;
    for hash in OF_OTHER_PROGRAMS {
        let renewed = if hash.starts_with("$argon2") { ARGON2ID } else { "$2b$04$" };
        is_renewed_once(&app, &of_another_program(hash), renewed).await;
    }
}

/// Of a user whose hash was one of Argon2, too: the log says what to set.
async fn new_passwords_are_bcrypt_unless_that_is_configured() {
    let log = OfThisThread::record();
    let app = App::with_everything().await;
    let mut tokens = app.register(EMAIL).await;
    assert_eq!(log.lines_with("set `password_hash`"), 0);
    let argon2id = OF_OTHER_PROGRAMS[2];
    for _ in 0..2 {
        store(&app, argon2id);
        tokens = app.login(EMAIL).await;
    }
    assert_eq!(log.lines_with("set `password_hash`"), 1, "{:?}", log.lines());
    let change = serde_json::json!({
        "currentPassword": PASSWORD, "password": "another password", "passwordConfirmation": "another password"
    });
    app.put("/auth/user/password").bearer(&tokens.access).json(&change).await.expect(200);
    assert!(stored(&app).starts_with("$2b$04$"), "{}", stored(&app));
}

async fn new_hashes_are_argon2id_if_that_is_configured() {
    let app = App::configured(|config| config.password_hash(PasswordHash::Argon2id)).await;
    app.register(EMAIL).await;
    let new = ARGON2ID;
    assert!(stored(&app).starts_with(new), "{}", stored(&app));
    for hash in OF_OTHER_PROGRAMS {
        is_renewed_once(&app, &of_another_program(hash), new).await;
    }
    is_renewed_once(&app, &bcrypt::hash(PASSWORD, 4).unwrap(), new).await;
    let confirm = serde_json::json!({ "password": PASSWORD });
    let tokens = app.login(EMAIL).await;
    app.post("/auth/user/confirm-password").bearer(&tokens.access).json(&confirm).await.expect(200);
}

#[tokio::test]
async fn a_hash_that_cannot_be_verified_matches_nothing_and_is_logged_once() {
    let log = OfThisThread::record();
    let app = App::start().await;
    app.register(EMAIL).await;
    let rest = "c2l4dGVlbiBvY3RldHMhIQ$lwpsz5FDzDBggTsWeyDMMH1kucveiY2Cik0O7I9SzW4";
    for (kind, hash, reason) in [
        ("$apr1$", format!("$apr1${rest}"), "`password_verifier`"),
        ("{SSHA}", format!("{{SSHA}}{rest}"), "`password_verifier`"),
        ("$argon2id$", format!("$argon2id$v=19$m=4194304,t=1,p=1${rest}"), "`password_memory`"),
        ("$scrypt$", format!("$scrypt$ln=30,r=8,p=1${rest}"), "`password_memory`"),
        ("$pbkdf2-sha256$", format!("$pbkdf2-sha256$i=1000000000${rest}"), "more work"),
    ] {
        let line = format!("kind=\"{kind}\"");
        assert_eq!(log.lines_with(&line), 0);
        store(&app, &hash);
        for client in ["192.0.2.7", "192.0.2.8"] {
            app.login_call(EMAIL, PASSWORD).from(client).await.refused(401, "invalid_credentials");
        }
        app.advance(3600);
        assert_eq!(log.lines_with(&line), 1, "{kind}");
        assert!(log.lines().iter().any(|logged| logged.contains(&line) && logged.contains(reason)), "{kind}");
        assert_eq!(log.lines_with(rest) + log.lines_with(&hash), 0, "a stored hash is in the log");
    }
}

/// Verifies `legacy:` and the password in reverse.
#[derive(Default)]
struct Legacy {
    running: AtomicUsize,
    most: AtomicUsize,
}

impl PasswordVerifier for Legacy {
    fn recognises(&self, hash: &str) -> bool {
        assert_ne!(hash, "panics");
        hash.starts_with("legacy:")
    }

    fn verify(&self, password: &str, hash: &str) -> bool {
        assert_ne!(hash, "legacy:panics");
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        std::thread::yield_now();
        self.running.fetch_sub(1, Ordering::SeqCst);
        hash == legacy(password)
    }
}

fn legacy(password: &str) -> String {
    format!("legacy:{}", password.chars().rev().collect::<String>())
}

async fn with_verifier(threads: usize) -> (App, Arc<Legacy>) {
    let verifier = Arc::new(Legacy::default());
    let app = App::with(
        |config| {
            let config = config.password_hash(PasswordHash::Bcrypt);
            config.password_threads(NonZeroUsize::new(threads).unwrap())
        },
        |module| module.registration(StandardActions).password_verifier(Arc::clone(&verifier)),
    );
    let app = app.await;
    app.register(EMAIL).await;
    (app, verifier)
}

async fn the_hosts_verifier_is_asked_for_hashes_of_other_kinds() {
    let (app, verifier) = with_verifier(2).await;
    is_renewed_once(&app, &legacy(PASSWORD), "$2b$04$").await;
    assert_eq!(verifier.most.swap(0, Ordering::SeqCst), 1);
    for hash in OF_OTHER_PROGRAMS {
        is_renewed_once(&app, &of_another_program(hash), "$2b$04$").await;
    }
    assert_eq!(verifier.most.load(Ordering::SeqCst), 0, "the module verifies these itself");
    // It does not recognise these.
    for hash in ["$6$salt$digest", "", "nothing"] {
        store(&app, hash);
        app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    }
}

async fn a_verifier_that_panics_fails_its_request_and_no_other() {
    let (app, _) = with_verifier(1).await;
    for _ in 0..3 {
        store(&app, "legacy:panics");
        app.login_call(EMAIL, PASSWORD).await.expect(500);
        store(&app, "panics");
        app.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
        is_renewed_once(&app, &legacy(PASSWORD), "$2b$04$").await;
    }
}

/// Each of these may need `password_memory`.
async fn no_more_verifications_run_at_once_than_there_are_threads() {
    let (app, verifier) = with_verifier(2).await;
    for number in 0..20 {
        let email = format!("user{number}@example.com");
        let client = format!("198.51.100.{number}");
        app.post("/auth/register").json(&registration(&email)).from(&client).await.expect(201);
        app.users.update(&email, |user| user.password = legacy(PASSWORD));
    }
    let calls = (0..20).map(|number| {
        app.login_call(&format!("user{number}@example.com"), PASSWORD)
            .from(&format!("198.51.100.{number}"))
            .into_future()
    });
    for answer in at_once(calls).await {
        answer.expect(200);
    }
    assert!((1..=2).contains(&verifier.most.load(Ordering::SeqCst)));
}

async fn a_long_password_matches_no_hash_of_another_program() {
    let (app, _) = with_verifier(1).await;
    let long = "x".repeat(73);
    for hash in [legacy(&long), legacy("nul\0")] {
        store(&app, &hash);
        let password = if hash == legacy(&long) { &long } else { "nul\0" };
        app.login_call(EMAIL, password).await.refused(401, "invalid_credentials");
    }
}

/// A login waits for the one that replaces the hash. What it waits for may come after it has given up waiting.
async fn a_hash_that_is_replaced_late_ends_no_session() {
    let (faults, users) = (Faults::new(), memory_users());
    let config = |config: AuthConfigBuilder| config.request_timeout(Duration::from_secs(2));
    let app =
        App::on(faults.over(users.clone()), users, config, |module| module.registration(StandardActions))
            .await;
    app.register(EMAIL).await;
    store(&app, &bcrypt::hash(PASSWORD, 5).unwrap());
    faults.next(ProviderMethod::UsersSave, Fault::Waits);
    let replacing = tokio::spawn(app.login_call(EMAIL, PASSWORD).into_future());
    while !faults.have_happened() {
        tokio::task::yield_now().await;
    }
    let beside = app.login_call(EMAIL, PASSWORD).await.expect(200).tokens();
    faults.heal();
    let replacing = replacing.await.unwrap().expect(200).tokens();
    for tokens in [beside, replacing] {
        app.me(&tokens.access).await.expect(200);
    }
}
