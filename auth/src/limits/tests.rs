use super::*;
use crate::crypto::keys::{Purpose, Secret};
use crate::crypto::ring::KeyRing;
use crate::store::MemoryStore;
use crate::testing::MovableClock;
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

async fn attempt(limiter: &Limiter) -> Result<Attempt, AuthError> {
    let client = ClientKeys { narrow: "192.0.2.1".to_owned(), wide: None };
    let subject = Subject { action: LimitedAction::Login, account: "7", client: &client };
    let attempt = limiter.attempt(&[Limit::LoginClient], subject, async { Ok(false) });
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
