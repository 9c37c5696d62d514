//! What was not said on the command line.

use super::{Choice, Database, Failure, Front, Options, PARTS, Project, choices, default_features, features};
use crate::feature::{Feature, FeatureSet};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The project that the options and the answers describe.
pub(super) fn answered(name: String, options: &Options) -> Result<Project, Failure> {
    let asks = Asks(io::stdin().is_terminal());
    let database = match options.database {
        Some(database) => database,
        None => asks.choice("The database", Database::Sqlite)?,
    };
    let front = match options.front {
        Some(front) => front,
        None => asks.choice("The clients: programs with tokens, browsers with cookies", Front::Tokens)?,
    };
    let features = match options.features {
        Some(chosen) => complete(chosen, front).map_err(Failure)?,
        None => asks.features(front)?,
    };
    let library = options.library.as_deref().map(library).transpose()?;
    Ok(Project { name, database, front, features, library })
}

/// The chosen features with those that the clients need, if nothing is missing.
fn complete(mut chosen: FeatureSet, front: Front) -> Result<FeatureSet, String> {
    for part in PARTS.iter().filter(|part| part.is_for_browsers) {
        if front != Front::Tokens {
            chosen.insert(part.feature);
        } else if chosen.contains(part.feature) {
            let name = part.feature.word();
            return Err(format!("{name} is for browsers: say `--clients browsers` or `both`"));
        }
    }
    if chosen.is_empty() {
        return Err("no feature is chosen".to_owned());
    }
    let missing: Vec<_> = chosen.missing_requirements().map(|required| required.message()).collect();
    if missing.is_empty() { Ok(chosen) } else { Err(missing.join("\n")) }
}

/// The directory of the library's package, whole, because the new project is elsewhere.
fn library(path: &Path) -> Result<PathBuf, Failure> {
    let found =
        [path.to_owned(), path.join("auth")].into_iter().find(|path| path.join("src/user/mod.rs").exists());
    let found = found.and_then(|path| path.canonicalize().ok());
    found.ok_or_else(|| Failure(format!("{} is not the repository of axum-auth-module", path.display())))
}

/// Asks, if there is somebody to ask.
struct Asks(bool);

impl Asks {
    fn choice<C: Choice + PartialEq>(&self, question: &str, default: C) -> Result<C, Failure> {
        let name = C::ALL.iter().find(|(_, choice)| *choice == default).map_or("", |(name, _)| name);
        self.ask(&format!("{question}: {}", C::words()), name, C::of)
    }

    fn features(&self, front: Front) -> Result<FeatureSet, Failure> {
        let list = |set: FeatureSet| set.iter().map(Feature::value).collect::<Vec<_>>().join(",");
        let all = list(choices()).replace(',', ", ");
        let question = format!("The features, with commas between them, or `all`. There are {all}");
        self.ask(&question, &list(default_features()), |answer| complete(features(answer)?, front))
    }

    /// Asks until the answer can be read. An empty answer, or nobody there, is the default. Whoever ends the input has changed their mind.
    fn ask<T>(
        &self,
        question: &str,
        default: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Failure> {
        let failed = |error: io::Error| Failure(format!("the terminal cannot be used: {error}"));
        let mut terminal = io::stderr();
        if self.0 {
            writeln!(terminal, "{question}").map_err(failed)?;
        }
        loop {
            let mut answer = String::new();
            if self.0 {
                write!(terminal, "[{default}] ").and_then(|()| terminal.flush()).map_err(failed)?;
                if io::stdin().lock().read_line(&mut answer).map_err(failed)? == 0 {
                    return Err(Failure("the input has ended: nothing was written".to_owned()));
                }
            }
            let answer = answer.trim();
            match read(if answer.is_empty() { default } else { answer }) {
                Ok(value) => return Ok(value),
                Err(wrong) if self.0 => writeln!(terminal, "{wrong}").map_err(failed)?,
                Err(wrong) => return Err(Failure(wrong)),
            }
        }
    }
}
