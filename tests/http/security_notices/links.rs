//! The link in a notice: it removes the whole visit of a thief, at the address of its owner, until the owner has answered.

use super::{change_password, enrol, notices, one, secure, with_user};
use crate::change_emails::{self, NEW, mail, moved, revert, unlimited, verified};
use crate::reset_passwords::reset_password::{NEW as OF_THE_THIEF, reset, token as reset_token};
use crate::support::places::{Place, in_every_place};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, EMAIL, PASSWORD, Tokens};
use axum_auth_module::delivery::{
    EmailChangePurpose, PasswordResetMessage, SecurityNoticeKind, SecurityNoticeMessage,
};
use axum_auth_module::testing::{Fault, Faults, ProviderMethod};
use std::sync::Arc;

on_both_routers![
    the_link_of_the_last_notice_removes_what_came_before_it,
    what_was_there_before_the_visit_stays,
    an_answered_notice_does_nothing_more,
    a_reset_ends_the_links_of_its_own_mailbox_only,
    an_account_that_was_moved_goes_back_first,
    an_account_that_cannot_go_back_is_locked_down_and_nobody_gets_a_mail,
    the_link_to_the_previous_address_removes_the_visit_of_a_notice_before_it,
    a_link_that_is_not_valid,
    a_lock_down_that_fails_anywhere_is_completed_by_the_same_link,
    a_closed_account_leaves_no_link_to_who_gets_its_id,
    all_links_of_a_client_count_towards_one_limit,
    a_get_with_a_mailed_token_changes_nothing,
];

in_every_place![the_link_of_a_notice_undoes_the_walk_while_the_thief_goes_on];

const OF_THE_OWNER: &str = "the password of the owner";

/// A thief in the session of an owner, an hour after the owner has used it. The password was confirmed.
async fn stolen() -> (App, Tokens) {
    let (app, _) = with_user().await;
    app.advance(3600);
    let thief = app.login(EMAIL).await;
    app.confirm_password(&thief.access).await;
    (app, thief)
}

/// The notice of a changed password, with its link.
async fn changed(app: &App, access: &str) -> (Tokens, String) {
    let tokens = change_password(app, access, PASSWORD, OF_THE_THIEF).await;
    (tokens, one(app, SecurityNoticeKind::PasswordChanged).await.token.unwrap())
}

/// The newest recovery mail of the account, with which its owner sets a password.
async fn recovered(app: &App, email: &str) -> Tokens {
    app.auth.background_work_finished().await;
    let mails: Vec<PasswordResetMessage> = std::iter::from_fn(|| app.outbox.take()).collect();
    let way_back = mails.last().expect("a recovery mail");
    assert_eq!(way_back.email, email);
    app.advance(1);
    reset(app, email, &way_back.token, OF_THE_OWNER).await.expect(200);
    let login = app.login_call(email, OF_THE_OWNER).await.expect(200);
    assert!(login.challenge().is_none(), "the second factor of the thief is gone");
    login.tokens()
}

/// The second factor comes first and the password last: the notice of the password undoes both.
async fn the_link_of_the_last_notice_removes_what_came_before_it() {
    let (app, thief) = stolen().await;
    let (thief, _) = enrol(&app, &thief).await;
    app.advance(600);
    let (thief, link) = changed(&app, &thief.access).await;
    let thief = change_password(&app, &thief.access, OF_THE_THIEF, "another password of the thief").await;
    app.advance(86_400);
    secure(&app, &link).await.expect(200);
    app.is_over(&thief).await;
    let account = app.users.by_email(EMAIL).unwrap();
    assert!(account.password.is_empty() && account.two_factor_secret.is_none());
    recovered(&app, EMAIL).await;
}

