//! To whom a row belongs: what a user can do with it, and nobody else.

use super::{Names, OwnedRow, OwnedRows, user};
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::fresh::id;
use crate::testing::conformance::suite::Checked;

pub(in super::super) async fn a_key_is_stored_once<R: OwnedRows>(rows: R) -> Checked {
    let Names { any, many, key, .. } = R::Row::NAMES;
    let own = rows.create().await?;
    for user in [own.user_id().to_owned(), user()?] {
        let again = R::Row::new(&user)?.with_key(own.key());
        ensure!(!rows.insert(again).await?, "`insert` returned true although there is {any} with this {key}");
        rows.must_be(&own, "after an `insert` that returned false").await?;
        let found = rows.of_user(&user).await?;
        let mut expected = vec![own.id()];
        expected.retain(|_| user == own.user_id());
        ensure!(
            found == expected,
            "after an `insert` that returned false, `find_by_user` finds {} {many} of its user instead of {}",
            found.len(),
            expected.len()
        );
    }
    rows.delete(&own).await?;
    Ok(())
}

pub(in super::super) async fn a_deleted_key_can_be_stored_again<R: OwnedRows>(rows: R) -> Checked {
    let Names { one, key, .. } = R::Row::NAMES;
    let mut own = rows.create().await?;
    for user in [own.user_id().to_owned(), user()?] {
        rows.delete(&own).await?;
        own = R::Row::new(&user)?.with_key(own.key());
        ensure!(
            rows.insert(own.clone()).await?,
            "`insert` returned false although the {one} with this {key} was deleted"
        );
        rows.must_be(&own, "after a `delete` and another `insert`").await?;
    }
    // Another `delete` than that of a single row, too.
    rows.delete_all(own.user_id()).await?;
    own = own.with_id(id()?);
    ensure!(
        rows.insert(own.clone()).await?,
        "`insert` returned false although `delete_all` has deleted the {one} with this {key}"
    );
    rows.delete(&own).await?;
    Ok(())
}

pub(in super::super) async fn a_deleted_row_is_gone<R: OwnedRows>(rows: R) -> Checked {
    let Names { one, any, many, .. } = R::Row::NAMES;
    let (own, other) = (rows.create().await?, rows.create().await?);
    let second = rows.store(R::Row::new(own.user_id())?).await?;
    for (user, id) in [(other.user_id(), own.id()), (&user()?, own.id()), (own.user_id(), &id()?)] {
        let deleted = rows.delete_of(user, id).await?;
        ensure!(!deleted, "`delete` returned true although the user has no {one} with this id");
        rows.must_be(&own, "after a `delete` that returned false").await?;
    }
    ensure!(rows.delete(&own).await?, "`delete` of {any} returned false");
    rows.must_be_none(&own.key(), "after a `delete`").await?;
    let found = rows.of_user(own.user_id()).await?;
    ensure!(
        found == [second.id()],
        "after a `delete`, `find_by_user` finds {} {many}, not exactly the other one of the user",
        found.len()
    );
    ensure!(!rows.delete(&own).await?, "a second `delete` of {any} returned true");
    for row in [second, other] {
        rows.must_be(&row, &format!("after a `delete` of another {one}")).await?;
        rows.delete(&row).await?;
    }
    Ok(())
}

pub(in super::super) async fn all_rows_of_a_user_are_deleted<R: OwnedRows>(rows: R) -> Checked {
    let Names { many, .. } = R::Row::NAMES;
    let (own, other) = (user()?, rows.create().await?);
    let mut stored = Vec::new();
    for _ in 0..3 {
        stored.push(rows.store(R::Row::new(&own)?).await?);
    }
    for number in [3, 0] {
        let deleted = rows.delete_all(&own).await?;
        ensure!(deleted == number, "`delete_all` of a user with {number} {many} returned {deleted}");
        let left = rows.of_user(&own).await?.len();
        ensure!(left == 0, "`delete_all` left {left} {many} of the user");
    }
    for row in stored {
        rows.must_be_none(&row.key(), "after a `delete_all`").await?;
    }
    rows.must_be(&other, "after a `delete_all` of another user").await?;
    rows.delete(&other).await?;
    Ok(())
}
