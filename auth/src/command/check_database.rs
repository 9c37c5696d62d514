//! `check-database`: what a table of users lacks.

use super::{Failure, Outcome};
use crate::user::UserField;

/// The options of `check-database`.
#[derive(Default)]
pub(super) struct Options {
    /// The address of the database. Without one, it is in `DATABASE_URL`.
    pub(super) url: Option<String>,
    /// The table, if it is not `users`.
    pub(super) table: Option<String>,
    /// The columns that are not called like their fields.
    pub(super) columns: Vec<(UserField, String)>,
    /// Whether the host generates the ids.
    pub(super) new_ids: bool,
}

pub(super) fn run(options: Options) -> Result<Outcome, Failure> {
    let url = options.url.clone().or_else(|| std::env::var("DATABASE_URL").ok());
    let url = url.filter(|url| !url.is_empty()).ok_or_else(|| {
        Failure::new("which database? Give its address, or set DATABASE_URL: postgres://user@host/database")
    })?;
    let url = zeroize::Zeroizing::new(url);
    let (scheme, _) = url.split_once(':').unwrap_or_default();
    let feature = match scheme {
        "sqlite" => "sqlite",
        "postgres" | "postgresql" => "postgres",
        "mysql" | "mariadb" => "mysql",
        // Not what it is: it can contain a password.
        _ => {
            return Err(Failure::new(
                "the address of a database begins with sqlite:, postgres:// or mysql://",
            ));
        }
    };
    check(&url, feature, options)
}

/// For a database of the kind of this cargo feature.
#[cfg(not(any(feature = "sqlite", feature = "postgres", feature = "mysql")))]
fn check(_url: &str, feature: &str, _options: Options) -> Result<Outcome, Failure> {
    Err(not_built_for(feature))
}

#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
use opened::check;

#[cfg_attr(
    all(feature = "sqlite", feature = "postgres", feature = "mysql"),
    allow(dead_code, reason = "every kind of database can be opened")
)]
fn not_built_for(feature: &str) -> Failure {
    Failure(format!(
        "this command was built without the cargo feature `{feature}` and cannot open this database; build it with \
         `--features command,{feature}`"
    ))
}

#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
mod opened {
    use super::{Failure, Options, Outcome};
    use crate::command::{block_on, print};
    use crate::sql::{Database, TableCheck};
    use std::time::Duration;

    /// How long the server may take to accept a connection.
    #[cfg(any(feature = "postgres", feature = "mysql"))]
    const CONNECT: Duration = Duration::from_secs(10);
    /// How long a query may take: one of them reads all addresses.
    const QUERY: Duration = Duration::from_secs(600);

    /// What the arguments can say about a table that was not found, or not as it was expected.
    const HINT: &str = "\
-- If they have other names: --table NAME, --column FIELD=NAME. If your host generates the ids: --new-ids.
";

    pub(super) fn check(url: &str, feature: &str, options: Options) -> Result<Outcome, Failure> {
        let Options { table, columns, new_ids, .. } = options;
        let table = TableCheck::new(table, columns, new_ids).map_err(|error| Failure(error.to_string()))?;
        let report = block_on(async {
            let database = open(url, feature).await?.timeout(QUERY);
            let report = table.run(&database).await;
            database.close().await;
            report.map_err(|error| Failure(format!("the database cannot be read: {error}")))
        })?;
        match report {
            None => {
                print(&format!("-- the table {} has everything that the library needs\n", table.name()))?;
                Ok(Outcome::Fine)
            }
            Some(differ) => {
                print(&format!("{}{HINT}", differ.as_sql()))?;
                Ok(Outcome::Found)
            }
        }
    }

    async fn open(url: &str, feature: &str) -> Result<Database, Failure> {
        let opened: Result<Database, sqlx::Error> = match feature {
            #[cfg(feature = "sqlite")]
            "sqlite" => {
                async {
                    let options: sqlx::sqlite::SqliteConnectOptions = url.parse()?;
                    let options = options.create_if_missing(false).read_only(true);
                    Ok(sqlx::sqlite::SqlitePoolOptions::new()
                        .max_connections(1)
                        .connect_with(options)
                        .await?
                        .into())
                }
                .await
            }
            #[cfg(feature = "postgres")]
            "postgres" => server::<sqlx::Postgres>(url).await.map(Into::into),
            #[cfg(feature = "mysql")]
            "mysql" => server::<sqlx::MySql>(url).await.map(Into::into),
            other => return Err(super::not_built_for(other)),
        };
        opened.map_err(|error| Failure(format!("the database cannot be opened: {error}")))
    }

    /// A pool of one connection to a server.
    #[cfg(any(feature = "postgres", feature = "mysql"))]
    async fn server<D: sqlx::Database>(url: &str) -> Result<sqlx::Pool<D>, sqlx::Error> {
        use sqlx::Connection;

        // A pool would try again and again to reach a server that refuses connections.
        let first = tokio::time::timeout(CONNECT, D::Connection::connect(url)).await;
        first.map_err(|_| sqlx::Error::PoolTimedOut)??.close().await?;
        sqlx::pool::PoolOptions::new().max_connections(1).acquire_timeout(CONNECT).connect(url).await
    }
}
