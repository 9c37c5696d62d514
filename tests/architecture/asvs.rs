//! `docs/asvs.md`: each requirement has one row, which is complete, and the tests that it names exist.

use crate::citations::is_number;
use crate::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What the status of a row may be, before a colon and what it concerns.
const STATUSES: [&str; 5] =
    ["met", "met with an option", "the host's task", "not applicable", "the contract forbids it"];

/// The cells of each row that begins with the number of a requirement.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let rows = page.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    let rows = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    rows.filter(|cells| is_number(cells[0])).collect()
}

/// What is wrong with a row.
fn problems(cells: &[&str]) -> Vec<String> {
    let [_id, _level, _requirement, status, _how, tests] = cells else {
        return vec![format!("it has {} cells instead of 6", cells.len())];
    };
    let mut problems = Vec::new();
    if cells.contains(&"") {
        problems.push("a cell is empty".to_owned());
    }
    if !STATUSES.contains(&status.split(':').next().unwrap_or_default()) {
        problems.push(format!("its status is `{status}`"));
    }
    if status.starts_with("met") && *tests == "none" {
        problems.push("no test shows that it is met".to_owned());
    }
    let names = tests.split('`').skip(1).step_by(2);
    problems.extend(names.filter(|name| !exists(name)).map(|name| format!("there is no test `{name}`")));
    problems
}

/// Whether there is such a test: `login::refresh::name` below `tests/http`, `attacks::limits::name` below `tests/attacks`,
/// `auth: crypto::keys::tests::name` below `auth/src`.
fn exists(test: &str) -> bool {
    let (folder, path) = match test.strip_prefix("auth: ") {
        Some(path) => ("auth/src", path),
        None if test.starts_with("attacks::") => ("tests", test),
        None => ("tests/http", test),
    };
    let Some((module, name)) = path.rsplit_once("::") else { return false };
    let files = files(&root().join(folder), module);
    files.iter().filter(|file| file.exists()).any(|file| has_test(&fs::read_to_string(file).unwrap(), name))
}

/// Where a module can be: `a::b` in `a/b.rs` or `a/b/mod.rs`, and `a::tests` also in the file of `a`.
fn files(folder: &Path, module: &str) -> Vec<PathBuf> {
    let modules = [Some(module), module.strip_suffix("::tests")];
    let paths = modules.into_iter().flatten().map(|module| folder.join(module.replace("::", "/")));
    paths.flat_map(|path| [path.with_extension("rs"), path.join("mod.rs")]).collect()
}

/// Whether a file has a test of this name: a function that is marked as one, or that is in the list of a macro which makes
/// tests, as `on_both_routers!` does, or `attacks!`, which also has a number behind each name.
fn has_test(file: &str, name: &str) -> bool {
    let lines: Vec<_> = file.lines().map(str::trim).collect();
    let (function, item) = (format!("fn {name}("), format!("{name},"));
    let Some(at) = lines.iter().position(|line| line.contains(&function)) else { return false };
    let is_mark = |line: &&str| line.starts_with("#[test]") || line.starts_with("#[tokio::test");
    let is_name = |word: &str| word == name;
    let lists = |line: &&str| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        **line == item || (line.contains("![") && words.any(is_name))
    };
    let counts = |line: &&str| {
        let number = line.strip_prefix(name).and_then(|line| line.strip_prefix(": ")?.strip_suffix(','));
        number.is_some_and(|number| number.parse::<usize>().is_ok())
    };
    lines[..at].last().is_some_and(is_mark) || lines.iter().any(|line| lists(line) || counts(line))
}

#[test]
fn every_requirement_has_one_row_and_the_tests_that_it_names_exist() {
    let page = fs::read_to_string(root().join("docs/asvs.md")).unwrap();
    let (mut ids, mut wrong) = (BTreeSet::new(), Vec::new());
    for cells in rows(&page) {
        let id = cells[0];
        if !ids.insert(id) {
            wrong.push(format!("{id}: it has two rows"));
        }
        wrong.extend(problems(&cells).iter().map(|problem| format!("{id}: {problem}")));
    }
    assert!(ids.len() > 80, "only {} rows were found", ids.len());
    assert!(wrong.is_empty(), "wrong rows in docs/asvs.md:\n{}", wrong.join("\n"));
}

#[test]
fn a_wrong_row_is_found() {
    let test = "`every_route::lockouts::a_reset_unlocks`";
    let of_auth = "`auth: crypto::keys::tests::every_purpose_has_its_own_key`";
    let row = |cells: &str| format!("| 6.1.1 | 1 | {cells} |");
    for (row, expected) in [
        (row(&format!("a | met | {test}")), &["it has 5 cells instead of 6"][..]),
        (row(&format!(" | met | b | {test}")), &["a cell is empty"]),
        (row(&format!("a | not met | b | {test}")), &["its status is `not met`"]),
        (row("a | met | b | none"), &["no test shows that it is met"]),
        // A function that is no test.
        (
            row("a | met | b | `every_route::lockouts::lock`"),
            &["there is no test `every_route::lockouts::lock`"],
        ),
        (row("a | met | b | `lockouts::a_reset_unlocks`"), &["there is no test `lockouts::a_reset_unlocks`"]),
        (row(&format!("a | met | b | {test}, {of_auth}")), &[]),
        (row("a | the host's task: its pages | b | none"), &[]),
    ] {
        let found = rows(&row);
        assert_eq!(found.len(), 1, "{row}");
        assert_eq!(problems(&found[0]), expected, "{row}");
    }
    assert!(rows("| id | level |\n|---|---|\n| met | always |").is_empty());
}
