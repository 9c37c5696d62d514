use axum_auth_module::async_trait;
use axum_auth_module::repository::{PasswordResetRepository, RepositoryError, StoredResetToken};
use sqlx::SqlitePool;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Reset tokens in a table of our own, with times in milliseconds:
/// `CREATE TABLE reset_tokens (email TEXT PRIMARY KEY, hash TEXT NOT NULL, created_at INTEGER NOT NULL)`
struct ResetTokens(SqlitePool);

#[async_trait]
impl PasswordResetRepository for ResetTokens {
    async fn create_token(&self, email: &str, hash: &str, at: SystemTime) -> Result<(), RepositoryError> {
        let milliseconds = i64::try_from(at.duration_since(UNIX_EPOCH)?.as_millis())?;
        let sql = "INSERT INTO reset_tokens (email, hash, created_at) VALUES (?, ?, ?) ON CONFLICT (email) \
                   DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at";
        sqlx::query(sql).bind(email).bind(hash).bind(milliseconds).execute(&self.0).await?;
        Ok(())
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        let sql = "SELECT hash, created_at FROM reset_tokens WHERE email = ?";
        let row: Option<(String, i64)> = sqlx::query_as(sql).bind(email).fetch_optional(&self.0).await?;
        let Some((token, milliseconds)) = row else { return Ok(None) };
        let created_at = UNIX_EPOCH + Duration::from_millis(milliseconds.try_into()?);
        Ok(Some(StoredResetToken::new(token, created_at)))
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        sqlx::query("DELETE FROM reset_tokens WHERE email = ?").bind(email).execute(&self.0).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum_auth_module::testing::conformance::{self, Failures};
    use sqlx::sqlite::SqlitePoolOptions;

    #[tokio::test(flavor = "multi_thread")]
    async fn reset_tokens_are_stored_as_the_library_requires() -> Result<(), Failures> {
        // A database in memory has one connection. With a server, let several compete.
        let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
        let table = "CREATE TABLE reset_tokens (email TEXT PRIMARY KEY, hash TEXT NOT NULL, created_at INTEGER NOT NULL)";
        sqlx::query(table).execute(&pool).await.unwrap();
        conformance::password_resets(ResetTokens(pool)).await
    }
}
