//! Tables in Markdown.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

pub(crate) struct Table {
    width: usize,
    lines: Vec<String>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        let lines = vec![format!("| {} |", head.join(" | ")), format!("|{}", "---|".repeat(head.len()))];
        Self { width: head.len(), lines }
    }

    /// A row; missing cells at its end are empty.
    pub(crate) fn row(&mut self, mut cells: Vec<String>) {
        cells.resize(self.width, String::new());
        self.lines.push(format!("| {} |", cells.join(" | ")));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(formatter, "{line}"))
    }
}

/// Writes to standard output.
///
/// # Errors
/// If it is closed.
pub(crate) fn print(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| error.to_string())
}

/// Prints a section of `tests/benches/README.md`, and writes it into that page if it is given.
///
/// # Errors
/// If the page cannot be read or written, or has no such section.
pub(crate) fn section(page: Option<&Path>, name: &str, text: &str) -> Result<(), String> {
    print(&format!("\n{}\n{text}{END}\n", begin(name)))?;
    let Some(page) = page else { return Ok(()) };
    let failed = |error: &dyn fmt::Display| format!("{}: {error}", page.display());
    let before = fs::read_to_string(page).map_err(|error| failed(&error))?;
    let after = replaced(&before, name, text).ok_or_else(|| failed(&format!("no line `{}`", begin(name))))?;
    fs::write(page, after).map_err(|error| failed(&error))
}

/// The line after which a section of the page begins.
fn begin(name: &str) -> String {
    format!("<!-- load: {name} -->")
}

/// The line at which it ends.
const END: &str = "<!-- end -->";

/// The page with another text in a section. `None` if there is no such section.
fn replaced(page: &str, name: &str, text: &str) -> Option<String> {
    let begin = format!("{}\n", begin(name));
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{begin}{text}{END}{after}"))
}

/// An error that lists what went wrong, if anything did.
///
/// # Errors
/// That error.
pub(crate) fn errors(what: &str, errors: &BTreeMap<String, u64>) -> Result<(), String> {
    let count: u64 = errors.values().sum();
    if count == 0 {
        return Ok(());
    }
    let lines: String = errors.iter().map(|(message, count)| format!("\n  {count} × {message}")).collect();
    Err(format!("{what}: {count} operations failed{lines}"))
}

/// A number of operations each second, with three digits that matter.
pub(crate) fn rate(rate: f64) -> String {
    if rate < 1000.0 { format!("{rate:.1}") } else { format!("{:.0}", (rate / 10.0).round() * 10.0) }
}

/// Microseconds, with a unit.
pub(crate) fn latency(micros: Option<u64>) -> String {
    match micros {
        None => "–".to_owned(),
        Some(micros @ ..1000) => format!("{micros} µs"),
        Some(micros @ ..100_000) => format!("{:.1} ms", micros as f64 / 1e3),
        Some(micros @ ..1_000_000) => format!("{:.0} ms", micros as f64 / 1e3),
        Some(micros) => format!("{:.1} s", micros as f64 / 1e6),
    }
}

/// A ratio, or a dash if there is none.
pub(crate) fn ratio(ratio: f64) -> String {
    if ratio.is_finite() { format!("{ratio:.2}") } else { "–".to_owned() }
}

/// The median; of none it is not a number.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    let at = |index: usize| numbers.get(index).copied().unwrap_or(f64::NAN);
    if numbers.len() % 2 == 1 { at(middle) } else { (at(middle) + at(middle.wrapping_sub(1))) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::{Table, latency, median, rate, replaced};

    #[test]
    fn a_table_has_a_cell_for_each_column() {
        let mut table = Table::new(&["a", "b"]);
        table.row(vec!["1".into()]);
        assert_eq!(table.to_string(), "| a | b |\n|---|---|\n| 1 |  |\n");
    }

    #[test]
    fn a_section_of_the_page_is_replaced() {
        let page = "a\n<!-- load: x -->\nold\n<!-- end -->\nb <!-- end -->\n";
        let expected = "a\n<!-- load: x -->\nnew\n<!-- end -->\nb <!-- end -->\n";
        assert_eq!(replaced(page, "x", "new\n").as_deref(), Some(expected));
        assert_eq!(replaced(page, "y", "new\n"), None);
    }

    #[test]
    fn numbers_have_the_digits_that_matter() {
        assert_eq!([rate(32.14), rate(43_218.0)], ["32.1", "43220"]);
        let times = [Some(87), Some(1234), Some(123_456), Some(2_345_678), None].map(latency);
        assert_eq!(times, ["87 µs", "1.2 ms", "123 ms", "2.3 s", "–"]);
    }

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
    }
}
