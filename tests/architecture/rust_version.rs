//! The oldest compiler that hosts may use: the declarations, the toolchain file, the documents and the dependencies agree.

use crate::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

fn cargo(arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO")).args(arguments).arg("--locked").current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// `1.95` and `1.95.0` name one version.
fn parts(version: &str) -> [u32; 3] {
    let mut parts = version.split('.').map(|part| part.parse().unwrap());
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

/// The `rust-version` of every package of the lockfile that declares one, by its name and version.
fn declared() -> BTreeMap<String, String> {
    let metadata: Value = serde_json::from_str(&cargo(&["metadata", "--format-version", "1"])).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages
        .filter_map(|package| {
            let text = |field: &str| package[field].as_str();
            Some((format!("{} v{}", text("name")?, text("version")?), text("rust_version")?.to_owned()))
        })
        .collect()
}

/// The packages that a host builds with every cargo feature, on any platform: `name vVersion`.
fn built_with_every_feature() -> BTreeSet<String> {
    let package = ["tree", "--package", "axum-auth-module", "--all-features"];
    let form = ["--edges", "normal,build", "--target", "all", "--prefix", "none", "--format", "{p}"];
    let tree = cargo(&[&package[..], &form].concat());
    let names = tree.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some(format!("{} {}", words.next()?, words.next()?))
    });
    names.collect()
}

#[test]
fn no_dependency_needs_a_newer_compiler_than_the_packages_declare() {
    let declared = declared();
    let own = |name: &str| {
        let found = declared.iter().find(|(package, _)| package.split(' ').next() == Some(name));
        parts(found.unwrap().1)
    };
    let promised = own("axum-auth-module");
    assert_eq!(own("axum-auth-module-macros"), promised);
    let is_newer = |package: &String| declared.get(package).is_some_and(|version| parts(version) > promised);
    let newer: Vec<_> = built_with_every_feature().into_iter().filter(is_newer).collect();
    assert!(newer.is_empty(), "{newer:?}");
}

/// Every check compiles with the toolchain of this file, so nothing else is promised.
#[test]
fn the_oldest_compiler_is_the_one_of_the_toolchain_file_and_the_documents_name_it() {
    let read = |file: &str| std::fs::read_to_string(root().join(file)).unwrap();
    let value = |file: &str, key: &str| {
        let text = read(file);
        let line =
            text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_else(|| panic!("{key} in {file}"));
        line.trim_matches(['=', ' ', '"']).to_owned()
    };
    let oldest = value("Cargo.toml", "rust-version");
    assert_eq!(parts(&oldest), parts(&value("rust-toolchain.toml", "channel")));
    for package in ["auth", "auth-macros"] {
        assert_eq!(value(&format!("{package}/Cargo.toml"), "rust-version.workspace"), "true");
    }
    for document in ["docs/internals/releasing.md", "docs/guide/getting-started.md", "llms.txt"] {
        assert!(read(document).contains(&format!("Rust {oldest}")), "{document}");
    }
}
