//! `Accept-Language` (RFC 9110 §12.5.4), and the lookup of the language that a request gets (RFC 4647 §3.4).
//! `fluent-langneg` 0.14 and `accept-language` 3.1 follow other rules: both ignore `*` and choose a language that has `q=0`.

use std::cmp::Reverse;

/// How many bytes of the header are read, and how many of its languages. Browsers send less.
const LONGEST: usize = 1024;
const MOST: usize = 32;

/// A language that somebody understands, or `*` for any.
#[derive(Debug, PartialEq)]
struct Range<'a> {
    name: &'a str,
    /// How much it is wanted, in thousandths. 0: not at all.
    weight: u16,
}

/// The place of the first of the languages in this list that the requester wants most. `None` if the header names none of
/// them. Parts of the header that are not understood are ignored.
pub(super) fn lookup(header: &str, tags: &[&str]) -> Option<usize> {
    let mut wanted: Vec<_> = ranges(header).collect();
    // Of equal weight the earlier one counts.
    wanted.sort_by_key(|range| Reverse(range.weight));
    let refused = |tag: &str| wanted.iter().any(|range| range.weight == 0 && is_within(tag, range.name));
    wanted.iter().filter(|range| range.weight > 0).find_map(|range| match range.name {
        // Any language that nothing else in the header names: the first.
        "*" => {
            let is_named =
                |tag: &str| wanted.iter().any(|range| range.name != "*" && is_within(tag, range.name));
            let others = tags.iter().position(|tag| !is_named(tag));
            others.or_else(|| tags.iter().position(|tag| !refused(tag)))
        }
        name => shortened(name)
            .find_map(|name| tags.iter().position(|tag| tag.eq_ignore_ascii_case(name) && !refused(tag))),
    })
}

/// The place of the language of this name in the list, or of the one that it is a variety of.
pub(super) fn named(name: &str, tags: &[&str]) -> Option<usize> {
    shortened(name).find_map(|name| tags.iter().position(|tag| tag.eq_ignore_ascii_case(name)))
}

/// The ranges of the header that can be read.
fn ranges(header: &str) -> impl Iterator<Item = Range<'_>> {
    let mut end = header.len().min(LONGEST);
    while !header.is_char_boundary(end) {
        end -= 1;
    }
    let is_cut = end < header.len();
    let read = header.get(..end).unwrap_or_default();
    // A range that was cut may be another one.
    let read = if is_cut { read.rsplit_once(',').map_or("", |(whole, _)| whole) } else { read };
    read.split(',').filter_map(range).take(MOST)
}

/// `de-AT;q=0.7`
fn range(text: &str) -> Option<Range<'_>> {
    let (name, weight) = match text.split_once(';') {
        Some((name, parameter)) => (name, self::weight(blank_trimmed(parameter))?),
        None => (text, 1000),
    };
    let name = blank_trimmed(name);
    let is_subtag =
        |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (name == "*" || name.split('-').all(is_subtag)).then_some(Range { name, weight })
}

