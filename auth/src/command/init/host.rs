//! The source of a project.

use super::parts::Part;
use super::{Database, Front, PARTS, Project};

impl Project {
    /// The rows of its features.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'static Part> {
        PARTS.iter().filter(|part| self.features.contains(part.feature))
    }

    /// Whether it sends mails.
    pub(super) fn has_mails(&self) -> bool {
        self.parts().any(|part| !part.deliveries.is_empty())
    }
}

/// A project, whose source is written.
pub(super) struct Host<'a>(&'a Project);

const BEGIN: &str = "\
//! An application with accounts. Its settings are in `.env`.

";

const ACCOUNT: &str = "
/// A row of the table `users`, which `migrations` creates. Add fields of your own as you like.
#[derive(Clone, AuthUser, sqlx::FromRow)]
struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<DateTime<Utc>>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<DateTime<Utc>>,
    password_confirmed_at: Option<DateTime<Utc>>,
";

const STATE: &str = r#"}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

/// A route of the application, for users who are logged in.
async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    format!("Hello {}\n", account.name)
}
"#;

impl<'a> Host<'a> {
    pub(super) const fn of(project: &'a Project) -> Self {
        Self(project)
    }

    pub(super) fn main(&self) -> String {
        let mut text = BEGIN.to_owned();
        text.push_str(&self.imports());
        text.push_str(ACCOUNT);
        text.extend(self.0.parts().filter_map(|part| Some(part.record?.0)));
        text.push_str(STATE);
        text.push_str(&self.module());
        text.push_str(&self.routes());
        text.push_str(&self.start());
        text.push_str("\n#[cfg(test)]\nmod tests;\n");
        text
    }

    fn imports(&self) -> String {
        let project = self.0;
        let mut of_sql = vec!["SqlSessions", "SqlStore", "SqlUsers", "Table", "migrate_only"];
        of_sql.extend(project.parts().filter_map(|part| Some(part.repository?.1)));
        let mut of_library =
            vec!["AuthConfig", "AuthModule", "AuthUser", "BoxError", "CurrentUser", "auth_module"];
        of_library.extend(project.parts().any(|part| part.has_actions).then_some("StandardActions"));
        let mut lines = vec![
            "use axum::Router;".to_owned(),
            "use axum::extract::FromRef;".to_owned(),
            "use axum::routing::get;".to_owned(),
        ];
        let mut more: Vec<_> = project.parts().flat_map(|part| part.imports).copied().collect();
        more.sort_unstable();
        lines.extend(more.into_iter().map(str::to_owned));
        lines.extend(project.has_mails().then(|| "use axum_auth_module::mail::Mailer;".to_owned()));
        lines.push(import("axum_auth_module::sql", of_sql));
        lines.push(import("axum_auth_module", of_library));
        lines.push("use chrono::{DateTime, Utc};".to_owned());
        lines.push(format!("use sqlx::{};", project.database.pool()));
        lines.push("use std::env;\nuse std::net::SocketAddr;\nuse tokio::net::TcpListener;\n".to_owned());
        lines.join("\n")
    }

    /// The function that makes the module.
    fn module(&self) -> String {
        let project = self.0;
        let (pool, mails) = (project.database.pool(), project.has_mails());
        let (about, parameters) = if mails {
            (
                " `site` is where your pages are: the links of mails lead there.",
                format!(
                    "(\n    config: AuthConfig,\n    pool: &{pool},\n    mailer: &Mailer,\n    site: &str,\n)"
                ),
            )
        } else {
            ("", format!("(config: AuthConfig, pool: &{pool})"))
        };
        let mut text = format!(
            "\n/// The module with its features.{about}\nfn auth{parameters} -> Result<AuthModule<Account>, BoxError> {{\n"
        );
        let mut add = |depth: usize, line: &str| {
            for line in line.lines() {
                text.push_str(&"    ".repeat(depth));
                text.push_str(line);
                text.push('\n');
            }
        };
        let actions: Vec<_> = project.parts().flat_map(|part| part.actions).collect();
        if !actions.is_empty() {
            add(1, "let users = SqlUsers::<Account>::new(pool);");
        }
        add(1, "Ok(auth_module! {");
        add(2, "config: config,");
        add(2, "features: [");
        for feature in project.features.iter() {
            add(3, &format!("{},", feature.word()));
        }
        add(2, "],");
        let users = if actions.is_empty() { "SqlUsers::<Account>::new(pool)" } else { "users.clone()" };
        add(2, &format!("user_repo: {users},"));
        add(2, "session_repo: SqlSessions::new(pool),");
        for (key, kind) in project.parts().filter_map(|part| part.repository) {
            add(2, &format!("{key}: {kind}::new(pool),"));
        }
        add(2, "store: SqlStore::new(pool),");
        for line in project.parts().flat_map(|part| part.lines) {
            add(2, line);
        }
        if !actions.is_empty() {
            add(2, "actions: {");
            for line in actions {
                add(3, line);
            }
            add(3, "..StandardActions");
            add(2, "},");
        } else if project.parts().any(|part| part.has_actions) {
            add(2, "actions: StandardActions,");
        }
        if mails {
            add(2, "delivery: {");
            for (key, call) in project.parts().flat_map(|part| part.deliveries) {
                add(3, &format!("{key}: mailer.{call},"));
            }
            add(2, "},");
        }
        add(1, "})");
        text.push_str("}\n");
        text
    }

