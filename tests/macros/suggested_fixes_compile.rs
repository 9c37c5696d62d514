//! Applies each `help:` to the host that does not compile. Then the host must compile.
//!
//! The corrected hosts are modules of one program, whose `main` has one mistake: see [`MAIN`].

use crate::fixtures::{Fixture, all};
use crate::stderr::{Error, errors};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The first words of a help that is advice and no text to paste.
const ADVICE: [&str; 11] = [
    "keep one of them",
    "keep the user record in a struct",
    "move it to the end",
    "put `#[auth(",
    "remove it",
    "remove this",
    "remove what",
    "write `[REGISTRATION",
    "write `within",
    "write a role in parentheses",
    "write one of",
];

/// How the program begins. The suite compiles all its programs with one `cargo check`, which trybuild does only if each of them is
/// expected to fail. So the program has one mistake, and this is all that the compiler may say of it.
const MAIN: &str = "#![allow(warnings)]\n\nfn main() {\n    let the_only_mistake: () = true;\n}\n\n";

fn message(program: &Path) -> String {
    format!(
        "error[E0308]: mismatched types
 --> {}:4:32
  |
4 |     let the_only_mistake: () = true;
  |                           --   ^^^^ expected `()`, found `bool`
  |                           |
  |                           expected due to this
",
        program.display()
    )
}

/// Writes the corrected hosts as modules of one program, and what the compiler is to say of it, and returns its path.
pub(crate) fn hosts() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("suggested_fixes");
    let _: std::io::Result<()> = fs::remove_dir_all(&directory);
    fs::create_dir_all(directory.join("hosts")).unwrap();
    let mut program = MAIN.to_owned();
    let mut count = 0;
    let mut repositories = BTreeSet::new();
    for Fixture { name, host, stderr, .. } in all() {
        let Some(mended) = mended(&host, &errors(&stderr)) else { continue };
        let other = other_choice(&mended);
        for (suffix, host) in [("", Some(mended)), ("_otherwise", other)] {
            let Some(host) = host else { continue };
            repositories.extend(sql_types(&host));
            let file = format!("hosts/{name}{suffix}.rs");
            fs::write(directory.join(&file), complete(host)).unwrap();
            program += &format!("#[path = \"{file}\"]\nmod {name}{suffix};\n");
            count += 1;
        }
    }
    assert!(count >= LEAST, "only {count} hosts can be corrected with the help of the messages");
    let account = fs::read_to_string("ui/account.rs").unwrap() + MAILS + &sql(&repositories);
    fs::write(directory.join("account.rs"), account).unwrap();
    let all = directory.join("suggested_fixes.rs");
    fs::write(all.with_extension("stderr"), message(&all)).unwrap();
    fs::write(&all, program).unwrap();
    all
}

/// The program has the one message, although this run has written what the compiler said.
pub(crate) fn check_overwritten(program: &Path) {
    let said = fs::read_to_string(program.with_extension("stderr")).unwrap();
    assert_eq!(said, message(program));
}

/// The least number of hosts that can be corrected, so that the test fails if it no longer finds the texts.
const LEAST: usize = 45;

/// The types of cargo feature `sqlite` that a host names.
fn sql_types(host: &str) -> impl Iterator<Item = String> {
    let names = host.split("account::sql::").skip(1);
    names.map(|rest| rest.chars().take_while(|letter| letter.is_alphanumeric()).collect())
}

/// sqlx cannot read the times of the hosts' user record. These types have the names and the parameters of the real ones, and give
/// the repositories in memory.
fn sql(types: &BTreeSet<String>) -> String {
    let source: String = fs::read_dir("../auth/src/sql")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let mut stubs = String::new();
    for name in types {
        assert!(source.contains(&format!("pub struct {name}")), "auth/src/sql has no {name}");
        // Several instances share a database.
        let is_shared = ["SharedSessions", "SharedStore"]
            .iter()
            .any(|mark| source.contains(&format!("impl {mark} for {name} ")));
        let memory = if is_shared { "SharedMemory" } else { "Memory" };
        let memory = name.replacen("Sql", &format!("axum_auth_module::testing::{memory}"), 1);
        // The repository of users alone is generic.
        let (of, with, record) = match source.contains(&format!("pub struct {name}<")) {
            true => ("<U: axum_auth_module::user::AuthUserMut + Default>", "<U>", "U"),
            false => ("", "", "()"),
        };
        stubs += &format!(
            "    pub struct {name}{with}(std::marker::PhantomData<{record}>);\n
    impl{of} {name}{with} {{
        pub fn new(_: std::sync::Arc<str>) -> {memory}{with} {{
            Default::default()
        }}
    }}\n"
        );
    }
    format!("\npub mod sql {{\n{stubs}}}\n")
}

/// A delivery of every message.
const MAILS: &str = "
pub struct Mails;

#[axum_auth_module::async_trait]
impl<M: axum_auth_module::delivery::Message> axum_auth_module::delivery::Delivers<M> for Mails {
    async fn deliver(&self, _: M) -> Result<(), axum_auth_module::BoxError> {
        Ok(())
    }
}
";

