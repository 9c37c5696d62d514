//! The operations of this module with prepared inputs, for `cargo bench --manifest-path tests/benches/Cargo.toml --bench primitives`.

use super::encryption::{Encryption, KEY_BYTES, Place};
use super::jwt::TokenKeys;
use super::keys::{Purpose, Secret};
use super::links::LinkKeys;
use super::random;
use super::ring::KeyRing;
use super::totp::{TotpSecret, qr_code};
use crate::error::AuthError;
use serde_json::{Value, json};
use std::hint::black_box;

/// Does an operation once.
type Operation = Box<dyn Fn() -> Result<(), AuthError>>;

/// The operations, each with its name.
///
/// # Errors
/// If the operating system has no random numbers.
pub fn primitives() -> Result<Vec<(&'static str, Operation)>, AuthError> {
    let secrets = KeyRing::new(Secret::new(vec![1; 32]), Vec::new());
    let (id, generation) = (random::id()?, "g".repeat(43));
    let claims = json!({
        "sub": "1000000", "sid": id, "jti": id, "iat": 1_795_000_000, "exp": 1_795_000_900, "gen": generation,
    });
    let keys = || TokenKeys::new("at+jwt", &secrets);
    let token = keys().sign(&claims)?;
    let (own, other, signing) = (keys(), keys(), keys());
    // The same header in another order, which is read by jsonwebtoken.
    let rewritten = own.sign_with_header(r#"{"alg":"HS256","typ":"at+jwt"}"#, &claims)?;

    let (mark, sealing) = (secrets.derive(Purpose::Generation), secrets.derive(Purpose::SessionState));
    let (hash, state) = ("$2b$12$".to_owned() + &"a".repeat(53), "s".repeat(250));

    let place = Place { user: "1000000", field: "twoFactorSecret" };
    let encryption = Encryption::new(&[7; KEY_BYTES], &[]);
    let secret = TotpSecret::generate(20)?;
    let plaintext = secret.to_base32();
    let encrypted = encryption.encrypt(place, plaintext.as_bytes())?;
    let encrypting = encryption.clone();
    let url = secret.url("Example", "ada@example.com");

    let links = LinkKeys::new(&secrets);
    let signing_links = links.clone();
    let macs = links.sign("1000000", "ada@example.com", "1795000900");

    Ok(vec![
        operation("sign a token", move || signing.sign(&claims).map(drop)),
        operation("read a token", move || done(own.open::<Value>(&token).is_some())),
        operation("read a token with another header", move || {
            done(other.open::<Value>(&rewritten).is_some())
        }),
        operation("MAC of a user's credentials", move || {
            black_box(mark.current().mac(&[b"1000000", hash.as_bytes(), &[0; 8]]));
            Ok(())
        }),
        operation("MAC of a session's state", move || {
            black_box(sealing.current().mac(&[id.as_bytes(), b"1000000", state.as_bytes()]));
            Ok(())
        }),
        operation("a random id", || random::id().map(drop)),
        operation("encrypt a second factor's secret", move || {
            encrypting.encrypt(place, plaintext.as_bytes()).map(drop)
        }),
        operation("decrypt it", move || encryption.decrypt(place, &encrypted).map(drop)),
        operation("check a one-time code", move || {
            black_box(secret.step_of("000000", 1_795_000_000, 1));
            Ok(())
        }),
        operation("draw a QR code", move || qr_code(&url).map(drop)),
        operation("sign a verification link", move || {
            black_box(signing_links.sign("1000000", "ada@example.com", "1795000900").hash);
            Ok(())
        }),
        operation("check it", move || {
            done(links.verify("1000000", "ada@example.com", "1795000900", &macs.hash, &macs.signature))
        }),
    ])
}

fn operation(
    name: &'static str,
    run: impl Fn() -> Result<(), AuthError> + 'static,
) -> (&'static str, Operation) {
    (name, Box::new(run))
}

/// An operation that was refused did less than what is measured.
fn done(accepted: bool) -> Result<(), AuthError> {
    if accepted { Ok(()) } else { Err(AuthError::internal("a valid input was refused")) }
}
