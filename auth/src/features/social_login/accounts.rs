//! What becomes of somebody whom a provider has identified (specification §30.2). No HTTP.

use super::entries::Entries;
use super::flows::{LIFETIME, Link};
use super::protocol::Asserted;
use super::service::{Provider, SocialLoginService};
use crate::client::{ClientAddress, Visitor};
use crate::clock::whole_milliseconds;
use crate::core::{
    Arrival, Ceremonies, Core, Epoch, FlowEpoch, Lease, Method, Methods, Newcomer, Newcomers, ProvenBy,
    ProvenIdentity, ProvenRow, SignIn, SignInOutcome, SignedIn,
};
use crate::crypto::random;
use crate::error::{AuthError, LinkToken};
use crate::events::EventKind;
use crate::repository::{IdentityRecord, IdentityUse};
use crate::social::{LinkByEmail, Trust};
use crate::telemetry::{Sentence, log};
use crate::user::User;
use crate::values::{EmailAddress, UserName};

/// How many times the table is read if others store the identity meanwhile.
const TRIES: usize = 3;

/// Somebody whom a provider has identified.
#[derive(Clone)]
pub(super) struct Person {
    pub(super) identity: ProvenIdentity,
    /// The address that the provider has told, and what its word is worth.
    email: Option<String>,
    trust: Trust,
    name: Option<String>,
    links_by_email: LinkByEmail,
}

impl Person {
    /// Whom this provider has identified.
    pub(super) fn of(provider: &Provider, asserted: Asserted) -> Self {
        let Asserted { issuer, subject, email, trust, name } = asserted;
        let provider_name = provider.settings.name().to_owned();
        Self {
            identity: ProvenIdentity { provider: provider_name, issuer, subject },
            email,
            trust,
            name,
            links_by_email: provider.settings.links_by_email(),
        }
    }

    /// Somebody whose sign-in is linked later.
    pub(super) const fn of_link(identity: ProvenIdentity, email: String) -> Self {
        let (trust, links_by_email) = (Trust::None, LinkByEmail::Never);
        Self { identity, email: Some(email), trust, name: None, links_by_email }
    }

    /// The address, if the provider has proven it.
    fn proven_address(&self) -> Option<EmailAddress> {
        let is_proven = self.trust != Trust::None;
        self.email.as_deref().filter(|_| is_proven).and_then(|email| EmailAddress::parse(email).ok())
    }
}

impl SocialLoginService {
    /// The account of somebody whom a provider has identified. It is completed also if the client closes the connection: the code of the
    /// provider works once.
    pub(super) async fn account_of(
        &self,
        provider: &Provider,
        asserted: Asserted,
        visitor: Visitor,
    ) -> Result<SignInOutcome, AuthError> {
        let (person, service) = (Person::of(provider, asserted), self.clone());
        self.core.run_to_completion(async move { service.sign_in(&person, &visitor).await }).await
    }

    async fn sign_in(&self, person: &Person, visitor: &Visitor) -> Result<SignInOutcome, AuthError> {
        for _ in 0..TRIES {
            if let Some(signed_in) = self.known(person, visitor).await? {
                return Ok(signed_in);
            }
            let Some(address) = person.proven_address() else {
                self.failed(None, visitor.address()).await;
                return Err(AuthError::ProviderEmailUnverified);
            };
            let ProvenIdentity { issuer, subject, .. } = &person.identity;
            let turn = self.core.take_turn_of_identity(issuer, subject).await?;
            // Another first sign-in may have made an account meanwhile.
            if self.identities.find_by_subject(&self.core, issuer, subject).await?.is_some() {
                continue;
            }
            match self.unknown(person, address, visitor, &turn).await {
                Err(AuthError::IdentityTaken) => {}
                result => return result,
            }
        }
        Err(AuthError::Unavailable("the identity was stored and deleted again and again".into()))
    }

    /// Signs the user of the identity in, if it has one.
    async fn known(&self, person: &Person, visitor: &Visitor) -> Result<Option<SignInOutcome>, AuthError> {
        let ProvenIdentity { issuer, subject, .. } = &person.identity;
        let found = self.identities.find_with_user(&self.core, issuer, subject).await?;
        let Some((row, user)) = found else { return Ok(None) };
        let (id, client) = (user.id_text(), visitor.address());
        if !user.is_active() {
            return self.refuse_inactive(id, client).await;
        }
        let epoch = self.core.client_epoch(&id).await?;
        if !self.identities.record_use(&row.id, &self.seen(person)).await? {
            // It was unlinked meanwhile.
            return Ok(None);
        }
        let sign_in = SignIn::provider().with(ProvenRow::Identity(&row.id));
        let signed_in = self.start(&user, sign_in, visitor, epoch).await?;
        Ok(Some(SignInOutcome::Known { signed_in, password_removed: false }))
    }

