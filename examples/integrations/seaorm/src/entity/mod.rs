//! The entities of SeaORM. Notes belong to an account.

pub(crate) mod account;
pub(crate) mod note;
