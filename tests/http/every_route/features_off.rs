//! What is off cannot be told from what never was (specification §4.3).

use super::declarations::{call, path};
use crate::support::answer::Answer;
use crate::support::routers::{self, on_both_routers};
use crate::support::{App, Builder, EMAIL, Tokens, endpoints_here, memory_users, registration, visible};
use axum_auth_module::endpoint::{Credential, Endpoint, RouterKind};
use axum_auth_module::feature::{EnabledFeatures, Feature, FeatureSet};
use axum_auth_module::repository::MemorySessions;
use axum_auth_module::services::{LoginService, PasswordConfirmationService};
use axum_auth_module::{AuthModule, AuthModuleBuilder, StandardActions, testing};

on_both_routers![
    each_feature_that_is_switched_off_is_an_unknown_route_and_the_others_are_there,
    each_feature_can_be_on_with_what_it_requires_alone,
    a_module_without_features_has_the_routes_that_are_always_there,
];

/// The methods and paths of a feature's endpoints, as they declare them.
fn routes(feature: Feature) -> Vec<(&'static str, String)> {
    let endpoints = endpoints_here().into_iter().filter(|endpoint| endpoint.feature == Some(feature));
    endpoints.map(|endpoint| (endpoint.method.as_str(), path(&endpoint))).collect()
}

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];

/// The path's answers to one method: without a token, with one, and with bodies good and bad.
async fn answers(app: &App, method: &str, path: &str, tokens: &Tokens) -> Vec<Answer> {
    let call = || app.request(method.parse().unwrap(), path);
    vec![
        call().await,
        call().bearer(&tokens.access).await,
        call().bearer("x").await,
        call().bearer(&tokens.access).json(&registration("new@example.com")).await,
        call().body("text/plain", "x").await,
        call().body("application/json", "{").await,
        call().body("application/json", "x".repeat(70_000)).await,
    ]
}

/// A host with these features on, among all that it is built with, and with the one that its router needs.
async fn only(features: FeatureSet) -> App {
    let features = routers::features(features.iter());
    let app = App::with_everything_and(|config| config, |module| module.enabled(features).unwrap()).await;
    assert_eq!(app.auth.features(), features);
    app
}

/// The features of a module with registration and password updates, or the error, after `enabled` with this value.
fn enabled_of_two(enabled: impl Into<EnabledFeatures>) -> Result<FeatureSet, String> {
    let config = testing::config().build().unwrap();
    let builder = AuthModule::builder(config, memory_users());
    let builder = builder.registration(StandardActions).update_passwords(StandardActions);
    let module = builder.enabled(enabled).and_then(AuthModuleBuilder::build);
    module.map(|module| module.features()).map_err(|error| error.to_string())
}

/// Tokens of a user who need not have registered.
async fn tokens(app: &App) -> Tokens {
    use axum_auth_module::repository::UserRepository;
    use axum_auth_module::user::NewUser;
    let hash = bcrypt::hash(crate::support::PASSWORD, 4).unwrap();
    app.users.create(NewUser::new("Ada", EMAIL, hash)).await.unwrap();
    app.login(EMAIL).await
}

async fn is_unknown(app: &App, feature: Feature, tokens: &Tokens) {
    are_unknown(app, routes(feature).into_iter().map(|(_, path)| path), tokens).await;
}

async fn are_unknown(app: &App, paths: impl Iterator<Item = String>, tokens: &Tokens) {
    let paths: Vec<_> = paths.collect();
    for method in METHODS {
        let unknown = answers(app, method, "/auth/nonsense", tokens).await;
        for path in &paths {
            for (off, unknown) in answers(app, method, path, tokens).await.iter().zip(&unknown) {
                assert_eq!(off.status, 404, "{method} {path}: {}", off.text);
                assert_eq!(visible(off), visible(unknown), "{method} {path}");
            }
        }
    }
}

async fn is_there(app: &App, feature: Feature) {
    let has_other_ways_in = app.auth.features().contains(Feature::EmailLogin);
    let endpoints = endpoints_here().into_iter().filter(|endpoint| endpoint.feature == Some(feature));
    for endpoint in endpoints.filter(|endpoint| has_other_ways_in || !endpoint.with_other_ways_in) {
        let (method, path) = (endpoint.method.as_str(), path(&endpoint));
        let answer = app.request(method.parse().unwrap(), &path).await;
        let is_known = ![404, 405].contains(&answer.status) && answer.status < 500;
        assert!(is_known, "{method} {path}: {}", answer.text);
    }
}

/// A feature with all that it requires.
fn with_required(feature: Feature) -> FeatureSet {
    let mut set = FeatureSet::from([feature]);
    for required in feature.requires().iter().filter_map(|required| required.any_of.first()) {
        with_required(*required).iter().for_each(|required| set.insert(required));
    }
    set
}

