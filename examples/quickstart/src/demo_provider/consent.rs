//! `/authorize`: the page on which somebody types who to be, and what follows from it.

use super::fields::Fields;
use super::{CLIENT_ID, DemoProvider, Grant, Person};
use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use std::fmt::Write;
use std::time::Instant;
use url::Url;

/// What the page takes along until somebody has decided.
const CARRIED: [&str; 8] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "nonce",
    "code_challenge",
    "code_challenge_method",
];

/// The length of a challenge: SHA-256 in base64url.
const CHALLENGE: usize = 43;

/// The greatest length of what somebody types (OpenID Connect Core §2, for the subject).
const LONGEST: usize = 255;

const PAGE: &str = include_str!("consent.html");
const REFUSAL: &str = include_str!("refusal.html");

/// A request that can be answered at the client.
struct Asked<'a> {
    fields: &'a Fields,
    redirect_uri: &'a str,
}

/// `GET /authorize`: the consent page.
pub(super) async fn show(State(provider): State<DemoProvider>, uri: Uri) -> Response {
    match Fields::read(uri.query().unwrap_or_default()) {
        Some(fields) => match asked(&provider, &fields) {
            Ok(asked) => asked.page(StatusCode::OK, ""),
            Err(response) => *response,
        },
        None => refused("A parameter is there twice."),
    }
}

/// `POST /authorize`: back to the client, with a code or with an error.
pub(super) async fn decide(State(provider): State<DemoProvider>, body: String) -> Response {
    let Some(fields) = Fields::read(&body) else { return refused("A parameter is there twice.") };
    let asked = match asked(&provider, &fields) {
        Ok(asked) => asked,
        Err(response) => return *response,
    };
    if fields.get("decision") != Some("allow") {
        return asked.back(&provider, &[("error", "access_denied")]);
    }
    let person = match asked.person() {
        Ok(person) => person,
        Err(message) => return asked.page(StatusCode::UNPROCESSABLE_ENTITY, message),
    };
    let grant = Grant {
        redirect_uri: asked.redirect_uri.to_owned(),
        challenge: fields.get("code_challenge").unwrap_or_default().to_owned(),
        nonce: fields.get("nonce").map(ToOwned::to_owned),
        person,
    };
    match provider.0.codes.put(grant, Instant::now()) {
        Ok(code) => asked.back(&provider, &[("code", &code)]),
        Err(error) => {
            tracing::error!(%error, "the demonstration provider cannot make a code");
            asked.back(&provider, &[("error", "server_error")])
        }
    }
}

/// Judges a request. A client or a redirect URI that is wrong is told to the person alone, everything else to the client
/// (RFC 6749 §4.1.2.1).
fn asked<'a>(provider: &DemoProvider, fields: &'a Fields) -> Result<Asked<'a>, Box<Response>> {
    if fields.get("client_id") != Some(CLIENT_ID) {
        return Err(Box::new(refused(
            "The client is unknown. This provider has one client, the quickstart.",
        )));
    }
    let known = |uri: &&str| provider.redirect_uris().iter().any(|known| known == uri);
    let redirect_uri = fields.get("redirect_uri").filter(known);
    let redirect_uri =
        redirect_uri.ok_or_else(|| Box::new(refused("The redirect_uri is not one of the quickstart's.")))?;
    let asked = Asked { fields, redirect_uri };
    let error = if fields.get("response_type") != Some("code") {
        Some(("unsupported_response_type", "Only code is."))
    } else if fields.get("response_mode").is_some_and(|mode| mode != "query") {
        Some(("invalid_request", "The only response_mode is query."))
    } else if fields.get("request").is_some() {
        Some(("request_not_supported", "Request objects are not read."))
    } else if fields.get("request_uri").is_some() {
        Some(("request_uri_not_supported", "Request objects are not read."))
    } else if !fields.lists("scope", "openid") {
        Some(("invalid_scope", "The scope needs openid."))
    } else if !fields.get("code_challenge").is_some_and(is_challenge)
        || fields.get("code_challenge_method") != Some("S256")
    {
        Some(("invalid_request", "PKCE with S256 is required."))
    } else if fields.lists("prompt", "none") {
        Some(("login_required", "Nobody is ever signed in here."))
    } else {
        None
    };
    match error {
        None => Ok(asked),
        Some((error, why)) => {
            Err(Box::new(asked.back(provider, &[("error", error), ("error_description", why)])))
        }
    }
}

