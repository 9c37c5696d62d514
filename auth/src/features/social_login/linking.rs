//! Listing, linking and unlinking identities, and confirming with one. No HTTP.

use super::accounts::{Person, linked};
use super::entries::user_id_of;
use super::flows::{Link, OfSession, Purpose, Visit};
use super::service::{Expected, Provider, ProviderReturn, ProviderVisit, SocialLoginService, VisitOptions};
use super::{AUTHORIZE_CONFIRMATION, AUTHORIZE_LINK, CONFIRM, LINK, UNLINK};
use crate::client::{ClientAddress, ClientInfo, Visitor};
use crate::core::{
    ActingSession, Ceremonies, Credentials, Flow, Identity, Method, SessionCookie, SpentFlow, UserRow, WaysIn,
};
use crate::endpoint::Confirmation;
use crate::error::AuthError;
use crate::limits::Checked;
use crate::repository::IdentityRecord;
use crate::telemetry::{Sentence, log};
use std::time::SystemTime;

/// An identity of a user, as the user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserIdentity {
    /// The id, by which it is unlinked. It is not a secret.
    pub id: String,
    /// The name of the provider.
    pub provider: String,
    /// The address that the provider has told at the last sign-in, for display alone.
    pub email: Option<String>,
    /// When it was linked.
    pub created_at: SystemTime,
    /// When somebody last signed in with it.
    pub last_used_at: Option<SystemTime>,
}

/// An identity after a request to link it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkedOrKept {
    /// The identity.
    pub identity: UserIdentity,
    /// Whether this request has linked it.
    pub is_new: bool,
}

/// An identity that a browser can link to the account of its user, before the user does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingLink {
    /// The name of the provider.
    pub provider: String,
    /// The address that the provider has told.
    pub email: String,
}

impl From<IdentityRecord> for UserIdentity {
    fn from(row: IdentityRecord) -> Self {
        let IdentityRecord { id, provider, email, created_at, last_used_at, .. } = row;
        Self { id, provider, email, created_at, last_used_at }
    }
}

impl SocialLoginService {
    /// The identities of the session's user, the oldest first (specification §9.52).
    ///
    /// # Errors
    /// Those of the repository.
    pub async fn list(&self, who: &Identity) -> Result<Vec<UserIdentity>, AuthError> {
        let all = self.entries(&who.user_id()).all().await?;
        Ok(all.into_iter().map(UserIdentity::from).collect())
    }

    /// Begins a visit that ends with an identity of the session's user (specification §9.53).
    ///
    /// # Errors
    /// [`AuthError::NotFound`]; [`AuthError::PasswordConfirmationRequired`]; [`AuthError::EmailNotVerified`];
    /// [`AuthError::ValidationFailed`]; [`AuthError::ProviderUnavailable`].
    pub async fn authorize_link(
        &self,
        who: &Identity,
        provider: &str,
        options: VisitOptions,
        client: impl Into<Visitor>,
    ) -> Result<ProviderVisit, AuthError> {
        let visitor = client.into();
        self.core.begin(&AUTHORIZE_LINK, who, visitor.address()).await?;
        self.core.require_verified_address(who)?;
        let provider = self.web_provider(provider)?;
        self.begin_in_session(who, provider, options, &visitor, Purpose::Link).await
    }

    async fn begin_in_session(
        &self,
        who: &Identity,
        provider: &Provider,
        options: VisitOptions,
        visitor: &Visitor,
        purpose: Purpose,
    ) -> Result<ProviderVisit, AuthError> {
        let mut visit = Self::visit(provider, options, visitor)?;
        visit.of = Some(OfSession {
            sid: who.session.session_id().to_owned(),
            epoch: self.core.flow_epoch(Ceremonies::OfCredentials, &who.user_id()).await?,
            purpose,
        });
        self.begin(provider, visit, &self.core.mark_of(who.user())).await
    }

    /// Links the identity with which the session's user returns from a provider (specification §9.54).
    ///
    /// # Errors
    /// [`AuthError::EmailNotVerified`]; [`AuthError::InvalidFlowToken`], also if it was issued in another session, or if the credentials
    /// have changed since; [`AuthError::ProviderRefused`]; [`AuthError::ProviderUnavailable`]; [`AuthError::IdentityTaken`];
    /// [`AuthError::TooManyAttempts`].
    pub async fn link(
        &self,
        who: &Identity,
        flow_token: &str,
        returned: &ProviderReturn,
        client: impl Into<ClientInfo>,
    ) -> Result<LinkedOrKept, AuthError> {
        let acting = self.core.begin(&LINK, who, client.into().address).await?;
        self.core.require_verified_address(who)?;
        let opened = self.core.flows.open::<Visit>(flow_token);
        self.link_returned(acting, (None, opened), returned, &mut false).await
    }

