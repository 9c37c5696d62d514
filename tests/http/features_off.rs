//! What is off cannot be told from what never was (specification §4.3).

use super::support::answer::Answer;
use super::support::{App, EMAIL, Tokens, registration, visible};
use axum_auth_module::feature::{Feature, FeatureSet};

/// The routes of each feature, with a method that they take.
fn routes(feature: Feature) -> &'static [(&'static str, &'static str)] {
    match feature {
        Feature::Registration => &[("POST", "/register")],
        Feature::ResetPasswords => &[("POST", "/forgot-password"), ("POST", "/reset-password")],
        Feature::EmailVerification => {
            &[("GET", "/email/verify/1/x"), ("POST", "/email/verification-notification")]
        }
        Feature::UpdateProfileInformation => &[("PUT", "/user/profile-information")],
        Feature::UpdatePasswords => &[("PUT", "/user/password")],
        Feature::TwoFactorAuthentication => &[
            ("POST", "/user/two-factor-authentication"),
            ("DELETE", "/user/two-factor-authentication"),
            ("POST", "/user/confirmed-two-factor-authentication"),
            ("GET", "/user/two-factor-qr-code"),
            ("GET", "/user/two-factor-secret-key"),
            ("GET", "/user/two-factor-recovery-codes"),
            ("POST", "/user/two-factor-recovery-codes"),
            ("POST", "/two-factor-challenge"),
        ],
        unknown => panic!("the routes of {unknown} are missing here"),
    }
}

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];

/// The path's answers to one method: without a token, with one, and with bodies good and bad.
async fn answers(app: &App, method: &str, path: &str, tokens: &Tokens) -> Vec<Answer> {
    let call = || app.request(method.parse().unwrap(), &format!("/auth{path}"));
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

/// A host with these features on, among all that it is built with.
async fn only(features: FeatureSet) -> App {
    let app = App::with_everything_and(|config| config, |module| module.enabled(features).unwrap()).await;
    assert_eq!(app.auth.features(), features);
    app
}

/// Tokens of a user who need not have registered.
async fn tokens(app: &App) -> Tokens {
    use axum_auth_module::repository::UserRepository;
    use axum_auth_module::user::NewUser;
    let hash = bcrypt::hash(super::support::PASSWORD, 4).unwrap();
    app.users.create(NewUser::new("Ada", EMAIL, hash)).await.unwrap();
    app.login(EMAIL).await
}

async fn is_unknown(app: &App, feature: Feature, tokens: &Tokens) {
    for (_, path) in routes(feature) {
        for method in METHODS {
            let off = answers(app, method, path, tokens).await;
            let unknown = answers(app, method, "/nonsense", tokens).await;
            for (off, unknown) in off.into_iter().zip(unknown) {
                assert_eq!(off.status, 404, "{method} {path}: {}", off.text);
                assert_eq!(visible(&off), visible(&unknown), "{method} {path}");
            }
        }
    }
}

async fn is_there(app: &App, feature: Feature) {
    for (method, path) in routes(feature) {
        let answer = app.request(method.parse().unwrap(), &format!("/auth{path}")).await;
        assert!(matches!(answer.status, 401 | 415), "{method} {path}: {}", answer.text);
    }
}

#[tokio::test]
async fn each_feature_that_is_switched_off_is_an_unknown_route_and_the_others_are_there() {
    for off in FeatureSet::all().iter() {
        let app = only(FeatureSet::all().difference([off].into())).await;
        let tokens = tokens(&app).await;
        is_unknown(&app, off, &tokens).await;
        for on in FeatureSet::all().iter().filter(|on| *on != off) {
            is_there(&app, on).await;
        }
    }
}

#[tokio::test]
async fn each_feature_can_be_on_alone() {
    for on in FeatureSet::all().iter() {
        let app = only([on].into()).await;
        let tokens = tokens(&app).await;
        is_there(&app, on).await;
        for off in FeatureSet::all().iter().filter(|off| *off != on) {
            is_unknown(&app, off, &tokens).await;
        }
    }
}

#[tokio::test]
async fn a_module_without_features_has_the_five_routes_that_are_always_there() {
    let app = App::with(|config| config, |module| module).await;
    let tokens = tokens(&app).await;
    for feature in FeatureSet::all().iter() {
        is_unknown(&app, feature, &tokens).await;
    }
    for (method, path, status) in [
        ("POST", "/login", 415),
        ("POST", "/refresh", 415),
        ("POST", "/logout", 401),
        ("POST", "/user/confirm-password", 401),
        ("GET", "/user/confirmed-password-status", 401),
    ] {
        app.request(method.parse().unwrap(), &format!("/auth{path}")).await.expect(status);
    }
    app.confirm_password(&tokens.access).await;
}

#[tokio::test]
async fn the_services_of_features_that_are_off_are_not_there() {
    let app = only([Feature::ResetPasswords].into()).await;
    let services = app.auth.services();
    assert!(services.reset_passwords.is_some());
    assert!(services.registration.is_none() && services.email_verification.is_none());
    assert!(services.update_profile_information.is_none() && services.update_passwords.is_none());
    assert!(services.two_factor_authentication.is_none());
}
