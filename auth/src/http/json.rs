//! JSON that means one thing: an object whose keys, at every depth, occur once (RFC 8259 §4 leaves the others open,
//! and where two readers differ somebody gets through between them).

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Reads an object. `None` for everything else: other encodings than UTF-8, a byte order mark, trailing text, a
/// duplicate key, nesting deeper than 128.
pub(super) fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// Reads a value and refuses duplicate keys.
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(Self)?;
            if object.insert(key, value).is_some() {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::object;

    #[test]
    fn an_object_is_read_as_serde_json_reads_it() {
        let text = r#" {"a": [1, -2, 3.5, true, null, "x", {"b": {}}]} "#;
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(object(text.as_bytes()), value.as_object().cloned());
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_not_read() {
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
            &deep,
        ] {
            assert!(object(bad.as_bytes()).is_none(), "{bad}");
        }
        assert!(object(b"{\"a\":\"\xff\"}").is_none());
        let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(object(&utf16).is_none());
    }
}
