//! The user: an entity of SeaORM, the user record of the module, and a row of sqlx.

use super::note;
use axum_auth_module::AuthUser;
use sea_orm::entity::prelude::*;
use std::fmt;

/// A row of the table `accounts`. The library reads it with sqlx (`FromRow`) and knows its fields (`AuthUser`); the routes of this host
/// read it with SeaORM. The columns have the names of the fields in all three.
///
/// SeaORM's primary key is `INTEGER PRIMARY KEY AUTOINCREMENT`, so SQLite never gives the id of a deleted account to another one.
#[derive(Clone, PartialEq, Eq, AuthUser, DeriveEntityModel, sqlx::FromRow)]
#[sea_orm(table_name = "accounts")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) name: String,
    /// The unique index decides between two registrations at the same time.
    #[sea_orm(unique)]
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) email_verified_at: Option<DateTimeUtc>,
    pub(crate) two_factor_secret: Option<String>,
    pub(crate) two_factor_recovery_codes: Option<String>,
    pub(crate) two_factor_confirmed_at: Option<DateTimeUtc>,
    pub(crate) password_confirmed_at: Option<DateTimeUtc>,
}

/// SeaORM requires `Debug`. The derived one would show the hash of the password and the secrets of the second factor.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("id", &self.id).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {
    #[sea_orm(has_many = "super::note::Entity")]
    Note,
}

impl Related<note::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Note.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
