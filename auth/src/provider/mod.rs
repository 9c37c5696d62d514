//! The methods of a host's providers, and a way to surround their calls: with faults in a test, and with a span and a measurement
//! otherwise.

#![allow(unreachable_pub, reason = "with the cargo feature `testing`, hosts plan faults for these methods")]
#![cfg_attr(not(feature = "testing"), allow(dead_code, reason = "only tests make calls fail"))]

pub(crate) mod declare;
mod surrounded;

pub use surrounded::Intercepted;

use crate::error::BoxError;
use std::fmt;

/// Generates the methods of providers and their names.
macro_rules! provider_methods {
    ($($variant:ident: $name:literal, $of:literal;)*) => {
        /// A method of a provider, as spans, metrics and the faults of tests name it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ProviderMethod {
            $(#[doc = concat!("`", $name, "`: ", $of, ".")] $variant,)*
        }

        impl ProviderMethod {
            /// All methods.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The provider and the method: `users.save`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The method with this name of this provider. In a constant, a name that is in no row does not compile.
            #[allow(clippy::panic, reason = "it is called in constants alone, where it is an error of the compiler")]
            pub(crate) const fn named(provider: &str, method: &str) -> Self {
                $(if is_joined($name.as_bytes(), provider.as_bytes(), method.as_bytes()) {
                    return Self::$variant;
                })*
                panic!("a method of a provider has no row in `provider_methods!`")
            }

            /// The provider alone: `users`.
            pub(crate) fn provider(self) -> &'static str {
                self.name().split_once('.').map_or("", |(provider, _)| provider)
            }

            /// The method alone: `save`.
            pub(crate) fn method(self) -> &'static str {
                self.name().split_once('.').map_or("", |(_, method)| method)
            }
        }
    };
}

provider_methods! {
    UsersFindById: "users.find_by_id", "`UserRepository::find_by_id`";
    UsersFindByField: "users.find_by_field", "`UserRepository::find_by_field`";
    UsersSave: "users.save", "`UserRepository::save`";
    UsersCreate: "users.create", "`UserRepository::create`";
    ResetsCreateToken: "resets.create_token", "`PasswordResetRepository::create_token`";
    ResetsFindByEmail: "resets.find_by_email", "`PasswordResetRepository::find_by_email`";
    ResetsDeleteByEmail: "resets.delete_by_email", "`PasswordResetRepository::delete_by_email`";
    PasskeysInsert: "passkeys.insert", "`PasskeyRepository::insert`";
    PasskeysFindByCredentialId: "passkeys.find_by_credential_id", "`PasskeyRepository::find_by_credential_id`";
    PasskeysFindByUser: "passkeys.find_by_user", "`PasskeyRepository::find_by_user`";
    PasskeysRecordUse: "passkeys.record_use", "`PasskeyRepository::record_use`";
    PasskeysRename: "passkeys.rename", "`PasskeyRepository::rename`";
    PasskeysDelete: "passkeys.delete", "`PasskeyRepository::delete`";
    PasskeysDeleteAll: "passkeys.delete_all", "`PasskeyRepository::delete_all`";
    IdentitiesInsert: "identities.insert", "`IdentityRepository::insert`";
    IdentitiesFindBySubject: "identities.find_by_subject", "`IdentityRepository::find_by_subject`";
    IdentitiesFindByUser: "identities.find_by_user", "`IdentityRepository::find_by_user`";
    IdentitiesRecordUse: "identities.record_use", "`IdentityRepository::record_use`";
    IdentitiesDelete: "identities.delete", "`IdentityRepository::delete`";
    IdentitiesDeleteAll: "identities.delete_all", "`IdentityRepository::delete_all`";
    ApiTokensInsert: "api_tokens.insert", "`ApiTokenRepository::insert`";
    ApiTokensFindById: "api_tokens.find_by_id", "`ApiTokenRepository::find_by_id`";
    ApiTokensFindByUser: "api_tokens.find_by_user", "`ApiTokenRepository::find_by_user`";
    ApiTokensRecordUse: "api_tokens.record_use", "`ApiTokenRepository::record_use`";
    ApiTokensDelete: "api_tokens.delete", "`ApiTokenRepository::delete`";
    ApiTokensDeleteAll: "api_tokens.delete_all", "`ApiTokenRepository::delete_all`";
    ApiTokensDeleteExpired: "api_tokens.delete_expired", "`ApiTokenRepository::delete_expired`";
    DeletionsSchedule: "deletions.schedule", "`DeletionRepository::schedule`";
    DeletionsFind: "deletions.find", "`DeletionRepository::find`";
    DeletionsCancel: "deletions.cancel", "`DeletionRepository::cancel`";
    DeletionsLeaseDue: "deletions.lease_due", "`DeletionRepository::lease_due`";
    DeletionsFinish: "deletions.finish", "`DeletionRepository::finish`";
    SessionsCreate: "sessions.create", "`SessionRepository::create`";
    SessionsFind: "sessions.find", "`SessionRepository::find`";
    SessionsFindByUser: "sessions.find_by_user", "`SessionRepository::find_by_user`";
    SessionsSwap: "sessions.swap", "`SessionRepository::swap`";
    SessionsTouch: "sessions.touch", "`SessionRepository::touch`";
    SessionsDelete: "sessions.delete", "`SessionRepository::delete`";
    SessionsDeleteAll: "sessions.delete_all", "`SessionRepository::delete_all`";
    SessionsDeleteExpired: "sessions.delete_expired", "`SessionRepository::delete_expired`";
    StoreGet: "store.get", "`EphemeralStore::get`";
    StorePut: "store.put", "`EphemeralStore::put`";
    StoreSwap: "store.swap", "`EphemeralStore::swap`";
    StoreDelete: "store.delete", "`EphemeralStore::delete`";
    StoreCount: "store.count", "`EphemeralStore::count`";
    StoreGiveBack: "store.give_back", "`EphemeralStore::give_back`";
    StoreDeleteExpired: "store.delete_expired", "`EphemeralStore::delete_expired`";
    Deliver: "delivery.deliver", "`Delivers::deliver`";
    HttpSend: "http.send", "`HttpClient::send`";
}

