//! `init`: a new project with a host that compiles, has a test, and runs.

mod files;
mod host;
mod parts;
mod questions;

use super::{Failure, Outcome, print, secrets};
use crate::feature::{Feature, FeatureSet};
use files::File;
use parts::PARTS;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The arguments of `init`. What is not said is asked if there is somebody to ask, and is a default otherwise.
#[derive(Default)]
pub(super) struct Options {
    pub(super) directory: Option<PathBuf>,
    pub(super) database: Option<Database>,
    pub(super) front: Option<Front>,
    pub(super) features: Option<FeatureSet>,
    /// Where the library is, if not where packages are published.
    pub(super) library: Option<PathBuf>,
}

/// Where the host keeps its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Database {
    Sqlite,
    Postgres,
    MySql,
}

/// What the clients of the host are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Front {
    /// Programs that keep tokens.
    Tokens,
    /// Browsers with cookies.
    Browsers,
    Both,
}

/// A choice among a few words.
pub(super) trait Choice: Copy + Sized + 'static {
    const ALL: &'static [(&'static str, Self)];

    /// The choice of this word.
    fn of(word: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| *name == word);
        found.map(|(_, choice)| *choice).ok_or_else(|| format!("expected {}", Self::words()))
    }

    fn words() -> String {
        let words: Vec<_> = Self::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
        words.join(" or ")
    }
}

impl Choice for Database {
    const ALL: &'static [(&'static str, Self)] =
        &[("sqlite", Self::Sqlite), ("postgres", Self::Postgres), ("mysql", Self::MySql)];
}

impl Choice for Front {
    const ALL: &'static [(&'static str, Self)] =
        &[("tokens", Self::Tokens), ("browsers", Self::Browsers), ("both", Self::Both)];
}

/// What is going to be made.
struct Project {
    /// The name of the package, which the directory has.
    name: String,
    database: Database,
    front: Front,
    features: FeatureSet,
    library: Option<PathBuf>,
}

pub(super) fn run(options: &Options) -> Result<Outcome, Failure> {
    let directory = options.directory.clone();
    let directory = directory
        .ok_or_else(|| Failure::new("in which directory? Say it after `init`, as in `init shop`"))?;
    let name = name_of(&directory)?;
    is_free(&directory)?;
    let project = questions::answered(name, options)?;
    let files = project.files()?;
    write(&directory, &files).map_err(|error| {
        Failure(format!("{} cannot be written whole: {error}; delete it", directory.display()))
    })?;
    print(&project.next_steps(&directory))?;
    Ok(Outcome::Fine)
}

/// The name of the package: that of the directory.
fn name_of(directory: &Path) -> Result<String, Failure> {
    let name = directory.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_name = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    // A package cannot have the name of its test runner or of the library.
    let is_taken = ["test", "axum-auth-module", "axum", "sqlx", "tokio", "chrono", "dotenvy"].contains(&name);
    if !is_name || is_taken {
        return Err(Failure(format!(
            "the directory's name is the name of the package: expected small letters, digits, `-` and `_`, as in `shop`, not `{name}`"
        )));
    }
    Ok(name.to_owned())
}

/// Whether nothing is in the way.
fn is_free(directory: &Path) -> Result<(), Failure> {
    match fs::read_dir(directory).map(Iterator::count) {
        Ok(0) => Ok(()),
        Ok(_) => Err(Failure(format!("{} is not empty, and is not changed", directory.display()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure(format!("{} cannot be read: {error}", directory.display()))),
    }
}

fn write(directory: &Path, files: &[File]) -> io::Result<()> {
    for File { path, text, is_secret } in files {
        let path = directory.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        if *is_secret { secrets::create(&path, text)? } else { fs::write(path, text.as_bytes())? }
    }
    Ok(())
}

/// The features of which the command can write a host.
fn known_features() -> impl Iterator<Item = Feature> {
    PARTS.iter().map(|part| part.feature)
}

/// What a project has that says nothing else.
fn default_features() -> FeatureSet {
    PARTS.iter().filter(|part| part.is_default).map(|part| part.feature).collect()
}

/// Those that can be chosen: the clients decide about what is for browsers.
fn choices() -> FeatureSet {
    PARTS.iter().filter(|part| !part.is_for_browsers).map(|part| part.feature).collect()
}

/// The feature that was meant by a word, or else all of them.
fn meant(word: &str) -> String {
    let distance = |feature: &Feature| strsim::damerau_levenshtein(word, feature.value());
    let nearest = known_features().min_by_key(distance).filter(|nearest| distance(nearest) <= 3);
    match nearest {
        Some(nearest) => format!("did you mean `{}`?", nearest.value()),
        None => format!("there are {}", choices()),
    }
}

/// Reads a list of features. `all` is every one that can be chosen.
pub(super) fn features(list: &str) -> Result<FeatureSet, String> {
    if list.trim() == "all" {
        return Ok(choices());
    }
    let words = || list.split(',').map(str::trim).filter(|word| !word.is_empty());
    if let Some(word) = words().find(|word| word.parse::<Feature>().is_err()) {
        return Err(format!("there is no feature `{word}`; {}", meant(word)));
    }
    let set: FeatureSet = list.parse().map_err(|error| format!("{error}"))?;
    match set.iter().find(|feature| !known_features().any(|known| known == *feature)) {
        Some(feature) => Err(format!(
            "{} needs what only you have, such as keys: add it to the new project with its page of the guide",
            feature.word()
        )),
        None => Ok(set),
    }
}
