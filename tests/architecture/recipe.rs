//! The recipe in `docs/internals/adding-a-feature.md` is complete, and names only what is there.

use crate::{Line, code, root, words_after};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// The enums that grow with features. A file with a `match` over one of them may have to grow with them, so the recipe names
/// the file.
const GROWING: [&str; 11] = [
    "Feature",
    "StoreKey",
    "ErrorCode",
    "ProviderMethod",
    "EventKind",
    "EventName",
    "AttemptKind",
    "SuccessText",
    "MailText",
    "EndpointFieldKind",
    "SignIn",
];

/// Where they are looked for: in what a new variant must not break. The code of the guide shows some variants.
const SOURCES: [&str; 4] = ["auth/src", "auth-macros/src", "examples/pages/src", "examples/quickstart/src"];

/// The invented feature of the recipe, and one whose files stand for the invented ones.
const INVENTED: &str = "magic_links";
const EXISTING: &str = "reset_passwords";

/// The page, without what a command has written.
fn recipe() -> String {
    let text = fs::read_to_string(root().join("docs/internals/adding-a-feature.md")).unwrap();
    text.split("```").step_by(2).collect()
}

/// What the recipe writes between backticks and is a path.
fn paths(recipe: &str) -> BTreeSet<&str> {
    let is_path = |word: &&str| {
        let ends = ["/", ".rs", ".md", ".toml"].iter().any(|end| word.ends_with(end));
        ends && word.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c))
    };
    recipe.split('`').skip(1).step_by(2).filter(is_path).collect()
}

/// Where a path of the recipe leads: from the root, from the library's sources, or from a feature's folder.
fn places(path: &str) -> [PathBuf; 3] {
    let path = path.replace(INVENTED, EXISTING);
    let library = root().join("auth/src");
    [root().join(&path), library.join(&path), library.join("features").join(EXISTING).join(&path)]
}

/// Whether a line has an arm of a `match` over an enum of this name.
fn is_arm_of(name: &str, line: &Line) -> bool {
    let variant = format!("{name}::");
    line.text.match_indices(&variant).any(|(at, _)| {
        let begins = !line.text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        begins && line.text[at..].contains("=>")
    })
}

/// The files of a folder with a `match` over one of the enums, as paths from the root.
fn files_with_a_match(folder: &str) -> BTreeSet<String> {
    let is_arm = |line: &&Line| GROWING.iter().any(|name| is_arm_of(name, line));
    code(folder).iter().filter(is_arm).map(|line| format!("{folder}/{}", line.file)).collect()
}

#[test]
fn every_path_of_the_recipe_exists() {
    let recipe = recipe();
    let paths = paths(&recipe);
    assert!(paths.len() > 50, "the recipe names {} paths", paths.len());
    let gone: Vec<_> = paths.iter().filter(|path| !places(path).iter().any(|place| place.exists())).collect();
    assert!(gone.is_empty(), "the recipe names what is not there: {gone:?}");
}

#[test]
fn the_recipe_names_every_file_that_grows_with_a_feature() {
    let recipe = recipe();
    let named: BTreeSet<_> = paths(&recipe).iter().flat_map(|path| places(path)).collect();
    let files: BTreeSet<_> = SOURCES.into_iter().flat_map(files_with_a_match).collect();
    assert!(files.contains("auth/src/languages/german.rs"), "{files:?}");
    let missing: Vec<_> = files.iter().filter(|file| !named.contains(&root().join(file))).collect();
    assert!(missing.is_empty(), "a `match` of these files may need another arm; add them: {missing:?}");
}

#[test]
fn the_recipe_names_every_moment() {
    let hooks = fs::read_to_string(root().join("auth/src/core/hooks.rs")).unwrap();
    let (_, hooks) = hooks.split_once("pub(crate) trait Hooks").unwrap();
    let (hooks, _) = hooks.split_once("\n}\n").unwrap();
    let moments: Vec<_> = hooks
        .lines()
        .flat_map(|line| words_after(line, "    fn ").chain(words_after(line, "async fn ")))
        .collect();
    let recipe = recipe();
    let missing: Vec<_> = moments.iter().filter(|moment| !recipe.contains(&format!("`{moment}`"))).collect();
    assert!(moments.len() > 5 && missing.is_empty(), "moments that the recipe does not name: {missing:?}");
}

#[test]
fn paths_and_arms_are_recognised() {
    let found = paths(
        "In `error/table.rs`, `features/` and `mod.rs`, not `POST /login` or `a::b.rs` or error/other.rs.",
    );
    assert_eq!(found, BTreeSet::from(["error/table.rs", "features/", "mod.rs"]));
    let line = |text: &str| Line { file: String::new(), number: 1, text: text.to_owned() };
    for arm in [
        "ErrorCode::NotFound => 1,",
        "    Some(ErrorCode::NotFound) | None => {",
        "(_, ErrorCode::A) => a(),",
    ] {
        assert!(is_arm_of("ErrorCode", &line(arm)), "{arm}");
    }
    for other in
        ["refuses(&[ErrorCode::NotFound])", "MyErrorCode::NotFound => 1,", "Some(1) => ErrorCode::NotFound,"]
    {
        assert!(!is_arm_of("ErrorCode", &line(other)), "{other}");
    }
}
