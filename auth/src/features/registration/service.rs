//! Registering. No HTTP.

use crate::actions::{ActionError, BoundAction, CreatesNewUsers, RegistrationData};
use crate::client::{ClientAddress, Visitor};
use crate::config::Limit;
use crate::core::{Core, Epoch, Method, SignIn, SignedIn, UsernameRules};
use crate::error::AuthError;
use crate::user::{AuthUser, User};
use crate::watch::watch_action;
use async_trait::async_trait;
use std::sync::Arc;

/// `CreatesNewUsers` without the type of the user record.
#[async_trait]
pub(super) trait Creates: Send + Sync + 'static {
    async fn create(
        &self,
        core: &Core,
        data: RegistrationData,
        client: ClientAddress,
    ) -> Result<User, ActionError>;
    fn extra_fields(&self) -> &[&'static str];
}

#[async_trait]
impl<U: AuthUser> Creates for BoundAction<dyn CreatesNewUsers<U>, U> {
    async fn create(
        &self,
        core: &Core,
        data: RegistrationData,
        client: ClientAddress,
    ) -> Result<User, ActionError> {
        let context = core.action_context(&self.users, client);
        let user = watch_action("CreatesNewUsers", self.action.create(data, &context)).await?;
        Ok(Arc::new(user))
    }

    fn extra_fields(&self) -> &[&'static str] {
        self.action.extra_fields()
    }
}

/// Registrations, with the rules, limits and events of the route.
#[derive(Clone)]
pub struct RegistrationService {
    core: Core,
    creates_new_users: Arc<dyn Creates>,
}

impl RegistrationService {
    pub(super) fn new(core: &Core, creates_new_users: Arc<dyn Creates>) -> Self {
        Self { core: core.clone(), creates_new_users }
    }

    /// Which user names new users can have.
    pub(super) fn username_rules(&self) -> UsernameRules<'_> {
        self.core.username_rules()
    }

    pub(super) fn min_password_characters(&self) -> usize {
        self.core.config.password_min_characters
    }

    pub(super) fn extra_fields(&self) -> &[&'static str] {
        self.creates_new_users.extra_fields()
    }

    /// Has the host create the user and starts a session (specification §9.2).
    ///
    /// # Errors
    /// [`AuthError::EmailTaken`], [`AuthError::UsernameTaken`] and whatever else the action or the policy refuses with;
    /// [`AuthError::ValidationFailed`] for a user name that is reserved or missing; [`AuthError::TooManyAttempts`];
    /// [`AuthError::Unauthenticated`] when the host creates accounts that are not active yet: the account then exists,
    /// and no session starts.
    pub async fn register(
        &self,
        data: RegistrationData,
        client: impl Into<Visitor>,
    ) -> Result<SignedIn, AuthError> {
        let visitor = client.into();
        let client = visitor.address();
        self.core.count_call(&[Limit::Register], data.email.as_str(), client).await?;
        self.username_rules().allows(data.username.as_ref())?;
        self.core.policy.allows_registration(&data, &self.core.passwords_of(client)).await?;
        let service = self.clone();
        // A user who was created is announced, even if the client has closed the connection.
        let created = self.core.run_to_completion(async move {
            let email = data.email.clone();
            let creating = service.creates_new_users.create(&service.core, data, client);
            service.core.create_account(&email, Method::Password.into(), creating, client).await
        });
        self.core
            .sign_in(&created.await?, SignIn::new_account(Method::Password), &visitor, Epoch::FIRST)
            .await
    }
}
