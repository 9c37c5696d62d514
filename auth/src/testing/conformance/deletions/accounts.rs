//! What is stored for which account, and found.

use super::{DUE, DeletionCases, LEASED_UNTIL, SECOND, are_returned, deletion, due, leased, must_be, row};
use crate::repository::DeletionRecord;
use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::fresh::{TEXTS, almost, last_changed, token};
use crate::testing::conformance::suite::Checked;
use std::slice;

pub(super) async fn a_scheduled_row_is_found(deletions: DeletionCases) -> Checked {
    let (own, other) = (deletions.create().await?, deletions.create().await?);
    deletions.must_be(&own, "after `schedule`").await?;
    deletions.must_be(&other, "after `schedule`").await?;
    deletions.finish(&own).await?;
    deletions.finish(&other).await
}

pub(super) async fn an_unknown_account_has_no_row(deletions: DeletionCases) -> Checked {
    // Some row must be there that could be found by mistake.
    let own = deletions.create().await?;
    let (realm, user_id) = (own.realm.as_str(), own.user_id.as_str());
    let token = token()?;
    for (realm, user_id) in [
        (realm, token.as_str()),
        (realm, ""),
        (realm, "%"),
        (realm, "' OR ''='"),
        (&token, user_id),
        ("%", user_id),
        (user_id, realm),
    ] {
        deletions.must_be_none(&row(realm, user_id, DUE), "without a `schedule` of this account").await?;
    }
    deletions.finish(&own).await
}

/// What `schedule` returns for an account that has a row.
async fn row_of(deletions: &DeletionCases, again: &DeletionRecord) -> Result<DeletionRecord, Broken> {
    let none = || Broken::new("`schedule` returned `None` although the account has a row");
    deletions.schedule(again).await?.ok_or_else(none)
}

pub(super) async fn a_second_schedule_changes_nothing(deletions: DeletionCases) -> Checked {
    let own = deletions.create().await?;
    let unleased = own.clone();
    let of_lease = leased(&own, LEASED_UNTIL);
    for stored in [&unleased, &of_lease] {
        if stored.leased_until.is_some() {
            deletions.lease(&own.realm, 1).await?;
        }
        for due_at in [DUE, DUE - SECOND, DUE + SECOND] {
            let found = row_of(&deletions, &due(&own, due_at)).await?;
            must_be(&found, stored, "in the row that a second `schedule` returned")?;
            deletions.must_be(stored, "after a second `schedule`").await?;
        }
    }
    deletions.finish(&own).await
}

/// Checks that no method takes these accounts for this one: `whose user id differs in case`.
async fn are_others(
    deletions: &DeletionCases,
    own: DeletionRecord,
    others: Vec<(String, DeletionRecord)>,
) -> Checked {
    let own = deletions.store(own).await?;
    for (which, other) in others {
        deletions.must_be_none(&other, &format!("after a `schedule` of an account {which}")).await?;
        let cancelled = deletions.cancel(&other, DUE).await?;
        ensure!(!cancelled, "`cancel` returned true although only an account {which} has a row");
        deletions.finish(&other).await?;
        deletions.must_be(&own, &format!("after a `finish` of an account {which}")).await?;

        let other = deletions.store(due(&other, DUE - SECOND)).await?;
        if other.realm != own.realm {
            let found = deletions.lease(&other.realm, 2).await?;
            let operation = format!("`lease_due` with a row of an account {which}");
            are_returned(&found, &[leased(&other, LEASED_UNTIL)], &operation)?;
        }
        deletions
            .must_be(&own, &format!("after a `schedule` and a `lease_due` of an account {which}"))
            .await?;
        deletions.finish(&other).await?;
        deletions.must_be_none(&other, "after a `finish`").await?;
    }
    deletions.finish(&own).await
}

pub(super) async fn user_ids_are_compared_exactly(deletions: DeletionCases) -> Checked {
    let own = deletion()?;
    let other = |(difference, user_id)| {
        (format!("whose user id differs {difference}"), DeletionRecord { user_id, ..own.clone() })
    };
    let others = almost(&own.user_id).into_iter().map(other).collect();
    are_others(&deletions, own, others).await
}

