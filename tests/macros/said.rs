//! What the compiler said of a host, as a `.stderr` file holds it.

/// One error.
pub(crate) struct Error {
    /// Whether the words are rustc's own and not the library's.
    pub(crate) has_code: bool,
    /// The text below `help:`, without its indentation.
    pub(crate) help: Option<String>,
    /// Where it points, from 1.
    pub(crate) line: usize,
    /// The first column it points at, from 1.
    pub(crate) column: usize,
    /// How many columns it points at.
    pub(crate) width: usize,
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
    let (said, shown) = block.split_once("--> ").unwrap_or_else(|| panic!("no place in\n{block}"));
    let mut place = shown.lines().next().unwrap().rsplit(':').map(|number| number.parse().unwrap());
    let (column, line) = (place.next().unwrap(), place.next().unwrap());
    let width = shown.lines().find(|line| line.contains('^')).unwrap().matches('^').count();
    Error { has_code: said.starts_with("error["), help: help(said), line, column, width }
}

/// What is said below the headline stands as far to the right as it does.
fn help(said: &str) -> Option<String> {
    let indent = " ".repeat("error: ".len());
    let (_, help) = said.split_once(&format!("\n{indent}help: "))?;
    let lines = help.lines().map(|line| line.strip_prefix(&indent).unwrap_or(line));
    let lines: Vec<_> = lines.take_while(|line| !line.starts_with("note: ")).collect();
    Some(lines.join("\n").trim_end().to_owned())
}
