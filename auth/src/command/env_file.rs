//! The variables of an `.env` file.

use super::Failure;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use zeroize::Zeroizing;

/// The variables of a file, as a program that loads it with the crate `dotenvy` sees them.
#[derive(Debug)]
pub(super) struct EnvFile {
    pub(super) variables: BTreeMap<String, String>,
    /// The names that are set more than once: some programs take the first value, others the last.
    pub(super) repeated: Vec<String>,
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<EnvFile, Failure> {
    let text = std::fs::read_to_string(path).map(Zeroizing::new);
    let text = text.map_err(|error| Failure(format!("{} cannot be read: {error}", path.display())))?;
    parse(&text).map_err(|line| {
        Failure(format!(
            "{}:{line}: expected `NAME=value`, or a comment that begins with `#`",
            path.display()
        ))
    })
}

/// The variables of a text, or the number of the first line that cannot be read. The line itself may contain a secret.
fn parse(text: &str) -> Result<EnvFile, usize> {
    let mut file = EnvFile { variables: BTreeMap::new(), repeated: Vec::new() };
    for variable in dotenvy::from_read_iter(text.as_bytes()) {
        let (name, value) = variable.map_err(|error| line_of(text, &error))?;
        match file.variables.entry(name) {
            Entry::Vacant(place) => {
                place.insert(value);
            }
            Entry::Occupied(place) => file.repeated.push(place.key().clone()),
        }
    }
    file.repeated.sort();
    file.repeated.dedup();
    Ok(file)
}

/// The number of the line that an error is about.
fn line_of(text: &str, error: &dotenvy::Error) -> usize {
    let wrong = match error {
        dotenvy::Error::LineParse(line, _) => line.lines().next().unwrap_or_default().trim(),
        _ => "",
    };
    let index = text.lines().position(|line| line.trim() == wrong);
    index.or_else(|| text.lines().position(|line| line.contains(wrong))).unwrap_or_default() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_as_programs_load_them() {
        let text = "# a comment\n\nexport A=1\nB='two words' # why\nC=\"three\"\nA=4\nD=\nB=5\nB=6\n";
        let file = parse(text).unwrap();
        let variables: Vec<_> = file.variables.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(variables, [("A", "1"), ("B", "two words"), ("C", "three"), ("D", "")]);
        assert_eq!(file.repeated, ["A", "B"]);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named_by_its_number() {
        for (text, line) in [
            ("A=1\nB=2\n  c2VjcmV0\n", 3),
            ("A=1\n# it\nA secret = b\n", 3),
            ("A='open\nB=2\n", 1),
            ("=value", 1),
        ] {
            assert_eq!(parse(text).unwrap_err(), line, "{text}");
        }
    }
}
