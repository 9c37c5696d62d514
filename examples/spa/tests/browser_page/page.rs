//! Every snippet of the two pages is the file that is compiled and run.

use std::fs;

fn file(path: &str) -> String {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The fenced blocks of this language on a page.
fn blocks_of(page: &str, language: &str) -> Vec<String> {
    let page = file(&format!("../../docs/guide/{page}"));
    let fence = format!("\n```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Those of the page about single-page applications.
fn blocks(language: &str) -> Vec<String> {
    blocks_of("browsers.md", language)
}

/// The snippet in a file: without its tests, and without the imports from the page's host.
fn snippet(path: &str) -> String {
    let source = file(&format!("tests/browser_page/{path}"));
    let code = source.split("\n#[cfg(test)]").next().unwrap();
    let lines = code.lines().filter(|line| !line.starts_with("use crate::host::"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn its_rust_is_compiled_and_run() {
    let files =
        ["host.rs", "host/tests/options.rs", "host/tests/sibling_origin.rs", "host/tests/websocket.rs"];
    let snippets: Vec<_> = files.into_iter().chain(["host/tests/mails.rs"]).map(snippet).collect();
    assert_eq!(blocks("rust"), snippets);
    assert_eq!(blocks_of("pages-with-forms.md", "rust"), [snippet("host/tests/pages.rs")]);
}

#[test]
fn its_pages_are_those_that_are_tested() {
    assert_eq!(blocks("html"), [snippet("web/index.html")]);
    assert_eq!(blocks("js").first(), Some(&snippet("web/app.js")));
}

/// The other scripts are parts of the example, or of the client's README.
#[test]
fn its_other_scripts_are_in_the_example() {
    let scripts = ["web/app.js", "web/views.js", "../client/README.md"].map(file).concat();
    let line = |line: &str| format!("{}\n", line.trim().trim_start_matches("//").trim());
    let unindented = |text: &str| text.lines().map(line).collect::<String>();
    for block in blocks("js").iter().skip(1) {
        assert!(unindented(&scripts).contains(&unindented(block)), "not in the example:\n{block}");
    }
}
