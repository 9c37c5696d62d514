//! Other servers, in this process: providers with which users sign in, and the [`HttpClient`] that reaches them without sockets.
//! They keep to their standards unless a test breaks them, and check what the library sends.

mod answers;
pub(crate) mod keys;
mod others;
mod tests;
pub(crate) mod trouble;

use super::App;
use axum::body::Bytes;
use axum::http::{Request, Response};
use axum_auth_module::async_trait;
use axum_auth_module::clock::Clock;
use axum_auth_module::http::{HttpClient, HttpError};
use axum_auth_module::social::{SocialProvider, SocialProviders};
use axum_auth_module::testing::MovableClock;
use keys::{Algorithm, Key, Signature};
use reqwest::Url;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::UNIX_EPOCH;
use trouble::{Fault, Trouble};

/// The servers of a test, by their hosts. Clones share them.
#[derive(Clone)]
pub(crate) struct Internet {
    clock: MovableClock,
    providers: Arc<Mutex<Vec<Provider>>>,
    unknown: Arc<Mutex<Vec<String>>>,
}

impl Internet {
    pub(crate) fn new(clock: &MovableClock) -> Self {
        Self { clock: clock.clone(), providers: Arc::default(), unknown: Arc::default() }
    }

    /// A provider that speaks OpenID Connect, at this issuer.
    pub(crate) fn openid(&self, issuer: &str) -> Provider {
        self.add(Kind::OpenId, issuer, &[])
    }

    /// GitHub.
    pub(crate) fn github(&self) -> Provider {
        self.add(Kind::GitHub, "https://github.com", &["api.github.com"])
    }

    /// A provider that speaks OAuth 2 and has a profile of its own form.
    pub(crate) fn oauth2(&self, origin: &str) -> Provider {
        self.add(Kind::OAuth2, origin, &[])
    }

    fn add(&self, kind: Kind, issuer: &str, also: &[&str]) -> Provider {
        let host = Url::parse(issuer).unwrap().authority().to_owned();
        let hosts = also.iter().map(|host| (*host).to_owned()).chain([host.clone()]).collect();
        let key = Arc::new(Key::new("first", Algorithm::Es256));
        let state = State { keys: vec![key], ..State::default() };
        let provider = Provider(Arc::new(Inner {
            kind,
            issuer: issuer.to_owned(),
            hosts,
            // Reserved characters: they are encoded on their way (RFC 6749 §2.3.1).
            client_id: format!("client+of/{host}"),
            secret: format!("canary-secret:{host}+%/="),
            clock: self.clock.clone(),
            state: Mutex::new(state),
        }));
        self.providers.lock().unwrap().push(provider.clone());
        provider
    }

    /// The URIs of requests to servers that do not exist.
    pub(crate) fn unknown(&self) -> Vec<String> {
        self.unknown.lock().unwrap().clone()
    }
}

#[async_trait]
impl HttpClient for Internet {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let host = request.uri().authority().map(|authority| authority.as_str().to_owned());
        let providers = self.providers.lock().unwrap().clone();
        // What runs at the same time can come between.
        tokio::task::yield_now().await;
        match providers
            .iter()
            .find(|provider| host.as_ref().is_some_and(|host| provider.0.hosts.contains(host)))
        {
            Some(provider) => provider.receive(&request),
            None => {
                self.unknown.lock().unwrap().push(request.uri().to_string());
                Err(HttpError::not_sent("there is no such host"))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    OpenId,
    GitHub,
    OAuth2,
}

/// A provider. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Provider(Arc<Inner>);

struct Inner {
    kind: Kind,
    issuer: String,
    hosts: Vec<String>,
    client_id: String,
    secret: String,
    clock: MovableClock,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The first one signs.
    keys: Vec<Arc<Key>>,
    codes: HashMap<String, Grant>,
    access_tokens: HashMap<String, Person>,
    /// Everything that was ever handed out or sent, none of which may be in a log.
    secrets: Vec<String>,
    trouble: Trouble,
    requests: Vec<Seen>,
    complaints: Vec<String>,
    serial: u64,
    auth: Auth,
    address_is_in_userinfo: bool,
    sends_no_iss: bool,
}

/// How the client must say who it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Auth {
    #[default]
    Basic,
    Post,
    /// It has no secret.
    Public,
}

/// A request that has arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) path: String,
    /// Whether the library said that the configuration names the host.
    pub(crate) is_configured: bool,
}

