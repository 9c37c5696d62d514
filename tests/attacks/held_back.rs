//! Requests whose head arrives before the end of their session, and whose body arrives after it: for every endpoint that takes a
//! credential and a body, and for every way in which a session ends (ASVS 7.4.1, 7.4.3; specification §6.4).

use super::target::{Target, no_limits};
use crate::change_emails;
use crate::reset_passwords::reset_password::NEW;
use crate::support::authenticator::Authenticator;
use crate::support::held_back::{Held, HeldBack};
use crate::support::passkeys::{passkey, proof};
use crate::support::places::{Place, in_every_place};
use crate::support::provider::{self, Person, at_github, path_with_provider, visit};
use crate::support::routers::on_both_routers;
use crate::support::{Account, PASSWORD, Tokens, endpoints_here, forge};
use axum_auth_module::delivery::{EmailChangeMessage, EmailLoginMessage, PasswordResetMessage};
use axum_auth_module::endpoint::{Credential, Endpoint, EndpointBody, RouterKind};
use reqwest::Method;
use serde_json::{Value, json};

/// How many attacks the tests of this family make in memory on the bearer router: each of eighteen endpoints with each of thirteen ends.
pub(super) const ATTACKS: usize = 234;

on_both_routers![
    nothing_is_done_for_a_session_that_has_ended,
    an_endpoint_without_a_body_does_not_wait_for_one,
    the_rest_of_a_request_is_checked_in_the_order_of_the_specification,
    a_confirmation_that_ends_while_the_body_is_held_back_counts_no_more,
    a_route_of_the_host_with_a_body_does_nothing_for_a_session_that_has_ended,
];

in_every_place![nothing_is_written_after_a_reset_or_a_logout];

#[tokio::test]
async fn nothing_is_done_for_a_session_that_ended_with_a_refresh_token_that_was_used_again() {
    let place = Place::memory();
    let target = host(&place).await;
    for endpoint in with_body() {
        attack(&target, &place, &endpoint, End::Reuse).await;
    }
    target.finish(18).await;
}

/// How a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Logout,
    Revoked,
    OthersRevoked,
    PasswordChange,
    Reset,
    TwoFactorConfirmed,
    TwoFactorDisabled,
    Suspension,
    Deletion,
    AddressChange,
    LockDown,
    Administrator,
    AdministratorForAll,
    Reuse,
}

/// Those that both routers have.
const ENDS: [End; 13] = [
    End::Logout,
    End::Revoked,
    End::OthersRevoked,
    End::PasswordChange,
    End::Reset,
    End::TwoFactorConfirmed,
    End::TwoFactorDisabled,
    End::Suspension,
    End::Deletion,
    End::AddressChange,
    End::LockDown,
    End::Administrator,
    End::AdministratorForAll,
];

async fn host(place: &Place) -> Target {
    Target::at(place, |config| config.limits(no_limits())).await
}

fn is_with_credential(endpoint: &Endpoint, router: RouterKind) -> bool {
    matches!(
        endpoint.credential_on(router),
        Credential::Session | Credential::RecentConfirmation | Credential::ConfirmationWithoutPassword
    )
}

/// The endpoints that take a credential and a body.
fn with_body() -> Vec<Endpoint> {
    let router = crate::support::routers::current();
    let mut endpoints = endpoints_here();
    endpoints.retain(|endpoint| {
        is_with_credential(endpoint, router) && !matches!(endpoint.body, EndpointBody::None)
    });
    endpoints
}

/// A user, the session that a thief has, and the owner's.
struct Theft {
    email: String,
    thief: Tokens,
    owner: Tokens,
    authenticator: Option<Authenticator>,
}

impl Theft {
    async fn of(target: &Target, email: String, end: End) -> Self {
        let (thief, owner, authenticator) = if end == End::TwoFactorDisabled {
            let enrolled = target.enrolled(&email).await;
            let owner = target.log_in_by_code(&email, &enrolled.authenticator).await;
            target.next_step();
            (enrolled.tokens, owner, Some(enrolled.authenticator))
        } else {
            let thief = target.confirmed_session(&email).await;
            (thief, target.login(&email).await, None)
        };
        target.confirm_password(&owner.access).await;
        Self { email, thief, owner, authenticator }
    }

