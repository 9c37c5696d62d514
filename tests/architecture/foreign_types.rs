//! The types of other crates in public signatures, read from the sources. Macros are not expanded: the crates of the names in
//! them count.

use crate::public_api::{items, names, visible};
use crate::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use syn::{Item, UseTree};

/// The crates whose types are in public signatures, and why. A new major version of one of them is a breaking change of this
/// library, so a crate that is missing here should stay out of signatures.
const FOREIGN: &[(&str, &str, &str)] = &[
    ("async_trait", "async_trait::async_trait", "hosts write it above their providers"),
    (
        "axum",
        "Router body::Bytes extract::FromRequest extract::FromRequestParts http::HeaderMap http::Method \
         http::Request http::Response http::Uri response::IntoResponse response::IntoResponseParts response::Response",
        "the library is for hosts with axum",
    ),
    ("axum_auth_module_macros", "AuthUser", "its other half, in the same version"),
    ("chrono", "", "columns of hosts: `NullableTimestamp`; cargo features of sqlx"),
    ("futures_util", "future::BoxFuture", "the request of a test, `testing::browser`, is awaited"),
    ("ipnet", "", "`trusted_proxies`"),
    ("redis", "aio::ConnectionManager", "a host's own connection; cargo feature `redis`"),
    ("serde", "Serialize de::DeserializeOwned de::Visitor", "JSON bodies, and fields of hosts"),
    ("serde_json", "Map Value", "the fields that hosts add to a request"),
    (
        "sqlx",
        "Error migrate::MigrateError",
        "a host's pool and its errors; cargo features `sqlite`, `postgres`, `mysql`",
    ),
    ("thiserror", "", "derives `Error` in a table; no signature"),
    ("tokio", "sync::broadcast::Receiver", "`EventChannel`"),
    ("tracing", "", "writes lines and spans in tables; no signature"),
];

/// The names that a `use` brings into a file, with their paths.
fn imports(tree: &UseTree, path: &str, found: &mut BTreeMap<String, String>) {
    let below = |name: &dyn ToString| match path {
        "" => name.to_string(),
        path => format!("{path}::{}", name.to_string()),
    };
    match tree {
        UseTree::Path(tree) => imports(&tree.tree, &below(&tree.ident), found),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imports(tree, path, found)),
        UseTree::Name(name) if name.ident == "self" => {
            found.insert(path.rsplit("::").next().unwrap().to_owned(), path.to_owned());
        }
        UseTree::Name(name) => drop(found.insert(name.ident.to_string(), below(&name.ident))),
        UseTree::Rename(name) => drop(found.insert(name.rename.to_string(), below(&name.ident))),
        UseTree::Glob(_) => {}
    }
}

/// The names of other crates in a text of code, with their paths: `axum::Router`, also where the file imports `Router`.
fn foreign(text: &str, imported: &BTreeMap<String, String>, crates: &BTreeSet<String>) -> Vec<String> {
    let text = text.replace(" :: ", "::").replace(":: ", "::");
    let words =
        text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').map(|word| word.trim_matches(':'));
    let paths = words.map(|word| {
        let (first, rest) = word.split_at(word.find("::").unwrap_or(word.len()));
        format!("{}{rest}", imported.get(first).map_or(first, String::as_str))
    });
    let is_foreign = |path: &String| {
        // A module of this crate can be called like another crate.
        path.split_once("::").is_some_and(|(root, _)| {
            crates.contains(root) && imported.get(root).is_none_or(|path| path != "self")
        })
    };
    paths.filter(is_foreign).collect()
}

/// The dependencies of the library, as paths name them.
fn dependencies() -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("auth/Cargo.toml")).unwrap();
    let own = manifest.split("[dependencies]").nth(1).unwrap().split("[dev-dependencies]").next().unwrap();
    let names =
        own.lines().filter_map(|line| line.split_once(['.', ' ']).map(|(name, _)| name.replace('-', "_")));
    names.filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_')).collect()
}

/// The name of each crate, and the types of it that public signatures have.
fn foreign_types(items: &[(String, Item)]) -> BTreeMap<String, BTreeSet<String>> {
    let types = names(items);
    let mut imported: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
    for (file, item) in items {
        let found = imported.entry(file).or_default();
        match item {
            Item::Use(item) => imports(&item.tree, "", found),
            Item::Mod(item) => drop(found.insert(item.ident.to_string(), "self".to_owned())),
            _ => {}
        }
    }
    let crates = dependencies();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, item) in items {
        let paths = |text: &String| foreign(text, &imported[&**file], &crates);
        for path in visible(item, &types).iter().flat_map(paths) {
            let (name, in_crate) = path.split_once("::").unwrap();
            found.entry(name.to_owned()).or_default().insert(in_crate.to_owned());
        }
        if let Item::Macro(item) = item {
            for path in paths(&item.mac.tokens.to_string()) {
                found.entry(path.split_once("::").unwrap().0.to_owned()).or_default();
            }
        }
    }
    found
}

#[test]
fn the_types_of_other_crates_in_public_signatures_are_known() {
    let found = foreign_types(&items());
    let found: BTreeMap<_, _> = found
        .into_iter()
        .map(|(name, types)| (name, types.into_iter().collect::<Vec<_>>().join(" ")))
        .collect();
    let known = FOREIGN.iter().map(|(name, types, _)| ((*name).to_owned(), (*types).to_owned()));
    let known: BTreeMap<_, _> = known.collect();
    let differs = |(name, types): &(&String, &String)| known.get(*name) != Some(*types);
    let new: Vec<_> =
        found.iter().filter(differs).map(|(name, types)| format!("(\"{name}\", \"{types}\", …)")).collect();
    assert!(new.is_empty(), "types of other crates in public signatures:\n{}", new.join("\n"));
    let gone: Vec<_> = known.keys().filter(|name| !found.contains_key(*name)).collect();
    assert!(gone.is_empty(), "no public signature has a type of {gone:?}");
}
