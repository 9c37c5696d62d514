//! What an endpoint promises, as data: the README's tables, the reference and the tests' lists of routes are generated
//! from these declarations.
//!
//! The credential is not only declared here: the router checks what the declaration says, before the handler runs.

mod consequence;
mod field;
mod outcomes;
mod response;

pub(crate) use consequence::Consequence;
pub use field::{EndpointField, EndpointFieldKind};
pub use response::{EndpointContent, EndpointResponse, OptionCheck, ResponseCondition};

use crate::config::{AuthConfig, Limit, Settings};
use crate::error::ErrorCode;
use crate::events::EventName;
use crate::feature::Feature;

/// The declaration of one endpoint. [`AuthModule::endpoints`](crate::AuthModule::endpoints) returns those of a module.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Endpoint {
    /// The method.
    pub method: EndpointMethod,
    /// The path, relative to where the host nests the router: `/user/password`.
    pub path: &'static str,
    /// The name of the operation, in camel case, different from all others: `updatePassword`.
    pub operation: &'static str,
    /// The feature that the endpoint belongs to. `None`: it is always there.
    pub feature: Option<Feature>,
    /// What the endpoint does, in one sentence.
    pub summary: &'static str,
    /// What a request must carry.
    pub credential: Credential,
    /// What a request to the browser router must carry, if that differs.
    pub credential_in_browser: Option<Credential>,
    /// The only router that has the endpoint. `None`: both have it.
    pub only_on: Option<RouterKind>,
    /// What this configuration requires to be confirmed, if the credential is [`Credential::RecentConfirmation`];
    /// [`required_confirmation`](Self::required_confirmation) has the answer for each credential.
    pub(crate) confirmation: fn(&Settings) -> Confirmation,
    /// The fields of the body.
    pub body: EndpointBody,
    /// The parameters of the query.
    pub query: &'static [EndpointField],
    /// The status of a successful response.
    pub status: u16,
    /// The bodies that a successful response can have; mostly one.
    pub responses: &'static [EndpointResponse],
    /// Whether this module's delivery of the endpoint's message is [`InResponse`](crate::InResponse).
    pub(crate) delivers_in_response: bool,
    /// Whether this module creates accounts for those who prove an address.
    pub(crate) registers_newcomers: bool,
    /// Whether a successful response of the browser router sets or deletes a cookie, though no body of the bearer router has
    /// a token.
    pub(crate) changes_cookies: bool,
    /// The limits that a request counts towards.
    pub limits: &'static [Limit],
    /// The events of the endpoint's own; [`events`](Self::events) has all of them.
    pub own_events: &'static [EventName],
    /// What a request leads to in an account that somebody else may have used.
    pub(crate) consequence: Consequence,
    /// The error codes of the endpoint's own; [`errors`](Self::errors) has all of them.
    pub own_errors: &'static [ErrorCode],
    /// Whether a `GET` endpoint also serves `HEAD`.
    pub serves_head: bool,
    /// Whether only a module has the endpoint in which users can sign in without a password.
    pub with_other_ways_in: bool,
    /// Whether the host's policy is asked before the request goes on ([`Policy::allows_request`](crate::policy::Policy::allows_request)).
    pub asks_policy: bool,
    /// Whether the user's address must be verified, where addresses are verified. It is checked before the recent confirmation.
    pub(crate) needs_verified_address: bool,
}

/// The method of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each method is the one of the same name")]
pub enum EndpointMethod {
    Get,
    Post,
    Put,
    Delete,
}

impl EndpointMethod {
    /// The method as it is written in a request: `GET`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// One of the two routers of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RouterKind {
    /// [`AuthModule::router`](crate::AuthModule::router): clients keep tokens and send them as `Authorization: Bearer`.
    Bearer,
    /// [`AuthModule::browser_router`](crate::AuthModule::browser_router): browsers keep a cookie.
    Browser,
}

impl RouterKind {
    /// `bearer` or `browser`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bearer => "bearer",
            Self::Browser => "browser",
        }
    }
}

/// What a request must carry so that the endpoint's handler runs: an access token on the bearer router, the session cookie
/// on the browser router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credential {
    /// Nothing.
    NotRequired,
    /// Nothing, but the response depends on who makes the request.
    Optional,
    /// A session: 401 `unauthenticated` without one.
    Session,
    /// A session, and unless the feature's option `confirm_password` is off a password that was confirmed recently in
    /// the same session ("step-up"): also 403 `password_confirmation_required`.
    RecentConfirmation,
    /// A session. Of a user without a password it must have been confirmed recently: then also 403
    /// `password_confirmation_required`.
    ConfirmationWithoutPassword,
}

