//! The files of a project beside its source.

use super::host::Host;
use super::{Database, Failure, Front, Project, secrets};
use crate::feature::Feature;
use std::path::Path;
use zeroize::Zeroizing;

/// A file of the project.
pub(super) struct File {
    pub(super) path: &'static str,
    pub(super) text: Zeroizing<String>,
    /// Whether only its owner may read it.
    pub(super) is_secret: bool,
}

impl File {
    fn new(path: &'static str, text: impl Into<String>) -> Self {
        Self { path, text: Zeroizing::new(text.into()), is_secret: false }
    }
}

const IGNORED: &str = "\
/target
# Secrets, mails and the database of this machine.
/.env
/outbox
*.db
*.db-shm
*.db-wal
";

/// Cargo does not see by itself that `sqlx::migrate!` reads the directory.
const BUILD: &str = "\
fn main() {
    println!(\"cargo::rerun-if-changed=migrations\");
}
";

impl Project {
    /// All files.
    pub(super) fn files(&self) -> Result<Vec<File>, Failure> {
        let host = Host::of(self);
        Ok(vec![
            File::new("Cargo.toml", self.manifest()),
            File::new("build.rs", BUILD),
            File::new(".gitignore", IGNORED),
            File { is_secret: true, ..self.environment()? },
            File::new("migrations/1_users.sql", self.migration()?),
            File::new("src/main.rs", host.main()),
            File::new("src/tests.rs", host.tests()),
        ])
    }

    fn manifest(&self) -> String {
        let (name, source) = (&self.name, self.source());
        let mut features = vec![self.database.word()];
        features.extend(self.has_mails().then_some("mail"));
        features.extend(self.parts().filter_map(|part| part.cargo_feature));
        features.sort_unstable();
        let features = features.iter().map(|feature| format!("\"{feature}\"")).collect::<Vec<_>>().join(", ");
        format!(
            r#"[package]
name = "{name}"
version = "0.1.0"
edition = "2024"
publish = false

[dependencies]
# With the cargo feature `sql-tls`, connections to the database can have TLS.
axum-auth-module = {{ {source}, features = [{features}] }}
axum = {{ version = "0.8", features = ["macros"] }}
chrono = "0.4"
dotenvy = "0.15"
sqlx = {{ version = "0.9", default-features = false, features = ["derive", "macros", "migrate", "runtime-tokio"] }}
tokio = {{ version = "1", features = ["macros", "net", "rt-multi-thread"] }}
tracing-subscriber = "0.3"

[dev-dependencies]
axum-auth-module = {{ {source}, features = ["testing"] }}
"#
        )
    }

    /// Where cargo finds the library.
    fn source(&self) -> String {
        match &self.library {
            // Quoted as TOML quotes it.
            Some(path) => format!("path = {:?}", path.display().to_string()),
            None => format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
        }
    }

    fn environment(&self) -> Result<File, Failure> {
        let Self { name, database, .. } = self;
        let mut text = secrets::text(false)?;
        let mut add = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        add("\n# The database.");
        add(&format!("DATABASE_URL={}", database.url(name)));
        add("\n# Where the application listens, and where its pages are, to which the links of mails lead.");
        add("ADDR=127.0.0.1:3000\nPUBLIC_URL=http://localhost:3000");
        add(&format!(
            "\n# The name of the application, as authenticator apps and mails show it.\nAUTH_APP_NAME={name}"
        ));
        if self.has_mails() {
            add("\n# The server that sends the mails. Without it, mails are files in `outbox`.");
            add("# SMTP_URL=smtps://user:password@mail.example.com");
            add(&format!("MAIL_FROM=\"{name} <no-reply@example.com>\""));
        }
        for (variable, value) in self.parts().flat_map(|part| part.variables) {
            add(&format!("\n{variable}={value}"));
        }
        Ok(File { path: ".env", text, is_secret: true })
    }

    #[cfg(not(any(feature = "sqlite", feature = "postgres", feature = "mysql")))]
    #[expect(clippy::unused_self, reason = "without a database there is no table")]
    fn migration(&self) -> Result<String, Failure> {
        Err(Failure::new(
            "this command was built without a database; build it with `--features command,sqlite`, for example",
        ))
    }

    #[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
    fn migration(&self) -> Result<String, Failure> {
        use crate::sql::{Dialect, Table, migrations_as_sql};

        let dialect = match self.database {
            Database::Sqlite => Dialect::Sqlite,
            Database::Postgres => Dialect::Postgres,
            Database::MySql => Dialect::MySql,
        };
        let mut sql =
            "-- The users of the application. Add columns of your own in further files of this directory.\n"
                .to_owned();
        sql.push_str(&migrations_as_sql(dialect, &[Table::Users], 0));
        let columns = self.parts().filter_map(|part| Some(part.record?.1(self.database)));
        sql.extend(columns.map(|column| format!("\n{column}\n")));
        Ok(sql)
    }

    /// What to do with the project.
    pub(super) fn next_steps(&self, directory: &Path) -> String {
        let mut text = format!(
            "{} has a host with {}.\n.env has secrets: .gitignore keeps it out of version control.",
            directory.display(),
            self.features.iter().map(Feature::word).collect::<Vec<_>>().join(", "),
        );
        let mut add = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        if self.database == Database::Sqlite {
            add("");
        } else {
            let url = self.database.url(&self.name);
            add(&format!(
                " Its DATABASE_URL is {url}:\nif your server is elsewhere, or needs a user or a password, write that there first. The tests need the server, too."
            ));
        }
        add(&format!("\nWhat to run next:\n\n  cd {}", directory.display()));
        let database = self.name.replace('-', "_");
        match self.database {
            Database::Sqlite => {}
            Database::Postgres => add(&format!("  createdb {}", self.name)),
            Database::MySql => add(&format!("  mariadb -e 'CREATE DATABASE {database}'")),
        }
        add("  cargo test\n  cargo run");
        let origin = match self.front {
            Front::Browsers => "-H 'origin: http://localhost:3000' -c cookies ",
            Front::Tokens | Front::Both => "",
        };
        for (path, body) in self.parts().filter_map(|part| part.trial) {
            add("\nand in another terminal:\n");
            add(&format!(
                "  curl -sS http://localhost:3000/auth/{path} {origin}-H 'content-type: application/json' \\\n    -d '{body}'"
            ));
        }
        text
    }
}

impl Database {
    /// The cargo feature of the library.
    const fn word(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::MySql => "mysql",
        }
    }

    fn url(self, name: &str) -> String {
        match self {
            Self::Sqlite => format!("sqlite://{name}.db?mode=rwc"),
            Self::Postgres => format!("postgres://localhost/{name}"),
            Self::MySql => format!("mysql://root@localhost/{}", name.replace('-', "_")),
        }
    }
}
