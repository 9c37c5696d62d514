//! The last mail to sign in.

use axum_auth_module::delivery::{
    AccountDeletionMessage, Delivers, EmailChangeMessage, EmailLoginMessage, InvitationMessage,
    SecurityNoticeMessage,
};
use axum_auth_module::{BoxError, async_trait};
use std::sync::{Arc, Mutex};

/// Keeps the last mail alone: a fuzzer sends millions.
#[derive(Clone, Default)]
pub struct Mails(Arc<Mutex<Option<EmailLoginMessage>>>);

impl Mails {
    /// The code and the token of the link.
    pub fn last(&self) -> (String, String) {
        let mail = self.0.lock().unwrap().take().expect("a mail");
        (mail.code.expect("a code"), mail.token.expect("a link"))
    }
}

#[async_trait]
impl Delivers<EmailLoginMessage> for Mails {
    async fn deliver(&self, message: EmailLoginMessage) -> Result<(), BoxError> {
        *self.0.lock().unwrap() = Some(message);
        Ok(())
    }
}

/// No target reads them.
#[async_trait]
impl Delivers<EmailChangeMessage> for Mails {
    async fn deliver(&self, _: EmailChangeMessage) -> Result<(), BoxError> {
        Ok(())
    }
}

#[async_trait]
impl Delivers<SecurityNoticeMessage> for Mails {
    async fn deliver(&self, _: SecurityNoticeMessage) -> Result<(), BoxError> {
        Ok(())
    }
}

#[async_trait]
impl Delivers<InvitationMessage> for Mails {
    async fn deliver(&self, _: InvitationMessage) -> Result<(), BoxError> {
        Ok(())
    }
}

#[async_trait]
impl Delivers<AccountDeletionMessage> for Mails {
    async fn deliver(&self, _: AccountDeletionMessage) -> Result<(), BoxError> {
        Ok(())
    }
}
