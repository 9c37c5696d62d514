//! Asking for a mail to sign in, and signing in with it. No HTTP.

use super::proof::{self, Expected};
use super::{ACCOUNT_LIMITS, CLIENT_LIMITS, REQUEST_LIMITS};
use crate::client::{ClientAddress, ClientInfo, Visitor};
use crate::config::{EmailLoginProof, Settings};
use crate::core::{
    Arrival, Ceremonies, Core, FLOW, Flow, FlowContent, FlowEpoch, Guess, Method, Methods, Newcomer,
    Newcomers, ProvenBy, SignIn, SignInOutcome, SpentFlow,
};
use crate::crypto::keys::{MacKey, Purpose};
use crate::delivery::{Delivers, EmailLoginMessage, EmailLoginPurpose};
use crate::error::AuthError;
use crate::events::{AttemptKind, EventKind};
use crate::limits::Checked;
use crate::posture::Deviation;
use crate::telemetry::{cause, log};
use crate::user::User;
use crate::values::EmailAddress;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::Arc;

pub use super::proof::EmailProof;

/// Sign-in by mail and confirmation by mail, with the rules, limits and events of the routes.
#[derive(Clone)]
pub struct EmailLoginService {
    pub(super) core: Core,
    pub(super) delivery: Arc<dyn Delivers<EmailLoginMessage>>,
    /// Makes the tokens of links, so that a mail that is sent again has the link of the first one.
    links: MacKey,
}

/// What a request for a mail leads to. It has no `Debug`: with the mail the flow token opens the account.
#[non_exhaustive]
pub struct EmailLoginStarted {
    /// What the client keeps and sends back with the code or the token of the link.
    pub flow_token: String,
    /// For how many seconds the code and the link are valid.
    pub expires_in: u64,
}

/// What the flow token of a sign-in holds.
#[derive(Serialize, Deserialize)]
pub(super) struct Login {
    /// The address that was asked for.
    email: String,
    #[serde(flatten)]
    expected: Expected,
    /// The SHA-256 of the id of the active user who had the address, in base64url.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sub: Option<String>,
    /// The epoch of the user's sign-ins by mail.
    #[serde(default, rename = "ep", skip_serializing_if = "FlowEpoch::is_first")]
    epoch: FlowEpoch,
    /// Whether the session will outlive the browser's own.
    #[serde(default, rename = "rem", skip_serializing_if = "std::ops::Not::not")]
    remember: bool,
}

impl FlowContent for Login {
    const PURPOSE: &'static str = "email-login";
    /// More than the longest address: the length must not tell whether there is an account.
    const PADDED: usize = 1024;
}

impl EmailLoginService {
    pub(super) fn new(core: &Core, delivery: Arc<dyn Delivers<EmailLoginMessage>>) -> Self {
        let links = core.config.jwt_secrets.current().derive(Purpose::Flow);
        Self { core: core.clone(), delivery, links }
    }

    pub(super) fn registers_newcomers(&self) -> bool {
        self.core.registers_newcomers()
    }

    /// How the options of the feature deviate from ASVS.
    pub(super) fn posture(&self) -> Vec<Deviation> {
        of_settings(&self.core.config)
    }

    /// Has a code and a link mailed to an address, if it has an active account, or can get one (specification §9.24). With the flow
    /// token of an earlier request for this address, the code and the link of that request are mailed again. The result is alike for
    /// every address.
    ///
    /// # Errors
    /// [`AuthError::TooManyAttempts`].
    pub async fn request(
        &self,
        email: &EmailAddress,
        earlier: Option<&str>,
        client: impl Into<Visitor>,
    ) -> Result<EmailLoginStarted, AuthError> {
        let visitor = client.into();
        let client = visitor.address();
        let (mut user, mut is_stranger) = (None, true);
        let is_known = async {
            user = self.core.users.find_by_email(email.as_str()).await?;
            let is_known = self.core.user_knows(user.as_ref(), email.as_str(), client).await?;
            is_stranger = !is_known;
            Ok(is_known)
        };
        self.core.count_call_from(REQUEST_LIMITS, email.as_str(), client, is_known).await?;
        if is_stranger {
            self.core.refuse_if_locked(AttemptKind::EmailCode, email.as_str()).await?;
        }
        let is_free = user.is_none();
        let user = self.core.usable(user).await?;
        let flow = self.flow(email, user.as_ref(), earlier, &visitor).await?;
        let started = EmailLoginStarted {
            flow_token: self.core.flows.token(&flow)?,
            expires_in: self.core.flows.rest(&flow),
        };
        if let Some(user) = user {
            self.send(self.message(&flow, Some(&user), visitor.client), Some(user.id_text()), client);
        } else if is_free && self.core.registers_newcomers() {
            self.invite(email.clone(), self.message(&flow, None, visitor.client), client);
        }
        Ok(started)
    }

