//! What browsers get (specification §27.1, §27.2). Every response of the suite is held against the same promises
//! ([`crate::support::answer`]): no token where scripts can read it, and cookies with all attributes. Here every endpoint of
//! the browser router succeeds, so that none is left out.

use crate::email_login;
use crate::invitations;
use crate::support::answer::Answer;
use crate::support::authenticator::Authenticator;
use crate::support::passkeys::{passkey, proof};
use crate::support::places::Place;
use crate::support::provider::{Internet, Person, Provider};
use crate::support::routers::{self, BROWSER_ROUTER, CHALLENGE_COOKIE, DEVICE_COOKIE, SESSION_COOKIE};
use crate::support::{App, Builder, Call, EMAIL, PASSWORD, Tokens, endpoints_here, forge, registration};
use crate::trusted_devices;
use axum_auth_module::clock::Clock;
use axum_auth_module::delivery::{
    EmailChangeMessage, EmailLoginMessage, EmailVerificationMessage, PasswordResetMessage,
    SecurityNoticeMessage,
};
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::social::{SocialProvider, SocialProviders};
use axum_auth_module::testing::MemoryIdentities;
use reqwest::Url;
use reqwest::header::HeaderValue;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

const NEW: &str = "a new password for all";
const ATTRIBUTES: &str = "; Path=/; HttpOnly; Secure; SameSite=Lax";
const MONTH: u64 = 30 * 24 * 3600;

/// A host, and the endpoints that have succeeded.
struct Visit {
    app: App,
    done: BTreeSet<(&'static str, &'static str)>,
}

impl Visit {
    /// The response of an endpoint, which is declared with this method and path.
    async fn succeeds(&mut self, method: &'static str, path: &'static str, call: Call) -> Answer {
        let answer = call.await;
        assert!(answer.status < 300, "{method} {path}: {}", answer.text);
        assert!(self.done.insert((method, path)), "{method} {path} is here twice");
        answer
    }

    async fn post(&mut self, path: &'static str, prepare: impl FnOnce(Call) -> Call) -> Answer {
        let call = self.app.post(&format!("/auth{path}").replace("{provider}", "acme"));
        self.succeeds("POST", path, prepare(call)).await
    }

    async fn get(&mut self, path: &'static str, tokens: &Tokens) -> Answer {
        let call = self.app.get(&format!("/auth{path}")).bearer(&tokens.access);
        self.succeeds("GET", path, call).await
    }

    async fn delete(&mut self, path: &'static str, id: &str, tokens: &Tokens) -> Answer {
        let call = self.app.delete(&format!("/auth{path}").replace("{id}", id)).bearer(&tokens.access);
        self.succeeds("DELETE", path, call).await
    }

    /// A session, and what needs nothing else.
    async fn session(&mut self) -> Tokens {
        let tokens = self.post("/register", |call| call.json(&registration(EMAIL))).await;
        let tokens = is_set(&tokens, None);
        self.get("/session", &tokens).await;
        let body = json!({ "password": PASSWORD });
        let confirm = |call: Call| call.bearer(&tokens.access).json(&body);
        let confirmed = is_set(&self.post("/user/confirm-password", confirm).await, None);
        assert_ne!(confirmed.access, tokens.access);
        self.get("/user/confirmed-password-status", &confirmed).await;
        self.get("/user/sessions", &confirmed).await;
        confirmed
    }

    /// Links and tokens that are sent by mail.
    async fn mails(&mut self, tokens: &Tokens) -> Tokens {
        let notify = |call: Call| call.bearer(&tokens.access);
        self.post("/email/verification-notification", notify).await;
        let link = self.app.outbox.next::<EmailVerificationMessage>().await.data.path("/auth");
        let open = self.app.get(&link).bearer(&tokens.access);
        self.succeeds("GET", "/email/verify/{id}/{hash}", open).await;
        let begun = self.post("/user/confirm-email", |call| call.bearer(&tokens.access)).await;
        let code = self.app.outbox.next::<EmailLoginMessage>().await.code;
        let body = json!({ "flowToken": begun.body["flowToken"], "code": code });
        let confirm = |call: Call| call.bearer(&tokens.access).json(&body);
        let tokens = &is_set(&self.post("/user/confirm-email/verify", confirm).await, None);
        let profile = json!({ "name": "Ada", "email": EMAIL });
        let update = self.app.put("/auth/user/profile-information").bearer(&tokens.access).json(&profile);
        self.succeeds("PUT", "/user/profile-information", update).await;
        tokens.clone()
    }

