//! The arguments of the command.

use super::init::{self, Choice};
use super::{Failure, check_config, check_database, migrations, password_cost, secrets};
use crate::user::{FieldNames, UserField};
use lexopt::{Arg, Parser, ValueExt};
use std::path::Path;
use std::time::Duration;

/// What the command is to do.
pub(super) enum Task {
    /// Print a text, such as the help.
    Print(String),
    Init(init::Options),
    Secrets(secrets::Options),
    CheckConfig(check_config::Options),
    CheckDatabase(check_database::Options),
    Migrations(migrations::Options),
    PasswordCost(password_cost::Options),
}

/// A subcommand: its name, its help, and how the arguments after it are read.
struct Subcommand {
    name: &'static str,
    help: &'static str,
    read: fn(&mut Parser, &Subcommand, &str) -> Result<Task, Failure>,
}

/// In these texts, `{name}` is the name of the program.
const HELP: &str = "\
Begins a project with axum-auth-module, makes secrets for it, and checks what a host gives to it.

usage: {name} init DIRECTORY [--database WORD] [--clients WORD] [--features LIST] [--library PATH]
       {name} secrets [--file FILE] [--pepper]
       {name} check-config [FILE]
       {name} check-database [URL] [--table NAME] [--column FIELD=NAME]… [--new-ids]
       {name} migrations DATABASE [--table NAME]… [--after VERSION]
       {name} password-cost [--milliseconds N] [--argon2id] [--memory MIB]

  init             writes a new project: a host that runs, with secrets, a table of users and a test
  secrets          writes new secrets, in the form of an .env file
  check-config     names every problem of a configuration, and how it deviates from OWASP ASVS
  check-database   says what a table of users lacks, with the SQL that adds it
  migrations       writes the SQL that makes the library's tables
  password-cost    finds the cost of password hashes for a time on this machine

  --help           this text; after one of the six, more about it
  --version        the version

The exit code is 0 if everything is fine, 1 if a check has found something, and 2 if the command could not do its work.
";

const SUBCOMMANDS: [Subcommand; 6] = [
    Subcommand {
        name: "init",
        help: "\
Writes a new project: Cargo.toml, a host, `.env` with new secrets, the table of users and a test. At the end it says what to run next.

usage: {name} init DIRECTORY [--database WORD] [--clients WORD] [--features LIST] [--library PATH]

  DIRECTORY         is made; one that has files is not changed. Its name is the name of the package.
  --database WORD   sqlite, postgres or mysql. Default: sqlite
  --clients WORD    tokens (apps, programs), browsers (with cookies) or both. Default: tokens
  --features LIST   separated by commas, as in registration,reset-passwords; or all but those that need keys of yours
  --library PATH    a copy of the repository of axum-auth-module. Without it cargo downloads the published one.

What you do not say is asked if this is a terminal.
",
        read: read_init,
    },
    Subcommand {
        name: "secrets",
        help: "\
Writes new secrets in the form of an .env file: 32 bytes each from the system's random number generator, in base64.

usage: {name} secrets [--file FILE] [--pepper]

  --file FILE   creates this file, which only you can read, instead of writing to stdout. A file that exists is not changed.
  --pepper      also a pepper for passwords. Without it no password matches the hashes that were made with it: do not lose
                it, and keep it apart from the database.
",
        read: read_secrets,
    },
    Subcommand {
        name: "check-config",
        help: "\
Names every problem of a configuration. If it is valid, says how it deviates from OWASP ASVS 5.0.

usage: {name} check-config [FILE]

  FILE   an .env file. Without it, the variables are those of the environment.

The variables are those that `AuthConfig::from_env` reads. Values are never shown.
",
        read: read_check_config,
    },
    Subcommand {
        name: "check-database",
        help: "\
Says what a table of users lacks for `SqlUsers`, with the SQL that adds it. Nothing is written to the database.

usage: {name} check-database [URL] [--table NAME] [--column FIELD=NAME]… [--new-ids]

  URL                   sqlite:users.db, postgres://user@host/database or mysql://user@host/database. Without it, the
                        variable DATABASE_URL, which other users of the machine cannot see in the list of processes.
  --table NAME          the table, if it is not `users`: what your host gives to `.table(…)`
  --column FIELD=NAME   the column of a field, if it has another name: what your host gives to `.column(…)`
  --new-ids             your host generates the ids, with `.new_ids(…)`

The whole output is SQL: what is only to be read is in comments.
",
        read: read_check_database,
    },
    Subcommand {
        name: "migrations",
        help: "\
Writes the SQL that makes the library's tables, for a host that runs all migrations itself. A host that calls `migrate` does
not need it.

usage: {name} migrations DATABASE [--table NAME]… [--after VERSION]

  DATABASE          sqlite, postgres or mysql
  --table NAME      only the migrations of this table, such as auth_sessions
  --after VERSION   only those with a higher version: what a new version of the library adds

Each migration begins with a comment that has its version. A released migration never changes. If your table has another name,
change it in the SQL.
",
        read: read_migrations,
    },
    Subcommand {
        name: "password-cost",
        help: "\
Finds the cost of password hashes for a time on this machine, in the form of an .env file. Run it on a machine like the one
of your host, when it does nothing else.

usage: {name} password-cost [--milliseconds N] [--argon2id] [--memory MIB]

  --milliseconds N   how long a hash may take, 1 to 60000. Default: 250
  --argon2id         Argon2id instead of bcrypt
  --memory MIB       the most memory of an Argon2id hash, 7 to 1024. Each password thread needs as much. Default: 64

More work makes guessing more expensive for whoever has copied the table of users, and every login slower.
",
        read: read_password_cost,
    },
];

