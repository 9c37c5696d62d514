//! What is done in the name of a session (specification §11.9): services ask for the confirmation that their endpoints declare, and
//! what a slow policy or a slow action delays writes nothing after the end of the session.

use crate::reset_passwords::reset_password::NEW;
use crate::support::routers::on_both_routers;
use crate::support::{
    Account, App, Builder, EMAIL, PASSWORD, Tokens, addresses_of_profiles, endpoints_here, every_endpoint,
    memory_users,
};
use axum_auth_module::actions::{ActionContext, ActionError, ProfileData, UpdatesUserProfile};
use axum_auth_module::client::ClientAddress;
use axum_auth_module::config::{AuthConfigBuilder, TwoFactorOptions};
use axum_auth_module::endpoint::Credential;
use axum_auth_module::policy::{Policy, PolicyError};
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::services::{
    ApiTokensService, ChangeEmailsService, DeleteAccountsService, Identity, PasskeysService,
    SessionListService, SocialLoginService, TrustedDevicesService, TwoFactorAuthenticationService,
    UpdatePasswordsService, UpdateProfileInformationService, VisitOptions,
};
use axum_auth_module::store::MemoryStore;
use axum_auth_module::values::{EmailAddress, UserName};
use axum_auth_module::{AuthError, StandardActions, async_trait};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

on_both_routers![
    an_action_that_is_slow_writes_nothing_after_the_end_of_its_session,
    an_action_is_not_called_after_the_end_of_its_session,
    a_profile_update_continues_when_a_login_hashes_the_password_again,
    two_factor_routes_have_twenty_calls_a_minute,
];

const NOBODY: ClientAddress = ClientAddress::UNKNOWN;
const OTHER: &str = "mallory@example.com";

/// Calls the method of the service behind an endpoint.
pub(crate) async fn call_service(app: &App, operation: &str, who: &Identity) -> Result<(), AuthError> {
    let two_factor = app.auth.service::<TwoFactorAuthenticationService>().unwrap();
    let sessions = app.auth.service::<SessionListService>().unwrap();
    let passkeys = app.auth.service::<PasskeysService>().unwrap();
    let identities = app.auth.service::<SocialLoginService>().unwrap();
    let devices = app.auth.service::<TrustedDevicesService>().unwrap();
    match operation {
        "enableTwoFactorAuthentication" => two_factor.enable(who, false, NOBODY).await.map(drop),
        "confirmTwoFactorAuthentication" => two_factor.confirm(who, "000000", NOBODY).await.map(drop),
        "disableTwoFactorAuthentication" => two_factor.disable(who, NOBODY).await.map(drop),
        "twoFactorQrCode" => two_factor.qr_code(who, NOBODY).await.map(drop),
        "twoFactorSecretKey" => two_factor.secret_key(who, NOBODY).await.map(drop),
        "twoFactorRecoveryCodes" => two_factor.recovery_codes(who, NOBODY).await.map(drop),
        "regenerateTwoFactorRecoveryCodes" => {
            two_factor.regenerate_recovery_codes(who, NOBODY).await.map(drop)
        }
        "endSession" => sessions.end(who, who.session.session_id(), NOBODY).await,
        "endOtherSessions" => sessions.end_others(who, NOBODY).await.map(drop),
        "removePassword" => {
            app.auth.service::<UpdatePasswordsService>().unwrap().remove(who, NOBODY).await.map(drop)
        }
        "updateProfileInformation" => {
            let (name, email) = (UserName::parse("Ada").unwrap(), EmailAddress::parse(OTHER).unwrap());
            let profiles = app.auth.service::<UpdateProfileInformationService>().unwrap();
            profiles.update(who, ProfileData::new(name, email), NOBODY).await
        }
        "requestEmailChange" => {
            let service = app.auth.service::<ChangeEmailsService>().unwrap();
            service.request(who, &EmailAddress::parse(OTHER).unwrap(), NOBODY).await
        }
        "deleteAccount" => {
            app.auth.service::<DeleteAccountsService>().unwrap().schedule(who, NOBODY).await.map(drop)
        }
        "newPasskeyOptions" => passkeys.add_options(who, NOBODY).await.map(drop),
        "removePasskey" => passkeys.remove(who, "AAAAAAAAAAAAAAAAAAAAAA", NOBODY).await.map(drop),
        "createApiToken" => {
            let tokens = app.auth.service::<ApiTokensService>().unwrap();
            let new = tokens.checked("Backup", &["demo:read"], None).unwrap();
            tokens.create(who, new, NOBODY).await.map(drop)
        }
        "forgetTrustedDevice" => devices.forget(who, "AAAAAAAAAAAAAAAAAAAAAA", NOBODY).await,
        "forgetTrustedDevices" => devices.forget_all(who, NOBODY).await.map(drop),
        "authorizeIdentity" => {
            identities.authorize_link(who, "github", VisitOptions::default(), NOBODY).await.map(drop)
        }
        "unlinkIdentity" => identities.unlink(who, "AAAAAAAAAAAAAAAAAAAAAA", NOBODY).await.map(drop),
        other => panic!("{other} requires a confirmation: which method does its work?"),
    }
}

