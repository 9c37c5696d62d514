//! Public keys as authenticators write them (RFC 9052 §7, RFC 9053).

use super::cbor;
use crate::crypto::signatures::PublicKey;
use minicbor::Decoder;
use minicbor::data::Type;

// Algorithms.
pub(super) const ES256: i64 = -7;
pub(super) const EDDSA: i64 = -8;
pub(super) const RS256: i64 = -257;

// Kinds of keys, and curves.
const OKP: i64 = 1;
const EC2: i64 = 2;
const RSA: i64 = 3;
const P256: i64 = 1;
const ED25519: i64 = 6;

// Labels.
const KIND: i64 = 1;
const ALGORITHM: i64 = 3;

/// The parameters of a key that are read. The meaning of negative labels depends on the kind.
#[derive(Default)]
struct Parameters<'a> {
    kind: Option<i64>,
    algorithm: Option<i64>,
    /// `crv`.
    curve: Option<i64>,
    /// `x`, and `e` of RSA.
    x: Option<&'a [u8]>,
    /// `y`.
    y: Option<&'a [u8]>,
    /// `n` of RSA.
    modulus: Option<&'a [u8]>,
}

/// The key, if it is one of an algorithm that is offered and nothing follows it.
pub(super) fn public_key(key: &[u8]) -> Option<PublicKey<'_>> {
    let read = parameters(&mut Decoder::new(key))?;
    match (read.kind?, read.algorithm?) {
        (EC2, ES256) if read.curve? == P256 => PublicKey::p256(read.x?, read.y?),
        (OKP, EDDSA) if read.curve? == ED25519 => PublicKey::ed25519(read.x?),
        (RSA, RS256) => PublicKey::rsa(read.modulus?, read.x?),
        _ => None,
    }
}

/// Reads the parameters. A label that comes twice is refused; one that has no meaning here is passed over.
fn parameters<'a>(reader: &mut Decoder<'a>) -> Option<Parameters<'a>> {
    let (mut read, mut labels) = (Parameters::default(), Vec::new());
    for _ in 0..cbor::entries(reader)? {
        let label = reader.i64().ok()?;
        if labels.contains(&label) {
            return None;
        }
        labels.push(label);
        let is_bytes = reader.datatype().ok()? == Type::Bytes;
        match label {
            KIND => read.kind = Some(reader.i64().ok()?),
            ALGORITHM => read.algorithm = Some(reader.i64().ok()?),
            // `crv` of curves, and `n` of RSA.
            -1 if is_bytes => read.modulus = Some(reader.bytes().ok()?),
            -1 => read.curve = Some(reader.i64().ok()?),
            -2 => read.x = Some(reader.bytes().ok()?),
            -3 => read.y = Some(reader.bytes().ok()?),
            _ => cbor::skip(reader)?,
        }
    }
    cbor::is_at_end(reader).then_some(read)
}
