//! Signing in and confirming with passkeys. No HTTP.

use super::entries::{Entries, Rows};
use super::flows::{self, AtChallenge, Confirmation, LIFETIME, LOGIN_LIFETIME, Login, OfSession};
use super::verification::{Presented, Verified, refused};
use super::webauthn::Flaw;
use super::{CONFIRM, LIMITS, options};
use crate::client::{ClientAddress, ClientInfo, Visitor};
use crate::config::{RelyingParty, Settings};
use crate::core::{
    Ceremonies, Core, FlowContent, Identity, Method, SessionCookie, SignIn, SignedIn, SpentFlow,
};
use crate::error::AuthError;
use crate::events::{AttemptKind, EventKind};
use crate::limits::Checked;
use crate::posture::Deviation;
use serde_json::Value;
use std::time::Duration;

/// Passkeys, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct PasskeysService {
    pub(super) core: Core,
    pub(super) passkeys: Rows,
}

/// What a page passes to `navigator.credentials`, and what it sends back with the result. It has no `Debug`, because the flow token is
/// for the client alone.
#[non_exhaustive]
pub struct PasskeyCeremony {
    /// `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3.
    pub options: Value,
    /// What the page sends back.
    pub flow_token: String,
    /// For how many seconds it is valid.
    pub expires_in: u64,
}

impl PasskeysService {
    pub(super) fn new(core: &Core, passkeys: Rows) -> Self {
        Self { core: core.clone(), passkeys }
    }

