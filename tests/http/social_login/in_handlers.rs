//! The methods of `Browser` for providers, in handlers of a host with pages of its own: each does what its route does, and refuses and
//! sets cookies as the route.

use super::outcome::Page;
use super::site::{Rules, Site, ada};
use super::visitor::{FLOW, Purpose, Visitor, callback};
use crate::support::answer::Answer;
use crate::support::cookies::SetCookie;
use crate::support::provider::trouble::Fault;
use crate::support::provider::{Person, Return};
use crate::support::routers::{self, CHALLENGE_COOKIE};
use crate::support::{Account, EMAIL, PASSWORD, serve};
use axum::Router;
use axum::extract::{FromRef, Path};
use axum::http::{HeaderValue, Uri};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum_auth_module::config::SameSite;
use axum_auth_module::endpoint::RouterKind;
use axum_auth_module::extract::{Browser, PasswordlessForm, Remember};
use axum_auth_module::{AuthError, AuthModule};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Clone, FromRef)]
struct Host {
    auth: AuthModule<Account>,
}

/// The host of these tests: its pages beside the router of the module.
fn router(auth: AuthModule<Account>) -> Router {
    Router::new()
        .route("/pages/{purpose}/{provider}", post(authorize))
        .route("/pages/return/{provider}", get(provider_callback))
        .route("/pages/pending", get(pending))
        .route("/pages/register", post(register))
        .route("/pages/link", post(link))
        .layer(map_response(as_every_page))
        .nest(routers::BROWSER_ROUTER, auth.browser_router())
        .with_state(Host { auth })
}

/// What hosts say on all their pages.
async fn as_every_page(mut response: Response) -> Response {
    response.headers_mut().insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}

async fn authorize(
    browser: Browser<Account>,
    Path((purpose, provider)): Path<(String, String)>,
    body: String,
) -> Result<Response, AuthError> {
    let fields: Value = serde_json::from_str(&body).unwrap();
    let next = fields["next"].as_str();
    match &*purpose {
        "SignIn" => browser.authorize(&provider, next, Remember::from(fields["remember"] == true)).await,
        "Link" => browser.authorize_link(&provider, next).await,
        _ => browser.authorize_confirmation(&provider, next).await,
    }
}

async fn provider_callback(
    browser: Browser<Account>,
    Path(provider): Path<String>,
    uri: Uri,
) -> Result<Response, AuthError> {
    browser.provider_callback(&provider, &uri).await
}

async fn pending(browser: Browser<Account>) -> Result<Response, AuthError> {
    let steps = browser.pending_steps().await?;
    let registration = steps.registration.map(|step| {
        json!({ "provider": step.provider, "email": step.email, "name": step.name, "asksFor": step.asks_for })
    });
    let link = steps.link.map(|step| json!({ "provider": step.provider, "email": step.email }));
    Ok(json!({ "registration": registration, "link": link }).to_string().into_response())
}

async fn register(browser: Browser<Account>, body: String) -> Result<Response, AuthError> {
    let fields: Value = serde_json::from_str(&body).unwrap();
    let mut form = PasswordlessForm::new();
    form.name = fields["name"].as_str().map(str::to_owned);
    let cookies = browser.register_pending(form).await?;
    Ok((cookies, "registered").into_response())
}

async fn link(browser: Browser<Account>) -> Result<Response, AuthError> {
    Ok((browser.link_pending().await?, "linked").into_response())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Route,
    Handler,
}

/// A browser that does everything in one way, and what it has seen.
struct Visit {
    way: Way,
    site: Site,
    visitor: Visitor,
    seen: Vec<String>,
}

impl Visit {
    async fn start(way: Way, rules: Rules) -> Self {
        let mut site = Site::with(|_| {}, rules).await;
        let address = serve(router(site.app.auth.clone())).await;
        Arc::get_mut(&mut site.app).expect("nobody else has it").address = address;
        Self { way, visitor: site.visitor(), site, seen: Vec::new() }
    }

    fn saw(&mut self, what: &str, outcome: String) {
        self.seen.push(format!("{what}: {outcome}"));
        self.seen.push(format!(
            "  {:?}",
            self.visitor.cookie_names().iter().map(|name| kind(name)).collect::<Vec<_>>()
        ));
    }