fn blank_trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// `q=0.7` in thousandths (RFC 9110 §12.4.2).
fn weight(parameter: &str) -> Option<u16> {
    let value = parameter.strip_prefix("q=").or_else(|| parameter.strip_prefix("Q="))?;
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let digits = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let fraction: u16 = format!("{fraction:0<3}").parse().ok().filter(|_| digits)?;
    match (whole, fraction) {
        ("0", fraction) => Some(fraction),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

/// `zh-Hant-TW`, `zh-Hant`, `zh`: also without a letter that would be left at the end (RFC 4647 §3.4).
fn shortened(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| {
        let (shorter, _) = name.rsplit_once('-')?;
        match shorter.rsplit_once('-') {
            Some((without, letter)) if letter.len() == 1 => Some(without),
            _ => Some(shorter),
        }
    })
}

/// Whether a language is the range's or a variety of it (RFC 4647 §3.3.1).
fn is_within(tag: &str, range: &str) -> bool {
    let begins = tag.get(..range.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(range));
    begins && matches!(tag.as_bytes().get(range.len()), None | Some(b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAGS: [&str; 4] = ["en", "de", "pt-BR", "zh-Hant"];

    fn chosen(header: &str) -> Option<&'static str> {
        lookup(header, &TAGS).map(|at| TAGS[at])
    }

    #[test]
    fn the_language_that_is_wanted_most_is_chosen() {
        for (header, language) in [
            ("de", "de"),
            ("DE", "de"),
            ("de, en", "de"),
            ("en, de", "en"),
            ("en;q=0.5, de;q=0.9", "de"),
            ("en;q=0.5,de;q=0.50", "en"),
            ("fr, de;q=0.1", "de"),
            ("de-AT", "de"),
            ("de-Latn-AT-1996, en;q=0.9", "de"),
            ("pt-BR", "pt-BR"),
            ("zh-Hant-TW-x-private", "zh-Hant"),
            (" \tde ; q=0.3 ,, ,en;q=0.2", "de"),
            ("de;Q=1.000", "de"),
        ] {
            assert_eq!(chosen(header), Some(language), "{header}");
        }
    }

    #[test]
    fn a_name_is_its_language_or_the_one_that_it_is_a_variety_of() {
        for (name, place) in [("de", Some(1)), ("DE-at", Some(1)), ("zh-Hant-TW", Some(3)), ("en-", Some(0))]
        {
            assert_eq!(named(name, &TAGS), place, "{name}");
        }
        for unknown in ["", "*", "fr", "pt", "de, en", "de;q=1", "de_AT", " de"] {
            assert_eq!(named(unknown, &TAGS), None, "{unknown}");
        }
    }

    #[test]
    fn a_language_that_is_not_there_is_not_guessed() {
        for header in ["fr", "pt", "zh", "pt-PT", "d", "dee", "de;q=0", "de-AT;q=0", ""] {
            assert_eq!(chosen(header), None, "{header}");
        }
    }

    #[test]
    fn a_star_is_any_language_that_is_not_named() {
        assert_eq!(chosen("*"), Some("en"));
        assert_eq!(chosen("fr, *;q=0.5"), Some("en"));
        assert_eq!(chosen("en;q=0.4, *;q=0.5"), Some("de"));
        assert_eq!(chosen("en;q=0, *"), Some("de"));
        assert_eq!(chosen("en;q=0, *;q=0.1, de;q=0"), Some("pt-BR"));
        assert_eq!(chosen("*;q=0"), None);
        assert_eq!(chosen("de, *;q=0"), Some("de"));
        assert_eq!(lookup("en;q=0, *", &["en"]), None);
    }

    #[test]
    fn what_is_refused_is_not_reached_by_shortening_another_range() {
        assert_eq!(chosen("de-AT, de;q=0"), None);
        assert_eq!(chosen("de-AT, de;q=0, en;q=0.1"), Some("en"));
    }

    #[test]
    fn what_is_not_understood_is_ignored() {
        for garbage in [
            "de;q=2",
            "de;q=1.001",
            "de;q=0.0001",
            "de;q=-1",
            "de;q=",
            "de;q",
            "de;x=1",
            "de;q=0.5;q=1",
            "de;q=٣",
            "d e",
            "dé",
            "de_AT",
            "abcdefghi",
            "-",
            "de-",
            ";",
            "**",
            "*-de",
            "\"de\"",
            "🦀",
        ] {
            assert_eq!(chosen(garbage), None, "{garbage}");
            assert_eq!(chosen(&format!("{garbage}, en;q=0.2")), Some("en"), "{garbage}");
        }
    }

    #[test]
    fn only_the_beginning_of_a_long_header_is_read() {
        let long = "fr,".repeat(20) + "de";
        assert_eq!(chosen(&long), Some("de"));
        assert_eq!(chosen(&("fr,".repeat(MOST) + "de")), None);
        assert_eq!(chosen(&(" ".repeat(LONGEST) + ",de")), None);
        // `de-A` would be another range than the whole one.
        let cut = " ".repeat(LONGEST - 2) + "de-AT";
        assert_eq!(chosen(&cut), None);
        let in_a_character = " ".repeat(LONGEST - 1) + "ü";
        assert_eq!(chosen(&in_a_character), None);
    }
}
