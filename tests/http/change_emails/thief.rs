//! The thief's walk: somebody has the session of an owner and takes the account over, step by step. One link in the mail to the address
//! that was there first undoes all of it, also while the thief goes on.

use super::{NEW, ask, confirm, mail, moved, revert, unlimited, verified};
use crate::api_tokens::{token, works};
use crate::reset_passwords::reset_password::reset;
use crate::support::authenticator::Authenticator;
use crate::support::passkeys::passkey;
use crate::support::places::{Place, in_every_place};
use crate::support::{App, Call, EMAIL, PASSWORD, Tokens, registration};
use axum_auth_module::delivery::{EmailChangeMessage, EmailChangePurpose, PasswordResetMessage};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

in_every_place![
    the_link_to_the_first_address_undoes_the_whole_walk,
    the_link_undoes_the_walk_while_the_thief_goes_on,
];

const THIRD: &str = "third@example.com";
const OF_THE_THIEF: &str = "the password of the thief";
const OF_THE_OWNER: &str = "the password of the owner";

/// A host, the owner's account, and a session of it that a thief has.
pub(crate) async fn stolen(place: &Place) -> (App, Tokens) {
    let app = place.start_with(unlimited).await;
    verified(&app, EMAIL).await;
    let thief = steal(&app).await;
    (app, thief)
}

/// An hour later a thief has a session.
async fn steal(app: &App) -> Tokens {
    app.advance(3600);
    let thief = app.login(EMAIL).await;
    app.confirm_password(&thief.access).await;
    thief
}

/// The thief switches a second factor on.
async fn enrol(app: &App, thief: &Tokens) -> (Tokens, Authenticator) {
    app.enable(&thief.access).await.expect(200);
    let authenticator = app.authenticator(&thief.access).await;
    let thief = app.confirm_two_factor(&thief.access, &authenticator.code(app)).await.expect(200).tokens();
    app.next_step();
    (thief, authenticator)
}

/// The thief has a device trusted.
async fn trust(app: &App, authenticator: &Authenticator) {
    let challenge = app.login_call(THIRD, OF_THE_THIEF).await.expect(200).challenge().unwrap();
    let body = json!({ "code": authenticator.code(app), "trustDevice": true });
    let trusted = app.post("/auth/two-factor-challenge").challenge(&challenge, body).await.expect(200);
    assert!(trusted.device().is_some());
}

/// How many devices the account trusts.
async fn devices(app: &App, place: &Place, email: &str) -> usize {
    let stored = app.auth.admin().export(&place.user(email).await.id).await.unwrap();
    stored["trustedDevices"].as_array().unwrap().len()
}

fn forgot(app: &App, email: &str) -> Call {
    app.post("/auth/forgot-password").json(&json!({ "email": email }))
}

async fn the_link_to_the_first_address_undoes_the_whole_walk(place: &Place) {
    let app = place.start_with(unlimited).await;
    let owner = verified(&app, EMAIL).await;
    let (owners_token, mut owners_passkey) = (token(&app, &owner, &["demo:read"]).await, passkey());
    app.add_passkey(&owner.access, &mut owners_passkey).await;
    app.auth.background_work_finished().await;
    // A lock down also removes what a notice of the last seven days has told the owner of.
    app.advance(8 * 86_400);
    let thief = steal(&app).await;
    let before = place.user(EMAIL).await;

    // The thief moves the account to one address of the thief's, and then to another one.
    let (thief, to_the_owner) = moved(&app, &thief.access, EMAIL, NEW).await;
    app.confirm_password(&thief.access).await;
    let (thief, to_the_second) = moved(&app, &thief.access, NEW, THIRD).await;
    assert!(to_the_second.token.is_none(), "only the address that was there first has a link");
    // The thief puts up a second factor, adds a passkey and an API token, sets a password, and has a device trusted.
    app.confirm_password(&thief.access).await;
    let (thiefs_token, mut thiefs_passkey) = (token(&app, &thief, &["demo:read"]).await, passkey());
    app.add_passkey(&thief.access, &mut thiefs_passkey).await;
    let (thief, authenticator) = enrol(&app, &thief).await;
    let password = json!({ "currentPassword": PASSWORD, "password": OF_THE_THIEF, "passwordConfirmation": OF_THE_THIEF });
    let thief = app.put("/auth/user/password").bearer(&thief.access).json(&password).await;
    let thief = thief.expect(200).tokens();
    trust(&app, &authenticator).await;
    assert_eq!(devices(&app, place, THIRD).await, 1);
    // The thief has a reset token mailed, and asks for a fourth address.
    forgot(&app, THIRD).await.expect(200);
    let to_the_thief = app.outbox.next::<PasswordResetMessage>().await.token;
    let confirmed = json!({ "password": OF_THE_THIEF });
    app.post("/auth/user/confirm-password").bearer(&thief.access).json(&confirmed).await.expect(200);
    ask(&app, &thief.access, "fourth@example.com").await.expect(200);
    let fourth = mail(&app, "fourth@example.com", EmailChangePurpose::Confirm).await.token.unwrap();
    // Nobody else gets the address of the owner meanwhile.
    app.post("/auth/register").json(&registration(EMAIL)).await.refused(409, "email_taken");

    // Two days later the owner reads the mail and opens the link.
    app.advance(2 * 86_400);
    revert(&app, &to_the_owner.token.unwrap()).await.expect(200);

    // The account has its address again, and nothing of the thief.
    let after = place.user(EMAIL).await;
    assert_eq!(after.email_verified_at, before.email_verified_at);
    assert!(after.two_factor_secret.is_none() && after.password.is_empty());
    assert!(place.find(NEW).await.is_none() && place.find(THIRD).await.is_none());
    app.is_over(&thief).await;
    assert!(!works(&app, &thiefs_token).await);
    assert_eq!(devices(&app, place, EMAIL).await, 0);
    app.sign_in_with(&mut thiefs_passkey).await.refused(404, "unknown_passkey");
    // What was there before is still there.
    assert!(works(&app, &owners_token).await);
    app.sign_in_with(&mut owners_passkey).await.expect(200);
    for email in [EMAIL, NEW, THIRD] {
        for known in [PASSWORD, OF_THE_THIEF] {
            app.login_call(email, known).await.refused(401, "invalid_credentials");
        }
        reset(&app, email, &to_the_thief, OF_THE_THIEF).await.refused(422, "invalid_reset_token");
    }
    mail(&app, THIRD, EmailChangePurpose::Reverted).await;

    // A mail to the owner has the way back.
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    assert_eq!(way_back.email, EMAIL);
    reset(&app, EMAIL, &way_back.token, OF_THE_OWNER).await.expect(200);
    let owner = app.login_call(EMAIL, OF_THE_OWNER).await.expect(200);
    assert!(owner.challenge().is_none(), "the second factor of the thief is gone");
    let owner = owner.tokens();
    confirm(&app, &owner.access, &fourth).await.refused(422, "invalid_mail_token");
}

