//! The parts of CBOR that authenticators use. What is read has definite lengths, and no key twice. What is passed over, such as the
//! outputs of extensions, need only be CBOR.

use minicbor::Decoder;
use minicbor::data::Type;

/// The most entries of a map.
const MOST_ENTRIES: u64 = 32;

/// How many entries the map has that begins here. `None` for anything else.
pub(super) fn entries(reader: &mut Decoder<'_>) -> Option<u64> {
    reader.map().ok().flatten().filter(|entries| *entries <= MOST_ENTRIES)
}

/// The bytes of the next item, whatever it is.
pub(super) fn item<'a>(reader: &mut Decoder<'a>) -> Option<&'a [u8]> {
    let start = reader.position();
    reader.skip().ok()?;
    reader.input().get(start..reader.position())
}

/// Passes a map over, whatever is in it.
pub(super) fn skip_map(reader: &mut Decoder<'_>) -> Option<()> {
    (reader.datatype().ok()? == Type::Map).then_some(())?;
    reader.skip().ok()
}

/// Whether nothing follows.
pub(super) fn is_at_end(reader: &Decoder<'_>) -> bool {
    reader.position() == reader.input().len()
}
