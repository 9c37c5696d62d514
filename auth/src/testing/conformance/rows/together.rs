//! Several operations at the same time.

use super::{Names, OwnedRow, OwnedRows, user};
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::race::{ROUNDS, TASKS, both, race};
use crate::testing::conformance::suite::Checked;

/// How often two operations meet.
pub(in super::super) const MEETINGS: usize = 20;

pub(in super::super) async fn one_of_a_hundred_inserts_succeeds<R: OwnedRows>(rows: R) -> Checked {
    let Names { many, key: name, .. } = R::Row::NAMES;
    for _ in 0..ROUNDS {
        let users = [user()?, user()?, user()?];
        let key = R::Row::new(&user()?)?.key();
        let inserts = race(TASKS, |number| {
            let (rows, key, user) = (rows.clone(), key.clone(), users.iter().cycle().nth(number).cloned());
            async move {
                let row = R::Row::new(&user.unwrap_or_default())?.with_key(key);
                let row = row.with_text(&number.to_string());
                Ok(rows.insert(row.clone()).await?.then_some(row))
            }
        });
        let mut inserted: Vec<_> = inserts.await?.into_iter().flatten().collect();
        let number = inserted.len();
        let Some(row) = inserted.pop().filter(|_| number == 1) else {
            return Err(Broken::new(format!(
                "{number} of {TASKS} concurrent calls of `insert` with one {name} returned true"
            )));
        };
        rows.must_be(&row, "after the `insert` that returned true").await?;
        let mut found = Vec::new();
        for user in &users {
            found.extend(rows.of_user(user).await?);
        }
        ensure!(
            found == [row.id()],
            "after {TASKS} concurrent calls of `insert` with one {name}, there are {} {many}",
            found.len()
        );
        rows.delete(&row).await?;
    }
    Ok(())
}

pub(in super::super) async fn a_deleted_row_stays_deleted<R: OwnedRows>(rows: R) -> Checked {
    let Names { any, .. } = R::Row::NAMES;
    for turn in 0..MEETINGS {
        let row = rows.create().await?;
        let (writing, written) = (rows.clone(), row.clone());
        let (deleting, gone) = (rows.clone(), row.clone());
        let write = async move { writing.write(&written, turn).await };
        let (operation, deleted) = both(write, async move { deleting.delete(&gone).await }).await?;
        ensure!(deleted, "`delete` of {any} that was being written returned false");
        let place = format!("after a `delete` and a `{operation}` at the same time");
        rows.must_be_none(&row.key(), &place).await?;
    }
    Ok(())
}

pub(in super::super) async fn a_hundred_new_rows_are_stored<R: OwnedRows>(rows: R) -> Checked {
    let Names { many, .. } = R::Row::NAMES;
    let user = user()?;
    let mut stored = race(TASKS, |_| {
        let (rows, user) = (rows.clone(), user.clone());
        async move { Ok(rows.store(R::Row::new(&user)?).await?.id().to_owned()) }
    })
    .await?;
    stored.sort();
    let found = rows.of_user(&user).await?;
    ensure!(found == stored, "`find_by_user` finds {} of {TASKS} {many}", found.len());
    let deleted = rows.delete_all(&user).await?;
    ensure!(deleted == TASKS as u64, "`delete_all` of {TASKS} {many} returned {deleted}");
    Ok(())
}