    /// A body with which the endpoint would do something in the thief's session.
    async fn body(&self, target: &Target, endpoint: &Endpoint) -> Value {
        let access = &self.thief.access;
        match endpoint.operation {
            "confirmPassword" => json!({ "password": PASSWORD }),
            "updateProfileInformation" => {
                json!({ "name": "Mallory", "email": self.email })
            }
            "requestEmailChange" => json!({ "email": format!("mallory-{}", self.email) }),
            "confirmEmailChange" => {
                change_emails::ask(target, access, &format!("mallory-{}", self.email)).await.expect(200);
                let mail = target.outbox.next::<EmailChangeMessage>().await;
                json!({ "token": mail.token })
            }
            "updatePassword" => {
                json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW })
            }
            "enableTwoFactorAuthentication" => json!({ "force": true }),
            "confirmTwoFactorAuthentication" => {
                target.enable(access).json(&json!({ "force": true })).await.expect(200);
                json!({ "code": target.authenticator(access).await.code(target) })
            }
            "proveTwoFactor" => {
                json!({ "code": self.authenticator.as_ref().map_or("000000".to_owned(), |app| app.code(target)) })
            }
            "confirmWithEmail" => {
                self.verify(target).await;
                let begun = target.post("/auth/user/confirm-email").bearer(access).await.expect(200);
                let mail = target.outbox.next::<EmailLoginMessage>().await;
                json!({ "flowToken": begun.body["flowToken"], "code": mail.code })
            }
            "createApiToken" => {
                self.verify(target).await;
                json!({ "name": "Backup", "scopes": ["demo:read"] })
            }
            "createServiceToken" => json!({ "audience": "billing" }),
            "addPasskey" => {
                self.verify(target).await;
                target.new_passkey(access, &mut passkey()).await
            }
            "renamePasskey" => json!({ "name": "Mallory" }),
            "confirmWithPasskey" => {
                self.verify(target).await;
                let mut own = passkey();
                target.add_passkey(access, &mut own).await;
                let begun = target.passkey_options("/auth/user/confirm-passkey/options", Some(access)).await;
                proof(&begun, own.sign_in(&begun["options"]))
            }
            "authorizeIdentity" => {
                self.verify(target).await;
                json!({ "next": "/settings" })
            }
            "authorizeConfirmation" => {
                self.verify(target).await;
                self.link(target).await;
                json!({ "next": "/settings" })
            }
            // A browser has what it links in a cookie.
            "linkIdentity" if target.is_for_browsers() => json!({}),
            "linkIdentity" => {
                self.verify(target).await;
                visit(target, "/auth/user/identities/github/authorize", access, &self.person()).await
            }
            "confirmWithProvider" => {
                self.verify(target).await;
                self.link(target).await;
                visit(target, "/auth/user/confirm-provider/github/authorize", access, &self.person()).await
            }
            other => panic!("{other} takes a credential and a body: what is in it?"),
        }
    }

    /// The thief at GitHub.
    fn person(&self) -> Person {
        let number =
            self.email.bytes().fold(0_u32, |number, byte| number.wrapping_mul(31).wrapping_add(byte.into()));
        at_github(number, "mallory@example.com")
    }

    /// Links the thief's identity.
    async fn link(&self, target: &Target) {
        if !target.is_for_browsers() {
            provider::link(target, &self.thief.access, &self.person()).await;
        }
    }

    /// Verifies the address with a link in a mail.
    async fn verify(&self, target: &Target) {
        let link = target.link(&self.thief.access).await.path("/auth");
        target.get(&link).bearer(&self.thief.access).await.expect(200);
    }

    /// Ends the thief's session.
    async fn end(&self, target: &Target, place: &Place, end: End) {
        let (owner, email) = (&self.owner.access, &self.email);
        let sid = || forge::claims(&self.thief.access)["sid"].as_str().unwrap().to_owned();
        match end {
            End::Logout => drop(target.log_out(&self.thief.access).await.expect(200)),
            End::Revoked => {
                let path = format!("/auth/user/sessions/{}", sid());
                target.delete(&path).bearer(owner).await.expect(200);
            }
            End::OthersRevoked => {
                let ended = target.delete("/auth/user/sessions").bearer(owner).await.expect(200);
                assert_eq!(ended.body["ended"], 1);
            }
            End::PasswordChange => drop(target.change_password(owner).await.expect(200)),
            End::Reset => {
                let token = target.reset_token(email).await;
                target.reset(email, &token).await.expect(200);
            }
            End::TwoFactorConfirmed => {
                target.enable(owner).await.expect(200);
                let code = target.authenticator(owner).await.code(target);
                target.confirm_two_factor(owner, &code).await.expect(200);
            }
            End::TwoFactorDisabled => {
                assert!(self.authenticator.is_some());
                target.disable(owner).await.expect(200);
            }
            End::Suspension => place.suspend(email).await,
            End::Deletion => {
                let id = place.user(email).await.id;
                target.auth.close_account(&id).await.unwrap();
                place.remove(email).await;
            }
            End::AddressChange => {
                let new = format!("owner-{email}");
                change_emails::ask(target, owner, &new).await.expect(200);
                let mut mail = target.outbox.next::<EmailChangeMessage>().await;
                // Some of these users have verified their addresses, which were told of the changes before.
                while mail.email != new {
                    mail = target.outbox.next().await;
                }
                change_emails::confirm(target, owner, &mail.token.unwrap()).await.expect(200);
            }
            End::LockDown => {
                let id = place.user(email).await.id;
                target.auth.admin().lock_down(&id).await.unwrap();
                target.outbox.next::<PasswordResetMessage>().await;
            }
            End::Administrator => assert!(target.auth.admin().end_session(&sid()).await.unwrap()),
            End::AdministratorForAll => {
                let id = place.user(email).await.id;
                assert_eq!(target.auth.admin().end_all_sessions(&id).await.unwrap(), 2);
            }
            End::Reuse => {
                target.refresh(&self.thief.refresh).await.expect(200);
                target.advance(11);
                target.refresh(&self.thief.refresh).await.refused(401, "refresh_token_reused");
            }
        }
    }
}

