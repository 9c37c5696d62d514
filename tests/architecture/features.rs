//! A feature is a folder: it mounts itself, knows no other feature, and nothing else names it but the tables and the files
//! of its providers.

use crate::{Line, code, root, sources};
use axum_auth_module::feature::{Feature, FeatureSet};
use std::fs;

/// What may name a feature beside its own folder: the tables that list features or what belongs to them, the words that
/// editors show, the templates of mails, which have the names of their messages, options, of which a feature has those with its
/// name, and what pages with forms call in the place of a feature's routes.
const TABLES: [&str; 9] = [
    "features/mod.rs",
    "feature.rs",
    "lib.rs",
    "private",
    "command/init/parts.rs",
    "delivery/messages.rs",
    "mail/",
    "config/",
    "extract/browser",
];

/// The folders with the traits of providers and their implementations. A file there may have a feature's name, as
/// `sql/reset_passwords.rs` would, or a folder, as `testing/conformance/sessions/` has, and the folder above it exports what
/// is in it.
const PROVIDERS: [&str; 5] = ["repository/", "actions/", "delivery/", "sql/", "testing/"];

/// The folders of `auth/src/features`.
fn folders() -> Vec<String> {
    let entries = fs::read_dir(root().join("auth/src/features")).unwrap().map(|entry| entry.unwrap().path());
    let folders = entries.filter(|path| path.is_dir());
    folders.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// `reset-passwords` as the folder, the variant and the constant are called.
fn names(feature: Feature) -> [String; 3] {
    let snake = feature.value().replace('-', "_");
    let capitalized = |word: &str| word[..1].to_uppercase() + &word[1..];
    let variant: String = feature.value().split('-').map(capitalized).collect();
    let constant = snake.to_uppercase();
    [snake, variant, constant]
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn every_feature_has_a_folder() {
    for feature in FeatureSet::all().iter() {
        let [folder, ..] = names(feature);
        assert!(folders().contains(&folder), "there is no folder features/{folder}");
    }
}

#[test]
fn every_feature_has_a_folder_of_tests() {
    for feature in FeatureSet::all().iter() {
        let [folder, ..] = names(feature);
        let tests: String = sources(&root().join("tests/http").join(&folder))
            .iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        assert!(
            tests.contains("service_is_there_only_with::<"),
            "tests/http/{folder} does not test the service"
        );
    }
}

/// Whether a line of code names the feature, where it may not.
fn is_named([folder, variant, constant]: &[String; 3], line: &Line) -> bool {
    let file = line.file.as_str();
    let provider = PROVIDERS.iter().find_map(|parent| file.strip_prefix(parent));
    let is_own = match provider {
        Some(path) => path.split('/').any(|part| part.trim_end_matches(".rs") == folder),
        None => file.strip_prefix("features/").is_some_and(|path| path.split('/').next() == Some(folder)),
    };
    if is_own || TABLES.iter().any(|table| file.starts_with(table)) {
        return false;
    }
    // Texts are not code.
    let mut code: String = line.text.split('"').step_by(2).collect();
    // `Registration` is also a purpose of mails. The variant is that of `Feature`, or what an import brings.
    let is_import = code.trim().trim_start_matches("pub ").starts_with("use ");
    let is_module = format!("{folder}::");
    if provider.is_some() {
        code = code.replace(&format!("{folder}::TABLE"), "");
    }
    if let Some(exported) = code.trim().strip_prefix("pub use ").filter(|_| provider.is_some()) {
        code = exported.strip_prefix(&is_module).unwrap_or(exported).to_owned();
    }
    // A field may have the name of a folder: `core.sessions`. A path and a call name the feature.
    let marks = [is_module, format!("::{folder}"), format!(".{folder}("), format!("fn {folder}(")];
    // `memory_sessions::` is another module than `sessions::`.
    let begins = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    code.contains(&format!("Feature::{variant}"))
        || words(&code).any(|word| word == constant || word == variant && is_import)
        || marks.iter().any(|mark| {
            code.match_indices(mark.as_str()).any(|(at, _)| begins(at) || !mark.starts_with(folder))
        })
}

#[test]
fn nothing_names_a_feature_but_its_folder_its_providers_and_the_tables() {
    let mut wrong = Vec::new();
    for feature in FeatureSet::all().iter() {
        let names = names(feature);
        wrong.extend(code("auth/src").iter().filter(|line| is_named(&names, line)).map(Line::place));
    }
    assert!(wrong.is_empty(), "features that are named outside of their folder:\n{}", wrong.join("\n"));
}

/// The feature and its files are invented.
#[test]
fn a_file_with_the_name_of_a_feature_is_one_of_its_providers() {
    let names = ["login_notices", "LoginNotices", "LOGIN_NOTICES"].map(str::to_owned);
    let is_named = |file: &str, text: &str| {
        is_named(&names, &Line { file: file.to_owned(), number: 1, text: text.to_owned() })
    };
    for (file, text) in [
        ("sql/login_notices.rs", "pub fn login_notices() {"),
        ("sql/mod.rs", "mod login_notices;"),
        ("sql/mod.rs", "pub use login_notices::SqlLoginNotices;"),
        ("sql/mod.rs", "const TABLES: &[Table] = &[users::TABLE, login_notices::TABLE];"),
        ("testing/mod.rs", "pub use login_notices::MemoryLoginNotices;"),
        ("testing/conformance/login_notices/mod.rs", "pub fn login_notices() {"),
        ("testing/conformance/mod.rs", "pub use login_notices::{LoginNoticeCases, login_notices};"),
        ("features/login_notices/mod.rs", "Feature::LoginNotices"),
    ] {
        assert!(!is_named(file, text), "{file}: {text}");
    }
    for (file, text) in [
        ("sql/mod.rs", "pub use login_notices::LoginNotices;"),
        ("sql/mod.rs", "use crate::features::login_notices;"),
        ("sql/users.rs", "Feature::LOGIN_NOTICES"),
        ("sql/users.rs", "super::login_notices::delete()"),
        ("core/mod.rs", "pub use login_notices::SqlLoginNotices;"),
        ("module/builder.rs", "self.login_notices()"),
        ("testing/conformance/mod.rs", "pub fn login_notices() {"),
        ("core/login_notices.rs", "pub fn login_notices() {"),
    ] {
        assert!(is_named(file, text), "{file}: {text}");
    }
}

/// A set of every feature has those of a later version, too, which a host of today has not listed.
#[test]
fn no_example_enables_what_it_has_not_listed() {
    let names_all =
        |line: &&Line| line.text.contains("FeatureSet::all") || line.text.contains("Feature::ALL");
    let wrong: Vec<_> = code("examples").iter().filter(names_all).map(Line::place).collect();
    assert!(wrong.is_empty(), "hosts that enable every feature of the library:\n{}", wrong.join("\n"));
}

#[test]
fn features_do_not_know_each_other() {
    let wrong: Vec<_> = code("auth/src/features")
        .iter()
        .filter(|line| line.file.contains('/'))
        .filter(|line| line.text.contains("crate::features") || line.text.contains("super::super"))
        .map(Line::place)
        .collect();
    assert!(wrong.is_empty(), "features that import features:\n{}", wrong.join("\n"));
}

#[test]
fn only_handlers_know_http() {
    // What is said to providers is HTTP, too.
    let is_free = |line: &&Line| {
        let is_of_http = line.file.ends_with("handlers.rs") || line.file.ends_with("payload.rs");
        !is_of_http && !line.file.starts_with("social_login/protocol/")
    };
    let wrong: Vec<_> = code("auth/src/features")
        .iter()
        .filter(is_free)
        .filter(|line| line.text.contains("crate::http") || line.text.contains("axum::"))
        .map(Line::place)
        .collect();
    assert!(wrong.is_empty(), "HTTP outside of the handlers:\n{}", wrong.join("\n"));
}

#[test]
fn every_feature_declares_what_it_needs() {
    for folder in folders() {
        let text = fs::read_to_string(root().join("auth/src/features").join(&folder).join("mod.rs")).unwrap();
        assert!(text.contains("//! **Needs**"), "features/{folder}/mod.rs does not say what it needs");
        let handlers = root().join("auth/src/features").join(&folder).join("handlers.rs");
        // A feature can consist of fields in the routes of others.
        let has_routes = !fs::read_to_string(handlers).unwrap().contains("Vec::new()");
        let declares = text.contains("const ") && text.contains("Endpoint = ");
        assert_eq!(declares, has_routes, "features/{folder} declares its endpoints, if it has any");
    }
}