/// Everything that the session can do, again and again, until the session has ended. Returns how much of it succeeded.
async fn goes_on(app: Arc<App>, thief: Tokens, number: usize) -> usize {
    let (mut access, mut succeeded) = (thief.access, 0);
    for round in 0.. {
        let email = format!("thief-{number}-{round}@example.com");
        app.post("/auth/user/confirm-password").bearer(&access).json(&json!({ "password": PASSWORD })).await;
        let asked = ask(&app, &access, &email).await;
        app.enable(&access).json(&json!({ "force": true })).await;
        app.get("/auth/user/two-factor-secret-key").bearer(&access).await;
        let wanted = json!({ "name": "Thief's", "scopes": ["demo:read"] });
        app.post("/auth/user/api-tokens").bearer(&access).json(&wanted).await;
        if let Some(token) = app.outbox.take::<EmailChangeMessage>().and_then(|mail| mail.token) {
            let changed = confirm(&app, &access, &token).await;
            succeeded += usize::from(changed.status == 200);
            if let Some(tokens) = changed.session() {
                access = tokens.access;
            }
        }
        forgot(&app, &email).await;
        if asked.status == 401 {
            return succeeded;
        }
    }
    succeeded
}

/// Four clients with the session that all do so, once one of them has moved the account on from this address.
pub(crate) async fn walks(
    app: &Arc<App>,
    place: &Place,
    thief: &Tokens,
    from: &str,
) -> Vec<JoinHandle<usize>> {
    let walk = |number| tokio::spawn(goes_on(Arc::clone(app), thief.clone(), number));
    let walks: Vec<_> = (0..4).map(walk).collect();
    tokio::time::timeout(Duration::from_secs(60), async {
        while place.find(from).await.is_some() && walks.iter().any(|walk| !walk.is_finished()) {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    walks
}

/// After the walks: the account has its address, nothing of the thief, and a mail to the owner that lets the owner in.
pub(crate) async fn is_the_owners_again(app: &App, place: &Place, thief: &Tokens) {
    let account = place.user(EMAIL).await;
    assert!(account.password.is_empty() && account.two_factor_secret.is_none());
    assert!(account.email_verified_at.is_some());
    app.is_over(thief).await;
    app.auth.background_work_finished().await;
    let stored = app.auth.admin().export(&account.id).await.unwrap();
    assert_eq!(stored["apiTokens"], json!([]));
    let mut way_back = None;
    while let Some(mail) = app.outbox.take::<PasswordResetMessage>() {
        way_back = Some(mail).filter(|mail| mail.email == EMAIL).or(way_back);
    }
    reset(app, EMAIL, &way_back.expect("a way back").token, OF_THE_OWNER).await.expect(200);
    app.login_call(EMAIL, OF_THE_OWNER).await.expect(200);
}

async fn the_link_undoes_the_walk_while_the_thief_goes_on(place: &Place) {
    let (app, thief) = stolen(place).await;
    let (thief, to_the_owner) = moved(&app, &thief.access, EMAIL, NEW).await;
    let undo = to_the_owner.token.unwrap();
    let app = Arc::new(app);
    let walks = walks(&app, place, &thief, NEW).await;
    revert(&app, &undo).await.expect(200);
    for walk in walks {
        walk.await.unwrap();
    }
    is_the_owners_again(&app, place, &thief).await;
}
