//! Marks stores that several instances can share.

use super::EphemeralStore;
use super::self_test::SelfTested;
use crate::provider::declare::provider;
use std::sync::Arc;

provider! { marker;
/// An [`EphemeralStore`] that all instances of a host share, such as a server or a database. `deployment: many` in
/// `auth_module!` requires it.
///
/// This is a marker trait without methods. Before the module uses a shared store for the first time, it tests the store on
/// random keys (specification §21.5). If the store does something wrong, the log says what, and every response that needs
/// the store is 503. An implementation promises that the next operation of any instance sees what
/// another instance has written, and that every operation is atomic across all instances.
///
/// [`MemoryStore`](super::MemoryStore) does not implement it, because each instance would have its own: a code could be used
/// once at each, and each would count attempts separately.
///
/// ```
/// use axum_auth_module::{BoxError, async_trait};
/// use axum_auth_module::store::{EphemeralStore, SharedStore, Slot, Window};
/// use std::time::Duration;
/// # struct Connection;
///
/// /// A store in a database that all instances use.
/// struct DatabaseStore(Connection);
///
/// impl SharedStore for DatabaseStore {}
///
/// #[async_trait]
/// impl EphemeralStore for DatabaseStore {
/// #   async fn get(&self, _: &str) -> Result<Option<Vec<u8>>, BoxError> { Ok(None) }
/// #   async fn put(&self, _: &str, _: &[u8], _: Duration) -> Result<(), BoxError> { Ok(()) }
/// #   async fn swap(&self, _: &str, _: Option<&[u8]>, _: &[u8], _: Duration) -> Result<bool, BoxError> { Ok(true) }
/// #   async fn delete(&self, _: &str) -> Result<(), BoxError> { Ok(()) }
/// #   async fn count(&self, _: &str, _: u32, _: Duration) -> Result<Slot, BoxError> {
/// #       Ok(Slot::Taken { window: Window::new(1) })
/// #   }
/// #   async fn give_back(&self, _: &str, _: Window) -> Result<(), BoxError> { Ok(()) }
///     // …
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`deployment: many` needs a store that all instances share, and `{Self}` is not marked as such a store",
    label = "not marked with `SharedStore`",
    note = "each of several instances would have an in-memory store of its own: a code could be used once at each, and each would count attempts separately",
    note = "use `axum_auth_module::store::RedisStore` (cargo feature `redis`), or another store that all instances reach, marked with `axum_auth_module::store::SharedStore`; or write `deployment: one`"
)]
pub trait SharedStore: EphemeralStore {
    /// Erases the store's type, as that of every other provider, and adds the self-test.
    #[doc(hidden)]
    fn provided(this: Arc<Self>) -> Arc<dyn EphemeralStore>
    where
        Self: Sized,
    {
        Arc::new(SelfTested::new(this))
    }
}
}
