//! Sign-in: the only way to start a session (specification §11.1).

use super::hooks::SignInRequest;
use super::session::{Session, Start};
use super::steps::Step;
use super::{Ceremonies, Core, Credentials, Epoch, FlowEpoch, Method, Methods, OnDevice, Patch};
use crate::client::Visitor;
use crate::clock::whole_seconds;
use crate::config::WhenOff;
use crate::error::AuthError;
use crate::events::EventKind;
use crate::user::{User, UserChange};

/// What the user has proven before the session starts, and to which request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignIn<'a> {
    /// The methods. What must still be proven depends on them alone.
    pub(crate) proven: Methods,
    after: Entry,
    /// The row of the credential that was proven, if it has one.
    row: Option<ProvenRow<'a>>,
    /// Whether the proof is also one of the account's address.
    proves_address: bool,
    /// The ceremony that the request completes, and its epoch.
    ceremony: Option<(Ceremonies, FlowEpoch)>,
}

/// The row of a credential with which a session starts: a removal of the credential deletes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProvenRow<'a> {
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    /// The passkey with this id.
    Passkey(&'a str),
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "identities alone use it"))]
    /// The identity with this id.
    Identity(&'a str),
}

/// The request with which a session starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// The request has created the account.
    NewAccount,
    /// A login with a password.
    Login,
    /// A login with a mail.
    Mail,
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    /// A login with a passkey.
    Passkey,
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "identities alone use it"))]
    /// A login with a provider.
    Provider,
    /// A two-factor challenge after a login.
    Challenge,
    /// The end of a pending deletion after a login.
    Restoration,
}

/// The result of a sign-in. It has no `Debug`, because both values are secrets.
#[non_exhaustive]
pub enum SignedIn {
    /// A session has started.
    Session(Credentials),
    /// This step must be completed before a session starts.
    Step(Step),
}

impl<'a> SignIn<'a> {
    const fn new(proven: Methods, after: Entry) -> Self {
        Self { proven, after, row: None, proves_address: false, ceremony: None }
    }

    /// The account was created by this request, with this method.
    pub(crate) const fn new_account(method: Method) -> Self {
        let of_address = !matches!(method, Method::Password);
        Self { proves_address: of_address, ..Self::new(Methods::of(method), Entry::NewAccount) }
    }

    /// The account's password was proven.
    pub(crate) const fn password() -> Self {
        Self::new(Methods::of(Method::Password), Entry::Login)
    }

    /// A code or a link in a mail to the account's address was proven.
    pub(crate) const fn email() -> Self {
        Self::new(Methods::of(Method::Email), Entry::Mail).of_address()
    }

    /// The passkey with this id was proven.
    #[cfg_attr(not(feature = "passkeys"), allow(dead_code, reason = "passkeys alone use it"))]
    pub(crate) const fn passkey(method: Method, id: &'a str) -> Self {
        Self::new(Methods::of(method), Entry::Passkey).with(ProvenRow::Passkey(id))
    }

    /// An identity of a provider was proven.
    #[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "identities alone use it"))]
    pub(crate) const fn provider() -> Self {
        Self::new(Methods::of(Method::Provider), Entry::Provider)
    }

    /// A second factor was proven after a login with these methods.
    pub(crate) const fn challenge(login: Methods, second_factor: Method) -> Self {
        Self::new(login.and(second_factor), Entry::Challenge)
    }

    /// A user who had proven these methods has restored the account.
    pub(crate) const fn restoration(login: Methods) -> Self {
        Self::new(login, Entry::Restoration)
    }

    /// The session begins only while this row exists.
    pub(crate) const fn with(self, row: ProvenRow<'a>) -> Self {
        Self { row: Some(row), ..self }
    }

    /// The proof is also one of the account's address: the session begins only while the account has that address.
    pub(crate) const fn of_address(self) -> Self {
        Self { proves_address: true, ..self }
    }

    /// Whether the proof is also one of the account's address.
    pub(crate) const fn proves_address(self) -> bool {
        self.proves_address
    }

