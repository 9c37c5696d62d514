//! Reads the compiler's messages in a `.stderr` file.

/// One error.
pub(crate) struct Error {
    /// Whether the message is rustc's own and not the library's.
    pub(crate) has_code: bool,
    /// The text below `help:`, without its indentation.
    pub(crate) help: Option<String>,
    /// The line that rustc itself suggests.
    pub(crate) suggestion: Option<Suggestion>,
    /// The line that it points at, from 1.
    pub(crate) line: usize,
    /// The first column it points at, from 1.
    pub(crate) column: usize,
    /// How many columns it points at.
    pub(crate) width: usize,
}

/// A line to write, as rustc shows it: `7 + #[derive(Clone)]`.
pub(crate) struct Suggestion {
    /// The line's number, from 1.
    pub(crate) line: usize,
    /// Whether it replaces the line of this number.
    pub(crate) replaces: bool,
    pub(crate) text: String,
}

/// All errors of a `.stderr` file.
pub(crate) fn errors(stderr: &str) -> Vec<Error> {
    let mut blocks: Vec<String> = Vec::new();
    for line in stderr.lines() {
        if line.starts_with("error") {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            *block += &format!("{line}\n");
        }
    }
    blocks.iter().map(|block| error(block)).collect()
}

fn error(block: &str) -> Error {
    let (message, shown) = block.split_once("--> ").unwrap_or_else(|| panic!("no place in\n{block}"));
    let mut place = shown.lines().next().unwrap().rsplit(':').map(|number| number.parse().unwrap());
    let (column, line) = (place.next().unwrap(), place.next().unwrap());
    let width = shown.lines().find(|line| line.contains('^')).unwrap().matches('^').count();
    Error {
        has_code: message.starts_with("error["),
        help: help(message),
        suggestion: suggestion(shown),
        line,
        column,
        width,
    }
}

/// The text after `help:`. It is indented like the headline.
fn help(message: &str) -> Option<String> {
    let indent = " ".repeat("error: ".len());
    let (_, help) = message.split_once(&format!("\n{indent}help: "))?;
    let lines = help.lines().map(|line| line.strip_prefix(&indent).unwrap_or(line));
    let lines: Vec<_> = lines.take_while(|line| !line.starts_with("note: ")).collect();
    Some(lines.join("\n").trim_end().to_owned())
}

/// A suggestion of one line. The old line is above the new one.
fn suggestion(shown: &str) -> Option<Suggestion> {
    let marked = |mark: &str| {
        shown.lines().find_map(|line| {
            let (number, text) = line.split_once(mark)?;
            Some((number.trim().parse::<usize>().ok()?, text.to_owned()))
        })
    };
    let (line, text) = marked(" + ")?;
    Some(Suggestion { line, replaces: marked(" - ").is_some_and(|(gone, _)| gone == line), text })
}
