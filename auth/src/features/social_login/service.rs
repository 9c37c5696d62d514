//! Signing in with a provider. No HTTP.

use super::entries::Rows;
use super::flows::{LIFETIME, OfSession, Purpose, Secrets, Visit, name_of};
use super::protocol::{Asserted, Authorization, Failure, Grant, Remote};
use super::{CALL_LIMITS, CALLBACK_LIMITS};
use crate::client::{ClientAddress, Visitor};
use crate::core::{Core, Flow, Method, SignInOutcome};
use crate::error::{AuthError, FieldErrors, FieldText};
use crate::events::{AttemptKind, EventKind};
use crate::limits::Checked;
use crate::outbound::HttpClient;
use crate::posture::Deviation;
use crate::social::{LinkByEmail, SocialProvider, SocialProviders};
use crate::uri::next_path;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The longest `next`, in bytes, of which `"` and `\` count twice, because the flow token has them escaped.
const LONGEST_NEXT: usize = 512;

/// Sign-ins with providers and identities, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct SocialLoginService {
    pub(super) core: Core,
    pub(super) identities: Rows,
    providers: Arc<[Provider]>,
}

/// A provider, as the configuration has it, and what is known of its server.
pub(super) struct Provider {
    pub(super) settings: SocialProvider,
    pub(super) remote: Remote,
}

/// A provider, as clients see it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderInfo {
    /// The name, which is in the paths of the endpoints.
    pub name: String,
    /// Whether the provider takes ID tokens of apps.
    pub native_id_token: bool,
}

/// What a page or an app can say when it sends its user to a provider.
///
/// ```
/// use axum_auth_module::services::VisitOptions;
///
/// let mut options = VisitOptions::default();
/// options.next = Some("/settings".to_owned());
/// # drop(options);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VisitOptions {
    /// One of the redirect URIs of the configuration. `None`: the first.
    pub redirect_uri: Option<String>,
    /// Where a browser goes afterwards: a path of the host ([`next_path`](crate::extract::next_path)) of at most 512 bytes. `None`: the
    /// option `browser.after_login`. Clients that keep tokens ignore it.
    pub next: Option<String>,
}

/// A visit to a provider that has begun. It has no `Debug`, because the flow token is for the client alone.
#[non_exhaustive]
pub struct ProviderVisit {
    /// The page of the provider to which the user goes.
    pub authorization_url: String,
    /// What the client sends back with the parameters of the redirect.
    pub flow_token: String,
    /// For how many seconds the flow token is valid.
    pub expires_in: u64,
    /// The end of the name of the cookie in which a browser keeps the flow token.
    pub(crate) name: String,
}

/// The parameters with which a provider redirects back (RFC 6749 §4.1.2). They have no `Debug`, because the code is a secret.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ProviderReturn {
    /// The authorization code.
    pub code: Option<String>,
    /// What the authorization request had.
    pub state: String,
    /// The issuer (RFC 9207), if the provider has sent it.
    pub iss: Option<String>,
    /// Why there is no code.
    pub error: Option<String>,
}

impl ProviderReturn {
    /// The parameters of a redirect with a code.
    pub fn with_code(code: impl Into<String>, state: impl Into<String>) -> Self {
        Self { code: Some(code.into()), state: state.into(), ..Self::default() }
    }

    /// Adds the issuer (RFC 9207).
    #[must_use]
    pub fn from_issuer(self, iss: impl Into<String>) -> Self {
        Self { iss: Some(iss.into()), ..self }
    }
}

/// Who has returned from a provider, and the flow that is used up.
pub(super) struct Redeemed {
    pub(super) asserted: Asserted,
    pub(super) visit: Visit,
}

/// In whose session a visit began, and what the mark of the user's credentials is now.
#[derive(Clone, Copy)]
pub(super) struct Expected<'a> {
    pub(super) purpose: Option<Purpose>,
    pub(super) sid: &'a str,
    pub(super) mark: &'a str,
}

