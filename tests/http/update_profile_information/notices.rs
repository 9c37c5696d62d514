//! A module that has no delivery of notices.

use super::{NEW, move_to};
use crate::support::logs::OfThisThread;
use crate::support::providers::Outbox;
use crate::support::routers::on_both_routers;
use crate::support::{App, Builder, EMAIL, memory_users};
use axum_auth_module::StandardActions;

on_both_routers![without_a_delivery_of_notices_a_notice_is_a_line_in_the_log];

async fn without_a_delivery_of_notices_a_notice_is_a_line_in_the_log() {
    let log = OfThisThread::record();
    let outbox = Outbox::default();
    let module = |builder: Builder| {
        builder
            .registration(StandardActions)
            .email_verification(outbox.clone())
            .update_profile_information(StandardActions)
            .browser_sessions()
    };
    let users = memory_users();
    let app = App::on(users.clone(), users, |config| config, module).await;
    let tokens = app.register(EMAIL).await;
    app.confirm_password(&tokens.access).await;
    let is_told = "a notice was not sent: the module has no delivery of notices";
    // The address is not verified.
    move_to(&app, &tokens.access, NEW).await.expect(200);
    assert_eq!(log.lines_with(is_told), 0);
    app.verify_address(NEW);
    move_to(&app, &tokens.access, EMAIL).await.expect(200);
    let lines: Vec<_> = log.lines().into_iter().filter(|line| line.contains(is_told)).collect();
    assert!(
        lines.len() == 1 && lines[0].contains("WARN") && lines[0].contains("a notice of a changed address")
    );
    assert!(!lines[0].contains("@"), "{lines:?}");
    assert!(outbox.is_empty());
}