/// The endpoints that require a confirmation, with the options of these tests.
pub(crate) fn confirmed_operations() -> Vec<&'static str> {
    let endpoints = every_endpoint().into_iter();
    let declared = endpoints.filter(|endpoint| endpoint.credential == Credential::RecentConfirmation);
    declared.map(|endpoint| endpoint.operation).collect()
}

#[tokio::test]
async fn every_service_of_an_endpoint_with_confirmation_refuses_a_session_without_one() {
    let mut two_factor = TwoFactorOptions::default();
    two_factor.confirm_with_code = true;
    let config = move |config: AuthConfigBuilder| config.confirm_email_change(true).two_factor(two_factor);
    // With CHANGE_EMAILS no profile update changes the address.
    let profiles = App::with_everything_and(config, addresses_of_profiles).await;
    refuses_without_a_confirmation(&profiles, &["updateProfileInformation"]).await;
    let app = App::with_everything_and(config, |module| module).await;
    refuses_without_a_confirmation(&app, &confirmed_operations()).await;
}

async fn refuses_without_a_confirmation(app: &App, operations: &[&str]) {
    let tokens = app.register(EMAIL).await;
    app.verify_address(EMAIL);
    let unconfirmed = app.auth.authenticate(&tokens.access).await.unwrap();
    app.confirm_password(&tokens.access).await;
    let confirmed = app.auth.authenticate(&tokens.access).await.unwrap();
    for operation in operations {
        let refused = call_service(app, operation, &unconfirmed).await;
        assert!(
            matches!(refused, Err(AuthError::PasswordConfirmationRequired { .. })),
            "{operation}: {refused:?}"
        );
    }
    let user = app.users.by_email(EMAIL).unwrap();
    assert!(user.two_factor_secret.is_none() && user.two_factor_confirmed_at.is_none());
    app.me(&tokens.access).await.expect(200);
    // The control: no method asks a session with a confirmation for another one.
    for operation in ["updateProfileInformation", "twoFactorSecretKey", "endOtherSessions"] {
        let outcome = call_service(app, operation, &confirmed).await;
        assert!(
            !matches!(outcome, Err(AuthError::PasswordConfirmationRequired { .. })),
            "{operation}: {outcome:?}"
        );
    }
}

/// Lets a test act while a provider works.
#[derive(Clone)]
pub(crate) struct Latch {
    reached: Arc<Semaphore>,
    released: Arc<Semaphore>,
}

impl Latch {
    pub(crate) fn new() -> Self {
        Self { reached: Arc::new(Semaphore::new(0)), released: Arc::new(Semaphore::new(0)) }
    }

    /// In the provider.
    pub(crate) async fn pass(&self) {
        self.reached.add_permits(1);
        self.released.acquire().await.unwrap().forget();
    }

    pub(crate) async fn is_reached(&self) {
        self.reached.acquire().await.unwrap().forget();
    }

    pub(crate) fn release(&self) {
        self.released.add_permits(1);
    }
}

/// An action that takes its time before it writes.
struct Slow(Latch);

#[async_trait]
impl UpdatesUserProfile<Account> for Slow {
    async fn update(
        &self,
        user: &Account,
        data: ProfileData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        self.0.pass().await;
        StandardActions.update(user, data, context).await
    }
}

fn move_to_other(app: &Arc<App>, tokens: &Tokens) -> tokio::task::JoinHandle<(u16, String)> {
    let call = app.put("/auth/user/profile-information").bearer(&tokens.access);
    let call = call.json(&json!({ "name": "Mallory", "email": OTHER }));
    tokio::spawn(async move {
        let answer = call.await;
        (answer.status, answer.code().to_owned())
    })
}

/// The ways in which the owner ends the thief's session.
#[derive(Clone, Copy, Debug)]
enum End {
    Logout,
    Reset,
    PasswordChange,
}

async fn end(app: &App, thief: &Tokens, owner: &Tokens, end: End) {
    match end {
        End::Logout => drop(app.post("/auth/logout").bearer(&thief.access).await.expect(200)),
        End::Reset => {
            let token = crate::reset_passwords::reset_password::token(app, &app.outbox, EMAIL).await;
            crate::reset_passwords::reset_password::reset(app, EMAIL, &token, NEW).await.expect(200);
        }
        End::PasswordChange => {
            let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
            app.put("/auth/user/password").bearer(&owner.access).json(&body).await.expect(200);
        }
    }
}

