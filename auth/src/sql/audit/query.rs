//! Looking up the audit log, page by page.

use super::super::database::{Dialect, Row};
use super::super::identifier::Identifier;
use super::super::statement::{Statement, milliseconds};
use super::entry::AuditEntry;
use super::row::{COLUMNS, first_id_at, is_id};
use crate::events::EventName;
use crate::repository::RepositoryError;
use crate::user::UserId;
use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

/// How many entries a page has by default, and at most.
const PAGE: u32 = 50;
const LONGEST_PAGE: u32 = 1000;

/// Which rows of the audit log to read: all of them, or those of a user, of a kind, of a time, or several of these at once.
/// [`SqlAuditLog::find`](super::SqlAuditLog::find) has an example.
#[derive(Clone, Debug)]
#[must_use]
pub struct AuditQuery {
    user_id: Option<String>,
    event: Option<EventName>,
    since: Option<SystemTime>,
    before: Option<SystemTime>,
    after: Option<AuditCursor>,
    at_most: u32,
}

impl Default for AuditQuery {
    fn default() -> Self {
        Self::new()
    }
}

impl AuditQuery {
    /// All rows, 50 on a page.
    pub const fn new() -> Self {
        Self { user_id: None, event: None, since: None, before: None, after: None, at_most: PAGE }
    }

    /// Only the rows of this user. What an administrator's page has received as a text is `&text` of type `&String`.
    pub fn user<I: UserId>(mut self, id: &I) -> Self {
        self.user_id = Some(id.to_text());
        self
    }

    /// Only the rows of this kind.
    pub const fn kind(mut self, event: EventName) -> Self {
        self.event = Some(event);
        self
    }

    /// Only rows of this time and later ones.
    pub const fn since(mut self, time: SystemTime) -> Self {
        self.since = Some(time);
        self
    }

    /// Only rows that are earlier than this time.
    pub const fn before(mut self, time: SystemTime) -> Self {
        self.before = Some(time);
        self
    }

    /// How many entries a page has at most: from 1 to 1000; other numbers are replaced by the nearest of these. Default: 50.
    pub const fn at_most(mut self, entries: u32) -> Self {
        self.at_most = match entries {
            0 => 1,
            1..=LONGEST_PAGE => entries,
            _ => LONGEST_PAGE,
        };
        self
    }

    /// The page after another one: `cursor` is its [`next`](AuditPage::next).
    pub fn after(&self, cursor: AuditCursor) -> Self {
        Self { after: Some(cursor), ..self.clone() }
    }

    /// Selects the rows of the page, and one more if there is one.
    pub(super) fn select(&self, table: &Identifier, dialect: Dialect) -> Statement {
        let mut select = Statement::new(format!("SELECT {} FROM {table}", dialect.choose(COLUMNS)));
        let first_at = |time: SystemTime| first_id_at(milliseconds(time));
        let conditions = [
            ("user_id = ?", self.user_id.clone()),
            ("event = ?", self.event.map(|event| event.as_str().to_owned())),
            ("id >= ?", self.since.map(first_at)),
            ("id < ?", self.before.map(first_at)),
            ("id < ?", self.after.clone().map(|cursor| cursor.0)),
        ];
        let mut separator = " WHERE ";
        for (condition, value) in conditions.into_iter().filter_map(|(sql, value)| Some((sql, value?))) {
            select.push(separator);
            select.push(condition);
            select.bind(value);
            separator = " AND ";
        }
        select.push(" ORDER BY id DESC LIMIT ?");
        select.with(self.at_most + 1)
    }

    /// The page of these rows.
    pub(super) fn page(&self, rows: &[Row]) -> Result<AuditPage, RepositoryError> {
        let length = usize::try_from(self.at_most)?;
        let entries: Vec<_> = rows.iter().take(length).map(AuditEntry::read).collect::<Result<_, _>>()?;
        let last = rows.get(length - 1).filter(|_| rows.len() > length);
        let next = last.map(|row| row.get("id")).transpose()?.map(AuditCursor);
        Ok(AuditPage { entries, next })
    }
}

/// A page of the audit log.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AuditPage {
    /// The entries, newest first.
    pub entries: Vec<AuditEntry>,
    /// Where the next page begins. `None`: there is none.
    pub next: Option<AuditCursor>,
}

/// A place between two rows of the audit log. It stays valid: rows that are written later come before it, and if the rows around
/// it are deleted, the next page begins with the next row that is left.
///
/// As a text it can be part of a URL. It is no secret, and says when the last event of its page was.
///
/// ```
/// use axum_auth_module::sql::AuditCursor;
///
/// let cursor: AuditCursor = "019d5c1f2a000000000a5f0e9c1b77d3".parse()?;
/// assert_eq!(cursor.to_string(), "019d5c1f2a000000000a5f0e9c1b77d3");
/// assert!("yesterday".parse::<AuditCursor>().is_err());
/// # Ok::<(), axum_auth_module::sql::InvalidAuditCursor>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditCursor(String);

/// A text that is no [`AuditCursor`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no cursor of the audit log: it has 32 hexadecimal digits")]
pub struct InvalidAuditCursor;

impl FromStr for AuditCursor {
    type Err = InvalidAuditCursor;

    fn from_str(text: &str) -> Result<Self, InvalidAuditCursor> {
        if is_id(text) { Ok(Self(text.to_owned())) } else { Err(InvalidAuditCursor) }
    }
}

impl fmt::Display for AuditCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
