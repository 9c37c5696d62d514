//! Rules of the host that can refuse a password, an address or a login.
//!
//! The library itself asks only for the length of a password, and for an address that is well formed. A [`Policy`] refuses
//! more. Give it to the module as `policy` of `auth_module!` or with
//! [`AuthModuleBuilder::policy`](crate::AuthModuleBuilder::policy). A tuple of policies asks each of them, and `None` allows
//! everything.
//!
//! Two are included: [`CommonPasswords`] (cargo feature `common-passwords`) refuses passwords that are easy to guess, and
//! [`BreachedPasswords`] those that are known from leaks.

mod asked;
mod breached_passwords;
#[cfg(feature = "common-passwords")]
mod common_passwords;

pub(crate) use asked::{AllowsEverything, Asked, AskedPolicy, not_allowed};
pub use breached_passwords::BreachedPasswords;
#[cfg(feature = "common-passwords")]
pub use common_passwords::CommonPasswords;

use crate::client::ClientAddress;
use crate::endpoint::Endpoint;
use crate::erase::provided;
use crate::error::{BoxError, FieldText};
use crate::repository::UserRepository;
use crate::user::AuthUser;
use crate::values::{EmailAddress, NewPassword};
use async_trait::async_trait;
use axum::http::HeaderMap;
use std::borrow::Cow;
use std::iter::once;
use std::sync::Arc;

