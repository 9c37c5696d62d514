//! The parts of CBOR that authenticators use: definite lengths everywhere, and no key twice in what is read.

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
    skip(reader)?;
    reader.input().get(start..reader.position())
}

/// Passes a map over, whatever is in it.
pub(super) fn skip_map(reader: &mut Decoder<'_>) -> Option<()> {
    (reader.datatype().ok()? == Type::Map).then_some(())?;
    skip(reader)
}

/// Passes the next item over. It has definite lengths, also in what it contains, however deep that is.
pub(super) fn skip(reader: &mut Decoder<'_>) -> Option<()> {
    let mut pending = 1_u64;
    while pending > 0 {
        let within = match reader.datatype().ok()? {
            Type::Array => reader.array().ok()??,
            Type::Map => reader.map().ok()??.checked_mul(2)?,
            Type::Tag => {
                reader.tag().ok()?;
                1
            }
            Type::ArrayIndef
            | Type::MapIndef
            | Type::BytesIndef
            | Type::StringIndef
            | Type::Break
            | Type::Unknown(_) => return None,
            _ => {
                reader.skip().ok()?;
                0
            }
        };
        pending = (pending - 1).checked_add(within)?;
    }
    Some(())
}

/// Whether nothing follows.
pub(super) fn is_at_end(reader: &Decoder<'_>) -> bool {
    reader.position() == reader.input().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(bytes: &[u8]) -> Option<usize> {
        let mut reader = Decoder::new(bytes);
        skip(&mut reader).map(|()| reader.position())
    }

    #[test]
    fn what_has_a_definite_length_is_passed_over() {
        for item in [
            &[0x00][..],
            &[0x38, 0x64],
            &[0x42, 1, 2],
            &[0x61, b'a'],
            &[0x82, 0x01, 0x81, 0xf6],
            &[0xa1, 0x61, b'a', 0xa1, 0x01, 0x82, 0x00, 0x41, 0xff],
            &[0xc0, 0x61, b'a'],
            &[0xf9, 0x3c, 0x00],
            &[0xf5],
        ] {
            let more = [item, &[0x00]].concat();
            assert_eq!(skipped(&more), Some(item.len()), "{item:02x?}");
        }
        let deep = [vec![0x81; 100_000], vec![0x00]].concat();
        assert_eq!(skipped(&deep), Some(deep.len()));
    }

    #[test]
    fn what_has_none_or_ends_early_is_refused() {
        for item in [
            &[][..],
            &[0xff],
            &[0x9f, 0xff],
            &[0x81, 0x9f, 0xff],
            &[0xa1, 0x61, b'a', 0xbf, 0xff],
            &[0xa1, 0x61, b'a', 0xff],
            &[0x5f, 0x41, 0x00, 0xff],
            &[0x82, 0x01, 0x7f, 0x61, b'a', 0xff],
            &[0x1c],
            &[0x82, 0x00],
            &[0x42, 0x00],
            &[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0xc0],
        ] {
            assert_eq!(skipped(item), None, "{item:02x?}");
        }
    }
}