/// What a code stands for.
#[derive(Clone)]
struct Grant {
    redirect_uri: String,
    challenge: String,
    nonce: Option<String>,
    asks_for_time: bool,
    person: Person,
}

/// Who signs in at a provider.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    pub(crate) subject: Value,
    pub(crate) email: Value,
    pub(crate) email_verified: Value,
    pub(crate) name: Option<String>,
    /// Further claims.
    pub(crate) claims: Value,
    /// What GitHub lists, if it is more than the one address.
    pub(crate) emails: Option<Value>,
}

impl Person {
    /// Somebody with a proven address and without a name.
    pub(crate) fn new(subject: &str, email: &str) -> Self {
        let (claims, emails) = (json!({}), None);
        Self {
            subject: subject.into(),
            email: email.into(),
            email_verified: true.into(),
            name: None,
            claims,
            emails,
        }
    }

    pub(crate) fn named(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }

    /// The same with another `email_verified`; `null` is left out.
    pub(crate) fn saying(self, email_verified: impl Into<Value>) -> Self {
        Self { email_verified: email_verified.into(), ..self }
    }

    /// The same without an address.
    pub(crate) fn without_address(self) -> Self {
        Self { email: Value::Null, email_verified: Value::Null, ..self }
    }

    pub(crate) fn with_claim(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.claims[name] = value.into();
        self
    }

    /// The claims of the person, without those that are null.
    fn profile(&self) -> Value {
        let mut profile =
            json!({ "email": self.email, "email_verified": self.email_verified, "name": self.name });
        let members = profile.as_object_mut().unwrap();
        members.retain(|_, value| !value.is_null());
        members.extend(self.claims.as_object().unwrap().clone());
        profile
    }
}

/// What the browser brings back from a provider.
#[derive(Clone, Debug)]
pub(crate) struct Return {
    pub(crate) code: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) iss: Option<String>,
    pub(crate) error: Option<String>,
}

impl Return {
    /// The parameters of the query, or the members of a body.
    pub(crate) fn parameters(&self) -> Vec<(&'static str, String)> {
        let all = [("code", &self.code), ("state", &self.state), ("iss", &self.iss), ("error", &self.error)];
        all.into_iter().filter_map(|(name, value)| value.clone().map(|value| (name, value))).collect()
    }
}

