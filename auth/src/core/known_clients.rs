//! The clients from which an account has logged in: their guesses have counters of their own, so that strangers' guesses do not
//! lock out the owner (specification §17.4).

use super::Core;
use crate::client::ClientAddress;
use crate::clock::unix_seconds;
use crate::error::AuthError;
use crate::store::StoreKey;
use crate::telemetry::log;
use std::time::Duration;

/// For how long an account knows a client.
const KNOWN: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How often the last login of a client is written.
const PRECISION: u64 = 60 * 60;

impl Core {
    /// Whether the account with this id has logged in from this client within 30 days. An unknown address is no client.
    pub(crate) async fn knows(&self, user_id: &str, client: ClientAddress) -> Result<bool, AuthError> {
        match client.ip() {
            Some(_) => self.store.exists(StoreKey::KnownClient, &[user_id, &client.limit_key()]).await,
            None => Ok(false),
        }
    }

    /// The same for the account with this address. An address without an account takes the same work.
    pub(crate) async fn address_knows(&self, email: &str, client: ClientAddress) -> Result<bool, AuthError> {
        let user = self.users.find_by_email(email).await?;
        self.knows(user.map(|user| user.id_text()).as_deref().unwrap_or(email), client).await
    }

    /// Records a login, beside its response. A failure is only logged: the login has succeeded.
    pub(super) fn remember_client(&self, user_id: &str, client: ClientAddress) {
        if client.ip().is_none() {
            return;
        }
        let (store, user_id) = (self.store.clone(), user_id.to_owned());
        let hour = unix_seconds(self.now()) / PRECISION;
        self.background.spawn("remembering the client of a login", async move {
            let of = [user_id.as_str(), &client.limit_key()];
            if let Err(error) = store.raise(StoreKey::KnownClient, &of, hour, KNOWN).await {
                log::client_not_remembered(error.code().as_str());
            }
        });
    }
}
