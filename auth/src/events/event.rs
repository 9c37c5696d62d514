//! What the library tells a host that wants to know (specification §19).

use crate::assurance::{Method, Methods};
use crate::request::RequestContext;
use std::net::IpAddr;
use std::time::SystemTime;

/// Something that happened. It names the user and the client and never holds a secret: no record, hash, code,
/// token or request body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// Whom it happened to: the id in its printed form. `None` where no account is known, as after a failed login
    /// with an unknown address.
    pub user_id: Option<String>,
    /// When.
    pub at: SystemTime,
    /// From where, as far as it is known: the peer, or what a trusted proxy says.
    pub client: Option<IpAddr>,
    /// Who has caused it.
    pub by: Actor,
    /// The id of the request that has caused it: its header `x-request-id`, if that has 1 to 128 visible ASCII characters. Anybody
    /// can send any; see [`telemetry`](crate::telemetry#request-ids).
    pub request_id: Option<String>,
}

/// Who has caused an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Actor {
    /// A client, by a request.
    #[default]
    Client,
    /// An administrator, by a function of [`Admin`](crate::Admin).
    Administrator,
}

impl Actor {
    /// Who it is as a text: `client` or `administrator`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Administrator => "administrator",
        }
    }
}

impl Event {
    pub(crate) fn new(
        kind: EventKind,
        user_id: Option<String>,
        at: SystemTime,
        client: Option<IpAddr>,
    ) -> Self {
        let request_id = RequestContext::read(|current| current.id.as_ref().map(|id| id.as_str().to_owned()));
        Self { kind, user_id, at, client, by: Actor::Client, request_id }
    }

    /// The event's name: `auth.registered`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }
}