/// What the host does not allow (specification §7.6). Each method allows everything by default, but
/// [`allows_impersonation`](Self::allows_impersonation) allows nobody.
///
/// A rule about passwords that only computes belongs into [`judges_password`](Self::judges_password): the module calls it on
/// one of the threads for passwords, so that a computation delays no other request. A rule that asks a service or a database
/// belongs into [`allows_password`](Self::allows_password), which is called in the request.
///
/// ```
/// use axum_auth_module::client::ClientAddress;
/// use axum_auth_module::policy::{Policy, PolicyError};
/// use axum_auth_module::values::EmailAddress;
/// use axum_auth_module::{AuthUser, async_trait};
///
/// /// Only the company's addresses.
/// struct Colleagues;
///
/// #[async_trait]
/// impl<U: AuthUser> Policy<U> for Colleagues {
///     async fn allows_email(&self, email: &EmailAddress, _user: Option<&U>) -> Result<(), PolicyError> {
///         match email.as_str().ends_with("@example.com") {
///             true => Ok(()),
///             false => Err(PolicyError::refused("not_a_colleague", "Use your address at example.com.")),
///         }
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a policy that the module can use",
    label = "does not implement `Policy<{U}>`",
    note = "leave `policy:` out, or write `impl axum_auth_module::policy::Policy<{U}> for {Self}`"
)]
pub trait Policy<U: AuthUser>: Send + Sync + 'static {
    /// Whether somebody may have this password, for a rule that computes and waits for nothing. The module asks before a
    /// registration, a change of the password and a reset. Do not log or keep the password, which has at most 72 bytes.
    ///
    /// It is called on one of the threads for passwords, which does nothing else meanwhile, and has the client's place in
    /// their queue: if that is full, the response is 503 `overloaded`. It must bound its own time. If it panics, the response
    /// is 500.
    ///
    /// ```
    /// # use axum_auth_module::AuthUser;
    /// # use axum_auth_module::policy::{PasswordOwner, Policy, PolicyError};
    /// # use axum_auth_module::values::NewPassword;
    /// /// No password with the user's own name.
    /// struct NoNames;
    ///
    /// impl<U: AuthUser> Policy<U> for NoNames {
    ///     fn judges_password(
    ///         &self,
    ///         password: &NewPassword,
    ///         owner: &PasswordOwner<'_, U>,
    ///     ) -> Result<(), PolicyError> {
    ///         match password.as_password().expose().contains(owner.name) {
    ///             false => Ok(()),
    ///             true => Err(PolicyError::refused("has_your_name", "The password contains your name.")),
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// A refusal is 422 `validation_failed` with an error of the field `password`.
    fn judges_password(
        &self,
        password: &NewPassword,
        owner: &PasswordOwner<'_, U>,
    ) -> Result<(), PolicyError> {
        let _ = (password, owner);
        Ok(())
    }

    /// Whether somebody may have this password, for a rule that asks a service or a database. The module asks after
    /// [`judges_password`](Self::judges_password) has allowed the password. Do not log or keep the password.
    ///
    /// It is called in the request, on a thread that serves other requests, too: it must not compute for long.
    ///
    /// # Errors
    /// A refusal is 422 `validation_failed` with an error of the field `password`.
    async fn allows_password(
        &self,
        password: &NewPassword,
        owner: &PasswordOwner<'_, U>,
    ) -> Result<(), PolicyError> {
        let _ = (password, owner);
        Ok(())
    }

    /// Whether somebody may have this address. The module asks before a registration, without a user, and before a user
    /// changes the address. With PASSWORDLESS_REGISTRATION it asks before a mail with which somebody can register, too.
    ///
    /// # Errors
    /// A refusal is 422 `validation_failed` with an error of the field `email`. A mail that is refused is not sent, and the response
    /// does not tell.
    async fn allows_email(&self, email: &EmailAddress, user: Option<&U>) -> Result<(), PolicyError> {
        let _ = (email, user);
        Ok(())
    }

    /// Whether the user may log in from this client now. The module asks when the password has been proven, and again when
    /// the second factor has been; and after a registration, which then creates the user and starts no session.
    ///
    /// Sessions that exist continue. [`AuthUser::is_active`] is what suspends a user, and is checked with each request.
    ///
    /// # Errors
    /// A refusal is 403 `not_allowed`, whose `reason` is the refusal's code and whose `detail` its sentence.
    async fn allows_login(&self, user: &U, client: ClientAddress) -> Result<(), PolicyError> {
        let _ = (user, client);
        Ok(())
    }

    /// Whether this request may go on: the module asks before [`POST /register`, `/login`, `/login/email` and
    /// `/forgot-password`](field@crate::endpoint::Endpoint::asks_policy), when the whole body has arrived and before its fields are read. It is the place
    /// for a captcha, whose token comes in a header, and for rules of your own about clients. `client` is the address that the limits count.
    ///
    /// It is asked for requests to the two routers. A page with a form, whose handler calls [`Browser`](crate::Browser), asks in its handler. A
    /// service that the host calls asks nothing.
    ///
    /// ```
    /// # use axum_auth_module::{AuthUser, async_trait};
    /// # use axum_auth_module::policy::{Policy, PolicyError};
    /// use axum::http::HeaderMap;
    /// use axum_auth_module::client::ClientAddress;
    /// use axum_auth_module::endpoint::Endpoint;
    ///
    /// /// Accounts are made in the office alone.
    /// struct Office;
    ///
    /// #[async_trait]
    /// impl<U: AuthUser> Policy<U> for Office {
    ///     async fn allows_request(
    ///         &self,
    ///         endpoint: &Endpoint,
    ///         client: ClientAddress,
    ///         _headers: &HeaderMap,
    ///     ) -> Result<(), PolicyError> {
    ///         match endpoint.operation {
    ///             "register" if !client.ip().is_some_and(|ip| ip.is_loopback()) => {
    ///                 Err(PolicyError::refused("office_only", "Accounts are made in the office."))
    ///             }
    ///             _ => Ok(()),
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// A refusal is 403 `not_allowed`, whose `reason` is the refusal's code and whose `detail` its sentence. It must not depend on whether there
    /// is an account.
    async fn allows_request(
        &self,
        endpoint: &Endpoint,
        client: ClientAddress,
        headers: &HeaderMap,
    ) -> Result<(), PolicyError> {
        let _ = (endpoint, client, headers);
        Ok(())
    }

    /// Whether `actor` may act for this user: [`Admin::impersonate`](crate::Admin::impersonate) asks. `actor` is the name, or the id of
    /// the user in whose session the administrator is. `false` leaves it to the other policies of a tuple: one of them must say `true`,
    /// and none may refuse.
    ///
    /// ```
    /// # use axum_auth_module::{AuthUser, async_trait};
    /// # use axum_auth_module::policy::{Policy, PolicyError};
    /// /// The support desk may act for everybody but its own people.
    /// struct SupportDesk;
    ///
    /// #[async_trait]
    /// impl<U: AuthUser> Policy<U> for SupportDesk {
    ///     async fn allows_impersonation(&self, actor: &str, user: &U) -> Result<bool, PolicyError> {
    ///         Ok(actor.ends_with("@support.example.com") && !user.email().ends_with("@support.example.com"))
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// A refusal is 403 `not_allowed`, whose `reason` is the refusal's code and whose `detail` its sentence. If no policy says `true`, the
    /// reason is `impersonation`.
    async fn allows_impersonation(&self, actor: &str, user: &U) -> Result<bool, PolicyError> {
        let _ = (actor, user);
        Ok(false)
    }

    /// The ids of the ASVS requirements that this policy meets, for
    /// [`AuthModule::posture`](crate::AuthModule::posture): `6.2.4` (common passwords), `6.2.11` (words of the user and the
    /// application), `6.2.12` (leaked passwords).
    fn meets(&self) -> Vec<&'static str> {
        Vec::new()
    }

    provided!(dyn Policy<U>, of: Arc<dyn UserRepository<User = U>>);
}