    /// What of it outlives the request.
    pub(crate) const fn detached(self) -> SignIn<'static> {
        let Self { proven, after, row: _, proves_address, ceremony } = self;
        SignIn { proven, after, row: None, proves_address, ceremony }
    }

    /// Whether the request has created the account.
    pub(crate) const fn is_new_account(self) -> bool {
        matches!(self.after, Entry::NewAccount)
    }

    /// With other methods, for tests of hosts.
    #[cfg(feature = "testing")]
    pub(crate) const fn proving(self, proven: Methods) -> Self {
        Self { proven, ..self }
    }

    /// The request completes a ceremony with this epoch: the session does not start if something ends the ceremony meanwhile.
    pub(crate) const fn of_ceremony(self, of: Ceremonies, epoch: FlowEpoch) -> Self {
        Self { ceremony: Some((of, epoch)), ..self }
    }

    /// The visitor has a trusted device.
    const fn on_trusted_device(self) -> Self {
        Self { proven: self.proven.and(Method::Device), ..self }
    }

    /// Whether the device of the visitor becomes trusted: who completes a challenge can ask for it. A recovery code is for somebody who has
    /// lost the second factor.
    pub(crate) const fn makes_device_trusted(self, visitor: &Visitor) -> bool {
        let is_challenge = matches!(self.after, Entry::Challenge);
        is_challenge && visitor.trusts_device() && !self.proven.contains(Method::RecoveryCode)
    }

    /// The error for an inactive account. It must not reveal that what was proven was correct.
    pub(crate) const fn refusal(self) -> AuthError {
        match self.after {
            Entry::NewAccount => AuthError::Unauthenticated,
            Entry::Login => AuthError::InvalidCredentials,
            Entry::Mail => AuthError::InvalidFlowToken,
            Entry::Passkey => AuthError::InvalidPasskey,
            Entry::Provider => AuthError::ProviderRefused,
            Entry::Challenge => AuthError::InvalidChallengeToken,
            Entry::Restoration => AuthError::InvalidMailToken,
        }
    }
}

impl Core {
    /// Starts a session for a user who has proven their identity, unless the account is inactive, the host's policy refuses
    /// the login, or a feature requires another step first. Only this function can start a session for somebody who has proven
    /// something: `SessionIssuer::create` is private to `core`, and [`Core::impersonate`] is the other caller.
    ///
    /// `epoch` is the one of the user's clients, read before. After a registration it does not matter.
    ///
    /// # Errors
    /// The refusal of the route if the account is inactive, or if the credentials have changed while they were checked; those
    /// of the policy.
    pub(crate) async fn sign_in(
        &self,
        user: &User,
        sign_in: SignIn<'_>,
        visitor: &Visitor,
        epoch: Epoch,
    ) -> Result<SignedIn, AuthError> {
        if !user.is_active() {
            return Err(sign_in.refusal());
        }
        let client = visitor.address();
        if let Err(refused) = self.policy.allows_login(&**user, client).await {
            let method = sign_in.proven.iter().next().unwrap_or(Method::Password);
            self.events.emit(EventKind::LoginFailed { method }, Some(user.id_text()), client).await;
            return Err(refused);
        }
        let device = self.device_of(user, sign_in, visitor).await?;
        let sign_in = match device {
            Some(OnDevice::Trusted(_)) => sign_in.on_trusted_device(),
            Some(OnDevice::New(_)) | None => sign_in,
        };
        let request = SignInRequest { user, sign_in, visitor };
        for hook in &self.hooks {
            if let Some(step) = hook.before_session(self, &request).await? {
                return Ok(SignedIn::Step(step));
            }
        }
        self.require_second_factor(user, sign_in.proven)?;
        if sign_in.proven.iter().any(Method::confirms_at_sign_in) {
            // The session has the time, too: the record alone confirms nothing.
            let confirmed = UserChange::PasswordConfirmedAt(Some(whole_seconds(self.now())));
            self.users.save(Patch::of(&**user).with(confirmed)).await?;
        }
        let is_new_device = matches!(device, Some(OnDevice::New(_)));
        let device_id = device.as_ref().map(OnDevice::id);
        let start = Start { proven: sign_in.proven, device: device_id, actor: None };
        let session = self.sessions.create(&**user, start, visitor).await?;
        let device = match device {
            Some(device) => Some(self.row_of_device(device, user, visitor).await?),
            None => None,
        };
        let new_device = device.as_ref().filter(|_| is_new_device);
        if !self.is_unchanged(user, sign_in, device.as_ref()).await? {
            self.end_unstarted(&session, new_device).await?;
            return Err(sign_in.refusal());
        }
        // After the rows were written, so what ends the account's sessions either ends this one, or is seen here.
        let held_back = self.held_back(&request).await;
        if !matches!(held_back, Ok(None)) {
            self.end_unstarted(&session, new_device).await?;
        }
        if let Some(step) = held_back? {
            return Ok(SignedIn::Step(step));
        }
        let credentials = self.sessions.issue(&session, &self.mark_of(&**user), 0)?;
        let credentials = match new_device {
            Some(device) => credentials.on_device(self.issue_device(device, visitor)?),
            None => credentials,
        };
        self.end_replaced_session(&session, visitor).await?;
        self.end_superseded_sessions(&**user, &session, client).await?;
        self.maintain_if_due();
        self.record_sign_in(&request, epoch);
        // A registration emits `auth.registered` instead: the new account's address is unproven.
        if sign_in.after != Entry::NewAccount {
            let login = EventKind::Login { session_id: session.id().to_owned(), methods: sign_in.proven };
            self.events.emit(login, Some(user.id_text()), client).await;
        }
        if let Some(device) = device {
            self.device_was_used(&device, is_new_device, user, visitor).await;
        }
        Ok(SignedIn::Session(credentials))
    }