    /// Sends a mail to register with, unless the policy refuses the address: beside the response, which must not tell.
    fn invite(&self, email: EmailAddress, message: EmailLoginMessage, client: ClientAddress) {
        let service = self.clone();
        self.core.background.spawn("asking the policy about an address", async move {
            match service.core.policy.allows_email(&email, None).await {
                Ok(()) => service.send(message, None, client),
                Err(AuthError::ValidationFailed(_)) => {}
                Err(failure) => log::address_not_judged(failure.code().as_str(), cause(&failure)),
            }
        });
    }

    /// Emits the event and has the message delivered, both beside the response: its time must not tell whether there is an account.
    pub(super) fn send(&self, message: EmailLoginMessage, user_id: Option<String>, client: ClientAddress) {
        let service = self.clone();
        self.core.background.spawn("mailing a login code", async move {
            service.core.events.emit(EventKind::LoginCodeSent, user_id, client).await;
            service.core.deliver(&service.delivery, message);
        });
    }

    /// The ceremony of an earlier request for this address and this user, or a new one.
    async fn flow(
        &self,
        email: &EmailAddress,
        user: Option<&User>,
        earlier: Option<&str>,
        visitor: &Visitor,
    ) -> Result<Flow<Login>, AuthError> {
        let id = user.map(|user| user.id_text());
        // Without an account the work is that of an account.
        let epoch_of = id.as_deref().unwrap_or(email.as_str());
        let epoch = self.core.flow_epoch(Ceremonies::OfMailbox, epoch_of).await?;
        let remember = visitor.transport.cookies().is_some_and(|sent| sent.remember);
        let sub = id.as_deref().map(hash_of);
        if let Some(Ok(mut flow)) = earlier.map(|token| self.core.flows.open::<Login>(token)) {
            let Login { email: of, sub: of_user, epoch: of_epoch, .. } = &flow.content;
            let is_alike = of == email.as_str() && *of_user == sub && *of_epoch >= epoch;
            if is_alike && !FLOW.is_over(&self.core, &flow.jti).await? {
                flow.content.remember = remember;
                return Ok(flow);
            }
        }
        let options = self.core.config.email_login;
        let expected = match options.proof.has_code() {
            true => Expected::default().with_code(options.digits)?,
            false => Expected::default(),
        };
        let content = Login { email: email.as_str().to_owned(), expected, sub, epoch, remember };
        let mut flow = self.core.flows.begin(content, options.lifetime)?;
        if options.proof.has_link() {
            let token = self.token_of(&flow);
            flow.content.expected.add_token(&token);
        }
        Ok(flow)
    }

    /// The token of a ceremony's link.
    fn token_of(&self, flow: &Flow<Login>) -> String {
        URL_SAFE_NO_PAD.encode(self.links.mac(&[b"link", flow.jti.as_bytes()]))
    }

    /// The mail to the account of the flow's address, or to somebody without one.
    fn message(&self, flow: &Flow<Login>, user: Option<&User>, client: ClientInfo) -> EmailLoginMessage {
        let has_link = self.core.config.email_login.proof.has_link();
        EmailLoginMessage {
            email: user.map_or(flow.content.email.as_str(), |user| user.email()).to_owned(),
            name: user.map(|user| user.name().to_owned()),
            email_verified: user.is_some_and(|user| user.email_verified_at().is_some()),
            purpose: user.map_or(EmailLoginPurpose::Registration, |_| EmailLoginPurpose::Login),
            code: flow.content.expected.code.as_deref().cloned(),
            token: has_link.then(|| self.token_of(flow)),
            client: client.address.ip(),
            user_agent: client.user_agent.map(|text| text.to_string()),
            requested_at: self.core.now(),
            expires_at: flow.expires_at(),
            language: user.map_or_else(|| self.core.language(), |user| self.core.language_of(&**user)),
        }
    }

