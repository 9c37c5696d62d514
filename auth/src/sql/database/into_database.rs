//! What a host gives where the library wants a database.

use super::Database;

/// A database that the host gives to the library: a `SqlitePool`, `PgPool` or `MySqlPool` of sqlx 0.9, a reference to one, or a
/// [`Database`].
///
/// It is implemented for everything that is `Into<Database>`; a host only meets it in messages of the compiler.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pool of sqlx 0.9",
    label = "the library needs a pool of sqlx 0.9 here",
    note = "the library uses sqlx 0.9; another version, such as sqlx 0.8, has pools of the same name and of another type: write `sqlx = \"0.9\"` in Cargo.toml, or see \"sqlx 0.8\" in docs/guide/existing-user-table.md",
    note = "a `SqlitePool`, `PgPool` or `MySqlPool` becomes an `axum_auth_module::sql::Database` if the cargo feature `sqlite`, `postgres` or `mysql` of axum-auth-module is enabled; see `axum_auth_module::sql::IntoDatabase`"
)]
pub trait IntoDatabase {
    #[doc(hidden)]
    fn into_database(self) -> Database;
}

#[diagnostic::do_not_recommend]
impl<P: Into<Database>> IntoDatabase for P {
    fn into_database(self) -> Database {
        self.into()
    }
}
