//! Registering without a password. No HTTP.

use crate::actions::{ActionError, BoundAction, CreatesPasswordlessUsers, PasswordlessRegistrationData};
use crate::client::{ClientAddress, Visitor};
use crate::config::Limit;
use crate::core::{
    Core, Epoch, FLOW, Flow, FlowContent, Method, Methods, Newcomer, Newcomers, PendingRegistration,
    ProvenIdentity, ProvenRow, RegistrationStarted, SignIn, SignedIn, USERNAME, UsernameRules, best_effort,
};
use crate::error::{AuthError, FieldErrors, FieldText};
use crate::user::{AuthUser, User, UserField, UsernameField};
use crate::values::{EmailAddress, UserName, Username};
use crate::watch::watch_action;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// How long a registration that was begun can be completed.
const LIFETIME: Duration = Duration::from_secs(1800);

/// The field of [`CreatesPasswordlessUsers::asks_for`] that is the user's name.
const NAME: &str = "name";

/// `CreatesPasswordlessUsers` without the type of the user record.
#[async_trait]
pub(super) trait CreatesProven: Send + Sync + 'static {
    async fn create(
        &self,
        core: &Core,
        data: PasswordlessRegistrationData,
        client: ClientAddress,
    ) -> Result<User, ActionError>;
    fn asks_for(&self) -> &[&'static str];
    fn extra_fields(&self) -> &[&'static str];
}

#[async_trait]
impl<U: AuthUser> CreatesProven for BoundAction<dyn CreatesPasswordlessUsers<U>, U> {
    async fn create(
        &self,
        core: &Core,
        data: PasswordlessRegistrationData,
        client: ClientAddress,
    ) -> Result<User, ActionError> {
        let context = core.action_context(&self.users, client);
        let user = watch_action("CreatesPasswordlessUsers", self.action.create(data, &context)).await?;
        Ok(Arc::new(user))
    }

    fn asks_for(&self) -> &[&'static str] {
        self.action.asks_for()
    }

    fn extra_fields(&self) -> &[&'static str] {
        self.action.extra_fields()
    }
}

/// Registrations without a password, with the rules, limits and events of the route.
#[derive(Clone)]
pub struct PasswordlessRegistrationService {
    core: Core,
    creates: Arc<dyn CreatesProven>,
}

/// What a registration token holds.
#[derive(Serialize, Deserialize)]
pub(super) struct Registration {
    /// The address that was proven.
    email: String,
    /// The name, if the proof had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The name of the method that has proven the address.
    by: String,
    /// Whether the session will outlive the browser's own.
    #[serde(default, rename = "rem", skip_serializing_if = "std::ops::Not::not")]
    remember: bool,
    /// The identity at a provider that has proven the address.
    #[serde(default, rename = "id", skip_serializing_if = "Option::is_none")]
    identity: Option<ProvenIdentity>,
}

impl FlowContent for Registration {
    const PURPOSE: &'static str = "registration";
}

/// What a newcomer has typed to register. Every field is valid.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct NewcomerFields {
    /// The name. `None`: that of the proof, if the proof has one.
    pub name: Option<UserName>,
    /// The user name, with USERNAMES.
    pub username: Option<Username>,
    /// The fields of the host, unchecked.
    pub extra: Map<String, Value>,
}

impl NewcomerFields {
    /// No field.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// A registration token that is valid.
pub(super) struct Opened {
    flow: Flow<Registration>,
    newcomer: Newcomer,
}

impl PasswordlessRegistrationService {
    pub(super) fn new(core: &Core, creates: Arc<dyn CreatesProven>) -> Self {
        Self { core: core.clone(), creates }
    }

    /// Whether a browser can have the registration token in a cookie.
    pub(super) fn takes_cookies(&self) -> bool {
        self.core.has_providers()
    }

    /// The fields of the host that the action reads.
    pub(super) fn fields(&self) -> Vec<&'static str> {
        [self.creates.extra_fields(), self.creates.asks_for()].concat()
    }

