//! The PHC string format: `$id$v=version$name=value,…$salt$digest`, with base64 without padding.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// The lengths that a digest can have. A shorter one would match other passwords too often.
const DIGEST: std::ops::RangeInclusive<usize> = 16..=64;
/// The lengths that a salt can have.
const SALT: std::ops::RangeInclusive<usize> = 8..=64;

/// The parts of a stored hash.
pub(super) struct Phc<'a> {
    pub(super) id: &'a str,
    pub(super) version: Option<u32>,
    parameters: &'a str,
    pub(super) salt: Vec<u8>,
    pub(super) digest: Vec<u8>,
}

impl<'a> Phc<'a> {
    /// `None` if the text has another form, or a salt or digest of unusual length.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let parts: Vec<_> = text.strip_prefix('$')?.split('$').collect();
        let (id, version, parameters, salt, digest) = match *parts.as_slice() {
            [id, parameters, salt, digest] => (id, None, parameters, salt, digest),
            [id, version, parameters, salt, digest] => {
                (id, Some(number(version.strip_prefix("v=")?)?), parameters, salt, digest)
            }
            _ => return None,
        };
        let [salt, digest] = [salt, digest].map(|text| STANDARD_NO_PAD.decode(text).ok());
        let salt = salt.filter(|salt| SALT.contains(&salt.len()))?;
        let digest = digest.filter(|digest| DIGEST.contains(&digest.len()))?;
        Some(Self { id, version, parameters, salt, digest })
    }

    /// The values of the parameters of these names. `None` if there is another parameter, one is there twice, or a value
    /// is not a number.
    pub(super) fn parameters<const N: usize>(&self, names: [&str; N]) -> Option<[Option<u32>; N]> {
        let mut values = [None; N];
        for parameter in self.parameters.split(',') {
            let (name, value) = parameter.split_once('=')?;
            let at = names.iter().position(|known| *known == name)?;
            let slot = values.get_mut(at).filter(|slot| slot.is_none())?;
            *slot = Some(number(value)?);
        }
        Some(values)
    }
}

/// A decimal number without a sign.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|octet| octet.is_ascii_digit()).then(|| text.parse().ok())?
}