    fn routes(&self) -> String {
        let nested = match self.0.front {
            Front::Tokens => ".nest(\"/auth\", auth.router())",
            Front::Browsers => ".nest(\"/auth\", auth.browser_router())",
            Front::Both => {
                ".nest(\"/auth\", auth.router())\n        .nest(\"/web/auth\", auth.browser_router())"
            }
        };
        let calls = self.0.parts().filter_map(|part| part.route);
        let more: String = calls.map(|call| format!("\n        {call}")).collect();
        format!(
            "\n/// All routes.\nfn app(auth: AuthModule<Account>) -> Router {{\n    Router::new()\n        .route(\"/me\", get(me))\n        {nested}{more}\n        .with_state(App {{ auth }})\n}}\n"
        )
    }

    /// The settings, and `main`.
    fn start(&self) -> String {
        let pool = self.0.database.pool();
        let (mailer, parameters) = if self.0.has_mails() {
            (
                r#"    let mailer = match env::var("SMTP_URL") {
        Ok(server) => Mailer::smtp(server, setting("MAIL_FROM")?),
        Err(_) => Mailer::files("outbox", setting("MAIL_FROM")?),
    };
    let (mailer, site) = (mailer.build()?, setting("PUBLIC_URL")?);
"#,
                ", &mailer, &site",
            )
        } else {
            ("", "")
        };
        format!(
            r#"
/// A variable of `.env` or of the environment.
fn setting(name: &str) -> Result<String, BoxError> {{
    env::var(name).map_err(|_| format!("the variable {{name}} is missing").into())
}}

#[tokio::main]
async fn main() -> Result<(), BoxError> {{
    // Where secrets come from the environment, there is no such file.
    let _is_there = dotenvy::dotenv();
    // The log: without a subscriber, nobody learns why a response was 500. `RUST_LOG=axum_auth_module=debug` shows more.
    tracing_subscriber::fmt::init();
    let pool = {pool}::connect(&setting("DATABASE_URL")?).await?;
    sqlx::migrate!().run(&pool).await?;
    migrate_only(&pool, Table::WITHOUT_USERS).await?;
    // Does the table of users fit the struct? If not, the error has the SQL to paste.
    SqlUsers::<Account>::new(&pool).check().await?;
{mailer}    let auth = auth(AuthConfig::from_env()?, &pool{parameters})?;
    let listener = TcpListener::bind(setting("ADDR")?).await?;
    println!("listening on http://{{}}", listener.local_addr()?);
    // The rate limits go by the clients' addresses.
    let service = app(auth).into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).await?;
    Ok(())
}}
"#
        )
    }

    /// The test.
    pub(super) fn tests(&self) -> String {
        let project = self.0;
        let (mut imports, mut config) = (String::new(), "    let config = testing::config();\n".to_owned());
        for (import, lines) in project.parts().filter_map(|part| part.test) {
            imports.push_str(import);
            config.push_str(lines);
        }
        config.push_str("    let config = config.build().unwrap();\n");
        if project.has_mails() {
            imports.push_str("use axum_auth_module::mail::Mailer;\n");
        }
        let module = if project.has_mails() {
            "    let outbox = env::temp_dir().join(env!(\"CARGO_PKG_NAME\"));\n    let mailer = Mailer::files(outbox, \"Test <test@example.com>\");\n    let mailer = mailer.build().unwrap();\n    let auth = auth(config, &pool, &mailer, \"http://localhost:3000\").unwrap();\n"
        } else {
            "    let auth = auth(config, &pool).unwrap();\n"
        };
        let env = if project.has_mails() { "use std::env;\n" } else { "" };
        format!(
            r#"//! The application. Each test has a database of its own with the tables of `migrations`{server}.

use super::{{Account, app, auth}};
{imports}use axum_auth_module::repository::UserRepository;
use axum_auth_module::sql::{{SqlUsers, Table, migrate_only}};
use axum_auth_module::testing::{{self, Client, login_as}};
use axum_auth_module::user::NewUser;
use sqlx::{pool};
{env}
#[sqlx::test]
async fn a_user_who_is_logged_in_is_greeted_and_nobody_else(pool: {pool}) {{
    migrate_only(&pool, Table::WITHOUT_USERS).await.unwrap();
{config}{module}    let client = Client::new(app(auth.clone()));
    client.get("/me").await.expect(401);

    let ada = NewUser::new("Ada", "ada@example.com", "no password");
    let users = SqlUsers::<Account>::new(&pool);
    let ada = users.create(ada).await.unwrap();
    let tokens = login_as(&auth, &ada).tokens().await.unwrap();
    let client = client.with_tokens(&tokens);
    assert_eq!(client.get("/me").await.expect(200).text(), "Hello Ada\n");
}}
"#,
            pool = project.database.pool(),
            server = match project.database {
                Database::Sqlite => "",
                Database::Postgres | Database::MySql => ", on the server of `DATABASE_URL`",
            },
        )
    }
}

/// `use path::{…};`, sorted, on as many lines as it needs.
fn import(path: &str, mut names: Vec<&str>) -> String {
    // As rustfmt sorts them: types before functions.
    names.sort_by_key(|name| (name.starts_with(char::is_lowercase), *name));
    let line = format!("use {path}::{{{}}};", names.join(", "));
    if line.len() <= 100 {
        return line;
    }
    let mut text = format!("use {path}::{{\n");
    let mut row = String::new();
    for name in names {
        if row.len() + name.len() + 5 > 100 {
            text.push_str(&format!("    {}\n", row.trim_end()));
            row.clear();
        }
        row.push_str(&format!("{name}, "));
    }
    text.push_str(&format!("    {}\n}};", row.trim_end()));
    text
}

impl Database {
    /// The type of sqlx.
    const fn pool(self) -> &'static str {
        match self {
            Self::Sqlite => "SqlitePool",
            Self::Postgres => "PgPool",
            Self::MySql => "MySqlPool",
        }
    }
}
