use super::*;
use crate::store::MemoryStore;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const MINUTE: Duration = Duration::from_secs(60);

/// What a store can do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// All operations fail.
    Unreachable,
    /// No operation returns.
    Hangs,
    /// The first operation panics.
    Panics,
    Forgets,
    FindsEverything,
    PutDoesNothing,
    SwapAlways,
    SwapNever,
    SwapOverwrites,
    SwapIgnoresTheValue,
    DeleteDoesNothing,
    ZeroDoesNotEnd,
    CountsAlways,
    CountsNever,
    EachAttemptIsAWindow,
    GivesBackAnyWindow,
    GivesBackNothing,
    GivesBackEverything,
}

/// A store that does one thing wrong.
struct Faulty {
    store: MemoryStore,
    fault: Mutex<Fault>,
    operations: AtomicUsize,
    /// That of the last attempt that was counted.
    window: Mutex<Window>,
}

impl Faulty {
    fn new(fault: Fault) -> Arc<Self> {
        Arc::new(Self {
            store: MemoryStore::new(),
            fault: Mutex::new(fault),
            operations: AtomicUsize::new(0),
            window: Mutex::new(Window::new(0)),
        })
    }

    fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }

    async fn fault(&self) -> Result<Fault, BoxError> {
        self.operations.fetch_add(1, Ordering::SeqCst);
        let fault = *self.fault.lock().unwrap();
        match fault {
            Fault::Unreachable => Err("unreachable".into()),
            Fault::Hangs => std::future::pending().await,
            Fault::Panics => panic!("on purpose"),
            fault => Ok(fault),
        }
    }
}

#[async_trait]
impl EphemeralStore for Faulty {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        match self.fault().await? {
            Fault::FindsEverything => Ok(Some(b"anything".to_vec())),
            _ => self.store.get(key).await,
        }
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        match self.fault().await? {
            Fault::PutDoesNothing | Fault::Forgets => Ok(()),
            Fault::ZeroDoesNotEnd => self.store.put(key, value, ttl.max(MINUTE)).await,
            _ => self.store.put(key, value, ttl).await,
        }
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        match self.fault().await? {
            Fault::Forgets => Ok(expected.is_none()),
            Fault::SwapNever => Ok(false),
            Fault::SwapOverwrites if expected.is_none() => {
                self.store.put(key, value, ttl).await.map(|()| true)
            }
            Fault::SwapAlways => self.store.put(key, value, ttl).await.map(|()| true),
            Fault::SwapIgnoresTheValue if expected.is_some() => match self.store.get(key).await? {
                Some(_) => self.store.put(key, value, ttl).await.map(|()| true),
                None => Ok(false),
            },
            _ => self.store.swap(key, expected, value, ttl).await,
        }
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        match self.fault().await? {
            Fault::DeleteDoesNothing => Ok(()),
            _ => self.store.delete(key).await,
        }
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        match self.fault().await? {
            Fault::CountsAlways => Ok(Slot::Taken { window: Window::new(1) }),
            Fault::CountsNever => Ok(Slot::Full { retry_after: window }),
            Fault::EachAttemptIsAWindow => {
                let number = self.operations.load(Ordering::SeqCst).try_into()?;
                Ok(match self.store.count(key, limit, window).await? {
                    Slot::Taken { .. } => Slot::Taken { window: Window::new(number) },
                    full => full,
                })
            }
            _ => self.store.count(key, limit, window).await.inspect(|slot| {
                if let Slot::Taken { window } = slot {
                    *self.window.lock().unwrap() = *window;
                }
            }),
        }
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        let current = *self.window.lock().unwrap();
        match self.fault().await? {
            Fault::GivesBackAnyWindow => self.store.give_back(key, current).await,
            Fault::GivesBackNothing => Ok(()),
            Fault::GivesBackEverything if window == current => self.store.delete(key).await,
            _ => self.store.give_back(key, window).await,
        }
    }
}

/// The same store as the module uses it.
fn tested(store: &Arc<Faulty>) -> SelfTested {
    SelfTested::new(Arc::<Faulty>::clone(store))
}

#[tokio::test]
async fn a_store_that_does_what_it_should_is_tested_once() {
    let faulty = Faulty::new(Fault::None);
    let store = tested(&faulty);
    assert_eq!(faulty.operations.load(Ordering::SeqCst), 0, "it is not tested before it is used");
    store.put("k", b"v", MINUTE).await.unwrap();
    let operations = faulty.operations.load(Ordering::SeqCst);
    assert!(operations > 20, "{operations}");
    assert_eq!(store.get("k").await.unwrap().as_deref(), Some(&b"v"[..]));
    assert!(store.swap("k", Some(b"v"), b"", MINUTE).await.unwrap());
    store.delete("k").await.unwrap();
    let Slot::Taken { window } = store.count("c", 1, MINUTE).await.unwrap() else { panic!("it is full") };
    store.give_back("c", window).await.unwrap();
    assert!(matches!(store.count("c", 1, MINUTE).await.unwrap(), Slot::Taken { .. }));
    store.delete_expired(1).await.unwrap();
    assert_eq!(faulty.operations.load(Ordering::SeqCst), operations + 6);
    assert_eq!(store.warnings(), [""; 0]);
}

