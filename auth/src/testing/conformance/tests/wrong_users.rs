//! Repositories of users with one mistake each.

use super::{Account, Checks, Gap};
use crate::repository::{RepositoryError, UserRepository};
use crate::testing::{MemoryUsers, conformance};
use crate::user::{AuthUser, AuthUserMut, NewUser, UserChange, UserField, UserPatch};
use async_trait::async_trait;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    /// A new user is verified at once.
    VerifiedAtOnce,
    /// `fetch_one`, whose error for no row is passed on.
    NoneIsAnError,
    /// `SELECT count(*) … WHERE email = ?` before a write finds the user itself.
    OwnAddressIsTaken,
    /// The unique index is over a table of all addresses that were ever used.
    AddressesForEver,
    /// `save` writes whatever the conditions are.
    ConditionsIgnored,
    /// Only the first condition is checked.
    OneCondition,
    /// `UPDATE … WHERE column = ?` also for null.
    EqualsNull,
    /// A null condition is left out of the statement.
    NullConditionIgnored,
    /// An empty hash is written as null, and compared with `=`.
    NullPasswordIsNeverEqual,
    /// A collation that ignores case.
    CaseIgnored,
    /// The conditions are read first, and the fields are written in a second step.
    CheckThenWrite,
    /// `SELECT` by address, then `INSERT`, without a unique index.
    CheckThenInsert,
    /// The whole record is read and written back.
    WholeRecord,
    /// The database's error is passed on by `create`.
    TakenAtCreate,
    /// The database's error is passed on by `save`.
    TakenAtSave,
    /// An unknown id is `Stale`.
    UnknownIsStale,
    /// `UPDATE … SET` with nothing is no valid statement.
    NothingToWrite,
    /// `save` returns the record that it has read before.
    OldRecord,
    /// `None` is taken for "unchanged".
    NullIsUnchanged,
    /// A column of 60 characters.
    ShortHashes,
    /// A column in a character set that has no emoji.
    ThreeBytes,
    /// A collation that ignores case, of the column of the user name.
    NameCaseIgnored,
    /// The database's error about a user name is passed on by `create`.
    NameTakenAtCreate,
    /// The database's error about a user name is passed on by `save`.
    NameTakenAtSave,
    /// The index of the user name is looked at first.
    NameBeforeAddress,
    /// The unique index is over a table of all user names that were ever used.
    NamesForEver,
    /// No user name is an empty text, of which the unique index allows one.
    EmptyNames,
    /// `SELECT` by user name, then `INSERT`, without a unique index.
    CheckThenInsertName,
    /// Local time without a time zone: the hour that occurs twice is read as the second one.
    LocalTime,
}
use Mistake::{
    AddressesForEver, CaseIgnored, CheckThenInsert, CheckThenInsertName, CheckThenWrite, ConditionsIgnored,
    EmptyNames, EqualsNull, LocalTime, NameBeforeAddress, NameCaseIgnored, NameTakenAtCreate,
    NameTakenAtSave, NamesForEver, NoneIsAnError, NothingToWrite, NullConditionIgnored, NullIsUnchanged,
    NullPasswordIsNeverEqual, OldRecord, OneCondition, OwnAddressIsTaken, ShortHashes, TakenAtCreate,
    TakenAtSave, ThreeBytes, UnknownIsStale, VerifiedAtOnce, WholeRecord,
};

#[derive(Clone)]
struct Users {
    users: MemoryUsers<Account>,
    mistake: Mistake,
    used: Arc<Mutex<HashSet<String>>>,
    gap: Gap,
}

impl Users {
    async fn write(&self, user: Account, patch: &UserPatch<Account>) -> Result<Account, RepositoryError> {
        let mut changed = user.clone();
        for change in patch.changes() {
            changed.set(change.clone())?;
        }
        let all = UserField::of_record(Account::USERNAME);
        let all = all.filter_map(|field| UserChange::current(field, &changed));
        self.gap.before(self.users.save(all.fold(UserPatch::new(user.id), UserPatch::with))).await
    }

    fn is_name_of_another(&self, name: &str, own: u32) -> bool {
        self.users.all().iter().any(|user| user.id != own && user.username.as_deref() == Some(name))
    }

    async fn is_met(&self, patch: &UserPatch<Account>) -> Result<bool, RepositoryError> {
        let Some(user) = self.users.find_by_id(patch.id()).await? else { return Ok(true) };
        let holds = |condition: &UserChange| {
            UserChange::current(condition.field(), &user).as_ref() == Some(condition)
        };
        Ok(patch.conditions().iter().all(holds))
    }
}

