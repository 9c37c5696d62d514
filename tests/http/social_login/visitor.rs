//! Somebody at a client of the host: a program, or a browser with its cookies.

use super::outcome::{Outcome, Page};
use super::site::Site;
use crate::support::answer::Answer;
use crate::support::cookies::SetCookie;
use crate::support::provider::{Person, Return};
use crate::support::routers::{BROWSER_ROUTER, DEVICE_COOKIE, SESSION_COOKIE, newest};
use crate::support::{App, Call, Tokens};
use reqwest::redirect::Policy;
use reqwest::{Method, Url};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// How the names of the flow cookies begin.
pub(super) const FLOW: &str = "__Host-Http-auth-flow-";
pub(super) const LINK: &str = "__Host-Http-auth-link";
pub(super) const REGISTRATION: &str = "__Host-Http-auth-registration";

/// What a flow is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    SignIn,
    Link,
    Confirm,
}

/// A flow that has begun.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) purpose: Purpose,
    pub(super) provider: String,
    pub(super) url: String,
    /// The flow token, which a browser has in a cookie.
    pub(super) token: String,
    /// Where a browser goes at last.
    pub(super) next: String,
}

impl Flow {
    /// The cookie that a browser keeps the flow in: `state` begins with the end of its name.
    pub(super) fn cookie(&self) -> String {
        let url = Url::parse(&self.url).unwrap();
        let (_, state) = url.query_pairs().find(|(name, _)| name == "state").unwrap();
        format!("{FLOW}{}", &state[..8])
    }
}

/// Clones are further tabs of the same browser.
#[derive(Clone)]
pub(super) struct Visitor {
    pub(super) app: Arc<App>,
    jar: Arc<Mutex<BTreeMap<String, String>>>,
    access: Option<String>,
    /// The token of a trusted device, which a browser has in its cookie.
    device: Option<String>,
    address: String,
    language: &'static str,
}

impl Visitor {
    pub(super) fn new(app: &Arc<App>) -> Self {
        let address = "192.0.2.1".to_owned();
        let (access, device) = (None, None);
        Self { app: Arc::clone(app), jar: Arc::default(), access, device, address, language: "en" }
    }

    /// The same visitor, who wants this language.
    pub(super) fn speaking(&self, language: &'static str) -> Self {
        Self { language, ..self.clone() }
    }

    /// The same visitor at another address.
    pub(super) fn from(&self, address: &str) -> Self {
        Self { address: address.to_owned(), ..self.clone() }
    }

    /// The same visitor in this session.
    pub(super) fn with(&self, tokens: &Tokens) -> Self {
        if self.app.is_for_browsers() {
            self.plant(SESSION_COOKIE, &newest(&tokens.access));
        }
        Self { access: Some(tokens.access.clone()), ..self.clone() }
    }

    /// The same visitor on this trusted device.
    pub(super) fn on_device(&self, device: &str) -> Self {
        if self.app.is_for_browsers() {
            self.plant(DEVICE_COOKIE, device);
            return self.clone();
        }
        Self { device: Some(device.to_owned()), ..self.clone() }
    }

    /// The body of a sign-in, with the token of the device.
    pub(super) fn with_device(&self, mut body: Value) -> Value {
        if let Some(device) = &self.device {
            body["deviceToken"] = device.as_str().into();
        }
        body
    }

    /// A cookie that the browser has.
    pub(super) fn cookie(&self, name: &str) -> Option<String> {
        self.jar.lock().unwrap().get(name).cloned()
    }

    pub(super) fn cookie_names(&self) -> Vec<String> {
        self.jar.lock().unwrap().keys().cloned().collect()
    }

    /// The flow cookies that the browser has.
    pub(super) fn flow_cookies(&self) -> Vec<String> {
        self.cookie_names().into_iter().filter(|name| name.starts_with(FLOW)).collect()
    }

    pub(super) fn plant(&self, name: &str, value: &str) {
        self.jar.lock().unwrap().insert(name.to_owned(), value.to_owned());
    }

    pub(super) fn forget(&self, name: &str) {
        self.jar.lock().unwrap().remove(name);
    }

    pub(super) fn keep(&self, cookies: &[SetCookie]) {
        let mut jar = self.jar.lock().unwrap();
        for cookie in cookies {
            match cookie.is_expired() {
                true => jar.remove(&cookie.name),
                false => jar.insert(cookie.name.clone(), cookie.value.clone()),
            };
        }
    }

    fn cookie_header(&self) -> Option<String> {
        let jar = self.jar.lock().unwrap();
        let pairs: Vec<_> = jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// A request with what the visitor has.
    pub(super) fn call(&self, method: Method, path: &str) -> Call {
        let call = self.app.request(method, path).from(&self.address);
        let call = call.header("accept-language", self.language);
        match (self.app.is_for_browsers(), &self.access) {
            (true, _) => match self.cookie_header() {
                Some(header) => call.header("cookie", &header),
                None => call,
            },
            (false, Some(access)) => call.bearer(access),
            (false, None) => call,
        }
    }

    pub(super) async fn send(&self, call: Call) -> Answer {
        let answer = call.await;
        self.keep(&answer.set_cookies());
        answer
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(self.call(Method::POST, path).json(body)).await
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.send(self.call(Method::GET, path)).await
    }

    pub(super) async fn delete(&self, path: &str) -> Answer {
        self.send(self.call(Method::DELETE, path)).await
    }
}

/// Flows.
impl Visitor {
    /// The first request of a flow, as it is answered.
    pub(super) async fn authorize(&self, purpose: Purpose, provider: &str, body: &Value) -> Answer {
        let path = match purpose {
            Purpose::SignIn => format!("/auth/oauth/{provider}/authorize"),
            Purpose::Link => format!("/auth/user/identities/{provider}/authorize"),
            Purpose::Confirm => format!("/auth/user/confirm-provider/{provider}/authorize"),
        };
        self.post(&path, body).await
    }

