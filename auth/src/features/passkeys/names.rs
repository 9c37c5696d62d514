//! The names of passkeys: what a user writes, or the model of the authenticator.

/// The name of a passkey without one whose model is not in the table.
const DEFAULT: &str = "Passkey";

/// Models of authenticators by their AAGUID: where most passkeys are kept.
const MODELS: &[(&str, &str)] = &[
    ("08987058-cadc-4b81-b6e1-30de50dcbe96", "Windows Hello"),
    ("9ddd1817-af5a-4672-a2b9-3e3dd95000a9", "Windows Hello"),
    ("6028b017-b1d4-4c02-b4b3-afcdafc96bb2", "Windows Hello"),
    ("adce0002-35bc-c60a-648b-0b25f1f05503", "Chrome on Mac"),
    ("b5397666-4885-aa6b-cebf-e52262a439a2", "Chromium browser"),
    ("dd4ec289-e01d-41c9-bb89-70fa845d4bf2", "iCloud Keychain (managed)"),
    ("fbfc3007-154e-4ecc-8c0b-6e020557d7bd", "Apple Passwords"),
    ("ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4", "Google Password Manager"),
    ("53414d53-554e-4700-0000-000000000000", "Samsung Pass"),
    ("bada5566-a7aa-401f-bd96-45619a55120d", "1Password"),
    ("d548826e-79b4-db40-a3d8-11116f7e8349", "Bitwarden"),
    ("531126d6-e717-415c-9320-3d9aa6981239", "Dashlane"),
    ("0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6", "Keeper"),
    ("fdb141b2-5d84-443e-8a35-4698c205a502", "KeePassXC"),
    ("f3809540-7f14-49c1-a8b3-8f813b225541", "Enpass"),
    ("b84e4048-15dc-4dd0-8640-f4f60813c8af", "NordPass"),
    ("50726f74-6f6e-5061-7373-50726f746f6e", "Proton Pass"),
    ("cb69481e-8ff7-4039-93ec-0a2729a154a8", "YubiKey 5"),
    ("fa2b99dc-9e39-4257-8f92-4a30d23c4118", "YubiKey 5 NFC"),
    ("2fc0579f-8113-47ea-b116-bb5a8db9202a", "YubiKey 5 NFC"),
];

/// The name of a passkey that its user has not named.
pub(super) fn of_model(aaguid: Option<[u8; 16]>) -> &'static str {
    let name = aaguid.map(text).and_then(|text| MODELS.iter().find(|(model, _)| *model == text));
    name.map_or(DEFAULT, |(_, name)| name)
}

/// An AAGUID as it is printed: `08987058-cadc-4b81-b6e1-30de50dcbe96`.
pub(super) fn text(aaguid: [u8; 16]) -> String {
    let mut text = String::new();
    for (at, byte) in aaguid.into_iter().enumerate() {
        if [4, 6, 8, 10].contains(&at) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::short_name;

    #[test]
    fn a_model_is_found_by_its_aaguid() {
        let aaguid =
            [0xba, 0xda, 0x55, 0x66, 0xa7, 0xaa, 0x40, 0x1f, 0xbd, 0x96, 0x45, 0x61, 0x9a, 0x55, 0x12, 0x0d];
        assert_eq!(text(aaguid), "bada5566-a7aa-401f-bd96-45619a55120d");
        assert_eq!(of_model(Some(aaguid)), "1Password");
        assert_eq!((of_model(Some([7; 16])), of_model(None)), ("Passkey", "Passkey"));
        for (model, name) in MODELS {
            let is_aaguid =
                model.len() == 36 && model.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
            assert!(is_aaguid && *model == model.to_lowercase(), "{model}");
            assert_eq!(short_name(name).as_deref(), Ok(*name));
        }
    }
}
