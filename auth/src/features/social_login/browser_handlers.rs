//! The browser that comes back from a provider: which flow it is, and to which page of the host it goes (specification §9.49).

use super::CALL_LIMITS;
use super::flows::{LIFETIME, NAME, OfSession, Purpose, REGISTRATION_LIFETIME, Visit, name_of};
use super::linking::PendingLink;
use super::service::{Provider, ProviderReturn, ProviderVisit, SocialLoginService};
use crate::client::{BrowserCookies, Visitor};
use crate::core::{
    Challenge, Credentials, Flow, Identity, PendingRegistration, Presented, Requirements, SignInOutcome,
    SignedIn, Step,
};
use crate::endpoint::Confirmation;
use crate::error::AuthError;
use crate::http::{CookieChanges, time_text};
use crate::telemetry::{cause, log};
use crate::uri::with_parameter;
use axum::extract::Query;
use axum::http::Uri;
use std::time::SystemTime;

/// How many flow cookies stay beside that of a new visit: servers in front of the host refuse requests with large headers.
const OTHER_FLOWS: usize = 3;

/// To which page of the host a browser goes, and what its cookies become.
pub(crate) struct BrowserReturn {
    pub(crate) location: String,
    pub(crate) changes: CookieChanges,
}

/// What a browser has begun with a provider and not completed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingSteps {
    /// The registration, if there is one.
    pub registration: Option<PendingRegistration>,
    /// The identity that can be linked, if there is one.
    pub link: Option<PendingLink>,
}

/// The cookie of a visit that begins. Of earlier ones the newest stay.
pub(crate) fn begin_flow(
    service: &SocialLoginService,
    sent: &BrowserCookies,
    visit: &ProviderVisit,
) -> CookieChanges {
    let began = |token: &str| service.core.flows.open::<Visit>(token).ok().map(|flow| flow.began_at());
    let mut earlier: Vec<(Option<SystemTime>, &str)> =
        sent.flows.iter().map(|(name, token)| (began(token), &**name)).collect();
    // Those that are not valid are the oldest.
    earlier.sort_by(|one, other| other.cmp(one));
    let changes = CookieChanges::default().flow(&visit.name, visit.flow_token.clone(), LIFETIME);
    earlier.iter().skip(OTHER_FLOWS).fold(changes, |changes, (_, name)| changes.end_flow(name))
}

impl SocialLoginService {
    /// What the browser has begun with a provider and not completed (specification §9.58).
    ///
    /// # Errors
    /// Those of the store.
    pub async fn pending_steps(&self, client: impl Into<Visitor>) -> Result<PendingSteps, AuthError> {
        let visitor = client.into();
        let Some(sent) = visitor.transport.cookies() else { return Ok(PendingSteps::default()) };
        let registration = match &sent.registration {
            Some(token) => self.core.pending_registration(token).await?,
            None => None,
        };
        let link = match &sent.link {
            Some(token) => self.pending_link(token).await?,
            None => None,
        };
        Ok(PendingSteps { registration, link })
    }

    /// Ends the visit of a browser that comes back with this query of its URI.
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if there is no such provider. Everything else is a page of the host.
    pub(crate) async fn return_of_browser(
        &self,
        provider: &str,
        uri: &Uri,
        visitor: Visitor,
    ) -> Result<BrowserReturn, AuthError> {
        let provider = self.web_provider(provider)?;
        let Some(returned) = read(uri) else {
            return Ok(self.to_login(&AuthError::InvalidFlowToken));
        };
        let sent = visitor.transport.cookies();
        let name = returned.state.get(..NAME).unwrap_or_default();
        let found = sent.and_then(|sent| sent.flows.iter().find(|(of, _)| **of == *name));
        let cookie = found.cloned();
        let flow = cookie.as_ref().and_then(|(name, token)| {
            let flow = self.core.flows.open::<Visit>(token).ok()?;
            (name_of(&flow.jti) == &**name).then_some(flow)
        });
        let opened = flow.ok_or(AuthError::InvalidFlowToken);
        let options = &self.core.config.browser;
        let visit = opened.as_ref().ok().map(|flow| &flow.content);
        let next = visit.and_then(|visit| visit.next.clone()).unwrap_or_else(|| options.after_login.clone());
        // A cookie that opens no flow is of no use.
        let (of, mut is_spent) = (visit.and_then(|visit| visit.of.clone()), visit.is_none());
        let counted = self.core.count_call(CALL_LIMITS, "", visitor.address()).await;
        let opened = counted.and(opened);
        let (ended, page) = match of {
            None => {
                let signed_in = self.signed_in(provider, opened, &returned, &visitor, &mut is_spent).await;
                (signed_in.and_then(|signed_in| self.after_sign_in(signed_in, &next)), &options.login_page)
            }
            Some(of) => {
                let acted = match opened {
                    Ok(flow) => self.act((of, flow), provider, &returned, &visitor, &mut is_spent).await,
                    // The limit comes before the session.
                    Err(refused) => Err(refused),
                };
                (acted.map(|changes| BrowserReturn { location: next.clone(), changes }), &next)
            }
        };
        let BrowserReturn { location, changes } = ended.unwrap_or_else(|failure| BrowserReturn {
            location: with_error(page, &failure),
            changes: changes_of(failure),
        });
        let changes = match cookie.filter(|_| is_spent) {
            Some((name, _)) => changes.end_flow(&name),
            None => changes,
        };
        Ok(BrowserReturn { location, changes })
    }

