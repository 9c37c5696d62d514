//! The host's policy, callable without the type of its user record.

use super::{PasswordOwner, Policy, PolicyError};
use crate::actions::RegistrationData;
use crate::client::ClientAddress;
use crate::crypto::Passwords;
use crate::endpoint::Endpoint;
use crate::error::{AuthError, ErrorCode, FieldErrors};
use crate::languages::Language;
use crate::user::{AuthUser, User, UserRecord};
use crate::values::{EmailAddress, NewPassword};
use async_trait::async_trait;
use axum::http::HeaderMap;
use std::sync::Arc;

/// A policy without the type of the user record. Refusals are errors of the request. By default everything is allowed, but nobody acts for
/// another one. What the
/// policy computes of a password is a job of the client's password threads.
#[async_trait]
pub(crate) trait AskedPolicy: Send + Sync + 'static {
    /// Fails if a registration may not have this password or this address. Both are asked for, so that one response has both
    /// refusals.
    async fn allows_registration(
        &self,
        data: &RegistrationData,
        threads: &Passwords,
    ) -> Result<(), AuthError> {
        let _ = (data, threads);
        Ok(())
    }

    async fn allows_password(
        &self,
        password: &NewPassword,
        user: &dyn UserRecord,
        threads: &Passwords,
    ) -> Result<(), AuthError> {
        let _ = (password, user, threads);
        Ok(())
    }

    async fn allows_email(
        &self,
        email: &EmailAddress,
        user: Option<&dyn UserRecord>,
    ) -> Result<(), AuthError> {
        let _ = (email, user);
        Ok(())
    }

    async fn allows_login(&self, user: &dyn UserRecord, client: ClientAddress) -> Result<(), AuthError> {
        let _ = (user, client);
        Ok(())
    }

    /// Fails if this request may not go on.
    async fn allows_request(
        &self,
        endpoint: &Endpoint,
        client: ClientAddress,
        headers: &HeaderMap,
    ) -> Result<(), AuthError> {
        let _ = (endpoint, client, headers);
        Ok(())
    }

    /// Fails unless this actor may act for the user.
    async fn allows_impersonation(&self, actor: &str, user: &dyn UserRecord) -> Result<(), AuthError> {
        let _ = (actor, user);
        Err(not_allowed("impersonation"))
    }

    /// The ids of the ASVS requirements that it meets.
    fn meets(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

/// The policy of a module without one.
pub(crate) struct AllowsEverything;

impl AskedPolicy for AllowsEverything {}

/// The host's policy.
pub(crate) struct Asked<U: AuthUser> {
    pub(crate) policy: Arc<dyn Policy<U>>,
    /// The option of this name.
    pub(crate) app_name: String,
}

#[async_trait]
impl<U: AuthUser> AskedPolicy for Asked<U> {
    async fn allows_registration(
        &self,
        data: &RegistrationData,
        threads: &Passwords,
    ) -> Result<(), AuthError> {
        let RegistrationData { name, email, password, username, .. } = data;
        let owner = Owner {
            name: name.as_str().to_owned(),
            email: email.as_str().to_owned(),
            username: username.clone().map(String::from),
            user: None,
        };
        let of_email = of_field("email", self.policy.allows_email(email, None).await)?;
        let of_password = of_field("password", self.allows(password, owner, threads).await?)?;
        match of_email.into_iter().chain(of_password).reduce(FieldErrors::and) {
            Some(refusals) => Err(refusals.into()),
            None => Ok(()),
        }
    }

    async fn allows_password(
        &self,
        password: &NewPassword,
        user: &dyn UserRecord,
        threads: &Passwords,
    ) -> Result<(), AuthError> {
        let owner = Owner {
            name: user.name().to_owned(),
            email: user.email().to_owned(),
            username: user.username().map(str::to_owned),
            user: Some(user.shared()),
        };
        let refused = of_field("password", self.allows(password, owner, threads).await?)?;
        refused.map_or(Ok(()), |refusal| Err(refusal.into()))
    }

    async fn allows_email(
        &self,
        email: &EmailAddress,
        user: Option<&dyn UserRecord>,
    ) -> Result<(), AuthError> {
        let user = user.map(record).transpose()?;
        let refused = of_field("email", self.policy.allows_email(email, user).await)?;
        refused.map_or(Ok(()), |refusal| Err(refusal.into()))
    }

    async fn allows_login(&self, user: &dyn UserRecord, client: ClientAddress) -> Result<(), AuthError> {
        self.policy.allows_login(record(user)?, client).await.map_err(refusal)
    }

    async fn allows_request(
        &self,
        endpoint: &Endpoint,
        client: ClientAddress,
        headers: &HeaderMap,
    ) -> Result<(), AuthError> {
        self.policy.allows_request(endpoint, client, headers).await.map_err(refusal)
    }

    async fn allows_impersonation(&self, actor: &str, user: &dyn UserRecord) -> Result<(), AuthError> {
        match self.policy.allows_impersonation(actor, record(user)?).await.map_err(refusal)? {
            true => Ok(()),
            false => Err(not_allowed("impersonation")),
        }
    }

    fn meets(&self) -> Vec<&'static str> {
        self.policy.meets()
    }
}