/// What a test reads and does.
impl Provider {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.0.issuer
    }

    pub(crate) fn client_id(&self) -> &str {
        &self.0.client_id
    }

    pub(crate) fn secret(&self) -> &str {
        &self.0.secret
    }

    /// How many requests have arrived at paths that end like this.
    pub(crate) fn calls(&self, path: &str) -> usize {
        self.state().requests.iter().filter(|seen| seen.path.ends_with(path)).count()
    }

    pub(crate) fn requests(&self) -> Vec<Seen> {
        self.state().requests.clone()
    }

    /// What the library has done wrong in the eyes of the provider.
    pub(crate) fn complaints(&self) -> Vec<String> {
        self.state().complaints.clone()
    }

    /// Codes, tokens, verifiers and secrets that went over the wire.
    pub(crate) fn secrets(&self) -> Vec<String> {
        self.state().secrets.clone()
    }

    /// The client must authenticate like this, and the metadata say so.
    pub(crate) fn expects(&self, auth: Auth) {
        self.state().auth = auth;
    }

    /// The ID tokens of the code flow have no address, as OpenID Connect Core §5.4 has it.
    pub(crate) fn keeps_the_address_in_userinfo(&self) {
        self.state().address_is_in_userinfo = true;
    }

    /// The provider does not know RFC 9207.
    pub(crate) fn sends_no_iss(&self) {
        self.state().sends_no_iss = true;
    }

    /// Another key signs from now on; the previous ones stay published or do not.
    pub(crate) fn rotate(&self, kid: &str, algorithm: Algorithm, keeps_previous: bool) {
        let key = Arc::new(Key::new(kid, algorithm));
        let mut state = self.state();
        if !keeps_previous {
            state.keys.clear();
        }
        state.keys.insert(0, key);
    }

    pub(crate) fn break_id_token(&self, change: impl Fn(&mut Value, &mut Value) + Send + Sync + 'static) {
        self.state().trouble.id_token = Some(Arc::new(change));
    }

    pub(crate) fn sign(&self, how: Signature) {
        self.state().trouble.signature = how;
    }

    pub(crate) fn break_token_response(&self, change: impl Fn(&mut Value) + Send + Sync + 'static) {
        self.state().trouble.token_response = Some(Arc::new(change));
    }

    pub(crate) fn break_metadata(&self, change: impl Fn(&mut Value) + Send + Sync + 'static) {
        self.state().trouble.metadata = Some(Arc::new(change));
    }

    pub(crate) fn break_keys(&self, change: impl Fn(&mut Value) + Send + Sync + 'static) {
        self.state().trouble.keys = Some(Arc::new(change));
    }

    pub(crate) fn break_userinfo(&self, change: impl Fn(&mut Value) + Send + Sync + 'static) {
        self.state().trouble.userinfo = Some(Arc::new(change));
    }

    /// What happens at paths that end like this.
    pub(crate) fn fault(&self, path: &'static str, fault: Fault) {
        self.state().trouble.faults.insert(path, fault);
    }

    /// What happens everywhere.
    pub(crate) fn is_down(&self, fault: Fault) {
        self.state().trouble.is_down = Some(fault);
    }

    /// Nothing is broken any more.
    pub(crate) fn heal(&self) {
        self.state().trouble = Trouble::default();
    }

    /// The user consents at the page to which the client has led, and the browser comes back.
    #[track_caller]
    pub(crate) fn consent(&self, authorization_url: &str, person: &Person) -> Return {
        let asked = self.asked(authorization_url);
        let get = |name: &str| asked.get(name).unwrap_or_else(|| panic!("no {name}: {authorization_url}"));
        let grant = Grant {
            redirect_uri: get("redirect_uri").clone(),
            challenge: get("code_challenge").clone(),
            nonce: asked.get("nonce").cloned(),
            asks_for_time: asked.get("max_age").is_some_and(|age| age == "0"),
            person: person.clone(),
        };
        let code = self.mint("code");
        self.state().codes.insert(code.clone(), grant);
        Return { code: Some(code), state: Some(get("state").clone()), iss: self.iss(), error: None }
    }

    /// The user presses "cancel", or the provider cannot go on: an error in place of the code.
    #[track_caller]
    pub(crate) fn refuse(&self, authorization_url: &str, error: &str) -> Return {
        let state = self.asked(authorization_url).get("state").cloned();
        Return { code: None, state, iss: self.iss(), error: Some(error.to_owned()) }
    }

    fn iss(&self) -> Option<String> {
        let is_sent = self.0.kind == Kind::OpenId && !self.state().sends_no_iss;
        is_sent.then(|| self.0.issuer.clone())
    }

    /// The parameters of an authorization request, which must be as they should be.
    #[track_caller]
    pub(crate) fn asked(&self, authorization_url: &str) -> BTreeMap<String, String> {
        let url = Url::parse(authorization_url).unwrap();
        assert!(self.0.hosts.iter().any(|host| host == url.authority()), "{authorization_url}");
        assert!(url.path().ends_with("/authorize") && url.fragment().is_none(), "{authorization_url}");
        let pairs: Vec<_> = url.query_pairs().into_owned().collect();
        let asked: BTreeMap<String, String> = pairs.iter().cloned().collect();
        assert_eq!(asked.len(), pairs.len(), "a parameter twice: {authorization_url}");
        let get = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
        assert_eq!(
            (get("response_type"), get("client_id")),
            ("code", self.client_id()),
            "{authorization_url}"
        );
        assert_eq!((get("code_challenge_method"), get("code_challenge").len()), ("S256", 43));
        assert!(get("state").len() >= 22, "16 random bytes: {}", get("state"));
        assert!(!authorization_url.contains("canary-secret"), "{authorization_url}");
        if self.0.kind == Kind::OpenId {
            assert!(get("nonce").len() >= 22 && get("nonce") != get("state"), "{authorization_url}");
            assert!(get("scope").split(' ').any(|scope| scope == "openid"), "{authorization_url}");
        }
        asked
    }

    /// A new secret text, which is remembered.
    fn mint(&self, kind: &str) -> String {
        let mut state = self.state();
        state.serial += 1;
        let text = format!("canary-{kind}-{}-{}", state.serial, self.0.hosts.join("-"));
        state.secrets.push(text.clone());
        text
    }

    /// An ID token for this client, as a phone has it from the provider itself.
    pub(crate) fn id_token(&self, person: &Person, nonce: &str, audience: &str) -> String {
        self.signed(person, Some(nonce), audience, None, false)
    }

    fn signed(
        &self,
        person: &Person,
        nonce: Option<&str>,
        audience: &str,
        access_token: Option<&str>,
        timed: bool,
    ) -> String {
        let now = self.0.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let (key, trouble, is_bare) = {
            let state = self.state();
            let is_bare = state.address_is_in_userinfo && access_token.is_some();
            (Arc::clone(&state.keys[0]), state.trouble.clone(), is_bare)
        };
        let mut claims = if is_bare { json!({}) } else { person.profile() };
        let own = json!({
            "iss": self.0.issuer, "sub": person.subject, "aud": audience, "iat": now, "exp": now + 300, "nonce": nonce,
            "at_hash": access_token.map(|token| key.algorithm.half_hash(token)),
            "auth_time": timed.then_some(now),
        });
        let own = own.as_object().unwrap().clone().into_iter();
        claims.as_object_mut().unwrap().extend(own.filter(|(_, value)| !value.is_null()));
        let mut header = json!({ "alg": key.algorithm.name(), "kid": key.kid, "typ": "JWT" });
        if let Some(change) = &trouble.id_token {
            change(&mut header, &mut claims);
        }
        let token = key.jwt(&header, &claims, trouble.signature, &self.0.secret);
        self.state().secrets.push(token.clone());
        token
    }
}

