//! Values in the place of `{name}` in a text.

/// The text with these values in the place of their names in braces. A value is not searched for further names, and a name
/// without a value stays as it is.
pub(crate) fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let found = part.split_once('}').and_then(|(name, rest)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((value, rest))
        });
        match found {
            Some((value, rest)) => {
                filled.push_str(value);
                filled.push_str(rest);
            }
            None => {
                filled.push('{');
                filled.push_str(part);
            }
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_replaced_once_and_values_are_left_alone() {
        let values = [("app", "{name}"), ("name", "Ada")];
        for (text, expected) in [
            ("", ""),
            ("Hello {name}, this is {app}.", "Hello Ada, this is {name}."),
            ("{name}{name}", "AdaAda"),
            ("{other} {", "{other} {"),
            ("{na{name}", "{naAda"),
            ("} {name", "} {name"),
        ] {
            assert_eq!(filled(text, &values), expected);
        }
    }
}
