//! Every combination of `Sec-Fetch-Site`, `Origin` and method, at everything that reads a cookie, against the four
//! rules of specification §27.4, which are written here a second time.

use crate::browser_sessions::browser::{Browser, SESSION};
use crate::browser_sessions::host;
use crate::support::answer::Answer;
use crate::support::{App, Call, EMAIL, Tokens, at_once};
use axum_auth_module::config::BrowserOptions;
use reqwest::Method;
use std::sync::Arc;

const HOST: &str = "app.example.test:8443";
const LISTED: &str = "https://listed.example.test";

/// What the header `Sec-Fetch-Site` has, a value for each line.
const SITES: [&[&str]; 8] = [
    &[],
    &["same-origin"],
    &["same-site"],
    &["cross-site"],
    &["none"],
    &["SAME-ORIGIN"],
    &["same-origin, cross-site"],
    &["same-origin", "same-origin"],
];

/// Whose origin it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// The host and port of the request.
    Own,
    /// One of `allowed_origins`.
    Listed,
    Another,
}

/// What the header `Origin` has, a value for each line.
const ORIGINS: [(&[&str], Whose); 15] = [
    (&[], Whose::Another),
    (&["https://app.example.test:8443"], Whose::Own),
    (&["https://app.example.test:9443"], Whose::Another),
    (&["https://app.example.test"], Whose::Another),
    // The scheme is not compared: TLS may end at a proxy.
    (&["http://app.example.test:8443"], Whose::Own),
    (&[LISTED], Whose::Listed),
    (&["http://listed.example.test"], Whose::Another),
    (&["null"], Whose::Another),
    (&["https://app.example.test:8443", "https://app.example.test:8443"], Whose::Own),
    (&[LISTED, "https://evil.example"], Whose::Listed),
    (&["https://app.example.test.:8443"], Whose::Another),
    (&["https://app.example.test:8443@evil.example"], Whose::Another),
    (&["https://user@app.example.test:8443"], Whose::Another),
    (&["https://äpp.example.test:8443"], Whose::Another),
    (&["HTTPS://APP.EXAMPLE.TEST:8443"], Whose::Own),
];

const METHODS: [(Method, bool); 8] = [
    (Method::GET, false),
    (Method::HEAD, false),
    (Method::OPTIONS, false),
    (Method::POST, false),
    (Method::PUT, false),
    (Method::DELETE, false),
    (Method::GET, true),
    (Method::OPTIONS, true),
];

/// The four rules: whether a request passes.
fn passes(method: &Method, is_upgrade: bool, site: &[&str], origin: &[&str], whose: Whose) -> bool {
    // 1.
    if !is_upgrade && (method == Method::GET || method == Method::HEAD || method == Method::OPTIONS) {
        return true;
    }
    // 4., its second half.
    if site.len() > 1 || origin.len() > 1 {
        return false;
    }
    match (site.first(), origin.first()) {
        // 2.
        (Some(&"same-origin" | &"none"), _) => true,
        (Some(_), Some(_)) => whose == Whose::Listed,
        (Some(_), None) => false,
        // 3.
        (None, Some(_)) => whose == Whose::Own || whose == Whose::Listed,
        // 4.
        (None, None) => false,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    Nothing,
    Cookie,
    /// A cookie that is not valid: the origin is checked before it is opened.
    InvalidCookie,
    /// A bearer token and the cookie: the cookie is ignored, and nothing is checked.
    BearerAndCookie,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Module,
    User,
    Claims,
    Optional,
    Browser,
}

const EVERYTHING: [Target; 5] =
    [Target::Module, Target::User, Target::Claims, Target::Optional, Target::Browser];
const EVERY_CREDENTIAL: [Sent; 4] = [Sent::Nothing, Sent::Cookie, Sent::InvalidCookie, Sent::BearerAndCookie];

impl Target {
    /// A path that serves the method, and would do something with it.
    fn path(self, method: &Method) -> &'static str {
        match (self, method.as_str()) {
            (Self::Module, "POST") => "/web/auth/login",
            (Self::Module, "PUT") => "/web/auth/user/password",
            (Self::Module, "DELETE") => "/web/auth/user/sessions",
            (Self::Module, _) => "/web/auth/session",
            (Self::User, _) => "/me",
            (Self::Claims, _) => "/claims",
            (Self::Optional, _) => "/optional",
            (Self::Browser, _) => "/browser",
        }
    }

    /// Whether the rules apply to a request with this credential.
    fn is_checked(self, sent: Sent) -> bool {
        match self {
            Self::Module | Self::Browser => true,
            Self::User | Self::Claims | Self::Optional => sent == Sent::Cookie || sent == Sent::InvalidCookie,
        }
    }

    /// The status of a request that passes.
    fn status(self, method: &Method, sent: Sent) -> u16 {
        let is_known = sent == Sent::Cookie || sent == Sent::BearerAndCookie;
        match (self, method.as_str()) {
            (Self::Module, "GET" | "HEAD") | (Self::Optional | Self::Browser, _) => 200,
            (Self::Module, "OPTIONS") => 405,
            // There is no body.
            (Self::Module, "POST") => 415,
            (Self::Module, "PUT") if is_known => 415,
            // The password was not confirmed.
            (Self::Module, "DELETE") if is_known => 403,
            _ if is_known => 200,
            _ => 401,
        }
    }
}

