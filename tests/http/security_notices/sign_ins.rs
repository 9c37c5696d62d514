//! Of which sign-ins the owner of an account is told.

use super::{kinds, notices};
use crate::change_emails::{unlimited, verified};
use crate::email_login;
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{App, Builder, Call, EMAIL, PASSWORD, Tokens, at_once};
use axum_auth_module::delivery::SecurityNoticeKind::NewSignIn;
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::SharedMemoryStore;
use std::sync::Arc;

on_both_routers![
    another_client_with_another_user_agent_is_told,
    the_first_sign_in_of_the_client_that_has_registered_is_not_told,
    a_user_agent_is_known_for_thirty_days,
    a_session_that_is_older_than_what_is_remembered_counts,
    at_most_five_a_day_and_the_fifth_says_so,
    a_sign_in_by_mail_and_one_with_a_second_factor_are_told,
    with_a_store_that_forgets_nobody_is_told,
];

in_every_place![on_a_database_it_outlives_a_restart];

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const SAFARI: &str =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.4 Safari/605.1.15";

/// A host whose store counts as one that outlives a restart.
async fn remembering(place: &Place) -> App {
    let store = MemoryStore::with(Arc::new(place.clock.clone()), 500_000);
    let store = |module: Builder| module.shared_store(SharedMemoryStore::new(store));
    place.start_as(&place.clock, unlimited, store).await
}

/// Such a host, and a verified user who has registered with Firefox at the usual client.
async fn with_user() -> (App, Tokens) {
    let place = Place::memory();
    let app = remembering(&place).await;
    let register = app.post("/auth/register").json(&crate::support::registration(EMAIL));
    let tokens = register.header("user-agent", FIREFOX).await.expect(201).tokens();
    app.verify_address(EMAIL);
    (app, tokens)
}

fn login(app: &App, client: &str, user_agent: &str) -> Call {
    app.login_call(EMAIL, PASSWORD).from(client).header("user-agent", user_agent)
}

async fn another_client_with_another_user_agent_is_told() {
    let (app, _) = with_user().await;
    login(&app, "198.51.100.7", FIREFOX).await.expect(200);
    assert_eq!(kinds(&app).await, [], "the user agent of the registration");
    login(&app, "198.51.100.7", SAFARI).await.expect(200);
    assert_eq!(kinds(&app).await, [], "a client that the account knows");
    login(&app, "203.0.113.5", "Thief/1.0").await.expect(200);
    let told = notices(&app).await;
    let [notice] = &told[..] else { panic!("{} notices", told.len()) };
    assert_eq!((notice.kind, notice.email.as_str()), (NewSignIn, EMAIL));
    assert_eq!(notice.client.unwrap().to_string(), "203.0.113.5");
    assert_eq!((notice.user_agent.as_deref(), notice.device()), (Some("Thief/1.0"), None));
    assert!(notice.token.is_some() && !notice.is_last_of_day);
    login(&app, "203.0.113.6", "Thief/1.0").await.expect(200);
    login(&app, "203.0.113.5", "Thief/2.0").await.expect(200);
    assert_eq!(kinds(&app).await, []);
    app.login_call(EMAIL, "wrong").from("203.0.113.99").header("user-agent", "Thief/3.0").await.expect(401);
    assert_eq!(kinds(&app).await, [], "nobody has signed in");
    // The link ends the session of the thief.
    super::secure(&app, notice.token.as_deref().unwrap()).await.expect(200);
    assert!(app.users.by_email(EMAIL).unwrap().password.is_empty());
}

async fn the_first_sign_in_of_the_client_that_has_registered_is_not_told() {
    let (app, _) = with_user().await;
    login(&app, "192.0.2.1", SAFARI).await.expect(200);
    assert_eq!(kinds(&app).await, []);
    // The account forgets its clients with the password.
    app.auth.admin().end_all_sessions(&1).await.unwrap();
    login(&app, "192.0.2.1", "Other/1.0").await.expect(200);
    assert_eq!(kinds(&app).await, [NewSignIn]);
}

