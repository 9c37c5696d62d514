//! Credentials whose signature was verified before: clients send an access token or a cookie with each of their requests.

use super::Presented;
use super::claims::{Opened, OpenedKind, Registered};
use crate::crypto::memo::Memo;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The credentials that came last, with what they say. Whether they are valid now, and whether their sessions have ended, is looked at for
/// each request.
pub(super) struct OpenedBefore(Memo<Known>);

/// A credential with a valid signature, and with the issuer and the audience of the configuration.
pub(super) struct Known {
    message: String,
    signature: Zeroizing<String>,
    opened: Arc<Opened>,
    not_before: Option<u64>,
}

impl OpenedBefore {
    pub(super) fn new() -> Self {
        Self(Memo::new())
    }

    /// What is known of a credential. Only a credential that is equal in each byte, and of its kind, is known.
    pub(super) fn find(&self, presented: Presented<'_>) -> Option<Arc<Known>> {
        let (message, signature) = parts(presented)?;
        self.0.get(signature, |known| {
            // The signature is the secret: without it, everybody could write the message.
            known.is_of_kind(presented)
                && known.message == message
                && bool::from(known.signature.as_bytes().ct_eq(signature.as_bytes()))
        })
    }

    /// Keeps a credential that has just been verified.
    pub(super) fn keep(
        &self,
        presented: Presented<'_>,
        opened: Opened,
        not_before: Option<u64>,
    ) -> Arc<Opened> {
        let opened = Arc::new(opened);
        if let Some((message, signature)) = parts(presented) {
            let (message, signature) = (message.to_owned(), Zeroizing::new(signature.to_owned()));
            self.0.keep(
                &signature.clone(),
                Known { message, signature, opened: Arc::clone(&opened), not_before },
            );
        }
        opened
    }
}

impl Known {
    fn is_of_kind(&self, presented: Presented<'_>) -> bool {
        matches!(
            (&self.opened.kind, presented),
            (OpenedKind::Token { .. }, Presented::AccessToken(_))
                | (OpenedKind::Cookie { .. }, Presented::SessionCookie(_))
        )
    }

    /// The claims that decide whether it is valid now.
    pub(super) fn times<'a>(&self, issuer: Option<&'a str>, audience: Option<&'a str>) -> Registered<'a> {
        let Opened { issued_at, expires_at, .. } = &*self.opened;
        Registered { iat: *issued_at, exp: *expires_at, nbf: self.not_before, iss: issuer, aud: audience }
    }

    pub(super) fn opened(&self) -> Arc<Opened> {
        Arc::clone(&self.opened)
    }
}

/// What is signed, and the signature.
fn parts(presented: Presented<'_>) -> Option<(&str, &str)> {
    let (Presented::AccessToken(text) | Presented::SessionCookie(text)) = presented;
    text.rsplit_once('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "header.claims.signature";

    fn token() -> Opened {
        Opened::of_token("mark")
    }

    fn is_known(presented: Presented<'_>, known: &OpenedBefore) -> bool {
        known.find(presented).is_some()
    }

    #[test]
    fn only_a_credential_of_its_kind_that_is_equal_in_each_byte_is_known() {
        let known = OpenedBefore::new();
        assert!(!is_known(Presented::AccessToken(TEXT), &known));
        known.keep(Presented::AccessToken(TEXT), token(), None);
        assert!(is_known(Presented::AccessToken(TEXT), &known));
        assert!(!is_known(Presented::SessionCookie(TEXT), &known));
        known.keep(Presented::SessionCookie("h.c.cookie"), Opened::of_cookie(1), None);
        assert!(is_known(Presented::SessionCookie("h.c.cookie"), &known));
        assert!(!is_known(Presented::AccessToken("h.c.cookie"), &known));
        for at in 0..TEXT.len() {
            let mut changed = TEXT.to_owned();
            changed.replace_range(at..=at, "~");
            assert!(!is_known(Presented::AccessToken(&changed), &known), "{changed}");
        }
        for other in
            ["", "signature", ".signature", "claims.signature", "header.claims.", "header.claims.signature "]
        {
            assert!(!is_known(Presented::AccessToken(other), &known), "{other:?}");
        }
    }

    /// The signature is the name, and of two messages with one signature the last one is known.
    #[test]
    fn another_message_with_the_signature_is_not_known() {
        let known = OpenedBefore::new();
        known.keep(Presented::AccessToken(TEXT), token(), Some(7));
        assert!(!is_known(Presented::AccessToken("header.others.signature"), &known));
        let Some(found) = known.find(Presented::AccessToken(TEXT)) else { panic!("it is known") };
        let times = found.times(Some("issuer"), None);
        assert_eq!((times.nbf, times.exp, times.iss), (Some(7), token().expires_at, Some("issuer")));
    }
}
