//! Sessions. [`Core::sign_in`](super::Core::sign_in) starts them, a row in the session repository is the session, and
//! tokens refer to it. What ends a session deletes its row.

mod claims;
mod credentials;
mod lifecycle;
mod listing;
mod rotation;
mod rows;
mod state;

pub use claims::SessionClaims;
pub(crate) use credentials::CredentialChange;
pub use listing::SessionInfo;

use crate::client::Visitor;
use crate::clock::{Clock, unix_seconds, whole_milliseconds, whole_seconds};
use crate::config::AuthConfig;
use crate::crypto::jwt::TokenKeys;
use crate::crypto::keys::{MacKey, Purpose};
use crate::crypto::random;
use crate::crypto::ring::KeyRing;
use crate::error::{AuthError, BoxError};
use crate::repository::{Seen, SessionKind, SessionRecord, SessionRepository};
use crate::user::{UserChange, UserRecord};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use claims::RefreshClaims;
use rotation::Presented;
use rows::Rows;
use state::State;
use std::collections::HashSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use subtle::ConstantTimeEq;

/// How often a swap is tried when other requests write the same row. Each failure means that another request succeeded.
const SWAPS: usize = 32;

/// An access token and its refresh token. It has no `Debug`, because both are secrets.
#[derive(Clone)]
#[non_exhaustive]
pub struct TokenPair {
    /// The session's id, which both tokens carry as `sid`. It is not a secret.
    pub session_id: String,
    /// The bearer token of protected routes.
    pub access_token: String,
    /// The token for the next pair. It works once.
    pub refresh_token: String,
}

/// A session as its row was read: alive at that moment.
#[derive(Clone)]
pub(crate) struct Session {
    record: SessionRecord,
    state: State,
}

impl Session {
    pub(crate) fn id(&self) -> &str {
        &self.record.id
    }

