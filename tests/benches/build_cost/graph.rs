//! Which packages and features are in a host's build for the macros alone.

use crate::Failure;
use crate::cargo::run;
use crate::workspaces::{Workspace, Workspaces};
use std::collections::{BTreeMap, BTreeSet};

/// Packages with their versions, and the features that are on.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// What is not there without the crate of the macros.
pub(crate) struct OnlyForMacros {
    pub(crate) packages: Vec<String>,
    /// Features of packages that are there anyway, as `package: feature`.
    pub(crate) features: Vec<String>,
}

impl OnlyForMacros {
    /// Compares the host by hand with itself over the library without the crate of the macros. Packages that are not on
    /// this machine yet are downloaded, so that no build has to.
    pub(crate) fn find(workspaces: &Workspaces) -> Result<Self, Failure> {
        let [_, by_hand, plain_axum] = &workspaces.hosts;
        graph(plain_axum)?;
        let (with, without) = (graph(by_hand)?, graph(&workspaces.without_macro_crate)?);
        let (mut packages, mut features) = (Vec::new(), Vec::new());
        for (package, on) in with {
            match without.get(&package) {
                Some(on_without) => {
                    features.extend(on.difference(on_without).map(|name| format!("{package}: {name}")));
                }
                None => packages.push(package),
            }
        }
        Ok(Self { packages, features })
    }
}

/// What a host is built of, without its tests.
fn graph(workspace: &Workspace) -> Result<Graph, Failure> {
    let arguments = ["tree", "-p", &workspace.package, "--edges", "normal,build", "--prefix", "none"];
    let tree = run(&workspace.folder, &[&arguments[..], &["--format", "{p}|{f}"]].concat())?;
    let mut graph = Graph::new();
    for line in tree.said.lines() {
        // Like `syn v3.0.0|full,parsing`. What stands in brackets is a path, or says that the rest was shown before.
        let (package, features) = line.split_once('|').unwrap_or((line, ""));
        let package = package.split(" (").next().unwrap_or(package).to_owned();
        let features = features.trim_end_matches(" (*)").split(',').filter(|feature| !feature.is_empty());
        graph.entry(package).or_default().extend(features.map(str::to_owned));
    }
    Ok(graph)
}
