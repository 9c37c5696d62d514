//! Trusted devices (specification §32): rows of the session repository with which nobody signs in, but which take the place of the
//! second factor at a sign-in.

use super::claims::DeviceClaims;
use super::{DeviceToken, Session, SessionIssuer, State};
use crate::client::{Transport, Visitor};
use crate::clock::{unix_seconds, whole_milliseconds};
use crate::config::AuthConfig;
use crate::core::{By, Core, SignIn};
use crate::crypto::jwt::TokenKeys;
use crate::crypto::keys::Purpose;
use crate::crypto::random;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::repository::{SessionKind, SessionOwner, SessionRecord};
use crate::user::{User, UserRecord};
use futures_util::future::join_all;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The keys of the tokens of devices.
pub(super) struct DeviceKeys {
    tokens: TokenKeys,
    browsers: TokenKeys,
}

impl DeviceKeys {
    pub(super) fn new(config: &AuthConfig) -> Self {
        let keys = |typ, purpose| TokenKeys::new(typ, &config.jwt_secrets.derive_keys(purpose));
        Self {
            tokens: keys("dv+jwt", Purpose::TrustedDevice),
            browsers: keys("bd+jwt", Purpose::BrowserDevice),
        }
    }

    fn of(&self, visitor: &Visitor) -> &TokenKeys {
        match visitor.transport {
            Transport::Tokens => &self.tokens,
            Transport::Cookies(_) => &self.browsers,
        }
    }
}

/// The device of a sign-in.
pub(in crate::core) enum OnDevice {
    /// It was trusted before, and takes the place of the second factor.
    Trusted(Session),
    /// It gets this id, and is trusted from now on.
    New(String),
}

impl OnDevice {
    pub(in crate::core) fn id(&self) -> &str {
        match self {
            Self::Trusted(row) => row.id(),
            Self::New(id) => id,
        }
    }
}

/// A device that is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrustedDeviceInfo {
    /// The id, by which it is forgotten. It is not a secret.
    pub id: String,
    /// Whether the session of the request has started on it.
    pub current: bool,
    /// Since when it is trusted.
    pub created_at: SystemTime,
    /// When a sign-in has used it last, up to `touch_interval` ago.
    pub last_used_at: SystemTime,
    /// Until when it is trusted.
    pub expires_at: SystemTime,
    /// The client's address at its last use, if it is recorded.
    pub client: Option<String>,
    /// The client's `User-Agent` at its last use, if it is recorded.
    pub user_agent: Option<String>,
}

impl SessionIssuer {
    /// Creates the row of a device that is trusted from now on.
    async fn create_device(
        &self,
        id: &str,
        user: &dyn UserRecord,
        visitor: &Visitor,
    ) -> Result<Session, AuthError> {
        let now = whole_milliseconds(self.clock().now());
        let since = unix_seconds(now);
        let end = UNIX_EPOCH + Duration::from_secs(since) + self.config.trusted_devices.lifetime;
        let record = SessionRecord::new(id, user.id_text(), SessionKind::Device, "", now, end);
        let state = State::of_device(self.realm.as_str(), self.mark_of(user), since);
        self.store(record, state, &visitor.client).await
    }

    /// What the client keeps of the device.
    fn issue_device(&self, device: &Session, visitor: &Visitor) -> Result<DeviceToken, AuthError> {
        let (now, end) = (self.clock().now(), device.latest_end(&self.config));
        let value = self.devices.of(visitor).sign(&DeviceClaims {
            sub: (&device.record.user_id).into(),
            id: (&device.record.id).into(),
            iat: unix_seconds(now),
            exp: unix_seconds(end),
            iss: self.config.issuer.as_deref().map(Cow::from),
            aud: self.config.audience.as_deref().map(Cow::from),
        })?;
        Ok(DeviceToken { value, max_age: end.duration_since(now).unwrap_or_default() })
    }

    /// The trusted device of a visitor who signs in as this user. A token that is not valid, or is of another user, is no token.
    async fn device_of(
        &self,
        user: &dyn UserRecord,
        visitor: &Visitor,
    ) -> Result<Option<Session>, AuthError> {
        let id = visitor.device_token().and_then(|token| {
            self.devices.of(visitor).read(token, |json| {
                let claims: DeviceClaims<'_> = serde_json::from_slice(json).ok()?;
                let is_valid = self.valid(&claims.registered()) && claims.sub == user.id_text();
                is_valid.then(|| claims.id.to_string())
            })
        });
        let Some(id) = id else { return Ok(None) };
        let device = self.rows.find(&id).await?.and_then(|record| self.alive(record));
        Ok(device.filter(|device| {
            let is_of_user = device.record.user_id == user.id_text();
            device.record.kind == SessionKind::Device && is_of_user && device.accepts(&self.marks_of(user))
        }))
    }
}

