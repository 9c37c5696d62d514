//! `rust-version` of the published packages is not lower than what their dependencies declare.

use crate::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Packages that need a newer compiler, with the version that they declare. A host gets them only with the cargo feature
/// `sqlite`; CONTRIBUTING says so.
const NEWER: &[(&str, &str)] = &[("sqlx", "1.94.0"), ("sqlx-core", "1.94.0"), ("sqlx-sqlite", "1.94.0")];

fn cargo(arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO")).args(arguments).arg("--locked").current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// `1.88` and `1.88.0` are the same version.
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

/// The packages that a host builds with these cargo features, on any platform: `name vVersion`.
fn built_with(features: &str) -> BTreeSet<String> {
    let package = ["tree", "--package", "axum-auth-module", "--features", features];
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

    let newer = |features: &str| -> BTreeSet<(String, String)> {
        let needs_newer = |package: &String| {
            let version = declared.get(package).filter(|version| parts(version) > promised)?;
            Some((package.split(' ').next()?.to_owned(), version.clone()))
        };
        built_with(features).iter().filter_map(needs_newer).collect()
    };
    assert_eq!(newer("mail,redis,testing"), BTreeSet::new());
    let known = NEWER.iter().map(|(name, version)| ((*name).to_owned(), (*version).to_owned())).collect();
    assert_eq!(newer("mail,redis,testing,sqlite"), known);
}
