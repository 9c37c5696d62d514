//! The last use of an identity.

use super::{IdentityCases, identity};
use crate::repository::{IdentityRecord, IdentityUse};
use crate::testing::conformance::failures::ensure;
use crate::testing::conformance::fresh::at;
use crate::testing::conformance::rows::{OwnedRows as _, USED};
use crate::testing::conformance::suite::Checked;

pub(super) async fn a_use_writes_its_two_fields(identities: IdentityCases) -> Checked {
    let mut own = identities.create().await?;
    let other = identities.store(identity(&own.user_id)?).await?;
    for (email, time) in [
        (Some("ada@example.com"), USED + 1_000),
        // The provider says no address any more, and then another one.
        (None, USED + 2_000),
        (Some("lovelace@example.com"), USED + 3_000),
        // Only one of the fields changes, and a clock was set back.
        (Some("lovelace@example.com"), USED - 60_000),
        (None, USED - 60_000),
    ] {
        let seen = IdentityUse::new(email.map(str::to_owned), at(time));
        ensure!(identities.record_use(&own.id, &seen).await?, "`record_use` of an identity returned false");
        own = IdentityRecord { email: seen.email, last_used_at: Some(seen.last_used_at), ..own };
        identities.must_be(&own, "after a `record_use`").await?;
    }
    identities.must_be(&other, "after a `record_use` of another identity").await?;
    identities.delete_all(&own.user_id).await?;
    Ok(())
}