/// The user name that a patch writes.
fn name_of(patch: &UserPatch<Account>) -> Option<String> {
    patch.changes().iter().find_map(|change| match change {
        UserChange::Username(name) => name.clone(),
        _ => None,
    })
}

fn is_null(change: &UserChange) -> bool {
    matches!(
        change,
        UserChange::EmailVerifiedAt(None)
            | UserChange::TwoFactorSecret(None)
            | UserChange::TwoFactorRecoveryCodes(None)
            | UserChange::TwoFactorConfirmedAt(None)
            | UserChange::PasswordConfirmedAt(None)
            | UserChange::Username(None)
    )
}

/// The same patch with other changes and conditions.
fn patch(
    of: &UserPatch<Account>,
    changes: impl Iterator<Item = UserChange>,
    conditions: impl Iterator<Item = UserChange>,
) -> UserPatch<Account> {
    conditions.fold(changes.fold(UserPatch::new(*of.id()), UserPatch::with), UserPatch::only_if)
}

fn other<T>(result: Result<T, RepositoryError>) -> Result<T, RepositoryError> {
    result.map_err(|error| match error {
        RepositoryError::EmailTaken | RepositoryError::UsernameTaken => {
            RepositoryError::other("duplicate key value violates unique constraint")
        }
        error => error,
    })
}

#[async_trait]
impl UserRepository for Users {
    type User = Account;