    pub(super) async fn link_returned(
        &self,
        acting: ActingSession,
        visited: (Option<&Provider>, Result<Flow<Visit>, AuthError>),
        returned: &ProviderReturn,
        is_spent: &mut bool,
    ) -> Result<LinkedOrKept, AuthError> {
        let person = self.redeem_in_session(&acting, visited, returned, Purpose::Link, is_spent).await?;
        let service = self.clone();
        self.core.run_to_completion(async move { service.insert(&acting, &person, None).await }).await
    }

    /// Who has returned from a provider in this session: from this one, or from the one whose `state` it is.
    async fn redeem_in_session(
        &self,
        acting: &ActingSession,
        (provider, opened): (Option<&Provider>, Result<Flow<Visit>, AuthError>),
        returned: &ProviderReturn,
        purpose: Purpose,
        is_spent: &mut bool,
    ) -> Result<Person, AuthError> {
        let who = acting.who();
        let mark = self.core.mark_of(who.user());
        let expected = Expected { purpose: Some(purpose), sid: who.session.session_id(), mark: &mark };
        let opened = match opened {
            Ok(flow) => self.must_be_current(who, &flow).await.map(|()| flow),
            refused => refused,
        };
        let of_state = |flow| self.provider_of(flow, &mark, &returned.state);
        let provider = provider.or_else(|| opened.as_ref().ok().and_then(of_state));
        let Some(provider) = provider else {
            let refusal = opened.err().unwrap_or(AuthError::InvalidFlowToken);
            let refused = async { Err::<Checked<Person>, _>(refusal) };
            return self.guess(acting.client(), refused).await;
        };
        let redeemed = self.redeem(provider, opened, expected, returned, acting.client(), is_spent).await?;
        Ok(Person::of(provider, redeemed.asserted))
    }

    async fn must_be_current(&self, who: &Identity, flow: &Flow<Visit>) -> Result<(), AuthError> {
        let now = self.core.flow_epoch(Ceremonies::OfCredentials, &who.user_id()).await?;
        let is_current = flow.content.of.as_ref().is_some_and(|of| of.epoch >= now);
        is_current.then_some(()).ok_or(AuthError::InvalidFlowToken)
    }

