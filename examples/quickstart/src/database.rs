//! The database with the accounts: a SQLite file, or a server.

use crate::problems::Problems;
use crate::settings::Settings;
use axum::extract::State;
use axum::http::StatusCode;
use axum_auth_module::sql::{self, Database};
use sqlx::Pool;
use sqlx::migrate::{Migrate, Migrator};
#[cfg(feature = "mysql")]
use sqlx::mysql::{MySqlConnectOptions, MySqlPoolOptions};
#[cfg(feature = "postgres")]
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// What `DATABASE_URL` says.
pub(crate) enum Url {
    Sqlite(SqliteConnectOptions),
    #[cfg(feature = "postgres")]
    Postgres(PgConnectOptions),
    #[cfg(feature = "mysql")]
    MySql(MySqlConnectOptions),
}

impl FromStr for Url {
    /// Without the URL, which can contain a password.
    type Err = &'static str;

    fn from_str(url: &str) -> Result<Self, Self::Err> {
        // sqlx would accept any string as the name of a SQLite file, also the URL of a system that it does not know.
        let parsed = match url.split_once(':') {
            Some(("sqlite", _)) => url.parse().map(Self::Sqlite),
            #[cfg(feature = "postgres")]
            Some(("postgres" | "postgresql", _)) => url.parse().map(Self::Postgres),
            #[cfg(not(feature = "postgres"))]
            Some(("postgres" | "postgresql", _)) => return Err(NO_POSTGRES),
            #[cfg(feature = "mysql")]
            Some(("mysql" | "mariadb", _)) => url.parse().map(Self::MySql),
            #[cfg(not(feature = "mysql"))]
            Some(("mysql" | "mariadb", _)) => return Err(NO_MYSQL),
            _ => return Err(EXPECTED),
        };
        parsed.map_err(|_| EXPECTED)
    }
}

const EXPECTED: &str =
    "expected `sqlite://accounts.db`, `postgres://user@host/database` or `mysql://user@host/database`";

#[cfg(not(feature = "postgres"))]
const NO_POSTGRES: &str =
    "this build of the quickstart has no PostgreSQL: it needs its cargo feature `postgres`";

#[cfg(not(feature = "mysql"))]
const NO_MYSQL: &str = "this build of the quickstart has no MySQL: it needs its cargo feature `mysql`";

/// A request that gets no connection to a server for this long is a 503 response.
#[cfg(any(feature = "mysql", feature = "postgres"))]
const WAIT: Duration = Duration::from_secs(2);

/// Opens the database, creates it if it is a SQLite file that is missing, and migrates its tables.
///
/// # Errors
/// If the database cannot be opened or written, or has tables that are not the library's.
pub(crate) async fn open(settings: &Settings) -> Result<Database, Problems> {
    match &settings.database {
        #[cfg(feature = "postgres")]
        Some(Url::Postgres(options)) => {
            // The library tests a connection where it must: see `sql::Database`.
            let pool = PgPoolOptions::new().acquire_timeout(WAIT).test_before_acquire(false);
            migrated(pool.connect_with(options.clone()).await.map_err(cannot_open)?).await
        }
        #[cfg(feature = "mysql")]
        Some(Url::MySql(options)) => {
            let pool = MySqlPoolOptions::new().acquire_timeout(WAIT).test_before_acquire(false);
            migrated(pool.connect_with(options.clone()).await.map_err(cannot_open)?).await
        }
        Some(Url::Sqlite(options)) => sqlite(settings, options.clone()).await,
        None => {
            sqlite(settings, SqliteConnectOptions::new().filename(settings.data_dir.file("quickstart.db")))
                .await
        }
    }
}

/// The columns of `users` that are the host's own.
static OWN: Migrator = sqlx::migrate!();

/// A database with the tables of the library, and the columns of the host's in one of them.
async fn migrated<D>(pool: Pool<D>) -> Result<Database, Problems>
where
    D: sqlx::Database,
    D::Connection: Migrate,
    Database: From<Pool<D>>,
{
    let database = Database::from(pool.clone());
    sql::migrate(&database).await.map_err(|error| cannot("bring the tables up to date", error))?;
    OWN.run(&pool).await.map_err(|error| cannot("add the columns `is_active` and `username`", error))?;
    Ok(database)
}

async fn sqlite(settings: &Settings, options: SqliteConnectOptions) -> Result<Database, Problems> {
    let options = options
        .create_if_missing(true)
        .foreign_keys(true)
        // Readers do not wait for the writer. Writers wait this long for each other.
        .journal_mode(SqliteJournalMode::Wal)
        .busy_timeout(Duration::from_secs(5))
        // After a 201 the account is on the disk, even if the process is killed or the power fails.
        .synchronous(SqliteSynchronous::Full);
    // Switching to WAL is the only step that does not wait for other processes.
    let _alone = settings.data_dir.lock().map_err(|error| cannot("lock the data directory", error))?;
    let pool = SqlitePoolOptions::new().connect_with(options).await;
    migrated(pool.map_err(cannot_open)?).await
}

fn cannot_open(error: sqlx::Error) -> Problems {
    cannot("open the database", error)
}

fn cannot(what: &str, error: impl Display) -> Problems {
    Problems::one("DATABASE_URL", format!("cannot {what}: {error}"))
}

/// `GET /healthz`: whether the database responds.
pub(crate) async fn healthz(State(database): State<Database>) -> Result<&'static str, StatusCode> {
    match database.ping().await {
        Ok(()) => Ok("ok\n"),
        Err(error) => {
            tracing::error!(%error, "the database does not respond");
            Err(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}
