//! The cases of [`UserRepository`].

mod addresses;
mod conditions;
mod reading;
mod record;
mod together;
mod usernames;
mod writing;

use super::failures::{Broken, Operation, error_text};
use super::fresh::{address, token, username};
use super::suite::{Suite, cases};
use crate::repository::{RepositoryError, UserRepository};
use crate::user::{AuthUser, NewUser, UserField, UserId, UserPatch, UsernameField};
use record::Fields;
use std::sync::Arc;

cases! {
    UserCases<U> where [U: AuthUser] {
        reading {
            a_created_user_is_found: "`create` returns the record with its id and with the given name, address and hash; the other fields are null. `find_by_id` and `find_by_field` find it.";
            an_unknown_user_is_none: "An id or an address that no user has is `Ok(None)`, not an error.";
            an_address_is_compared_exactly: "`find_by_field` finds the user whose address has the same bytes, and nobody else. A column may need a binary collation.";
        }
        writing {
            a_patch_writes_its_field_and_no_other: "`save` writes the fields of the patch, leaves all others unchanged, and returns the saved record.";
            several_fields_are_written_at_once: "A patch may name any number of fields.";
            a_nullable_field_is_set_to_null: "`None` in a patch sets the field to null.";
            a_patch_without_changes_returns_the_record: "A patch without changes writes nothing and returns the record if its conditions hold; otherwise it is `Stale`.";
            an_unknown_id_is_an_error_and_not_stale: "`save` of an id that no user has is an error, but neither `Stale` nor `EmailTaken`, and it creates no user.";
            texts_are_stored_unchanged: "Every text is stored as it is, whatever characters it has.";
            long_texts_are_stored_unchanged: "There is room for a name of 255 characters, an address of 254 bytes, a hash of 255 characters, a secret of 1 KiB and recovery codes of 8 KiB.";
            times_are_stored_to_the_second: "A time reads back as the same second. The library writes no fractions of a second into user records.";
        }
        conditions {
            a_condition_holds_or_is_stale: "A patch whose condition is met applies. Otherwise `save` returns `Stale` and writes nothing.";
            a_null_condition_holds_only_for_null: "The condition null holds for a field that is null (`IS NULL`; in SQL, `= NULL` never holds), and for no other.";
            a_value_is_never_equal_to_null: "A condition with a value does not hold for a field that is null.";
            all_conditions_must_hold: "A patch with several conditions applies only if all of them are met.";
            an_account_without_a_password_is_a_condition: "An empty hash means that the account has no password, whether the table has an empty text or null for it. `create` and `save` take it, the record has it, and a condition holds for it and for nothing else.";
            conditions_are_compared_exactly: "A condition holds only for the same bytes. Hashes that differ in case are different.";
        }
        addresses {
            create_refuses_an_address_that_is_taken: "`create` with the address of another user returns `EmailTaken` and creates nothing.";
            save_refuses_an_address_that_is_taken: "`save` with the address of another user returns `EmailTaken` and writes nothing, also none of the patch's other fields.";
            a_user_may_keep_the_own_address: "A patch may contain the address that the user already has.";
            an_address_that_was_given_up_is_free: "Once a user has another address, a new user can have the old one.";
        }
        usernames {
            a_user_name_is_stored_and_compared_exactly: "`create` stores the user name, and `find_by_field` finds the user whose user name has the same bytes, and nobody else. This case and the following ones are for a record with a user name.";
            create_refuses_a_user_name_that_is_taken: "`create` with the user name of another user returns `UsernameTaken` and creates nothing.";
            save_refuses_a_user_name_that_is_taken: "`save` with the user name of another user returns `UsernameTaken` and writes nothing.";
            a_taken_address_is_reported_before_a_taken_user_name: "If others have the address and the user name, `create` and `save` return `EmailTaken`.";
            a_user_name_that_was_given_up_is_free: "A patch may contain the user name that the user already has. Once a user has another one, a new user can have the old one.";
            users_without_a_user_name_do_not_exclude_each_other: "If the field is an `Option`, any number of users can be without a user name.";
            one_of_a_hundred_creates_a_user_name: "Of several calls of `create` with one user name at the same time, one succeeds and all others return `UsernameTaken`. Only a unique index of the database can decide that.";
        }
        together {
            one_of_a_hundred_creates_an_address: "Of several calls of `create` with one address at the same time, one succeeds and all others return `EmailTaken`. Only a unique index of the database can decide that.";
            one_of_ten_saves_an_address: "Of several users who take one address at the same time, one succeeds and all others get `EmailTaken`.";
            one_of_a_hundred_conditional_patches_applies: "The conditions are checked and the fields written in one step, as by `UPDATE … WHERE`: of several patches that expect the same hash, one applies and all others are `Stale`.";
            one_of_a_hundred_uses_a_recovery_code: "The same holds for recovery codes, with which a code is used only once.";
            patches_of_different_fields_do_not_undo_each_other: "`save` writes only the fields of its patch, not a record that it has read before.";
        }
    }
    /// Checks a [`UserRepository`] of any user type. The users that it creates stay, with addresses that begin with
    /// `conformance-`.
    ///
    /// ```
    /// use axum_auth_module::testing::{MemoryUsers, conformance};
    /// # use axum_auth_module::AuthUser;
    /// # use std::time::SystemTime;
    /// # #[derive(Clone, Default, AuthUser)]
    /// # struct Account { id: u32, name: String, email: String, password: String, email_verified_at: Option<SystemTime>,
    /// #   two_factor_secret: Option<String>, two_factor_recovery_codes: Option<String>,
    /// #   two_factor_confirmed_at: Option<SystemTime>, password_confirmed_at: Option<SystemTime> }
    ///
    /// # tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap().block_on(async {
    /// conformance::users(MemoryUsers::<Account>::default())
    ///     .new_user(|user| user.with_extra("plan", "free")) // columns of yours that a new row needs
    ///     .unknown_id(4_000_000_000)                        // if the id is of an unusual type
    ///     .await
    /// # }).unwrap();
    /// ```
    pub fn users<R: UserRepository>(repository: R) -> Suite<UserCases<R::User>> {
        let users = UserCases { repository: repository_of(repository), complete: Arc::new(|user| user), unknown: None };
        Suite::new(users, cases())
    }
}