    /// The URL of the provider to which the browser is sent, if it is.
    async fn authorize(&mut self, purpose: Purpose, provider: &str, body: &Value) -> String {
        let answer = match self.way {
            Way::Route => self.visitor.authorize(purpose, provider, body).await,
            Way::Handler => self.visitor.post(&format!("/pages/{purpose:?}/{provider}"), body).await,
        };
        self.saw(&format!("{purpose:?} {provider} {body}"), outcome(&answer));
        let in_body = answer.body["authorizationUrl"].as_str();
        in_body.or(answer.header("location")).unwrap_or_default().to_owned()
    }

    /// The browser comes back with these parameters.
    async fn comes_back(&mut self, provider: &str, parameters: &[(&'static str, String)]) -> Page {
        let route = callback(provider, parameters);
        let page = match self.way {
            Way::Route => self.visitor.open(&route).await,
            Way::Handler => {
                let query = route.split_once('?').unwrap().1;
                self.visitor.visit(Method::GET, &format!("/pages/return/{provider}?{query}")).await
            }
        };
        let policy = page.headers.get("content-security-policy");
        let shown = format!("{} {:?} {} {policy:?}", page.status, page.location, cookies(&page.cookies));
        self.saw("return", shown);
        page
    }

    /// A whole visit.
    async fn go(&mut self, purpose: Purpose, provider: &str, person: &Person) -> Page {
        let url = self.authorize(purpose, provider, &json!({ "next": "/next" })).await;
        let returned = self.site.provider(provider).consent(&url, person);
        self.comes_back(provider, &returned.parameters()).await
    }

    async fn pending(&mut self) {
        let path = if self.way == Way::Route { "/auth/oauth/pending" } else { "/pages/pending" };
        let answer = self.visitor.get(path).await;
        self.saw("pending", answer.body.to_string());
    }

    async fn register(&mut self, name: &str) {
        let answer = match self.way {
            Way::Route => self.visitor.register("", name).await,
            Way::Handler => self.visitor.post("/pages/register", &json!({ "name": name })).await,
        };
        self.saw("register", outcome(&answer));
    }

    async fn link(&mut self) {
        let path = if self.way == Way::Route { "/auth/user/identities" } else { "/pages/link" };
        let answer = self.visitor.post(path, &json!({})).await;
        self.saw("link", outcome(&answer));
    }

    /// The session of somebody who logs in with a password, in place of the one that the browser has.
    async fn log_in(&mut self, email: &str) {
        let body = json!({ "email": email, "password": PASSWORD });
        self.visitor.post("/auth/login", &body).await.expect(200);
    }

    async fn confirm(&mut self) {
        self.visitor.post("/auth/user/confirm-password", &json!({ "password": PASSWORD })).await.expect(200);
    }

    async fn log_out(&mut self) {
        self.visitor.post("/auth/logout", &json!({})).await.expect(200);
    }
}

/// A cookie by its name, without what is random in it.
fn kind(name: &str) -> &str {
    if name.starts_with(FLOW) { FLOW } else { name }
}

fn cookies(cookies: &[SetCookie]) -> String {
    let shown = cookies.iter().map(|cookie| {
        format!("{} {} {}", kind(&cookie.name), cookie.is_expired(), cookie.attributes.join("; "))
    });
    let mut shown: Vec<_> = shown.collect();
    shown.sort();
    format!("{shown:?}")
}

/// What both ways have in common: whether it succeeded, the error, and the cookies without their values.
fn outcome(answer: &Answer) -> String {
    let errors = match &answer.body["errors"] {
        Value::Array(errors) => {
            errors.iter().map(|error| format!("{} {}", error["field"], error["code"])).collect()
        }
        _ => Vec::new(),
    };
    let status = if answer.status < 400 { 200 } else { answer.status };
    format!("{status} {} {errors:?} {}", answer.code(), cookies(&answer.set_cookies()))
}

/// Both ways see this.
async fn alike(rules: fn() -> Rules, run: impl AsyncFn(&mut Visit)) {
    routers::on(RouterKind::Browser, async {
        let mut seen = Vec::new();
        for way in [Way::Route, Way::Handler] {
            let mut visit = Visit::start(way, rules()).await;
            run(&mut visit).await;
            visit.site.is_in_order();
            seen.push(visit.seen);
        }
        let [route, handler] = [&seen[0], &seen[1]];
        for (route, handler) in route.iter().zip(handler) {
            assert_eq!(route, handler);
        }
        assert_eq!(route.len(), handler.len());
    })
    .await;
}

#[tokio::test]
async fn a_newcomer_registers_and_comes_back() {
    alike(Rules::default, async |visit| {
        visit.pending().await;
        visit.go(Purpose::SignIn, "acme", &ada()).await.sent_to("/welcome");
        visit.pending().await;
        visit.register("").await;
        visit.register("Ada").await;
        visit.pending().await;
        assert_eq!(visit.visitor.get("/auth/session").await.body["authenticated"], true);
        visit.log_out().await;
        visit.go(Purpose::SignIn, "acme", &ada()).await.sent_to("/next");
        let remembered = json!({ "remember": true, "next": "/a?b=c#d" });
        let url = visit.authorize(Purpose::SignIn, "acme", &remembered).await;
        let returned = visit.site.provider("acme").consent(&url, &ada());
        visit.comes_back("acme", &returned.parameters()).await.sent_to("/a?b=c#d");
        // Somebody with a name needs no other step.
        visit.log_out().await;
        let bob = Person::new("bob", "bob@example.com").named("Bob");
        visit.go(Purpose::SignIn, "other", &bob).await.sent_to("/next");
    })
    .await;
}

#[tokio::test]
async fn what_is_refused_is_refused_alike() {
    alike(Rules::default, async |visit| {
        let nothing = json!({});
        for next in ["https://evil.example", "//evil.example", &format!("/{}", "a".repeat(600))] {
            visit.authorize(Purpose::SignIn, "acme", &json!({ "next": next })).await;
        }
        for purpose in [Purpose::SignIn, Purpose::Link, Purpose::Confirm] {
            visit.authorize(purpose, "nobody", &nothing).await;
            visit.authorize(purpose, "acme", &nothing).await;
        }
        let acme = visit.site.provider("acme").clone();
        let url = visit.authorize(Purpose::SignIn, "acme", &nothing).await;
        let returned = acme.consent(&url, &ada().saying(false));
        visit.comes_back("acme", &[]).await.refused("/login", "invalid_flow_token");
        let elsewhere = Return { iss: Some("https://other.example".to_owned()), ..returned.clone() };
        visit.comes_back("acme", &elsewhere.parameters()).await.refused("/login", "provider_refused");
        visit.comes_back("other", &returned.parameters()).await.refused("/login", "invalid_flow_token");
        acme.fault("/token", Fault::Status(503));
        visit.comes_back("acme", &returned.parameters()).await.refused("/login", "provider_unavailable");
        acme.heal();
        visit.comes_back("acme", &returned.parameters()).await.refused("/login", "provider_email_unverified");
        visit.comes_back("acme", &returned.parameters()).await.refused("/login", "invalid_flow_token");
        let url = visit.authorize(Purpose::SignIn, "acme", &nothing).await;
        let cancelled = acme.refuse(&url, "access_denied");
        visit.comes_back("acme", &cancelled.parameters()).await.refused("/login", "provider_refused");
        visit.site.provider("other").is_down(Fault::NotSent);
        visit.authorize(Purpose::SignIn, "other", &nothing).await;
        // Of many visits the newest four stay.
        for _ in 0..6 {
            visit.authorize(Purpose::SignIn, "acme", &nothing).await;
        }
        assert_eq!(visit.visitor.flow_cookies().len(), 4);
    })
    .await;
}

/// A route responds with a field error, and a form has no such field.
#[tokio::test]
async fn without_a_visit_there_is_nothing_to_complete() {
    routers::on(RouterKind::Browser, async {
        let visit = Visit::start(Way::Handler, Rules::default()).await;
        visit.visitor.get("/pages/return/nobody?code=x&state=x").await.refused(404, "not_found");
        let name = json!({ "name": "Ada" });
        visit.visitor.post("/pages/register", &name).await.refused(422, "invalid_flow_token");
        visit.visitor.post("/pages/link", &json!({})).await.refused(422, "invalid_flow_token");
    })
    .await;
}

#[tokio::test]
async fn a_user_links_confirms_and_is_asked_for_what_is_missing() {
    alike(Rules::default, async |visit| {
        visit.site.app.register(EMAIL).await;
        visit.log_in(EMAIL).await;
        visit.authorize(Purpose::Link, "acme", &json!({})).await;
        visit.confirm().await;
        visit.authorize(Purpose::Link, "acme", &json!({})).await;
        visit.site.app.verify_address(EMAIL);
        visit.authorize(Purpose::Link, "acme", &json!({ "next": "x" })).await;
        visit.go(Purpose::Link, "acme", &ada()).await.sent_to("/next");
        visit.go(Purpose::Link, "acme", &ada()).await.sent_to("/next");
        assert_eq!(visit.visitor.identities().await.len(), 1);
        visit.log_in(EMAIL).await;
        visit.authorize(Purpose::Confirm, "other", &json!({})).await;
        visit
            .go(Purpose::Confirm, "acme", &Person::new("eve", EMAIL))
            .await
            .refused("/next", "provider_refused");
        visit.go(Purpose::Confirm, "acme", &ada()).await.sent_to("/next");
        assert_eq!(visit.visitor.get("/auth/session").await.body["confirmed"], true);
        // The flow of a session that has ended.
        let url = visit.authorize(Purpose::Link, "other", &json!({ "next": "/next" })).await;
        visit.log_out().await;
        let returned = visit.site.provider("other").consent(&url, &ada());
        visit.comes_back("other", &returned.parameters()).await.refused("/next", "invalid_flow_token");
    })
    .await;
}

#[tokio::test]
async fn an_account_that_exists_is_linked_by_its_owner_alone() {
    alike(Rules::default, async |visit| {
        for email in [EMAIL, "bob@example.com"] {
            visit.site.user(email).await;
        }
        visit.go(Purpose::SignIn, "acme", &ada()).await.refused("/login", "account_exists");
        visit.pending().await;
        visit.link().await;
        visit.log_in("bob@example.com").await;
        visit.link().await;
        visit.confirm().await;
        visit.link().await;
        visit.log_in(EMAIL).await;
        visit.confirm().await;
        visit.site.app.users.update(EMAIL, |user| user.email_verified_at = None);
        visit.link().await;
        visit.site.app.verify_address(EMAIL);
        visit.link().await;
        visit.pending().await;
        assert_eq!(visit.visitor.identities().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_challenge_begins_with_the_page_and_ends_with_the_next_session() {
    alike(Rules::default, async |visit| {
        let app = Arc::clone(&visit.site.app);
        app.enrolled(EMAIL).await;
        app.verify_address(EMAIL);
        visit.site.linked_user("bob@example.com", &Person::new("bob", "bob@example.com")).await;
        visit.log_in(EMAIL).await;
        assert!(visit.visitor.cookie(CHALLENGE_COOKIE).is_some());
        // Somebody else signs in with this browser.
        visit.go(Purpose::SignIn, "acme", &Person::new("bob", "bob@example.com")).await.sent_to("/next");
        assert!(visit.visitor.cookie(CHALLENGE_COOKIE).is_none(), "{:?}", visit.way);
    })
    .await;
}

#[tokio::test]
async fn a_strict_browser_gets_a_page_that_leads_on() {
    let strict = || Rules { same_site: SameSite::Strict, ..Rules::default() };
    alike(strict, async |visit| {
        let page = visit.go(Purpose::SignIn, "acme", &ada().named("Ada")).await;
        assert_eq!((page.status, page.location), (200, None));
        assert!(page.text.contains("http-equiv=\"refresh\"") && page.text.contains("/next"), "{}", page.text);
        assert_eq!(visit.visitor.get("/auth/session").await.body["authenticated"], true);
    })
    .await;
}