async fn a_user_agent_is_known_for_thirty_days() {
    let (app, _) = with_user().await;
    for _ in 0..3 {
        app.advance(29 * 86_400);
        login(&app, "198.51.100.7", FIREFOX).await.expect(200);
        assert_eq!(kinds(&app).await, []);
    }
    app.advance(31 * 86_400);
    login(&app, "198.51.100.8", FIREFOX).await.expect(200);
    assert_eq!(kinds(&app).await, [NewSignIn]);
}

/// The feature was switched on after the session had begun, or the store was replaced.
async fn a_session_that_is_older_than_what_is_remembered_counts() {
    let place = Place::memory();
    let app = place.start_with(unlimited).await;
    verified(&app, EMAIL).await;
    app.login_call(EMAIL, PASSWORD).from("198.51.100.7").header("user-agent", SAFARI).await.expect(200);
    let app = remembering(&place).await;
    login(&app, "203.0.113.5", SAFARI).await.expect(200);
    assert_eq!(kinds(&app).await, []);
    login(&app, "203.0.113.6", "Thief/1.0").await.expect(200);
    assert_eq!(kinds(&app).await, [NewSignIn]);
}

async fn at_most_five_a_day_and_the_fifth_says_so() {
    let (app, _) = with_user().await;
    let logins = (0..8)
        .map(|number| login(&app, &format!("203.0.113.{number}"), &format!("Thief/{number}")).into_future());
    for answer in at_once(logins).await {
        answer.expect(200);
    }
    let told = notices(&app).await;
    assert_eq!(told.len(), 5);
    assert_eq!(told.iter().filter(|notice| notice.is_last_of_day).count(), 1);
    app.advance(86_400);
    login(&app, "203.0.113.50", "Thief/50").await.expect(200);
    assert_eq!(kinds(&app).await, [NewSignIn], "the next day has notices of its own");
}

async fn a_sign_in_by_mail_and_one_with_a_second_factor_are_told() {
    let (app, tokens) = with_user().await;
    let begun = email_login::begin(&app, EMAIL).await;
    let code = email_login::with_code(&app, &begun.flow, begun.code());
    code.from("203.0.113.5").header("user-agent", "Thief/1.0").await.expect(200);
    assert_eq!(kinds(&app).await, [NewSignIn]);
    app.confirm_password(&tokens.access).await;
    let (_, authenticator) = super::enrol(&app, &tokens).await;
    let challenge = login(&app, "203.0.113.6", "Thief/2.0").await.expect(200).challenge().unwrap();
    assert_eq!(kinds(&app).await, [], "the second factor is missing");
    let passed = app.challenge(&challenge, &authenticator.code(&app)).from("203.0.113.6");
    passed.header("user-agent", "Thief/2.0").await.expect(200);
    assert_eq!(kinds(&app).await, [NewSignIn]);
}

async fn with_a_store_that_forgets_nobody_is_told() {
    let app = App::with_everything().await;
    verified(&app, EMAIL).await;
    login(&app, "203.0.113.5", "Thief/1.0").await.expect(200);
    assert_eq!(kinds(&app).await, []);
    let stores: Vec<_> = app.auth.posture().into_iter().filter(|found| found.option == "store").collect();
    assert!(stores.iter().any(|found| found.message.starts_with("nobody is told of new sign-ins")));
}

async fn on_a_database_it_outlives_a_restart(place: &Place) {
    if place.forgets() {
        return;
    }
    let app = place.start_with(unlimited).await;
    verified(&app, EMAIL).await;
    login(&app, "198.51.100.7", FIREFOX).await.expect(200);
    assert_eq!(kinds(&app).await, [NewSignIn]);
    let app = place.start_with(unlimited).await;
    login(&app, "198.51.100.9", FIREFOX).await.expect(200);
    assert_eq!(kinds(&app).await, []);
    login(&app, "203.0.113.5", "Thief/1.0").await.expect(200);
    assert_eq!(kinds(&app).await, [NewSignIn]);
}