impl<U: AuthUser> Asked<U> {
    /// What the policy says about a password. What it computes runs on a password thread.
    async fn allows(
        &self,
        password: &NewPassword,
        owner: Owner,
        threads: &Passwords,
    ) -> Result<Result<(), PolicyError>, AuthError> {
        let (policy, app_name) = (Arc::clone(&self.policy), self.app_name.clone());
        let judged = {
            let (password, owner) = (password.clone(), owner.clone());
            let judge = move || owner.of(&app_name).map(|owner| policy.judges_password(&password, &owner));
            threads.compute(judge).await??
        };
        if judged.is_err() {
            return Ok(judged);
        }
        Ok(self.policy.allows_password(password, &owner.of(&self.app_name)?).await)
    }
}

/// Whose password a new one is, as another thread can have it.
#[derive(Clone)]
struct Owner {
    name: String,
    email: String,
    username: Option<String>,
    user: Option<User>,
}

impl Owner {
    fn of<'a, U: AuthUser>(&'a self, app_name: &'a str) -> Result<PasswordOwner<'a, U>, AuthError> {
        let user = self.user.as_deref().map(record).transpose()?;
        let username = self.username.as_deref();
        Ok(PasswordOwner { name: &self.name, email: &self.email, username, app_name, user })
    }
}

/// A refusal of the library with this reason.
pub(crate) fn not_allowed(reason: &'static str) -> AuthError {
    let detail = Language::of_request().text(ErrorCode::NotAllowed).to_owned();
    AuthError::NotAllowed { reason: reason.into(), detail: detail.into() }
}

/// The error of a request that the policy does not allow.
fn refusal(error: PolicyError) -> AuthError {
    match error {
        PolicyError::Refused { code, detail } => AuthError::NotAllowed { reason: code, detail },
        PolicyError::Standard(text) => {
            let detail = Language::of_request().text(text).to_owned().into();
            AuthError::NotAllowed { reason: text.code().into(), detail }
        }
        PolicyError::Failed(cause) => AuthError::Internal(cause),
    }
}

/// The refusal of a field's value, if it is refused.
fn of_field(field: &'static str, allowed: Result<(), PolicyError>) -> Result<Option<FieldErrors>, AuthError> {
    match allowed {
        Ok(()) => Ok(None),
        Err(PolicyError::Refused { code, detail }) => Ok(Some(FieldErrors::one(field, code, detail))),
        Err(PolicyError::Standard(text)) => Ok(Some(FieldErrors::standard(field, text))),
        Err(PolicyError::Failed(cause)) => Err(AuthError::Internal(cause)),
    }
}

fn record<U: AuthUser>(user: &dyn UserRecord) -> Result<&U, AuthError> {
    user.record().ok_or_else(|| AuthError::internal("this user record is of another type than the module's"))
}