fn is_challenge(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    text.len() == CHALLENGE && text.bytes().all(fits)
}

impl Asked<'_> {
    /// The consent page, with what was typed before.
    fn page(&self, status: StatusCode, message: &str) -> Response {
        let typed = |name: &str, first: &str| match self.fields.get("decision") {
            None => escaped(first),
            Some(_) => escaped(self.fields.get(name).unwrap_or_default()),
        };
        let mut carried = String::new();
        for name in CARRIED {
            if let Some(value) = self.fields.get(name) {
                // Writing to a string cannot fail.
                let _ =
                    writeln!(carried, r#"<input type="hidden" name="{name}" value="{}">"#, escaped(value));
            }
        }
        let hint = self.fields.get("login_hint").unwrap_or("ada@example.com");
        let is_verified =
            self.fields.get("decision").is_none() || self.fields.get("email_verified").is_some();
        // What was typed comes last: nothing that it contains is replaced.
        let page = PAGE
            .replace("{checked}", if is_verified { "checked" } else { "" })
            .replace("{message}", &escaped(message));
        let page = filled(
            &page,
            &[
                ("{carried}", &carried),
                ("{subject}", &typed("subject", "ada")),
                ("{name}", &typed("name", "Ada Lovelace")),
                ("{email}", &typed("email", hint)),
            ],
        );
        (status, Html(page)).into_response()
    }

    /// What was typed, as far as the client has asked for it.
    fn person(&self) -> Result<Person, &'static str> {
        let typed = |name: &str| self.fields.get(name).map(str::trim).filter(|text| !text.is_empty());
        let subject = typed("subject").ok_or("The subject is missing.")?;
        if !subject.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
            return Err("The subject has other characters than ASCII.");
        }
        let (name, email) = (typed("name"), typed("email"));
        if [Some(subject), name, email].into_iter().flatten().any(|text| text.len() > LONGEST) {
            return Err("That is too long.");
        }
        let wants = |scope: &str| self.fields.lists("scope", scope);
        let email = email.filter(|_| wants("email")).map(ToOwned::to_owned);
        Ok(Person {
            sub: subject.to_owned(),
            name: name.filter(|_| wants("profile")).map(ToOwned::to_owned),
            email_verified: email.as_ref().map(|_| self.fields.get("email_verified").is_some()),
            email,
        })
    }

    /// Sends the browser back, with the `state` of the request and the issuer (RFC 9207).
    fn back(&self, provider: &DemoProvider, parameters: &[(&str, &str)]) -> Response {
        let Ok(mut url) = Url::parse(self.redirect_uri) else {
            return refused("The redirect_uri is no address.");
        };
        url.query_pairs_mut()
            .extend_pairs(parameters)
            .extend_pairs(self.fields.get("state").map(|state| ("state", state)))
            .append_pair("iss", provider.issuer());
        (StatusCode::SEE_OTHER, [(LOCATION, String::from(url))]).into_response()
    }
}

/// A page that says why there is nothing to consent to.
fn refused(why: &str) -> Response {
    (StatusCode::BAD_REQUEST, Html(REFUSAL.replace("{why}", &escaped(why)))).into_response()
}

/// Fills the places of a page, each with its text, in one pass.
fn filled(page: &str, places: &[(&str, &str)]) -> String {
    let mut rest = page;
    let mut text = String::new();
    for (place, value) in places {
        if let Some((before, after)) = rest.split_once(place) {
            text.push_str(before);
            text.push_str(value);
            rest = after;
        }
    }
    text + rest
}

/// Text in an HTML page.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
