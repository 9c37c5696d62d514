//! What a provider of the tests answers.

use super::trouble::{Fault, change};
use super::{Auth, Grant, Kind, Provider, Seen};
use axum::body::Bytes;
use axum::http::{Request, Response};
use axum_auth_module::http::{ConfiguredHost, HttpError, MAX_RESPONSE};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

type Answer = Result<Response<Bytes>, HttpError>;

/// A response with a JSON body.
pub(super) fn response(status: u16, body: &Value) -> Response<Bytes> {
    raw(status, body.to_string().into())
}

fn raw(status: u16, body: Bytes) -> Response<Bytes> {
    let response = Response::builder().status(status).header("content-type", "application/json");
    response.body(body).unwrap()
}

/// The pairs of a form or of a query.
fn form(text: &str) -> Vec<(String, String)> {
    let url = Url::parse(&format!("https://form.test/?{text}")).unwrap();
    url.query_pairs().into_owned().collect()
}

pub(super) fn header<'r>(request: &'r Request<Bytes>, name: &str) -> &'r str {
    request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

impl Provider {
    pub(super) fn receive(&self, request: &Request<Bytes>) -> Answer {
        let path = request.uri().path().to_owned();
        let fault = self.state().trouble.at(&path);
        if fault == Some(Fault::NotSent) {
            return Err(HttpError::not_sent("no connection"));
        }
        let is_configured = request.extensions().get::<ConfiguredHost>().is_some();
        self.state().requests.push(Seen { path: path.clone(), is_configured });
        self.check(request);
        match fault {
            None => Ok(self.answer(request, &path)),
            Some(fault) => self.broken(fault, request, &path),
        }
    }

    fn broken(&self, fault: Fault, request: &Request<Bytes>, path: &str) -> Answer {
        let answer = || self.answer(request, path);
        Ok(match fault {
            Fault::NotSent => return Err(HttpError::not_sent("no connection")),
            Fault::Failed => return Err(HttpError::failed("the connection broke")),
            Fault::FailedAfterwards => {
                answer();
                return Err(HttpError::failed("the connection broke"));
            }
            Fault::Status(status) => response(status, &json!({ "error": "invalid_grant" })),
            Fault::Redirect => {
                let location = format!("{}/elsewhere", self.issuer());
                Response::builder().status(302).header("location", location).body(Bytes::new()).unwrap()
            }
            Fault::Encoded => {
                let mut answer = answer();
                answer.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
                answer
            }
            Fault::TooLong => {
                let mut body = answer().into_body().to_vec();
                body.resize(MAX_RESPONSE + 1, b' ');
                raw(200, body.into())
            }
            Fault::NotJson => raw(200, Bytes::from_static(b"<html>")),
            Fault::NotAnObject => raw(200, Bytes::from_static(b"[]")),
            Fault::Empty => raw(200, Bytes::new()),
            Fault::Deep => raw(200, "[".repeat(100_000).into()),
        })
    }

    /// What every request of the library keeps to.
    fn check(&self, request: &Request<Bytes>) {
        let uri = request.uri();
        let is_https = uri.scheme_str() == Some("https");
        let is_loopback = matches!(uri.host(), Some("127.0.0.1" | "localhost" | "[::1]"));
        if !is_https && !is_loopback {
            self.complain(format!("{uri} is not https"));
        }
        for name in ["accept-encoding", "cookie", "referer"] {
            if request.headers().contains_key(name) {
                self.complain(format!("{uri} has the header {name}"));
            }
        }
        let query = uri.query().unwrap_or_default();
        if self.secrets().iter().any(|secret| query.contains(secret.as_str()))
            || query.contains("canary-secret")
        {
            self.complain(format!("a secret is in the query of {uri}"));
        }
    }

    pub(super) fn complain(&self, complaint: String) {
        self.state().complaints.push(complaint);
    }

    fn answer(&self, request: &Request<Bytes>, path: &str) -> Response<Bytes> {
        let method = if path.ends_with("token") { "POST" } else { "GET" };
        if request.method() != method {
            self.complain(format!("{} {path}", request.method()));
            return response(405, &json!({}));
        }
        match self.0.kind {
            Kind::OpenId if path.ends_with("/.well-known/openid-configuration") => self.metadata(),
            Kind::OpenId if path.ends_with("/keys") => self.published_keys(),
            Kind::OpenId if path.ends_with("/userinfo") => self.userinfo(request),
            _ if path.ends_with("token") => self.token(request),
            Kind::GitHub | Kind::OAuth2 => self.profile_of_another(request, path),
            Kind::OpenId => {
                self.complain(format!("there is no {path}"));
                response(404, &json!({}))
            }
        }
    }

