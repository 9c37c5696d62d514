//! The action that deletes the row of a user.

use super::{ActionContext, ActionError, DeletesUsers};
use crate::sql::{SqlAuditLog, SqlUsers};
use crate::user::AuthUser;
use async_trait::async_trait;

/// Deletes the row of a user from the table of [`SqlUsers`], and nothing else: for a host whose users have no data in other tables, or whose
/// database deletes these with the row (`ON DELETE CASCADE`).
///
/// ```
/// # use axum_auth_module::AuthUser;
/// use axum_auth_module::actions::DeleteRecord;
/// use axum_auth_module::sql::{SqlAuditLog, SqlUsers};
///
/// # fn action<U: AuthUser>(users: SqlUsers<U>, log: SqlAuditLog) -> DeleteRecord<U> {
/// // The entries of the user in the audit log go as well.
/// DeleteRecord::new(users).with_audit_log(log)
/// # }
/// ```
pub struct DeleteRecord<U: AuthUser> {
    users: SqlUsers<U>,
    audit_log: Option<SqlAuditLog>,
}

impl<U: AuthUser> DeleteRecord<U> {
    /// Deletes from this table.
    #[must_use]
    pub const fn new(users: SqlUsers<U>) -> Self {
        Self { users, audit_log: None }
    }

    /// Also deletes the entries of the user in an audit log. Those that the deletion itself causes are written later and stay.
    #[must_use]
    pub fn with_audit_log(self, log: SqlAuditLog) -> Self {
        Self { audit_log: Some(log), ..self }
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser> DeletesUsers<U> for DeleteRecord<U> {
    async fn delete(&self, user: &U, _: &ActionContext<U>) -> Result<(), ActionError> {
        if let Some(log) = &self.audit_log {
            log.delete_user(user.id()).await?;
        }
        self.users.delete(user.id()).await?;
        Ok(())
    }
}
