//! The clients from which an account has logged in: over a longer time, their guesses have counters of their own, so that
//! strangers' guesses do not lock out the owner (specification §17.4).

use super::{Core, SignInRequest, best_effort};
use crate::client::ClientAddress;
use crate::clock::unix_seconds;
use crate::error::AuthError;
use crate::store::StoreKey;
use crate::telemetry::log;
use crate::user::User;
use std::time::Duration;

/// For how long an account knows a client.
const KNOWN: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// For how long an account remembers that it has forgotten its clients: longer than any client that it knew before.
const FORGOTTEN: Duration = Duration::from_secs(KNOWN.as_secs() + 24 * 60 * 60);
/// How often the last login of a client is written.
const PRECISION: u64 = 60 * 60;
/// Of so many pairs of a client and an address without an account, one counts as known.
const DECOYS: u8 = 4;

/// The time, in Unix seconds, since which an account knows clients: a login makes its client known under the epoch that was
/// valid before its credentials were checked for the last time. A later epoch makes the client unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Epoch(u64);

impl Epoch {
    /// The epoch of an account that has just been created.
    pub(crate) const FIRST: Self = Self(0);

    /// The number of a known client's entry: the epoch, and below it the hour of the last login, which has 24 bits until the
    /// year 3883. An entry of an earlier version of the library has the hour alone.
    const fn entry(self, hour: u64) -> u64 {
        self.0 << 24 | hour
    }

    const fn of_entry(number: u64) -> Self {
        Self(number >> 24)
    }
}

impl Core {
    /// Whether the account with this id has logged in from this client within 30 days, and has not forgotten its clients since.
    /// An unknown address is no client.
    pub(crate) async fn knows(&self, user_id: &str, client: ClientAddress) -> Result<bool, AuthError> {
        if client.ip().is_none() {
            return Ok(false);
        }
        let entry = self.store.number(StoreKey::KnownClient, &[user_id, &client.limit_key()]).await?;
        let epoch = self.client_epoch(user_id).await?;
        Ok(entry.is_some_and(|entry| Epoch::of_entry(entry) >= epoch))
    }

    /// [`knows`](Self::knows), for the account with this address.
    pub(crate) async fn address_knows(&self, email: &str, client: ClientAddress) -> Result<bool, AuthError> {
        let user = self.users.find_by_email(email).await?;
        self.user_knows(user.as_ref(), email, client).await
    }

    /// [`knows`](Self::knows), for the account that was found for an address. Without an account, a quarter of the pairs of the address and a
    /// client from which anybody has logged in count as known, after the same work: otherwise the limits of known clients would
    /// tell that an address has an account.
    pub(crate) async fn user_knows(
        &self,
        user: Option<&User>,
        email: &str,
        client: ClientAddress,
    ) -> Result<bool, AuthError> {
        if let Some(user) = user {
            return self.knows(&user.id_text(), client).await;
        }
        if client.ip().is_none() {
            return Ok(false);
        }
        let is_used = self.store.exists(StoreKey::UsedClient, &[&client.limit_key()]).await?;
        self.client_epoch(email).await?;
        // By the line: who has a whole network of clients must not find the quarter among them.
        let [first, ..] = self.decoys.mac(&[email.as_bytes(), client.line_key().as_bytes()]);
        Ok(is_used && first % DECOYS == 0)
    }

    /// Since when the account knows clients.
    pub(crate) async fn client_epoch(&self, user_id: &str) -> Result<Epoch, AuthError> {
        let since = self.store.number(StoreKey::ClientsForgotten, &[user_id]).await?;
        Ok(Epoch(since.unwrap_or_default()))
    }

    /// Has the features look at a sign-in and then records its client, beside the response. A failure is only logged: the sign-in has
    /// succeeded. A registration makes no client known.
    ///
    /// The epoch must have been read before the record was compared with the credentials for the last time: then no login with
    /// credentials that were replaced meanwhile makes its client known.
    pub(super) fn record_sign_in(&self, request: &SignInRequest<'_>, epoch: Epoch) {
        let (core, user, sign_in) = (self.clone(), User::clone(request.user), request.sign_in.detached());
        let (visitor, hour) = (request.visitor.clone(), unix_seconds(self.now()) / PRECISION);
        self.background.spawn("remembering the client of a login", async move {
            let request = SignInRequest { user: &user, sign_in, visitor: &visitor };
            for hook in &core.hooks {
                hook.signed_in(&core, &request).await;
            }
            let client = visitor.address();
            if sign_in.is_new_account() || client.ip().is_none() {
                return;
            }
            let (user_id, client) = (user.id_text(), client.limit_key());
            let of = [user_id.as_str(), &client];
            let remembered = async {
                core.store.raise(StoreKey::KnownClient, &of, epoch.entry(hour), KNOWN).await?;
                core.store.raise(StoreKey::UsedClient, &[&client], hour, KNOWN).await
            };
            if let Err(error) = remembered.await {
                log::client_not_remembered(error.code().as_str());
            }
        });
    }

    /// Makes every client of an account unknown, except for the acting one: that stays known if it was. To be called after the
    /// credentials were written or the sessions have ended.
    ///
    /// # Errors
    /// [`AuthError::Unavailable`] when the store cannot be reached.
    pub(crate) async fn forget_clients(&self, user_id: &str, acting: ClientAddress) -> Result<(), AuthError> {
        let stays = self.knows(user_id, acting).await?;
        // Later than the last one, even if the clock of another instance is ahead.
        let Epoch(last) = self.client_epoch(user_id).await?;
        let epoch = Epoch(unix_seconds(self.now()).max(last + 1));
        // If another request has raised it meanwhile, the clients were forgotten by that.
        self.store.raise(StoreKey::ClientsForgotten, &[user_id], epoch.0, FORGOTTEN).await?;
        if stays {
            let entry = epoch.entry(unix_seconds(self.now()) / PRECISION);
            self.store.raise(StoreKey::KnownClient, &[user_id, &acting.limit_key()], entry, KNOWN).await?;
        }
        Ok(())
    }

    /// Runs [`forget_clients`](Self::forget_clients) in the background. A failure is logged.
    pub(crate) fn forget_clients_later(&self, user_id: String, acting: ClientAddress) {
        let core = self.clone();
        self.background.spawn("forgetting the clients of an account", async move {
            let forget = core.forget_clients(&user_id, acting);
            best_effort("forgetting the clients of an account", core.config.store_timeout, forget).await;
        });
    }
}
