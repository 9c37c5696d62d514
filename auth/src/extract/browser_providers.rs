//! Sign-in with providers, for pages with forms.

use super::browser::{Browser, Remember, SetCookies};
use super::forms::PasswordlessForm;
use crate::error::AuthError;
use crate::features::begin_flow;
use crate::features::services::{
    PasswordlessRegistrationService, PendingSteps, ProviderVisit, SocialLoginService, VisitOptions,
};
use crate::http::CookieChanges;
use crate::user::AuthUser;
use axum::http::Uri;
use axum::response::{IntoResponse, Redirect, Response};

impl<U: AuthUser> Browser<U> {
    /// Sends the browser to a provider to sign in, as `POST /oauth/{provider}/authorize` does: the response is a redirect (303). `next` is
    /// where the browser goes afterwards, a path of the host; without it `browser.after_login`.
    ///
    /// ```
    /// use axum::extract::Path;
    /// use axum::response::Response;
    /// use axum_auth_module::extract::{Browser, Remember};
    /// use axum_auth_module::AuthError;
    /// # use axum_auth_module::AuthUser;
    ///
    /// async fn sign_in_with<U: AuthUser>(
    ///     browser: Browser<U>,
    ///     Path(provider): Path<String>,
    /// ) -> Result<Response, AuthError> {
    ///     browser.authorize(&provider, Some("/dashboard"), Remember::No).await
    /// }
    /// ```
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if there is no such provider; [`AuthError::ValidationFailed`] if `next` is no path of the host;
    /// [`AuthError::ProviderUnavailable`].
    pub async fn authorize(
        &self,
        provider: &str,
        next: Option<&str>,
        remember: Remember,
    ) -> Result<Response, AuthError> {
        let service = self.service::<SocialLoginService>()?;
        let visit = service.authorize(provider, options(next), self.remembered(remember)).await?;
        Ok(self.sent_to_provider(service, &visit))
    }

    /// Sends the browser to a provider to link an identity to the user, as `POST /user/identities/{provider}/authorize` does.
    ///
    /// # Errors
    /// Those of [`authorize`](Self::authorize); [`AuthError::Unauthenticated`]; [`AuthError::PasswordConfirmationRequired`];
    /// [`AuthError::EmailNotVerified`].
    pub async fn authorize_link(&self, provider: &str, next: Option<&str>) -> Result<Response, AuthError> {
        let (who, service) = (self.identity().await?, self.service::<SocialLoginService>()?);
        let visitor = self.visitor().clone();
        let visit = service.authorize_link(&who, provider, options(next), visitor).await?;
        Ok(self.sent_to_provider(service, &visit))
    }

    /// Sends the browser to a provider that asks the user again, as `POST /user/confirm-provider/{provider}/authorize` does.
    ///
    /// # Errors
    /// Those of [`authorize`](Self::authorize), [`AuthError::NotFound`] also if the user has no identity of the provider;
    /// [`AuthError::Unauthenticated`].
    pub async fn authorize_confirmation(
        &self,
        provider: &str,
        next: Option<&str>,
    ) -> Result<Response, AuthError> {
        let (who, service) = (self.identity().await?, self.service::<SocialLoginService>()?);
        let visitor = self.visitor().clone();
        let visit = service.authorize_confirmation(&who, provider, options(next), visitor).await?;
        Ok(self.sent_to_provider(service, &visit))
    }

    /// Ends a visit to a provider, as `GET /oauth/{provider}/callback` of [`browser_router`](crate::AuthModule::browser_router) does: the
    /// response sends the browser to a page of the host. `uri` is that of the request. A host that serves the browser router needs no
    /// handler of its own.
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if there is no such provider. All other failures are pages of the host, with the parameter `error`.
    pub async fn provider_callback(&self, provider: &str, uri: &Uri) -> Result<Response, AuthError> {
        let service = self.service::<SocialLoginService>()?;
        let returned = service.return_of_browser(provider, uri, self.visitor().clone()).await?;
        let cookies = self.changes(returned.changes);
        Ok((cookies, service.page_or_redirect(&returned.location)).into_response())
    }

    /// What the browser has begun with a provider and not completed, as `GET /oauth/pending` returns it.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub async fn pending_steps(&self) -> Result<PendingSteps, AuthError> {
        self.service::<SocialLoginService>()?.pending_steps(self.visitor().clone()).await
    }

    /// Creates the account of the registration that the browser has begun with a provider, as `POST /register/passwordless` does.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`], also if the browser has begun none; those of
    /// [`register_passwordless`](Self::register_passwordless).
    pub async fn register_pending(&self, form: PasswordlessForm) -> Result<SetCookies, AuthError> {
        let visitor = self.visitor().clone();
        let token = visitor.transport.cookies().and_then(|sent| sent.registration.clone());
        let token = token.ok_or(AuthError::InvalidFlowToken)?;
        let fields = self.newcomer(form)?;
        let service = self.service::<PasswordlessRegistrationService>()?;
        let started = self.started(service.register(&token, fields, visitor).await?)?;
        Ok(started.and(self.changes(CookieChanges::default().end_newcomer())))
    }

    /// Links the identity with which the browser has tried to sign in to the account of its user, as `POST /user/identities` does. The page
    /// shows the provider and the address of [`pending_steps`](Self::pending_steps) before.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`], also if the browser has none, or one of another user; [`AuthError::Unauthenticated`];
    /// [`AuthError::PasswordConfirmationRequired`]; [`AuthError::EmailNotVerified`]; [`AuthError::IdentityTaken`].
    pub async fn link_pending(&self) -> Result<SetCookies, AuthError> {
        let visitor = self.visitor().clone();
        let token = visitor.transport.cookies().and_then(|sent| sent.link.clone());
        let token = token.ok_or(AuthError::InvalidFlowToken)?;
        let (who, service) = (self.identity().await?, self.service::<SocialLoginService>()?);
        service.link_pending(&who, &token, visitor.client).await?;
        Ok(self.changes(CookieChanges::default().end_link()))
    }

    fn sent_to_provider(&self, service: &SocialLoginService, visit: &ProviderVisit) -> Response {
        let sent = self.visitor().transport.cookies().cloned().unwrap_or_default();
        let cookies = self.changes(begin_flow(service, &sent, visit));
        (cookies, Redirect::to(&visit.authorization_url)).into_response()
    }
}

fn options(next: Option<&str>) -> VisitOptions {
    VisitOptions { redirect_uri: None, next: next.map(str::to_owned) }
}