/// Generates [`EventKind`] and [`EventName`] from one list.
macro_rules! events {
    ($($variant:ident $name:literal $({ $($(#[$doc:meta])* $field:ident: $type:ty),* $(,)? })? $when:literal;)*) => {
        /// What an [`Event`] reports, with the facts of that kind of event.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EventKind {
            $(
                #[doc = concat!("`", $name, "`: ", $when, ".")]
                $variant $({ $($(#[$doc])* $field: $type,)* })?,
            )*
        }

        impl EventKind {
            /// The event's name without its facts.
            #[must_use]
            pub const fn event_name(&self) -> EventName {
                match self { $(Self::$variant { .. } => EventName::$variant,)* }
            }

            /// The event's name: `auth.registered`.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                self.event_name().as_str()
            }

            /// The facts of this kind of event as texts, by their names: those of the fields, with the value of their `as_str`,
            /// such as [`SessionEnd::as_str`]. A sink that writes JSON or rows needs no `match` then.
            ///
            /// ```
            /// use axum_auth_module::events::{EventKind, SessionEnd};
            ///
            /// let ended = EventKind::SessionEnded { session_id: "4f2a".to_owned(), reason: SessionEnd::Revoked };
            /// let facts: Vec<_> = ended.facts().collect();
            /// assert_eq!(facts, [("session_id", "4f2a"), ("reason", "revoked")]);
            /// assert_eq!(EventKind::PasswordUpdated.facts().count(), 0);
            /// ```
            pub fn facts(&self) -> impl Iterator<Item = (&'static str, &str)> {
                match self {
                    $(Self::$variant $({ $($field,)* })? => {
                        vec![$($((stringify!($field), $field.as_str()),)*)?]
                    })*
                }
                .into_iter()
            }
        }

        /// The name of an event. The list is frozen: names are added and never changed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EventName {
            $(#[doc = concat!("`", $name, "`: ", $when, ".")] $variant,)*
        }

        impl EventName {
            /// All events.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name as hosts see it: `auth.registered`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The event with this name. `None` if this version of the library has no such event.
            #[must_use]
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|event| event.as_str() == name)
            }

            /// When the event is emitted.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $when,)* }
            }
        }
    };
}

events! {
    Registered "auth.registered" {
        /// What the user has proven: the password that was chosen, or that the mailbox is theirs.
        methods: Methods,
    }
        "a user was created; the tokens have not been returned yet";
    Login "auth.login" {
        /// The id of the session, which each of its tokens carries as `sid`.
        session_id: String,
        /// What was proven.
        methods: Methods,
    }
        "a session started, after a login without a second factor or after a passed challenge";
    LoginFailed "auth.login-failed" {
        /// What the login was attempted with.
        method: Method,
    }
        "a login was refused: a wrong password or code, an unknown address, an inactive account, or the host's policy";
    Logout "auth.logout" {
        /// The id of the session.
        session_id: String,
    }
        "a user ended a session";
    SessionEnded "auth.session-ended" {
        /// The id of the session.
        session_id: String,
        /// Why it ended.
        reason: SessionEnd,
    }
        "a session was ended by something else than its own logout";
    Lockout "auth.lockout" {
        /// What was attempted.
        attempt: AttemptKind,
    }
        "a limit refused an attempt to guess a secret";
    Unlocked "auth.unlocked"
        "an administrator has cleared the counters of failed attempts of an account";
    Confirmed "auth.confirmed" {
        /// What was proven.
        methods: Methods,
    }
        "a user has proven something again in a session";
    LoginCodeSent "auth.login-code-sent"
        "a code, or a link, to sign in, to confirm or to register was mailed";
    PasswordReset "auth.password-reset"
        "a new password was stored after a reset, and the reset token was deleted";
    PasswordUpdated "auth.password-updated"
        "a user changed the password";
    PasswordRemoved "auth.password-removed"
        "a user has removed the password";
    EmailVerified "auth.email-verified"
        "`emailVerifiedAt` was set";
    EmailChangeRequested "auth.email-change-requested"
        "a user has asked for another e-mail address, which is not proven yet";
    EmailChanged "auth.email-changed"
        "the e-mail address has changed, by a profile update, a confirmed change or an administrator";
    EmailReverted "auth.email-reverted"
        "an account has got its previous e-mail address back, by a link in a mail to that address";
    AccountSecured "auth.account-secured"
        "an account was locked down: its password, its sessions and what somebody else may have added are gone";
    AccountReclaimed "auth.account-reclaimed"
        "for the first time somebody has proven to read the mailbox of an account, and whatever somebody else could have left on it was removed";
    TwoFactorEnabled "auth.two-factor-enabled"
        "a two-factor secret was created; it is pending until it is confirmed, unless `confirm` is off";
    TwoFactorConfirmed "auth.two-factor-confirmed"
        "a two-factor secret was confirmed, or imported by an administrator, and is in force";
    TwoFactorDisabled "auth.two-factor-disabled"
        "two-factor authentication was disabled, by the user or by an administrator";
    TwoFactorSecretShown "auth.two-factor-secret-shown"
        "the secret of a second factor that is in force was shown in a session";
    TwoFactorChallenged "auth.two-factor-challenged"
        "a correct password led to a challenge for the second factor";
    TwoFactorFailed "auth.two-factor-failed"
        "a challenge or a confirmation was attempted with a wrong one-time code or recovery code";
    ValidTwoFactorCode "auth.valid-two-factor-code"
        "a challenge or a confirmation was passed with a one-time code";
    RecoveryCodeReplaced "auth.recovery-code-replaced"
        "a challenge or a confirmation was passed with a recovery code, which was replaced by a new one";
    RecoveryCodesGenerated "auth.recovery-codes-generated"
        "eight new recovery codes were generated";
    PasskeyAdded "auth.passkey-added" {
        /// The id of the passkey, which is not the one of its credential.
        passkey_id: String,
    }
        "a user has added a passkey";
    PasskeyRenamed "auth.passkey-renamed" {
        /// The id of the passkey.
        passkey_id: String,
    }
        "a user has renamed a passkey";
    PasskeyRemoved "auth.passkey-removed" {
        /// The id of the passkey.
        passkey_id: String,
    }
        "a passkey was removed, by its user, by an administrator, or because somebody else may have added it";
    PasskeyCounterRegressed "auth.passkey-counter-regressed" {
        /// The id of the passkey.
        passkey_id: String,
    }
        "a passkey that cannot be synced was refused, because it has counted backwards: there may be a copy of it";
    IdentityLinked "auth.identity-linked" {
        /// The id of the identity, which is not the one that the provider knows.
        identity_id: String,
        /// The name of the provider.
        provider: String,
    }
        "an account at a provider was linked to a user, who can sign in with it";
    IdentityUnlinked "auth.identity-unlinked" {
        /// The id of the identity.
        identity_id: String,
        /// The name of the provider.
        provider: String,
    }
        "an account at a provider was unlinked, by its user, by an administrator, or because somebody else may have linked it";
    ApiTokenCreated "auth.api-token-created" {
        /// The id of the API token, which is a part of its text and no secret.
        token_id: String,
    }
        "a user has created an API token";
    ApiTokenRevoked "auth.api-token-revoked" {
        /// The id of the API token.
        token_id: String,
    }
        "an API token was revoked, by its user, by an administrator, or because somebody else may have created it";
    DeviceTrusted "auth.device-trusted" {
        /// The id of the device, which is no secret.
        device_id: String,
    }
        "a user has proven the second factor on a device and has had it trusted";
    DeviceForgotten "auth.device-forgotten" {
        /// The id of the device.
        device_id: String,
    }
        "the trust in a device was ended by its user";
    ImpersonationStarted "auth.impersonation-started" {
        /// The id of the session.
        session_id: String,
        /// Who acts for the user: what the host has given.
        actor: String,
        /// Why, in the words of the actor.
        reason: String,
    }
        "an administrator has started a session in which they act for a user";
    ImpersonationEnded "auth.impersonation-ended" {
        /// The id of the session.
        session_id: String,
        /// Who has acted for the user.
        actor: String,
    }
        "a session in which somebody acted for a user was ended before its hour was over";
    InvitationSent "auth.invitation-sent"
        "an administrator has invited a user";
    InvitationAccepted "auth.invitation-accepted"
        "an invited user has chosen the first password";
    DeletionScheduled "auth.deletion-scheduled" {
        /// From when on the account can be deleted, in RFC 3339 with milliseconds. It tells the deletion from others of the account.
        due_at: String,
    }
        "the deletion of an account was scheduled, by its user or by an administrator";
    DeletionCancelled "auth.deletion-cancelled" {
        /// The time of the deletion.
        due_at: String,
    }
        "the deletion of an account was cancelled, by its user, by a lock down or by an administrator";
    AccountDeleted "auth.account-deleted" {
        /// The time of the deletion. If an instance stops at this moment, there can be two events with one time.
        due_at: String,
    }
        "a user was deleted, because the deletion was due";
    RefreshTokenReused "auth.refresh-token-reused" {
        /// The id of the session.
        session_id: String,
    }
        "a refresh token was used again after its grace period, and its session was ended";
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionEnd {
    /// Its user has revoked it.
    Revoked,
    /// Its user has ended all other sessions.
    OthersRevoked,
    /// Another session has taken its place: its user has started more sessions than `max_per_user`, and this one was the least
    /// recently used; or somebody has logged in or registered in the browser that had it.
    Superseded,
    /// The password, the second factor or the proven address has changed.
    CredentialChange,
    /// An administrator has ended it.
    Administrator,
    /// The account was locked down, because somebody else has used it.
    LockedDown,
    /// The account is going to be deleted.
    DeletionScheduled,
}

impl SessionEnd {
    /// The reason as a text: `revoked`, `others-revoked`, `superseded`, `credential-change`, `administrator`, `locked-down` or
    /// `deletion-scheduled`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Revoked => "revoked",
            Self::OthersRevoked => "others-revoked",
            Self::Superseded => "superseded",
            Self::CredentialChange => "credential-change",
            Self::Administrator => "administrator",
            Self::LockedDown => "locked-down",
            Self::DeletionScheduled => "deletion-scheduled",
        }
    }
}

/// What an attempt was for that a limit refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AttemptKind {
    /// A login.
    Login,
    /// Confirming or changing a password with the current one.
    Password,
    /// A two-factor code or a recovery code.
    TwoFactor,
    /// A reset token.
    PasswordReset,
    /// A code or a link in a mail.
    EmailCode,
    /// A passkey.
    Passkey,
    /// What a provider returns.
    Provider,
    /// An API token.
    ApiToken,
}

impl AttemptKind {
    /// All of them.
    pub(crate) const ALL: &[Self] = &[
        Self::Login,
        Self::Password,
        Self::TwoFactor,
        Self::PasswordReset,
        Self::EmailCode,
        Self::Passkey,
        Self::Provider,
        Self::ApiToken,
    ];

    /// The action as a text: `login`, `password`, `two-factor`, `password-reset`, `email-code`, `passkey`, `provider` or
    /// `api-token`. It is part of keys in the store, too: it must not change.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Password => "password",
            Self::TwoFactor => "two-factor",
            Self::PasswordReset => "password-reset",
            Self::EmailCode => "email-code",
            Self::Passkey => "passkey",
            Self::Provider => "provider",
            Self::ApiToken => "api-token",
        }
    }
}