pub(super) async fn realms_are_compared_exactly(deletions: DeletionCases) -> Checked {
    let own = deletion()?;
    let other = |(difference, realm)| {
        (format!("whose realm differs {difference}"), DeletionRecord { realm, ..own.clone() })
    };
    let others = almost(&own.realm).into_iter().map(other).collect();
    are_others(&deletions, own, others).await
}

pub(super) async fn each_realm_has_its_own_users(deletions: DeletionCases) -> Checked {
    let own = deletion()?;
    let (realm, user_id, token) = (own.realm.as_str(), own.user_id.as_str(), token()?);
    let ((first, rest), (word, words)) = (user_id.split_at(1), user_id.split_at(3));
    let others = [
        ("with another realm", row(&token, user_id, DUE)),
        ("with another user id", row(realm, &token, DUE)),
        ("whose realm is the user id, and whose user id is the realm", row(user_id, realm, DUE)),
        (
            "whose realm has the first character of the user id at its end",
            row(&format!("{realm}{first}"), rest, DUE),
        ),
        (
            "whose realm has the first word of the user id at its end",
            row(&format!("{realm} {}", word.trim_end()), words, DUE),
        ),
    ];
    let others = others.map(|(which, other)| (which.to_owned(), other)).to_vec();
    are_others(&deletions, own, others).await
}

/// Stores a row, fails unless it is found, leased and finished.
async fn is_stored(
    deletions: &DeletionCases,
    (realm, user_id): (&str, &str),
    (due_at, until): (u64, u64),
) -> Checked {
    let row = deletions.store(row(realm, user_id, due_at)).await?;
    deletions.must_be(&row, "after `schedule`").await?;
    let found = deletions.lease_at(realm, due_at, until, 2).await?;
    let row = leased(&row, until);
    are_returned(&found, slice::from_ref(&row), "`lease_due`")?;
    deletions.must_be(&row, "after `lease_due`").await?;
    deletions.finish(&row).await?;
    deletions.must_be_none(&row, "after `finish`").await
}

pub(super) async fn texts_are_stored_unchanged(deletions: DeletionCases) -> Checked {
    for text in TEXTS {
        let own = deletion()?;
        let [realm, user_id] = [own.realm, own.user_id].map(|own| format!("{text} {own}"));
        is_stored(&deletions, (&realm, &user_id), (DUE, LEASED_UNTIL)).await?;
    }
    Ok(())
}

pub(super) async fn the_largest_values_have_room(deletions: DeletionCases) -> Checked {
    for four_bytes in ["\u{1f600}", "abcd"] {
        let mut own = deletion()?;
        for (text, length) in [(&mut own.realm, 200), (&mut own.user_id, 512)] {
            text.push_str(&" ".repeat((length - text.len()) % 4));
            text.push_str(&four_bytes.repeat((length - text.len()) / 4));
        }
        // The whole realm and the whole user id are compared, and not only their beginnings.
        let others = [
            ("whose realm of 200 bytes differs at its end", last_changed(&own.realm), own.user_id.clone()),
            ("whose user id of 512 bytes differs at its end", own.realm.clone(), last_changed(&own.user_id)),
        ];
        let others = others.map(|(which, realm, user_id)| (which.to_owned(), row(&realm, &user_id, DUE)));
        are_others(&deletions, own, others.to_vec()).await?;
    }
    Ok(())
}

pub(super) async fn times_are_stored_to_the_millisecond(deletions: DeletionCases) -> Checked {
    for times in [
        (DUE + 789, LEASED_UNTIL + 790),
        (DUE + 998, LEASED_UNTIL + 999),
        // The last two milliseconds of the year 9999.
        (253_402_300_799_998, 253_402_300_799_999),
        // The hours around the end of a summer time, in which local times occur twice.
        (1_792_888_200_500, 1_792_891_800_500),
    ] {
        let DeletionRecord { realm, user_id, .. } = deletion()?;
        is_stored(&deletions, (&realm, &user_id), times).await?;
    }
    Ok(())
}