impl Expected<'_> {
    /// A sign-in belongs to no session.
    pub(super) const SIGN_IN: Self = Expected { purpose: None, sid: "", mark: "" };

    fn fits(self, of: Option<&OfSession>) -> bool {
        match of {
            None => self.purpose.is_none(),
            Some(of) => self.purpose == Some(of.purpose) && self.sid == of.sid,
        }
    }
}

impl SocialLoginService {
    pub(super) fn new(
        core: &Core,
        identities: Rows,
        providers: &SocialProviders,
        client: &Arc<dyn HttpClient>,
    ) -> Self {
        let provider = |settings: &SocialProvider| Provider {
            remote: Remote::new(settings, Arc::clone(client), Arc::clone(&core.config.clock)),
            settings: settings.clone(),
        };
        Self { core: core.clone(), identities, providers: providers.iter().map(provider).collect() }
    }

    /// How the options of the feature deviate from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        let mut found = Vec::new();
        for settings in self.providers.iter().map(|provider| &provider.settings) {
            let name = settings.name();
            if settings.can_be_authoritative() {
                let message = format!(
                    "what {name} says about its own addresses counts as if their owner had read a mail: it opens accounts whose address \
                     nobody has proven"
                );
                found.push(Deviation::new("social_providers", &["6.8.1"], message));
            }
            if settings.links_by_email() == LinkByEmail::Verified {
                let message = format!(
                    "a first sign-in with {name} opens the account that has its address, without the password of that account"
                );
                found.push(Deviation::new("social_providers", &["6.8.1"], message));
            }
        }
        if !self.core.verifies_by_mail() {
            let message = "no feature verifies addresses by mail, so somebody can register with the address of another person, to which \
                           that person's first sign-in with a provider then belongs";
            found.push(Deviation::new("features", &["6.3.1"], message));
        }
        found
    }

    /// The providers, in the order of the configuration (specification §9.46).
    pub fn providers(&self) -> impl Iterator<Item = ProviderInfo> {
        self.providers.iter().map(|Provider { settings, .. }| ProviderInfo {
            name: settings.name().to_owned(),
            native_id_token: settings.takes_id_tokens(),
        })
    }

    /// Begins a sign-in: the page or the app then opens the page of the provider (specification §9.47). Nothing is stored.
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if there is no such provider, or it has no web flow; [`AuthError::ValidationFailed`];
    /// [`AuthError::ProviderUnavailable`].
    pub async fn authorize(
        &self,
        provider: &str,
        options: VisitOptions,
        client: impl Into<Visitor>,
    ) -> Result<ProviderVisit, AuthError> {
        let visitor = client.into();
        let provider = self.web_provider(provider)?;
        let mut visit = Self::visit(provider, options, &visitor)?;
        visit.remember = visitor.transport.cookies().is_some_and(|sent| sent.remember);
        self.begin(provider, visit, "").await
    }

    /// A visit with these options.
    pub(super) fn visit(
        provider: &Provider,
        options: VisitOptions,
        visitor: &Visitor,
    ) -> Result<Visit, AuthError> {
        let VisitOptions { redirect_uri, next } = options;
        let is_browser = visitor.transport.cookies().is_some();
        let (mut visit, mut errors) = (Visit::new()?, None::<FieldErrors>);
        let mut refuse = |error: FieldErrors| {
            errors = Some(match errors.take() {
                Some(errors) => errors.and(error),
                None => error,
            });
        };
        if let Some(uri) = redirect_uri {
            let end = format!("/oauth/{}/callback", provider.settings.name());
            let fits =
                provider.settings.redirect_uri(Some(&uri)).is_some() && (!is_browser || uri.ends_with(&end));
            if !fits {
                refuse(FieldErrors::standard("redirectUri", FieldText::RedirectUriInvalid));
            }
            visit.redirect_uri = Some(uri);
        }
        if let Some(next) = next.filter(|_| is_browser) {
            let room = LONGEST_NEXT.saturating_sub(visit.redirect_uri.as_ref().map_or(0, String::len));
            let escaped = next.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
            if next_path(&next).is_none() || next.len() + escaped > room {
                refuse(FieldErrors::standard_with("next", FieldText::NextInvalid, LONGEST_NEXT));
            }
            visit.next = Some(next);
        }
        errors.map_or(Ok(visit), |errors| Err(errors.into()))
    }

    /// Begins a visit of somebody whose credentials have this mark.
    pub(super) async fn begin(
        &self,
        provider: &Provider,
        visit: Visit,
        mark: &str,
    ) -> Result<ProviderVisit, AuthError> {
        let fresh = visit.of.as_ref().is_some_and(|of| of.purpose == Purpose::Confirm);
        let flow = self.core.flows.begin(visit, LIFETIME)?;
        let secrets = Secrets::of(&flow, provider.settings.name(), mark);
        let request = Authorization {
            redirect_uri: redirect_uri(provider, &flow.content)?,
            state: &secrets.state,
            nonce: &secrets.nonce,
            verifier: &secrets.verifier,
            fresh,
        };
        let authorization_url = provider.remote.authorization_url(&request).await.map_err(refusal)?;
        Ok(ProviderVisit {
            authorization_url,
            flow_token: self.core.flows.token(&flow)?,
            expires_in: self.core.flows.rest(&flow),
            name: name_of(&flow.jti).to_owned(),
        })
    }

    /// Starts a session, a challenge or a registration for somebody who returns from a provider (specification §9.48).
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if there is no such provider; [`AuthError::InvalidFlowToken`]; [`AuthError::ProviderRefused`];
    /// [`AuthError::ProviderUnavailable`]; [`AuthError::ProviderEmailUnverified`], [`AuthError::RegistrationClosed`] and
    /// [`AuthError::AccountExists`], if the identity belongs to no account; [`AuthError::TooManyAttempts`]; what the policy refuses with.
    pub async fn callback(
        &self,
        provider: &str,
        flow_token: &str,
        returned: &ProviderReturn,
        client: impl Into<Visitor>,
    ) -> Result<SignInOutcome, AuthError> {
        let visitor = client.into();
        let provider = self.web_provider(provider)?;
        self.core.count_call(CALL_LIMITS, "", visitor.address()).await?;
        let opened = self.core.flows.open::<Visit>(flow_token);
        self.signed_in(provider, opened, returned, &visitor, &mut false).await
    }

    /// The rest of a callback. `is_spent` is whether the flow can be used no more.
    pub(super) async fn signed_in(
        &self,
        provider: &Provider,
        opened: Result<Flow<Visit>, AuthError>,
        returned: &ProviderReturn,
        visitor: &Visitor,
        is_spent: &mut bool,
    ) -> Result<SignInOutcome, AuthError> {
        let client = visitor.address();
        let redeemed = self.redeem(provider, opened, Expected::SIGN_IN, returned, client, is_spent).await;
        let Redeemed { asserted, visit } = match redeemed {
            Err(refused @ AuthError::ProviderRefused) if *is_spent && returned.error.is_none() => {
                self.failed(None, client).await;
                return Err(refused);
            }
            redeemed => redeemed?,
        };
        let visitor = visitor.clone().remembered(visit.remember).going_to(visit.next.as_deref());
        self.account_of(provider, asserted, visitor).await
    }

    /// Checks what a provider has returned and who that is (specification §30.1), under the limit of failures. The flow is used up before
    /// the provider is asked, and `is_spent` says so.
    pub(super) async fn redeem(
        &self,
        provider: &Provider,
        opened: Result<Flow<Visit>, AuthError>,
        expected: Expected<'_>,
        returned: &ProviderReturn,
        client: ClientAddress,
        is_spent: &mut bool,
    ) -> Result<Redeemed, AuthError> {
        let check = async {
            let flow = opened?;
            match self.redeem_unlimited(provider, &flow, expected, returned, is_spent).await {
                Ok(asserted) => Ok(Checked::Right(Redeemed { asserted, visit: flow.content })),
                Err(refused @ AuthError::ProviderRefused) if returned.error.is_none() => {
                    Ok(Checked::Wrong(refused))
                }
                Err(failure) => Err(failure),
            }
        };
        self.guess(client, check).await
    }

    async fn redeem_unlimited(
        &self,
        provider: &Provider,
        flow: &Flow<Visit>,
        expected: Expected<'_>,
        returned: &ProviderReturn,
        is_spent: &mut bool,
    ) -> Result<Asserted, AuthError> {
        let secrets = Secrets::of(flow, provider.settings.name(), expected.mark);
        let is_state = bool::from(secrets.state.as_bytes().ct_eq(returned.state.as_bytes()));
        if !expected.fits(flow.content.of.as_ref()) || !is_state {
            return Err(AuthError::InvalidFlowToken);
        }
        provider.remote.check_issuer(returned.iss.as_deref()).await.map_err(refusal)?;
        let mut spent = self.core.spend_flow(&flow.jti).await?;
        *is_spent = true;
        let redeemed = async {
            if let Some(error) = &returned.error {
                spent.keep();
                let is_outage = ["temporarily_unavailable", "server_error"].contains(&error.as_str());
                return Err(if is_outage {
                    AuthError::ProviderUnavailable
                } else {
                    AuthError::ProviderRefused
                });
            }
            let grant = Grant {
                code: returned.code.as_deref().unwrap_or_default(),
                redirect_uri: redirect_uri(provider, &flow.content)?,
                verifier: &secrets.verifier,
                nonce: &secrets.nonce,
                fresh_since: (expected.purpose == Some(Purpose::Confirm))
                    .then(|| crate::clock::unix_seconds(flow.began_at())),
            };
            match provider.remote.redeem(&grant).await {
                // The provider has certainly not taken the code: the flow can be used again.
                Err(Failure::NotAccepted) => {
                    *is_spent = false;
                    Err(AuthError::ProviderUnavailable)
                }
                redeemed => {
                    spent.keep();
                    redeemed.map_err(refusal)
                }
            }
        };
        let redeemed = redeemed.await;
        spent.after(&self.core, redeemed).await
    }

    /// Checks what a client presents under the limit of failures of the client.
    pub(super) async fn guess<T>(
        &self,
        client: ClientAddress,
        check: impl Future<Output = Result<Checked<T>, AuthError>>,
    ) -> Result<T, AuthError> {
        self.core.guess_by_client(AttemptKind::Provider, CALLBACK_LIMITS, client, check).await
    }

    pub(super) async fn failed(&self, user_id: Option<String>, client: ClientAddress) {
        self.core.events.emit(EventKind::LoginFailed { method: Method::Provider }, user_id, client).await;
    }

    /// The provider of this name.
    pub(super) fn provider(&self, name: &str) -> Result<&Provider, AuthError> {
        self.providers.iter().find(|provider| provider.settings.name() == name).ok_or(AuthError::NotFound)
    }

    /// The provider of this name, if browsers can be sent there.
    pub(super) fn web_provider(&self, name: &str) -> Result<&Provider, AuthError> {
        self.provider(name).and_then(|provider| match provider.settings.has_web_flow() {
            true => Ok(provider),
            false => Err(AuthError::NotFound),
        })
    }

    /// The provider to which a visit went, by the `state` that came back.
    pub(super) fn provider_of(&self, flow: &Flow<Visit>, mark: &str, state: &str) -> Option<&Provider> {
        self.providers.iter().find(|provider| {
            let secrets = Secrets::of(flow, provider.settings.name(), mark);
            bool::from(secrets.state.as_bytes().ct_eq(state.as_bytes()))
        })
    }

    /// Whether a provider of the configuration has this issuer.
    pub(super) fn has_issuer(&self, issuer: &str) -> bool {
        self.providers.iter().any(|provider| provider.settings.issuer() == issuer)
    }
}

/// The redirect URI of a visit. The configuration can be another one than when the visit began.
fn redirect_uri<'a>(provider: &'a Provider, visit: &'a Visit) -> Result<&'a str, AuthError> {
    provider.settings.redirect_uri(visit.redirect_uri.as_deref()).ok_or(AuthError::InvalidFlowToken)
}

/// The error for a failure of a provider. The log has the reason.
pub(super) fn refusal(failure: Failure) -> AuthError {
    match failure {
        Failure::NotAccepted | Failure::Unavailable => AuthError::ProviderUnavailable,
        Failure::Refused(_) => AuthError::ProviderRefused,
    }
}
