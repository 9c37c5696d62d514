//! Confirming in a session with a code in a mail. No HTTP.

use super::proof::{self, EmailProof, Expected};
use super::service::{EmailLoginService, EmailLoginStarted};
use super::{ACCOUNT_LIMITS, CONFIRM, CONFIRM_VERIFY};
use crate::client::ClientInfo;
use crate::core::{Ceremonies, Flow, FlowContent, FlowEpoch, Guess, Identity, Method, SessionCookie};
use crate::delivery::{EmailLoginMessage, EmailLoginPurpose};
use crate::error::AuthError;
use crate::events::AttemptKind;
use serde::{Deserialize, Serialize};

/// What the flow token of a confirmation holds.
#[derive(Serialize, Deserialize)]
struct Confirmation {
    /// The session.
    sid: String,
    /// The address to which the code was mailed.
    email: String,
    /// The mark of the user's credentials.
    #[serde(rename = "gen")]
    mark: String,
    #[serde(flatten)]
    expected: Expected,
    /// The epoch of the user's ceremonies.
    #[serde(default, rename = "ep", skip_serializing_if = "FlowEpoch::is_first")]
    epoch: FlowEpoch,
}

impl FlowContent for Confirmation {
    const PURPOSE: &'static str = "email-confirmation";
}

impl EmailLoginService {
    /// Has a code mailed to the verified address of the session's user (specification §9.26).
    ///
    /// # Errors
    /// [`AuthError::EmailNotVerified`]; [`AuthError::TooManyAttempts`].
    pub async fn request_confirmation(
        &self,
        who: &Identity,
        client: impl Into<ClientInfo>,
    ) -> Result<EmailLoginStarted, AuthError> {
        let (core, client) = (&self.core, client.into());
        if who.user().email_verified_at().is_none() {
            return Err(AuthError::EmailNotVerified);
        }
        core.begin(&CONFIRM, who, client.address).await?;
        let (user, id, options) = (who.user(), who.user_id(), core.config.email_login);
        let content = Confirmation {
            sid: who.session.session_id().to_owned(),
            email: user.email().to_owned(),
            mark: core.mark_of(user),
            expected: Expected::default().with_code(options.digits)?,
            epoch: core.flow_epoch(Ceremonies::OfCredentials, &id).await?,
        };
        let flow = core.flows.begin(content, options.lifetime)?;
        let message = EmailLoginMessage {
            email: user.email().to_owned(),
            name: Some(user.name().to_owned()),
            email_verified: true,
            purpose: EmailLoginPurpose::Confirmation,
            code: flow.content.expected.code.as_deref().cloned(),
            token: None,
            client: client.address.ip(),
            user_agent: client.user_agent.map(|text| text.to_string()),
            requested_at: core.now(),
            expires_at: flow.expires_at(),
            language: core.language_of(user),
        };
        self.send(message, Some(id), client.address);
        Ok(EmailLoginStarted { flow_token: core.flows.token(&flow)?, expires_in: core.flows.rest(&flow) })
    }

    /// Records that the user of the session reads the mailbox (specification §9.27). A browser session gets another cookie, and only
    /// that one has the confirmation.
    ///
    /// # Errors
    /// [`AuthError::InvalidFlowToken`], also if it was issued in another session, or if the credentials or the address have changed
    /// since; [`AuthError::InvalidLoginCode`]; [`AuthError::TooManyAttempts`].
    pub async fn confirm(
        &self,
        who: &Identity,
        flow_token: &str,
        code: &str,
        client: impl Into<ClientInfo>,
    ) -> Result<Option<SessionCookie>, AuthError> {
        let (core, client) = (&self.core, client.into().address);
        let acting = core.begin(&CONFIRM_VERIFY, who, client).await?;
        let proof = EmailProof::Code(proof::without_separators(code));
        let check = async {
            let flow = core.flows.open::<Confirmation>(flow_token)?;
            self.must_be_of(who, &flow).await?;
            let Confirmation { email, expected, .. } = &flow.content;
            let guess = Guess::of_account(AttemptKind::EmailCode, ACCOUNT_LIMITS, email, client);
            proof::check(core, &guess, (&flow.jti, expected), &proof).await
        };
        self.guess(client, check).await?;
        core.record_confirmation(&acting, Method::Email, None).await
    }

    /// Fails unless the ceremony was begun in this session, by the user as the user is now.
    async fn must_be_of(&self, who: &Identity, flow: &Flow<Confirmation>) -> Result<(), AuthError> {
        let (Confirmation { sid, email, mark, epoch, .. }, user) = (&flow.content, who.user());
        let is_of_session = sid == who.session.session_id() && email == user.email();
        let is_verified = user.email_verified_at().is_some();
        let is_current = self.core.is_mark_of(mark, user)
            && *epoch >= self.core.flow_epoch(Ceremonies::OfCredentials, &who.user_id()).await?;
        (is_of_session && is_verified && is_current).then_some(()).ok_or(AuthError::InvalidFlowToken)
    }
}

#[cfg(test)]
mod tests {
    use super::Confirmation;
    use crate::core::is_golden;

    #[test]
    fn the_golden_documents_of_a_confirmation() {
        for epoch in ["", r#","ep":7"#] {
            let fields = r#"{"sid":"ID","email":"ada@example.com","gen":"GEN","code":"12345678""#;
            is_golden::<Confirmation>("email-confirmation", &format!("{fields}{epoch}}}"));
        }
    }
}