/// Whether a name is `provider.method`. Constants cannot compare texts.
const fn is_joined(name: &[u8], provider: &[u8], method: &[u8]) -> bool {
    match (name, provider, method) {
        ([b'.', name @ ..], [], method) => is_same(name, method),
        ([first, name @ ..], [other, provider @ ..], method) => {
            *first == *other && is_joined(name, provider, method)
        }
        _ => false,
    }
}

const fn is_same(name: &[u8], other: &[u8]) -> bool {
    match (name, other) {
        ([], []) => true,
        ([first, name @ ..], [second, other @ ..]) => *first == *second && is_same(name, other),
        _ => false,
    }
}

/// The name.
impl fmt::Display for ProviderMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What surrounds the calls of a provider.
pub trait Interceptor: Clone + Send + Sync + 'static {
    /// Makes a call, or fails in its place.
    fn around<T: Send, E: ProviderError>(
        &self,
        method: ProviderMethod,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> impl Future<Output = Result<T, E>> + Send;
}

/// The error of a provider's method, as a call can fail without the provider.
pub trait ProviderError: Send {
    /// The error with this cause. Only a repository and an HTTP client tell what cannot be reached from what fails.
    fn of(cause: BoxError, is_unavailable: bool) -> Self;

    /// Whether the provider works, and this is its answer.
    fn is_refusal(&self) -> bool;
}

impl ProviderError for BoxError {
    fn of(cause: BoxError, _is_unavailable: bool) -> Self {
        cause
    }

    fn is_refusal(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name() {
        for method in ProviderMethod::ALL {
            assert_eq!(ProviderMethod::named(method.provider(), method.method()), *method);
        }
        for (name, provider, method) in
            [("a.b", "a", "c"), ("a.b", "", "b"), ("a.b", "a.", "b"), ("ab", "a", "b")]
        {
            assert!(!is_joined(name.as_bytes(), provider.as_bytes(), method.as_bytes()), "{name}");
        }
    }
}