    /// Starts a session for this user, or the step before it. The policy's refusal is an event already.
    async fn start(
        &self,
        user: &User,
        sign_in: SignIn<'_>,
        visitor: &Visitor,
        epoch: Epoch,
    ) -> Result<SignedIn, AuthError> {
        let signed_in = self.core.sign_in(user, sign_in, visitor, epoch).await;
        if let Err(AuthError::ProviderRefused | AuthError::SecondFactorUnavailable) = signed_in {
            self.failed(Some(user.id_text()), visitor.address()).await;
        }
        signed_in
    }

    /// What a use of the identity records.
    pub(super) fn seen(&self, person: &Person) -> IdentityUse {
        IdentityUse::new(shown(person.email.as_deref()), whole_milliseconds(self.core.now()))
    }

    async fn refuse_inactive<T>(&self, user_id: String, client: ClientAddress) -> Result<T, AuthError> {
        log::provider_refused(Sentence("account"), "inactive");
        self.failed(Some(user_id), client).await;
        Err(AuthError::ProviderRefused)
    }

    /// The account of the address, or a new one. The caller has the turn of the identity, which belongs to nobody.
    async fn unknown(
        &self,
        person: &Person,
        address: EmailAddress,
        visitor: &Visitor,
        turn: &Lease,
    ) -> Result<SignInOutcome, AuthError> {
        let client = visitor.address();
        let Some(user) = self.core.users.find_by_email(address.as_str()).await? else {
            return self.register(person, address, visitor).await;
        };
        let id = user.id_text();
        if !user.is_active() {
            return self.refuse_inactive(id, client).await;
        }
        let is_authoritative = person.trust == Trust::Authoritative;
        let is_verified = user.email_verified_at().is_some();
        let has_second_factor = user.two_factor_confirmed_at().is_some();
        let begun = self.core.flow_epoch(Ceremonies::OfMailbox, &id).await?;
        match (is_authoritative, is_verified) {
            (true, false) => turn.run(self.arrive(person, &user, visitor, begun)).await,
            (true, true) if person.links_by_email == LinkByEmail::Verified && !has_second_factor => {
                turn.run(self.link_by_email(person, &user, visitor, begun)).await
            }
            _ => self.account_exists(person, &user, address, client).await,
        }
    }

    /// The owner of the address arrives at an account that somebody else may have made.
    async fn arrive(
        &self,
        person: &Person,
        user: &User,
        visitor: &Visitor,
        begun: FlowEpoch,
    ) -> Result<SignInOutcome, AuthError> {
        let (core, client, id) = (&self.core, visitor.address(), user.id_text());
        // Before anything of the account is removed: no session could begin.
        if let Err(unavailable) = core.require_askable_second_factor(user, Methods::default()) {
            self.failed(Some(id), client).await;
            return Err(unavailable);
        }
        let clients = core.client_epoch(&id).await?;
        let sign_in = SignIn::provider().of_address();
        match core.owner_arrives(user, ProvenBy::Login, client).await? {
            Arrival::Reclaimed { had_password, epoch } => {
                let (now, row) = self.link_account(person, user, epoch, client).await?;
                let sign_in = sign_in.with(ProvenRow::Identity(&row.id));
                let sign_in = sign_in.of_ceremony(Ceremonies::OfMailbox, epoch);
                let signed_in = self.start(&now, sign_in, visitor, clients).await?;
                Ok(SignInOutcome::Known { signed_in, password_removed: had_password })
            }
            Arrival::SecondFactorStays => {
                let sign_in = sign_in.of_ceremony(Ceremonies::OfMailbox, begun);
                let signed_in = self.start(user, sign_in, visitor, clients).await?;
                Ok(SignInOutcome::Known { signed_in, password_removed: false })
            }
            // Somebody else has proven the address meanwhile.
            Arrival::NotFirst => self.account_exists(person, user, canonical(user)?, client).await,
        }
    }

    /// Links the identity to the account that has its verified address, as the host wants it.
    async fn link_by_email(
        &self,
        person: &Person,
        user: &User,
        visitor: &Visitor,
        begun: FlowEpoch,
    ) -> Result<SignInOutcome, AuthError> {
        let clients = self.core.client_epoch(&user.id_text()).await?;
        let (now, row) = self.link_account(person, user, begun, visitor.address()).await?;
        let sign_in = SignIn::provider().of_address().with(ProvenRow::Identity(&row.id));
        let sign_in = sign_in.of_ceremony(Ceremonies::OfMailbox, begun);
        let signed_in = self.start(&now, sign_in, visitor, clients).await?;
        Ok(SignInOutcome::Known { signed_in, password_removed: false })
    }

