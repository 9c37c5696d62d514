//! Sessions. [`Core::sign_in`](super::Core::sign_in) starts them, a row in the session repository is the session, and
//! tokens refer to it. What ends a session deletes its row.

mod acting;
mod claims;
mod cookie_numbers;
mod credentials;
mod devices;
mod interrupted;
mod issue;
mod lifecycle;
mod listing;
mod marks;
mod opened_before;
mod refusal;
mod rotation;
mod rows;
mod skew;
mod state;

pub(crate) use acting::{ActingSession, Requirements};
pub(crate) use claims::Opened;
pub use claims::SessionClaims;
pub(crate) use credentials::CredentialChange;
pub(in crate::core) use devices::OnDevice;
pub use devices::TrustedDeviceInfo;
pub use issue::{Credentials, DeviceToken, SessionCookie, TokenPair};
pub use listing::SessionInfo;

use crate::background::BackgroundWork;
use crate::client::{ClientInfo, Transport, Visitor};
use crate::clock::{Clock, is_in_calendar, unix_seconds, whole_milliseconds, whole_seconds};
use crate::config::AuthConfig;
use crate::core::{Identity, Method, Methods, Realm};
use crate::crypto::jwt::TokenKeys;
use crate::crypto::keys::Purpose;
use crate::crypto::random;
use crate::crypto::ring::KeyRing;
use crate::error::{AuthError, BoxError};
use crate::repository::{LastUse, SessionKind, SessionRecord, SessionRepository};
use crate::telemetry::{SessionId, log, measure};
use crate::user::UserRecord;
use claims::{CookieClaims, OpenedKind, Registered, TokenClaims};
use devices::DeviceKeys;
use marks::Marks;
use opened_before::OpenedBefore;
use rotation::Use;
use rows::Rows;
use state::{Seal, State};
use std::collections::HashSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often a swap is tried when other requests write the same row. Each failure means that another request succeeded.
const SWAPS: usize = 32;

/// What a session starts with.
pub(in crate::core) struct Start<'a> {
    /// What the user has proven.
    pub(in crate::core) proven: Methods,
    /// The id of the trusted device on which the session starts.
    pub(in crate::core) device: Option<&'a str>,
    /// Who acts for the user in the session.
    pub(in crate::core) actor: Option<String>,
}

/// A credential as a request presents it.
#[derive(Clone, Copy)]
pub(crate) enum Presented<'a> {
    AccessToken(&'a str),
    SessionCookie(&'a str),
}

/// A session as its row was read: alive at that moment.
#[derive(Clone)]
pub(crate) struct Session {
    record: SessionRecord,
    state: Arc<State>,
}

impl Session {
    pub(crate) fn id(&self) -> &str {
        &self.record.id
    }

    /// Whether a browser keeps the session in a cookie.
    pub(super) fn is_browser(&self) -> bool {
        self.record.kind == SessionKind::Browser
    }

    /// Who acts for the user in the session.
    pub(super) fn actor(&self) -> Option<&str> {
        self.state.actor()
    }

    /// Whether a change of the credentials has begun in the session and is not finished: its request is under way, or has failed.
    pub(crate) fn has_unfinished_change(&self) -> bool {
        self.state.has_unfinished_change()
    }

    /// When this method was confirmed in the session, for a request with this credential. A cookie that was replaced has
    /// no confirmation.
    pub(super) fn confirmed_at(&self, method: Method, opened: &Opened) -> Option<SystemTime> {
        let at = self.state.confirmed_at(method, opened);
        at.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds))
    }

    /// The methods that were proven in the session at times that are `is_fresh`, for a request with this credential: at the sign-in
    /// and later.
    pub(super) fn proven(&self, opened: &Opened, is_fresh: impl Fn(SystemTime) -> bool) -> Methods {
        self.state.proven(opened, is_fresh)
    }

    /// Whether an access or refresh token of this time, with this mark of credentials, belongs to the session.
    fn accepts_token(&self, issued_at: u64, mark: &str) -> bool {
        self.record.kind == SessionKind::Bearer && issued_at >= self.state.since && self.state.accepts(mark)
    }

    /// When the session ends without further requests.
    pub(super) fn end(&self, config: &AuthConfig) -> SystemTime {
        let idle = match self.record.kind {
            SessionKind::Browser => {
                self.record.last_used_at.checked_add(config.browser.idle(self.state.remembered))
            }
            _ => None,
        };
        let latest = self.latest_end(config);
        idle.map_or(latest, |idle| idle.min(latest))
    }

    /// When the session ends, however often it is used. The state decides, whatever the column says: the MAC covers the
    /// state.
    pub(super) fn latest_end(&self, config: &AuthConfig) -> SystemTime {
        let lifetime = self.state.lifetime(match self.state.kind() {
            SessionKind::Browser => config.browser.lifetime(self.state.remembered),
            SessionKind::Device => config.trusted_devices.lifetime,
            SessionKind::Bearer => config.session_lifetime,
        });
        let end = UNIX_EPOCH.checked_add(Duration::from_secs(self.state.auth).saturating_add(lifetime));
        end.map_or(self.record.expires_at, |end| end.min(self.record.expires_at))
    }

    /// Whether a record with these marks of its credentials belongs to the session.
    pub(super) fn accepts(&self, marks: &KeyRing<String>) -> bool {
        self.mark_of(marks).is_some()
    }

    /// The mark for tokens of the session: one of these that the session accepts, preferably the current one.
    fn mark_of<'a>(&self, marks: &'a KeyRing<String>) -> Option<&'a str> {
        marks.iter().map(String::as_str).find(|mark| self.state.accepts(mark))
    }
}

