//! `attestationObject`: a new credential, and a statement about its authenticator that is not asked for (WebAuthn Level 3 §6.5).

use super::authenticator_data::AuthenticatorData;
use super::{Flaw, cbor};
use minicbor::Decoder;

/// Reads the three members in any order. The statement is passed over: authenticators send one that nobody has asked for. That of the
/// format `none` is empty.
pub(super) fn authenticator_data(object: &[u8]) -> Result<AuthenticatorData<'_>, Flaw> {
    let (mut format, mut statement, mut data) = (None, None, None);
    let read = |reader: &mut Decoder<'_>| -> Option<()> {
        for _ in 0..cbor::entries(reader)? {
            let is_first = match reader.str().ok()? {
                "fmt" => format.replace(reader.str().ok()?.to_owned()).is_none(),
                "attStmt" => {
                    let start = reader.position();
                    let entries = cbor::entries(reader)?;
                    reader.set_position(start);
                    cbor::skip(reader)?;
                    statement.replace(entries).is_none()
                }
                "authData" => {
                    let bytes = reader.bytes().ok()?;
                    let end = reader.position();
                    data.replace(end - bytes.len()..end).is_none()
                }
                _ => false,
            };
            is_first.then_some(())?;
        }
        cbor::is_at_end(reader).then_some(())
    };
    let mut read = read;
    read(&mut Decoder::new(object)).ok_or(Flaw::AttestationObject)?;
    let (Some(format), Some(entries), Some(data)) = (format, statement, data) else {
        return Err(Flaw::AttestationObject);
    };
    if format == "none" && entries != 0 {
        return Err(Flaw::AttestationObject);
    }
    AuthenticatorData::read(object.get(data).ok_or(Flaw::AttestationObject)?)
}