/// One request.
struct Combination {
    target: Target,
    sent: Sent,
    method: Method,
    is_upgrade: bool,
    site: &'static [&'static str],
    origin: &'static [&'static str],
    whose: Whose,
}

impl Combination {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for target in EVERYTHING {
            for sent in EVERY_CREDENTIAL {
                for (method, is_upgrade) in METHODS {
                    for site in SITES {
                        for (origin, whose) in ORIGINS {
                            let method = method.clone();
                            all.push(Self { target, sent, method, is_upgrade, site, origin, whose });
                        }
                    }
                }
            }
        }
        all
    }

    fn call(&self, app: &App, cookie: &str, tokens: &Tokens) -> Call {
        let mut call = app.request(self.method.clone(), self.target.path(&self.method)).header("host", HOST);
        let pair = format!("{SESSION}={cookie}");
        call = match self.sent {
            Sent::Nothing => call,
            Sent::Cookie => call.header("cookie", &pair),
            Sent::InvalidCookie => call.header("cookie", &format!("{pair}x")),
            Sent::BearerAndCookie => call.header("cookie", &pair).bearer(&tokens.access),
        };
        if self.is_upgrade {
            call = call.header("connection", "upgrade").header("upgrade", "websocket");
        }
        for value in self.site {
            call = call.header("sec-fetch-site", value);
        }
        for value in self.origin {
            call = call.header_bytes("origin", value.as_bytes());
        }
        call
    }

    /// What is wrong with the response.
    fn complaint(&self, answer: &Answer) -> Option<String> {
        let Self { target, sent, method, is_upgrade, site, origin, whose } = self;
        let passes = !target.is_checked(*sent) || passes(method, *is_upgrade, site, origin, *whose);
        let is_right = match passes {
            true => answer.status == target.status(method, *sent) && answer.code() != "cross_origin_request",
            false => answer.status == 403 && answer.code() == "cross_origin_request",
        };
        let request = format!("{target:?} {sent:?} {method} {is_upgrade} {site:?} {origin:?}");
        (!is_right).then(|| format!("{request}: {} {}", answer.status, answer.text))
    }
}

/// 19,200 requests.
#[tokio::test(flavor = "multi_thread")]
async fn every_request_is_checked_by_the_four_rules() {
    let options = BrowserOptions::default().allowed_origins([LISTED]);
    let app = host::start_with(|config| config.browser(options)).await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let (cookie, tokens) = (browser.session(), app.login(EMAIL).await);
    let all = Arc::new(Combination::all());
    assert_eq!(all.len(), 19_200);
    let (mut complaints, mut refused) = (Vec::new(), 0);
    for chunk in (0..all.len()).collect::<Vec<_>>().chunks(64) {
        let calls = chunk.iter().map(|index| all[*index].call(&app, &cookie, &tokens).into_future());
        for (index, answer) in chunk.iter().zip(at_once(calls.collect::<Vec<_>>()).await) {
            complaints.extend(all[*index].complaint(&answer));
            refused += usize::from(answer.code() == "cross_origin_request");
        }
    }
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), all.len(), complaints.join("\n"));
    // Each rule has refused and passed something.
    assert!((1_000..18_000).contains(&refused), "{refused}");
    assert!(browser.is_logged_in().await);
}

/// The rules themselves, for some requests that people know.
#[test]
fn the_rules_of_this_test_are_those_of_the_specification() {
    let post = |site: &[&str], origin: &[&str], whose| passes(&Method::POST, false, site, origin, whose);
    let own = ["https://app.example.test:8443"];
    assert!(post(&["same-origin"], &own, Whose::Own));
    assert!(!post(&["cross-site"], &["https://evil.example"], Whose::Another));
    assert!(!post(&["same-site"], &own, Whose::Own));
    assert!(post(&["same-site"], &[LISTED], Whose::Listed));
    assert!(post(&[], &own, Whose::Own));
    assert!(!post(&[], &["null"], Whose::Another));
    assert!(!post(&[], &[], Whose::Another));
    assert!(passes(&Method::GET, false, &["cross-site"], &[], Whose::Another));
    assert!(!passes(&Method::GET, true, &["cross-site"], &[], Whose::Another));
}
