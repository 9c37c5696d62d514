//! Signing in with an ID token that an app or a page has of the provider. No HTTP.

use super::CALL_LIMITS;
use super::flows::{LIFETIME, Native};
use super::service::{SocialLoginService, refusal};
use crate::client::Visitor;
use crate::core::SignInOutcome;
use crate::crypto::random;
use crate::error::AuthError;
use crate::limits::Checked;
use crate::values::UserName;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// What an app or a page passes to the library of the provider. It has no `Debug`, because the flow token is for the client alone.
#[non_exhaustive]
pub struct NativeSignIn {
    /// What the ID token must contain.
    pub nonce: String,
    /// What the client sends back with the ID token.
    pub flow_token: String,
    /// For how many seconds both are valid.
    pub expires_in: u64,
}

impl SocialLoginService {
    /// What an app or a page needs to get an ID token of the provider (specification §9.50). Nothing is stored.
    ///
    /// # Errors
    /// [`AuthError::NotFound`] if there is no such provider, or it has no `id_token_audiences`.
    pub fn nonce(&self, provider: &str) -> Result<NativeSignIn, AuthError> {
        let provider = self.provider(provider)?;
        if !provider.settings.takes_id_tokens() {
            return Err(AuthError::NotFound);
        }
        let nonce = URL_SAFE_NO_PAD.encode(random::bytes::<16>()?);
        let content = Native { provider: provider.settings.name().to_owned(), nonce: nonce.clone() };
        let flow = self.core.flows.begin(content, LIFETIME)?;
        let flow_token = self.core.flows.token(&flow)?;
        Ok(NativeSignIn { nonce, flow_token, expires_in: self.core.flows.rest(&flow) })
    }

    /// Starts a session, a challenge or a registration for somebody who has an ID token of a provider (specification §9.51). `name` is the
    /// name of a new account, if the ID token has no name.
    ///
    /// # Errors
    /// Those of [`callback`](Self::callback).
    pub async fn sign_in_with_id_token(
        &self,
        provider: &str,
        flow_token: &str,
        id_token: &str,
        name: Option<UserName>,
        client: impl Into<Visitor>,
    ) -> Result<SignInOutcome, AuthError> {
        let visitor = client.into();
        let client = visitor.address();
        let provider = self.provider(provider)?;
        if !provider.settings.takes_id_tokens() {
            return Err(AuthError::NotFound);
        }
        self.core.count_call(CALL_LIMITS, "", client).await?;
        let check = async {
            let flow = self.core.flows.open::<Native>(flow_token)?;
            if flow.content.provider != provider.settings.name() {
                return Err(AuthError::InvalidFlowToken);
            }
            match provider.remote.verify_native(id_token, &flow.content.nonce).await.map_err(refusal) {
                Ok(asserted) => Ok(Checked::Right((asserted, flow.jti))),
                Err(refused @ AuthError::ProviderRefused) => {
                    self.failed(None, client).await;
                    Ok(Checked::Wrong(refused))
                }
                Err(failure) => Err(failure),
            }
        };
        let (mut asserted, jti) = self.guess(client, check).await?;
        asserted.name = asserted.name.or(name.map(String::from));
        let spent = self.core.spend_flow(&jti).await?;
        let signed_in = self.account_of(provider, asserted, visitor).await;
        spent.after(&self.core, signed_in).await
    }
}
