//! What a request leads to in an account that somebody else may have used, beside what its endpoint does.

use crate::events::EventName as E;

/// What a request can lead to. Its events are those of every feature, because each ends what it has added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consequence {
    Nothing,
    /// The owner of the address arrives (specification §15.7).
    Arrival,
    /// The account is locked down (specification §15.9).
    LockDown,
}

impl Consequence {
    pub(super) const fn events(self) -> &'static [E] {
        match self {
            Self::Nothing => &[],
            Self::Arrival => &[
                E::EmailVerified,
                E::AccountReclaimed,
                E::TwoFactorDisabled,
                E::PasskeyRemoved,
                E::IdentityUnlinked,
                E::ApiTokenRevoked,
            ],
            Self::LockDown => &[
                E::AccountSecured,
                E::EmailReverted,
                E::SessionEnded,
                E::PasskeyRemoved,
                E::IdentityUnlinked,
                E::ApiTokenRevoked,
            ],
        }
    }
}