    pub(super) async fn begin(&self, provider: &str) -> Flow {
        self.begin_for(Purpose::SignIn, provider, &json!({})).await
    }

    pub(super) async fn begin_for(&self, purpose: Purpose, provider: &str, body: &Value) -> Flow {
        let answer = self.authorize(purpose, provider, body).await.expect(200);
        let next = body["next"].as_str().unwrap_or("/home").to_owned();
        let url = answer.body["authorizationUrl"].as_str().expect("a URL").to_owned();
        let mut flow = Flow { purpose, provider: provider.to_owned(), url, token: String::new(), next };
        flow.token = match self.app.is_for_browsers() {
            true => self.cookie(&flow.cookie()).expect("a flow cookie"),
            false => answer.body["flowToken"].as_str().expect("a flow token").to_owned(),
        };
        flow
    }

    /// The second request of a flow.
    pub(super) async fn finish(&self, flow: &Flow, returned: &Return) -> Outcome {
        self.finish_with(flow, &flow.token, &returned.parameters()).await
    }

    /// The same with another flow token, or in browsers with the cookies that there are, and with these parameters.
    pub(super) async fn finish_with(
        &self,
        flow: &Flow,
        token: &str,
        parameters: &[(&'static str, String)],
    ) -> Outcome {
        let provider = &flow.provider;
        if self.app.is_for_browsers() {
            let page = self.open(&callback(provider, parameters)).await;
            return Outcome::of_page(page, flow);
        }
        let path = match flow.purpose {
            Purpose::SignIn => format!("/auth/oauth/{provider}/callback"),
            Purpose::Link => "/auth/user/identities".to_owned(),
            Purpose::Confirm => "/auth/user/confirm-provider".to_owned(),
        };
        let members = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.as_str().into()));
        let mut body: Map<String, Value> = members.collect();
        body.insert("flowToken".to_owned(), token.into());
        Outcome::of_answer(self.post(&path, &self.with_device(body.into())).await, flow)
    }

    /// The browser follows a link to this path of the browser router from the provider's page.
    pub(super) async fn open(&self, path: &str) -> Page {
        self.open_with(Method::GET, path).await
    }

    pub(super) async fn open_with(&self, method: Method, path: &str) -> Page {
        self.visit(method, &format!("{BROWSER_ROUTER}{path}")).await
    }

    /// The browser follows a link to this path of the host from the provider's page.
    pub(super) async fn visit(&self, method: Method, path: &str) -> Page {
        let client = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        let request = client.request(method, format!("http://{}{path}", self.app.address));
        let request = request.header("x-forwarded-for", &self.address);
        let request = request.header("accept-language", self.language);
        let request = request.header("sec-fetch-site", "cross-site").header("sec-fetch-mode", "navigate");
        let request = self
            .cookie_header()
            .into_iter()
            .fold(request, |request, cookies| request.header("cookie", cookies));
        let page = Page::read(request.send().await.unwrap()).await;
        self.keep(&page.cookies);
        page
    }

    pub(super) async fn sign_in(&self, site: &Site, provider: &str, person: &Person) -> Outcome {
        let flow = self.begin(provider).await;
        let returned = site.provider(provider).consent(&flow.url, person);
        self.finish(&flow, &returned).await
    }

    /// Links an identity in the session of this visitor.
    pub(super) async fn link(&self, site: &Site, provider: &str, person: &Person) -> Outcome {
        let flow = self.begin_for(Purpose::Link, provider, &json!({})).await;
        let returned = site.provider(provider).consent(&flow.url, person);
        self.finish(&flow, &returned).await
    }

    /// Confirms with a provider in the session of this visitor.
    pub(super) async fn confirm(&self, site: &Site, provider: &str, person: &Person) -> Outcome {
        let flow = self.begin_for(Purpose::Confirm, provider, &json!({})).await;
        let returned = site.provider(provider).consent(&flow.url, person);
        self.finish(&flow, &returned).await
    }

    /// Finishes a link with this link token; browsers have it in a cookie.
    pub(super) async fn link_by_token(&self, token: &str) -> Answer {
        let body = if self.app.is_for_browsers() { json!({}) } else { json!({ "linkToken": token }) };
        self.post("/auth/user/identities", &body).await
    }

    /// The registration step; browsers have the token in a cookie.
    pub(super) async fn register(&self, token: &str, name: &str) -> Answer {
        let mut body = json!({ "name": name });
        if !self.app.is_for_browsers() {
            body["registrationToken"] = token.into();
        }
        self.post("/auth/register/passwordless", &body).await
    }

    /// The identities of the session's user.
    pub(super) async fn identities(&self) -> Vec<Value> {
        self.get("/auth/user/identities").await.expect(200).body.as_array().unwrap().clone()
    }
}

/// The path of a callback with these parameters.
pub(super) fn callback(provider: &str, parameters: &[(&'static str, String)]) -> String {
    let mut url = Url::parse("https://x/").unwrap();
    url.query_pairs_mut().extend_pairs(parameters.iter().map(|(name, value)| (*name, value.as_str())));
    format!("/oauth/{provider}/callback?{}", url.query().unwrap_or_default())
}