    /// Starts a session for somebody who has asked for a mail and has the code or the token of the link in it
    /// (specification §9.25). Without an account, PASSWORDLESS_REGISTRATION creates one, or asks for what the host needs to know.
    ///
    /// If nobody had proven the address before, the password, the second factor and the sessions of the account end
    /// (specification §15.7), unless the second factor was put in force under a verified address.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`] if the flow token is not valid any more, or the account has changed;
    /// [`AuthError::InvalidLoginCode`]; [`AuthError::SecondFactorUnavailable`]; what the policy refuses with;
    /// [`AuthError::TooManyAttempts`].
    pub async fn verify(
        &self,
        flow_token: &str,
        proof: &EmailProof,
        client: impl Into<Visitor>,
    ) -> Result<SignInOutcome, AuthError> {
        let visitor = client.into();
        let client = visitor.address();
        let proof = &proof.normalised();
        let check = async {
            let flow = self.core.flows.open::<Login>(flow_token)?;
            let Login { email, expected, .. } = &flow.content;
            let guess = Guess::of_account(AttemptKind::EmailCode, ACCOUNT_LIMITS, email, client);
            match proof::check(&self.core, &guess, (&flow.jti, expected), proof).await? {
                Checked::Right(()) => Ok(Checked::Right(flow)),
                Checked::Wrong(wrong) => {
                    let user = self.core.users.find_by_email(email).await?;
                    let user_id = user.map(|user| user.id_text());
                    self.failed(user_id, client).await;
                    Ok(Checked::Wrong(wrong))
                }
            }
        };
        let flow = self.guess(client, check).await?;
        let (service, spent) = (self.clone(), SpentFlow::of(&flow.jti));
        let visitor = visitor.remembered(flow.content.remember);
        let complete = async move {
            let signed_in = service.complete(&flow.content, &visitor).await;
            spent.after(&service.core, signed_in).await
        };
        self.core.run_to_completion(complete).await
    }

    /// Checks a proof under the limit of the client, which comes before the flow token is opened.
    pub(super) async fn guess<T>(
        &self,
        client: ClientAddress,
        check: impl Future<Output = Result<Checked<T>, AuthError>>,
    ) -> Result<T, AuthError> {
        self.core.guess_by_client(AttemptKind::EmailCode, CLIENT_LIMITS, client, check).await
    }

    /// Starts a session, a challenge or a registration for the address of a flow whose code or link was right.
    async fn complete(&self, login: &Login, visitor: &Visitor) -> Result<SignInOutcome, AuthError> {
        let client = visitor.address();
        let Some(user) = self.user_of(login, client).await? else {
            return self.register(login, visitor).await;
        };
        let mut sign_in = SignIn::email().of_ceremony(Ceremonies::OfMailbox, login.epoch);
        // Before anything of the account is removed: no session could begin.
        self.core.require_askable_second_factor(&user, Methods::default())?;
        let epoch = self.core.client_epoch(&user.id_text()).await?;
        if user.email_verified_at().is_some() {
            let signed_in = self.core.sign_in(&user, sign_in, visitor, epoch).await?;
            return Ok(SignInOutcome::Known { signed_in, password_removed: false });
        }
        let mut password_removed = false;
        if let Arrival::Reclaimed { had_password, epoch } =
            self.core.owner_arrives(&user, ProvenBy::Login, client).await?
        {
            password_removed = had_password;
            sign_in = SignIn::email().of_ceremony(Ceremonies::OfMailbox, epoch);
        }
        // As the arrival has left it.
        let now = self.user_of_id(&user, client).await?;
        let signed_in = self.core.sign_in(&now, sign_in, visitor, epoch).await?;
        Ok(SignInOutcome::Known { signed_in, password_removed })
    }

