//! Users that already have passwords: which stored hashes the module verifies, and a verifier of your own for the others.
//!
//! A user whose hash was stored by another program can log in with the password: the module verifies the hash as it is, and
//! the first login replaces it by a new one (specification §14). The beginning of the stored text says its kind:
//!
//! | stored text | cargo feature |
//! |---|---|
//! | `$2a$…`, `$2b$…`, `$2x$…`, `$2y$…`: bcrypt | |
//! | `$argon2id$…`, `$argon2i$…`, `$argon2d$…` | `argon2` |
//! | `$scrypt$ln=16,r=8,p=1$…`, in PHC form | `foreign-hashes` |
//! | `$pbkdf2-sha256$…`, `$pbkdf2-sha512$…`, in PHC form and as passlib writes them | `foreign-hashes` |
//! | `$peppered$…`: a hash of this library with a pepper | |
//! | anything else | a [`PasswordVerifier`] of yours |
//!
//! No password matches a hash of another kind. The log names its kind once, at the level `warn`.

use crate::erase::provided;
use std::sync::Arc;

/// Verifies stored hashes of a kind that the library does not know. Give it to the module as `password_verifier` of
/// `auth_module!` or with [`AuthModuleBuilder::password_verifier`](crate::AuthModuleBuilder::password_verifier).
///
/// The module asks for each stored hash that it cannot verify itself, except an empty one. If the password is correct, the
/// login replaces the hash by one of the module's own, so each user's hash is verified here successfully once.
///
/// This verifies the hashes of Django, `pbkdf2_sha256$1000000$salt$digest`, with the crates `pbkdf2` 0.13, `sha2` 0.11,
/// `base64` and `subtle`:
///
/// ```
/// use axum_auth_module::passwords::PasswordVerifier;
/// use base64::Engine;
/// use base64::engine::general_purpose::STANDARD;
/// use pbkdf2::pbkdf2_hmac;
/// use sha2::Sha256;
/// use subtle::ConstantTimeEq;
///
/// struct Django;
///
/// impl PasswordVerifier for Django {
///     fn recognises(&self, hash: &str) -> bool {
///         hash.starts_with("pbkdf2_sha256$")
///     }
///
///     fn verify(&self, password: &str, hash: &str) -> bool {
///         let parts: Vec<_> = hash.split('$').collect();
///         let [_, iterations, salt, digest] = *parts else { return false };
///         let (Ok(iterations), Ok(digest)) = (iterations.parse(), STANDARD.decode(digest)) else { return false };
///         // A hash that would take minutes must not occupy a thread.
///         if !(1..=2_000_000).contains(&iterations) || digest.len() != 32 {
///             return false;
///         }
///         let mut computed = [0; 32];
///         pbkdf2_hmac::<Sha256>(password.as_bytes(), salt.as_bytes(), iterations, &mut computed);
///         computed.ct_eq(&digest).into()
///     }
/// }
/// # let hash = "pbkdf2_sha256$1000$saltsaltsalt$GacV8oEzUl3KM0Mwey9yrMcTPKpkL4jXrFpbKB8oOnI=";
/// # assert!(Django.recognises(hash) && Django.verify("correct horse battery", hash));
/// # assert!(!Django.verify("another password", hash));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot verify stored password hashes",
    label = "does not implement `PasswordVerifier`",
    note = "leave `password_verifier:` out, or write `impl axum_auth_module::passwords::PasswordVerifier for {Self}`"
)]
pub trait PasswordVerifier: Send + Sync + 'static {
    /// Whether this verifier knows the kind of the stored hash. It is called in the request and must return at once. If it
    /// panics, the hash counts as not recognised.
    fn recognises(&self, hash: &str) -> bool;

    /// Whether the password matches a hash that [`recognises`](Self::recognises) has accepted. Compare digests in constant
    /// time, and do not log the arguments.
    ///
    /// It is called on one of the threads for passwords, which does nothing else meanwhile: it may compute, and must not wait
    /// for anything. It must bound its own time and memory. If it panics, the response is 500. A password of more than 72
    /// bytes or with a NUL does not match, whatever it returns.
    fn verify(&self, password: &str, hash: &str) -> bool;

    provided!(dyn PasswordVerifier);
}

#[diagnostic::do_not_recommend]
impl<V: PasswordVerifier + ?Sized> PasswordVerifier for Arc<V> {
    fn recognises(&self, hash: &str) -> bool {
        (**self).recognises(hash)
    }

    fn verify(&self, password: &str, hash: &str) -> bool {
        (**self).verify(password, hash)
    }
}