async fn what_was_there_before_the_visit_stays() {
    let (app, tokens) = with_user().await;
    let (_, authenticator) = enrol(&app, &tokens).await;
    // The owner has answered no notice, but after seven days nobody suspects the enrolment any more.
    app.advance(8 * 86_400);
    let challenge = app.challenge_token(EMAIL).await;
    let thief = app.challenge(&challenge, &authenticator.code(&app)).await.expect(200).tokens();
    app.next_step();
    let (_, link) = changed(&app, &thief.access).await;
    secure(&app, &link).await.expect(200);
    let account = app.users.by_email(EMAIL).unwrap();
    assert!(account.password.is_empty() && account.two_factor_confirmed_at.is_some());
    let way_back = app.outbox.next::<PasswordResetMessage>().await;
    reset(&app, EMAIL, &way_back.token, PASSWORD).await.expect(200);
    let challenge = app.challenge_token(EMAIL).await;
    app.challenge(&challenge, &authenticator.code(&app)).await.expect(200);
}

async fn an_answered_notice_does_nothing_more() {
    let (app, thief) = stolen().await;
    let (thief, first) = changed(&app, &thief.access).await;
    change_password(&app, &thief.access, OF_THE_THIEF, PASSWORD).await;
    let second = one(&app, SecurityNoticeKind::PasswordChanged).await.token.unwrap();
    secure(&app, &first).await.expect(200);
    let owner = recovered(&app, EMAIL).await;
    for link in [&first, &second] {
        secure(&app, link).await.expect(200);
    }
    app.me(&owner.access).await.expect(200);
    assert!(app.outbox.take::<PasswordResetMessage>().is_none(), "no second recovery mail");
    // A notice after the lock down has a link of its own.
    notices(&app).await;
    let account = app.users.by_email(EMAIL).unwrap();
    app.advance(60);
    change_password(&app, &owner.access, OF_THE_OWNER, PASSWORD).await;
    let third = one(&app, SecurityNoticeKind::PasswordChanged).await.token.unwrap();
    secure(&app, &third).await.expect(200);
    assert!(app.users.by_email(EMAIL).unwrap().password.is_empty() && !account.password.is_empty());
}

async fn a_reset_ends_the_links_of_its_own_mailbox_only() {
    let (app, thief) = stolen().await;
    let (thief, link) = changed(&app, &thief.access).await;
    app.advance(1);
    let token = reset_token(&app, &app.outbox, EMAIL).await;
    reset(&app, EMAIL, &token, PASSWORD).await.expect(200);
    app.is_over(&thief).await;
    secure(&app, &link).await.refused(422, "invalid_mail_token");
    notices(&app).await;
    app.advance(1);

    // A thief moves the account, and resets the password or locks the account down at the new address.
    let thief = app.login(EMAIL).await;
    app.confirm_password(&thief.access).await;
    let (thief, link) = changed(&app, &thief.access).await;
    let confirmed = serde_json::json!({ "password": OF_THE_THIEF });
    app.post("/auth/user/confirm-password").bearer(&thief.access).json(&confirmed).await.expect(200);
    moved(&app, &thief.access, EMAIL, NEW).await;
    app.advance(1);
    let token = reset_token(&app, &app.outbox, NEW).await;
    reset(&app, NEW, &token, PASSWORD).await.expect(200);
    notices(&app).await;
    app.advance(1);
    let thief = app.login(NEW).await;
    change_password(&app, &thief.access, PASSWORD, OF_THE_THIEF).await;
    let of_the_thief = one(&app, SecurityNoticeKind::PasswordChanged).await;
    assert_eq!(of_the_thief.email, NEW);
    secure(&app, &of_the_thief.token.unwrap()).await.expect(200);
    assert_eq!(app.outbox.next::<PasswordResetMessage>().await.email, NEW);
    secure(&app, &link).await.expect(200);
    recovered(&app, EMAIL).await;
    assert!(app.users.by_email(NEW).is_none());
}