    /// Which user names new users can have.
    pub(super) fn username_rules(&self) -> UsernameRules<'_> {
        self.core.username_rules()
    }

    /// What must be known before the account is created: the name, the user name, or fields of the host. The other fields of a user
    /// record reach no action, so that nobody is asked for them, either.
    fn asked(&self) -> impl Iterator<Item = &'static str> {
        let usernames = self.username_rules().field;
        let fields = self.creates.asks_for();
        let is_asked = move |field: &&str| match *field {
            NAME => true,
            USERNAME if usernames.is_present() => true,
            field => !UserField::is_wire_name(field, usernames),
        };
        let is_missing = usernames == UsernameField::Required && !fields.contains(&USERNAME);
        fields.iter().copied().filter(is_asked).chain(is_missing.then_some(USERNAME))
    }

    /// Has the host create an account without a password for somebody who has proven an address, marks the address as verified and
    /// starts a session (specification §9.30). `registration_token` is that of [`RegistrationStarted`].
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`]; [`AuthError::ValidationFailed`] if something is missing for which the action asks, and for a
    /// user name that is reserved or missing; [`AuthError::EmailTaken`], [`AuthError::UsernameTaken`] and whatever else the action or the policy refuses with: the token can then be used again;
    /// [`AuthError::TooManyAttempts`]; [`AuthError::Unauthenticated`] when the host creates accounts that are not active yet: the
    /// account then exists, and no session starts.
    pub async fn register(
        &self,
        registration_token: &str,
        fields: NewcomerFields,
        client: impl Into<Visitor>,
    ) -> Result<SignedIn, AuthError> {
        let visitor = client.into();
        let registration = self.open(registration_token, visitor.address()).await?;
        let NewcomerFields { name, username, extra } = &fields;
        self.required(&registration, name.is_some(), username.is_some(), extra)?;
        self.complete(registration, fields, &visitor).await
    }

    /// Creates the account of a newcomer if there is nothing to ask for. Otherwise, also if the action refuses its data, the newcomer
    /// gets a registration token.
    pub(super) async fn begin(&self, newcomer: &Newcomer, visitor: &Visitor) -> Result<Newcomers, AuthError> {
        let is_from_provider = newcomer.identity.is_some();
        if is_from_provider {
            // A mail to an address that the policy does not allow is not sent. Here there is no mail.
            self.core.policy.allows_email(&newcomer.email, None).await?;
        }
        if self.asked().all(|field| field == NAME && newcomer.name.is_some()) {
            self.core.count_call(&[Limit::Register], newcomer.email.as_str(), visitor.address()).await?;
            match self.create(newcomer.clone(), NewcomerFields::default(), visitor).await {
                // Where a field can be typed that the action refuses, it is asked for.
                Err(AuthError::ValidationFailed(_)) if !is_from_provider || !self.fields().is_empty() => {}
                created => return created.map(Newcomers::Registered),
            }
        }
        let (email, name) = (newcomer.email.as_str().to_owned(), newcomer.name.clone().map(String::from));
        let content = Registration {
            email: email.clone(),
            name: name.clone(),
            by: newcomer.by.as_str().to_owned(),
            remember: visitor.transport.cookies().is_some_and(|sent| sent.remember),
            identity: newcomer.identity.clone(),
        };
        let flow = self.core.flows.begin(content, LIFETIME)?;
        Ok(Newcomers::Asked(RegistrationStarted {
            registration_token: self.core.flows.token(&flow)?,
            expires_in: self.core.flows.rest(&flow),
            email,
            name,
        }))
    }

    /// The registration of a token. The call counts towards the limit of registrations.
    pub(super) async fn open(&self, token: &str, client: ClientAddress) -> Result<Opened, AuthError> {
        self.core.count_call(&[Limit::Register], "", client).await?;
        let flow = self.core.flows.open::<Registration>(token)?;
        let Registration { email, name, by, identity, .. } = &flow.content;
        let name = name.as_deref().map(UserName::parse).transpose()?;
        let by = Method::of_name(by).ok_or(AuthError::InvalidFlowToken)?;
        let identity = identity.clone();
        let newcomer = Newcomer { email: EmailAddress::parse(email)?, name, by, identity };
        Ok(Opened { flow, newcomer })
    }

    /// Fails if something is missing for which the action asks.
    pub(super) fn required(
        &self,
        registration: &Opened,
        has_name: bool,
        has_username: bool,
        extra: &Map<String, Value>,
    ) -> Result<(), FieldErrors> {
        let usernames = self.username_rules().field;
        let is_missing = |field: &&'static str| match *field {
            NAME => !has_name && registration.newcomer.name.is_none(),
            // Whether every user has one is a rule of the record, which `complete` checks.
            USERNAME if usernames.is_present() => !has_username && usernames == UsernameField::Optional,
            field => extra.get(field).is_none_or(Value::is_null),
        };
        let missing = self.asked().filter(is_missing);
        let errors = missing.map(|field| FieldErrors::standard(field, FieldText::Required));
        errors.reduce(FieldErrors::and).map_or(Ok(()), Err)
    }

    /// Creates the account of a registration, with everything for which the action asks.
    pub(super) async fn complete(
        &self,
        registration: Opened,
        fields: NewcomerFields,
        visitor: &Visitor,
    ) -> Result<SignedIn, AuthError> {
        let Opened { flow, newcomer } = registration;
        self.username_rules().allows(fields.username.as_ref())?;
        self.core.policy.allows_email(&newcomer.email, None).await?;
        FLOW.spend(&self.core, &flow.jti).await?;
        let name = fields.name.clone().or(newcomer.name);
        let newcomer = Newcomer { name, ..newcomer };
        let visitor = visitor.clone().remembered(flow.content.remember);
        let created = async {
            let turn = self.core.begin_newcomer(newcomer.identity.as_ref()).await?;
            let created = self.create_user(newcomer.clone(), fields, visitor.address()).await;
            drop(turn);
            created
        };
        let created = created.await;
        if created.is_err() {
            let share = self.core.config.store_timeout;
            let take_back = FLOW.take_back(&self.core, &flow.jti);
            best_effort("taking back the use of a registration token", share, take_back).await;
        }
        let (user, identity) = created?;
        self.start(&user, newcomer.by, identity.as_deref(), &visitor).await
    }

    /// What a token begins that came from a provider. `None` if the token is not valid, or was used.
    pub(super) async fn pending(&self, token: &str) -> Result<Option<PendingRegistration>, AuthError> {
        let Ok(flow) = self.core.flows.open::<Registration>(token) else { return Ok(None) };
        let Registration { email, name, identity: Some(identity), .. } = flow.content else {
            return Ok(None);
        };
        if FLOW.is_over(&self.core, &flow.jti).await? {
            return Ok(None);
        }
        let has_name = name.is_some();
        let asks_for = self.asked().filter(|field| *field != NAME || !has_name).collect();
        Ok(Some(PendingRegistration { provider: identity.provider, email, name, asks_for }))
    }

    /// Creates the account of a newcomer without a registration token.
    async fn create(
        &self,
        newcomer: Newcomer,
        fields: NewcomerFields,
        visitor: &Visitor,
    ) -> Result<SignedIn, AuthError> {
        self.core.policy.allows_email(&newcomer.email, None).await?;
        let (user, identity) = self.create_user(newcomer.clone(), fields, visitor.address()).await?;
        self.start(&user, newcomer.by, identity.as_deref(), visitor).await
    }

    async fn start(
        &self,
        user: &User,
        by: Method,
        identity: Option<&str>,
        visitor: &Visitor,
    ) -> Result<SignedIn, AuthError> {
        let sign_in = SignIn::new_account(by);
        let sign_in = identity.map_or(sign_in, |id| sign_in.with(ProvenRow::Identity(id)));
        self.core.sign_in(user, sign_in, visitor, Epoch::FIRST).await
    }

    /// Has the host create the user, marks the address as verified and links the identity, of whose row it returns the id: also if the
    /// client has closed the connection.
    async fn create_user(
        &self,
        newcomer: Newcomer,
        fields: NewcomerFields,
        client: ClientAddress,
    ) -> Result<(User, Option<String>), AuthError> {
        let service = self.clone();
        self.core
            .run_to_completion(async move {
                let (core, methods) = (&service.core, Methods::of(newcomer.by));
                let Newcomer { email, name, by, identity } = newcomer;
                let mut data = PasswordlessRegistrationData::new(email.clone());
                (data.name, data.proven_by) = (name, by);
                (data.username, data.extra) = (fields.username, fields.extra);
                let creating = service.creates.create(core, data, client);
                let user = core.create_account(&email, methods, creating, client).await?;
                core.verify_and_announce(&*user, None, client).await?;
                let created = core.users.find_by_id(&user.id_text()).await?;
                let created =
                    created.ok_or_else(|| AuthError::internal("a user who was just created is gone"))?;
                let linked = match &identity {
                    Some(identity) => core.link_newcomer(&created, identity, client).await?,
                    None => None,
                };
                Ok((created, linked))
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::Registration;
    use crate::core::is_golden;

    #[test]
    fn the_golden_documents_of_a_registration() {
        is_golden::<Registration>("registration", r#"{"email":"ada@example.com","by":"email"}"#);
        is_golden::<Registration>(
            "registration",
            r#"{"email":"ada@example.com","name":"Ada","by":"email","rem":true}"#,
        );
        is_golden::<Registration>(
            "registration",
            r#"{"email":"ada@example.com","by":"fed","id":{"p":"oidc","i":"https://id.example.com","s":"SUB"}}"#,
        );
    }
}