    /// Another address and back: the account is locked down at the end.
    async fn address(&mut self, tokens: &Tokens) {
        // The token for a service is in the body, and not for the module: `tests/http/support/answer.rs` looks at all others.
        let audience = json!({ "audience": "billing" });
        let answer = self.post("/service-token", |call| call.bearer(&tokens.access).json(&audience)).await;
        assert!(lines(&answer).is_empty());
        let other = json!({ "email": "other@example.com" });
        self.post("/user/email-change", |call| call.bearer(&tokens.access).json(&other)).await;
        self.get("/user/email-change", tokens).await;
        self.delete("/user/email-change", "", tokens).await;
        self.app.outbox.next::<EmailChangeMessage>().await;
        self.app.post("/auth/user/email-change").bearer(&tokens.access).json(&other).await.expect(200);
        let token = json!({ "token": self.app.outbox.next::<EmailChangeMessage>().await.token });
        let confirm = |call: Call| call.bearer(&tokens.access).json(&token);
        is_set(&self.post("/user/email-change/confirm", confirm).await, None);
        let token = json!({ "token": self.app.outbox.next::<EmailChangeMessage>().await.token });
        assert!(lines(&self.post("/email/revert", |call| call.json(&token)).await).is_empty());
        let token = json!({ "token": self.app.outbox.next::<SecurityNoticeMessage>().await.token });
        assert!(lines(&self.post("/account/secure", |call| call.json(&token)).await).is_empty());
        let id = self.app.users.by_email(EMAIL).unwrap().id;
        let token = invitations::invited(&self.app, id).await.token;
        let body = json!({ "token": token, "password": PASSWORD, "passwordConfirmation": PASSWORD });
        assert!(lines(&self.post("/invitation/accept", |call| call.json(&body)).await).is_empty());
    }

    /// A passkey from its making to its end. Returns the session in which it was removed.
    async fn passkeys(&mut self, tokens: &Tokens) -> Tokens {
        let mut passkey = passkey();
        let begun = self.get("/user/passkeys/options", tokens).await.body;
        let body = proof(&begun, passkey.register(&begun["options"]));
        let added = self.post("/user/passkeys", |call| call.bearer(&tokens.access).json(&body)).await;
        assert!(lines(&added).is_empty());
        let listed = self.get("/user/passkeys", tokens).await;
        let id = listed.body["passkeys"][0]["id"].as_str().unwrap().to_owned();
        let name = json!({ "name": "Blue key" });
        let rename = self.app.put(&format!("/auth/user/passkeys/{id}")).bearer(&tokens.access).json(&name);
        self.succeeds("PUT", "/user/passkeys/{id}", rename).await;
        let begun = self.get("/user/confirm-passkey/options", tokens).await.body;
        let body = proof(&begun, passkey.sign_in(&begun["options"]));
        let confirm = |call: Call| call.bearer(&tokens.access).json(&body);
        let tokens = is_set(&self.post("/user/confirm-passkey", confirm).await, None);
        let begun = self.app.passkey_options("/auth/passkeys/login/options", None).await;
        self.succeeds("GET", "/passkeys/login/options", self.app.get("/auth/passkeys/login/options")).await;
        let body = proof(&begun, passkey.sign_in(&begun["options"]));
        is_set(&self.post("/passkeys/login", |call| call.json(&body)).await, None);
        is_set(&self.delete("/user/passkeys/{id}", &id, &tokens).await, None)
    }

    /// A device from the challenge that makes it trusted to the end of the trust.
    async fn trusted_devices(&mut self) {
        let trusted = trusted_devices::trusted(&self.app, "grace@example.com").await;
        let answer = trusted_devices::login_on(&self.app, &trusted.device, "grace@example.com").await;
        let tokens = answer.expect(200).tokens();
        self.app.confirm_password(&tokens.access).await;
        let listed = self.get("/user/trusted-devices", &tokens).await;
        let id = listed.body["devices"][0]["id"].as_str().unwrap().to_owned();
        let expired = [format!("{DEVICE_COOKIE}={ATTRIBUTES}; Max-Age=0")];
        assert_eq!(lines(&self.delete("/user/trusted-devices/{id}", &id, &tokens).await), expired);
        assert_eq!(lines(&self.delete("/user/trusted-devices", "", &tokens).await), expired);
    }