/// What to do with a session whose row was read.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, on the stack")]
enum Decision<T> {
    /// Write this state and this end.
    Write(State, SystemTime, T),
    /// Write nothing.
    Keep(T),
}

/// Issues the tokens of sessions, and reads and writes their rows.
pub(super) struct SessionIssuer {
    config: AuthConfig,
    realm: Realm,
    access: TokenKeys,
    refresh: TokenKeys,
    cookie: TokenKeys,
    devices: DeviceKeys,
    opened: OpenedBefore,
    marks: Marks,
    seal: Seal,
    rows: Rows,
    background: BackgroundWork,
    /// The sessions whose last use is being written.
    touching: Arc<Mutex<HashSet<String>>>,
    /// When expired sessions were last deleted, in Unix seconds.
    maintained: AtomicU64,
}

impl SessionIssuer {
    pub(super) fn new(
        config: &AuthConfig,
        rows: Arc<dyn SessionRepository>,
        realm: Realm,
        background: BackgroundWork,
    ) -> Self {
        Self {
            realm,
            access: TokenKeys::new("at+jwt", &config.jwt_secrets),
            refresh: TokenKeys::new("rt+jwt", &config.refresh_secrets),
            cookie: TokenKeys::new("sc+jwt", &config.jwt_secrets.derive_keys(Purpose::SessionCookie)),
            devices: DeviceKeys::new(config),
            opened: OpenedBefore::new(),
            marks: Marks::new(config.jwt_secrets.derive(Purpose::Generation)),
            seal: Seal::new(config.jwt_secrets.derive(Purpose::SessionState)),
            rows: Rows(rows),
            config: config.clone(),
            background,
            touching: Arc::default(),
            maintained: AtomicU64::new(0),
        }
    }

    /// The claims of a credential that is valid now. Its session may have ended.
    pub(super) fn open(&self, presented: Presented<'_>) -> Result<Arc<Opened>, AuthError> {
        if let Some(known) = self.opened.find(presented) {
            let times = known.times(self.config.issuer.as_deref(), self.config.audience.as_deref());
            return self.valid(&times).then(|| known.opened()).ok_or(AuthError::Unauthenticated);
        }
        let read = match presented {
            Presented::AccessToken(token) => self
                .access
                .read(token, |json| self.valid_token(json).map(|claims| (Opened::from(&claims), claims.nbf))),
            Presented::SessionCookie(value) => self.cookie.read(value, |json| {
                let claims: CookieClaims<'_> = serde_json::from_slice(json).ok()?;
                self.valid(&claims.registered()).then(|| (Opened::from(&claims), None))
            }),
        };
        let (opened, not_before) = read.ok_or(AuthError::Unauthenticated)?;
        Ok(self.opened.keep(presented, opened, not_before))
    }

    /// The credential of a browser session that is alive, without its cookie.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the session repository fails.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone use it"))]
    pub(super) async fn open_browser_session(&self, id: &str) -> Result<Option<Opened>, AuthError> {
        let session = self.rows.find(id).await?.and_then(|record| self.alive(record));
        Ok(session.and_then(|session| Opened::of_browser(&session, unix_seconds(self.clock().now()))))
    }

    /// The claims of a refresh token that is valid now, and its index. Its session may have ended.
    fn open_refresh(&self, token: &str) -> Result<(Opened, u64), AuthError> {
        let opened = self.refresh.read(token, |json| {
            let claims = self.valid_token(json)?;
            claims.auth_time?;
            Some((Opened::from(&claims), claims.rotation?))
        });
        opened.ok_or(AuthError::InvalidRefreshToken)
    }

