//! The fields of requests and of responses.

use super::RouterKind;

/// A field of a body, or a parameter of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndpointField {
    /// The name on the wire: `passwordConfirmation`.
    pub name: &'static str,
    /// What the field holds.
    pub kind: EndpointFieldKind,
    /// Whether a request without the field is refused, or whether every such response has it.
    pub is_required: bool,
    /// The only router that has the field. `None`: both have it.
    pub only_on: Option<RouterKind>,
    /// Whether only a module has the field in which devices can be trusted.
    pub only_with_devices: bool,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EndpointFieldKind {
    /// A text, which can be empty.
    Text,
    /// A text that is not empty.
    NonEmptyText,
    /// A text. Anything else counts as if the field was left out.
    TextOrNothing,
    /// A user's name ([`UserName`](crate::values::UserName)).
    UserName,
    /// A user name that an account gets ([`Username`](crate::values::Username)).
    Username,
    /// An e-mail address ([`EmailAddress`](crate::values::EmailAddress)).
    EmailAddress,
    /// A password that is compared with the stored one.
    Password,
    /// A password that the user shall have from now on, or its repetition ([`NewPassword`](crate::values::NewPassword)).
    NewPassword,
    /// A one-time code of an authenticator app.
    OneTimeCode,
    /// A recovery code.
    RecoveryCode,
    /// An access token. On the browser router the session cookie takes its place.
    AccessToken,
    /// A refresh token. On the browser router the session cookie takes its place.
    RefreshToken,
    /// What continues a login with the second factor. On the browser router it is in a cookie.
    ChallengeToken,
    /// A time: RFC 3339, in UTC, in whole seconds.
    Time,
    /// A drawing.
    Svg,
    /// A URI.
    Uri,
    /// Bytes in base32 without padding (RFC 4648 §6).
    Base32,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// `true` or `false`.
    Bool,
    /// This of the two, and never the other one.
    Always(bool),
    /// A whole number that is not negative.
    Number,
    /// A list of these.
    List(&'static EndpointFieldKind),
    /// An object whose members another specification defines, such as WebAuthn.
    AnyObject,
    /// An object with these members.
    Object(&'static [EndpointField]),
    /// One of these, or `null`.
    OrNull(&'static EndpointFieldKind),
}

impl EndpointFieldKind {
    /// Whether a browser has this in a cookie and never in a body.
    #[must_use]
    pub const fn is_in_cookie(self) -> bool {
        matches!(self, Self::AccessToken | Self::RefreshToken | Self::ChallengeToken)
    }

    /// Whether this continues a login with the second factor.
    #[must_use]
    pub const fn is_challenge_token(self) -> bool {
        matches!(self, Self::ChallengeToken)
    }
}

impl EndpointField {
    /// A field that must be present.
    pub(crate) const fn required(name: &'static str, kind: EndpointFieldKind) -> Self {
        let only_on = if kind.is_in_cookie() { Some(RouterKind::Bearer) } else { None };
        Self { name, kind, is_required: true, only_on, only_with_devices: false }
    }

    /// A field that may be left out.
    pub(crate) const fn optional(name: &'static str, kind: EndpointFieldKind) -> Self {
        Self { is_required: false, ..Self::required(name, kind) }
    }

    /// Only this router has the field.
    pub(crate) const fn only_on(self, router: RouterKind) -> Self {
        Self { only_on: Some(router), ..self }
    }

    /// Only a module has the field in which devices can be trusted.
    const fn only_with_devices(self) -> Self {
        Self { only_with_devices: true, ..self }
    }

    /// Whether this router has the field.
    #[must_use]
    pub fn is_on(&self, router: RouterKind) -> bool {
        self.only_on.is_none_or(|only| only == router)
    }

    // The fields of several endpoints.

    pub(crate) const NAME: Self = Self::required("name", EndpointFieldKind::UserName);
    pub(crate) const USERNAME: Self = Self::required("username", EndpointFieldKind::Username);
    pub(crate) const USERNAME_OPTIONAL: Self = Self::optional("username", EndpointFieldKind::Username);
    pub(crate) const EMAIL: Self = Self::required("email", EndpointFieldKind::EmailAddress);
    /// The user's password as it is.
    pub(crate) const PASSWORD: Self = Self::required("password", EndpointFieldKind::Password);
    pub(crate) const NEW_PASSWORD: Self = Self::required("password", EndpointFieldKind::NewPassword);
    pub(crate) const PASSWORD_CONFIRMATION: Self =
        Self::required("passwordConfirmation", EndpointFieldKind::NewPassword);
    pub(crate) const REMEMBER: Self =
        Self::optional("remember", EndpointFieldKind::Bool).only_on(RouterKind::Browser);
    pub(crate) const CODE: Self = Self::required("code", EndpointFieldKind::OneTimeCode);
    /// One of the two may be sent.
    pub(crate) const CODE_OPTIONAL: Self = Self::optional("code", EndpointFieldKind::OneTimeCode);
    pub(crate) const RECOVERY_CODE: Self = Self::optional("recoveryCode", EndpointFieldKind::RecoveryCode);
    pub(crate) const CHALLENGE_TOKEN: Self =
        Self::required("challengeToken", EndpointFieldKind::ChallengeToken);
    pub(crate) const ACCESS_TOKEN: Self = Self::required("accessToken", EndpointFieldKind::AccessToken);
    pub(crate) const REFRESH_TOKEN: Self = Self::required("refreshToken", EndpointFieldKind::RefreshToken);
    /// The token of a trusted device, in a request.
    pub(crate) const DEVICE_TOKEN: Self = Self::optional("deviceToken", EndpointFieldKind::TextOrNothing)
        .only_on(RouterKind::Bearer)
        .only_with_devices();
    /// The token of a device that has become trusted.
    pub(crate) const NEW_DEVICE_TOKEN: Self =
        Self { kind: EndpointFieldKind::NonEmptyText, is_required: true, ..Self::DEVICE_TOKEN };
    /// Whether the device becomes a trusted one.
    pub(crate) const TRUST_DEVICE: Self =
        Self::optional("trustDevice", EndpointFieldKind::Bool).only_with_devices();
    /// Who acts for the user in a session, if somebody does.
    pub(crate) const ACTOR: Self = Self::required(
        "actor",
        EndpointFieldKind::OrNull(&EndpointFieldKind::Object(&[Self::required(
            "sub",
            EndpointFieldKind::NonEmptyText,
        )])),
    );
    /// A sentence for the user.
    pub(crate) const MESSAGE: Self = Self::required("message", EndpointFieldKind::Text);
}
