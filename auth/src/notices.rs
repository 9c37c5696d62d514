//! The kinds of security notices, which options switch off and deliveries take to users.

use std::fmt;
use std::str::FromStr;

/// Makes the kinds from one list.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $value:literal $link:ident;)*) => {
        /// What has happened to an account, of which its owner is told (specification §15.10).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum SecurityNoticeKind {
            $($(#[$doc])* $variant,)*
        }

        impl SecurityNoticeKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The kind's value in configuration files and environments: `new-sign-in`.
            #[must_use]
            pub const fn value(self) -> &'static str {
                match self { $(Self::$variant => $value,)* }
            }

            /// Whether the notice has a link that locks the account down.
            pub(crate) const fn has_link(self) -> bool {
                match self { $(Self::$variant => kinds!(@ $link),)* }
            }
        }
    };
    (@ link) => { true };
    (@ no_link) => { false };
}

kinds! {
    /// Somebody has signed in from a client that the account does not know, with a browser or app that is new there.
    NewSignIn "new-sign-in" link;
    /// The password was changed in a session.
    PasswordChanged "password-changed" link;
    /// The password was reset. Who has done that reads the mailbox, so there is no link.
    PasswordReset "password-reset" no_link;
    /// The password was removed.
    PasswordRemoved "password-removed" link;
    /// A second factor was put in force.
    TwoFactorEnabled "two-factor-enabled" link;
    /// The second factor was removed.
    TwoFactorDisabled "two-factor-disabled" link;
    /// The secret of the second factor was shown in a session.
    TwoFactorSecretShown "two-factor-secret-shown" link;
    /// A recovery code was used in place of the second factor.
    RecoveryCodeUsed "recovery-code-used" link;
    /// New recovery codes have replaced the previous ones.
    RecoveryCodesGenerated "recovery-codes-generated" link;
    /// A passkey was added.
    PasskeyAdded "passkey-added" link;
    /// A passkey was removed in a session.
    PasskeyRemoved "passkey-removed" link;
    /// An account at a provider was linked.
    IdentityLinked "identity-linked" link;
    /// An account at a provider was unlinked in a session.
    IdentityUnlinked "identity-unlinked" link;
    /// An API token was created.
    ApiTokenCreated "api-token-created" link;
    /// A device is trusted: no second factor is asked for there.
    DeviceTrusted "device-trusted" link;
    /// An administrator has started a session in which they act for the user. The host has allowed it, so there is no link.
    Impersonated "impersonated" no_link;
    /// A refresh token was used twice, and its session has ended already, so there is no link.
    RefreshTokenReused "refresh-token-reused" no_link;
    /// Somebody has proven for the first time to read the mailbox, which has removed what somebody else could have left on the account.
    AccountReclaimed "account-reclaimed" no_link;
}

impl fmt::Display for SecurityNoticeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.value())
    }
}

/// A kind of security notice that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no kind of security notice `{0}`; the kinds are {all}", all = all_kinds())]
pub struct UnknownSecurityNotice(String);

fn all_kinds() -> String {
    SecurityNoticeKind::ALL.iter().map(|kind| kind.value()).collect::<Vec<_>>().join(", ")
}

impl FromStr for SecurityNoticeKind {
    type Err = UnknownSecurityNotice;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        let named = |kind: &Self| kind.value() == value;
        Self::ALL.iter().copied().find(named).ok_or_else(|| UnknownSecurityNotice(value.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_read_by_its_value() {
        for kind in SecurityNoticeKind::ALL {
            assert_eq!(kind.value().parse(), Ok(*kind));
        }
        let unknown = "new-signin".parse::<SecurityNoticeKind>().unwrap_err().to_string();
        assert!(
            unknown
                .starts_with("there is no kind of security notice `new-signin`; the kinds are new-sign-in, "),
            "{unknown}"
        );
    }
}
