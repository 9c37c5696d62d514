//! `init`: the files of a new project. `tests/init/run` compiles and starts some of the projects.

use super::{Directory, command, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

const FILES: [&str; 7] =
    [".env", ".gitignore", "Cargo.toml", "build.rs", "migrations/1_users.sql", "src/main.rs", "src/tests.rs"];

/// Features with those that they require.
const SETS: [&str; 7] = [
    "registration",
    "sessions",
    "reset-passwords,email-verification,change-emails",
    "registration,email-verification,email-login,passwordless-registration",
    "passkeys,sessions",
    "registration,usernames,reset-passwords",
    "all",
];

/// The files below a directory.
fn files(directory: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|file| format!("{name}/{file}")));
        } else {
            found.insert(name);
        }
    }
    found
}

#[test]
fn every_combination_is_a_project_whose_source_is_formatted() {
    let directory = Directory::new();
    let mut sources = Vec::new();
    for database in ["sqlite", "postgres", "mysql"] {
        for clients in ["tokens", "browsers", "both"] {
            for (number, features) in SETS.iter().enumerate() {
                let path = directory.file(&format!("{database}-{clients}-{number}"));
                let arguments = ["init", &path, "--database", database, "--clients", clients];
                let done = run(&[&arguments[..], &["--features", features]].concat());
                assert_eq!((done.code, &*done.stderr), (0, ""), "{features}");
                assert!(done.stdout.contains("\n  cargo test\n  cargo run\n"), "{}", done.stdout);
                assert_eq!(files(path.as_ref()), FILES.map(str::to_owned).into(), "{features}");
                let main = fs::read_to_string(format!("{path}/src/main.rs")).unwrap();
                assert_eq!(main.contains("auth.router()"), clients != "browsers");
                assert_eq!(main.contains("auth.browser_router()"), clients != "tokens");
                assert_eq!(main.contains("BROWSER_SESSIONS"), clients != "tokens");
                let checked = run(&["check-config", &format!("{path}/.env")]);
                assert!(checked.code < 2, "{}", checked.stderr);
                sources.extend(["main", "tests"].map(|name| format!("{path}/src/{name}.rs")));
            }
        }
    }
    let formatted =
        Command::new("rustfmt").args(["--edition", "2024", "--check"]).args(&sources).output().unwrap();
    assert!(formatted.status.success(), "{}", String::from_utf8_lossy(&formatted.stdout));
}

#[test]
fn what_is_not_said_has_a_default_where_nobody_can_be_asked() {
    let directory = Directory::new();
    let path = directory.file("shop");
    let done = run(&["init", &path]);
    assert_eq!((done.code, &*done.stderr), (0, ""));
    let manifest = fs::read_to_string(format!("{path}/Cargo.toml")).unwrap();
    let version = format!("axum-auth-module = {{ version = \"{}\", features", env!("CARGO_PKG_VERSION"));
    assert!(manifest.contains(&version) && manifest.contains("[\"mail\", \"sqlite\"]"), "{manifest}");
    let environment = fs::read_to_string(format!("{path}/.env")).unwrap();
    assert!(environment.contains("DATABASE_URL=sqlite://shop.db?mode=rwc\n"), "{environment}");
    let main = fs::read_to_string(format!("{path}/src/main.rs")).unwrap();
    for feature in ["REGISTRATION", "RESET_PASSWORDS", "TWO_FACTOR_AUTHENTICATION", "SESSIONS"] {
        assert!(main.contains(&format!("            {feature},\n")), "{feature}");
    }
}

/// A terminal: our end, and the end of the program. It does not show what is typed, which would be anywhere between the words of the program.
#[cfg(target_os = "linux")]
fn terminal() -> (fs::File, fs::File) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let its = fs::OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut modes = tcgetattr(&its).unwrap();
    modes.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&its, OptionalActions::Now, &modes).unwrap();
    (ours.into(), its)
}

/// `init` at a terminal where somebody types these lines: what the terminal shows, and the exit code.
#[cfg(target_os = "linux")]
fn typed(path: &str, lines: &str) -> (String, i32) {
    use std::io::{Read as _, Write as _};
    let (mut ours, its) = terminal();
    let mut command = command(&["init", path]);
    command.stdin(its.try_clone().unwrap()).stdout(its.try_clone().unwrap()).stderr(its);
    let mut started = command.spawn().unwrap();
    // The command has the program's end of the terminal, too.
    drop(command);
    ours.write_all(lines.as_bytes()).unwrap();
    let mut shown = Vec::new();
    // Ends with an error when the program has ended and closed its end.
    let _closed = ours.read_to_end(&mut shown);
    let code = started.wait().unwrap().code().unwrap();
    (String::from_utf8(shown).unwrap().replace("\r\n", "\n"), code)
}

