//! Percent-encoding.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All characters except the unreserved ones (RFC 3986 §2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Percent-encodes the text for any part of a URI.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// A page of the host with another parameter in its query, which is before the fragment.
pub(crate) fn with_parameter(page: &str, name: &str, value: &str) -> String {
    let (path, fragment) = page.find('#').map_or((page, ""), |at| page.split_at(at));
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}{name}={}{fragment}", encoded(value))
}

/// The text, if it is a path of this host, to which a login page can redirect: it must start with one `/`, so that
/// `https://evil.example`, `//evil.example` and `/\evil.example` are `None`, and consist of visible ASCII characters.
///
/// ```
/// use axum_auth_module::extract::next_path;
///
/// assert_eq!(next_path("/settings?tab=1"), Some("/settings?tab=1"));
/// assert_eq!(next_path("//evil.example"), None);
/// ```
#[must_use]
pub fn next_path(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('/')?;
    // Browsers drop tabs and line breaks of a URL, and read `\` as `/`.
    let is_path = !rest.starts_with(['/', '\\']) && rest.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
    is_path.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::with_parameter;

    #[test]
    fn a_parameter_is_added_to_the_query_of_a_page() {
        for (page, expected) in [
            ("/login", "/login?next=%2Fa%3Fb"),
            ("/?page=login", "/?page=login&next=%2Fa%3Fb"),
            ("/#/login", "/?next=%2Fa%3Fb#/login"),
            ("/?a=b#/login?c", "/?a=b&next=%2Fa%3Fb#/login?c"),
        ] {
            assert_eq!(with_parameter(page, "next", "/a?b"), expected, "{page}");
        }
    }
}
