//! The Rust blocks of `docs/guide` show their imports: a reader pastes a block, and no name in it has to be searched for.

use std::collections::BTreeSet;

/// Names that need no import: those of Rust's prelude, and those that every test has.
const PRELUDE: &str = "Box Clone Copy Debug Default Drop Eq Err From Into Iterator None Ok Option PartialEq Result Self Send \
                       Some String Sync Vec assert assert_eq eprintln format matches panic println test i64 u8 vec";

/// Crates, as paths name them.
const CRATES: &str = "axum axum_auth_module bcrypt cbc chrono serde_json sqlx std tokio tower_http tracing tracing_subscriber uuid";

/// Records that the page asks the reader for, or that other pages show.
const OF_THE_READER: [&str; 3] = ["Account", "App", "Employee"];

/// Keywords, which are no names although a parenthesis can follow them, and the attributes of derives and of crates.
const WORDS: &str = "as async auth await cfg crate derive else fn for if impl in let loop match move mut pub ref return self serde sqlx \
                     super use where while";

/// Traits that a block imports for their methods, whose names it does not mention.
const FOR_METHODS: [&str; 8] =
    ["Aead", "BlockModeDecrypt", "Engine", "IntoResponse", "KeyInit", "KeyIvInit", "Mac", "UserRepository"];

/// A word of the code, and the characters around it.
struct Word<'a> {
    text: &'a str,
    before: &'a str,
    behind: &'a str,
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn words(code: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(start) = code[at..].find(is_in_word).map(|start| at + start) {
        let end = code[start..].find(|next| !is_in_word(next)).map_or(code.len(), |length| start + length);
        let (before, behind) = (code[..start].trim_end(), code[end..].trim_start());
        words.push(Word { text: &code[start..end], before, behind });
        at = end;
    }
    words
}

/// The code without comments and without string literals. The quote of a lifetime does not begin a literal.
fn without_texts(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '/']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = if from.starts_with("//") {
            from.find('\n')
        } else if let Some(raw) = from.strip_prefix('"').filter(|_| before.ends_with("r#")) {
            raw.find("\"#").map(|end| end + 3)
        } else if from.starts_with('"') {
            from.char_indices().skip(1).find(|(end, _)| is_end(from, *end)).map(|(end, _)| end + 1)
        } else {
            out.push('/');
            Some(1)
        };
        rest = &from[end.unwrap_or(from.len())..];
    }
    out + rest
}

/// Whether a quotation ends here: with a quotation mark behind an even number of backslashes.
fn is_end(text: &str, at: usize) -> bool {
    let backslashes = text[..at].chars().rev().take_while(|character| *character == '\\').count();
    text[at..].starts_with('"') && backslashes % 2 == 0
}

/// The names that the `use` lines of the code bring, and the code without them.
fn imports(code: &str) -> (Vec<String>, String) {
    let (mut names, mut rest) = (Vec::new(), String::new());
    for statement in code.split_inclusive(';') {
        match statement.trim_start().strip_prefix("use ") {
            Some(tree) => {
                let is_last =
                    |word: &Word<'_>| !word.behind.starts_with("::") || word.behind.starts_with("::{self");
                let last = words(tree).into_iter().filter(is_last).map(|word| word.text.to_owned());
                names.extend(last.filter(|name| name != "self"));
            }
            None => rest.push_str(statement),
        }
    }
    (names, rest)
}

/// The variants of the enums.
fn variants(code: &str) -> Vec<String> {
    let bodies = code.split("enum ").skip(1).filter_map(|rest| rest.split_once('{')?.1.split_once("\n}"));
    let first = |word: &Word<'_>| word.before.is_empty() || word.before.ends_with(',');
    let names = bodies.flat_map(|(body, _)| words(body).into_iter().filter(first));
    names.map(|word| word.text.to_owned()).collect()
}

/// What the code gives a name to: items and variables.
fn declared(code: &str) -> impl Iterator<Item = String> {
    let keywords = ["fn", "struct", "enum", "trait", "type", "const", "static", "let", "mut", "mod"];
    let declares = move |word: &Word<'_>| {
        let last = word.before.rsplit(|character| !is_in_word(character)).next();
        last.is_some_and(|last| keywords.contains(&last) && word.before.ends_with(last))
    };
    words(code).into_iter().filter(declares).map(|word| word.text.to_owned()).collect::<Vec<_>>().into_iter()
}

/// Whether the word is a name that must come from somewhere: the first part of a path, a type, a function or a macro.
fn needs_an_import(word: &Word<'_>) -> bool {
    let of_something =
        word.before.ends_with("::") || word.before.ends_with('.') && !word.before.ends_with("..");
    // `User = Account` in angle brackets.
    let is_bound = word.behind.starts_with("= ");
    let is_a_key = word.behind.starts_with(':') && !word.behind.starts_with("::");
    let is_a_type = word.text.starts_with(char::is_uppercase) && word.text.contains(char::is_lowercase);
    let is_a_macro = word.behind.starts_with('!') && !word.behind.starts_with("!=");
    let is_an_attribute = word.before.ends_with("#[");
    let is_called = word.behind.starts_with('(') && !word.text.starts_with(char::is_uppercase);
    let is_a_path = word.behind.starts_with("::");
    let is_used = is_a_type || is_a_macro || is_an_attribute || is_called || is_a_path;
    is_used && !of_something && !is_a_key && !is_bound
}

/// What is wrong with the imports of a page: names without an import, and imports that no block uses.
pub(crate) fn mistakes(blocks: &[String]) -> Vec<String> {
    let code: Vec<_> = blocks.iter().map(|block| imports(&without_texts(block))).collect();
    let lists = [PRELUDE, CRATES, WORDS].into_iter().flat_map(str::split_whitespace);
    let mut known: BTreeSet<String> = lists.map(str::to_owned).collect();
    known.extend(OF_THE_READER.map(str::to_owned));
    known.extend(code.iter().flat_map(|(_, rest)| declared(rest).chain(variants(rest))));
    let mut wrong = BTreeSet::new();
    for (names, rest) in &code {
        known.extend(names.iter().cloned());
        let missing =
            words(rest).into_iter().filter(|word| needs_an_import(word) && !known.contains(word.text));
        wrong.extend(missing.map(|word| format!("`{}` has no `use` line above it", word.text)));
    }
    let used: BTreeSet<_> = code.iter().flat_map(|(_, rest)| words(rest)).map(|word| word.text).collect();
    let imported = code.iter().flat_map(|(names, _)| names);
    let unused =
        imported.filter(|name| !used.contains(name.as_str()) && !FOR_METHODS.contains(&name.as_str()));
    wrong.extend(unused.map(|name| format!("no block uses the import `{name}`")));
    wrong.into_iter().collect()
}