#[cfg(target_os = "linux")]
#[test]
fn at_a_terminal_it_asks_for_what_was_not_said_until_the_answer_is_right() {
    let directory = Directory::new();
    let path = directory.file("shop");
    let answers =
        "mariadb\nmysql\n\nregistraton\ntrusted-devices\nbrowser-sessions\nregistration,usernames\n";
    let (shown, code) = typed(&path, answers);
    assert_eq!(code, 0, "{shown}");
    for text in [
        "The database: `sqlite` or `postgres` or `mysql`\n[sqlite] ",
        "expected `sqlite` or `postgres` or `mysql`\n",
        "The clients: programs with tokens, browsers with cookies: `tokens` or `browsers` or `both`\n[tokens] ",
        "there is no feature `registraton`; did you mean `registration`?\n",
        "Missing feature: ",
        "BROWSER_SESSIONS is for browsers",
    ] {
        assert!(shown.contains(text), "{text:?} is not in {shown}");
    }
    let answers = ["[sqlite] ", "[tokens] ", "[registration,"].map(|default| shown.matches(default).count());
    assert_eq!(answers, [2, 1, 4], "{shown}");
    let manifest = fs::read_to_string(format!("{path}/Cargo.toml")).unwrap();
    assert!(manifest.contains("\"mysql\""), "{manifest}");
    let main = fs::read_to_string(format!("{path}/src/main.rs")).unwrap();
    assert!(main.contains("USERNAMES") && !main.contains("SESSIONS"), "{main}");
}

/// Control-D.
#[cfg(target_os = "linux")]
#[test]
fn who_ends_the_input_gets_no_project() {
    let directory = Directory::new();
    let path = directory.file("shop");
    let (shown, code) = typed(&path, "postgres\n\u{4}");
    assert_eq!(code, 2, "{shown}");
    assert!(shown.contains("the input has ended: nothing was written"), "{shown}");
    assert!(!Path::new(&path).exists());
}

#[test]
fn each_project_has_secrets_of_its_own_that_others_cannot_read() {
    let directory = Directory::new();
    let secrets = ["one", "two"].map(|name| {
        let path = directory.file(name);
        let done = run(&["init", &path]);
        let file = format!("{path}/.env");
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions());
            assert_eq!(mode & 0o777, 0o600);
        }
        let text = fs::read_to_string(file).unwrap();
        let secret = text.lines().find_map(|line| line.strip_prefix("AUTH_JWT_SECRET=")).unwrap().to_owned();
        assert!(!done.stdout.contains(&secret));
        secret
    });
    assert_ne!(secrets[0], secrets[1]);
}

#[test]
fn a_copy_of_the_library_is_named_whole() {
    let directory = Directory::new();
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for (number, library) in [repository, env!("CARGO_MANIFEST_DIR")].into_iter().enumerate() {
        let path = directory.file(&format!("shop{number}"));
        assert_eq!(run(&["init", &path, "--library", library]).code, 0);
        let manifest = fs::read_to_string(format!("{path}/Cargo.toml")).unwrap();
        let whole = fs::canonicalize(env!("CARGO_MANIFEST_DIR")).unwrap();
        assert!(manifest.contains(&format!("{{ path = {whole:?}, features")), "{manifest}");
    }
}

#[test]
fn what_cannot_be_a_project_is_said_and_nothing_is_written() {
    let directory = Directory::new();
    let full = directory.file("full");
    fs::create_dir(&full).unwrap();
    fs::write(format!("{full}/notes.txt"), "mine").unwrap();
    let new = directory.file("shop");
    let name = directory.file("Shop 1");
    for (arguments, message) in [
        (&["init"][..], "in which directory?"),
        (&["init", &full], "is not empty, and is not changed"),
        (&["init", &name], "not `Shop 1`"),
        (&["init", &new, "--database", "oracle"], "`--database`: expected `sqlite` or `postgres` or `mysql`"),
        (&["init", &new, "--clients", "apps"], "`--clients`: expected `tokens` or `browsers` or `both`"),
        (&["init", &new, "--features", "registraton"], "registraton"),
        (&["init", &new, "--features", "social-login"], "SOCIAL_LOGIN needs what only you have"),
        (&["init", &new, "--features", "browser-sessions"], "say `--clients browsers` or `both`"),
        (&["init", &new, "--features", "trusted-devices"], "Missing feature: "),
        (&["init", &new, "--features", ""], "no feature is chosen"),
        (&["init", &new, "--library", &full], "is not the repository of axum-auth-module"),
        (&["init", &new, &full], "there is an argument too many"),
    ] {
        let done = run(arguments);
        assert_eq!((done.code, &*done.stdout), (2, ""), "{arguments:?}");
        assert!(done.stderr.contains(message), "{arguments:?}: {}", done.stderr);
    }
    assert_eq!(fs::read_dir(&full).unwrap().count(), 1);
    assert!(!Path::new(&new).exists());
}
