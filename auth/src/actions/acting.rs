//! An action of a host, callable without the type of its user record.

use super::ActionError;
use crate::repository::UserRepository;
use crate::user::{AuthUser, UserRecord};
use std::sync::Arc;

/// An action with the host's users. Each feature that calls an action has a trait without the user type, and implements
/// it for this struct.
pub(crate) struct BoundAction<A: ?Sized, U: AuthUser> {
    pub(crate) action: Arc<A>,
    pub(crate) users: Arc<dyn UserRepository<User = U>>,
}

/// The record as the host's type.
///
/// # Errors
/// When the record is of another type: only a host that calls a service with another module's user can cause this.
pub(crate) fn typed<U: AuthUser>(user: &dyn UserRecord) -> Result<&U, ActionError> {
    user.record()
        .ok_or_else(|| ActionError::internal("this user record is of another type than the module's"))
}
