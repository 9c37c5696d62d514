//! Routes that ask for a recently confirmed password (specification §12.2).

use super::{Bearer, Problem};
use crate::core::{Core, Identity};
use crate::error::AuthError;
use crate::user::AuthUser;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use std::time::Duration;

/// User and session, after the bearer token and, unless `confirm_password` is off, the confirmation were checked.
pub(crate) struct StepUp<U>(pub(crate) Identity<U>);

impl<S, U> FromRequestParts<S> for StepUp<U>
where
    S: Send + Sync,
    U: AuthUser,
    Core<U>: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Bearer(identity) = Bearer::<U>::from_request_parts(parts, state).await?;
        let core = Core::<U>::from_ref(state);
        let asks = core.config.two_factor.confirm_password;
        if asks && !core.is_confirmed(&identity.user, &identity.session, Duration::MAX).await? {
            return Err(AuthError::PasswordConfirmationRequired.into());
        }
        Ok(Self(identity))
    }
}