async fn an_action_that_is_slow_writes_nothing_after_the_end_of_its_session() {
    for way in [End::Logout, End::Reset, End::PasswordChange] {
        let latch = Latch::new();
        let action = Slow(latch.clone());
        let module = |module: Builder| addresses_of_profiles(module.update_profile_information(action));
        let app = Arc::new(App::with_everything_and(|config| config, module).await);
        let (thief, owner) = (app.register(EMAIL).await, app.login(EMAIL).await);
        let request = move_to_other(&app, &thief);
        latch.is_reached().await;
        end(&app, &thief, &owner, way).await;
        latch.release();
        assert_eq!(request.await.unwrap(), (401, "unauthenticated".to_owned()), "{way:?}");
        assert!(app.users.by_email(OTHER).is_none(), "{way:?}");
        assert_eq!(app.users.by_email(EMAIL).unwrap().name, "Ada", "{way:?}");
    }
}

/// A policy that takes its time, before an action that writes without its context.
pub(crate) struct SlowPolicy(pub(crate) Latch);

#[async_trait]
impl Policy<Account> for SlowPolicy {
    async fn allows_email(&self, _: &EmailAddress, user: Option<&Account>) -> Result<(), PolicyError> {
        if user.is_some() {
            self.0.pass().await;
        }
        Ok(())
    }
}

struct Counts(Arc<AtomicUsize>);

#[async_trait]
impl UpdatesUserProfile<Account> for Counts {
    async fn update(
        &self,
        _: &Account,
        _: ProfileData,
        _: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

async fn an_action_is_not_called_after_the_end_of_its_session() {
    let (latch, calls) = (Latch::new(), Arc::new(AtomicUsize::new(0)));
    let (policy, action) = (SlowPolicy(latch.clone()), Counts(Arc::clone(&calls)));
    let module =
        |module: Builder| addresses_of_profiles(module.policy(policy).update_profile_information(action));
    let app = Arc::new(App::with_everything_and(|config| config, module).await);
    let thief = app.register(EMAIL).await;
    let request = move_to_other(&app, &thief);
    latch.is_reached().await;
    app.post("/auth/logout").bearer(&thief.access).await.expect(200);
    latch.release();
    assert_eq!(request.await.unwrap(), (401, "unauthenticated".to_owned()));
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    let owner = app.login(EMAIL).await;
    latch.release();
    assert_eq!(move_to_other(&app, &owner).await.unwrap().0, 200);
    assert_eq!(calls.load(Ordering::SeqCst), 1, "the control");
}

/// A login at an instance with a higher cost renews the hash while the action works. That is no change of the password.
async fn a_profile_update_continues_when_a_login_hashes_the_password_again() {
    let latch = Latch::new();
    let (users, sessions, store) = (memory_users(), MemorySessions::new(), MemoryStore::new());
    let instance = async |cost: u32| {
        let module = |module: Builder| {
            let module = module
                .update_profile_information(Slow(latch.clone()))
                .sessions(sessions.clone())
                .store(store.clone());
            addresses_of_profiles(module)
        };
        let config = |config: AuthConfigBuilder| config.bcrypt_cost(cost);
        Arc::new(App::with_everything_on(users.clone(), users.clone(), config, module).await)
    };
    let (cheap, dear) = (instance(4).await, instance(5).await);
    let tokens = cheap.register(EMAIL).await;
    let before = users.by_email(EMAIL).unwrap().password;
    let request = move_to_other(&cheap, &tokens);
    latch.is_reached().await;
    dear.login(EMAIL).await;
    assert_ne!(users.by_email(EMAIL).unwrap().password, before, "the login has hashed the password again");
    latch.release();
    assert_eq!(request.await.unwrap(), (200, String::new()));
    assert!(users.by_email(OTHER).is_some());
}

async fn two_factor_routes_have_twenty_calls_a_minute() {
    let app = App::with_everything().await;
    let tokens = app.confirmed_session(EMAIL).await;
    let regenerate = || app.post("/auth/user/two-factor-recovery-codes").bearer(&tokens.access);
    app.enable(&tokens.access).await.expect(200);
    for _ in 0..19 {
        regenerate().await.expect(200);
    }
    let refused = regenerate().await.refused(429, "too_many_attempts");
    assert_eq!(refused.header("retry-after"), Some("60"));
    app.get("/auth/user/two-factor-secret-key")
        .bearer(&tokens.access)
        .await
        .refused(429, "too_many_attempts");
    // Another account is not affected, nor is another route of this one.
    let other = app.confirmed_session("eve@example.com").await;
    app.enable(&other.access).await.expect(200);
    app.me(&tokens.access).await.expect(200);
    app.advance(60);
    regenerate().await.expect(200);
    let declared = endpoints_here()
        .into_iter()
        .filter(|endpoint| endpoint.limits.contains(&axum_auth_module::config::Limit::TwoFactorCalls));
    assert_eq!(declared.count(), 7);
}
