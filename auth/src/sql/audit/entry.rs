//! A row of the audit log, as it is read.

use super::super::database::Row;
use super::super::statement::from_milliseconds;
use crate::events::{Actor, EventName};
use crate::repository::RepositoryError;
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::time::SystemTime;

/// An event in the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditEntry {
    /// When it happened, to the millisecond.
    pub at: SystemTime,
    /// The event's name: `auth.login`. [`event_name`](Self::event_name) is the same as a value.
    pub event: String,
    /// Whom it happened to: the id in its printed form. `None` where no account is known.
    pub user_id: Option<String>,
    /// Who has caused it.
    pub by: Actor,
    /// The session, for events of one session.
    pub session_id: Option<String>,
    /// From where, as far as it is known.
    pub client: Option<IpAddr>,
    /// The id of the request: [`Event::request_id`](crate::events::Event::request_id).
    pub request_id: Option<String>,
    /// The other facts of the event, such as the `reason` of `auth.session-ended`:
    /// [`EventKind::facts`](crate::events::EventKind::facts).
    pub details: Map<String, Value>,
}

impl AuditEntry {
    /// The event's name. `None` if a later version of the library has written it.
    #[must_use]
    pub fn event_name(&self) -> Option<EventName> {
        EventName::parse(&self.event)
    }

    /// What a row says.
    pub(super) fn read(row: &Row) -> Result<Self, RepositoryError> {
        let client: Option<String> = row.get("client")?;
        Ok(Self {
            at: from_milliseconds(row.get("at")?),
            event: row.get("event")?,
            user_id: row.get("user_id")?,
            by: match row.get::<String>("actor")?.as_str() {
                "administrator" => Actor::Administrator,
                _ => Actor::Client,
            },
            session_id: row.get("session_id")?,
            client: client.map(|client| client.parse()).transpose()?,
            request_id: row.get("request_id")?,
            details: serde_json::from_str(&row.get::<String>("details")?)?,
        })
    }
}