/// Everything of a record.
fn contents(user: Option<Account>) -> Option<String> {
    user.map(|user| {
        format!(
            "{:?}",
            (
                (user.name, user.email, user.password, user.email_verified_at),
                (user.two_factor_secret, user.two_factor_recovery_codes, user.two_factor_confirmed_at),
                user.password_confirmed_at,
            )
        )
    })
}

/// The thief's request is held back while the session ends.
async fn attack(target: &Target, place: &Place, endpoint: &Endpoint, end: End) {
    let what = format!("{} after {end:?}", endpoint.operation);
    let email = format!("{}-{end:?}@example.com", endpoint.operation).to_lowercase();
    let theft = Theft::of(target, email, end).await;
    let body = theft.body(target, endpoint).await;
    let (method, path) = (endpoint.method.as_str(), path_with_provider(&format!("/auth{}", endpoint.path)));
    let begun = HeldBack::begin(target, method, &path, &theft.thief.access, &body).await;
    let held = match begun {
        Held::Waits(held) => held,
        Held::Answered(status, code) => panic!("{what}: {status} {code} without the body"),
    };
    theft.end(target, place, end).await;
    let before = contents(place.find(&theft.email).await);
    let (status, code) = held.finish().await;
    target.withstands(&what, (status, code.as_str()) == (401, "unauthenticated"));
    assert_eq!(contents(place.find(&theft.email).await), before, "{what}");
    target.works(
        "somebody else's session",
        !target.register(&format!("x-{}", theft.email)).await.access.is_empty(),
    );
}

async fn nothing_is_done_for_a_session_that_has_ended() {
    let place = Place::memory();
    let target = host(&place).await;
    let endpoints = with_body();
    for endpoint in &endpoints {
        for end in ENDS {
            attack(&target, &place, endpoint, end).await;
        }
    }
    // `POST /user/confirm-provider` is on the bearer router alone.
    let attacks = if target.is_for_browsers() { ATTACKS - ENDS.len() } else { ATTACKS };
    assert_eq!(endpoints.len() * ENDS.len(), attacks);
    target.finish(attacks).await;
}

async fn nothing_is_written_after_a_reset_or_a_logout(place: &Place) {
    let target = host(place).await;
    for endpoint in with_body() {
        for end in [End::Reset, End::Logout] {
            attack(&target, place, &endpoint, end).await;
        }
    }
    target.finish(36).await;
}