    /// An API token from its making to its end. Its text is in the one response that a script must read.
    async fn api_tokens(&mut self, tokens: &Tokens) {
        let body = json!({ "name": "Backup", "scopes": ["demo:read"] });
        let created = self.post("/user/api-tokens", |call| call.bearer(&tokens.access).json(&body)).await;
        assert!(lines(&created).is_empty());
        self.get("/user/api-tokens", tokens).await;
        let id = created.body["id"].as_str().unwrap();
        assert!(lines(&self.delete("/user/api-tokens/{id}", id, tokens).await).is_empty());
    }

    /// Identities at a provider, from a visit to their end. Returns the session in which the last one was unlinked.
    async fn identities(&mut self, acme: &Provider, tokens: &Tokens) -> Tokens {
        let ada = Person::new("ada-at-acme", EMAIL);
        let session = format!("{SESSION_COOKIE}={}", routers::newest(&tokens.access));
        let with_session = |call: Call| call.bearer(&tokens.access);
        self.get("/oauth/providers", tokens).await;
        let begun = self.post("/user/identities/{provider}/authorize", with_session).await;
        self.done.insert(("GET", "/oauth/{provider}/callback"));
        let (location, set) = self.comes_back(acme, &ada, &begun, &session).await;
        assert_eq!((location.as_str(), set.len()), ("/", 1), "the flow cookie expires: {set:?}");
        self.get("/user/identities", tokens).await;
        let begun = self.post("/user/confirm-provider/{provider}/authorize", with_session).await;
        let (location, set) = self.comes_back(acme, &ada, &begun, &session).await;
        assert_eq!((location.as_str(), set.len()), ("/", 2), "{set:?}");
        let begun = self.post("/oauth/{provider}/authorize", |call| call).await;
        let (location, set) = self.comes_back(acme, &ada, &begun, "").await;
        assert_eq!((location.as_str(), set.len()), ("/", 2), "{set:?}");

        let nonce = self.post("/oauth/{provider}/nonce", |call| call).await.body;
        let id_token = |nonce: &Value, person: &Person| {
            let token = acme.id_token(person, nonce["nonce"].as_str().unwrap(), acme.client_id());
            json!({ "flowToken": nonce["flowToken"], "idToken": token })
        };
        let body = id_token(&nonce, &ada);
        let tokens = is_set(&self.post("/oauth/{provider}/id-token", |call| call.json(&body)).await, None);

        // Another identity with the address of the account: what links it is in a cookie.
        let nonce = self.app.post("/auth/oauth/acme/nonce").await.expect(200).body;
        let body = id_token(&nonce, &Person::new("another", EMAIL));
        let refused = self.app.post("/auth/oauth/acme/id-token").json(&body).await;
        let cookies = refused.set_cookies();
        let [link] = &cookies[..] else { panic!("{}", refused.text) };
        assert_eq!(link.name, format!("{SESSION_COOKIE}-link"));
        let session = format!("{SESSION_COOKIE}={}", tokens.access);
        let both = format!("{session}; {}={}", link.name, link.value);
        let pending = self.app.get("/auth/oauth/pending").header("cookie", &both);
        let pending = self.succeeds("GET", "/oauth/pending", pending).await.body;
        assert_eq!(pending["link"], json!({ "provider": "acme", "email": EMAIL }));
        let linked = self.post("/user/identities", |call| call.header("cookie", &both)).await;
        let id = linked.body["id"].as_str().unwrap().to_owned();
        is_set(&self.delete("/user/identities/{id}", &id, &tokens).await, None)
    }

