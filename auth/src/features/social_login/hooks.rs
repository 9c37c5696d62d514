//! What identities are good for elsewhere, and when they end.

use super::accounts::{linked, new_row};
use super::entries::{Entries, Rows};
use crate::assurance::{Proof, Provable};
use crate::client::ClientAddress;
use crate::core::{Core, Hooks, Lease, LinkedIdentity, Method, Methods, ProvenIdentity, WaysIn};
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
            match self.identities.find_with_user(core, issuer, subject).await? {
                None => Ok(turn),
                Some(_) => Err(AuthError::IdentityTaken),
            }
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
}
