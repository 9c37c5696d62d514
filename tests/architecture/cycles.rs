//! The files of `auth_module!` import each other without a cycle, so that they can be read in order.

use crate::{root, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The folder of the macro.
const FOLDER: &str = "auth-macros/src/auth_module";

/// The files by module, `parse::input`, each with the modules that it imports. A test of a module may import anything.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let folder = root().join(FOLDER);
    let files: BTreeMap<String, String> = sources(&folder)
        .iter()
        .map(|path| (module(path.strip_prefix(&folder).unwrap()), fs::read_to_string(path).unwrap()))
        .filter(|(module, _)| {
            !["tests", "properties"].iter().any(|test| module.split("::").any(|part| part == *test))
        })
        .collect();
    let names: BTreeSet<_> = files.keys().cloned().collect();
    files.iter().map(|(module, text)| (module.clone(), imported(module, text, &names))).collect()
}

/// `parse::input` for `parse/input.rs`, `parse` for `parse/mod.rs`, and nothing for the driver.
fn module(path: &Path) -> String {
    let path = path.with_extension("");
    let parts = path.iter().map(|part| part.to_str().unwrap()).filter(|part| *part != "mod");
    parts.collect::<Vec<_>>().join("::")
}

/// The modules of this folder that a file imports.
fn imported(module: &str, text: &str, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let imports = code.lines().filter_map(|line| {
        let line = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
        line.strip_prefix("use ")
    });
    let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
    imports
        .filter_map(|path| target(path, module, parent, modules))
        .filter(|target| target != module)
        .collect()
}

/// The file that an import leads to: the longest module that its path begins with.
fn target(path: &str, module: &str, parent: &str, modules: &BTreeSet<String>) -> Option<String> {
    let path = path.split([';', '{', ' ']).next().unwrap().trim_end_matches("::");
    let absolute = match path.strip_prefix("super::") {
        Some(rest) => join(parent, rest),
        None => match path.strip_prefix("crate::auth_module::") {
            Some(rest) => rest.to_owned(),
            None => join(module, path),
        },
    };
    let mut parts: Vec<_> = absolute.split("::").collect();
    while !parts.is_empty() {
        let name = parts.join("::");
        if modules.contains(&name) {
            return Some(name);
        }
        parts.pop();
    }
    None
}

fn join(module: &str, rest: &str) -> String {
    if module.is_empty() { rest.to_owned() } else { format!("{module}::{rest}") }
}

/// A path of imports that ends where it begins, if there is one.
fn cycle(imports: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit(
        module: &str,
        imports: &BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> bool {
        if let Some(begin) = path.iter().position(|earlier| earlier == module) {
            path.drain(..begin);
            path.push(module.to_owned());
            return true;
        }
        if !done.contains(module) {
            path.push(module.to_owned());
            if imports.get(module).into_iter().flatten().any(|next| visit(next, imports, path, done)) {
                return true;
            }
            path.pop();
            done.insert(module.to_owned());
        }
        false
    }
    let (mut path, mut done) = (Vec::new(), BTreeSet::new());
    imports.keys().any(|module| visit(module, imports, &mut path, &mut done)).then_some(path)
}

#[test]
fn the_module_macro_has_no_circular_imports() {
    let imports = imports();
    // Some edges, to be sure that the graph is not empty.
    assert!(imports["parse::providers"].contains("parse::key_values"), "{imports:?}");
    assert!(imports["parse"].contains("parse::input") && imports["check"].contains("parse"), "{imports:?}");
    assert_eq!(cycle(&imports), None, "files that import each other");
}

#[test]
fn a_cycle_is_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph = BTreeMap::<String, BTreeSet<String>>::new();
        for (from, to) in edges {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        graph
    };
    let found = cycle(&graph(&[("a", "b"), ("b", "c"), ("c", "b")])).unwrap();
    assert_eq!(found, ["b", "c", "b"]);
    assert_eq!(cycle(&graph(&[("a", "b"), ("a", "c"), ("b", "c")])), None);
}
