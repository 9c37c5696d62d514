//! What is stored and found.

use super::{CREATED, Key, Names, OwnedRow, OwnedRows, USED, must_be, user};
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::fresh::{TEXTS, almost, at, id, token};
use crate::testing::conformance::suite::Checked;

/// Fails unless the row is found by its key and by its user, whose only one it is.
pub(in super::super) async fn is_found<R: OwnedRows>(rows: &R, expected: &R::Row) -> Checked {
    let Names { one, many, .. } = R::Row::NAMES;
    rows.must_be(expected, "after `insert`").await?;
    let found = rows.find_by_user(expected.user_id()).await?;
    let number = found.len();
    ensure!(number == 1, "`find_by_user` finds {number} {many} of a user who has one");
    let place = format!("in the {one} that `find_by_user` returned");
    found.iter().try_for_each(|found| must_be(found, expected, &place))
}

/// Stores a row, fails unless it is found, and deletes it.
pub(in super::super) async fn is_stored<R: OwnedRows>(rows: &R, row: R::Row) -> Checked {
    let stored = rows.store(row).await?;
    is_found(rows, &stored).await?;
    rows.delete(&stored).await?;
    Ok(())
}

pub(in super::super) async fn an_unknown_row_is_none<R: OwnedRows>(rows: R) -> Checked {
    let Names { many, key, .. } = R::Row::NAMES;
    // Some row must be there that could be found by mistake.
    let stored = rows.create().await?;
    for unknown in stored.unknown_keys()? {
        rows.must_be_none(&unknown, &format!("without an `insert` of this {key}")).await?;
    }
    for user in [user()?.as_str(), "' OR ''='", "%", "", stored.id()] {
        let found = rows.of_user(user).await?;
        ensure!(found.is_empty(), "`find_by_user` finds {many} of a user who has none");
    }
    rows.delete(&stored).await?;
    Ok(())
}

pub(in super::super) async fn rows_are_found_by_user<R: OwnedRows>(rows: R) -> Checked {
    let Names { many, .. } = R::Row::NAMES;
    let (own, other) = (user()?, user()?);
    let mut stored = Vec::new();
    for _ in 0..3 {
        stored.push(rows.store(R::Row::new(&own)?).await?.id().to_owned());
        rows.store(R::Row::new(&other)?).await?;
    }
    stored.sort();
    let found = rows.of_user(&own).await?;
    ensure!(
        found == stored,
        "`find_by_user` returned {} {many}, not exactly the {} of the user",
        found.len(),
        stored.len()
    );
    for user in [own, other] {
        rows.delete_all(&user).await?;
    }
    Ok(())
}

pub(in super::super) async fn user_ids_are_compared_exactly<R: OwnedRows>(rows: R) -> Checked {
    let Names { one, any, many, .. } = R::Row::NAMES;
    let own = rows.store(R::Row::new(&format!("as {}", token()?))?).await?;
    for (difference, user) in almost(own.user_id()) {
        let (user, shown) = (user.as_str(), own.user_id());
        let whose = format!("{any} of the user {shown:?}, whose id differs {difference}");
        ensure!(rows.of_user(user).await?.is_empty(), "`find_by_user` of {user:?} finds {whose}");
        ensure!(!rows.delete_of(user, own.id()).await?, "`delete` by {user:?} deleted {whose}");
        let others = rows.store(R::Row::new(user)?).await?;
        let found = rows.of_user(user).await?;
        ensure!(
            found == [others.id()],
            "`find_by_user` of {user:?} does not find exactly the {one} of this user"
        );
        let deleted = rows.delete_all(user).await?;
        ensure!(
            deleted == 1,
            "`delete_all` of the user {user:?} deleted {deleted} {many} instead of 1, those of {shown:?} among them"
        );
        let place = format!("after a `delete_all` of a user whose id differs {difference}");
        rows.must_be(&own, &place).await?;
    }
    rows.delete(&own).await?;
    Ok(())
}

pub(in super::super) async fn ids_are_compared_exactly<R: OwnedRows>(rows: R) -> Checked {
    let Names { any, .. } = R::Row::NAMES;
    let begin: String = id()?.chars().take(20).collect();
    let first = rows.store(R::Row::new(&user()?)?.with_id(format!("{begin}as"))).await?;
    let used = first.clone().with_times(at(CREATED), at(USED + 1_000));
    for (difference, other) in almost(first.id()) {
        let which = format!("returned true, with {any} {:?}, which differs {difference}", first.id());
        ensure!(!rows.record(&other, &used).await?, "`record_use` with the id {other:?} {which}");
        let deleted = rows.delete_of(first.user_id(), &other).await?;
        ensure!(!deleted, "`delete` with the id {other:?} {which}");
    }
    // Two ids that differ only in case are both there.
    let second = rows.store(R::Row::new(first.user_id())?.with_id(format!("{begin}aS"))).await?;
    for row in [&first, &second] {
        rows.must_be(row, "after an `insert` of an id that differs in case").await?;
    }
    rows.delete(&second).await?;
    rows.must_be(&first, "after a `delete` of an id that differs in case").await?;
    rows.delete(&first).await?;
    Ok(())
}

/// Stores a row, and beside it one for each of these keys, which are other ones: `whose credential id differs in its last byte`.
pub(in super::super) async fn keys_are_compared_exactly<R: OwnedRows>(
    rows: &R,
    own: R::Row,
    others: Vec<(&'static str, Key<R>)>,
) -> Checked {
    let Names { one, any, .. } = R::Row::NAMES;
    let own = rows.store(own).await?;
    let mut stored = Vec::new();
    for (whose, key) in others {
        rows.must_be_none(&key, &format!("after an `insert` of {any} {whose}")).await?;
        let other = R::Row::new(own.user_id())?.with_key(key);
        let inserted = rows.insert(other.clone()).await?;
        ensure!(inserted, "`insert` returned false although there is only {any} {whose}");
        stored.push((whose, other));
    }
    for (whose, other) in &stored {
        rows.must_be(other, &format!("with another {one} {whose}")).await?;
    }
    for (whose, other) in stored {
        rows.delete(&other).await?;
        let place = format!("after a `delete` of {any} {whose}");
        rows.must_be_none(&other.key(), &place).await?;
        rows.must_be(&own, &place).await?;
    }
    rows.delete(&own).await?;
    Ok(())
}

pub(in super::super) async fn texts_are_stored_unchanged<R: OwnedRows>(rows: R) -> Checked {
    for text in TEXTS {
        is_stored(&rows, R::Row::new(&format!("{text} {}", token()?))?.with_text(text)).await?;
    }
    Ok(())
}

pub(in super::super) async fn times_are_stored_to_the_millisecond<R: OwnedRows>(rows: R) -> Checked {
    let Names { any, .. } = R::Row::NAMES;
    for (created, used) in [
        (CREATED + 789, CREATED + 790),
        (CREATED + 998, CREATED + 999),
        // Longer than a 32-bit number of seconds.
        (4_102_444_799_999, 4_294_967_296_001),
        // The hours around the ends of summer times, in which local times occur twice.
        (1_792_888_200_500, 1_792_891_800_500),
    ] {
        let row = rows.store(R::Row::new(&user()?)?.with_times(at(created), at(used))).await?;
        is_found(&rows, &row).await?;
        let row = row.with_times(at(created), at(used + 1));
        ensure!(rows.record(row.id(), &row).await?, "`record_use` of {any} returned false");
        rows.must_be(&row, "after a `record_use`").await?;
        rows.delete(&row).await?;
    }
    Ok(())
}