/// The features without which the router of the test still has routes.
fn switches() -> impl Iterator<Item = Feature> {
    FeatureSet::all().difference(routers::features([])).iter()
}

/// All features but this one and those that require it.
pub(crate) fn without(off: Feature) -> FeatureSet {
    FeatureSet::all().iter().filter(|feature| !with_required(*feature).contains(off)).collect()
}

/// A host whose setting is absent starts with what it has listed, whatever else this version of the library offers.
#[test]
fn without_a_set_every_listed_feature_is_enabled() {
    let listed = FeatureSet::from([Feature::Registration, Feature::UpdatePasswords]);
    assert_eq!(enabled_of_two(None), Ok(listed));
    assert_eq!(enabled_of_two(Some(listed)), Ok(listed));
    assert_eq!(enabled_of_two([Feature::Registration]), Ok([Feature::Registration].into()));
    assert_eq!(enabled_of_two(Some(FeatureSet::default())), Ok(FeatureSet::default()));
}

#[test]
fn a_set_with_a_feature_that_is_not_listed_is_an_error() {
    let refused = |features: &[Feature]| {
        let error = enabled_of_two(features).unwrap_err();
        assert!(error.contains("this module is built without reset-passwords"), "{error}");
    };
    refused(&[Feature::ResetPasswords]);
    refused(&[Feature::Registration, Feature::ResetPasswords]);
    refused(Feature::ALL);
    assert!(enabled_of_two(FeatureSet::all()).is_err());
}

async fn each_feature_that_is_switched_off_is_an_unknown_route_and_the_others_are_there() {
    for off in switches() {
        let app = only(without(off)).await;
        let tokens = tokens(&app).await;
        is_unknown(&app, off, &tokens).await;
        for on in app.auth.features().iter() {
            is_there(&app, on).await;
        }
    }
}

async fn each_feature_can_be_on_with_what_it_requires_alone() {
    for on in FeatureSet::all().iter() {
        let app = only(with_required(on)).await;
        let tokens = tokens(&app).await;
        is_there(&app, on).await;
        for off in FeatureSet::all().difference(app.auth.features()).iter() {
            is_unknown(&app, off, &tokens).await;
        }
    }
}

async fn a_module_without_features_has_the_routes_that_are_always_there() {
    let app = App::with(|config| config, |module| module).await;
    let tokens = tokens(&app).await;
    for feature in switches() {
        is_unknown(&app, feature, &tokens).await;
    }
    let is_always_there = |endpoint: &Endpoint| endpoint.feature.is_none() && !endpoint.with_other_ways_in;
    let always: Vec<_> = endpoints_here().into_iter().filter(is_always_there).collect();
    assert_eq!(always.len(), if app.is_for_browsers() { 4 } else { 5 });
    for endpoint in &always {
        let status = match endpoint.credential_on(app.router) {
            Credential::NotRequired => 415,
            Credential::Optional => 200,
            _ => 401,
        };
        call(&app, endpoint).await.expect(status);
    }
    app.confirm_password(&tokens.access).await;
}

#[tokio::test]
async fn without_browser_sessions_the_browser_router_has_no_routes_and_cookies_are_ignored() {
    routers::on(RouterKind::Browser, async {
        let (users, sessions) = (memory_users(), MemorySessions::new());
        let start = |features: FeatureSet| {
            let (users, sessions) = (users.clone(), sessions.clone());
            let module = move |module: Builder| module.sessions(sessions).enabled(features).unwrap();
            App::with_everything_on(users.clone(), users, |config| config, module)
        };
        let (on, off) = (start(FeatureSet::all()).await, start(without(Feature::BrowserSessions)).await);
        let tokens = on.register(EMAIL).await;
        on.me(&tokens.access).await.expect(200);
        off.me(&tokens.access).await.refused(401, "unauthenticated");
        are_unknown(&off, endpoints_here().iter().map(path), &tokens).await;
    })
    .await;
}

#[tokio::test]
async fn the_services_that_are_always_there_need_no_feature() {
    let app = App::with(|config| config, |module| module).await;
    assert!(app.auth.service::<LoginService>().is_some());
    assert!(app.auth.service::<PasswordConfirmationService>().is_some());
}

/// The service is there if its feature is on and not otherwise. The tests of each feature call this.
pub(crate) async fn service_is_there_only_with<S: 'static>(feature: Feature) {
    assert!(only(with_required(feature)).await.auth.service::<S>().is_some(), "{feature} is on");
    assert!(only(without(feature)).await.auth.service::<S>().is_none(), "{feature} is off");
}
