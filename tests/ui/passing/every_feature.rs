//! Every feature with all its providers: each by its name, and one value for several. Together the two modules contain
//! every word of the macro; `tests/macros/every_feature.rs` writes the lists.

#[path = "../named_account.rs"]
mod account;

use account::Account;
use axum::body::Bytes;
use axum::http::{Request, Response};
use axum_auth_module::testing::{self, MemoryUsers, SharedMemoryStore};
use axum_auth_module::{AuthModule, BoxError, InResponse, StandardActions, async_trait, auth_module};
use axum_auth_module::AuthConfig;
use axum_auth_module::config::{ConfigError, RelyingParty, ServiceKeys};
use axum_auth_module::delivery::{Delivers, Message};
use axum_auth_module::events::EventChannel;
use axum_auth_module::feature::Feature;
use axum_auth_module::http::{HttpClient, HttpError};
use axum_auth_module::social::{SocialProvider, SocialProviders};
use axum_auth_module::store::MemoryStore;

/// A host's own way to its users. It cannot be cloned, and one of it serves every feature.
struct Mailer;

#[async_trait]
impl<M: Message> Delivers<M> for Mailer {
    async fn deliver(&self, _: M) -> Result<(), BoxError> {
        Ok(())
    }
}

/// A host's own way to other servers, which are not there.
struct Offline;

#[async_trait]
impl HttpClient for Offline {
    async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        Err(HttpError::not_sent("there is no network"))
    }
}

fn providers() -> Result<SocialProviders, ConfigError> {
    SocialProviders::new([SocialProvider::github("id", "secret", "https://app.example/auth/oauth/github/callback")])
}

fn service_keys() -> Result<ServiceKeys, ConfigError> {
    let keys = ServiceKeys::pem(&ServiceKeys::new_ed25519_pem().unwrap())?;
    Ok(keys.issuer("https://app.example").audiences(["billing"]))
}

fn config() -> Result<AuthConfig, ConfigError> {
    let site = RelyingParty::new("example.com", "Example", ["https://example.com"])?;
    testing::config().relying_party(site).build()
}

fn each_by_its_name() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: config()?,
        features: [
            REGISTRATION,
            RESET_PASSWORDS,
            EMAIL_VERIFICATION,
            UPDATE_PROFILE_INFORMATION,
            UPDATE_PASSWORDS,
            TWO_FACTOR_AUTHENTICATION,
            SESSIONS,
            BROWSER_SESSIONS,
            EMAIL_LOGIN,
            PASSWORDLESS_REGISTRATION,
            CHANGE_EMAILS,
            SECURITY_NOTICES,
            DELETE_ACCOUNTS,
            USERNAMES,
            PASSKEYS,
            SOCIAL_LOGIN,
            API_TOKENS,
            TRUSTED_DEVICES,
            INVITATIONS,
            SERVICE_TOKENS,
        ],
        user_repo: MemoryUsers::<Account>::default(),
        // Every other provider.
        password_reset_repo: testing::MemoryPasswordResets::default(),
        session_repo: testing::SharedMemorySessions::default(),
        deletion_repo: testing::MemoryDeletions::default(),
        passkey_repo: testing::MemoryPasskeys::default(),
        identity_repo: testing::MemoryIdentities::default(),
        social_providers: providers()?,
        http_client: Offline,
        api_token_repo: testing::MemoryApiTokens::default(),
        api_scopes: axum_auth_module::config::ApiScopes::new(["orders:read"])?,
        service_keys: service_keys()?,
        actions: {
            CreatesNewUsers: StandardActions,
            ResetsUserPasswords: StandardActions,
            UpdatesUserProfile: StandardActions,
            UpdatesUserPasswords: StandardActions,
            CreatesPasswordlessUsers: StandardActions,
            DeletesUsers: MemoryUsers::<Account>::default(),
        },
        delivery: {
            PasswordReset: Mailer,
            EmailVerification: InResponse,
            EmailLogin: Mailer,
            EmailChange: Mailer,
            SecurityNotice: Mailer,
            AccountDeletion: Mailer,
            Invitation: Mailer,
            Notices: Mailer,
        },
        events: EventChannel::new(1),
        store: MemoryStore::new(),
        realm: "customers",
        deployment: one,
    })
}

fn one_value_for_many() -> Result<AuthModule<Account>, ConfigError> {
    Ok(auth_module! {
        config: config()?,
        features: enabled(Feature::ALL) within [
            SERVICE_TOKENS,
            INVITATIONS,
            TRUSTED_DEVICES,
            API_TOKENS,
            SOCIAL_LOGIN,
            PASSKEYS,
            USERNAMES,
            DELETE_ACCOUNTS,
            SECURITY_NOTICES,
            CHANGE_EMAILS,
            PASSWORDLESS_REGISTRATION,
            EMAIL_LOGIN,
            BROWSER_SESSIONS,
            SESSIONS,
            TWO_FACTOR_AUTHENTICATION,
            UPDATE_PASSWORDS,
            UPDATE_PROFILE_INFORMATION,
            EMAIL_VERIFICATION,
            RESET_PASSWORDS,
            REGISTRATION,
        ],
        user_repo: MemoryUsers::<Account>::default(),
        // Every other provider.
        password_reset_repo: testing::MemoryPasswordResets::default(),
        session_repo: testing::SharedMemorySessions::default(),
        deletion_repo: testing::MemoryDeletions::default(),
        passkey_repo: testing::MemoryPasskeys::default(),
        identity_repo: testing::MemoryIdentities::default(),
        social_providers: providers()?,
        http_client: Offline,
        api_token_repo: testing::MemoryApiTokens::default(),
        api_scopes: axum_auth_module::config::ApiScopes::new(["orders:read"])?,
        service_keys: service_keys()?,
        actions: { DeletesUsers: MemoryUsers::<Account>::default(), ..StandardActions },
        delivery: Mailer,
        store: SharedMemoryStore::default(),
        deployment: many,
    })
}

pub(crate) fn main() -> Result<(), ConfigError> {
    for module in [each_by_its_name()?, one_value_for_many()?] {
        assert!(Feature::ALL.iter().all(|feature| module.features().contains(*feature)));
    }
    Ok(())
}
