//! Making an account. No HTTP.

use crate::actions::{CreatesNewUsers, RegistrationData};
use crate::client::ClientAddress;
use crate::core::{Core, TokenPair, run_to_completion};
use crate::error::AuthError;
use crate::events::EventKind;
use crate::limits::Counter;
use crate::user::{AuthUser, UserId};
use std::sync::Arc;

/// Registrations, with the rules, limits and events of the route.
pub struct RegistrationService<U: AuthUser> {
    core: Core<U>,
    creates_new_users: Arc<dyn CreatesNewUsers<U>>,
}

impl<U: AuthUser> RegistrationService<U> {
    pub(crate) fn new(core: Core<U>, creates_new_users: Arc<dyn CreatesNewUsers<U>>) -> Self {
        Self { core, creates_new_users }
    }

    pub(super) fn min_password_characters(&self) -> usize {
        self.core.config.password_min_characters
    }

    pub(super) fn extra_fields(&self) -> &[&'static str] {
        self.creates_new_users.extra_fields()
    }

    /// Has the host create the user, and begins a session (specification §9.2).
    ///
    /// # Errors
    /// What the action refuses with; [`AuthError::TooManyAttempts`].
    pub async fn register(
        &self,
        data: RegistrationData,
        client: ClientAddress,
    ) -> Result<TokenPair, AuthError> {
        let from = client.limit_key();
        let counter =
            Counter { name: "register.client", of: &[&from], limit: self.core.config.limits.register };
        self.core.limits.count_call(counter).await?;
        let service = self.clone();
        // A user who was created is announced, even if whoever registered has hung up.
        let created = run_to_completion(async move {
            let user = service.creates_new_users.create(data, &service.core.actions).await?;
            service.core.events.emit(EventKind::Registered, Some(user.id().to_text()), client);
            Ok(user)
        });
        self.core.sessions.begin(&created.await?).await
    }
}

impl<U: AuthUser> Clone for RegistrationService<U> {
    fn clone(&self) -> Self {
        Self { core: self.core.clone(), creates_new_users: Arc::clone(&self.creates_new_users) }
    }
}
