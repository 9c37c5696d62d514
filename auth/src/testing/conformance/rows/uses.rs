//! The last use of a row.

use super::{Names, OwnedRow, OwnedRows};
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::fresh::id;
use crate::testing::conformance::suite::Checked;

pub(in super::super) async fn a_use_that_changes_nothing_succeeds<R: OwnedRows>(rows: R) -> Checked {
    let own = rows.create().await?;
    ensure!(rows.record(own.id(), &own).await?, "`record_use` of what is stored already returned false");
    rows.must_be(&own, "after a `record_use` that changes nothing").await?;
    rows.delete(&own).await?;
    Ok(())
}

pub(in super::super) async fn a_use_of_nothing_creates_nothing<R: OwnedRows>(rows: R) -> Checked {
    let Names { any, .. } = R::Row::NAMES;
    let deleted = rows.create().await?;
    rows.delete(&deleted).await?;
    for id in [&id()?, deleted.id()] {
        ensure!(!rows.record(id, &deleted).await?, "`record_use` of {any} that does not exist returned true");
    }
    let place = format!("after a `record_use` of {any} that was deleted");
    rows.must_be_none(&deleted.key(), &place).await?;
    let found = rows.of_user(deleted.user_id()).await?;
    ensure!(found.is_empty(), "{place}, `find_by_user` finds {any}");
    Ok(())
}