    /// These claims of a token, if they are valid now.
    fn valid_token<'a>(&self, json: &'a [u8]) -> Option<TokenClaims<'a>> {
        let claims: TokenClaims<'a> = serde_json::from_slice(json).ok()?;
        self.valid(&claims.registered()).then_some(claims)
    }

    /// The session of this credential, if it is alive and accepts it.
    pub(super) async fn find(&self, opened: &Opened) -> Result<Option<Session>, AuthError> {
        let session = self.rows.find(&opened.session_id).await?.and_then(|record| self.alive(record));
        match session.filter(|session| self.accepts(session, opened)) {
            Some(session) => self.seen_first(session, opened).await,
            None => Ok(None),
        }
    }

    /// Whether the credential belongs to the session.
    fn accepts(&self, session: &Session, opened: &Opened) -> bool {
        let Session { record, state } = session;
        let is_valid = match &opened.kind {
            OpenedKind::Token { mark } => session.accepts_token(opened.issued_at, mark),
            OpenedKind::Cookie { number } => {
                state.cookie.is_some_and(|cookie| cookie.accepts(*number, self.milliseconds(), self.grace()))
            }
        };
        is_valid && record.user_id == opened.user_id
    }

    /// Records the first use of a cookie, from which on its predecessors end. Returns `None` if the session has ended or
    /// the cookie has been replaced meanwhile.
    async fn seen_first(&self, session: Session, opened: &Opened) -> Result<Option<Session>, AuthError> {
        let is_new =
            |session: &Session, number| session.state.cookie.is_some_and(|cookie| cookie.is_new(number));
        let number = match opened.kind {
            OpenedKind::Cookie { number } if is_new(&session, number) => number,
            _ => return Ok(Some(session)),
        };
        let now = self.milliseconds();
        let recorded = self.change(&session, |session| {
            let mut state = State::clone(&session.state);
            match &mut state.cookie {
                Some(cookie) if cookie.is_new(number) => cookie.see(number, now),
                _ => return Decision::Keep(()),
            }
            Decision::Write(state, session.record.expires_at, ())
        });
        let session = recorded.await?.map(|(session, ())| session);
        Ok(session.filter(|session| self.accepts(session, opened)))
    }

    /// The session of a row, if it is alive and belongs to this module.
    fn alive(&self, record: SessionRecord) -> Option<Session> {
        if record.expires_at <= self.clock().now() {
            return None;
        }
        let state = self.seal.open(&record).filter(|state| state.kind() == record.kind);
        let Some(state) = state else {
            log::session_state_invalid(SessionId(&record.id));
            return None;
        };
        if ![record.created_at, record.last_used_at, record.expires_at].into_iter().all(is_in_calendar) {
            log::session_time_invalid(SessionId(&record.id));
            return None;
        }
        let session = Session { record, state };
        (session.state.realm == self.realm.as_str() && session.end(&self.config) > self.clock().now())
            .then_some(session)
    }

    /// Creates the row of a session that starts now.
    pub(super) async fn create(
        &self,
        user: &dyn UserRecord,
        start: Start<'_>,
        visitor: &Visitor,
    ) -> Result<Session, AuthError> {
        let (id, user_id, now) = (random::id()?, user.id_text(), whole_milliseconds(self.clock().now()));
        let auth = unix_seconds(now);
        let state = State::new(self.realm.as_str(), self.mark_of(user), start.proven, auth);
        let state = state.on_device(start.device).impersonated_by(start.actor);
        let (kind, state, end) = match &visitor.transport {
            Transport::Tokens => {
                let end = self.end_of(&state);
                (SessionKind::Bearer, state, end)
            }
            Transport::Cookies(sent) => {
                let lifetime = state.lifetime(self.config.browser.lifetime(sent.remember));
                let end = UNIX_EPOCH + Duration::from_secs(auth) + lifetime;
                (SessionKind::Browser, state.in_cookie(sent.remember), end)
            }
        };
        let record = SessionRecord::new(id, user_id, kind, "", now, end);
        let session = self.store(record, state, &visitor.client).await?;
        measure::session_started(1, kind.as_str());
        Ok(session)
    }

    /// Creates the row of this state, which is used first by this client.
    async fn store(
        &self,
        mut record: SessionRecord,
        state: State,
        client: &ClientInfo,
    ) -> Result<Session, AuthError> {
        let state = Arc::new(state);
        record.state = self.seal.seal(&state, &record.id, &record.user_id)?;
        let LastUse { client, user_agent, .. } = self.seen(&state, client);
        (record.client, record.user_agent) = (client, user_agent);
        self.rows.create(record.clone()).await?;
        self.seal.keep(&record.state, &state, &record.id, &record.user_id);
        Ok(Session { record, state })
    }

    /// Ends a session.
    pub(super) async fn end(&self, session: &Session) -> Result<(), AuthError> {
        self.rows.delete(session.id()).await.map(drop)
    }

    /// Changes a session until no other request changes it at the same time. Returns `None` if it has ended.
    async fn change<T>(
        &self,
        session: &Session,
        decide: impl Fn(&Session) -> Decision<T>,
    ) -> Result<Option<(Session, T)>, AuthError> {
        let mut session = session.clone();
        for _ in 0..SWAPS {
            let (state, expires_at, value) = match decide(&session) {
                Decision::Write(state, expires_at, value) => (state, expires_at, value),
                Decision::Keep(value) => return Ok(Some((session, value))),
            };
            let (Session { record, .. }, state) = (&session, Arc::new(state));
            let sealed = self.seal.seal(&state, &record.id, &record.user_id)?;
            if self.rows.swap(&record.id, &record.state, &sealed, expires_at).await? {
                self.seal.keep(&sealed, &state, &record.id, &record.user_id);
                let record = SessionRecord { state: sealed, expires_at, ..session.record };
                return Ok(Some((Session { record, state }, value)));
            }
            session = match self.reload(&session).await? {
                Some(session) => session,
                None => return Ok(None),
            };
        }
        Err(AuthError::Unavailable(BoxError::from("a session changed with every attempt to write it")))
    }

    /// The session as its row is now.
    async fn reload(&self, session: &Session) -> Result<Option<Session>, AuthError> {
        let found = self.rows.find(session.id()).await?.and_then(|record| self.alive(record));
        Ok(found.filter(|found| found.record.user_id == session.record.user_id))
    }

    /// Records that these methods were confirmed in the session. Returns the cookie that has the confirmation, if it is a
    /// browser session.
    ///
    /// # Errors
    /// [`AuthError::Unauthenticated`] if the session has ended, or if its credentials have changed since the request was
    /// authenticated: what was confirmed may be the previous password.
    pub(super) async fn confirm(
        &self,
        who: &Identity,
        methods: Methods,
        at: SystemTime,
    ) -> Result<Option<SessionCookie>, AuthError> {
        let confirmed = self.change(&who.row, |session| {
            if !self.accepts(session, who.session.opened()) {
                return Decision::Keep(None);
            }
            let mut state = State::clone(&session.state);
            let number = state.confirm(methods, unix_seconds(at));
            Decision::Write(state, session.record.expires_at, Some(number))
        });
        match confirmed.await? {
            Some((session, Some(number))) => {
                number.map(|number| self.issue_cookie(&session, number)).transpose()
            }
            Some((_, None)) | None => Err(AuthError::Unauthenticated),
        }
    }

    /// What presenting a refresh token with this number leads to now.
    fn present(&self, state: &State, number: u64) -> Use {
        state.rotation.present(number, self.milliseconds(), self.grace())
    }

    /// Now, in milliseconds since 1970.
    fn milliseconds(&self) -> u64 {
        let now = self.clock().now().duration_since(UNIX_EPOCH).unwrap_or_default();
        now.as_millis().try_into().unwrap_or(u64::MAX)
    }

    /// How long a replaced credential is still accepted, in milliseconds.
    fn grace(&self) -> u64 {
        self.config.refresh_grace.as_millis().try_into().unwrap_or(u64::MAX)
    }

    /// When a session ends whose refresh token is issued now: with the token, or at the end of `session_lifetime`.
    fn end_of(&self, state: &State) -> SystemTime {
        let lifetime = state.lifetime(self.config.session_lifetime);
        let session = UNIX_EPOCH + Duration::from_secs(state.auth) + lifetime;
        session.min(whole_seconds(self.clock().now()) + self.config.refresh_token_lifetime)
    }

    /// What is recorded about a client that uses the session of this state now. Who acts for a user is no client of the user.
    fn seen(&self, state: &State, client: &ClientInfo) -> LastUse {
        let mut seen = LastUse::new(whole_milliseconds(self.clock().now()));
        if self.config.sessions.record_client && state.actor().is_none() {
            seen.client = client.address.ip().map(|ip| ip.to_canonical().to_string());
            seen.user_agent = client.user_agent.as_deref().map(str::to_owned);
        }
        seen
    }

    fn valid(&self, claims: &Registered<'_>) -> bool {
        let now = unix_seconds(self.clock().now());
        if claims.iat > now {
            let seconds = claims.iat - now;
            log::token_of_the_future(seconds);
        }
        claims.valid(now, self.config.issuer.as_deref(), self.config.audience.as_deref())
    }

    fn clock(&self) -> &dyn Clock {
        &*self.config.clock
    }
}
