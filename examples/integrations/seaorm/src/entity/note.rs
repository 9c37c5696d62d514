//! What a user has written.

use super::account;
use sea_orm::entity::prelude::*;
use serde::Serialize;

/// A row of the table `notes`, and how the routes show it.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[sea_orm(table_name = "notes")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    /// The id of the user, of the type that the user record has.
    #[sea_orm(indexed)]
    pub(crate) account_id: i64,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {
    #[sea_orm(
        belongs_to = "super::account::Entity",
        from = "Column::AccountId",
        to = "super::account::Column::Id",
        on_delete = "Cascade"
    )]
    Account,
}

impl Related<account::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Account.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
