//! Cancelling a deletion with a token. No HTTP.

use super::entries::{MailedToken, SignInToken, number_of};
use super::service::DeleteAccountsService;
use crate::client::{ClientInfo, Visitor};
use crate::config::{LONGEST_GRACE, Limit};
use crate::core::{Ceremonies, Challenge, FLOW, Flow, SignIn, SignInRequest, SignedIn, SpentFlow, Step};
use crate::error::AuthError;
use crate::repository::DeletionRecord;
use crate::store::StoreKey;
use crate::user::User;
use std::time::Duration;

/// How long the token of a sign-in is valid.
pub(super) const LIFETIME: Duration = Duration::from_secs(600);

/// What a token has led to. It has no `Debug`, because a session is a secret.
#[non_exhaustive]
pub enum Restored {
    /// The token was that of a mail: the deletion is cancelled, and nobody is signed in.
    Cancelled,
    /// The token was that of a sign-in: the deletion is cancelled, and the session has started.
    SignedIn(SignedIn),
}

impl DeleteAccountsService {
    /// Cancels the deletion of an account with the token of a mail or of a sign-in (specification §9.61).
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`], also once the user is being deleted; [`AuthError::ExpiredMailToken`]; what the policy refuses
    /// with; [`AuthError::TooManyAttempts`].
    pub async fn restore(&self, token: &str, visitor: impl Into<Visitor>) -> Result<Restored, AuthError> {
        let (core, visitor) = (&self.core, visitor.into());
        core.count_call(&[Limit::MailTokens], "", visitor.address()).await?;
        let service = self.clone();
        if let Ok(flow) = core.flows.open_mailed::<SignInToken>(token) {
            let restore = async move { service.sign_in(flow, &visitor).await };
            return core.run_to_completion(restore).await.map(Restored::SignedIn);
        }
        let flow = core.flows.open_mailed::<MailedToken>(token)?;
        core.run_to_completion(async move { service.cancel_by_mail(&flow, &visitor).await }).await?;
        Ok(Restored::Cancelled)
    }

    async fn cancel_by_mail(&self, flow: &Flow<MailedToken>, visitor: &Visitor) -> Result<(), AuthError> {
        let (core, client) = (&self.core, &visitor.client);
        let user = core.users.find_by_id(&flow.content.sub).await?;
        let user = user.filter(|user| user.is_active()).ok_or(AuthError::InvalidMailToken)?;
        core.flows.must_last(flow)?;
        let (id, number) = (&flow.content.sub, flow.content.due);
        if let Some(deletion) = self.pending(id, number).await? {
            // First, so that another request with the token, which finds no deletion any more, finds that the token was used.
            core.use_mail_token(&flow.jti, LONGEST_GRACE).await?;
            return self.cancel_or_find_cancelled(&user, &deletion, client).await;
        }
        if !core.store.exists(StoreKey::MailTokenUsed, &[&flow.jti]).await? {
            return Err(AuthError::InvalidMailToken);
        }
        self.must_be_cancelled(id, number).await
    }

    /// The deletion of a user with this number, if it is pending.
    async fn pending(&self, user_id: &str, number: u64) -> Result<Option<DeletionRecord>, AuthError> {
        Ok(self.find(user_id).await?.filter(|deletion| number_of(deletion) == number))
    }

    /// Cancels a deletion, which is no error if another request has cancelled it at this moment.
    ///
    /// # Errors
    /// [`AuthError::InvalidMailToken`] if the user is being deleted, or is deleted.
    async fn cancel_or_find_cancelled(
        &self,
        user: &User,
        deletion: &DeletionRecord,
        client: &ClientInfo,
    ) -> Result<(), AuthError> {
        if self.cancel(user, deletion, client, client.address.into()).await? {
            return Ok(());
        }
        self.must_be_cancelled(&user.id_text(), number_of(deletion)).await
    }

    async fn must_be_cancelled(&self, user_id: &str, number: u64) -> Result<(), AuthError> {
        let is_pending = self.pending(user_id, number).await?.is_some();
        if is_pending || self.core.users.find_by_id(user_id).await?.is_none() {
            return Err(AuthError::InvalidMailToken);
        }
        Ok(())
    }

    /// Completes a sign-in that has proven everything.
    async fn sign_in(&self, flow: Flow<SignInToken>, visitor: &Visitor) -> Result<SignedIn, AuthError> {
        let (core, content) = (&self.core, &flow.content);
        if content.is_of_browser != visitor.transport.cookies().is_some() {
            return Err(AuthError::InvalidMailToken);
        }
        core.flows.must_last(&flow)?;
        let id = content.sub.as_str();
        let user = core.current_user(id, &content.mark).await?.ok_or(AuthError::InvalidMailToken)?;
        if content.epoch < core.flow_epoch(Ceremonies::OfCredentials, id).await? {
            return Err(AuthError::InvalidMailToken);
        }
        let visitor = visitor.clone().remembered(content.remember);
        FLOW.spend(core, &flow.jti).await.map_err(|failure| match failure {
            AuthError::InvalidFlowToken => AuthError::InvalidMailToken,
            other => other,
        })?;
        let spent = SpentFlow::of(&flow.jti);
        let restored = async {
            // Without a deletion, somebody else has cancelled it, and the sign-in goes on.
            if let Some(deletion) = self.find(id).await? {
                if number_of(&deletion) != content.due {
                    return Err(AuthError::InvalidMailToken);
                }
                self.cancel_or_find_cancelled(&user, &deletion, &visitor.client).await?;
            }
            let epoch = core.client_epoch(id).await?;
            let sign_in = SignIn::restoration(content.proven());
            let sign_in = sign_in.of_ceremony(Ceremonies::OfCredentials, content.epoch);
            core.sign_in(&user, sign_in, &visitor, epoch).await
        };
        let restored = restored.await;
        spent.after(core, restored).await
    }

    /// What keeps the session of this request from starting, if the deletion of the account is pending.
    ///
    /// # Errors
    /// The refusal of the route if the user is being deleted.
    pub(super) async fn hold_back(&self, request: &SignInRequest<'_>) -> Result<Option<Step>, AuthError> {
        let (core, id) = (&self.core, request.user.id_text());
        let Some(deletion) = self.find(&id).await? else { return Ok(None) };
        if deletion.is_leased(core.now()) {
            return Err(request.sign_in.refusal());
        }
        let restoration = self.restoration(id, &deletion, request).await?;
        Ok(Some(Step::PendingDeletion { restoration, deletes_at: deletion.due_at }))
    }

    async fn restoration(
        &self,
        sub: String,
        deletion: &DeletionRecord,
        request: &SignInRequest<'_>,
    ) -> Result<Challenge, AuthError> {
        let (core, cookies) = (&self.core, request.visitor.transport.cookies());
        let content = SignInToken {
            mark: core.mark_of(&**request.user),
            epoch: core.flow_epoch(Ceremonies::OfCredentials, &sub).await?,
            sub,
            amr: request.sign_in.proven.iter().map(|method| method.as_str().to_owned()).collect(),
            due: number_of(deletion),
            is_of_browser: cookies.is_some(),
            remember: cookies.is_some_and(|sent| sent.remember),
        };
        let token = core.flows.token(&core.flows.begin(content, LIFETIME)?)?;
        Ok(match cookies {
            Some(_) => Challenge::Cookie(token, LIFETIME),
            None => Challenge::Token(token),
        })
    }
}
