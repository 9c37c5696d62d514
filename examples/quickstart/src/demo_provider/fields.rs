//! The parameters of a request: of a query, or of a form.

use std::collections::BTreeMap;
use url::form_urlencoded;

/// Parameters by their names.
pub(super) struct Fields(BTreeMap<String, String>);

impl Fields {
    /// Reads parameters. `None` if one is there twice (RFC 6749 §3.1).
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut fields = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            if fields.insert(name.into_owned(), value.into_owned()).is_some() {
                return None;
            }
        }
        Some(Self(fields))
    }

    /// The value of a parameter. An empty one counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Whether a list that is separated by blanks has this word.
    pub(super) fn lists(&self, name: &str, word: &str) -> bool {
        self.get(name).is_some_and(|list| list.split(' ').any(|item| item == word))
    }
}
