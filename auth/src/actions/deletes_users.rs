//! The action at the end of a deletion (specification §3.4, `DELETES_USERS`).

use super::ActionContext;
use crate::actions::ActionError;
use crate::erase::provided;
use crate::provider::declare::provider;
use crate::repository::UserRepository;
use crate::user::AuthUser;
use async_trait::async_trait;
use std::sync::Arc;

provider! { action;
/// Deletes a user when the deletion is due. Required with DELETE_ACCOUNTS.
///
/// [`StandardActions`](crate::StandardActions) does not implement it, because the host alone knows what becomes of the orders and posts of
/// a user. `axum_auth_module::actions::DeleteRecord` deletes the row of the user and nothing else (cargo features `sqlite`, `postgres`,
/// `mysql`). An action of a host's own does more:
///
/// ```
/// use axum_auth_module::{AuthUser, BoxError, async_trait};
/// use axum_auth_module::actions::{ActionContext, ActionError, DeletesUsers};
/// # struct Shop;
/// # impl Shop {
/// #     async fn cancel_orders(&self, _: String) -> Result<(), BoxError> { Ok(()) }
/// #     async fn delete_customer(&self, _: String) -> Result<(), BoxError> { Ok(()) }
/// # }
///
/// struct DeletesCustomers {
///     shop: Shop,
/// }
///
/// #[async_trait]
/// impl<U: AuthUser> DeletesUsers<U> for DeletesCustomers
/// where
///     U::Id: ToString,
/// {
///     async fn delete(&self, user: &U, _: &ActionContext<U>) -> Result<(), ActionError> {
///         // Each of these can be repeated: the library calls the action again after an error or a crash.
///         self.shop.cancel_orders(user.id().to_string()).await.map_err(ActionError::internal)?;
///         self.shop.delete_customer(user.id().to_string()).await.map_err(ActionError::internal)
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "Missing provider: DELETES_USERS. Register an implementation of DeletesUsers.",
    label = "`{Self}` does not implement `DeletesUsers<{U}>`",
    note = "DELETE_ACCOUNTS requires it: use `axum_auth_module::actions::DeleteRecord`, or write `impl axum_auth_module::actions::DeletesUsers<{U}> for {Self}`",
    note = "`StandardActions` does not implement it: what becomes of the other data of a user is the host's decision"
)]
pub trait DeletesUsers<U: AuthUser>: Send + Sync + 'static {
    /// Deletes the user and what belongs to the user. Every session has ended. After an error, a panic, ten minutes or a crash it is called
    /// again, so it must be able to complete what an earlier call has begun.
    ///
    /// # Errors
    /// Any: the user is deleted later.
    async fn delete(&self, user: &U, context: &ActionContext<U>) -> Result<(), ActionError>; // needs #[async_trait]

    provided!(dyn DeletesUsers<U>, of: Arc<dyn UserRepository<User = U>>);
}
}