/// The fields of a request's body.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum EndpointBody {
    /// The endpoint reads no body.
    None,
    /// The body may be left out.
    Optional(&'static [EndpointField]),
    /// A JSON object with these fields.
    Required(&'static [EndpointField]),
    /// A JSON object with these fields and those that the host's action names in `extra_fields`.
    Extensible(&'static [EndpointField]),
}

impl EndpointBody {
    /// The fields that the endpoint itself reads.
    #[must_use]
    pub const fn fields(self) -> &'static [EndpointField] {
        match self {
            Self::None => &[],
            Self::Optional(fields) | Self::Required(fields) | Self::Extensible(fields) => fields,
        }
    }
}

/// What must have been confirmed recently in a session.
#[derive(Clone, Copy)]
pub(crate) struct Confirmation {
    pub(crate) password: bool,
    /// Besides the password, the second factor of a user who has one.
    pub(crate) second_factor: bool,
}

impl Confirmation {
    pub(crate) const NOTHING: Self = Self { password: false, second_factor: false };
    pub(crate) const PASSWORD: Self = Self { password: true, second_factor: false };

    /// That of an endpoint which adds a way to act for the user, removes one, or ends the account: no option switches it off.
    pub(crate) const fn step_up(settings: &Settings) -> Self {
        Self { password: true, second_factor: settings.two_factor.confirm_with_code }
    }
}

/// What a session in which somebody acts for its user may do beside reading: end, and have the user sent a link.
const FOR_IMPERSONATED: &[&str] = &["/logout", "/email/verification-notification"];

impl Endpoint {
    const fn new(method: EndpointMethod, path: &'static str, operation: &'static str) -> Self {
        Self {
            method,
            path,
            operation,
            feature: None,
            summary: "",
            credential: Credential::NotRequired,
            credential_in_browser: None,
            only_on: None,
            confirmation: |_| Confirmation::PASSWORD,
            body: EndpointBody::None,
            query: &[],
            status: 200,
            responses: &[EndpointResponse::MESSAGE],
            delivers_in_response: false,
            registers_newcomers: false,
            changes_cookies: false,
            limits: &[],
            own_events: &[],
            consequence: Consequence::Nothing,
            own_errors: &[],
            serves_head: true,
            with_other_ways_in: false,
            asks_policy: false,
            needs_verified_address: false,
        }
    }

    pub(crate) const fn get(path: &'static str, operation: &'static str) -> Self {
        Self::new(EndpointMethod::Get, path, operation)
    }

    pub(crate) const fn post(path: &'static str, operation: &'static str) -> Self {
        Self::new(EndpointMethod::Post, path, operation)
    }

    pub(crate) const fn put(path: &'static str, operation: &'static str) -> Self {
        Self::new(EndpointMethod::Put, path, operation)
    }

    pub(crate) const fn delete(path: &'static str, operation: &'static str) -> Self {
        Self::new(EndpointMethod::Delete, path, operation)
    }

    pub(crate) const fn of(mut self, feature: Feature) -> Self {
        self.feature = Some(feature);
        self
    }

    pub(crate) const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    pub(crate) const fn requires(mut self, credential: Credential) -> Self {
        self.credential = credential;
        self
    }

    /// The user's address must be verified, where addresses are verified: somebody else may have made the account.
    pub(crate) const fn of_verified_address(mut self) -> Self {
        self.needs_verified_address = true;
        self
    }

    /// The credential that the browser router requires instead.
    pub(crate) const fn requires_in_browser(mut self, credential: Credential) -> Self {
        self.credential_in_browser = Some(credential);
        self
    }

    /// Only this router has the endpoint.
    pub(crate) const fn only_on(mut self, router: RouterKind) -> Self {
        self.only_on = Some(router);
        self
    }

    /// Whether this router has the endpoint.
    #[must_use]
    pub fn is_on(&self, router: RouterKind) -> bool {
        self.only_on.is_none_or(|only| only == router)
    }

    /// What a request to this router must carry.
    #[must_use]
    pub fn credential_on(&self, router: RouterKind) -> Credential {
        match router {
            RouterKind::Bearer => self.credential,
            RouterKind::Browser => self.credential_in_browser.unwrap_or(self.credential),
        }
    }

    /// Whether the endpoint is open to a session in which somebody acts for its user: a session is enough for it, and it only reads or is
    /// among a few others.
    pub(crate) fn is_for_impersonated(&self) -> bool {
        match self.credential {
            Credential::NotRequired | Credential::Optional => true,
            Credential::RecentConfirmation | Credential::ConfirmationWithoutPassword => false,
            Credential::Session => {
                self.method == EndpointMethod::Get || FOR_IMPERSONATED.contains(&self.path)
            }
        }
    }

    /// What must have been confirmed recently in the session of a user who has a password or has none.
    pub(crate) fn required_confirmation(&self, settings: &Settings, has_password: bool) -> Confirmation {
        match self.credential {
            Credential::RecentConfirmation => (self.confirmation)(settings),
            Credential::ConfirmationWithoutPassword if !has_password => Confirmation::PASSWORD,
            Credential::ConfirmationWithoutPassword
            | Credential::NotRequired
            | Credential::Optional
            | Credential::Session => Confirmation::NOTHING,
        }
    }

    /// Lets options decide what must be confirmed.
    pub(crate) const fn confirmed_by(mut self, confirmation: fn(&Settings) -> Confirmation) -> Self {
        self.confirmation = confirmation;
        self
    }

    pub(crate) const fn takes(mut self, body: EndpointBody) -> Self {
        self.body = body;
        self
    }

    pub(crate) const fn query(mut self, query: &'static [EndpointField]) -> Self {
        self.query = query;
        self
    }

    pub(crate) const fn returns(mut self, responses: &'static [EndpointResponse]) -> Self {
        self.responses = responses;
        self
    }

    /// Says whether the module that has the endpoint puts the endpoint's message into the response.
    pub(crate) const fn delivers_in_response(mut self, delivers_in_response: bool) -> Self {
        self.delivers_in_response = delivers_in_response;
        self
    }

    /// Says whether the module that has the endpoint creates accounts for those who prove an address.
    pub(crate) const fn registers_newcomers(mut self, registers_newcomers: bool) -> Self {
        self.registers_newcomers = registers_newcomers;
        self
    }

    /// The status of a successful response with this body.
    #[must_use]
    pub fn status_with(&self, response: &EndpointResponse) -> u16 {
        response.status.unwrap_or(self.status)
    }

    /// The bodies that a successful response can have in the module that has the endpoint, with the module's configuration.
    pub fn possible_responses(&self, config: &AuthConfig) -> impl Iterator<Item = &'static EndpointResponse> {
        self.responses.iter().filter(|response| match response.when {
            ResponseCondition::Default | ResponseCondition::Request(_) => true,
            ResponseCondition::Configured(_, check) => check.is_fulfilled_by(config),
            ResponseCondition::InResponse => self.delivers_in_response,
            ResponseCondition::Newcomers(_) => self.registers_newcomers,
        })
    }

    /// A successful response says that something was created.
    pub(crate) const fn creates(mut self) -> Self {
        self.status = 201;
        self
    }

    /// A successful response says that the rest is done later (RFC 9110 §15.3.3).
    pub(crate) const fn accepts(mut self) -> Self {
        self.status = 202;
        self
    }

    /// A successful response sends the browser to another page.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(crate) const fn redirects(mut self) -> Self {
        self.status = 303;
        self
    }

    /// On the browser router, a successful response changes a cookie that the bodies of the bearer router do not show.
    pub(crate) const fn changes_cookies(mut self) -> Self {
        self.changes_cookies = true;
        self
    }

    /// Whether a successful response of the browser router can set or delete a cookie.
    #[must_use]
    pub fn sets_cookies(&self) -> bool {
        let has_token = |response: &EndpointResponse| match response.content {
            EndpointContent::Object(members) => members.iter().any(|member| member.kind.is_in_cookie()),
            EndpointContent::List(..) | EndpointContent::Redirect(_) | EndpointContent::Page(_) => false,
        };
        self.changes_cookies || self.responses.iter().any(has_token)
    }

    pub(crate) const fn limits(mut self, limits: &'static [Limit]) -> Self {
        self.limits = limits;
        self
    }

    pub(crate) const fn emits(mut self, events: &'static [EventName]) -> Self {
        self.own_events = events;
        self
    }

    pub(crate) const fn leads_to(mut self, consequence: Consequence) -> Self {
        self.consequence = consequence;
        self
    }

    pub(crate) const fn refuses(mut self, errors: &'static [ErrorCode]) -> Self {
        self.own_errors = errors;
        self
    }

    /// A `GET` that changes something must not be triggered by a request for the head alone.
    pub(crate) const fn without_head(mut self) -> Self {
        self.serves_head = false;
        self
    }

    /// The host's policy is asked before the request goes on.
    pub(crate) const fn asks_policy(mut self) -> Self {
        self.asks_policy = true;
        self
    }

    /// Only a module has the endpoint in which a feature lets users sign in without a password.
    pub(crate) const fn with_other_ways_in(mut self) -> Self {
        self.with_other_ways_in = true;
        self
    }
}
