//! Comparison of the README with the sources.

use crate::host::{repository, repository_file};
use axum_auth_module::AuthConfig;
use axum_auth_module::error::ErrorCode;

/// The README's fenced blocks of this language.
pub(crate) fn blocks(language: &str) -> Vec<String> {
    let readme = repository_file("README.md");
    let fence = format!("\n```{language}\n");
    let behind = readme.split(fence.as_str()).skip(1);
    behind.map(|text| text.split("```").next().expect("a split has a first part").to_owned()).collect()
}

/// The rows of the README's tables.
fn rows() -> Vec<String> {
    repository_file("README.md").lines().filter(|line| line.starts_with("| ")).map(str::to_owned).collect()
}

#[test]
fn its_host_is_the_one_that_is_compiled_and_run() {
    let source = repository_file("examples/quickstart/tests/quickstart/readme_host.rs");
    let (host, _test) = source.split_once("\n#[cfg(test)]").expect("a test below the host");
    assert_eq!(blocks("rust").first().map(String::as_str), Some(host));
}

#[test]
fn its_compiler_message_is_the_compilers() {
    let message = repository_file("tests/ui/missing_provider/registration_without_creates_new_users.stderr");
    let shown =
        blocks("text").into_iter().find(|block| block.contains("Missing provider")).expect("a message");
    // The README omits the path of the fixture; the rest is the output of rustc.
    let without_place = |text: &str| {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("--> "));
        lines.map(|line| line.trim_end().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(without_place(&shown), without_place(&message));
}

#[test]
fn it_has_a_row_for_every_error_code() {
    let rows = rows();
    for code in ErrorCode::ALL {
        let (status, name) = (format!("| {} |", code.status()), format!("| `{}` |", code.as_str()));
        let found = rows.iter().any(|row| row.contains(&status) && row.contains(&name));
        assert!(found, "{name} with {status}");
    }
}

#[test]
fn it_has_a_row_for_every_variable() {
    let rows = rows();
    let own = ["ADDR", "DATA_DIR", "DATABASE_URL", "SMTP_URL", "MAIL_FROM", "PUBLIC_URL", "AUTH_FEATURES"];
    for name in AuthConfig::environment_variables().map(|(name, _)| name).chain(own) {
        assert!(
            rows.iter().any(|row| row.starts_with("| `") && row.contains(&format!("`{name}`"))),
            "{name}"
        );
    }
}

#[test]
fn it_has_a_row_for_every_option_limit_and_event() {
    let rows = rows();
    let fields = |file: &str, of: &str| {
        words(file, "    pub ", ": ").map(|name| format!("{of}.{name}")).collect::<Vec<_>>()
    };
    let setters = words("auth/src/config/builder.rs", "    pub fn ", "(mut self");
    let of_mails = words("auth/src/mail/builder.rs", "    pub fn ", "(mut self");
    let limits = words("auth/src/config/limits.rs", "(\"", "\", self.");
    let two_factor = fields("auth/src/config/two_factor.rs", "two_factor");
    let events = words("auth/src/events/event.rs", "=> \"", "\",");
    let names: Vec<_> = setters.chain(of_mails).chain(limits).chain(two_factor).chain(events).collect();
    assert!(names.len() > 55, "{names:?}");
    for name in names {
        assert!(rows.iter().any(|row| row.starts_with(&format!("| `{name}` |"))), "{name}");
    }
}

#[test]
fn it_says_of_every_route_what_the_source_says() {
    let rows = rows();
    for feature in contracts() {
        let contract = || feature.lines().filter_map(|line| line.strip_prefix("//! "));
        let routes: Vec<_> = contract().filter(|line| line.starts_with("| `")).collect();
        assert!(!routes.is_empty(), "{feature}");
        for route in &routes {
            assert!(rows.iter().any(|row| row == route), "{route}");
        }
        let paths = routes.iter().filter_map(|route| route.split(" |").next()?.strip_prefix("| "));
        let paths: Vec<_> = paths.collect();
        let about: String =
            rows.iter().filter(|row| paths.iter().any(|path| row.contains(path))).cloned().collect();
        let events = contract().flat_map(|line| line.split('`')).filter(|word| word.starts_with("auth."));
        for event in events {
            assert!(about.contains(&format!("`{event}`")), "{event} of {paths:?}");
        }
    }
}

/// The `mod.rs` of all features, which begin with their contracts.
fn contracts() -> Vec<String> {
    let folders = std::fs::read_dir(repository("auth/src/features")).expect("the features");
    let folders = folders.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    folders.map(|path| std::fs::read_to_string(path.join("mod.rs")).expect("text")).collect()
}

/// The words between these two texts on the lines of a source file.
fn words(file: &str, before: &str, behind: &str) -> impl Iterator<Item = String> {
    let source = repository_file(file);
    let word = |line: &str| line.split_once(before)?.1.split_once(behind).map(|(word, _)| word.to_owned());
    source.lines().filter_map(word).collect::<Vec<_>>().into_iter()
}

#[test]
fn its_commands_are_those_that_the_checks_run() {
    let commands = blocks("sh").concat();
    assert!(commands.contains("cargo run -p quickstart\n"));
    let test = commands.lines().find(|line| line.starts_with("cargo test")).expect("how to run the tests");
    assert!(repository_file(".ci/run").contains(test), "{test}");
}