async fn an_account_that_was_moved_goes_back_first() {
    let (app, thief) = stolen().await;
    let verified_at = app.users.by_email(EMAIL).unwrap().email_verified_at;
    let (thief, link) = changed(&app, &thief.access).await;
    let confirmed = serde_json::json!({ "password": OF_THE_THIEF });
    app.post("/auth/user/confirm-password").bearer(&thief.access).json(&confirmed).await.expect(200);
    let (thief, told) = moved(&app, &thief.access, EMAIL, NEW).await;
    secure(&app, &link).await.expect(200);
    app.is_over(&thief).await;
    let account = app.users.by_email(EMAIL).expect("the address is back");
    assert_eq!(account.email_verified_at, verified_at);
    mail(&app, NEW, EmailChangePurpose::Reverted).await;
    recovered(&app, EMAIL).await;
    // The link of the other mail has nothing left to do, and so has this one.
    let owner = app.login_call(EMAIL, OF_THE_OWNER).await.expect(200).tokens();
    revert(&app, &told.token.unwrap()).await.expect(200);
    secure(&app, &link).await.expect(200);
    app.me(&owner.access).await.expect(200);
}

async fn an_account_that_cannot_go_back_is_locked_down_and_nobody_gets_a_mail() {
    let app = App::with_addresses_of_profiles().await;
    let tokens = verified(&app, EMAIL).await;
    let (thief, link) = changed(&app, &tokens.access).await;
    let body = serde_json::json!({ "name": "Ada", "email": NEW });
    app.put("/auth/user/profile-information").bearer(&thief.access).json(&body).await.expect(200);
    secure(&app, &link).await.expect(200);
    let account = app.users.by_email(NEW).unwrap();
    assert!(account.password.is_empty());
    app.is_over(&thief).await;
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<PasswordResetMessage>().is_none(), "the address may be the thief's");
    secure(&app, &link).await.expect(200);
}

/// The thief shows the second factor up first, and moves the account a day later.
async fn the_link_to_the_previous_address_removes_the_visit_of_a_notice_before_it() {
    let (app, thief) = stolen().await;
    let (thief, _) = enrol(&app, &thief).await;
    app.advance(600);
    app.confirm_password(&thief.access).await;
    let (thief, told) = moved(&app, &thief.access, EMAIL, NEW).await;
    revert(&app, &told.token.unwrap()).await.expect(200);
    app.is_over(&thief).await;
    assert!(app.users.by_email(EMAIL).unwrap().two_factor_secret.is_none());
    recovered(&app, EMAIL).await;
}

async fn a_link_that_is_not_valid() {
    let (app, thief) = stolen().await;
    let (_, link) = changed(&app, &thief.access).await;
    for token in ["", "fl1.", "x", &link[..link.len() - 1], &format!("{link}A")] {
        let refused = secure(&app, token).await;
        assert_eq!(refused.status, 422, "{token}");
    }
    // Of another module with the same secrets, and of another purpose.
    let other = App::with_everything_and(unlimited, |module| module.realm("others")).await;
    verified(&other, EMAIL).await;
    secure(&other, &link).await.refused(422, "invalid_mail_token");
    revert(&app, &link).await.refused(422, "invalid_mail_token");
    app.users.update(EMAIL, |user| user.active = false);
    secure(&app, &link).await.refused(422, "invalid_mail_token");
    app.users.update(EMAIL, |user| user.active = true);
    app.advance(7 * 86_400);
    secure(&app, &link).await.refused(422, "expired_mail_token");
    assert!(!app.users.by_email(EMAIL).unwrap().password.is_empty());
}

async fn a_lock_down_that_fails_anywhere_is_completed_by_the_same_link() {
    for method in [
        ProviderMethod::UsersFindById,
        ProviderMethod::UsersSave,
        ProviderMethod::SessionsDeleteAll,
        ProviderMethod::ResetsDeleteByEmail,
        ProviderMethod::StoreGet,
        ProviderMethod::StoreSwap,
        ProviderMethod::StoreDelete,
    ] {
        for number in 1.. {
            let (place, faults) = (Place::memory(), Faults::new());
            let app = place.start_faulty(&faults, unlimited).await;
            let tokens = app.confirmed_session(EMAIL).await;
            app.verify_address(EMAIL);
            let (thief, link) = changed(&app, &tokens.access).await;
            app.auth.background_work_finished().await;
            faults.nth(method, number, Fault::FailsAfterwards);
            let first = secure(&app, &link).await;
            let has_failed = faults.have_happened();
            faults.heal();
            // The turn of a mail that has failed ends by itself.
            app.advance(60);
            secure(&app, &link).await.expect(200);
            app.is_over(&thief).await;
            assert!(place.user(EMAIL).await.password.is_empty(), "{method} {number}: {}", first.status);
            recovered(&app, EMAIL).await;
            if !has_failed {
                assert_eq!(first.status, 200);
                break;
            }
        }
    }
}