    /// Ends a session that does not start, and with it the device that would have become trusted.
    async fn end_unstarted(&self, session: &Session, new_device: Option<&Session>) -> Result<(), AuthError> {
        self.sessions.end(session).await?;
        match new_device {
            Some(device) => self.sessions.end(device).await,
            None => Ok(()),
        }
    }

    /// A session has started on this device.
    async fn device_was_used(&self, device: &Session, is_new: bool, user: &User, visitor: &Visitor) {
        if !is_new {
            self.sessions.touch_if_due(device, || visitor.client.clone());
            return;
        }
        let trusted = EventKind::DeviceTrusted { device_id: device.id().to_owned() };
        self.emit_about(trusted, &**user, visitor.address()).await;
    }

    /// What keeps a session from starting whose user has proven everything.
    async fn held_back(&self, request: &SignInRequest<'_>) -> Result<Option<Step>, AuthError> {
        for hook in &self.hooks {
            if let Some(step) = hook.session_starting(self, request).await? {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    /// Fails if the user has a second factor that nothing will ask for, because its feature is off: before anything is done for
    /// somebody who has proven these methods.
    ///
    /// # Errors
    /// [`AuthError::SecondFactorUnavailable`].
    pub(crate) fn require_askable_second_factor(
        &self,
        user: &User,
        proven: Methods,
    ) -> Result<(), AuthError> {
        match self.hooks.iter().any(|hook| hook.asks_for_second_factor()) {
            true => Ok(()),
            false => self.require_second_factor(user, proven),
        }
    }

    /// Fails if the user has a second factor that nothing has asked for, because its feature is off.
    fn require_second_factor(&self, user: &User, proven: Methods) -> Result<(), AuthError> {
        let is_missing = user.two_factor_confirmed_at().is_some() && proven.need_second_factor();
        match self.config.two_factor.when_off {
            WhenOff::Refuse if is_missing => Err(AuthError::SecondFactorUnavailable),
            _ => Ok(()),
        }
    }

    /// Whether the user still has the credentials that were proven, the device is still trusted, and the ceremony was not ended. The
    /// session's row exists already, so a change of the credentials that ends all sessions either ends this one, or is seen here.
    async fn is_unchanged(
        &self,
        proven: &User,
        sign_in: SignIn<'_>,
        device: Option<&Session>,
    ) -> Result<bool, AuthError> {
        let id = proven.id_text();
        if let Some(device) = device
            && !self.still_trusts(device).await?
        {
            return Ok(false);
        }
        if let Some((of, epoch)) = sign_in.ceremony
            && epoch < self.flow_epoch(of, &id).await?
        {
            return Ok(false);
        }
        if let Some(row) = sign_in.row {
            for hook in &self.hooks {
                if !hook.still_has(self, &id, row).await? {
                    return Ok(false);
                }
            }
        }
        let now = self.users.find_by_id(&id).await?;
        let mark = self.mark_of(&**proven);
        let is_proven_address = |now: &User| !sign_in.proves_address || now.email() == proven.email();
        Ok(now.is_some_and(|now| {
            now.is_active() && self.sessions.is_mark_of(&mark, &*now) && is_proven_address(&now)
        }))
    }
}