    /// Stores the identity for the account with the proven address, in the turn of its user. What ends the sign-ins of the mailbox
    /// meanwhile, such as a lock down, keeps it from being stored. Returns the record as it is now.
    async fn link_account(
        &self,
        person: &Person,
        user: &User,
        epoch: FlowEpoch,
        client: ClientAddress,
    ) -> Result<(User, IdentityRecord), AuthError> {
        let (core, id) = (&self.core, user.id_text());
        let turn = core.take_turn(&id).await?;
        let now = User::clone(turn.user());
        let is_as_proven = now.is_active()
            && now.email() == user.email()
            && now.email_verified_at().is_some()
            && now.two_factor_confirmed_at().is_none();
        let is_current = async || {
            let now = core.flow_epoch(Ceremonies::OfMailbox, &id).await?;
            Ok::<_, AuthError>(epoch >= now)
        };
        let stored = turn.run(async {
            if !is_as_proven || !is_current().await? {
                return Err(AuthError::ProviderRefused);
            }
            let row = self.store(person, &id).await?;
            if !is_current().await? {
                self.entries(&id).delete(&row.id).await?;
                return Err(AuthError::ProviderRefused);
            }
            Ok(row)
        });
        let row = match stored.await {
            Err(AuthError::ProviderRefused) => {
                self.failed(Some(id), client).await;
                return Err(AuthError::ProviderRefused);
            }
            stored => stored?,
        };
        drop(turn);
        core.emit_about(linked(&row), &*now, client).await;
        Ok((now, row))
    }

    /// Stores the identity for this user.
    ///
    /// # Errors
    /// [`AuthError::IdentityTaken`] if somebody has it; those of the repository.
    pub(super) async fn store(&self, person: &Person, user_id: &str) -> Result<IdentityRecord, AuthError> {
        let row = new_row(&self.core, &person.identity, person.email.as_deref(), user_id)?;
        match self.identities.insert(row.clone()).await? {
            true => Ok(row),
            false => Err(AuthError::IdentityTaken),
        }
    }

    /// Refuses a sign-in with an address that has an account, and gives the client what links the identity to it.
    async fn account_exists(
        &self,
        person: &Person,
        user: &User,
        address: EmailAddress,
        client: ClientAddress,
    ) -> Result<SignInOutcome, AuthError> {
        let (core, id) = (&self.core, user.id_text());
        let link = Link {
            identity: person.identity.clone(),
            email: address.as_str().to_owned(),
            mark: core.mark_of(&**user),
            epoch: core.flow_epoch(Ceremonies::OfCredentials, &id).await?,
            sub: id.clone(),
        };
        let token = core.flows.token(&core.flows.begin(link, LIFETIME)?)?;
        self.failed(Some(id), client).await;
        Err(AuthError::AccountExists { link_token: Some(LinkToken(token)) })
    }

    /// Begins or completes the registration of somebody without an account.
    async fn register(
        &self,
        person: &Person,
        email: EmailAddress,
        visitor: &Visitor,
    ) -> Result<SignInOutcome, AuthError> {
        let name = person.name.as_deref().and_then(|name| UserName::parse(name).ok());
        let identity = Some(person.identity.clone());
        let newcomer = Newcomer { email, name, by: Method::Provider, identity };
        let refuse = async |refusal: AuthError| {
            self.failed(None, visitor.address()).await;
            Err(refusal)
        };
        match self.core.register_newcomer(&newcomer, visitor).await {
            Ok(Some(Newcomers::Asked(started))) => Ok(SignInOutcome::Registration(started)),
            Ok(Some(Newcomers::Registered(signed_in))) => Ok(SignInOutcome::Registered(signed_in)),
            // The policy does not allow the address: nothing could be typed that helps.
            Ok(None) | Err(AuthError::ValidationFailed(_)) => refuse(AuthError::RegistrationClosed).await,
            Err(taken @ AuthError::EmailTaken) => refuse(taken).await,
            Err(failure) => Err(failure),
        }
    }
}

/// The row of a new identity.
pub(super) fn new_row(
    core: &Core,
    identity: &ProvenIdentity,
    email: Option<&str>,
    user_id: &str,
) -> Result<IdentityRecord, AuthError> {
    let ProvenIdentity { provider, issuer, subject } = identity;
    let (key, subject) = (core.repository_key(user_id), core.repository_key(subject));
    let now = whole_milliseconds(core.now());
    let mut row = IdentityRecord::new(random::id()?, key, issuer.clone(), subject, now);
    row.provider.clone_from(provider);
    row.email = shown(email);
    Ok(row)
}

/// The event of a new identity.
pub(super) fn linked(row: &IdentityRecord) -> EventKind {
    EventKind::IdentityLinked { identity_id: row.id.clone(), provider: row.provider.clone() }
}

/// An address that repositories can store and pages can show.
fn shown(email: Option<&str>) -> Option<String> {
    email.filter(|email| email.len() <= 254 && !email.chars().any(char::is_control)).map(str::to_owned)
}

fn canonical(user: &User) -> Result<EmailAddress, AuthError> {
    EmailAddress::parse(user.email()).map_err(AuthError::from)
}

impl SocialLoginService {
    pub(super) fn entries<'a>(&'a self, user_id: &str) -> Entries<'a> {
        Entries::of(&self.core, &self.identities, user_id)
    }
}
