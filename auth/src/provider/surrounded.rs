//! A provider whose calls are surrounded.

use super::{Around, ProviderMethod};
use crate::delivery::{AddressChanged, Channel, Delivers, Message};
use crate::error::BoxError;
use crate::repository::{
    PasswordResetRepository, RepositoryError, Seen, SessionKind, SessionRecord, SessionRepository,
    SessionState, SharedSessions, StoredResetToken, UserRepository, Whose,
};
use crate::store::{EphemeralStore, SharedStore, Slot, Window};
use crate::user::{AuthUser, NewUser, UserField, UserPatch};
use async_trait::async_trait;
use std::time::{Duration, SystemTime};

/// A provider, and what surrounds each of its calls.
#[derive(Clone)]
pub struct Surrounded<P, A> {
    pub(crate) provider: P,
    pub(crate) around: A,
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<U: AuthUser, R: UserRepository<User = U>, A: Around> UserRepository for Surrounded<R, A> {
    type User = U;

    async fn find_by_id(&self, id: &U::Id) -> Result<Option<U>, RepositoryError> {
        self.around.around(ProviderMethod::UsersFindById, self.provider.find_by_id(id)).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<U>, RepositoryError> {
        let work = self.provider.find_by_field(field, value);
        self.around.around(ProviderMethod::UsersFindByField, work).await
    }

    async fn save(&self, patch: UserPatch<U>) -> Result<U, RepositoryError> {
        self.around.around(ProviderMethod::UsersSave, self.provider.save(patch)).await
    }

    async fn create(&self, user: NewUser) -> Result<U, RepositoryError> {
        self.around.around(ProviderMethod::UsersCreate, self.provider.create(user)).await
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<R: PasswordResetRepository, A: Around> PasswordResetRepository for Surrounded<R, A> {
    async fn create_token(
        &self,
        email: &str,
        hashed_token: &str,
        created_at: SystemTime,
    ) -> Result<(), RepositoryError> {
        let work = self.provider.create_token(email, hashed_token, created_at);
        self.around.around(ProviderMethod::ResetsCreateToken, work).await
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<StoredResetToken>, RepositoryError> {
        self.around.around(ProviderMethod::ResetsFindByEmail, self.provider.find_by_email(email)).await
    }

    async fn delete_by_email(&self, email: &str) -> Result<(), RepositoryError> {
        self.around.around(ProviderMethod::ResetsDeleteByEmail, self.provider.delete_by_email(email)).await
    }
}

#[diagnostic::do_not_recommend]
impl<R: SharedSessions, A: Around> SharedSessions for Surrounded<R, A> {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<R: SessionRepository, A: Around> SessionRepository for Surrounded<R, A> {
    async fn create(&self, session: SessionRecord) -> Result<(), RepositoryError> {
        self.around.around(ProviderMethod::SessionsCreate, self.provider.create(session)).await
    }

    async fn find(&self, id: &str) -> Result<Option<SessionRecord>, RepositoryError> {
        self.around.around(ProviderMethod::SessionsFind, self.provider.find(id)).await
    }

    async fn find_by_user(
        &self,
        user_id: &str,
        kinds: &[SessionKind],
    ) -> Result<Vec<SessionRecord>, RepositoryError> {
        let work = self.provider.find_by_user(user_id, kinds);
        self.around.around(ProviderMethod::SessionsFindByUser, work).await
    }

    async fn swap(
        &self,
        id: &str,
        expected: &SessionState,
        state: &SessionState,
        expires_at: SystemTime,
    ) -> Result<bool, RepositoryError> {
        let work = self.provider.swap(id, expected, state, expires_at);
        self.around.around(ProviderMethod::SessionsSwap, work).await
    }

    async fn touch(&self, id: &str, seen: &Seen) -> Result<(), RepositoryError> {
        self.around.around(ProviderMethod::SessionsTouch, self.provider.touch(id, seen)).await
    }

    async fn delete(&self, id: &str) -> Result<bool, RepositoryError> {
        self.around.around(ProviderMethod::SessionsDelete, self.provider.delete(id)).await
    }

    async fn delete_all(
        &self,
        whose: Whose<'_>,
        kinds: &[SessionKind],
        except: Option<&str>,
    ) -> Result<u64, RepositoryError> {
        let work = self.provider.delete_all(whose, kinds, except);
        self.around.around(ProviderMethod::SessionsDeleteAll, work).await
    }

    async fn delete_expired(&self, now: SystemTime, at_most: u32) -> Result<u64, RepositoryError> {
        let work = self.provider.delete_expired(now, at_most);
        self.around.around(ProviderMethod::SessionsDeleteExpired, work).await
    }
}

#[diagnostic::do_not_recommend]
impl<S: SharedStore, A: Around> SharedStore for Surrounded<S, A> {}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<S: EphemeralStore, A: Around> EphemeralStore for Surrounded<S, A> {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BoxError> {
        self.around.around(ProviderMethod::StoreGet, self.provider.get(key)).await
    }

    async fn put(&self, key: &str, value: &[u8], ttl: Duration) -> Result<(), BoxError> {
        self.around.around(ProviderMethod::StorePut, self.provider.put(key, value, ttl)).await
    }

    async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: &[u8],
        ttl: Duration,
    ) -> Result<bool, BoxError> {
        self.around.around(ProviderMethod::StoreSwap, self.provider.swap(key, expected, value, ttl)).await
    }

    async fn delete(&self, key: &str) -> Result<(), BoxError> {
        self.around.around(ProviderMethod::StoreDelete, self.provider.delete(key)).await
    }

    async fn count(&self, key: &str, limit: u32, window: Duration) -> Result<Slot, BoxError> {
        self.around.around(ProviderMethod::StoreCount, self.provider.count(key, limit, window)).await
    }

    async fn give_back(&self, key: &str, window: Window) -> Result<(), BoxError> {
        self.around.around(ProviderMethod::StoreGiveBack, self.provider.give_back(key, window)).await
    }

    async fn delete_expired(&self, at_most: u32) -> Result<u64, BoxError> {
        self.around.around(ProviderMethod::StoreDeleteExpired, self.provider.delete_expired(at_most)).await
    }

    fn warnings(&self) -> Vec<String> {
        self.provider.warnings()
    }
}

#[async_trait]
#[diagnostic::do_not_recommend]
impl<M: Message, D: Delivers<M>, A: Around> Delivers<M> for Surrounded<D, A> {
    async fn deliver(&self, message: M) -> Result<(), BoxError> {
        self.around.around(ProviderMethod::Deliver, self.provider.deliver(message)).await
    }

    async fn address_changed(&self, notice: AddressChanged) -> Result<(), BoxError> {
        let work = self.provider.address_changed(notice);
        self.around.around(ProviderMethod::DeliverAddressChanged, work).await
    }

    fn channel(&self) -> Channel {
        self.provider.channel()
    }
}
