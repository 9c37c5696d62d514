//! Routes of the host that require more than a login (RFC 9470).

use crate::account::Account;
use axum::Json;
use axum_auth_module::assurance::{Assurance, Level};
use axum_auth_module::extract::Assured;
use serde::Serialize;
use std::time::Duration;

/// What the safe requires: two factors, proven at any time in the session.
pub(crate) struct Safe;

impl Assurance for Safe {
    const LEVEL: Level = Level::TwoFactors;
}

/// What the vault requires: what no imitated page can ask for, proven within the last five minutes.
pub(crate) struct Vault;

impl Assurance for Vault {
    const LEVEL: Level = Level::PhishingResistant;
    const MAX_AGE: Option<Duration> = Some(Duration::from_secs(300));
}

#[derive(Serialize)]
pub(crate) struct Opened {
    opened: bool,
}

/// `GET /safe` and `GET /vault`: if too little was proven, the extractor returns 401 and says what is enough.
pub(crate) async fn open<A: Assurance>(_: Assured<Account, A>) -> Json<Opened> {
    Json(Opened { opened: true })
}