/// The values that the texts expect in the host.
const VALUES: [(&str, &str); 5] = [
    ("my_deliveries.clone()", "let my_deliveries = std::sync::Arc::new(account::Mails);"),
    ("pool.clone()", "let pool: std::sync::Arc<str> = \"\".into();"),
    (
        "social_providers: providers",
        "let providers = axum_auth_module::social::SocialProviders::new([]).unwrap();",
    ),
    (
        "api_scopes: scopes",
        "let scopes = axum_auth_module::config::ApiScopes::new([\"orders:read\"]).unwrap();",
    ),
    ("service_keys: keys", "let keys = axum_auth_module::config::ServiceKeys::pem(\"\")?;"),
];

/// The host with every help applied, or `None` if one of its errors has no text to paste.
fn mended(host: &str, errors: &[Error]) -> Option<String> {
    let mut edits = errors.iter().map(|error| edit(host, error)).collect::<Option<Vec<_>>>()?;
    // Several messages may have the same help, which is pasted once.
    edits.sort_by_key(|(place, text)| (place.start, text.clone()));
    edits.dedup();
    let mut mended = host.to_owned();
    for (place, text) in edits.iter().rev() {
        mended.replace_range(place.clone(), text);
    }
    // The repository of users in memory is such an action.
    let mended = mended.replace("axum_auth_module::actions::DeleteRecord::new(", "std::convert::identity(");
    Some(mended.replace("axum_auth_module::sql::", "account::sql::"))
}

/// The host with the values that the pasted texts use.
fn complete(mut host: String) -> String {
    let values = VALUES.iter().filter(|(used, _)| host.contains(used));
    let mut values: BTreeSet<String> = values.map(|(_, value)| (*value).to_owned()).collect();
    // A text names the delivery of each kind of mail: `reset_mails`.
    let words = host.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    values.extend(
        words.filter(|word| word.ends_with("_mails")).map(|word| format!("let {word} = account::Mails;")),
    );
    for value in values {
        let call = host.find("auth_module! {").unwrap();
        let function = host[..call].rfind("\nfn ").unwrap();
        let body = function + host[function..].find("{\n").unwrap() + 1;
        host.insert_str(body, &format!("\n    {value}"));
    }
    host
}

/// The edit that one error's help asks for: a part of the host, and its replacement.
fn edit(host: &str, error: &Error) -> Option<(Range<usize>, String)> {
    // `NewUser::new(_, _, _)` is no text to paste.
    if let Some(suggestion) = error.suggestion.as_ref().filter(|suggestion| !suggestion.text.contains("(_")) {
        let begin = offset(host, suggestion.line, 1);
        let end = if suggestion.replaces { offset(host, suggestion.line + 1, 1) } else { begin };
        return Some((begin..end, format!("{}\n", suggestion.text)));
    }
    let help = error.help.as_deref().filter(|_| !error.has_code)?;
    let (first, lines) = help.split_once('\n').map_or((help, ""), |(first, lines)| (first, lines));
    let caret = offset(host, error.line, error.column)..offset(host, error.line, error.column + error.width);
    let behind = |opening: &str| host.find(opening).map(|place| place + opening.len());
    let insert = |place: usize| (place..place, format!("\n{lines}\n"));
    if first == "add:" || first == "write in it:" {
        return behind("auth_module! {").map(insert);
    }
    if first == "add here:" {
        return Some(insert(caret.start));
    }
    if first == "write `,` before it" {
        return Some((caret.start..caret.start, ",".to_owned()));
    }
    if first == "add to the struct:" {
        return host[caret.start..].find("\n}").map(|end| insert(caret.start + end));
    }
    if let Some(key) = between(first, "add to `", "`:") {
        let opening = if key == "features" { '[' } else { '{' };
        return behind(&format!("{key}: {opening}")).map(insert);
    }
    if let Some(attribute) = between(first, "write `#[", "]`") {
        let begin = host[..caret.start].rfind("#[")?;
        let end = caret.end + host[caret.end..].find(']')? + 1;
        return Some((begin..end, format!("#[{attribute}]")));
    }
    let word = between(first, "did you mean `", "`?").or_else(|| between(first, "write `", "`"));
    if let Some(word) = word.filter(|word| !word.contains('…')) {
        return Some((caret, word.to_owned()));
    }
    let is_advice = first.contains('…') || ADVICE.iter().any(|advice| first.starts_with(advice));
    assert!(is_advice, "`help: {first}` is no text to paste; if it is advice, add it to ADVICE");
    None
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    text.strip_prefix(begin)?.split_once(end).map(|(between, _)| between)
}

fn offset(host: &str, line: usize, column: usize) -> usize {
    let before: usize = host.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let in_line = host[before..].char_indices().nth(column - 1).map_or(0, |(place, _)| place);
    before + in_line
}

/// The host with the second choice, if there is one: a line in a comment, below the line that it can replace.
fn other_choice(host: &str) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut chosen = false;
    for line in host.lines() {
        let choice = line.trim_start().strip_prefix("// ").filter(|choice| choice.ends_with(','));
        match choice.and_then(|choice| Some((choice, choice.split_once(": ")?.0))) {
            Some((choice, word)) => {
                let first =
                    lines.iter().rposition(|line| line.trim_start().starts_with(&format!("{word}: ")));
                lines[first.unwrap_or_else(|| panic!("`{choice}` replaces nothing"))] = choice.to_owned();
                chosen = true;
            }
            None => lines.push(line.to_owned()),
        }
    }
    chosen.then(|| lines.join("\n"))
}