    /// Links or confirms in the session in which the visit began.
    async fn act(
        &self,
        (of, flow): (OfSession, Flow<Visit>),
        provider: &Provider,
        returned: &ProviderReturn,
        visitor: &Visitor,
        is_spent: &mut bool,
    ) -> Result<CookieChanges, AuthError> {
        let who = self.who(&of.sid, visitor).await?;
        // The call is counted already.
        let required = Requirements { confirmation: Confirmation::NOTHING, calls: &[] };
        let visited = (Some(provider), Ok(flow));
        let acting = self.core.begin_with(required, &who, visitor.address()).await?;
        match of.purpose {
            Purpose::Link => {
                self.core.require_verified_address(&who)?;
                self.link_returned(acting, visited, returned, is_spent).await?;
                Ok(CookieChanges::default())
            }
            Purpose::Confirm => {
                let cookie = self.confirm_returned(&acting, visited, returned, is_spent).await?;
                Ok(cookie.map_or_else(CookieChanges::default, CookieChanges::session))
            }
        }
    }

    /// The user of the session in which a visit began. A session cookie that comes along must be one of that session; with `same_site`
    /// `Strict` none comes.
    async fn who(&self, sid: &str, visitor: &Visitor) -> Result<Identity, AuthError> {
        let cookie = visitor.transport.cookies().and_then(|sent| sent.session.as_deref());
        let who = match cookie {
            Some(cookie) => {
                self.core.authenticate(Presented::SessionCookie(cookie), || visitor.client.clone()).await
            }
            None => self.core.identity_of_browser(sid).await,
        };
        match who {
            Ok(who) if who.session.session_id() == sid => Ok(who),
            Ok(_) | Err(AuthError::Unauthenticated) => Err(AuthError::InvalidFlowToken),
            Err(failure) => Err(failure),
        }
    }

    fn after_sign_in(&self, signed_in: SignInOutcome, next: &str) -> Result<BrowserReturn, AuthError> {
        let options = &self.core.config.browser;
        let started = |credentials| match credentials {
            Credentials::Cookie(cookie) => {
                let changes = CookieChanges::session(cookie);
                Ok(BrowserReturn { location: next.to_owned(), changes })
            }
            Credentials::Tokens(_) => Err(AuthError::internal("tokens for a browser")),
        };
        match signed_in {
            SignInOutcome::Known { signed_in, .. } | SignInOutcome::Registered(signed_in) => {
                match signed_in {
                    SignedIn::Session(credentials) => started(credentials),
                    SignedIn::Step(Step::SecondFactor {
                        challenge: Challenge::Cookie(token, age), ..
                    }) => {
                        let location = options.two_factor_page.clone();
                        Ok(BrowserReturn { location, changes: CookieChanges::challenge(token, age) })
                    }
                    SignedIn::Step(Step::PendingDeletion {
                        restoration: Challenge::Cookie(token, age),
                        deletes_at,
                    }) => {
                        let error = AuthError::AccountPendingDeletion { deletes_at, restore_token: None };
                        let page = with_error(&options.login_page, &error);
                        let location = with_parameter(&page, "deletesAt", &time_text(deletes_at));
                        Ok(BrowserReturn { location, changes: CookieChanges::challenge(token, age) })
                    }
                    SignedIn::Step(_) => Err(AuthError::internal("a challenge token for a browser")),
                }
            }
            SignInOutcome::Registration(started) => {
                let changes = CookieChanges::default()
                    .begin_newcomer(started.registration_token, REGISTRATION_LIFETIME);
                Ok(BrowserReturn { location: options.registration_page.clone(), changes })
            }
        }
    }

    fn to_login(&self, failure: &AuthError) -> BrowserReturn {
        let location = with_error(&self.core.config.browser.login_page, failure);
        BrowserReturn { location, changes: CookieChanges::default() }
    }
}

/// The page with the code of the failure. The log has its cause.
fn with_error(page: &str, failure: &AuthError) -> String {
    if let AuthError::Internal(error) | AuthError::Unavailable(error) = failure {
        log::request_failed(failure.code().as_str(), cause(&**error));
    }
    with_parameter(page, "error", failure.code().as_str())
}

/// What a failure leaves in the browser.
fn changes_of(failure: AuthError) -> CookieChanges {
    match failure {
        AuthError::AccountExists { link_token: Some(token) } => {
            CookieChanges::default().link(token.0, LIFETIME)
        }
        _ => CookieChanges::default(),
    }
}

/// The parameters of a redirect. `None` if one is missing or doubled, or if they cannot be read.
fn read(uri: &Uri) -> Option<ProviderReturn> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    let [mut code, mut state, mut iss, mut error] = [const { None }; 4];
    for (name, value) in pairs {
        let parameter = match name.as_str() {
            "code" => &mut code,
            "state" => &mut state,
            "iss" => &mut iss,
            "error" => &mut error,
            _ => continue,
        };
        if parameter.replace(value).is_some() {
            return None;
        }
    }
    let has_outcome = code.is_some() || error.is_some();
    state.filter(|_| has_outcome).map(|state| ProviderReturn { code, state, iss, error })
}
