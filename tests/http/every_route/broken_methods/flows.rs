//! The flows, and how each is prepared.

use super::NEW;
use crate::support::passkeys::passkey;
use crate::support::provider::{Person, at_github, link, visit};
use crate::support::routers;
use crate::support::{App, Call, PASSWORD, Tokens, forge, registration};
use crate::{invitations, trusted_devices};
use axum_auth_module::delivery::{
    EmailChangeMessage, EmailLoginMessage, PasswordResetMessage, SecurityNoticeMessage,
};
use reqwest::Method;
use serde_json::{Value, json};

/// A request that is ready to be sent, once or more.
pub(super) struct Request {
    method: Method,
    path: String,
    bearer: Option<String>,
    challenge: Option<String>,
    body: Option<Value>,
    /// The sessions that it ends.
    pub(super) ends: Vec<Tokens>,
}

impl Request {
    fn new(method: Method, path: &str) -> Self {
        Self { method, path: path.to_owned(), bearer: None, challenge: None, body: None, ends: Vec::new() }
    }

    fn by(self, tokens: &Tokens) -> Self {
        Self { bearer: Some(tokens.access.clone()), ..self }
    }

    fn with(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    fn answers(self, challenge: String) -> Self {
        Self { challenge: Some(challenge), ..self }
    }

    fn ends(self, sessions: impl IntoIterator<Item = Tokens>) -> Self {
        Self { ends: sessions.into_iter().collect(), ..self }
    }

    pub(super) fn call(&self, app: &App) -> Call {
        let call = app.request(self.method.clone(), &self.path);
        let call = self.bearer.iter().fold(call, |call, access| call.bearer(access));
        match (&self.challenge, &self.body) {
            (Some(token), Some(body)) => call.challenge(token, body.clone()),
            (_, body) => body.iter().fold(call, Call::json),
        }
    }
}

/// The flows of the router of the test. What follows the credential is one service for both routers, so for browsers these are the
/// flows that set or end a cookie, or read one for a route of the host.
pub(super) fn flows() -> impl Iterator<Item = &'static str> {
    let (flows, own) =
        if routers::is_browser() { (IN_BROWSERS, "session of a browser") } else { (FLOWS, "refresh") };
    flows.iter().copied().chain([own])
}

const IN_BROWSERS: &[&str] = &[
    "registration",
    "login",
    "logout",
    "confirm password",
    "password update",
    "challenge by code",
    "CurrentUser",
];

/// The flows, by the name of their arm in [`prepare`].
const FLOWS: &[&str] = &[
    "registration",
    "login",
    "login by user name",
    "login with an outdated hash",
    "mail for a login",
    "login by mail",
    "registration by mail",
    "logout",
    "confirm password",
    "password update",
    "removal of the password",
    "forgotten password",
    "reset",
    "enable two-factor",
    "confirm two-factor",
    "disable two-factor",
    "challenge by code",
    "challenge by recovery code",
    "challenge that trusts the device",
    "login on a trusted device",
    "request of an address",
    "change of the address",
    "revert",
    "secured account",
    "accepted invitation",
    "login with a passkey",
    "new passkey",
    "removal of a passkey",
    "login with a provider",
    "registration with a provider",
    "new identity",
    "removal of an identity",
    "confirmation with a provider",
    "deletion of the account",
    "restored account",
    "new API token",
    "revocation of an API token",
    "ApiUser",
    "list of sessions",
    "revocation",
    "revocation of all others",
    "Claims",
    "CurrentUser",
    "ConfirmedUser",
];