    /// What a link token holds, if it is valid and was not used.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn pending_link(&self, link_token: &str) -> Result<Option<PendingLink>, AuthError> {
        let Ok(flow) = self.core.flows.open::<Link>(link_token) else { return Ok(None) };
        if crate::core::FLOW.is_over(&self.core, &flow.jti).await? {
            return Ok(None);
        }
        let Link { identity, email, .. } = flow.content;
        Ok(Some(PendingLink { provider: identity.provider, email }))
    }

    /// Links the identity with which somebody has tried to sign in, to the account that has its address: for the user of that account
    /// alone, with a recent confirmation (specification §9.54).
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`]; [`AuthError::EmailNotVerified`]; [`AuthError::InvalidFlowToken`], also if it is one
    /// of another user, or if the credentials have changed since; [`AuthError::IdentityTaken`].
    pub async fn link_pending(
        &self,
        who: &Identity,
        link_token: &str,
        client: impl Into<ClientInfo>,
    ) -> Result<LinkedOrKept, AuthError> {
        let core = &self.core;
        let acting = core.begin(&LINK, who, client.into().address).await?;
        core.require_verified_address(who)?;
        core.require(who, Confirmation::PASSWORD).await?;
        let flow = core.flows.open::<Link>(link_token)?;
        let Link { identity, email, sub, mark, epoch } = flow.content;
        let is_current = epoch >= core.flow_epoch(Ceremonies::OfCredentials, &who.user_id()).await?;
        let is_of_user = sub == who.user_id() && core.is_mark_of(&mark, who.user());
        if !is_of_user || !is_current || !self.has_issuer(&identity.issuer) {
            return Err(AuthError::InvalidFlowToken);
        }
        let mut spent = core.spend_flow(&flow.jti).await?;
        let person = Person::of_link(identity, email);
        let service = self.clone();
        let linked = core.run_to_completion(async move {
            let linked = service.insert(&acting, &person, Some(&mut spent)).await;
            spent.after(&service.core, linked).await
        });
        linked.await
    }

    /// Inserts an identity in its turn and in that of its user. None is left by a session that has ended: who takes identities away ends
    /// the sessions first, so that one that is stored later is seen here, and takes away one that is stored earlier.
    async fn insert(
        &self,
        acting: &ActingSession,
        person: &Person,
        spent: Option<&mut SpentFlow>,
    ) -> Result<LinkedOrKept, AuthError> {
        let (core, id) = (&self.core, acting.who().user_id());
        let (issuer, subject) = (&person.identity.issuer, &person.identity.subject);
        let turn_of_identity = core.take_turn_of_identity(issuer, subject).await?;
        let turn = core.take_turn(&id).await?;
        let inserted = turn.run(async {
            acting.check_alive().await?;
            if let Some((row, of)) = self.identities.find_with_user(core, issuer, subject).await? {
                return match of.id_text() == id {
                    true => Ok(LinkedOrKept { identity: row.into(), is_new: false }),
                    false => Err(AuthError::IdentityTaken),
                };
            }
            if let Some(spent) = spent {
                spent.keep();
            }
            let row = self.store(person, &id).await?;
            if let Err(ended) = acting.check_alive().await {
                self.entries(&id).delete(&row.id).await?;
                return Err(ended);
            }
            core.emit_about(linked(&row), &**turn.user(), acting.client()).await;
            Ok(LinkedOrKept { identity: row.into(), is_new: true })
        });
        let inserted = turn_of_identity.run(inserted).await;
        drop((turn, turn_of_identity));
        inserted
    }

    /// Unlinks an identity of the session's user and ends the user's other sessions (specification §9.55).
    ///
    /// # Errors
    /// [`AuthError::PasswordConfirmationRequired`]; [`AuthError::NotFound`]; [`AuthError::LastSignInMethod`].
    pub async fn unlink(
        &self,
        who: &Identity,
        id: &str,
        client: ClientAddress,
    ) -> Result<Credentials, AuthError> {
        let acting = self.core.begin(&UNLINK, who, client).await?;
        let (service, id) = (self.clone(), id.to_owned());
        self.core.run_to_completion(async move { service.unlink_in_turn(&acting, &id).await }).await
    }

    async fn unlink_in_turn(&self, acting: &ActingSession, id: &str) -> Result<Credentials, AuthError> {
        let (core, user_id) = (&self.core, acting.who().user_id());
        let entries = self.entries(&user_id);
        let turn = core.take_turn(&user_id).await?;
        let removal = turn.run(async {
            let mut all = entries.all().await?;
            all.retain(|identity| identity.id == id);
            let removed = all.pop().ok_or(AuthError::NotFound)?;
            if self.has_issuer(&removed.issuer) {
                let left = |ways: WaysIn| WaysIn { identities: ways.identities.saturating_sub(1), ..ways };
                turn.must_leave(core, left).await?;
            }
            let change = acting.remove_way_in(entries.delete(id)).await?;
            core.emit_about(removed.removed(), &**turn.user(), acting.client()).await;
            Ok(change)
        });
        let credentials = removal.await?.finish().await?;
        drop(turn);
        Ok(credentials)
    }

    /// Begins a visit in which the provider asks the session's user again (specification §9.56).
    ///
    /// # Errors
    /// [`AuthError::NotFound`], also if the user has no identity of the provider; [`AuthError::ValidationFailed`];
    /// [`AuthError::ProviderUnavailable`].
    pub async fn authorize_confirmation(
        &self,
        who: &Identity,
        provider: &str,
        options: VisitOptions,
        client: impl Into<Visitor>,
    ) -> Result<ProviderVisit, AuthError> {
        let visitor = client.into();
        self.core.begin(&AUTHORIZE_CONFIRMATION, who, visitor.address()).await?;
        let provider = self.web_provider(provider)?;
        let all = self.entries(&who.user_id()).all().await?;
        if !all.iter().any(|identity| identity.issuer == provider.settings.issuer()) {
            return Err(AuthError::NotFound);
        }
        self.begin_in_session(who, provider, options, &visitor, Purpose::Confirm).await
    }

    /// Records that the user of the session is the one of an identity (specification §9.57). A browser session gets another cookie, and
    /// only that one has the confirmation.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`], also if it was issued in another session, or if the credentials have changed since;
    /// [`AuthError::ProviderRefused`]; [`AuthError::ProviderUnavailable`]; [`AuthError::TooManyAttempts`].
    pub async fn confirm(
        &self,
        who: &Identity,
        flow_token: &str,
        returned: &ProviderReturn,
        client: impl Into<ClientInfo>,
    ) -> Result<Option<SessionCookie>, AuthError> {
        let acting = self.core.begin(&CONFIRM, who, client.into().address).await?;
        let opened = self.core.flows.open::<Visit>(flow_token);
        self.confirm_returned(&acting, (None, opened), returned, &mut false).await
    }

    pub(super) async fn confirm_returned(
        &self,
        acting: &ActingSession,
        visited: (Option<&Provider>, Result<Flow<Visit>, AuthError>),
        returned: &ProviderReturn,
        is_spent: &mut bool,
    ) -> Result<Option<SessionCookie>, AuthError> {
        let person = self.redeem_in_session(acting, visited, returned, Purpose::Confirm, is_spent).await?;
        let (issuer, subject) = (&person.identity.issuer, &person.identity.subject);
        let row = self.identities.find_by_subject(&self.core, issuer, subject).await?;
        let row = row.filter(|row| user_id_of(&self.core, row) == Some(acting.who().user_id().as_str()));
        let is_recorded = match &row {
            Some(row) => self.identities.record_use(&row.id, &self.seen(&person)).await?,
            None => false,
        };
        if !is_recorded {
            log::provider_refused(Sentence(&person.identity.provider), "identity");
            return Err(AuthError::ProviderRefused);
        }
        self.core.record_confirmation(acting, Method::Provider, None).await
    }
}