    /// When this method was confirmed in the session.
    pub(super) fn confirmed_at(&self, method: &str) -> Option<SystemTime> {
        self.state.confirmed_at(method).map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds))
    }

    /// Whether a token with these claims belongs to the session.
    fn accepts_token(&self, claims: &SessionClaims) -> bool {
        claims.iat >= self.state.since && self.state.accepts(&claims.generation)
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
enum Decision<T> {
    /// Write this state and this end.
    Write(State, SystemTime, T),
    /// Write nothing.
    Keep(T),
}

/// Issues the tokens of sessions, and reads and writes their rows.
pub(super) struct SessionIssuer {
    config: AuthConfig,
    realm: String,
    access: TokenKeys,
    refresh: TokenKeys,
    generation: KeyRing<MacKey>,
    seal: KeyRing<MacKey>,
    rows: Rows,
    /// The sessions whose last use is being written.
    touching: Arc<Mutex<HashSet<String>>>,
    /// When expired sessions were last deleted, in Unix seconds.
    maintained: AtomicU64,
}

impl SessionIssuer {
    pub(super) fn new(config: &AuthConfig, rows: Arc<dyn SessionRepository>, realm: Option<&str>) -> Self {
        Self {
            realm: realm.or(config.audience.as_deref()).unwrap_or("auth").to_owned(),
            access: TokenKeys::new("at+jwt", &config.jwt_secrets),
            refresh: TokenKeys::new("rt+jwt", &config.refresh_secrets),
            generation: config.jwt_secrets.derive(Purpose::Generation),
            seal: config.jwt_secrets.derive(Purpose::SessionState),
            rows: Rows(rows),
            config: config.clone(),
            touching: Arc::default(),
            maintained: AtomicU64::new(0),
        }
    }

    /// The claims of an access token that is valid now. Its session may have ended.
    pub(super) fn open_access(&self, token: &str) -> Result<SessionClaims, AuthError> {
        let claims = self.access.open::<SessionClaims>(token).filter(|claims| self.valid(claims));
        claims.ok_or(AuthError::Unauthenticated)
    }

    /// The claims of a refresh token that is valid now. Its session may have ended.
    fn open_refresh(&self, token: &str) -> Result<RefreshClaims, AuthError> {
        let claims = self.refresh.open::<RefreshClaims>(token);
        claims.filter(|claims| self.valid(&claims.session)).ok_or(AuthError::InvalidRefreshToken)
    }

    /// The session of these claims, if it is alive and the token was issued under credentials that it accepts.
    pub(super) async fn find(&self, claims: &SessionClaims) -> Result<Option<Session>, AuthError> {
        let session = self.rows.find(&claims.sid).await?.and_then(|record| self.alive(record));
        let belongs =
            |session: &Session| session.record.user_id == claims.sub && session.accepts_token(claims);
        Ok(session.filter(belongs))
    }

    /// The session of a row, if it is alive and belongs to this module.
    fn alive(&self, record: SessionRecord) -> Option<Session> {
        if record.expires_at <= self.clock().now() {
            return None;
        }
        let Some(state) = State::open(&record, &self.seal) else {
            tracing::error!(session_id = record.id, "the stored state of a session is invalid");
            return None;
        };
        (state.realm == self.realm).then_some(Session { record, state })
    }

    /// Creates the row of a session that starts now.
    pub(super) async fn create(
        &self,
        user: &dyn UserRecord,
        amr: &[&str],
        visitor: &Visitor,
    ) -> Result<Session, AuthError> {
        let (id, user_id, now) = (random::id()?, user.id_text(), whole_milliseconds(self.clock().now()));
        let auth = unix_seconds(now);
        let state = State::new(&self.realm, self.generation_of(user), amr, auth);
        let sealed = state.seal(&id, &user_id, self.seal.current())?;
        let mut record = SessionRecord::new(id, user_id, SessionKind::Bearer, sealed, now, self.end_of(auth));
        let Seen { client, user_agent, .. } = self.seen(visitor);
        (record.client, record.user_agent) = (client, user_agent);
        self.rows.create(record.clone()).await?;
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
            let Session { record, .. } = &session;
            let sealed = state.seal(&record.id, &record.user_id, self.seal.current())?;
            if self.rows.swap(&record.id, &record.state, &sealed, expires_at).await? {
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

    /// Records that this method was confirmed in the session.
    pub(super) async fn confirm(
        &self,
        session: &Session,
        method: &str,
        at: SystemTime,
    ) -> Result<bool, AuthError> {
        let confirmed = self.change(session, |session| {
            let mut state = session.state.clone();
            state.confirm(method, unix_seconds(at));
            Decision::Write(state, session.record.expires_at, ())
        });
        Ok(confirmed.await?.is_some())
    }

    /// The marks of a user's current credentials: MACs of the id, the password hash and the time at which two-factor was
    /// confirmed (specification §10.4). A token with another mark was issued before the credentials changed.
    pub(super) fn marks_of(&self, user: &dyn UserRecord) -> KeyRing<String> {
        self.marks_after(user, &[])
    }

    /// The mark of a user's current credentials for what is issued or written now.
    pub(super) fn generation_of(&self, user: &dyn UserRecord) -> String {
        self.marks_of(user).into_current()
    }

    /// The marks of a user's credentials after these changes.
    fn marks_after(&self, user: &dyn UserRecord, changes: &[UserChange]) -> KeyRing<String> {
        let (mut password, mut confirmed_at) = (user.password(), user.two_factor_confirmed_at());
        for change in changes {
            match change {
                UserChange::Password(hash) => password = hash,
                UserChange::TwoFactorConfirmedAt(at) => confirmed_at = *at,
                _ => {}
            }
        }
        let (id, confirmed) = (user.id_text(), confirmed_at.map_or(0, unix_seconds));
        let parts = [id.as_bytes(), password.as_bytes(), &confirmed.to_be_bytes()];
        self.generation.map(|key| URL_SAFE_NO_PAD.encode(key.mac(&parts)))
    }

    /// Whether a token with this mark was issued under the user's current credentials.
    pub(super) fn is_generation_of(&self, mark: &str, user: &dyn UserRecord) -> bool {
        self.marks_of(user).any(|known| known.as_bytes().ct_eq(mark.as_bytes()).into())
    }

    /// The pair with this number, under these credentials.
    pub(super) fn issue(
        &self,
        session: &Session,
        generation: &str,
        number: u64,
    ) -> Result<TokenPair, AuthError> {
        let Session { record, state } = session;
        // The clock of the instance that changed the credentials may be ahead.
        let iat = unix_seconds(self.clock().now()).max(state.since);
        let end = state.auth.saturating_add(self.config.session_lifetime.as_secs());
        let claims = |lifetime: Duration| {
            Ok::<_, AuthError>(SessionClaims {
                sub: record.user_id.clone(),
                sid: record.id.clone(),
                jti: random::id()?,
                iat,
                exp: end.min(iat.saturating_add(lifetime.as_secs())),
                generation: generation.to_owned(),
                nbf: None,
                iss: self.config.issuer.clone(),
                aud: self.config.audience.clone(),
            })
        };
        let refresh = RefreshClaims {
            session: claims(self.config.refresh_token_lifetime)?,
            auth_time: state.auth,
            rotation: number,
        };
        Ok(TokenPair {
            session_id: record.id.clone(),
            access_token: self.access.sign(&claims(self.config.access_token_lifetime)?)?,
            refresh_token: self.refresh.sign(&refresh)?,
        })
    }

    /// What presenting a refresh token with this number leads to now.
    fn present(&self, state: &State, number: u64) -> Presented {
        let milliseconds = |duration: Duration| duration.as_millis().try_into().unwrap_or(u64::MAX);
        let now = self.clock().now().duration_since(UNIX_EPOCH).unwrap_or_default();
        state.rotation.present(number, milliseconds(now), milliseconds(self.config.refresh_grace))
    }

    /// When a session ends whose refresh token is issued now: with the token, or at the end of `session_lifetime`.
    fn end_of(&self, auth: u64) -> SystemTime {
        let session = UNIX_EPOCH + Duration::from_secs(auth) + self.config.session_lifetime;
        session.min(whole_seconds(self.clock().now()) + self.config.refresh_token_lifetime)
    }

    /// What is recorded about a client that uses a session now.
    fn seen(&self, visitor: &Visitor) -> Seen {
        let mut seen = Seen::new(whole_milliseconds(self.clock().now()));
        if self.config.sessions.record_client {
            seen.client = visitor.address.ip().map(|ip| ip.to_canonical().to_string());
            seen.user_agent = visitor.user_agent.as_deref().map(str::to_owned);
        }
        seen
    }

    fn valid(&self, claims: &SessionClaims) -> bool {
        let now = unix_seconds(self.clock().now());
        if claims.iat > now {
            let seconds = claims.iat - now;
            tracing::warn!(seconds, "a token was issued in the future: the clocks of the instances differ");
        }
        claims.valid(now, self.config.issuer.as_deref(), self.config.audience.as_deref())
    }

    fn clock(&self) -> &dyn Clock {
        &*self.config.clock
    }
}