/// Prepares a flow of a user with two sessions.
pub(super) async fn prepare(flow: &str, app: &App, email: &str) -> Request {
    let (get, post, put, delete) = (Method::GET, Method::POST, Method::PUT, Method::DELETE);
    if flow == "registration" {
        return Request::new(post, "/auth/register").with(registration(email));
    }
    if flow == "registration by mail" {
        let begun = app.post("/auth/login/email").json(&json!({ "email": email })).await.expect(200);
        let code = app.outbox.next::<EmailLoginMessage>().await.code;
        let body = json!({ "flowToken": begun.body["flowToken"], "code": code });
        let proven = app.post("/auth/login/email/verify").json(&body).await.expect(200);
        let body = json!({ "registrationToken": proven.body["registrationToken"], "name": "Ada" });
        return Request::new(post, "/auth/register/passwordless").with(body);
    }
    if flow == "registration with a provider" {
        let newcomer = person(email).named("Ada");
        let body = visit(app, "/auth/oauth/github/authorize", "", &newcomer).await;
        return Request::new(post, "/auth/oauth/github/callback").with(body);
    }
    if flow.starts_with("challenge") || flow.starts_with("disable") {
        let enrolled = app.enrolled(email).await;
        app.confirm_password(&enrolled.tokens.access).await;
        if flow.starts_with("disable") {
            let token = app.challenge_token(email).await;
            let other = app.challenge(&token, &enrolled.authenticator.code(app)).await.expect(200).tokens();
            let path = "/auth/user/two-factor-authentication";
            return Request::new(delete, path).by(&enrolled.tokens).ends([other]);
        }
        let token = app.challenge_token(email).await;
        let body = match flow {
            "challenge by code" => json!({ "code": enrolled.authenticator.code(app) }),
            "challenge that trusts the device" => {
                json!({ "code": enrolled.authenticator.code(app), "trustDevice": true })
            }
            _ => {
                let code = app.recovery_codes(&enrolled.tokens.access).await.remove(0);
                json!({ "recoveryCode": code })
            }
        };
        return Request::new(post, "/auth/two-factor-challenge").answers(token).with(body);
    }
    if flow == "login on a trusted device" {
        let device = trusted_devices::trusted(app, email).await.device;
        let body = json!({ "email": email, "password": PASSWORD, "deviceToken": device });
        return Request::new(post, "/auth/login").with(body);
    }
    let own = app.confirmed_session(email).await;
    let other = app.login(email).await;
    let credentials = json!({ "email": email, "password": PASSWORD });
    match flow {
        "login" => Request::new(post, "/auth/login").with(credentials),
        "login by user name" => {
            let (name, _) = email.split_once('@').unwrap();
            app.users.update(email, |user| user.username = Some(name.to_owned()));
            let credentials = json!({ "username": name, "password": PASSWORD });
            Request::new(post, "/auth/login").with(credentials)
        }
        "login with an outdated hash" => {
            app.users.update(email, |user| user.password = bcrypt::hash(PASSWORD, 5).unwrap());
            Request::new(post, "/auth/login").with(credentials)
        }
        "mail for a login" => Request::new(post, "/auth/login/email").with(json!({ "email": email })),
        "login by mail" => {
            app.verify_address(email);
            let begun = app.post("/auth/login/email").json(&json!({ "email": email })).await.expect(200);
            let code = app.outbox.next::<EmailLoginMessage>().await.code;
            let body = json!({ "flowToken": begun.body["flowToken"], "code": code });
            Request::new(post, "/auth/login/email/verify").with(body)
        }
        "refresh" => Request::new(post, "/auth/refresh").with(json!({ "refreshToken": own.refresh })),
        "session of a browser" => Request::new(get, "/auth/session").by(&own),
        "logout" => Request::new(post, "/auth/logout").by(&own).ends([own]),
        "confirm password" => {
            Request::new(post, "/auth/user/confirm-password").by(&own).with(json!({ "password": PASSWORD }))
        }
        "password update" => {
            let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
            Request::new(put, "/auth/user/password").by(&own).with(body).ends([other])
        }
        "removal of the password" => {
            app.verify_address(email);
            Request::new(delete, "/auth/user/password").by(&own).ends([other])
        }
        "forgotten password" => Request::new(post, "/auth/forgot-password").with(json!({ "email": email })),
        "reset" => {
            app.post("/auth/forgot-password").json(&json!({ "email": email })).await.expect(200);
            let token = app.outbox.next::<PasswordResetMessage>().await.token;
            let body =
                json!({ "email": email, "token": token, "password": NEW, "passwordConfirmation": NEW });
            Request::new(post, "/auth/reset-password").with(body).ends([own, other])
        }
        "enable two-factor" => Request::new(post, "/auth/user/two-factor-authentication").by(&own),
        "confirm two-factor" => {
            app.enable(&own.access).await.expect(200);
            let code = app.authenticator(&own.access).await.code(app);
            let path = "/auth/user/confirmed-two-factor-authentication";
            Request::new(post, path).by(&own).with(json!({ "code": code })).ends([other])
        }
        "request of an address" => {
            Request::new(post, "/auth/user/email-change").by(&own).with(json!({ "email": moved(email) }))
        }
        "change of the address" | "revert" => {
            app.verify_address(email);
            let asked = app.post("/auth/user/email-change").bearer(&own.access);
            asked.json(&json!({ "email": moved(email) })).await.expect(200);
            let token = json!({ "token": app.outbox.next::<EmailChangeMessage>().await.token });
            let path = "/auth/user/email-change/confirm";
            if flow == "change of the address" {
                return Request::new(post, path).by(&own).with(token).ends([other]);
            }
            let own = app.post(path).bearer(&own.access).json(&token).await.expect(200).tokens();
            let token = json!({ "token": app.outbox.next::<EmailChangeMessage>().await.token });
            Request::new(post, "/auth/email/revert").with(token).ends([own, other])
        }
        "secured account" => {
            app.verify_address(email);
            let own = app.delete("/auth/user/password").bearer(&own.access).await.expect(200).tokens();
            let token = json!({ "token": app.outbox.next::<SecurityNoticeMessage>().await.token });
            Request::new(post, "/auth/account/secure").with(token).ends([own, other])
        }
        "accepted invitation" => {
            let id = app.users.by_email(email).unwrap().id;
            app.auth.admin().require_new_password(&id).await.unwrap();
            app.outbox.next::<PasswordResetMessage>().await;
            let token = invitations::invited(app, id).await.token;
            let body = json!({ "token": token, "password": NEW, "passwordConfirmation": NEW });
            Request::new(post, "/auth/invitation/accept").with(body)
        }
        "login with a passkey" | "new passkey" | "removal of a passkey" => {
            app.verify_address(email);
            let mut passkey = passkey();
            let new = app.new_passkey(&own.access, &mut passkey).await;
            if flow == "new passkey" {
                return Request::new(post, "/auth/user/passkeys").by(&own).with(new);
            }
            let added = app.post("/auth/user/passkeys").bearer(&own.access).json(&new).await.expect(201).body;
            if flow == "login with a passkey" {
                return Request::new(post, "/auth/passkeys/login")
                    .with(app.passkey_proof(&mut passkey).await);
            }
            let path = format!("/auth/user/passkeys/{}", added["id"].as_str().unwrap());
            Request::new(delete, &path).by(&own).ends([other])
        }
        "new identity" => {
            app.verify_address(email);
            let body =
                visit(app, "/auth/user/identities/github/authorize", &own.access, &person(email)).await;
            Request::new(post, "/auth/user/identities").by(&own).with(body)
        }
        "login with a provider" | "removal of an identity" | "confirmation with a provider" => {
            app.verify_address(email);
            let linked = link(app, &own.access, &person(email)).await;
            let path = format!("/auth/user/identities/{}", linked["id"].as_str().unwrap());
            let [begins, ends] = match flow {
                "removal of an identity" => return Request::new(delete, &path).by(&own).ends([other]),
                "login with a provider" => ["/auth/oauth/github/authorize", "/auth/oauth/github/callback"],
                _ => ["/auth/user/confirm-provider/github/authorize", "/auth/user/confirm-provider"],
            };
            let body = visit(app, begins, &own.access, &person(email)).await;
            Request::new(post, ends).by(&own).with(body)
        }
        "deletion of the account" => Request::new(delete, "/auth/user").by(&own).ends([own, other]),
        "restored account" => {
            app.delete("/auth/user").bearer(&own.access).await.expect(202);
            let refused = app.login_call(email, PASSWORD).await.refused(403, "account_pending_deletion");
            let body = json!({ "restoreToken": refused.body["restoreToken"] });
            Request::new(post, "/auth/user/restore").with(body)
        }
        "new API token" | "revocation of an API token" | "ApiUser" => {
            app.verify_address(email);
            let (path, body) =
                ("/auth/user/api-tokens", json!({ "name": "Backup", "scopes": ["demo:read"] }));
            if flow == "new API token" {
                return Request::new(post, path).by(&own).with(body);
            }
            let created = app.post(path).bearer(&own.access).json(&body).await.expect(201).body;
            if flow == "ApiUser" {
                let token = created["token"].as_str().unwrap().to_owned();
                return Request { bearer: Some(token), ..Request::new(get, "/api/read") };
            }
            Request::new(delete, &format!("{path}/{}", created["id"].as_str().unwrap())).by(&own)
        }
        "list of sessions" => Request::new(get, "/auth/user/sessions").by(&own),
        "revocation" => {
            let path =
                format!("/auth/user/sessions/{}", forge::claims(&other.access)["sid"].as_str().unwrap());
            Request::new(delete, &path).by(&own).ends([other])
        }
        "revocation of all others" => Request::new(delete, "/auth/user/sessions").by(&own).ends([other]),
        "Claims" => Request::new(get, "/claims").by(&own),
        "CurrentUser" => Request::new(get, "/me").by(&own),
        "ConfirmedUser" => Request::new(get, "/confirmed").by(&own),
        _ => panic!("{flow}"),
    }
}

/// The user at GitHub.
fn person(email: &str) -> Person {
    at_github(
        email.bytes().fold(0, |number: u32, byte| number.wrapping_mul(31).wrapping_add(byte.into())),
        email,
    )
}

/// The address to which a user moves.
pub(super) fn moved(email: &str) -> String {
    format!("moved-{email}")
}
