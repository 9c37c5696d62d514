//! The user names that requests have (specification §7.7).

use super::{Core, Hooks};
use crate::actions::UsernameChange;
use crate::error::{FieldErrors, FieldText};
use crate::user::{UserRecord, UsernameField};
use crate::values::Username;
use std::sync::Arc;

/// The field of a request.
pub(crate) const USERNAME: &str = "username";

/// Which user names the users of a module have.
#[derive(Clone, Copy)]
pub(crate) struct UsernameRules<'a> {
    /// Whether the module has USERNAMES, and whether users can be without a user name.
    pub(crate) field: UsernameField,
    /// The user names that nobody can choose.
    reserved: &'a [String],
}

impl Core {
    /// Which user names the module's users have.
    pub(crate) fn username_rules(&self) -> UsernameRules<'_> {
        UsernameRules { field: self.username_field, reserved: &self.config.reserved_usernames }
    }
}

/// Whether one of the features is USERNAMES, and which user names users have.
pub(super) fn field_of(hooks: &[Arc<dyn Hooks>]) -> UsernameField {
    hooks.iter().map(|hook| hook.username_field()).find(|field| field.is_present()).unwrap_or_default()
}

impl UsernameRules<'_> {
    /// The user name of a new account.
    ///
    /// # Errors
    /// Those of [`Username::parse`]; `required`; `reserved`.
    pub(crate) fn chosen(self, sent: Option<&str>) -> Result<Option<Username>, FieldErrors> {
        if !self.field.is_present() {
            return Ok(None);
        }
        let username = sent.map(Username::parse).transpose()?;
        self.allows(username.as_ref()).map(|()| username)
    }

    /// Fails if a new account cannot have this user name.
    ///
    /// # Errors
    /// `required`; `reserved`.
    pub(crate) fn allows(self, username: Option<&Username>) -> Result<(), FieldErrors> {
        match (self.field, username) {
            (UsernameField::Required, None) => Err(error(FieldText::Required)),
            (UsernameField::Required | UsernameField::Optional, Some(username)) => {
                self.is_free_to_choose(username)
            }
            (UsernameField::Absent, _) | (UsernameField::Optional, None) => Ok(()),
        }
    }

    /// What becomes of a user's user name in a module with USERNAMES. `sent` is `None` if the request does not have the field, and `Some(None)` if the field is null.
    ///
    /// # Errors
    /// Those of [`Username::parse`]; those of [`allows_change`](Self::allows_change).
    pub(crate) fn changed(
        self,
        sent: Option<Option<&str>>,
        user: &dyn UserRecord,
    ) -> Result<UsernameChange, FieldErrors> {
        let change = match sent {
            None => UsernameChange::Keep,
            Some(None) => UsernameChange::Remove,
            Some(Some(text)) => UsernameChange::Set(Username::parse(text)?),
        };
        self.allows_change(&change, user).map(|()| change)
    }

    /// Fails if this cannot become of a user's user name.
    ///
    /// # Errors
    /// `required` if every user has a user name; `reserved`, unless it is the user's own.
    pub(crate) fn allows_change(
        self,
        change: &UsernameChange,
        user: &dyn UserRecord,
    ) -> Result<(), FieldErrors> {
        match change {
            UsernameChange::Remove if self.field == UsernameField::Required => {
                Err(error(FieldText::Required))
            }
            UsernameChange::Set(username) if self.field.is_present() && is_other_username(username, user) => {
                self.is_free_to_choose(username)
            }
            UsernameChange::Keep | UsernameChange::Remove | UsernameChange::Set(_) => Ok(()),
        }
    }

    fn is_free_to_choose(self, username: &Username) -> Result<(), FieldErrors> {
        let is_reserved =
            self.reserved.iter().any(|reserved| reserved.eq_ignore_ascii_case(username.as_str()));
        if is_reserved { Err(error(FieldText::UsernameReserved)) } else { Ok(()) }
    }
}

/// Whether this is another user name than the user's. Another program may have stored that with capitals.
pub(crate) fn is_other_username(username: &Username, user: &dyn UserRecord) -> bool {
    user.username().is_none_or(|own| !own.eq_ignore_ascii_case(username.as_str()))
}

fn error(text: FieldText) -> FieldErrors {
    FieldErrors::standard(USERNAME, text)
}
