//! The bodies of successful responses.

use super::{EndpointField, EndpointFieldKind, RouterKind};
use crate::assurance::ChallengeMethod;
use crate::config::{AuthConfig, Settings};
use std::fmt;

/// One of the bodies that a successful response can have.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EndpointResponse {
    /// The name of this body, in upper camel case: `SignedIn`. Two endpoints with one name have the same body.
    pub name: &'static str,
    /// The body.
    pub content: EndpointContent,
    /// When the body is this one.
    pub when: ResponseCondition,
    /// The status of a response with this body, if it is not that of the endpoint.
    pub status: Option<u16>,
}

/// The JSON of a successful response.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum EndpointContent {
    /// An object with these members.
    Object(&'static [EndpointField]),
    /// An array of these, and which ones they are.
    List(EndpointFieldKind, &'static str),
    /// No JSON: the browser is sent to a page of the host, which this describes.
    Redirect(&'static str),
    /// An HTML page, which this describes.
    Page(&'static str),
}

/// When a response has one of several bodies.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum ResponseCondition {
    /// Always, unless another body has a condition that is true.
    Default,
    /// That depends on the request: `for a user with a second factor`.
    Request(&'static str),
    /// Only if the configuration says so: `with `confirm` off`.
    Configured(&'static str, OptionCheck),
    /// Only if the endpoint's delivery is [`InResponse`](crate::InResponse).
    InResponse,
    /// For somebody without an account, only if the module creates accounts without a password, and under this condition.
    Newcomers(&'static str),
}

/// Whether the options of a module fulfil a condition.
#[derive(Clone, Copy)]
pub struct OptionCheck(pub(crate) fn(&Settings) -> bool);

impl OptionCheck {
    /// Whether a module with these options has the body.
    #[must_use]
    pub fn is_fulfilled_by(self, config: &AuthConfig) -> bool {
        (self.0)(config)
    }
}

impl ResponseCondition {
    /// The condition in a few words, empty for [`Default`](Self::Default).
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Default => "",
            Self::Request(words) | Self::Configured(words, _) | Self::Newcomers(words) => words,
            Self::InResponse => "with `InResponse`",
        }
    }
}

impl fmt::Debug for ResponseCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description())
    }
}

impl EndpointResponse {
    /// An object, and the only body unless another one follows.
    pub(crate) const fn object(name: &'static str, members: &'static [EndpointField]) -> Self {
        Self {
            name,
            content: EndpointContent::Object(members),
            when: ResponseCondition::Default,
            status: None,
        }
    }

    /// An array.
    pub(crate) const fn list(name: &'static str, of: EndpointFieldKind, description: &'static str) -> Self {
        let content = EndpointContent::List(of, description);
        Self { name, content, when: ResponseCondition::Default, status: None }
    }

