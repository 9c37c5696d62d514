//! What the library stores in the column `state` of a session (specification §11.2).

mod changes;
mod marks;
mod seal;

pub(super) use seal::Seal;

use super::claims::{Opened, OpenedKind};
use super::cookie_numbers::CookieNumbers;
use super::rotation::Rotation;
use crate::core::{Method, Methods};
use crate::repository::SessionKind;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The version of the format. A state of another version counts as no session.
const VERSION: u32 = 1;
/// The version of the state of an impersonated session: a release that knows none would take it for a session of its user.
const IMPERSONATED: u32 = 2;
/// How long an impersonated session lasts at most.
const IMPERSONATION: Duration = Duration::from_secs(60 * 60);

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
    /// Whether the passkey of the sign-in has verified its user: `amr` has one name for both kinds.
    #[serde(default, rename = "uv", skip_serializing_if = "is_false")]
    user_verified: bool,
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
    /// The trusted device on which the session has started: the id of its row.
    #[serde(default, rename = "dev", skip_serializing_if = "Option::is_none")]
    pub(super) device: Option<String>,
    /// Whether the row is a trusted device, and no session.
    #[serde(default, rename = "trusted", skip_serializing_if = "is_false")]
    is_device: bool,
    /// Who acts for the user in the session (RFC 8693 §4.1).
    #[serde(default, rename = "act", skip_serializing_if = "Option::is_none")]
    actor: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl State {
    /// The state of a session that starts now.
    pub(super) fn new(realm: &str, mark: String, methods: Methods, now: u64) -> Self {
        Self {
            v: VERSION,
            realm: realm.to_owned(),
            mark,
            previous: Vec::new(),
            unfinished: Vec::new(),
            began: Vec::new(),
            since: now,
            rotation: Rotation::default(),
            amr: methods.amr().into_iter().map(str::to_owned).collect(),
            user_verified: methods.contains(Method::VerifiedPasskey),
            auth: now,
            ok: Vec::new(),
            cookie: None,
            remembered: false,
            device: None,
            is_device: false,
            actor: None,
        }
    }

    /// The state of a device that is trusted from now on.
    pub(super) fn of_device(realm: &str, mark: String, now: u64) -> Self {
        Self { is_device: true, ..Self::new(realm, mark, Methods::default(), now) }
    }

    /// The same for a session that starts on the trusted device with this id.
    pub(super) fn on_device(self, device: Option<&str>) -> Self {
        Self { device: device.map(str::to_owned), ..self }
    }

    /// The same for a session in which this actor acts for the user.
    pub(super) fn impersonated_by(self, actor: Option<String>) -> Self {
        let v = if actor.is_some() { IMPERSONATED } else { VERSION };
        Self { v, actor, ..self }
    }

    /// Who acts for the user in the session.
    pub(super) fn actor(&self) -> Option<&str> {
        self.actor.as_deref()
    }

    /// Whether this release knows the format, and the version is the one for what the state says.
    fn has_known_version(&self) -> bool {
        self.v == if self.actor.is_some() { IMPERSONATED } else { VERSION }
    }

    /// How long the session lasts at most, of which a configuration has this lifetime.
    pub(super) fn lifetime(&self, configured: Duration) -> Duration {
        if self.actor.is_some() { configured.min(IMPERSONATION) } else { configured }
    }

    /// The same for a browser session.
    pub(super) fn in_cookie(self, remembered: bool) -> Self {
        Self { cookie: Some(CookieNumbers::default()), remembered, ..self }
    }

    /// What the client of the session keeps. The column `kind` must say the same: the MAC covers the state.
    pub(super) const fn kind(&self) -> SessionKind {
        match self.cookie {
            _ if self.is_device => SessionKind::Device,
            Some(_) => SessionKind::Browser,
            None => SessionKind::Bearer,
        }
    }

    /// When this method was last confirmed in the session, in Unix seconds, for a request with this credential: later than at the
    /// sign-in, or at a sign-in that is a confirmation.
    pub(super) fn confirmed_at(&self, method: Method, opened: &Opened) -> Option<u64> {
        let later = self.ok.iter().find(|(confirmed, _)| confirmed == method.as_str()).map(|(_, at)| *at);
        let at_sign_in = || {
            let methods = self.signed_in_with();
            methods.iter().any(Method::confirms_at_sign_in) && methods.contains(method)
        };
        later.filter(|_| self.has_confirmations(opened)).max(at_sign_in().then_some(self.auth))
    }

    /// Whether what was confirmed in the session counts for a request with this credential. A cookie that was replaced has no
    /// confirmation.
    pub(super) fn has_confirmations(&self, opened: &Opened) -> bool {
        match (&opened.kind, self.cookie) {
            (&OpenedKind::Cookie { number }, Some(cookie)) => cookie.is_newest(number),
            _ => true,
        }
    }

    /// The methods that were proven at times that are `is_fresh`, at the sign-in and later.
    pub(super) fn proven(&self, opened: &Opened, is_fresh: impl Fn(SystemTime) -> bool) -> Methods {
        let signed_in = self.signed_in_with().iter().map(|method| (method, self.auth));
        let confirmed = self.ok.iter().filter(|_| self.has_confirmations(opened));
        let confirmed = confirmed.filter_map(|(name, at)| Some((Method::of_name(name)?, *at)));
        let fresh =
            signed_in.chain(confirmed).filter(|(_, at)| is_fresh(UNIX_EPOCH + Duration::from_secs(*at)));
        fresh.map(|(method, _)| method).collect()
    }

    /// The methods of the sign-in.
    fn signed_in_with(&self) -> Methods {
        let methods = self.amr.iter().filter_map(|name| Method::of_name(name));
        methods
            .map(|method| match method {
                Method::Passkey if self.user_verified => Method::VerifiedPasskey,
                other => other,
            })
            .collect()
    }

    /// Records that these methods were proven.
    pub(super) fn prove(&mut self, methods: Methods, at: u64) {
        self.ok.retain(|(confirmed, _)| !methods.iter().any(|method| confirmed == method.as_str()));
        self.ok.extend(methods.iter().map(|method| (method.as_str().to_owned(), at)));
    }

    /// Records that these methods were confirmed. Returns the number of the cookie that has it, if it is a browser session.
    pub(super) fn confirm(&mut self, methods: Methods, at: u64) -> Option<u64> {
        self.prove(methods, at);
        self.cookie.as_mut().map(CookieNumbers::replace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assurance::Level;

    fn sets() -> impl Iterator<Item = Methods> {
        (0..1_usize << Method::ALL.len()).map(|bits| {
            let chosen = Method::ALL.iter().enumerate().filter(|(number, _)| bits >> number & 1 == 1);
            chosen.map(|(_, method)| *method).collect()
        })
    }

    /// Every set of methods at the sign-in with every set that was proven later, and the oldest proof that is recent enough before,
    /// at and after each of both times.
    #[test]
    fn what_was_proven_recently_makes_the_level_and_nothing_else_does() {
        const SIGN_IN: u64 = 1_795_000_000;
        const LATER: u64 = SIGN_IN + 60;
        for at_sign_in in sets() {
            for later in sets() {
                let amr = at_sign_in.amr();
                let mut state = State::new("auth", "mark".to_owned(), at_sign_in, SIGN_IN).in_cookie(false);
                let number = state.confirm(later, LATER).unwrap();
                for oldest in [SIGN_IN, SIGN_IN + 1, LATER, LATER + 1] {
                    let is_fresh = |at: SystemTime| at >= UNIX_EPOCH + Duration::from_secs(oldest);
                    let expected = |counts_later: bool| {
                        let sign_in = at_sign_in.iter().filter(|_| oldest <= SIGN_IN);
                        let methods: Methods =
                            sign_in.chain(later.iter().filter(|_| counts_later && oldest <= LATER)).collect();
                        (methods.amr(), Level::of(methods.iter()))
                    };
                    let proven = |number| {
                        let methods = state.proven(&Opened::of_cookie(number), is_fresh);
                        (methods.amr(), methods.level())
                    };
                    let what = format!("{amr:?}, then {:?}, since {oldest}", later.amr());
                    assert_eq!(proven(number), expected(true), "{what}");
                    assert_eq!(proven(number - 1), expected(false), "with the cookie before: {what}");
                }
            }
        }
    }
}