    async fn find_by_id(&self, id: &u32) -> Result<Option<Account>, RepositoryError> {
        match self.users.find_by_id(id).await? {
            None if self.mistake == NoneIsAnError => Err(RepositoryError::other("no rows returned")),
            found => Ok(found),
        }
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        match self.mistake {
            CaseIgnored => {
                let value = value.to_lowercase();
                Ok(self.users.all().into_iter().find(|user| user.email().to_lowercase() == value))
            }
            NameCaseIgnored if field == UserField::Username => {
                let is_like = |user: &Account| {
                    user.username.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(value))
                };
                Ok(self.users.all().into_iter().find(is_like))
            }
            _ => self.users.find_by_field(field, value).await,
        }
    }

    async fn save(&self, of: UserPatch<Account>) -> Result<Account, RepositoryError> {
        let (changes, conditions) = (of.changes().to_vec().into_iter(), of.conditions().to_vec().into_iter());
        let before = self.users.find_by_id(of.id()).await?;
        match (self.mistake, before) {
            (ConditionsIgnored, _) => self.users.save(patch(&of, changes, std::iter::empty())).await,
            (OneCondition, _) => self.users.save(patch(&of, changes, conditions.take(1))).await,
            (EqualsNull, Some(_)) if of.conditions().iter().any(is_null) => Err(RepositoryError::Stale),
            (NullPasswordIsNeverEqual, Some(_))
                if of.conditions().contains(&UserChange::Password(String::new())) =>
            {
                Err(RepositoryError::Stale)
            }
            (NullConditionIgnored, _) => {
                self.users.save(patch(&of, changes, conditions.filter(|condition| !is_null(condition)))).await
            }
            (CheckThenWrite, Some(_)) => {
                if !self.is_met(&of).await? {
                    return Err(RepositoryError::Stale);
                }
                self.gap.before(self.users.save(patch(&of, changes, std::iter::empty()))).await
            }
            (WholeRecord, Some(user)) => {
                if !self.is_met(&of).await? {
                    return Err(RepositoryError::Stale);
                }
                self.write(user, &of).await
            }
            (OwnAddressIsTaken, Some(user)) => {
                let email = UserChange::Email(user.email);
                if of.changes().contains(&email) {
                    Err(RepositoryError::EmailTaken)
                } else {
                    self.users.save(of).await
                }
            }
            (NameTakenAtSave, _) => match self.users.save(of).await {
                Err(RepositoryError::UsernameTaken) => other(Err(RepositoryError::UsernameTaken)),
                saved => saved,
            },
            (NameBeforeAddress, Some(user)) => match name_of(&of) {
                Some(name) if self.is_name_of_another(&name, user.id) => Err(RepositoryError::UsernameTaken),
                _ => self.users.save(of).await,
            },
            (TakenAtSave, _) => other(self.users.save(of).await),
            (UnknownIsStale, None) => Err(RepositoryError::Stale),
            (NothingToWrite, _) if of.changes().is_empty() => {
                Err(RepositoryError::other("syntax error at or near \"WHERE\""))
            }
            (OldRecord, Some(user)) => self.users.save(of).await.map(|_| user),
            (NullIsUnchanged, _) => {
                self.users.save(patch(&of, changes.filter(|change| !is_null(change)), conditions)).await
            }
            (ShortHashes, _) => {
                let shorter = changes.map(|change| match change {
                    UserChange::Password(hash) => UserChange::Password(hash.chars().take(60).collect()),
                    change => change,
                });
                self.users.save(patch(&of, shorter, conditions)).await
            }
            (ThreeBytes, _) => {
                let spoilt = changes.map(|change| match change {
                    UserChange::Name(name) => UserChange::Name(name.replace(|c: char| c.len_utf8() > 3, "?")),
                    change => change,
                });
                self.users.save(patch(&of, spoilt, conditions)).await
            }
            (LocalTime, _) => {
                let twice = UNIX_EPOCH + Duration::from_secs(1_792_888_200);
                let read = changes.map(|change| match change {
                    UserChange::EmailVerifiedAt(Some(time)) if time == twice => {
                        UserChange::EmailVerifiedAt(Some(time + Duration::from_secs(3_600)))
                    }
                    change => change,
                });
                self.users.save(patch(&of, read, conditions)).await
            }
            (_, _) => self.users.save(of).await,
        }
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        match self.mistake {
            VerifiedAtOnce => {
                let created = self.users.create(user).await?;
                let verified = UserChange::EmailVerifiedAt(Some(UNIX_EPOCH));
                self.users.save(UserPatch::new(created.id).with(verified)).await
            }
            AddressesForEver if !self.used.lock().unwrap().insert(user.email.clone()) => {
                Err(RepositoryError::EmailTaken)
            }
            NamesForEver
                if user.username.clone().is_some_and(|name| !self.used.lock().unwrap().insert(name)) =>
            {
                Err(RepositoryError::UsernameTaken)
            }
            NameTakenAtCreate => match self.users.create(user).await {
                Err(RepositoryError::UsernameTaken) => other(Err(RepositoryError::UsernameTaken)),
                created => created,
            },
            NameBeforeAddress
                if user.username.as_ref().is_some_and(|name| self.is_name_of_another(name, 0)) =>
            {
                Err(RepositoryError::UsernameTaken)
            }
            EmptyNames => {
                let username = user.username.clone().unwrap_or_default();
                let created = self.users.create(NewUser { username: Some(username), ..user }).await?;
                let username = created.username.clone().filter(|name| !name.is_empty());
                Ok(Account { username, ..created })
            }
            CheckThenInsertName => {
                let Some(name) = user.username.clone() else { return self.users.create(user).await };
                if self.is_name_of_another(&name, 0) {
                    return Err(RepositoryError::UsernameTaken);
                }
                let insert = async {
                    let created = self.users.create(NewUser { username: None, ..user }).await?;
                    self.users.update(&created.email, |user| user.username = Some(name.clone()));
                    Ok(Account { username: Some(name), ..created })
                };
                self.gap.before(insert).await
            }
            TakenAtCreate => other(self.users.create(user).await),
            CheckThenInsert => {
                if self.users.by_email(&user.email).is_some() {
                    return Err(RepositoryError::EmailTaken);
                }
                let insert = async {
                    let email = user.email.clone();
                    let unchecked = NewUser { email: format!("{}{}", email, self.users.all().len()), ..user };
                    let created = self.users.create(unchecked.clone()).await?;
                    self.users.update(&unchecked.email, |user| user.email.clone_from(&email));
                    Ok(Account { email, ..created })
                };
                self.gap.before(insert).await
            }
            _ => self.users.create(user).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_mistake_fails_its_case() {
    let mut checks = Checks::default();
    checks.each([
        (
            VerifiedAtOnce,
            "a_created_user_is_found",
            "in the record that `create` returned, `emailVerifiedAt` is 1970-01-01T00:00:00Z instead of null",
        ),
        (NoneIsAnError, "an_unknown_user_is_none", "`find_by_id` returned the error \"no rows returned\""),
        (
            OwnAddressIsTaken,
            "a_user_may_keep_the_own_address",
            "a patch with the user's own address returned `EmailTaken`",
        ),
        (AddressesForEver, "an_address_that_was_given_up_is_free", "`create` returned `EmailTaken`"),
        (
            ConditionsIgnored,
            "a_condition_holds_or_is_stale",
            "a patch on the condition that `password` is \"an older hash\" was applied, although the field is \"hash\"",
        ),
        (
            OneCondition,
            "all_conditions_must_hold",
            "a patch on the condition that `password` is \"hash\" and `twoFactorSecret` is \"secret\" was applied, although one of the two does not hold",
        ),
        (
            EqualsNull,
            "a_null_condition_holds_only_for_null",
            "a patch on the condition that `emailVerifiedAt` is null returned `Stale`, although the field is null",
        ),
        (
            NullConditionIgnored,
            "a_null_condition_holds_only_for_null",
            "a patch on the condition that `emailVerifiedAt` is null was applied, although the field has a value",
        ),
        (
            NullPasswordIsNeverEqual,
            "an_account_without_a_password_is_a_condition",
            "a patch on the condition that `password` is \"\" returned `Stale`, although the account has no password",
        ),
        (
            CaseIgnored,
            "an_address_is_compared_exactly",
            "`find_by_field` with the address \"CONFORMANCE-…@USERS.EXAMPLE.INVALID\" found a user whose address differs in case: \"conformance-…@users.example.invalid\"",
        ),
        (
            CheckThenWrite,
            "one_of_a_hundred_conditional_patches_applies",
            "… of 100 concurrent patches that expect one `password` were applied",
        ),
        (
            CheckThenInsert,
            "one_of_a_hundred_creates_an_address",
            "… of 100 concurrent calls of `create` with one address succeeded",
        ),
        (
            WholeRecord,
            "patches_of_different_fields_do_not_undo_each_other",
            "after two concurrent patches, of `name` and `twoFactorSecret`, `…` is … instead of …",
        ),
        (
            TakenAtCreate,
            "create_refuses_an_address_that_is_taken",
            "`create` with the address of another user returned the error \"duplicate key value violates unique constraint\"",
        ),
        (
            TakenAtSave,
            "save_refuses_an_address_that_is_taken",
            "`save` with the address of another user returned the error \"duplicate key value violates unique constraint\"",
        ),
        (
            UnknownIsStale,
            "an_unknown_id_is_an_error_and_not_stale",
            "a patch without changes for an id that no user has returned `Stale`",
        ),
        (
            NothingToWrite,
            "a_patch_without_changes_returns_the_record",
            "`save` returned the error \"syntax error at or near \"WHERE\"\"",
        ),
        (
            OldRecord,
            "a_patch_writes_its_field_and_no_other",
            "in the record that `save` returned for a patch of `name`, `name` is \"Ada\" instead of \"Grace\"",
        ),
        (
            NullIsUnchanged,
            "a_nullable_field_is_set_to_null",
            "in the record that `save` returned for a patch of `emailVerifiedAt`, `emailVerifiedAt` is 2026-11-18T11:06:41Z instead of null",
        ),
        (
            ShortHashes,
            "long_texts_are_stored_unchanged",
            "in the record that `save` returned for a patch of `password`, `password` is \"hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh\"… (60 bytes) instead of \"hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh\"… (255 bytes)",
        ),
        (
            ThreeBytes,
            "long_texts_are_stored_unchanged",
            "in the record that `save` returned for a patch of `name`, `name` is \"????????????????????????????????????????\"… (255 bytes) instead of \"🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀\"… (1020 bytes)",
        ),
        (
            LocalTime,
            "times_are_stored_to_the_second",
            "in the record that `save` returned for a patch of `emailVerifiedAt`, `twoFactorConfirmedAt`, `passwordConfirmedAt`, `emailVerifiedAt` is 2026-10-25T01:30:00Z instead of 2026-10-25T00:30:00Z",
        ),
        (
            NameCaseIgnored,
            "a_user_name_is_stored_and_compared_exactly",
            "`find_by_field` with the user name \"AS-…\" found a user whose user name differs in case: \"as-…\"",
        ),
        (
            NameTakenAtCreate,
            "create_refuses_a_user_name_that_is_taken",
            "`create` with the user name of another user returned the error \"duplicate key value violates unique constraint\"",
        ),
        (
            NameTakenAtSave,
            "save_refuses_a_user_name_that_is_taken",
            "`save` with the user name of another user returned the error \"duplicate key value violates unique constraint\"",
        ),
        (
            NameBeforeAddress,
            "a_taken_address_is_reported_before_a_taken_user_name",
            "`create` with an address and a user name of others returned `UsernameTaken`",
        ),
        (NamesForEver, "a_user_name_that_was_given_up_is_free", "`create` returned `UsernameTaken`"),
        (
            EmptyNames,
            "users_without_a_user_name_do_not_exclude_each_other",
            "`create` returned `UsernameTaken`",
        ),
        (
            CheckThenInsertName,
            "one_of_a_hundred_creates_a_user_name",
            "… of 100 concurrent calls of `create` with one user name succeeded",
        ),
    ], |mistake| { let users = MemoryUsers::default(); conformance::users(Users { users, mistake, used: Arc::default(), gap: Gap::default() }) }).await;
    checks.end(&conformance::users(MemoryUsers::<Account>::default()));
}
