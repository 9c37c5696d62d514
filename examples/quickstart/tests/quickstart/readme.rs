//! The README and the pages in `docs/` are compared with the source.

use crate::host::repository_file;

/// The fenced blocks of this language on a page.
pub(crate) fn blocks(page: &str, language: &str) -> Vec<String> {
    let text = repository_file(page);
    let fence = format!("\n```{language}\n");
    let behind = text.split(fence.as_str()).skip(1);
    behind.map(|text| text.split("```").next().expect("a split has a first part").to_owned()).collect()
}

/// The rows of the reference's tables.
fn rows() -> Vec<String> {
    let reference = repository_file("docs/reference.md");
    reference.lines().filter(|line| line.starts_with("| ")).map(str::to_owned).collect()
}

#[test]
fn it_is_short_enough_to_read() {
    assert!(repository_file("README.md").lines().count() <= 190);
}

/// The host of "Getting started", which `examples/guide` tests and `tests/guide` runs.
#[test]
fn its_host_is_the_one_that_is_compiled_and_run() {
    let source = repository_file("examples/guide/src/getting_started.rs");
    let (host, _test) = source.split_once("\n#[cfg(test)]").expect("a test below the host");
    let (_, host) = host.split_once("\n\n").expect("what the file is");
    assert_eq!(blocks("docs/guide/getting-started.md", "rust"), [host]);
    let [shown] = &blocks("README.md", "rust")[..] else { panic!("the README shows one host") };
    let begin = host.find("#[derive(Clone, AuthUser").expect("the record of a user");
    let end = host.find("\n#[tokio::main]").expect("the function main");
    assert_eq!(Some(shown.as_str()), host.get(begin..end));
    // Its dependencies are on that page alone, which `tests/guide` follows.
    assert!(blocks("README.md", "toml").is_empty());
    assert!(repository_file("README.md").contains("(docs/guide/getting-started.md#a-new-project)"));
    assert!(repository_file("docs/guide/getting-started.md").contains("\n## A new project\n"));
}

#[test]
fn it_ends_with_the_features() {
    let text = repository_file("README.md");
    let (_, behind) = text.split_once("<!-- generated: features -->").expect("the table");
    let (_, behind) = behind.split_once("<!-- end -->\n").expect("its end");
    assert_eq!(behind, "");
}

/// What decides the choice is on the first screen, and agrees with the page that compares libraries.
#[test]
fn it_says_early_what_is_missing() {
    let text = repository_file("README.md");
    let first = text.lines().take(20).collect::<Vec<_>>().join(" ");
    let (_, first) = first.split_once("What it does not have today: ").expect("the list");
    let (first, _) = first.split_once(". ").expect("its end");
    let comparison = repository_file("docs/comparison.md");
    for (missing, row) in [
        ("passkeys", "Passkeys (WebAuthn)"),
        ("sign-in with Google", "Login with Google, GitHub and others (OAuth, OpenID Connect)"),
        ("sign-in by a link in a mail", "Login by a link or a code in a mail"),
    ] {
        assert_eq!(first.contains(missing), comparison.contains(&format!("| {row} | – |")), "{missing}");
    }
}

#[test]
fn the_adapter_of_a_host_is_the_one_that_is_compiled_and_tested() {
    let source = repository_file("examples/quickstart/tests/quickstart/own_adapter.rs");
    assert!(blocks("docs/adapters.md", "rust").contains(&source));
}

#[test]
fn its_compiler_message_is_the_compilers() {
    let message = repository_file("tests/ui/missing_provider/registration_without_creates_new_users.stderr");
    let shown = blocks("README.md", "text")
        .into_iter()
        .find(|block| block.contains("Missing provider"))
        .expect("a message");
    // The README leaves out where the fixture is; everything else is as rustc writes it.
    let without_place = |text: &str| {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("--> "));
        lines.map(|line| line.trim_end().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(without_place(&shown), without_place(&message));
}

/// The tables that are not generated.
#[test]
fn the_reference_has_a_row_for_every_variable_of_the_quickstart() {
    let rows = rows();
    for name in [
        "ADDR",
        "DATA_DIR",
        "DATABASE_URL",
        "SMTP_URL",
        "MAIL_FROM",
        "PUBLIC_URL",
        "AUTH_FEATURES",
        "AUTH_REFUSE_COMMON_PASSWORDS",
    ] {
        assert!(rows.iter().any(|row| row.starts_with(&format!("| `{name}` |"))), "{name}");
    }
}

#[test]
fn the_reference_has_a_row_for_every_option_of_mails_and_of_two_factor_authentication() {
    let rows = rows();
    let of_mails = words("auth/src/mail/mailer.rs", "    pub fn ", "(mut self");
    let two_factor = words("auth/src/config/two_factor.rs", "    pub ", ": ");
    let names: Vec<_> = of_mails.chain(two_factor.map(|name| format!("two_factor.{name}"))).collect();
    assert!(names.len() >= 6, "{names:?}");
    for name in names {
        assert!(rows.iter().any(|row| row.starts_with(&format!("| `{name}` |"))), "{name}");
    }
}

/// The words between these two texts on the lines of a source file.
fn words(file: &str, before: &str, behind: &str) -> impl Iterator<Item = String> {
    let source = repository_file(file);
    let word = |line: &str| line.split_once(before)?.1.split_once(behind).map(|(word, _)| word.to_owned());
    source.lines().filter_map(word).collect::<Vec<_>>().into_iter()
}

#[test]
fn its_commands_are_those_that_the_checks_run() {
    let commands = blocks("README.md", "sh").concat();
    assert!(commands.contains("cargo run -p quickstart --no-default-features\n"));
    let test = commands.lines().find(|line| line.starts_with("cargo test")).expect("how to run the tests");
    assert!(repository_file(".ci/run").contains(test), "{test}");
}