    /// How the options of the feature deviate from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        let mut found = of_settings(&self.core.config);
        if !self.core.verifies_addresses() {
            let message = "no feature verifies addresses, so somebody can register with the address of another person and add a passkey, \
                           which the owner of the address does not see";
            found.push(Deviation::new("features", &["6.3.1"], message));
        }
        found
    }

    /// What a page needs to ask for a passkey. Only the challenge differs from client to client, and nothing is stored (specification
    /// §9.36).
    ///
    /// # Errors
    /// [`AuthError::Internal`] without random numbers.
    pub fn login_options(&self) -> Result<PasskeyCeremony, AuthError> {
        let challenge = flows::challenge()?;
        let user_verification = self.core.config.passkeys.user_verification;
        let options = options::login(self.site()?, &challenge, user_verification);
        self.begun(options, Login { challenge }, LOGIN_LIFETIME)
    }

    /// Starts a session for a user who has a passkey (specification §9.37). If the authenticator has not verified its user, the second factor of
    /// an account that has one is asked for.
    ///
    /// # Errors
    /// [`AuthError::UnknownPasskey`] if there is no such passkey; [`AuthError::InvalidPasskey`] for everything else that does not
    /// verify; [`AuthError::InvalidFlowToken`]; [`AuthError::TooManyAttempts`]; what the policy refuses with.
    pub async fn login(
        &self,
        flow_token: &str,
        credential: Value,
        client: impl Into<Visitor>,
    ) -> Result<SignedIn, AuthError> {
        let visitor = client.into();
        let client = visitor.address();
        let check = async {
            let flow = self.core.flows.open::<Login>(flow_token)?;
            let presented = Presented {
                credential,
                challenge: &flow.content.challenge,
                user_verification: self.core.config.passkeys.user_verification.is_required(),
                client,
            };
            match self.verify(presented, None).await {
                Ok(verified) => Ok(Checked::Right((verified, flow.jti))),
                Err(wrong @ (AuthError::InvalidPasskey | AuthError::UnknownPasskey)) => {
                    self.failed(None, client).await;
                    Ok(Checked::Wrong(wrong))
                }
                Err(failure) => Err(failure),
            }
        };
        let (verified, jti) = self.guess(client, check).await?;
        let mut spent = self.core.spend_flow(&jti).await?;
        let service = self.clone();
        let sign_in = async move {
            let signed_in = service.sign_in(verified, &mut spent, &visitor).await;
            spent.after(&service.core, signed_in).await
        };
        self.core.run_to_completion(sign_in).await
    }

    /// Starts a session for the owner of a passkey whose signature was right, and whose flow token is used up.
    async fn sign_in(
        &self,
        verified: Verified,
        spent: &mut SpentFlow,
        visitor: &Visitor,
    ) -> Result<SignedIn, AuthError> {
        let client = visitor.address();
        let user_id = self.user_id_of(&verified.row)?.to_owned();
        let user = self.core.users.find_by_id(&user_id).await?;
        let Some(user) = user.filter(|user| user.is_active()) else {
            self.failed(Some(user_id), client).await;
            return Err(refused(Flaw::Account));
        };
        let epoch = self.core.client_epoch(&user_id).await?;
        let passkey = self.record_use(verified, spent).await?;
        let sign_in = SignIn::passkey(passkey.method, &passkey.id);
        self.core.sign_in(&user, sign_in, visitor, epoch).await
    }

    /// What a page needs to complete a challenge with one of the user's passkeys (specification §9.43). No try is counted.
    ///
    /// # Errors
    /// [`AuthError::InvalidChallengeToken`]; [`AuthError::NotFound`] if the user has no passkey.
    pub async fn challenge_options(
        &self,
        challenge_token: &str,
        client: impl Into<Visitor>,
    ) -> Result<PasskeyCeremony, AuthError> {
        let opened = self.core.open_challenge(challenge_token, &client.into()).await?;
        let rest = opened.expires_at.duration_since(self.core.now()).unwrap_or_default();
        let challenge = flows::challenge()?;
        // The password and the presence of the passkey are two factors: keys without a PIN can be used.
        let options = self.request(&opened.user.id_text(), &challenge, "discouraged", rest).await?;
        self.begun(options, AtChallenge { of: opened.id, challenge }, rest)
    }

    /// What a page needs to confirm in the session with one of the user's passkeys (specification §9.44).
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if the user has no passkey.
    pub async fn confirm_options(&self, who: &Identity) -> Result<PasskeyCeremony, AuthError> {
        let of = self.of_session(who).await?;
        // Only with user verification a passkey counts as a confirmation, whatever the option says.
        let options = self.request(&who.user_id(), &of.challenge, "required", LIFETIME).await?;
        self.begun(options, Confirmation { of }, LIFETIME)
    }

    /// Records that the user of the session has a passkey (specification §9.45). A browser session gets another cookie, and only that one
    /// has the confirmation.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`], also if it was issued in another session, or if the credentials have changed since;
    /// [`AuthError::InvalidPasskey`]; [`AuthError::TooManyAttempts`].
    pub async fn confirm(
        &self,
        who: &Identity,
        flow_token: &str,
        credential: Value,
        client: impl Into<ClientInfo>,
    ) -> Result<Option<SessionCookie>, AuthError> {
        let client = client.into().address;
        let acting = self.core.begin(&CONFIRM, who, client).await?;
        let id = who.user_id();
        let check = async {
            let flow = self.core.flows.open::<Confirmation>(flow_token)?;
            self.must_be_of(who, &flow.content.of).await?;
            let challenge = &flow.content.of.challenge;
            let presented = Presented { credential, challenge, user_verification: true, client };
            match self.verify(presented, Some(&id)).await {
                Ok(verified) => Ok(Checked::Right((verified, flow.jti))),
                Err(wrong @ AuthError::InvalidPasskey) => Ok(Checked::Wrong(wrong)),
                Err(failure) => Err(failure),
            }
        };
        let (verified, jti) = self.guess(client, check).await?;
        let mut spent = self.core.spend_flow(&jti).await?;
        let confirmed = async {
            let passkey = self.record_use(verified, &mut spent).await?;
            self.core.record_confirmation(&acting, passkey.method, None).await
        };
        let confirmed = confirmed.await;
        spent.after(&self.core, confirmed).await
    }

    /// Checks what a client presents under the limit of the client.
    pub(super) async fn guess<T>(
        &self,
        client: ClientAddress,
        check: impl Future<Output = Result<Checked<T>, AuthError>>,
    ) -> Result<T, AuthError> {
        self.core.guess_by_client(AttemptKind::Passkey, LIMITS, client, check).await
    }

    pub(super) async fn failed(&self, user_id: Option<String>, client: ClientAddress) {
        self.core.events.emit(EventKind::LoginFailed { method: Method::Passkey }, user_id, client).await;
    }

    pub(super) fn entries<'a>(&'a self, user_id: &str) -> Entries<'a> {
        Entries::of(&self.core, &self.passkeys, user_id)
    }

    pub(super) fn site(&self) -> Result<&RelyingParty, AuthError> {
        let site = self.core.config.relying_party.as_ref();
        site.ok_or_else(|| AuthError::internal("PASSKEYS needs the option `relying_party`"))
    }

    /// What is begun in this session.
    pub(super) async fn of_session(&self, who: &Identity) -> Result<OfSession, AuthError> {
        Ok(OfSession {
            sid: who.session.session_id().to_owned(),
            mark: self.core.mark_of(who.user()),
            epoch: self.core.flow_epoch(Ceremonies::OfCredentials, &who.user_id()).await?,
            challenge: flows::challenge()?,
        })
    }

    /// Fails unless something was begun in this session, by the user as the user is now.
    pub(super) async fn must_be_of(&self, who: &Identity, begun: &OfSession) -> Result<(), AuthError> {
        let is_of_session =
            begun.sid == who.session.session_id() && self.core.is_mark_of(&begun.mark, who.user());
        let is_current =
            begun.epoch >= self.core.flow_epoch(Ceremonies::OfCredentials, &who.user_id()).await?;
        (is_of_session && is_current).then_some(()).ok_or(AuthError::InvalidFlowToken)
    }

    /// The options that ask for one of a user's passkeys.
    pub(super) async fn request(
        &self,
        user_id: &str,
        challenge: &str,
        user_verification: &str,
        rest: Duration,
    ) -> Result<Value, AuthError> {
        let usable = self.entries(user_id).usable().await?;
        // Without a list the browser would offer passkeys of everybody.
        if usable.is_empty() {
            return Err(AuthError::NotFound);
        }
        Ok(options::request(self.site()?, challenge, &usable, user_verification, rest))
    }

    pub(super) fn begun<T: FlowContent>(
        &self,
        options: Value,
        content: T,
        lifetime: Duration,
    ) -> Result<PasskeyCeremony, AuthError> {
        let flows = &self.core.flows;
        let flow = flows.begin(content, lifetime)?;
        Ok(PasskeyCeremony { options, flow_token: flows.token(&flow)?, expires_in: flows.rest(&flow) })
    }

    /// The relying party, for the routes that browsers and password managers look for.
    pub(super) fn relying_party(&self) -> Option<&RelyingParty> {
        self.core.config.relying_party.as_ref()
    }
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    if settings.passkeys.user_verification.is_required() {
        return Vec::new();
    }
    let message = "a passkey whose authenticator has not verified its user is one factor: who holds the device can sign in to an account \
                   without a second factor";
    vec![Deviation::new("passkeys.user_verification", &["6.3.3"], message)]
}