    fn metadata(&self) -> Response<Bytes> {
        let issuer = self.issuer();
        let methods = match self.state().auth {
            Auth::Basic => json!(["client_secret_post", "client_secret_basic"]),
            Auth::Post => json!(["client_secret_post"]),
            Auth::Public => json!(["none"]),
        };
        let mut metadata = json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}/token"),
            "userinfo_endpoint": format!("{issuer}/userinfo"),
            "jwks_uri": format!("{issuer}/keys"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256", "EdDSA", "none", "HS256"],
            "token_endpoint_auth_methods_supported": methods,
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": !self.state().sends_no_iss,
        });
        change(self.state().trouble.clone().metadata.as_ref(), &mut metadata);
        response(200, &metadata)
    }

    fn published_keys(&self) -> Response<Bytes> {
        let published: Vec<_> = self.state().keys.iter().map(|key| key.jwk()).collect();
        let mut document = json!({ "keys": published });
        change(self.state().trouble.clone().keys.as_ref(), &mut document);
        response(200, &document)
    }

    fn userinfo(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let Some(person) = self.bearer(request) else { return response(401, &json!({})) };
        let mut profile = person.profile();
        profile["sub"] = person.subject;
        change(self.state().trouble.clone().userinfo.as_ref(), &mut profile);
        response(200, &profile)
    }

    /// Whose access token the request has.
    pub(super) fn bearer(&self, request: &Request<Bytes>) -> Option<super::Person> {
        let token = header(request, "authorization").strip_prefix("Bearer ").unwrap_or_default();
        let person = self.state().access_tokens.get(token).cloned();
        if person.is_none() {
            self.complain(format!("no access token of ours at {}", request.uri()));
        }
        person
    }

    /// The token endpoint (RFC 6749 §4.1.3, RFC 7636 §4.6). Everything that is wrong is a complaint and an error.
    fn token(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let pairs = form(&String::from_utf8_lossy(request.body()));
        let fields: BTreeMap<String, String> = pairs.iter().cloned().collect();
        let get = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
        let verifier = get("code_verifier");
        self.state().secrets.push(verifier.to_owned());
        let grant = self.state().codes.remove(get("code"));
        let is_form = header(request, "content-type").starts_with("application/x-www-form-urlencoded");
        let wrong = match &grant {
            _ if !is_form || fields.len() != pairs.len() => Some("the form"),
            _ if get("grant_type") != "authorization_code" => Some("grant_type"),
            _ if !self.is_our_client(request, &fields) => Some("the client's authentication"),
            None => Some("an unknown code"),
            Some(grant) if grant.redirect_uri != get("redirect_uri") => Some("redirect_uri"),
            Some(_) if !(43..=128).contains(&verifier.len()) => Some("the length of code_verifier"),
            Some(grant) if super::keys::text(&Sha256::digest(verifier)) != grant.challenge => {
                Some("code_verifier")
            }
            Some(_) => None,
        };
        match (wrong, grant) {
            (None, Some(grant)) => self.tokens(&grant, header(request, "accept")),
            (wrong, _) => {
                let wrong = wrong.unwrap_or("the code");
                // A test can send a made-up code; everything else is the library's fault.
                if wrong != "an unknown code" {
                    self.complain(format!("wrong at the token endpoint: {wrong}"));
                }
                let status = if self.0.kind == Kind::GitHub { 200 } else { 400 };
                response(status, &json!({ "error": "invalid_grant", "error_description": wrong }))
            }
        }
    }

    fn tokens(&self, grant: &Grant, accept: &str) -> Response<Bytes> {
        let access_token = self.mint("access-token");
        self.state().access_tokens.insert(access_token.clone(), grant.person.clone());
        let mut answer = json!({ "access_token": access_token, "token_type": "Bearer", "expires_in": 300 });
        answer["refresh_token"] = self.mint("refresh-token").into();
        if self.0.kind == Kind::OpenId {
            let (nonce, timed) = (grant.nonce.as_deref(), grant.asks_for_time);
            let client = self.client_id().to_owned();
            answer["id_token"] =
                self.signed(&grant.person, nonce, &client, Some(&access_token), timed).into();
        } else if self.0.kind == Kind::GitHub && !accept.contains("json") {
            // Which is what GitHub answers then.
            self.complain("Accept has no JSON".to_owned());
        }
        change(self.state().trouble.clone().token_response.as_ref(), &mut answer);
        response(200, &answer)
    }

    fn is_our_client(&self, request: &Request<Bytes>, fields: &BTreeMap<String, String>) -> bool {
        let authorization = header(request, "authorization");
        let get = |name: &str| fields.get(name).map(String::as_str);
        let (id, secret) = (get("client_id"), get("client_secret"));
        let auth = if self.0.kind == Kind::GitHub { Auth::Post } else { self.state().auth };
        match auth {
            Auth::Basic => {
                let basic = authorization.strip_prefix("Basic ").and_then(|text| STANDARD.decode(text).ok());
                let basic = basic.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
                let (id, shown) = basic.split_once(':').unwrap_or_default();
                let decoded = |text: &str| form(&format!("x={text}")).remove(0).1;
                secret.is_none() && decoded(id) == self.client_id() && decoded(shown) == self.secret()
            }
            Auth::Post => {
                authorization.is_empty() && id == Some(self.client_id()) && secret == Some(self.secret())
            }
            Auth::Public => authorization.is_empty() && id == Some(self.client_id()) && secret.is_none(),
        }
    }
}
