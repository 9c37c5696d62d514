//! The tables: those of the entities, and those of the library.

use crate::entity::{account, note};
use axum_auth_module::BoxError;
use axum_auth_module::sql::{Table, migrate_only};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, EntityTrait, Schema};
use sqlx::SqlitePool;

/// Creates the tables that are missing. The table of users is ours, so the library creates its other tables alone.
///
/// A table that exists stays as it is. When an entity changes, a migration of yours changes its table, for example with the crate
/// sea-orm-migration.
pub(crate) async fn create_tables(pool: &SqlitePool, database: &DatabaseConnection) -> Result<(), BoxError> {
    migrate_only(pool, Table::WITHOUT_USERS).await?;
    create_table(database, account::Entity).await?;
    create_table(database, note::Entity).await
}

async fn create_table(database: &DatabaseConnection, entity: impl EntityTrait) -> Result<(), BoxError> {
    let schema = Schema::new(DbBackend::Sqlite);
    database.execute(schema.create_table_from_entity(entity).if_not_exists()).await?;
    for mut index in schema.create_index_from_entity(entity) {
        database.execute(index.if_not_exists()).await?;
    }
    Ok(())
}