impl Core {
    /// Whether devices can be trusted.
    pub(crate) fn trusts_devices(&self) -> bool {
        self.hooks.iter().any(|hook| hook.trusts_devices())
    }

    /// The device of a sign-in, if it counts: a trusted one in the place of the second factor that would be asked for, or one that becomes
    /// trusted.
    pub(in crate::core) async fn device_of(
        &self,
        user: &User,
        sign_in: SignIn<'_>,
        visitor: &Visitor,
    ) -> Result<Option<OnDevice>, AuthError> {
        if user.two_factor_confirmed_at().is_none() || !self.trusts_devices() {
            return Ok(None);
        }
        if sign_in.makes_device_trusted(visitor) {
            return random::id().map(OnDevice::New).map(Some);
        }
        match sign_in.proven.need_second_factor() {
            true => Ok(self.sessions.device_of(&**user, visitor).await?.map(OnDevice::Trusted)),
            false => Ok(None),
        }
    }

    /// Creates the row of a device that becomes trusted, and returns that of any device.
    pub(in crate::core) async fn row_of_device(
        &self,
        device: OnDevice,
        user: &User,
        visitor: &Visitor,
    ) -> Result<Session, AuthError> {
        match device {
            OnDevice::Trusted(row) => Ok(row),
            OnDevice::New(id) => self.sessions.create_device(&id, &**user, visitor).await,
        }
    }

    /// Whether the row of a device has not ended since it was read.
    pub(in crate::core) async fn still_trusts(&self, device: &Session) -> Result<bool, AuthError> {
        Ok(self.sessions.reload(device).await?.is_some())
    }

    /// What the client keeps of a device that has become trusted.
    pub(in crate::core) fn issue_device(
        &self,
        device: &Session,
        visitor: &Visitor,
    ) -> Result<DeviceToken, AuthError> {
        self.sessions.issue_device(device, visitor)
    }

    /// The trusted devices of a user: that of the session `current` first, then by their last use.
    pub(crate) async fn devices_of(
        &self,
        user_id: &str,
        current: Option<&str>,
    ) -> Result<Vec<TrustedDeviceInfo>, AuthError> {
        let records = self.sessions.rows.of_user(user_id, &[SessionKind::Device]).await?;
        let info = |device: Session| {
            let expires_at = device.end(&self.config);
            let record = device.record;
            TrustedDeviceInfo {
                current: current == Some(record.id.as_str()),
                id: record.id,
                created_at: record.created_at,
                last_used_at: record.last_used_at,
                expires_at,
                client: record.client,
                user_agent: record.user_agent,
            }
        };
        let alive = records.into_iter().filter_map(|record| self.sessions.alive(record));
        let mut devices: Vec<_> = alive.map(info).collect();
        devices.sort_by_key(|device| (!device.current, Reverse(device.last_used_at)));
        Ok(devices)
    }

    /// Ends the trust in one of the user's devices. Returns whether there was such a device.
    pub(crate) async fn forget_device(
        &self,
        user_id: &str,
        device_id: &str,
        by: impl Into<By>,
    ) -> Result<bool, AuthError> {
        let device = self.sessions.rows.find(device_id).await?.and_then(|record| self.sessions.alive(record));
        let is_own = device.is_some_and(|Session { record, .. }| {
            record.user_id == user_id && record.kind == SessionKind::Device
        });
        if !is_own || !self.sessions.rows.delete(device_id).await? {
            return Ok(false);
        }
        self.device_was_forgotten(user_id, device_id, by.into()).await;
        Ok(true)
    }

    /// Ends the trust in all of the user's devices, and returns how many there were.
    pub(crate) async fn forget_devices(&self, user_id: &str, by: impl Into<By>) -> Result<u64, AuthError> {
        let (by, devices) = (by.into(), self.devices_of(user_id, None).await?);
        self.sessions.rows.delete_all(SessionOwner::User(user_id), &[SessionKind::Device], None).await?;
        let forgotten = devices.iter().map(|device| self.device_was_forgotten(user_id, &device.id, by));
        Ok(u64::try_from(join_all(forgotten).await.len()).unwrap_or(u64::MAX))
    }

    async fn device_was_forgotten(&self, user_id: &str, device_id: &str, by: By) {
        let event = EventKind::DeviceForgotten { device_id: device_id.to_owned() };
        self.events.emit_by(event, Some(user_id.to_owned()), by).await;
    }
}