    /// A redirect.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(crate) const fn redirect(name: &'static str, description: &'static str) -> Self {
        let content = EndpointContent::Redirect(description);
        Self { name, content, when: ResponseCondition::Default, status: Some(303) }
    }

    /// An HTML page.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(crate) const fn page(name: &'static str, description: &'static str) -> Self {
        let content = EndpointContent::Page(description);
        Self { name, content, when: ResponseCondition::Default, status: Some(200) }
    }

    /// The body has a condition.
    pub(crate) const fn when(self, when: ResponseCondition) -> Self {
        Self { when, ..self }
    }

    /// The body comes with a status of its own.
    pub(crate) const fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    // The bodies of several endpoints.

    pub(crate) const MESSAGE: Self = Self::object("Message", &[EndpointField::MESSAGE]);

    /// A session has started.
    pub(crate) const SIGNED_IN: Self = Self::object(
        "SignedIn",
        &[
            EndpointField::required("twoFactor", EndpointFieldKind::Always(false)),
            EndpointField::ACCESS_TOKEN,
            EndpointField::REFRESH_TOKEN,
        ],
    );

    /// A session has started, and the device is trusted from now on.
    pub(crate) const SIGNED_IN_ON_DEVICE: Self = Self::object(
        "SignedInOnTrustedDevice",
        &[
            EndpointField::required("twoFactor", EndpointFieldKind::Always(false)),
            EndpointField::ACCESS_TOKEN,
            EndpointField::REFRESH_TOKEN,
            EndpointField::NEW_DEVICE_TOKEN,
        ],
    )
    .when(ResponseCondition::Request("with `trustDevice`"));

    /// The second factor is to be proven before a session starts.
    pub(crate) const CHALLENGED: Self = Self::object(
        "Challenged",
        &[
            EndpointField::required("twoFactor", EndpointFieldKind::Always(true)),
            EndpointField::required(
                "methods",
                EndpointFieldKind::List(&EndpointFieldKind::OneOf(ChallengeMethod::NAMES)),
            ),
            EndpointField::CHALLENGE_TOKEN,
        ],
    )
    .when(ResponseCondition::Request("for a user with a second factor"));

    /// An address was proven that has no account, and the account needs something more.
    const REGISTRATION_STARTED: Self = Self::object(
        "RegistrationStarted",
        &[HAS_BEGUN, REGISTRATION_TOKEN, EXPIRES_IN, EndpointField::EMAIL, KNOWN_NAME],
    )
    .when(FOR_NEWCOMERS);

    /// The registration of [`REGISTRATION_STARTED`](Self::REGISTRATION_STARTED), whose token a browser has in a cookie.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    const REGISTRATION_STARTED_AT_PROVIDER: Self = Self::object(
        "ProviderRegistrationStarted",
        &[
            HAS_BEGUN,
            REGISTRATION_TOKEN.only_on(RouterKind::Bearer),
            EXPIRES_IN,
            EndpointField::EMAIL,
            KNOWN_NAME,
        ],
    )
    .when(FOR_NEWCOMERS);

    /// What a sign-in that proves an address leads to.
    pub(crate) const SIGN_IN_OUTCOMES: &[Self] = &Self::sign_in_outcomes(Self::REGISTRATION_STARTED);

    /// What a sign-in with a provider leads to.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(crate) const PROVIDER_OUTCOMES: &[Self] =
        &Self::sign_in_outcomes(Self::REGISTRATION_STARTED_AT_PROVIDER);

    const fn sign_in_outcomes(registration: Self) -> [Self; 4] {
        let registered = ResponseCondition::Newcomers("for a new account, if nothing needs to be asked");
        let registered = Self::SIGNED_IN.when(registered).with_status(201);
        [Self::SIGNED_IN_BY_ADDRESS, Self::CHALLENGED, registration, registered]
    }

    const SIGNED_IN_BY_ADDRESS: Self = Self::object(
        "SignedInByAddress",
        &[
            EndpointField::required("twoFactor", EndpointFieldKind::Always(false)),
            EndpointField::optional("passwordRemoved", EndpointFieldKind::Always(true)),
            EndpointField::ACCESS_TOKEN,
            EndpointField::REFRESH_TOKEN,
        ],
    );

    /// Something was proven in the session.
    pub(crate) const CONFIRMED: Self =
        Self::object("Confirmed", &[EndpointField::required("confirmed", EndpointFieldKind::Always(true))]);

    /// The credentials have changed, and the session has others.
    pub(crate) const CHANGED: Self = Self::object(
        "CredentialsChanged",
        &[EndpointField::MESSAGE, EndpointField::ACCESS_TOKEN, EndpointField::REFRESH_TOKEN],
    );
}

const FOR_NEWCOMERS: ResponseCondition = ResponseCondition::Newcomers("for an address without an account");

const HAS_BEGUN: EndpointField = EndpointField::required("registration", EndpointFieldKind::Always(true));
const REGISTRATION_TOKEN: EndpointField =
    EndpointField::required("registrationToken", EndpointFieldKind::NonEmptyText);
const EXPIRES_IN: EndpointField = EndpointField::required("expiresIn", EndpointFieldKind::Number);
const KNOWN_NAME: EndpointField =
    EndpointField::required("name", EndpointFieldKind::OrNull(&EndpointFieldKind::UserName));
