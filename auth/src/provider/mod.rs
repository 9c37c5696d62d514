//! The methods of a host's providers, and a way to surround their calls: with faults in a test, and with a span and a measurement
//! otherwise.

#![allow(unreachable_pub, reason = "with the cargo feature `testing`, hosts plan faults for these methods")]
#![cfg_attr(not(feature = "testing"), allow(dead_code, reason = "only tests make calls fail"))]

mod surrounded;
mod watch;

pub use surrounded::Surrounded;
pub(crate) use watch::{Watch, watched_action};

use crate::error::BoxError;
use crate::repository::RepositoryError;
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
    DeliverAddressChanged: "delivery.address_changed", "`Delivers::address_changed`";
}

/// The name.
impl fmt::Display for ProviderMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What surrounds the calls of a provider.
pub trait Around: Clone + Send + Sync + 'static {
    /// Makes a call, or fails in its place.
    fn around<T: Send, E: ProviderError>(
        &self,
        method: ProviderMethod,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> impl Future<Output = Result<T, E>> + Send;
}

/// The error of a provider's method, as a call can fail without the provider.
pub trait ProviderError: Send {
    /// The error with this cause. Only a repository tells one that cannot be reached from one that fails.
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

impl ProviderError for RepositoryError {
    fn of(cause: BoxError, is_unavailable: bool) -> Self {
        if is_unavailable { Self::Unavailable(cause) } else { Self::Other(cause) }
    }

    fn is_refusal(&self) -> bool {
        !matches!(self, Self::Other(_) | Self::Unavailable(_))
    }
}