/// GitHub, for all hosts whose tests are not about providers. It needs no clock.
static GITHUB: LazyLock<(Internet, Provider)> = LazyLock::new(|| {
    let net = Internet::new(&MovableClock::new());
    let github = net.github();
    (net, github)
});

/// The providers of these hosts: GitHub, and one with ID tokens that is down.
pub(crate) fn social_providers() -> SocialProviders {
    let at = |provider: &str| format!("https://app.example/oauth/{provider}/callback");
    let acme = SocialProvider::oidc("acme", "https://id.acme.example", "id", at("acme"));
    let acme = acme.client_secret("secret").id_token_audiences(["id"]);
    let github = SocialProvider::github(GITHUB.1.client_id(), GITHUB.1.secret(), at("github"));
    SocialProviders::new([acme, github]).unwrap()
}

/// What is around these hosts.
pub(crate) fn internet() -> Internet {
    GITHUB.0.clone()
}

/// The path of an endpoint of SOCIAL_LOGIN with one of these providers that has it.
pub(crate) fn path_with_provider(path: &str) -> String {
    let has_id_tokens = ["/nonce", "/id-token"].iter().any(|end| path.ends_with(end));
    path.replace("{provider}", if has_id_tokens { "acme" } else { "github" })
}

/// A visit to GitHub that the session begins with this path, and the body with which it ends on the bearer router.
pub(crate) async fn visit(app: &App, path: &str, access: &str, person: &Person) -> Value {
    let begun = app.post(path).bearer(access).json(&json!({})).await.expect(200).body;
    let returned = GITHUB.1.consent(begun["authorizationUrl"].as_str().unwrap(), person);
    json!({ "flowToken": begun["flowToken"], "code": returned.code, "state": returned.state })
}

/// Links the identity of a person at GitHub on the bearer router, and returns it.
pub(crate) async fn link(app: &App, access: &str, person: &Person) -> Value {
    let body = visit(app, "/auth/user/identities/github/authorize", access, person).await;
    app.post("/auth/user/identities").bearer(access).json(&body).await.expect(201).body
}

/// A person at GitHub.
pub(crate) fn at_github(number: u32, email: &str) -> Person {
    let mut person = Person::new("", email);
    person.subject = number.into();
    person
}