    /// The browser comes back from a provider with this cookie: where to it goes, and the cookies that are set.
    async fn comes_back(
        &self,
        acme: &Provider,
        person: &Person,
        begun: &Answer,
        session: &str,
    ) -> (String, Vec<String>) {
        let returned = acme.consent(begun.body["authorizationUrl"].as_str().unwrap(), person);
        let base = format!("http://{}{BROWSER_ROUTER}/oauth/acme/callback", self.app.address);
        let url = Url::parse_with_params(&base, returned.parameters()).unwrap();
        let cookies = begun.set_cookies();
        let [flow] = &cookies[..] else { panic!("{cookies:?}") };
        let client = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        let request = client.get(url).header("cookie", format!("{}={}; {session}", flow.name, flow.value));
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 303);
        let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        let set = response.headers().get_all("set-cookie").iter().map(text).collect();
        (text(&response.headers()["location"]), set)
    }

    async fn password(&mut self, tokens: &Tokens) -> Tokens {
        let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
        let update = self.app.put("/auth/user/password").bearer(&tokens.access).json(&body);
        is_set(&self.succeeds("PUT", "/user/password", update).await, None)
    }

    /// The account is deleted, and kept by a sign-in.
    async fn deletion(&mut self) {
        let session = self.app.login(EMAIL).await;
        self.app.confirm_password(&session.access).await;
        let ended = self.delete("/user", "", &session).await;
        let expired =
            [SESSION_COOKIE, CHALLENGE_COOKIE].map(|name| format!("{name}={ATTRIBUTES}; Max-Age=0"));
        assert_eq!(lines(&ended), expired);
        let refused = self.app.login_call(EMAIL, PASSWORD).await.refused(403, "account_pending_deletion");
        let token = refused.challenge().unwrap();
        assert_eq!(lines(&refused), [format!("{CHALLENGE_COOKIE}={token}{ATTRIBUTES}; Max-Age=600")]);
        let restored = self.post("/user/restore", |call| call.challenge(&token, json!({}))).await;
        let session = restored.session().unwrap();
        let expired = format!("{CHALLENGE_COOKIE}={ATTRIBUTES}; Max-Age=0");
        assert_eq!(lines(&restored), [line_of(&session, None), expired]);
    }

    /// A second factor from its enrolment to its end. Returns the session of the challenge.
    async fn second_factor(&mut self, tokens: &Tokens) -> Tokens {
        self.post("/user/two-factor-authentication", |call| call.bearer(&tokens.access)).await;
        self.get("/user/two-factor-qr-code", tokens).await;
        let key = self.get("/user/two-factor-secret-key", tokens).await;
        let authenticator = Authenticator::new(key.body["secretKey"].as_str().unwrap());
        self.get("/user/two-factor-recovery-codes", tokens).await;
        self.post("/user/two-factor-recovery-codes", |call| call.bearer(&tokens.access)).await;
        let code = json!({ "code": authenticator.code(&self.app) });
        let confirm = |call: Call| call.bearer(&tokens.access).json(&code);
        let acting = is_set(&self.post("/user/confirmed-two-factor-authentication", confirm).await, None);

        self.app.add_passkey(&acting.access, &mut passkey()).await;
        let body = json!({ "email": EMAIL, "password": NEW, "remember": true });
        let asked = self.post("/login", |call| call.json(&body)).await;
        let challenge = asked.challenge().unwrap();
        let line = format!("{CHALLENGE_COOKIE}={challenge}{ATTRIBUTES}; Max-Age=300");
        assert_eq!(lines(&asked), [line]);
        let pending = self.app.get("/auth/two-factor-challenge");
        let pending = pending.header("cookie", &format!("{CHALLENGE_COOKIE}={challenge}"));
        self.succeeds("GET", "/two-factor-challenge", pending).await;
        let options = |call: Call| call.challenge(&challenge, json!({}));
        assert!(lines(&self.post("/two-factor-challenge/passkey-options", options).await).is_empty());
        self.app.next_step();
        let code = json!({ "code": authenticator.code(&self.app) });
        let passed = self.post("/two-factor-challenge", |call| call.challenge(&challenge, code)).await;
        let session = passed.session().unwrap();
        let expired = format!("{CHALLENGE_COOKIE}={ATTRIBUTES}; Max-Age=0");
        assert_eq!(lines(&passed), [line_of(&session, Some(MONTH)), expired]);

        self.app.next_step();
        let code = json!({ "code": authenticator.code(&self.app) });
        let prove = |call: Call| call.bearer(&acting.access).json(&code);
        let acting = is_set(&self.post("/user/confirm-two-factor", prove).await, None);

        is_set(&self.delete("/user/two-factor-authentication", "", &acting).await, None)
    }
}

