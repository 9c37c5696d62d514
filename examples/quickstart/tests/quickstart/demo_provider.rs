//! The demonstration provider, from the consent page to the ID token. The client is written here, from the specifications.

use crate::host::{Directory, Host};
use crate::kept::Kept;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response};
use ring::digest::{SHA256, digest};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use url::{Url, form_urlencoded};

const PATH: &str = "/demo-provider";
const SECRET: &str = "no secret: this is a demonstration";
const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-0";

type Parameters = Vec<(&'static str, String)>;

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, VERIFIER.as_bytes()))
}

/// The parameters with some changed. An empty value takes one away.
fn changed(mut parameters: Parameters, changes: &[(&'static str, &str)]) -> Parameters {
    for (name, value) in changes {
        parameters.retain(|(known, _)| known != name);
        if !value.is_empty() {
            parameters.push((name, (*value).to_owned()));
        }
    }
    parameters
}

fn encoded(parameters: &Parameters) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

/// A quickstart, and a client of its provider.
pub(crate) struct Scene {
    _directory: Directory,
    pub(crate) host: Host,
    client: Client,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    fn with(environment: &[(&str, &str)]) -> Self {
        let directory = Directory::new();
        let host = Host::start(&directory, environment);
        let client = Client::builder().redirect(Policy::none()).build().expect("a client");
        Self { _directory: directory, host, client }
    }

    fn url(&self, path: &str) -> String {
        self.host.url(&format!("{PATH}{path}"))
    }

    fn issuer(&self) -> String {
        format!("{}{PATH}", self.host.page())
    }

    fn redirect_uri(&self) -> String {
        format!("{}/web/auth/oauth/demo/callback", self.host.page())
    }

    fn request(&self) -> Parameters {
        changed(
            Vec::new(),
            &[
                ("response_type", "code"),
                ("client_id", "quickstart"),
                ("redirect_uri", &self.redirect_uri()),
                ("scope", "openid profile email"),
                ("state", "a state & more"),
                ("nonce", "a-nonce"),
                ("code_challenge", &challenge()),
                ("code_challenge_method", "S256"),
            ],
        )
    }

    fn consent(&self) -> Parameters {
        changed(
            self.request(),
            &[
                ("subject", "ada-7"),
                ("name", "Ada"),
                ("email", "ada@example.com"),
                ("email_verified", "true"),
                ("decision", "allow"),
            ],
        )
    }

    async fn get(&self, path: &str) -> Response {
        self.client.get(self.url(path)).send().await.expect("a response")
    }

    fn post(&self, path: &str, form: &Parameters) -> RequestBuilder {
        let request = self.client.post(self.url(path)).body(encoded(form));
        request.header(CONTENT_TYPE, "application/x-www-form-urlencoded")
    }

    /// What a browser does that was sent here: a person types who to be. Returns the parameters with which it is sent back.
    pub(crate) async fn consent_to(&self, authorization_url: &str, typed: &[(&'static str, &str)]) -> Value {
        let url = Url::parse(authorization_url).expect("a URL");
        let mut form = changed(Vec::new(), typed);
        form.push(("decision", "allow".to_owned()));
        let body = format!("{}&{}", url.query().expect("a query"), encoded(&form));
        let request = self.client.post(self.url("/authorize")).body(body);
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        back(&request.send().await.expect("a response")).1
    }

    async fn decide(&self, form: &Parameters) -> Response {
        self.post("/authorize", form).send().await.expect("a response")
    }

    async fn show(&self, parameters: &Parameters) -> Response {
        self.get(&format!("/authorize?{}", encoded(parameters))).await
    }
}

/// The parameters with which a browser is sent back, and to where.
fn back(response: &Response) -> (String, Value) {
    assert_eq!(response.status(), 303);
    let mut url = Url::parse(response.headers()[LOCATION].to_str().expect("text")).expect("a URL");
    let pairs: serde_json::Map<_, _> =
        url.query_pairs().map(|(name, value)| (name.into_owned(), json!(value))).collect();
    url.set_query(None);
    (url.into(), pairs.into())
}

async fn body(response: Response) -> (u16, Value) {
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

#[tokio::test]
async fn the_metadata_is_at_the_issuer_and_names_endpoints_below_it() {
    let scene = Scene::new();
    let (status, metadata) = body(scene.get("/.well-known/openid-configuration").await).await;
    assert_eq!((status, &metadata["issuer"]), (200, &json!(scene.issuer())));
    for (member, path) in [
        ("authorization_endpoint", "/authorize"),
        ("token_endpoint", "/token"),
        ("userinfo_endpoint", "/userinfo"),
        ("jwks_uri", "/jwks"),
    ] {
        assert_eq!(metadata[member], format!("{}{path}", scene.issuer()));
    }
    assert_eq!(metadata["authorization_response_iss_parameter_supported"], true);
    assert_eq!(metadata["id_token_signing_alg_values_supported"], json!(["ES256"]));
    let (_, keys) = body(scene.get("/jwks").await).await;
    let key = &keys["keys"][0];
    assert_eq!((&key["kty"], &key["crv"], &key["use"]), (&json!("EC"), &json!("P-256"), &json!("sig")));
    assert!(key["d"].is_null(), "the private key");
}

#[tokio::test]
async fn the_consent_page_says_what_it_is_and_has_no_script() {
    let scene = Scene::new();
    let hostile = changed(
        scene.request(),
        &[("state", "\"><script>alert(1)</script>{subject}"), ("login_hint", "<b>{message}@example.com")],
    );
    let response = scene.show(&hostile).await;
    assert_eq!(response.status(), 200);
    let policy = response.headers()[CONTENT_SECURITY_POLICY].to_str().expect("text").to_owned();
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("script-src"), "{policy}");
    // Chromium follows the redirect after the form only to what is listed.
    assert!(policy.contains(&format!("form-action 'self' {}", scene.host.page())), "{policy}");
    let page = response.text().await.expect("text");
    assert!(page.contains("For development only."), "{page}");
    assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
    assert!(
        page.contains("{subject}") && page.contains("{message}@"),
        "what was sent is shown as it is: {page}"
    );
    assert_eq!(scene.get("/style.css").await.headers()[CONTENT_TYPE], "text/css; charset=utf-8");
}

/// The parameters of the page's own form, with what a person types.
#[tokio::test]
async fn the_form_of_the_page_has_what_the_request_had() {
    let scene = Scene::new();
    let page = scene.show(&scene.request()).await.text().await.expect("text");
    for (name, value) in scene.request() {
        let field = format!("name=\"{name}\" value=\"{}\"", value.replace('&', "&amp;"));
        assert!(page.contains(&field), "{field}: {page}");
    }
}

#[tokio::test]
async fn a_code_becomes_a_signed_id_token_and_an_access_token_once() {
    let scene = Scene::new();
    let (to, sent) = back(&scene.decide(&scene.consent()).await);
    assert_eq!(to, scene.redirect_uri());
    assert_eq!((&sent["state"], &sent["iss"]), (&json!("a state & more"), &json!(scene.issuer())));
    let form = token_form(&scene, sent["code"].as_str().expect("a code"));
    let (status, tokens) =
        body(authenticated(scene.post("/token", &form), SECRET).send().await.unwrap()).await;
    assert_eq!((status, &tokens["token_type"], &tokens["expires_in"]), (200, &json!("Bearer"), &json!(60)));

    let (_, keys) = body(scene.get("/jwks").await).await;
    let claims = verified(tokens["id_token"].as_str().expect("a token"), &keys["keys"][0]);
    for (claim, value) in [
        ("iss", json!(scene.issuer())),
        ("aud", json!("quickstart")),
        ("sub", json!("ada-7")),
        ("nonce", json!("a-nonce")),
        ("name", json!("Ada")),
        ("email", json!("ada@example.com")),
        ("email_verified", json!(true)),
    ] {
        assert_eq!(claims[claim], value, "{claims}");
    }
    let access = tokens["access_token"].as_str().expect("a token");
    assert_eq!(claims["at_hash"], URL_SAFE_NO_PAD.encode(&digest(&SHA256, access.as_bytes()).as_ref()[..16]));
    let person = scene.client.get(scene.url("/userinfo")).bearer_auth(access).send().await.unwrap();
    let expected =
        json!({ "sub": "ada-7", "name": "Ada", "email": "ada@example.com", "email_verified": true });
    assert_eq!(body(person).await, (200, expected));
    assert_eq!(scene.get("/userinfo").await.status(), 401);

    let again = authenticated(scene.post("/token", &form), SECRET).send().await.unwrap();
    let (status, refused) = body(again).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_grant")));
}

#[tokio::test]
async fn an_address_need_not_be_verified_or_there_at_all() {
    let scene = Scene::new();
    for (changes, email, verified) in [
        (&[("email_verified", "")][..], json!("ada@example.com"), json!(false)),
        (&[("email", "")], Value::Null, Value::Null),
        (&[("scope", "openid")], Value::Null, Value::Null),
    ] {
        let (_, sent) = back(&scene.decide(&changed(scene.consent(), changes)).await);
        let form = token_form(&scene, sent["code"].as_str().expect("a code"));
        let (_, tokens) =
            body(authenticated(scene.post("/token", &form), SECRET).send().await.unwrap()).await;
        let access = tokens["access_token"].as_str().expect("a token");
        let person = scene.client.get(scene.url("/userinfo")).bearer_auth(access).send().await.unwrap();
        let (_, person) = body(person).await;
        assert_eq!((&person["email"], &person["email_verified"]), (&email, &verified), "{changes:?}");
    }
}

#[tokio::test]
async fn a_code_needs_the_secret_the_redirect_uri_and_the_verifier() {
    let scene = Scene::new();
    for (changes, secret, error) in [
        (&[][..], "wrong", "invalid_client"),
        (&[("grant_type", "password")], SECRET, "unsupported_grant_type"),
        (&[("redirect_uri", "http://localhost/elsewhere")], SECRET, "invalid_grant"),
        (&[("code_verifier", "another-verifier-of-at-least-forty-three-chars")], SECRET, "invalid_grant"),
        (&[("code_verifier", "")], SECRET, "invalid_grant"),
        (&[("code", "nonsense")], SECRET, "invalid_grant"),
    ] {
        let (_, sent) = back(&scene.decide(&scene.consent()).await);
        let form = changed(token_form(&scene, sent["code"].as_str().expect("a code")), changes);
        let (status, refused) =
            body(authenticated(scene.post("/token", &form), secret).send().await.unwrap()).await;
        let expected = if error == "invalid_client" { 401 } else { 400 };
        assert_eq!((status, &refused["error"]), (expected, &json!(error)), "{changes:?}");
    }
    // The secret can be in the form, too.
    let (_, sent) = back(&scene.decide(&scene.consent()).await);
    let form = token_form(&scene, sent["code"].as_str().expect("a code"));
    let form = changed(form, &[("client_id", "quickstart"), ("client_secret", SECRET)]);
    assert_eq!(scene.post("/token", &form).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn only_the_quickstart_is_answered() {
    let scene = Scene::new();
    for changes in [
        [("client_id", "another")],
        [("redirect_uri", "https://evil.example/callback")],
        [("redirect_uri", &format!("{}/", scene.redirect_uri()))],
        [("redirect_uri", "")],
    ] {
        for response in [
            scene.show(&changed(scene.request(), &changes)).await,
            scene.decide(&changed(scene.consent(), &changes)).await,
        ] {
            assert_eq!(
                (response.status().as_u16(), response.headers().get(LOCATION)),
                (400, None),
                "{changes:?}"
            );
        }
    }
    for (changes, error) in [
        ([("response_type", "token")], "unsupported_response_type"),
        ([("code_challenge", "")], "invalid_request"),
        ([("code_challenge_method", "plain")], "invalid_request"),
        ([("scope", "email")], "invalid_scope"),
        ([("prompt", "none")], "login_required"),
        ([("response_mode", "form_post")], "invalid_request"),
    ] {
        let (to, sent) = back(&scene.show(&changed(scene.request(), &changes)).await);
        assert_eq!(to, scene.redirect_uri());
        let expected = (&json!(error), &json!("a state & more"), &json!(scene.issuer()));
        assert_eq!((&sent["error"], &sent["state"], &sent["iss"]), expected);
    }
    let twice = format!("/authorize?{}&state=another", encoded(&scene.request()));
    assert_eq!(scene.get(&twice).await.status(), 400);
}

#[tokio::test]
async fn somebody_can_cancel_and_correct() {
    let scene = Scene::new();
    let (_, sent) = back(&scene.decide(&changed(scene.consent(), &[("decision", "deny")])).await);
    assert_eq!((&sent["error"], &sent["code"]), (&json!("access_denied"), &Value::Null));
    for subject in ["", "Ä", &"a".repeat(256)] {
        let response = scene.decide(&changed(scene.consent(), &[("subject", subject)])).await;
        assert_eq!(response.status(), 422, "{subject}");
        let page = response.text().await.expect("text");
        assert!(page.contains("value=\"ada@example.com\""), "what was typed stays: {page}");
    }
}

/// Whoever reaches it can be anybody.
#[tokio::test]
async fn it_is_there_only_for_this_machine() {
    let scene = Scene::new();
    let path = scene.url("/.well-known/openid-configuration");
    for (name, value) in
        [("x-forwarded-for", "192.0.2.1"), ("via", "1.1 proxy"), ("host", "evil.example:3000")]
    {
        let response = scene.client.get(&path).header(name, value).send().await.expect("a response");
        assert_eq!(response.status(), 404, "{name}");
    }
    for variable in [("PUBLIC_URL", "https://example.com"), ("ADDR", "0.0.0.0:0")] {
        let scene = Scene::with(&[variable]);
        assert_eq!(scene.get("/.well-known/openid-configuration").await.status(), 404, "{variable:?}");
    }
}

#[tokio::test]
async fn people_are_sent_back_to_the_public_address() {
    let scene = Scene::with(&[("PUBLIC_URL", "https://localhost:8443")]);
    let callback = "https://localhost:8443/web/auth/oauth/demo/callback";
    let (to, _) = back(&scene.decide(&changed(scene.consent(), &[("redirect_uri", callback)])).await);
    assert_eq!(to, callback);
}

#[test]
fn what_is_kept_expires_and_makes_room() {
    let (life, begin) = (Duration::from_secs(60), Instant::now());
    let kept = Kept::new(life, 2);
    let word = kept.put('a', begin).expect("a word");
    let almost = begin + life - Duration::from_millis(1);
    assert_eq!((kept.get(&word, almost), kept.get(&word, begin + life)), (Some('a'), None));
    assert_eq!(kept.get(&word, begin), None, "it is gone");

    let words: Vec<_> = "abc".chars().map(|value| kept.put(value, begin).expect("a word")).collect();
    assert_eq!(
        words.iter().map(|word| kept.take(word, begin)).collect::<Vec<_>>(),
        [None, Some('b'), Some('c')]
    );
    assert_eq!(kept.take(&words[2], begin), None, "it was taken");
}

fn token_form(scene: &Scene, code: &str) -> Parameters {
    changed(
        Vec::new(),
        &[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &scene.redirect_uri()),
            ("code_verifier", VERIFIER),
        ],
    )
}

/// `client_secret_basic`, whose parts are encoded first.
fn authenticated(request: RequestBuilder, secret: &str) -> RequestBuilder {
    let encoded: String = form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    request.header("authorization", format!("Basic {}", STANDARD.encode(format!("quickstart:{encoded}"))))
}

/// The claims of an ID token whose signature is right, and whose times are.
fn verified(token: &str, key: &Value) -> Value {
    let (signed, signature) = token.rsplit_once('.').expect("a JWT");
    let read = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64url");
    let mut point = vec![4];
    for coordinate in ["x", "y"] {
        point.extend(read(key[coordinate].as_str().expect("text")));
    }
    let key_of_token = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
    key_of_token.verify(signed.as_bytes(), &read(signature)).expect("the signature");
    let (header, claims) = signed.split_once('.').expect("a JWT");
    let json = |text: &str| -> Value { serde_json::from_slice(&read(text)).expect("JSON") };
    assert_eq!(json(header), json!({ "alg": "ES256", "typ": "JWT", "kid": key["kid"] }));
    let claims = json(claims);
    let [issued, expires] = ["iat", "exp"].map(|name| claims[name].as_i64().expect("a number"));
    assert!((chrono::Utc::now().timestamp() - issued).abs() < 30 && expires == issued + 300, "{claims}");
    claims
}
