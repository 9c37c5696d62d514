//! The command line.

use crate::host::{Directory, command, end_of, log, repository_file};
use std::io::Read;

/// The standard output, the standard error and the exit code of a program with this argument.
fn run(argument: &str) -> (String, String, Option<i32>) {
    let directory = Directory::new();
    let mut child = command(&directory, &[]).arg(argument).spawn().expect("the program starts");
    let code = end_of(&mut child).code();
    let mut printed = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut printed).expect("text");
    assert!(!directory.data().exists(), "it has created its data directory");
    (printed, log(&directory), code)
}

#[test]
fn help_names_the_variables_and_starts_nothing() {
    let reference = repository_file("docs/reference.md");
    for argument in ["--help", "-h"] {
        let (printed, errors, code) = run(argument);
        assert_eq!((errors.as_str(), code), ("", Some(0)));
        let names: Vec<_> = printed.lines().filter_map(|line| line.strip_prefix("  ")).collect();
        let names: Vec<_> = names.into_iter().filter(|line| !line.starts_with(' ')).collect();
        assert!(names.len() >= 14 && names.contains(&"ADDR"), "{printed}");
        for name in names.iter().flat_map(|names| names.split(", ")).filter(|name| *name != "AUTH_…") {
            assert!(reference.contains(&format!("| `{name}` |")), "the reference lacks {name}");
        }
    }
}

#[test]
fn help_names_every_variable_that_the_reference_lists_for_the_quickstart() {
    let (printed, ..) = run("--help");
    let reference = repository_file("docs/reference.md");
    let (_, section) = reference.split_once("\n## The quickstart\n").expect("the section");
    let names = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    for name in names {
        assert!(printed.contains(&format!("\n  {name}\n")), "{name}:\n{printed}");
    }
}

#[test]
fn an_unknown_argument_is_refused() {
    for argument in ["--port=80", "serve", ""] {
        let (printed, errors, code) = run(argument);
        assert_eq!((printed.as_str(), code), ("", Some(1)));
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(
            errors.contains(&format!("`{argument}`")) && errors.contains("quickstart --help"),
            "{errors}"
        );
    }
}