fn lines(answer: &Answer) -> Vec<String> {
    let lines = answer.headers.get_all("set-cookie").iter();
    lines.map(|line| line.to_str().unwrap().to_owned()).collect()
}

fn line_of(session: &Tokens, max_age: Option<u64>) -> String {
    let max_age = max_age.map(|age| format!("; Max-Age={age}")).unwrap_or_default();
    format!("{SESSION_COOKIE}={}{ATTRIBUTES}{max_age}", session.access)
}

/// The answer sets the session cookie and no other one.
fn is_set(answer: &Answer, max_age: Option<u64>) -> Tokens {
    let session = answer.session().unwrap_or_else(|| panic!("a session: {}", answer.text));
    assert_eq!(lines(answer), [line_of(&session, max_age)]);
    session
}

#[tokio::test]
async fn every_endpoint_of_the_browser_router_keeps_tokens_from_scripts() {
    routers::on(RouterKind::Browser, async {
        let place = Place::memory();
        let net = Internet::new(&place.clock);
        let acme = net.openid("https://id.acme.example");
        let settings = SocialProvider::oidc(
            "acme",
            acme.issuer(),
            acme.client_id(),
            "https://app.example/oauth/acme/callback",
        );
        let settings = settings.client_secret(acme.secret()).id_token_audiences([acme.client_id()]);
        let providers = SocialProviders::new([settings]).unwrap();
        let module = |module: Builder| module.social_login(MemoryIdentities::new(), providers, net);
        let app = place.start_as(&place.clock, |config| config, module).await;
        let mut visit = Visit { app, done: BTreeSet::new() };
        // Lifetimes are in whole seconds: begin with one.
        let second = visit.app.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        visit.app.clock.set(UNIX_EPOCH + Duration::from_secs(second));
        let session = visit.session().await;
        let session = visit.mails(&session).await;
        let session = visit.password(&session).await;
        let session = visit.second_factor(&session).await;
        visit.trusted_devices().await;

        let other = visit.app.login_call(EMAIL, NEW).await.expect(200).tokens();
        let id = forge::claims(&other.access)["sid"].as_str().unwrap().to_owned();
        visit.delete("/user/sessions/{id}", &id, &session).await;
        visit.delete("/user/sessions", "", &session).await;
        visit.get("/user/sign-in-methods", &session).await;
        let session = is_set(&visit.delete("/user/password", "", &session).await, None);
        visit.api_tokens(&session).await;
        let session = visit.passkeys(&session).await;
        let session = visit.identities(&acme, &session).await;
        let ended = visit.post("/logout", |call| call.bearer(&session.access)).await;
        let expired =
            [SESSION_COOKIE, CHALLENGE_COOKIE].map(|name| format!("{name}={ATTRIBUTES}; Max-Age=0"));
        assert_eq!(lines(&ended), expired);

        let begun = visit.post("/login/email", |call| call.json(&json!({ "email": EMAIL }))).await;
        let code = visit.app.outbox.next::<EmailLoginMessage>().await.code;
        let body = json!({ "flowToken": begun.body["flowToken"], "code": code });
        is_set(&visit.post("/login/email/verify", |call| call.json(&body)).await, None);

        let begun = email_login::begin(&visit.app, "new@example.com").await;
        let proven = email_login::with_code(&visit.app, &begun.flow, begun.code()).await.expect(200);
        assert!(lines(&proven).is_empty());
        let body = json!({ "registrationToken": proven.body["registrationToken"], "name": "Ada" });
        is_set(&visit.post("/register/passwordless", |call| call.json(&body)).await, None);

        visit.post("/forgot-password", |call| call.json(&json!({ "email": EMAIL }))).await;
        let token = visit.app.outbox.next::<PasswordResetMessage>().await.token;
        let body = json!({
            "email": EMAIL, "token": token, "password": PASSWORD, "passwordConfirmation": PASSWORD,
        });
        assert!(!visit.post("/reset-password", |call| call.json(&body)).await.has_credentials());

        visit.deletion().await;
        let session = visit.app.login(EMAIL).await;
        visit.app.confirm_password(&session.access).await;
        visit.address(&session).await;

        let declared = endpoints_here();
        let declared = declared.iter().map(|endpoint| (endpoint.method.as_str(), endpoint.path));
        assert_eq!(visit.done, declared.collect());
    })
    .await;
}
