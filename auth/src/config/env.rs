//! The configuration from environment variables.

use super::options::{REQUIRED, options, variables};
use super::{AuthConfig, ConfigOption};
use crate::config::{ConfigError, ConfigProblem};
use crate::telemetry::{Sentence, log};
use std::cmp::Reverse;
use std::fs;

/// Reads the configuration from the variables. A secret that is not set stays empty; the builder reports that. A value
/// that cannot be parsed is reported together with the builder's problems.
///
/// `set` are the names of all variables that are set, if they are known. One that is almost the name of a variable of the library
/// is a problem; other names are the host's, and are in the log.
pub(super) fn read(
    variable: impl Fn(&str) -> Option<String>,
    set: impl IntoIterator<Item = String>,
) -> Result<AuthConfig, ConfigError> {
    let mut unreadable: Vec<(&str, ConfigProblem)> = Vec::new();
    let mut value = |name: &'static str| {
        value_of(&variable, name).unwrap_or_else(|problem| {
            unreadable.push((name, problem));
            None
        })
    };
    let [jwt, refresh, encryption] = REQUIRED
        .each_ref()
        .map(|option: &ConfigOption| option.variable.and_then(&mut value).unwrap_or_default());
    let mut builder = AuthConfig::builder(jwt, refresh, encryption);
    let mut unparsable = Vec::new();
    for (name, apply) in variables() {
        let Some(text) = value(name) else { continue };
        match apply(builder.clone(), text.trim()) {
            Ok(applied) => builder = applied,
            Err(message) => unparsable.push(ConfigProblem { option: name.into(), message }),
        }
    }
    let (misspelled, unknown) = not_known(set);
    if !unknown.is_empty() {
        log::variables_unknown(Sentence(&unknown.join(", ")));
    }
    unparsable.extend(misspelled);
    let built = builder.build().map_err(with_variable_names);
    let invalid = built.as_ref().err().map(ConfigError::problems).unwrap_or_default();
    // What could not be read is not missing as well.
    let is_unread = |problem: &&ConfigProblem| unreadable.iter().any(|(name, _)| problem.option == *name);
    let mut problems: Vec<_> = invalid.iter().filter(|problem| !is_unread(problem)).cloned().collect();
    problems.extend(unreadable.iter().map(|(_, problem)| problem.clone()));
    problems.extend(unparsable);
    ConfigError::check(problems)?;
    built
}

/// The value of a variable, or the text of the file that `NAME_FILE` names, without the end of its last line.
fn value_of(variable: impl Fn(&str) -> Option<String>, name: &str) -> Result<Option<String>, ConfigProblem> {
    let set = |name: &str| variable(name).filter(|text| !text.is_empty());
    let file = format!("{name}{FILE}");
    let Some(path) = set(&file) else { return Ok(set(name)) };
    let problem = |message| ConfigProblem { option: file.clone().into(), message };
    if set(name).is_some() {
        return Err(problem(format!("{name} is set, too; set one of both")));
    }
    let text =
        fs::read_to_string(path).map_err(|error| problem(format!("the file cannot be read: {error}")))?;
    let text = text.strip_suffix('\n').map_or(&*text, |text| text.strip_suffix('\r').unwrap_or(text));
    if text.is_empty() { Err(problem("the file is empty".to_owned())) } else { Ok(Some(text.to_owned())) }
}

/// The variables whose names begin with `AUTH_` and are not the library's: the problems of those whose names are nearly right, and
/// the others, each with the library's variables that share a word with it.
fn not_known(set: impl IntoIterator<Item = String>) -> (Vec<ConfigProblem>, Vec<String>) {
    let known: Vec<_> = options().filter_map(|option| option.variable).collect();
    let (mut problems, mut unknown) = (Vec::new(), Vec::new());
    for name in set.into_iter().filter(|name| name.starts_with(PREFIX)) {
        let (stem, end) = name.strip_suffix(FILE).map_or((&*name, ""), |stem| (stem, FILE));
        if known.contains(&stem) {
            continue;
        }
        match misspelled(stem, end, &known) {
            Some(problem) => problems.push(problem),
            None => unknown.push(with_relatives(&name, &known)),
        }
    }
    (problems, unknown)
}

/// `AUTH_SECRET (see AUTH_JWT_SECRET, AUTH_REFRESH_SECRET)`
fn with_relatives(name: &str, known: &[&str]) -> String {
    let words = |text: &str| text.split('_').skip(1).map(str::to_owned).collect::<Vec<_>>();
    let own = words(name);
    let is_relative = |known: &&&str| words(known).iter().any(|word| own.contains(word));
    let relatives: Vec<_> = known.iter().filter(is_relative).take(3).copied().collect();
    if relatives.is_empty() { name.to_owned() } else { format!("{name} (see {})", relatives.join(", ")) }
}

/// The problem of a variable whose name is almost one of the library's, or differs only in the last of three or more words. `end` is
/// [`FILE`] if the name had this end.
fn misspelled(name: &str, end: &str, known: &[&'static str]) -> Option<ConfigProblem> {
    let distance = |known: &&str| strsim::damerau_levenshtein(name, known);
    // `AUTH_ACCESS_TOKEN_TTL` has other letters than `AUTH_ACCESS_TOKEN_SECONDS`, but means the same.
    let beginning = |text: &str| -> Option<String> {
        let (beginning, _) = text.strip_prefix(PREFIX)?.rsplit_once('_')?;
        beginning.contains('_').then(|| beginning.to_owned())
    };
    let of_name = beginning(name);
    let is_namesake = |known: &&str| of_name.is_some() && beginning(known) == of_name;
    let nearest = match known.iter().copied().filter(is_namesake).min_by_key(distance) {
        Some(namesake) => namesake,
        None => known
            .iter()
            .copied()
            .min_by_key(distance)
            .filter(|nearest| distance(nearest) * LETTERS_OF_A_MISTAKE <= nearest.len() - PREFIX.len())?,
    };
    Some(ConfigProblem {
        option: format!("{name}{end}").into(),
        message: format!("there is no such variable; did you mean {nearest}{end}?"),
    })
}

/// The beginning of every variable.
const PREFIX: &str = "AUTH_";
/// The end of the name of a variable that names the file with the value of the variable without this end.
const FILE: &str = "_FILE";
/// A misspelled name has at most one mistake for so many letters: one that is missing, too many, exchanged with the next, or another.
const LETTERS_OF_A_MISTAKE: usize = 4;

/// The builder's problems with the names of the variables instead of the options: the user has set variables.
fn with_variable_names(error: ConfigError) -> ConfigError {
    let mut names: Vec<_> = options().filter_map(|option| Some((option.name, option.variable?))).collect();
    // The longest first: `previous_jwt_secrets` contains `jwt_secret`.
    names.sort_by_key(|(option, _)| Reverse(option.len()));
    error.renamed(
        |option| names.iter().find(|(known, _)| *known == option).map(|(_, name)| *name),
        |message| names.iter().fold(message, |text, (option, name)| text.replace(option, name)),
    )
}

#[cfg(test)]
mod tests;