/// Reads the arguments.
///
/// # Errors
/// What is wrong, and how to get help.
pub(super) fn read(mut arguments: Parser) -> Result<Task, Failure> {
    let path = arguments.bin_name().unwrap_or_default().to_owned();
    let name = Path::new(&path).file_stem().and_then(|name| name.to_str()).unwrap_or("axum-auth-module");
    let wrong = |what: String| Failure(format!("{what}\n\n`{name} --help` says what is possible"));
    match next(&mut arguments).map_err(wrong)? {
        None => Err(Failure(HELP.replace("{name}", name))),
        Some(Word::Help) => Ok(Task::Print(HELP.replace("{name}", name))),
        Some(Word::Option(option)) if option == "--version" => {
            Ok(Task::Print(format!("{} {}\n", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))))
        }
        Some(Word::Option(option)) => Err(wrong(format!("there is no option `{option}`"))),
        Some(Word::Value(word)) => match SUBCOMMANDS.iter().find(|subcommand| subcommand.name == word) {
            Some(subcommand) => (subcommand.read)(&mut arguments, subcommand, name),
            // It is not repeated: it can contain a password.
            None if word.contains("://") => {
                Err(wrong("an address is an argument of `check-database`".to_owned()))
            }
            None => Err(wrong(format!("there is no command `{word}`{}", nearest(&word)))),
        },
    }
}

/// The subcommand that was meant.
fn nearest(word: &str) -> String {
    let distance = |subcommand: &&Subcommand| strsim::damerau_levenshtein(word, subcommand.name);
    let nearest = SUBCOMMANDS.iter().min_by_key(distance).filter(|nearest| distance(nearest) <= 3);
    nearest.map(|nearest| format!("; did you mean `{}`?", nearest.name)).unwrap_or_default()
}

/// An argument.
enum Word {
    Help,
    /// `--file`
    Option(String),
    Value(String),
}

/// The next argument. A text that is not Unicode is an error.
fn next(arguments: &mut Parser) -> Result<Option<Word>, String> {
    Ok(match arguments.next().map_err(|error| error.to_string())? {
        None => None,
        Some(Arg::Long("help") | Arg::Short('h')) => Some(Word::Help),
        Some(Arg::Long(name)) => Some(Word::Option(format!("--{name}"))),
        Some(Arg::Short(name)) => Some(Word::Option(format!("-{name}"))),
        Some(Arg::Value(value)) => Some(Word::Value(value.string().map_err(|error| error.to_string())?)),
    })
}

impl Subcommand {
    /// Reads all arguments. `each` takes one of them and says whether it is known; it can read the value of an option.
    ///
    /// Returns the help if somebody asks for it.
    fn read_all(
        &self,
        arguments: &mut Parser,
        name: &str,
        mut each: impl FnMut(Word, &mut Parser) -> Result<Known, String>,
    ) -> Result<Option<Task>, Failure> {
        let wrong = |what| Failure(format!("{what}\n\n`{name} {} --help` says what is possible", self.name));
        while let Some(word) = next(arguments).map_err(wrong)? {
            if matches!(word, Word::Help) {
                return Ok(Some(Task::Print(self.help.replace("{name}", name))));
            }
            each(word, arguments).map_err(wrong)?;
        }
        Ok(None)
    }
}

/// That an argument was understood.
struct Known;

fn unknown(word: &Word) -> Result<Known, String> {
    match word {
        Word::Option(name) => Err(format!("there is no option `{name}`")),
        // It can be an address with a password.
        Word::Value(_) | Word::Help => Err("there is an argument too many".to_owned()),
    }
}

/// The value of an option.
fn value(arguments: &mut Parser) -> Result<String, String> {
    let value = arguments.value().map_err(|error| error.to_string())?;
    value.string().map_err(|error| error.to_string())
}

fn number(arguments: &mut Parser, option: &str, least: u32, most: u32) -> Result<u32, String> {
    let number = value(arguments)?.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("`{option}` needs a number from {least} to {most}"))
}

