//! The fields of a user's record, to compare them.

use crate::testing::conformance::failures::{Broken, ensure};
use crate::testing::conformance::fresh::{quoted, shown};
use crate::user::{AuthUser, UserChange, UserField, UserId};

/// The fields of a record.
#[derive(Clone)]
pub(super) struct Fields {
    id: String,
    values: Vec<UserChange>,
}

impl Fields {
    pub(super) fn of<U: AuthUser>(user: &U) -> Self {
        let fields = UserField::of_record(U::USERNAME);
        let values = fields.filter_map(|field| UserChange::current(field, user)).collect();
        Self { id: user.id().to_text(), values }
    }

    /// These fields after these changes.
    pub(super) fn with(mut self, changes: &[UserChange]) -> Self {
        for change in changes {
            self.values.iter_mut().filter(|value| value.field() == change.field()).for_each(|value| {
                value.clone_from(change);
            });
        }
        self
    }

    /// Fails if a field differs from the expected one. `place` says where: `after "save"`.
    pub(super) fn must_be(&self, expected: &Self, place: &str) -> Result<(), Broken> {
        ensure!(
            self.id == expected.id,
            "{place}, the record has the id {} instead of {}",
            quoted(&self.id),
            quoted(&expected.id)
        );
        let mut differences =
            self.values.iter().zip(&expected.values).filter(|(found, expected)| found != expected);
        match differences.next() {
            None => Ok(()),
            Some((found, expected)) => Err(Broken::new(format!(
                "{place}, `{}` is {} instead of {}",
                found.field().wire_name(),
                text(found),
                text(expected)
            ))),
        }
    }
}

/// The value of a field, for a sentence.
pub(super) fn text(value: &UserChange) -> String {
    match value {
        UserChange::Name(text) | UserChange::Email(text) | UserChange::Password(text) => quoted(text),
        UserChange::TwoFactorSecret(text)
        | UserChange::TwoFactorRecoveryCodes(text)
        | UserChange::Username(text) => text.as_deref().map_or_else(|| "null".to_owned(), quoted),
        UserChange::EmailVerifiedAt(time)
        | UserChange::TwoFactorConfirmedAt(time)
        | UserChange::PasswordConfirmedAt(time) => time.map_or_else(|| "null".to_owned(), shown),
    }
}
