//! `docs/guide`: its code is compiled and shows its imports, its links work in the repository and in rustdoc, and both have the same pages.

use crate::links::Links;
use crate::{imports, root, sources};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;

/// The pages whose code `examples/spa/tests/browser_page` compiles, runs and compares.
const IN_ANOTHER_TEST: [&str; 2] = ["browsers.md", "pages-with-forms.md"];

/// The links of rustdoc's pages, which are generated from the definitions of all pages.
const LINKS: &str = "auth/src/guide/links.md";

/// The name and the text of each page but the index.
fn pages() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("docs/guide")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = entries.filter(|path| !path.ends_with("README.md")).collect();
    pages.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    pages.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The pages whose Rust code is in `examples`: those of the guide, and the one about adapters.
fn pages_with_code() -> Vec<(String, String)> {
    let adapters = ("adapters.md".to_owned(), fs::read_to_string(root().join("docs/adapters.md")).unwrap());
    pages().into_iter().chain([adapters]).collect()
}

/// Where a link of a page leads in rustdoc. Other documents than the guide's are not part of the package.
fn in_rustdoc(target: &str) -> String {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    match file.strip_suffix(".md") {
        _ if target.starts_with("https://") => target.to_owned(),
        Some("README") => "crate::guide".to_owned(),
        Some(page) if !page.contains('/') => {
            let module = format!("crate::guide::{}", page.replace('-', "_"));
            if anchor.is_empty() { module } else { format!("{module}#{anchor}") }
        }
        _ => "crate::guide#in-the-repository".to_owned(),
    }
}

#[test]
fn links_work_in_rustdoc() {
    let (mut targets, mut wrong) = (BTreeMap::<String, String>::new(), Vec::new());
    for (page, text) in pages() {
        let links = Links::of(&text);
        let inline = links.inline.iter().filter(|target| !target.starts_with('#') && !target.contains("://"));
        wrong.extend(
            inline.map(|target| format!("{page}: define the link to `{target}` at the end of the page")),
        );
        for (name, target) in links.definitions {
            let before = targets.insert(name.clone(), target.clone());
            if before.is_some_and(|before| before != target) {
                wrong.push(format!("{page}: `[{name}]` leads elsewhere on another page"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let lines = targets.iter().map(|(name, target)| format!("[{name}]: {}\n", in_rustdoc(target)));
    let expected = lines.collect::<String>();
    if env::var_os("UPDATE").is_some() {
        fs::write(root().join(LINKS), &expected).unwrap();
    }
    let found = fs::read_to_string(root().join(LINKS)).unwrap();
    assert_eq!(found, expected, "write {LINKS} with `UPDATE=1 cargo test -p auth-tests --test architecture`");
}

#[test]
fn every_page_is_a_module() {
    let modules = fs::read_to_string(root().join("auth/src/guide.rs")).unwrap();
    let index = fs::read_to_string(root().join("docs/guide/README.md")).unwrap();
    for (page, _) in pages() {
        assert!(modules.contains(&format!("\"{page}\"")), "auth/src/guide.rs has no `{page}`");
        assert!(index.contains(&format!("({page})")), "docs/guide/README.md has no `{page}`");
    }
}

/// Lines without the indentation that all of them have.
fn unindented(lines: &[&str]) -> Vec<String> {
    let indentation = |line: &&str| line.len() - line.trim_start().len();
    let least = lines.iter().filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or(0);
    lines.iter().map(|line| line.get(least..).unwrap_or("").trim_end().to_owned()).collect()
}

fn is_in(block: &[String], source: &str) -> bool {
    let lines: Vec<_> = source.lines().collect();
    lines.windows(block.len()).any(|window| unindented(window) == block)
}

/// The Rust code of a page, block by block.
fn rust_blocks(page: &str) -> impl Iterator<Item = &str> {
    page.split("\n```rust\n").skip(1).map(|rest| rest.split("\n```").next().unwrap())
}

#[test]
fn every_example_shows_its_imports() {
    let mut wrong = Vec::new();
    for (page, text) in pages_with_code() {
        let blocks: Vec<_> = rust_blocks(&text).map(str::to_owned).collect();
        let mistakes = imports::mistakes(&blocks);
        wrong.extend(mistakes.into_iter().map(|mistake| format!("{page}: {mistake}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_example_is_compiled() {
    let examples = sources(&root().join("examples"));
    let examples: Vec<_> = examples.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let mut wrong = Vec::new();
    for (page, text) in pages_with_code().iter().filter(|(page, _)| !IN_ANOTHER_TEST.contains(&page.as_str()))
    {
        for block in rust_blocks(text) {
            let block = unindented(&block.lines().collect::<Vec<_>>());
            if !examples.iter().any(|source| is_in(&block, source)) {
                wrong.push(format!("{page}: no file in `examples` has these lines:\n{}\n", block.join("\n")));
            }
        }
        if text.contains("```rust,") {
            wrong.push(format!("{page}: a block with options after `rust` is compared with nothing"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
