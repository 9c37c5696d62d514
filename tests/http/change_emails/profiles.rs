//! With CHANGE_EMAILS a profile update changes no address, and brings none back.

use super::{NEW, asked, confirm, mail, with_user};
use crate::every_route::acting::Latch;
use crate::support::routers::{self, on_both_routers};
use crate::support::{Account, App, EMAIL};
use axum_auth_module::actions::{ActionContext, ActionError, ProfileData, UpdatesUserProfile};
use axum_auth_module::async_trait;
use axum_auth_module::delivery::{AddressChanged, EmailChangePurpose, Notice};
use axum_auth_module::user::{UserChange, UserPatch};
use serde_json::json;

on_both_routers![
    an_update_with_another_address_is_refused,
    an_address_that_is_stored_with_capitals_is_no_other_address,
    an_update_that_began_before_a_confirmation_does_not_bring_the_address_back,
    an_action_that_changes_the_address_by_itself_leaves_it_unverified,
];

async fn an_update_with_another_address_is_refused() {
    let (app, tokens) = with_user().await;
    let update = |email: &str| {
        let body = json!({ "name": "Grace", "email": email });
        app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body)
    };
    assert_eq!(update(NEW).await.field_errors(), ["email: use_email_change"]);
    assert_eq!(app.users.by_email(EMAIL).unwrap().name, "Ada", "nothing was written");
    update(EMAIL).await.expect(200);
    let account = app.users.by_email(EMAIL).unwrap();
    assert!(account.name == "Grace" && account.email_verified_at.is_some());
}

/// As in a table that another program has filled: the address of a request is in lower case.
async fn an_address_that_is_stored_with_capitals_is_no_other_address() {
    let (app, tokens) = with_user().await;
    app.users.update(EMAIL, |user| user.email = "Ada@Example.com".to_owned());
    let body = json!({ "name": "Grace", "email": EMAIL });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await.expect(200);
    let account = app.users.by_email("Ada@Example.com").expect("the address stays as it is stored");
    assert!(account.name == "Grace" && account.email_verified_at.is_some());
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<Notice>().is_none());
}

/// Waits before it writes name and address.
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
        let patch = UserPatch::new(user.id).with(UserChange::Name(data.name.into()));
        context.users().save(patch.with(UserChange::Email(data.email.into()))).await?;
        Ok(())
    }
}

async fn an_update_that_began_before_a_confirmation_does_not_bring_the_address_back() {
    let latch = Latch::new();
    let slow = Slow(latch.clone());
    let app =
        App::with_everything_and(|config| config, |module| module.update_profile_information(slow)).await;
    let tokens = super::verified(&app, EMAIL).await;
    let token = asked(&app, &tokens.access, NEW).await;
    let body = json!({ "name": "Grace", "email": EMAIL });
    let update = app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body);
    let update = tokio::spawn(routers::on(routers::current(), update.into_future()));
    latch.is_reached().await;
    confirm(&app, &tokens.access, &token).await.expect(200);
    latch.release();
    let answer = update.await.unwrap();
    assert!([200, 401].contains(&answer.status), "{}", answer.status);
    let account = app.users.by_email(NEW).expect("the confirmed address stays");
    assert!(account.email_verified_at.is_some(), "and it stays verified");
    mail(&app, EMAIL, EmailChangePurpose::Changed).await;
    app.auth.background_work_finished().await;
    assert!(app.outbox.take::<Notice>().is_none(), "one change, one mail");
}

/// Gives the user another address, whatever was asked for.
struct Renames;

#[async_trait]
impl UpdatesUserProfile<Account> for Renames {
    async fn update(
        &self,
        user: &Account,
        _: ProfileData,
        context: &ActionContext<Account>,
    ) -> Result<(), ActionError> {
        let patch = UserPatch::new(user.id).with(UserChange::Email(NEW.to_owned()));
        context.users().save(patch).await?;
        Ok(())
    }
}

async fn an_action_that_changes_the_address_by_itself_leaves_it_unverified() {
    let app =
        App::with_everything_and(|config| config, |module| module.update_profile_information(Renames)).await;
    let tokens = super::verified(&app, EMAIL).await;
    let body = json!({ "name": "Grace", "email": EMAIL });
    app.put("/auth/user/profile-information").bearer(&tokens.access).json(&body).await.expect(200);
    assert!(app.users.by_email(NEW).unwrap().email_verified_at.is_none());
    let Notice::AddressChanged(AddressChanged { previous_email, .. }) = app.outbox.next::<Notice>().await
    else {
        panic!("another notice");
    };
    assert_eq!(previous_email, EMAIL);
}