async fn an_endpoint_without_a_body_does_not_wait_for_one() {
    let place = Place::memory();
    let target = host(&place).await;
    let theft = Theft::of(&target, "ada@example.com".to_owned(), End::Logout).await;
    let mut endpoints = endpoints_here();
    endpoints.retain(|endpoint| {
        is_with_credential(endpoint, target.router)
            && matches!(endpoint.body, EndpointBody::None)
            && endpoint.operation != "logout"
    });
    // Nobody logs in after this one.
    endpoints.sort_by_key(|endpoint| endpoint.operation == "deleteAccount");
    for endpoint in &endpoints {
        let path = format!("/auth{}", endpoint.path).replace("{id}", "1").replace("{hash}", "x");
        let path = path_with_provider(&path);
        // Each of them can end the session or replace its credential.
        let access = target.login(&theft.email).await.access;
        target.confirm_password(&access).await;
        let begun =
            HeldBack::begin(&target, endpoint.method.as_str(), &path, &access, &json!({ "a": 1 })).await;
        let is_answered = matches!(begun, Held::Answered(status, _) if status < 500 && status != 401);
        target.withstands(endpoint.operation, is_answered);
    }
    let login = target.login_call(&theft.email, PASSWORD).await;
    target.works("a login", login.code() == "account_pending_deletion");
    target.finish(endpoints.len()).await;
}

/// The end of the session is found after the size of the body, and before its syntax.
async fn the_rest_of_a_request_is_checked_in_the_order_of_the_specification() {
    let place = Place::memory();
    let target = host(&place).await;
    let theft = Theft::of(&target, "ada@example.com".to_owned(), End::Logout).await;
    let path = "/auth/user/profile-information";
    let large = json!({ "name": "x".repeat(70_000) });
    let (first, second) = (json!({ "name": 1 }), json!(["no object"]));
    let mut held = Vec::new();
    for body in [&large, &first, &second] {
        let begun = HeldBack::begin(&target, "PUT", path, &theft.thief.access, body).await;
        let Held::Waits(request) = begun else { panic!("{body}") };
        held.push(request);
    }
    theft.end(&target, &place, End::Logout).await;
    let mut outcomes = Vec::new();
    for request in held {
        outcomes.push(request.finish().await);
    }
    let [large, first, second] = &outcomes[..] else { panic!("{outcomes:?}") };
    target.withstands("too large", (large.0, large.1.as_str()) == (413, "payload_too_large"));
    for other in [first, second] {
        target.withstands("not valid", (other.0, other.1.as_str()) == (401, "unauthenticated"));
    }
    let call = target.request(Method::PUT, path).bearer(&theft.owner.access).json(&json!({ "name": 1 }));
    target.serves("the owner", call, 422).await;
    target.finish(3).await;
}

async fn a_confirmation_that_ends_while_the_body_is_held_back_counts_no_more() {
    let place = Place::memory();
    let target = host(&place).await;
    let theft = Theft::of(&target, "ada@example.com".to_owned(), End::Logout).await;
    let path = "/auth/user/two-factor-authentication";
    let begun = HeldBack::begin(&target, "POST", path, &theft.thief.access, &json!({ "force": false })).await;
    let Held::Waits(held) = begun else { panic!("the endpoint does not wait for its body") };
    // The host revokes every confirmation of the user.
    target.users.update(&theft.email, |user| user.password_confirmed_at = None);
    let (status, code) = held.finish().await;
    target.withstands("revoked", (status, code.as_str()) == (403, "password_confirmation_required"));
    target.confirm_password(&theft.owner.access).await;
    target.serves("the owner", target.enable(&theft.owner.access), 200).await;
    target.finish(1).await;
}

/// A route of the host that extracts both with `WithBody`.
async fn a_route_of_the_host_with_a_body_does_nothing_for_a_session_that_has_ended() {
    let place = Place::memory();
    let target = host(&place).await;
    let theft = Theft::of(&target, "ada@example.com".to_owned(), End::Logout).await;
    let note = json!("a note");
    let mut held = Vec::new();
    for access in [&theft.thief.access, &theft.owner.access] {
        let Held::Waits(request) = HeldBack::begin(&target, "POST", "/note", access, &note).await else {
            panic!("the route does not wait for its body")
        };
        held.push(request);
    }
    theft.end(&target, &place, End::Logout).await;
    let [thief, owner] = held.try_into().unwrap_or_else(|_| panic!("two requests"));
    let (status, code) = thief.finish().await;
    target.withstands("a note", (status, code.as_str()) == (401, "unauthenticated"));
    target.works("the owner's note", owner.finish().await.0 == 200);
    let unknown = HeldBack::begin(&target, "POST", "/note", "nonsense", &note).await;
    target.withstands("a body of a stranger is not read", matches!(unknown, Held::Answered(401, _)));
    target.finish(2).await;
}