/// The cases for users, which check these.
#[derive(Clone)]
pub struct UserCases<U: AuthUser> {
    repository: Arc<dyn UserRepository<User = U>>,
    complete: Arc<dyn Fn(NewUser) -> NewUser + Send + Sync>,
    unknown: Option<U::Id>,
}

impl<U: AuthUser> Suite<UserCases<U>> {
    /// Completes each new user of the suite, for a table with more columns that must have a value. For a value that must
    /// be unique, take the address, which is new for each user.
    pub fn new_user(mut self, complete: impl Fn(NewUser) -> NewUser + Send + Sync + 'static) -> Self {
        self.subject.complete = Arc::new(complete);
        self
    }

    /// An id that no user has. It is needed for ids that cannot be parsed from a UUID or from a number of up to 31 bits;
    /// for others the suite makes one at random.
    pub fn unknown_id(mut self, id: U::Id) -> Self {
        self.subject.unknown = Some(id);
        self
    }
}

fn repository_of<R: UserRepository>(repository: R) -> Arc<dyn UserRepository<User = R::User>> {
    Arc::new(repository)
}

impl<U: AuthUser> UserCases<U> {
    /// A new user with this address, for `create`.
    fn new_user_at(&self, email: &str) -> Result<NewUser, Broken> {
        let new = NewUser::new("Ada", email, "hash");
        let new = match U::USERNAME {
            UsernameField::Required => new.with_username(username()?),
            UsernameField::Absent | UsernameField::Optional => new,
        };
        Ok((self.complete)(new))
    }

    /// A new user with a new address, for `create`.
    fn new_user(&self) -> Result<NewUser, Broken> {
        self.new_user_at(&address()?)
    }

    /// Creates a user with a new address.
    async fn create(&self) -> Result<U, Broken> {
        self.repository.create(self.new_user()?).await.of("create")
    }

    async fn save(&self, patch: UserPatch<U>) -> Result<U, Broken> {
        self.repository.save(patch).await.of("save")
    }

    async fn find_by_id(&self, id: &U::Id) -> Result<Option<U>, Broken> {
        self.repository.find_by_id(id).await.of("find_by_id")
    }

    async fn find_by_address(&self, email: &str) -> Result<Option<U>, Broken> {
        self.repository.find_by_field(UserField::Email, email).await.of("find_by_field")
    }

    /// The stored fields of a user who exists.
    async fn stored(&self, id: &U::Id) -> Result<Fields, Broken> {
        let missing =
            || Broken::new(format!("`find_by_id` does not find the user with the id {}", id.to_text()));
        Ok(Fields::of(&self.find_by_id(id).await?.ok_or_else(missing)?))
    }

    /// An id that no user has.
    fn unknown_id(&self) -> Result<U::Id, Broken> {
        if let Some(id) = &self.unknown {
            return Ok(id.clone());
        }
        let random = token()?;
        let (digits, _) = random.split_at(8);
        let number = u32::from_str_radix(digits, 16).unwrap_or_default();
        // A large number, for ids usually count from 1, and of 31 bits, for a column of that size.
        let number = (number >> 3) | (0b111 << 28);
        let mut uuid = random;
        for hyphen in [8, 13, 18, 23] {
            uuid.insert(hyphen, '-');
        }
        uuid.replace_range(14..15, "4");
        uuid.replace_range(19..20, "8");
        let id = U::Id::from_text(&uuid).or_else(|| U::Id::from_text(&number.to_string()));
        id.ok_or_else(|| {
            Broken::new("the suite cannot make an id of this type that no user has: call `.unknown_id(…)`")
        })
    }

    /// Saves a patch that must be refused, and checks that nothing was written. `what` says which patch it is, and `why`
    /// may say why it must be refused: `, although …`.
    async fn refused(
        &self,
        user: &U,
        (what, why): (&str, &str),
        patch: UserPatch<U>,
        refusal: fn(&RepositoryError) -> bool,
    ) -> Result<(), Broken> {
        let before = self.stored(user.id()).await?;
        match self.repository.save(patch).await {
            Err(error) if refusal(&error) => {}
            Err(error) => return Err(Broken::new(format!("{what} returned {}{why}", error_text(&error)))),
            Ok(_) => return Err(Broken::new(format!("{what} was applied{why}"))),
        }
        self.stored(user.id()).await?.must_be(&before, &format!("after {what} was refused"))
    }
}

/// Whether it is [`RepositoryError::Stale`].
const fn is_stale(error: &RepositoryError) -> bool {
    matches!(error, RepositoryError::Stale)
}

/// Whether it is [`RepositoryError::EmailTaken`].
const fn is_taken(error: &RepositoryError) -> bool {
    matches!(error, RepositoryError::EmailTaken)
}

/// Whether it is [`RepositoryError::UsernameTaken`].
const fn is_username_taken(error: &RepositoryError) -> bool {
    matches!(error, RepositoryError::UsernameTaken)
}
