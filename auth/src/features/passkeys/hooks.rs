//! What passkeys are good for elsewhere, and when they end.

use super::entries::{Entries, Rows};
use super::flows::AtChallenge;
use super::service::PasskeysService;
use super::verification::Presented;
use crate::assurance::{ChallengeMethod, Proof, Provable};
use crate::client::ClientAddress;
use crate::core::{
    Core, ExpectedPasskey, Flow, Hooks, Method, Methods, OpenChallenge, PasskeyProof, ProvenPasskey, WaysIn,
};
use crate::error::AuthError;
use crate::user::User;
use async_trait::async_trait;

/// A user signs in with a passkey, completes a challenge with one, and confirms with one.
pub(super) struct OfPasskeys {
    pub(super) passkeys: Rows,
}

impl OfPasskeys {
    fn of<'a>(&'a self, core: &'a Core, user: &User) -> Entries<'a> {
        Entries::of(core, &self.passkeys, &user.id_text())
    }

    fn service(&self, core: &Core) -> PasskeysService {
        PasskeysService::new(core, self.passkeys.clone())
    }
}

#[async_trait]
impl Hooks for OfPasskeys {
    fn is_way_in(&self) -> bool {
        true
    }

    async fn ways_in(&self, core: &Core, user: &User) -> Result<WaysIn, AuthError> {
        Ok(WaysIn { passkeys: self.of(core, user).usable().await?.len(), ..WaysIn::default() })
    }

    async fn provable(&self, core: &Core, user: &User) -> Result<Option<Provable>, AuthError> {
        let provable = Provable { proof: Proof::Passkey, methods: Methods::of(Method::VerifiedPasskey) };
        Ok((!self.of(core, user).usable().await?.is_empty()).then_some(provable))
    }

    async fn challenge_methods(&self, core: &Core, user: &User) -> Result<Vec<ChallengeMethod>, AuthError> {
        let has_any = !self.of(core, user).usable().await?.is_empty();
        Ok(has_any.then_some(ChallengeMethod::Passkey).into_iter().collect())
    }

    fn takes_passkeys(&self) -> bool {
        true
    }

    async fn expect_passkey(
        &self,
        core: &Core,
        challenge: &OpenChallenge,
        proof: &PasskeyProof,
    ) -> Option<Result<Box<dyn ExpectedPasskey>, AuthError>> {
        let open = || {
            let flow = core.flows.open::<AtChallenge>(&proof.flow_token)?;
            if flow.content.of != challenge.id {
                return Err(AuthError::InvalidFlowToken);
            }
            let expected = AtThisChallenge {
                service: self.service(core),
                user: User::clone(&challenge.user),
                credential: proof.credential.clone(),
                flow,
            };
            Ok(Box::new(expected) as Box<dyn ExpectedPasskey>)
        };
        Some(open())
    }
}

/// A passkey that completes this challenge.
struct AtThisChallenge {
    service: PasskeysService,
    user: User,
    credential: serde_json::Value,
    flow: Flow<AtChallenge>,
}

#[async_trait]
impl ExpectedPasskey for AtThisChallenge {
    async fn prove(self: Box<Self>, client: ClientAddress) -> Result<ProvenPasskey, AuthError> {
        let Self { service, user, credential, flow } = *self;
        let id = user.id_text();
        let challenge = &flow.content.challenge;
        let presented = Presented { credential, challenge, user_verification: false, client };
        let proven = service.verify(presented, Some(&id)).await?;
        let mut spent = service.core.spend_flow(&flow.jti).await?;
        let recorded = service.record_use(proven, &mut spent).await;
        spent.after(&service.core, recorded).await
    }
}