fn read_init(arguments: &mut Parser, subcommand: &Subcommand, name: &str) -> Result<Task, Failure> {
    let mut options = init::Options::default();
    let help = subcommand.read_all(arguments, name, |word, rest| {
        match word {
            Word::Value(directory) if options.directory.is_none() => {
                options.directory = Some(directory.into());
            }
            Word::Option(option) if option == "--database" => options.database = Some(choice(rest, &option)?),
            Word::Option(option) if option == "--clients" => options.front = Some(choice(rest, &option)?),
            Word::Option(option) if option == "--features" => {
                options.features = Some(init::features(&value(rest)?)?);
            }
            Word::Option(option) if option == "--library" => options.library = Some(value(rest)?.into()),
            word => return unknown(&word),
        }
        Ok(Known)
    })?;
    Ok(help.unwrap_or(Task::Init(options)))
}

/// The value of an option that has a few words.
fn choice<C: Choice>(arguments: &mut Parser, option: &str) -> Result<C, String> {
    C::of(&value(arguments)?).map_err(|expected| format!("`{option}`: {expected}"))
}

fn read_secrets(arguments: &mut Parser, subcommand: &Subcommand, name: &str) -> Result<Task, Failure> {
    let mut options = secrets::Options { file: None, pepper: false };
    let help = subcommand.read_all(arguments, name, |word, rest| {
        match &word {
            Word::Option(option) if option == "--file" => options.file = Some(value(rest)?.into()),
            Word::Option(option) if option == "--pepper" => options.pepper = true,
            _ => return unknown(&word),
        }
        Ok(Known)
    })?;
    Ok(help.unwrap_or(Task::Secrets(options)))
}

fn read_check_config(arguments: &mut Parser, subcommand: &Subcommand, name: &str) -> Result<Task, Failure> {
    let mut options = check_config::Options { file: None };
    let help = subcommand.read_all(arguments, name, |word, _| match word {
        Word::Value(file) if options.file.is_none() => {
            options.file = Some(file.into());
            Ok(Known)
        }
        word => unknown(&word),
    })?;
    Ok(help.unwrap_or(Task::CheckConfig(options)))
}

fn read_check_database(arguments: &mut Parser, subcommand: &Subcommand, name: &str) -> Result<Task, Failure> {
    let mut options = check_database::Options::default();
    let help = subcommand.read_all(arguments, name, |word, rest| {
        match word {
            Word::Value(url) if options.url.is_none() => options.url = Some(url),
            Word::Option(option) if option == "--table" => options.table = Some(value(rest)?),
            Word::Option(option) if option == "--column" => options.columns.push(column(&value(rest)?)?),
            Word::Option(option) if option == "--new-ids" => options.new_ids = true,
            word => return unknown(&word),
        }
        Ok(Known)
    })?;
    Ok(help.unwrap_or(Task::CheckDatabase(options)))
}

fn read_migrations(arguments: &mut Parser, subcommand: &Subcommand, name: &str) -> Result<Task, Failure> {
    let mut options = migrations::Options::default();
    let help = subcommand.read_all(arguments, name, |word, rest| {
        match word {
            Word::Value(database) if options.database.is_none() => options.database = Some(database),
            Word::Option(option) if option == "--table" => options.tables.push(value(rest)?),
            Word::Option(option) if option == "--after" => {
                options.after = number(rest, &option, 0, u32::MAX)?;
            }
            word => return unknown(&word),
        }
        Ok(Known)
    })?;
    Ok(help.unwrap_or(Task::Migrations(options)))
}

/// `FIELD=NAME`
fn column(text: &str) -> Result<(UserField, String), String> {
    let names = FieldNames::STANDARD;
    let (field, name) = text.split_once('=').ok_or("`--column` needs `FIELD=NAME`")?;
    let known = UserField::ALL.iter().find(|known| names.of(**known) == field);
    let all = || UserField::ALL.iter().map(|field| names.of(*field)).collect::<Vec<_>>().join(", ");
    let field = known.ok_or_else(|| format!("there is no field `{field}`; the nine are {}", all()))?;
    Ok((*field, name.to_owned()))
}

fn read_password_cost(arguments: &mut Parser, subcommand: &Subcommand, name: &str) -> Result<Task, Failure> {
    let mut options = password_cost::Options::default();
    let help = subcommand.read_all(arguments, name, |word, rest| {
        match &word {
            Word::Option(option) if option == "--milliseconds" => {
                options.target = Duration::from_millis(number(rest, option, 1, 60_000)?.into());
            }
            Word::Option(option) if option == "--argon2id" => options.argon2id = true,
            Word::Option(option) if option == "--memory" => {
                options.memory_kib = Some(number(rest, option, 7, 1024)? * 1024);
            }
            _ => return unknown(&word),
        }
        Ok(Known)
    })?;
    Ok(help.unwrap_or(Task::PasswordCost(options)))
}
