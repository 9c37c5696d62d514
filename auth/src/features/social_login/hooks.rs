//! What identities are good for elsewhere, and when they end.

use super::accounts::{linked, new_row};
use super::entries::{Entries, Rows, user_id_of};
use crate::assurance::{Proof, Provable};
use crate::client::ClientAddress;
use crate::core::{
    Core, Hooks, Lease, LinkedIdentity, LockDown, Method, Methods, ProvenBy, ProvenIdentity, ProvenRow,
    WaysIn,
};
use crate::error::AuthError;
use crate::repository::IdentityRecord;
use crate::social::{SocialProvider, SocialProviders};
use crate::user::User;
use async_trait::async_trait;

/// A user signs in with an identity, and confirms with one.
pub(super) struct OfIdentities {
    pub(super) identities: Rows,
    pub(super) providers: SocialProviders,
}

impl OfIdentities {
    fn of<'a>(&'a self, core: &'a Core, user: &User) -> Entries<'a> {
        Entries::of(core, &self.identities, &user.id_text())
    }

    /// The identities of the user that can sign in with this configuration.
    async fn usable(&self, core: &Core, user: &User) -> Result<Vec<IdentityRecord>, AuthError> {
        let mut all = self.of(core, user).all().await?;
        all.retain(|identity| self.has_issuer(&identity.issuer, |_| true));
        Ok(all)
    }

    fn has_issuer(&self, issuer: &str, is_able: impl Fn(&SocialProvider) -> bool) -> bool {
        self.providers.iter().any(|provider| provider.issuer() == issuer && is_able(provider))
    }
}

#[async_trait]
impl Hooks for OfIdentities {
    fn is_way_in(&self) -> bool {
        true
    }

    fn has_providers(&self) -> bool {
        true
    }

    async fn ways_in(&self, core: &Core, user: &User) -> Result<WaysIn, AuthError> {
        Ok(WaysIn { identities: self.usable(core, user).await?.len(), ..WaysIn::default() })
    }

    async fn identities(&self, core: &Core, user: &User) -> Result<Vec<LinkedIdentity>, AuthError> {
        let shown = |IdentityRecord { id, provider, email, .. }| LinkedIdentity { id, provider, email };
        Ok(self.usable(core, user).await?.into_iter().map(shown).collect())
    }

    async fn provable(&self, core: &Core, user: &User) -> Result<Option<Provable>, AuthError> {
        let all = self.of(core, user).all().await?;
        let can_confirm =
            |identity: &IdentityRecord| self.has_issuer(&identity.issuer, SocialProvider::has_web_flow);
        let provable = Provable { proof: Proof::Provider, methods: Methods::of(Method::Provider) };
        Ok(all.iter().any(can_confirm).then_some(provable))
    }

    async fn still_has(&self, core: &Core, user_id: &str, row: ProvenRow<'_>) -> Result<bool, AuthError> {
        let ProvenRow::Identity(id) = row else { return Ok(true) };
        let all = Entries::of(core, &self.identities, user_id).all().await?;
        Ok(all.iter().any(|identity| identity.id == id))
    }

    async fn newcomer_registering(
        &self,
        core: &Core,
        identity: &ProvenIdentity,
    ) -> Option<Result<Lease, AuthError>> {
        let ProvenIdentity { provider, issuer, subject } = identity;
        if !self.providers.iter().any(|known| known.name() == provider && known.issuer() == issuer) {
            return Some(Err(AuthError::InvalidFlowToken));
        }
        let begin = async {
            let turn = core.take_turn_of_identity(issuer, subject).await?;
            let Some(row) = self.identities.find_by_subject(core, issuer, subject).await? else {
                return Ok(turn);
            };
            let user = match user_id_of(core, &row) {
                Some(id) => core.users.find_by_id(id).await?,
                None => None,
            };
            if user.is_some() {
                return Err(AuthError::IdentityTaken);
            }
            self.identities.delete(&row.user_id, &row.id).await?;
            Ok(turn)
        };
        Some(begin.await)
    }

    async fn newcomer_registered(
        &self,
        core: &Core,
        user: &User,
        identity: &ProvenIdentity,
        client: ClientAddress,
    ) -> Result<Option<String>, AuthError> {
        let row = new_row(core, identity, Some(user.email()), &user.id_text())?;
        if !self.identities.insert(row.clone()).await? {
            return Err(AuthError::IdentityTaken);
        }
        core.events.emit(linked(&row), Some(user.id_text()), client).await;
        Ok(Some(row.id))
    }

    /// Somebody else may have made the account, and linked an identity.
    async fn owner_arrived(
        &self,
        core: &Core,
        user: &User,
        _: ProvenBy,
        client: ClientAddress,
    ) -> Result<(), AuthError> {
        self.of(core, user).remove(&**user, client, |_| true).await.map(drop)
    }

    async fn password_reset(
        &self,
        core: &Core,
        user: &User,
        client: ClientAddress,
    ) -> Result<bool, AuthError> {
        if !core.config.reset_removes.identities {
            return Ok(false);
        }
        Ok(self.of(core, user).remove(&**user, client, |_| true).await? > 0)
    }

    async fn locked_down(&self, core: &Core, user: &User, visit: &LockDown) -> Result<bool, AuthError> {
        let is_of_visit = |identity: &IdentityRecord| visit.covers(identity.created_at);
        Ok(self.of(core, user).remove(&**user, visit.by(), is_of_visit).await? > 0)
    }

    async fn account_closing(&self, core: &Core, user: &User) -> Result<(), AuthError> {
        let key = self.of(core, user).key;
        self.identities.delete_all(&key).await.map(drop)
    }
}
