//! A strict JSON parser: the keys of every object must be unique. RFC 8259 §4 leaves duplicate keys open, and an
//! attacker could use a difference between two parsers.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fmt;

/// The prefix of the keys that serde_json reserves for itself. With its feature `arbitrary_precision` or `raw_value`,
/// it represents a number or a raw value as a map with one such key.
const PRIVATE: &str = "$serde_json::private::";

/// Parses an object. Returns `None` for any other body: not UTF-8, a byte order mark, trailing text, a duplicate key,
/// more than 127 levels of nesting, or a key with the prefix that serde_json reserves.
pub(crate) fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    let text = std::str::from_utf8(bytes).ok()?;
    Strict.deserialize(&mut serde_json::Deserializer::from_str(text)).ok()?;
    // How a visitor sees a value depends on serde_json's features; `Value` handles all of them.
    serde_json::from_str(text).ok()
}

/// Visits a value, discards it, and fails on duplicate keys.
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            match key.starts_with(PRIVATE) {
                true => entries.next_value_seed(NumberText)?,
                false => entries.next_value_seed(Self)?,
            }
            if !keys.insert(key) {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        Ok(())
    }
}

/// The text of a number under serde_json's reserved key. serde_json passes it as an owned string; a string in the body
/// arrives in `visit_str`, so a client cannot forge such a number.
struct NumberText;

impl<'de> DeserializeSeed<'de> for NumberText {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl Visitor<'_> for NumberText {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Err(E::custom("a key that serde_json reserves"))
    }

    fn visit_string<E>(self, _: String) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::object;

    #[test]
    fn an_object_is_parsed_like_serde_json_parses_it() {
        let text = r#" {"a": [1, -2, 3.5, true, null, "x", {"b": {}}]} "#;
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(object(text.as_bytes()), value.as_object().cloned());
    }

    #[test]
    fn ambiguous_and_malformed_bodies_are_rejected() {
        let deep = format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200));
        for bad in [
            r#"{"a":1,"a":1}"#,
            r#"{"x":{"a":1,"\u0061":2}}"#,
            r#"[{"a":1}]"#,
            "1",
            "null",
            "",
            "{",
            "{} {}",
            "\u{feff}{}",
            r#"{"a":"\ud800"}"#,
            r#"{"a":NaN}"#,
            r#"{'a':1}"#,
            r#"{"a":1,}"#,
            r#"{"a":{"$serde_json::private::Number":"1"}}"#,
            &deep,
        ] {
            assert!(object(bad.as_bytes()).is_none(), "{bad}");
        }
        assert!(object(b"{\"a\":\"\xff\"}").is_none());
        let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(object(&utf16).is_none());
    }
}