    /// Begins or completes the registration of an address that has no account, and had none when the mail was asked for.
    async fn register(&self, login: &Login, visitor: &Visitor) -> Result<SignInOutcome, AuthError> {
        let email = EmailAddress::parse(&login.email)?;
        let newcomer = Newcomer { email, name: None, by: Method::Email, identity: None };
        match self.core.register_newcomer(&newcomer, visitor).await? {
            Some(Newcomers::Asked(started)) => Ok(SignInOutcome::Registration(started)),
            Some(Newcomers::Registered(signed_in)) => Ok(SignInOutcome::Registered(signed_in)),
            None => self.refuse(None, visitor.address()).await,
        }
    }

    /// The active user who had the address when the mail was asked for, and still has it. `None` if nobody had it, and nobody has it
    /// now.
    async fn user_of(&self, login: &Login, client: ClientAddress) -> Result<Option<User>, AuthError> {
        let user = self.core.users.find_by_email(&login.email).await?;
        if user.is_none() && login.sub.is_none() {
            return Ok(None);
        }
        let user_id = user.as_ref().map(|user| user.id_text());
        let is_alike = user_id.as_deref().map(hash_of) == login.sub;
        let is_current = match &user_id {
            Some(id) if is_alike => login.epoch >= self.core.flow_epoch(Ceremonies::OfMailbox, id).await?,
            _ => false,
        };
        match self.core.usable(user.filter(|_| is_current)).await? {
            Some(user) => Ok(Some(user)),
            None => self.refuse(user_id, client).await,
        }
    }

    /// The user as the record is now, with the address that was proven.
    async fn user_of_id(&self, proven: &User, client: ClientAddress) -> Result<User, AuthError> {
        let id = proven.id_text();
        let now = self.core.users.find_by_id(&id).await?;
        match now.filter(|now| now.email() == proven.email()) {
            Some(now) => Ok(now),
            None => self.refuse(Some(id), client).await,
        }
    }

    async fn refuse<T>(&self, user_id: Option<String>, client: ClientAddress) -> Result<T, AuthError> {
        self.failed(user_id, client).await;
        Err(AuthError::InvalidFlowToken)
    }

    async fn failed(&self, user_id: Option<String>, client: ClientAddress) {
        self.core.events.emit(EventKind::LoginFailed { method: Method::Email }, user_id, client).await;
    }
}

/// The SHA-256 of a user's id, in base64url: as long for every id.
pub(super) fn hash_of(id: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(id.as_bytes()))
}

/// How the options of the feature deviate from ASVS.
pub(crate) fn of_settings(settings: &Settings) -> Vec<Deviation> {
    let mailbox = "the mailbox is as good as the password: who reads a user's mails can sign in; two-factor authentication \
                   requires more";
    let mut found = vec![Deviation::new("email_login", &["6.3.3", "6.3.6"], mailbox)];
    let options = settings.email_login;
    if options.proof != EmailLoginProof::Link {
        let message = "a code in a mail can be brought to be typed on a page of somebody else; a link works only in the \
                       browser that has asked for it";
        found.push(Deviation::new("email_login.proof", &["6.3.3"], message));
    }
    if options.digits < 8 && options.proof != EmailLoginProof::Link {
        let message = format!("a code has {} digits; by default it has 8", options.digits);
        found.push(Deviation::new("email_login.digits", &["6.5.4"], message));
    }
    found.extend(crate::posture::of_lifetime("email_login.lifetime", "a code in a mail", options.lifetime));
    found
}

#[cfg(test)]
mod tests {
    use super::Login;
    use crate::core::is_golden;

    #[test]
    fn the_golden_documents_of_a_sign_in() {
        is_golden::<Login>("email-login", r#"{"email":"ada@example.com","code":"12345678"}"#);
        is_golden::<Login>(
            "email-login",
            r#"{"email":"ada@example.com","code":"12345678","link":"LINK","sub":"SUB","ep":7,"rem":true}"#,
        );
    }
}