/// A database may give the id of a deleted user to another one.
async fn a_closed_account_leaves_no_link_to_who_gets_its_id() {
    let (app, thief) = stolen().await;
    let (_, link) = changed(&app, &thief.access).await;
    app.auth.close_account(&1).await.unwrap();
    let other = Account { id: 1, email: "eve@example.com".into(), ..app.users.by_email(EMAIL).unwrap() };
    app.users.update(EMAIL, |user| *user = other.clone());
    let owner = app.login_call("eve@example.com", OF_THE_THIEF).await.expect(200).tokens();
    secure(&app, &link).await.refused(422, "invalid_mail_token");
    app.me(&owner.access).await.expect(200);
}

async fn all_links_of_a_client_count_towards_one_limit() {
    let app = App::with_everything().await;
    for _ in 0..10 {
        secure(&app, "x").await.refused(422, "invalid_mail_token");
        revert(&app, "x").await.refused(422, "invalid_mail_token");
    }
    secure(&app, "x").await.refused(429, "too_many_attempts");
    secure(&app, "x").from("192.0.2.77").await.refused(422, "invalid_mail_token");
}

/// Programs that scan mails open what is in them.
async fn a_get_with_a_mailed_token_changes_nothing() {
    let (app, thief) = stolen().await;
    let (thief, notice) = changed(&app, &thief.access).await;
    let confirmed = serde_json::json!({ "password": OF_THE_THIEF });
    app.post("/auth/user/confirm-password").bearer(&thief.access).json(&confirmed).await.expect(200);
    let (thief, told) = moved(&app, &thief.access, EMAIL, NEW).await;
    app.post("/auth/user/confirm-password").bearer(&thief.access).json(&confirmed).await.expect(200);
    let change = change_emails::asked(&app, &thief.access, "third@example.com").await;
    let reset = reset_token(&app, &app.outbox, NEW).await;
    let before = app.users.by_email(NEW).unwrap();
    for (path, token) in [
        ("/auth/account/secure", &notice),
        ("/auth/email/revert", &told.token.unwrap()),
        ("/auth/user/email-change/confirm", &change),
        ("/auth/reset-password", &reset),
    ] {
        let path = format!("{path}?token={token}");
        let opened = app.get(&path).bearer(&thief.access).await;
        opened.refused(405, "method_not_allowed");
        app.request(reqwest::Method::HEAD, &path).bearer(&thief.access).await.expect(405);
    }
    let after = app.users.by_email(NEW).unwrap();
    assert_eq!((before.password, before.email_verified_at), (after.password, after.email_verified_at));
    app.me(&thief.access).await.expect(200);
    secure(&app, &notice).await.expect(200);
}

/// The thief's walk, with a notice's link alone: the account moves on and on while the owner opens the link.
async fn the_link_of_a_notice_undoes_the_walk_while_the_thief_goes_on(place: &Place) {
    let (app, thief) = change_emails::stolen(place).await;
    let (thief, link) = {
        app.enable(&thief.access).await.expect(200);
        let authenticator = app.authenticator(&thief.access).await;
        let confirmed = app.confirm_two_factor(&thief.access, &authenticator.code(&app)).await;
        let notice: SecurityNoticeMessage = app.outbox.next().await;
        assert_eq!((notice.kind, notice.email.as_str()), (SecurityNoticeKind::TwoFactorEnabled, EMAIL));
        (confirmed.expect(200).tokens(), notice.token.unwrap())
    };
    let app = Arc::new(app);
    let walks = change_emails::walks(&app, place, &thief, EMAIL).await;
    secure(&app, &link).await.expect(200);
    for walk in walks {
        walk.await.unwrap();
    }
    change_emails::is_the_owners_again(&app, place, &thief).await;
}