#[tokio::test]
async fn what_a_store_does_wrong_is_named_and_the_store_is_not_used() {
    for (fault, sentence) in [
        (Fault::Forgets, "`get` does not return the value that `swap` has set"),
        (Fault::FindsEverything, "`get` returns a value for a key that was never used"),
        (Fault::PutDoesNothing, "`get` does not return the value that `put` has set"),
        (Fault::SwapAlways, "`swap` with an expected value succeeds although there is none"),
        (Fault::SwapNever, "`swap` without an expected value fails although there is none"),
        (
            Fault::SwapOverwrites,
            "`swap` without an expected value succeeds although there is one, so a code could be used twice",
        ),
        (Fault::SwapIgnoresTheValue, "`swap` succeeds although the value is not the expected one"),
        (Fault::DeleteDoesNothing, "`get` returns a value that `delete` has removed"),
        (Fault::ZeroDoesNotEnd, "`get` returns a value whose time to live has ended"),
        (Fault::CountsAlways, "`count` counts more attempts than the limit, so secrets could be guessed"),
        (Fault::CountsNever, "`count` refuses the first attempt"),
        (Fault::EachAttemptIsAWindow, "`count` does not count two attempts of two in one window"),
        (Fault::GivesBackAnyWindow, "`give_back` takes back an attempt of another window"),
        (Fault::GivesBackNothing, "`give_back` does not take back an attempt of the current window"),
        (Fault::GivesBackEverything, "`give_back` takes back more than one attempt"),
    ] {
        let faulty = Faulty::new(fault);
        let store = tested(&faulty);
        let error = store.get("k").await.unwrap_err().to_string();
        assert_eq!(
            error,
            format!("the store has failed its self-test and is not used: {sentence}"),
            "{fault:?}"
        );
        assert_eq!(store.warnings(), [error], "{fault:?}");
        // It stays so.
        let operations = faulty.operations.load(Ordering::SeqCst);
        faulty.set(Fault::None);
        store.put("k", b"", MINUTE).await.unwrap_err();
        store.swap("k", None, b"", MINUTE).await.unwrap_err();
        store.delete("k").await.unwrap_err();
        store.count("k", 1, MINUTE).await.unwrap_err();
        store.give_back("k", Window::new(1)).await.unwrap_err();
        store.delete_expired(1).await.unwrap_err();
        assert_eq!(faulty.operations.load(Ordering::SeqCst), operations, "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_cannot_be_reached_is_tested_again_by_the_next_operation() {
    for fault in [Fault::Unreachable, Fault::Hangs, Fault::Panics] {
        let faulty = Faulty::new(fault);
        let store = tested(&faulty);
        for attempt in 1..3 {
            let gets = [(); 10].map(|()| store.get("k"));
            for result in futures_util::future::join_all(gets).await {
                result.unwrap_err();
            }
            assert_eq!(
                faulty.operations.load(Ordering::SeqCst),
                attempt,
                "ten operations share a test: {fault:?}"
            );
        }
        assert_eq!(store.warnings(), [""; 0]);
        faulty.set(Fault::None);
        store.get("k").await.unwrap();
    }
}

/// As if the server is restarted after the first value was set.
#[tokio::test]
async fn a_store_that_forgets_once_in_the_middle_is_not_wrong() {
    struct Restarted(MemoryStore, AtomicUsize);

    #[async_trait]
    impl EphemeralStore for Restarted {
        async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
            if self.1.fetch_add(1, Ordering::SeqCst) == 1 {
                self.0.delete(key).await?;
            }
            self.0.get(key).await
        }
        async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
            self.0.put(key, value, ttl).await
        }
        async fn swap(
            &self,
            key: &str,
            expected: Option<&[u8]>,
            value: &[u8],
            ttl: Duration,
        ) -> Result<bool, BoxError> {
            self.0.swap(key, expected, value, ttl).await
        }
        async fn delete(&self, key: &str) -> Result<(), BoxError> {
            self.0.delete(key).await
        }
        async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
            self.0.count(key, limit, window).await
        }
        async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
            self.0.give_back(key, window).await
        }
    }

    let store = SelfTested::new(Arc::new(Restarted(MemoryStore::new(), AtomicUsize::new(0))));
    assert_eq!(store.get("k").await.unwrap(), None);
}
