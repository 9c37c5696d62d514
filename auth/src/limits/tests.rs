use super::*;
use crate::crypto::keys::{Purpose, Secret};
use crate::crypto::ring::KeyRing;
use crate::store::MemoryStore;
use crate::testing::MovableClock;
use std::sync::LazyLock;
use std::time::Duration;

/// A limiter with one slot in 60 s for the logins of a client.
fn limiter(clock: &MovableClock) -> Limiter {
    let store = Arc::new(MemoryStore::with(Arc::new(clock.clone()), 100));
    let keys = KeyRing::new(Secret::new(vec![7; 32]), Vec::new()).derive(Purpose::StoreKeys);
    let limits = RateLimits { login_client: RateLimit::per_seconds(1, 60), ..RateLimits::default() };
    Limiter::new(
        KeyedStore::new(store, keys, Duration::from_secs(1)),
        limits,
        Arc::new(clock.clone()),
        BackgroundWork::default(),
    )
}

static CLIENT: LazyLock<ClientKeys> =
    LazyLock::new(|| ClientKeys { narrow: "192.0.2.1".to_owned(), wide: None });

fn subject() -> Subject<'static> {
    Subject { action: AttemptKind::Login, account: "7", client: &CLIENT }
}

async fn attempt(limiter: &Limiter) -> Result<Attempt, AuthError> {
    let attempt = limiter.attempt(&[Limit::LoginClient], subject(), async { Ok(false) });
    attempt.await.map_err(|refused| refused.error)
}

#[tokio::test]
async fn an_attempt_whose_window_has_ended_frees_no_slot_of_the_next_window() {
    let clock = MovableClock::new();
    let limiter = limiter(&clock);
    let of_the_first_window = attempt(&limiter).await.unwrap();
    clock.advance(Duration::from_secs(60));
    // It fails, so its slot stays taken until the second window ends.
    drop(attempt(&limiter).await.unwrap());
    of_the_first_window.check(async { Ok(Checked::Right(())) }).await.unwrap();
    assert!(matches!(attempt(&limiter).await, Err(AuthError::TooManyAttempts { .. })));
    clock.advance(Duration::from_secs(60));
    let of_the_third_window = attempt(&limiter).await.unwrap();
    of_the_third_window.check(async { Ok(Checked::Right(())) }).await.unwrap();
    drop(attempt(&limiter).await.unwrap());
}

/// An attempt at one limit on successes and one on failures, each with one slot.
async fn change(limiter: &Limiter) -> Result<Attempt, AuthError> {
    let limits = &[Limit::PasswordChange, Limit::LoginClient];
    let attempt = limiter.attempt(limits, subject(), async { Ok(false) });
    attempt.await.map_err(|refused| refused.error)
}

/// Whether the one slot of a limit is taken.
async fn is_taken(limiter: &Limiter, limit: Limit) -> bool {
    let attempt = limiter.attempt(&[limit], subject(), async { Ok(false) }).await;
    match attempt {
        Ok(attempt) => {
            let given_back = attempt.check::<()>(async { Err(AuthError::Unauthenticated) }).await;
            assert!(given_back.is_err());
            limiter.background.finished().await;
            false
        }
        Err(refused) => {
            assert!(matches!(refused.error, AuthError::TooManyAttempts { .. }));
            assert!(limit != Limit::PasswordChange || !refused.is_first, "a success is no lockout");
            true
        }
    }
}

#[tokio::test]
async fn a_limit_on_successes_counts_what_a_limit_on_failures_gives_back() {
    let (successes, failures) = (Limit::PasswordChange, Limit::LoginClient);
    let limiter = || {
        let mut limiter = limiter(&MovableClock::new());
        limiter.limits.password_change = RateLimit::per_seconds(1, 60);
        limiter
    };
    let taken = async |limiter: &Limiter| {
        limiter.background.finished().await;
        (is_taken(limiter, successes).await, is_taken(limiter, failures).await)
    };
    let succeeded = limiter();
    change(&succeeded).await.unwrap().check(async { Ok(Checked::Right(())) }).await.unwrap();
    assert_eq!(taken(&succeeded).await, (true, false));
    let wrong = limiter();
    let checked =
        change(&wrong).await.unwrap().check::<()>(async { Ok(Checked::Wrong(AuthError::Unauthenticated)) });
    assert!(checked.await.is_err());
    assert_eq!(taken(&wrong).await, (false, true));
    let failed = limiter();
    let checked = change(&failed).await.unwrap().check::<()>(async { Err(AuthError::Unauthenticated) });
    assert!(checked.await.is_err());
    assert_eq!(taken(&failed).await, (false, false));
    // The client has hung up.
    let dropped = limiter();
    drop(change(&dropped).await.unwrap());
    assert_eq!(taken(&dropped).await, (false, true));
}

#[tokio::test]
async fn an_attempt_that_is_refused_frees_no_slot_of_the_next_window() {
    let clock = MovableClock::new();
    let limiter = limiter(&clock);
    let of_the_first_window = attempt(&limiter).await.unwrap();
    clock.advance(Duration::from_secs(60));
    drop(attempt(&limiter).await.unwrap());
    let failed = of_the_first_window.check::<()>(async { Err(AuthError::Unauthenticated) }).await;
    assert!(matches!(failed, Err(AuthError::Unauthenticated)));
    assert!(matches!(attempt(&limiter).await, Err(AuthError::TooManyAttempts { .. })));
}
