//! A map of actions, one value for all of them, features that are enabled at start-up, and no features.

#[path = "../account.rs"]
mod account;

use account::Account;
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, AuthUser, StandardActions, async_trait, auth_module};
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::events::{Event, EventSink};
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::languages::{InvalidLanguage, Messages};
use axum_auth_module::passwords::PasswordVerifier;
use axum_auth_module::policy::{Policy, PolicyError};
use axum_auth_module::store::MemoryStore;
use axum_auth_module::user::NewUser;
use axum_auth_module::values::EmailAddress;
use std::error::Error;

/// A host's own action, beside the shipped one.
struct CreateAccount {
    default_plan: &'static str,
}

#[async_trait]
impl<U: AuthUser> CreatesNewUsers<U> for CreateAccount {
    async fn create(&self, data: RegistrationData, context: &ActionContext<U>) -> Result<U, ActionError> {
        let hash = context.passwords().hash(&data.password).await?;
        let user = NewUser::new(data.name.as_str(), data.email.as_str(), hash);
        Ok(context.users().create(user.with_extra("plan", self.default_plan)).await?)
    }
}

struct AuditLog;

#[async_trait]
impl EventSink for AuditLog {
    async fn handle(&self, _: Event) {}
}

struct LegacyHashes;

impl PasswordVerifier for LegacyHashes {
    fn recognises(&self, hash: &str) -> bool {
        hash.starts_with("legacy:")
    }

    fn verify(&self, _password: &str, _hash: &str) -> bool {
        false
    }
}

struct Colleagues;

#[async_trait]
impl<U: AuthUser> Policy<U> for Colleagues {
    async fn allows_email(&self, email: &EmailAddress, _: Option<&U>) -> Result<(), PolicyError> {
        match email.as_str().ends_with("@example.com") {
            true => Ok(()),
            false => Err(PolicyError::refused("not_a_colleague", "Use your address at example.com.")),
        }
    }
}

/// A type with two parameters, whose comma is none between two keys.
fn users<A, B>(_: A, _: B) -> MemoryUsers<Account> {
    MemoryUsers::default()
}

async fn shared_store() -> Result<MemoryStore, Box<dyn Error>> {
    Ok(MemoryStore::new())
}

fn french() -> Result<Messages, InvalidLanguage> {
    Messages::language("fr", |_| Option::<String>::None)
}

async fn everything() -> Result<AuthModule<Account>, Box<dyn Error>> {
    Ok(auth_module! {
        store: shared_store().await?,
        events: AuditLog,
        password_verifier: LegacyHashes,
        policy: Colleagues,
        messages: Messages::english().and(french()?),
        actions: { CreatesNewUsers: CreateAccount { default_plan: "free" } },
        user_repo: users::<u8, Option<u16>>(1, None),
        features: [REGISTRATION],
        config: testing::config().build()?
    })
}

fn decided_at_start_up(enabled: &str) -> Result<AuthModule<Account>, Box<dyn Error>> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: enabled(enabled.parse::<FeatureSet>()?) within [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { StandardActions },
    })
}

fn decided_at_start_up_or_not_at_all(
    enabled: Option<FeatureSet>,
) -> Result<AuthModule<Account>, Box<dyn Error>> {
    Ok(auth_module! {
        config: testing::config().build()?,
        features: enabled(enabled) within [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: StandardActions,
    })
}

fn bare() -> Result<AuthModule<Account>, Box<dyn Error>> {
    Ok(
        auth_module!(config: testing::config().build()?, features: [], user_repo: MemoryUsers::<Account>::default()),
    )
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    assert!(everything().await?.features().contains(Feature::REGISTRATION));
    assert!(decided_at_start_up("registration")?.features().contains(Feature::REGISTRATION));
    assert!(decided_at_start_up("")?.features().is_empty());
    assert!(decided_at_start_up("update-passwords").is_err());
    assert!(decided_at_start_up_or_not_at_all(None)?.features().contains(Feature::REGISTRATION));
    assert!(decided_at_start_up_or_not_at_all(Some([].into()))?.features().is_empty());
    assert!(bare()?.features().is_empty());
    Ok(())
}
