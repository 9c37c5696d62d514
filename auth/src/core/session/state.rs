//! What the library stores in the column `state` of a session (specification §11.2).

mod changes;
mod marks;
mod seal;

pub(super) use seal::Seal;

use super::cookie_numbers::CookieNumbers;
use super::rotation::Rotation;
use crate::core::{Method, Methods};
use crate::repository::SessionKind;
use serde::{Deserialize, Serialize};

/// The version of the format. A state of another version counts as no session.
const VERSION: u32 = 1;

/// The contents of the column `state`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    v: u32,
    /// The module to which the session belongs.
    pub(super) realm: String,
    /// The mark of the credentials under which the session continues.
    #[serde(rename = "gen")]
    mark: String,
    /// Previous marks that are still valid, the newest first.
    #[serde(rename = "was")]
    previous: Vec<String>,
    /// Which of these marks are of changes of the credentials that are under way, the newest first. The other ones are of the
    /// same credentials, whose password was only hashed again.
    #[serde(default, rename = "chg", skip_serializing_if = "Vec::is_empty")]
    unfinished: Vec<String>,
    /// When each of these changes began, in milliseconds since 1970. Empty in rows of releases that did not record it.
    #[serde(default, rename = "beg", skip_serializing_if = "Vec::is_empty")]
    began: Vec<u64>,
    /// Tokens that were issued earlier are invalid, in Unix seconds. Credentials can return to what they were, and their
    /// mark with them.
    pub(super) since: u64,
    #[serde(rename = "rot")]
    pub(super) rotation: Rotation,
    /// How the user signed in (RFC 8176).
    pub(super) amr: Vec<String>,
    /// When the user signed in, in Unix seconds.
    pub(super) auth: u64,
    /// What was confirmed in this session, and when, in Unix seconds.
    ok: Vec<(String, u64)>,
    /// Which cookies are valid, in a browser session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cookie: Option<CookieNumbers>,
    /// Whether the session outlives the browser's own.
    #[serde(default, rename = "rem", skip_serializing_if = "is_false")]
    pub(super) remembered: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl State {
    /// The state of a session that starts now.
    pub(super) fn new(realm: &str, mark: String, amr: &[&str], now: u64) -> Self {
        Self {
            v: VERSION,
            realm: realm.to_owned(),
            mark,
            previous: Vec::new(),
            unfinished: Vec::new(),
            began: Vec::new(),
            since: now,
            rotation: Rotation::default(),
            amr: amr.iter().map(|&method| method.to_owned()).collect(),
            auth: now,
            ok: Vec::new(),
            cookie: None,
            remembered: false,
        }
    }

    /// The same for a browser session.
    pub(super) fn in_cookie(self, remembered: bool) -> Self {
        Self { cookie: Some(CookieNumbers::default()), remembered, ..self }
    }

    /// What the client of the session keeps. The column `kind` must say the same: the MAC covers the state.
    pub(super) const fn kind(&self) -> SessionKind {
        match self.cookie {
            Some(_) => SessionKind::Browser,
            None => SessionKind::Bearer,
        }
    }

    /// When this method was confirmed in the session, in Unix seconds.
    pub(super) fn confirmed_at(&self, method: Method) -> Option<u64> {
        self.ok.iter().find(|(confirmed, _)| confirmed == method.name()).map(|(_, at)| *at)
    }

    /// Records that these methods were confirmed. Returns the number of the cookie that has it, if it is a browser session.
    pub(super) fn confirm(&mut self, methods: Methods, at: u64) -> Option<u64> {
        self.ok.retain(|(confirmed, _)| !methods.iter().any(|method| confirmed == method.name()));
        self.ok.extend(methods.iter().map(|method| (method.name().to_owned(), at)));
        self.cookie.as_mut().map(CookieNumbers::replace)
    }
}