/// Whose password a new one is.
#[non_exhaustive]
pub struct PasswordOwner<'a, U> {
    /// The user's name.
    pub name: &'a str,
    /// The user's canonical e-mail address.
    pub email: &'a str,
    /// The user name, if the user has one (specification §2.5).
    pub username: Option<&'a str>,
    /// The option `app_name`.
    pub app_name: &'a str,
    /// The user's record, unless this is a registration.
    pub user: Option<&'a U>,
}

/// Why a policy does not allow something.
///
/// `?` turns any error into a failure, whose text reaches the log and never the client.
#[derive(Debug)]
#[non_exhaustive]
pub enum PolicyError {
    /// It is refused.
    Refused {
        /// A code for programs.
        code: Cow<'static, str>,
        /// A sentence for people. It must not contain the password.
        detail: Cow<'static, str>,
    },
    /// It is refused with a code and a sentence of the library, which responses have in the language of the request.
    Standard(FieldText),
    /// The policy could not decide: 500 `internal_error`.
    Failed(BoxError),
}

impl PolicyError {
    /// A refusal with a code for programs and a sentence for people.
    pub fn refused(code: impl Into<Cow<'static, str>>, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::Refused { code: code.into(), detail: detail.into() }
    }

    /// A failure with a text for the log.
    pub fn failed(cause: impl Into<BoxError>) -> Self {
        Self::Failed(cause.into())
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for PolicyError {
    fn from(cause: E) -> Self {
        Self::Failed(Box::new(cause))
    }
}

/// Implements the policy that allows what all of these policies allow. They are asked in this order, until one refuses.
macro_rules! all_of {
    ([$($policy:ident $(?$sized:ident)?),*] $all:ty, $this:ident: $($each:expr),*) => {
        #[async_trait]
        #[diagnostic::do_not_recommend]
        impl<U: AuthUser, $($policy: Policy<U> $(+ ?$sized)?),*> Policy<U> for $all {
            fn judges_password(
                &self,
                password: &NewPassword,
                owner: &PasswordOwner<'_, U>,
            ) -> Result<(), PolicyError> {
                let $this = self;
                $(for policy in $each { policy.judges_password(password, owner)?; })*
                Ok(())
            }

            async fn allows_password(
                &self,
                password: &NewPassword,
                owner: &PasswordOwner<'_, U>,
            ) -> Result<(), PolicyError> {
                let $this = self;
                $(for policy in $each { policy.allows_password(password, owner).await?; })*
                Ok(())
            }

            async fn allows_email(&self, email: &EmailAddress, user: Option<&U>) -> Result<(), PolicyError> {
                let $this = self;
                $(for policy in $each { policy.allows_email(email, user).await?; })*
                Ok(())
            }

            async fn allows_login(&self, user: &U, client: ClientAddress) -> Result<(), PolicyError> {
                let $this = self;
                $(for policy in $each { policy.allows_login(user, client).await?; })*
                Ok(())
            }

            async fn allows_request(
                &self,
                endpoint: &Endpoint,
                client: ClientAddress,
                headers: &HeaderMap,
            ) -> Result<(), PolicyError> {
                let $this = self;
                $(for policy in $each { policy.allows_request(endpoint, client, headers).await?; })*
                Ok(())
            }

            async fn allows_impersonation(&self, actor: &str, user: &U) -> Result<bool, PolicyError> {
                let ($this, mut is_allowed) = (self, false);
                $(for policy in $each { is_allowed |= policy.allows_impersonation(actor, user).await?; })*
                Ok(is_allowed)
            }

            fn meets(&self) -> Vec<&'static str> {
                let ($this, mut met) = (self, Vec::new());
                $(for policy in $each { met.extend(policy.meets()); })*
                met
            }
        }
    };
}

all_of!([P ?Sized] Arc<P>, this: once(&**this));
// `None` allows everything: for a policy that is switched on at start-up.
all_of!([P] Option<P>, this: this.iter());
all_of!([A, B] (A, B), this: once(&this.0), once(&this.1));
all_of!([A, B, C] (A, B, C), this: once(&this.0), once(&this.1), once(&this.2));
all_of!([A, B, C, D] (A, B, C, D), this: once(&this.0), once(&this.1), once(&this.2), once(&this.3));
