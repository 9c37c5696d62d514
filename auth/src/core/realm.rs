//! What sets the users of one module apart from those of another.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The name of a module's users (specification §11.2). It is in the state of their sessions and in the keys of whatever
/// several modules can share, so that no module accepts what another one has stored.
#[derive(Clone)]
pub(crate) struct Realm(Arc<str>);

/// The longest realm that is used as it is, in bytes. With the longest address it fits into a key of a repository.
const LONGEST: usize = 200;

impl Realm {
    /// The name that the host gives the module, or that of the type of its users. The latter is only unique within one
    /// application, so a configured audience is in front of it.
    pub(crate) fn new(given: Option<String>, of_users: &str, audience: Option<&str>) -> Self {
        let name = given.unwrap_or_else(|| match audience {
            Some(audience) => format!("{audience}/{of_users}"),
            None => of_users.to_owned(),
        });
        Self(match name.len() {
            ..=LONGEST => name.into(),
            _ => URL_SAFE_NO_PAD.encode(Sha256::digest(name)).into(),
        })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_realm_is_short_and_another_for_each_name() {
        let of = |given: Option<&str>, of_users: &str, audience: Option<&str>| {
            Realm::new(given.map(str::to_owned), of_users, audience).as_str().to_owned()
        };
        assert_eq!(of(None, "shop::Member", None), "shop::Member");
        assert_eq!(
            of(None, "shop::Member", Some("https://shop.example")),
            "https://shop.example/shop::Member"
        );
        assert_eq!(of(Some("members"), "shop::Member", Some("https://shop.example")), "members");
        let long = |letter: &str| of(None, &letter.repeat(LONGEST + 1), None);
        assert_eq!((of(None, &"a".repeat(LONGEST), None).len(), long("a").len()), (LONGEST, 43));
        assert_ne!(long("a"), long("b"));
    }
}
