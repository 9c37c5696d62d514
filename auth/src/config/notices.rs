//! The switches of security notices (specification §5.11).

use crate::notices::SecurityNoticeKind;

/// Which kinds of security notices are sent (SECURITY_NOTICES): all of them, unless one is switched off.
///
/// ```
/// use axum_auth_module::config::NoticeOptions;
/// use axum_auth_module::delivery::SecurityNoticeKind;
///
/// let options = NoticeOptions::default().without(SecurityNoticeKind::NewSignIn);
/// assert!(!options.sends(SecurityNoticeKind::NewSignIn));
/// assert!(options.sends(SecurityNoticeKind::PasswordChanged));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoticeOptions {
    /// A bit for each kind that is off.
    off: u64,
}

const _: () = assert!(SecurityNoticeKind::ALL.len() <= 64, "`NoticeOptions` has one bit for each kind");

impl NoticeOptions {
    /// Switches a kind off.
    #[must_use]
    pub const fn without(self, kind: SecurityNoticeKind) -> Self {
        Self { off: self.off | 1 << kind as u64 }
    }

    /// Whether notices of this kind are sent.
    #[must_use]
    pub const fn sends(self, kind: SecurityNoticeKind) -> bool {
        self.off & (1 << kind as u64) == 0
    }
}
