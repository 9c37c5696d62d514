//! A token is good for one thing: all types of tokens, with all keys, at all places where a token is read.

use super::browser::{Browser, CHALLENGE, SESSION};
use super::host;
use crate::support::answer::Answer;
use crate::support::authenticator::Enrolled;
use crate::support::forge::{self, JWT_SECRET, REFRESH_SECRET};
use crate::support::{App, EMAIL};
use serde_json::{Value, json};
use std::sync::Arc;

/// The kinds of tokens: `typ`, and the key that signs them.
const KINDS: [&str; 5] = ["at+jwt", "rt+jwt", "2fa+jwt", "sc+jwt", "bc+jwt"];

fn key_of(kind: &str) -> Vec<u8> {
    match kind {
        "at+jwt" => JWT_SECRET.as_bytes().to_vec(),
        "rt+jwt" => REFRESH_SECRET.as_bytes().to_vec(),
        "2fa+jwt" => forge::derived(JWT_SECRET, "challenge").to_vec(),
        "sc+jwt" => forge::derived(JWT_SECRET, "session-cookie").to_vec(),
        "bc+jwt" => forge::derived(JWT_SECRET, "browser-challenge").to_vec(),
        other => panic!("{other}"),
    }
}

/// Where a token is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// `Authorization: Bearer` at the host's routes.
    Header,
    /// The same at the bearer router.
    HeaderAtModule,
    /// The same at the browser router, which reads no header.
    HeaderAtBrowserRouter,
    SessionCookie,
    SessionCookieAtModule,
    SessionCookieAtBearerRouter,
    ChallengeCookie,
    ChallengeCookieAtBearerRouter,
    RefreshBody,
    ChallengeBody,
    ChallengeBodyOfBrowserRouter,
    Query,
    QueryAtModule,
    OtherCookie,
}

const PLACES: [Place; 14] = [
    Place::Header,
    Place::HeaderAtModule,
    Place::HeaderAtBrowserRouter,
    Place::SessionCookie,
    Place::SessionCookieAtModule,
    Place::SessionCookieAtBearerRouter,
    Place::ChallengeCookie,
    Place::ChallengeCookieAtBearerRouter,
    Place::RefreshBody,
    Place::ChallengeBody,
    Place::ChallengeBodyOfBrowserRouter,
    Place::Query,
    Place::QueryAtModule,
    Place::OtherCookie,
];

impl Place {
    /// The only kind of token that is read there.
    fn kind(self) -> Option<&'static str> {
        match self {
            Self::Header | Self::HeaderAtModule => Some("at+jwt"),
            Self::SessionCookie | Self::SessionCookieAtModule => Some("sc+jwt"),
            Self::ChallengeCookie => Some("bc+jwt"),
            Self::RefreshBody => Some("rt+jwt"),
            Self::ChallengeBody => Some("2fa+jwt"),
            _ => None,
        }
    }

    /// Uses the token. A challenge is used with a wrong code: the response tells whether the token itself was accepted.
    async fn accepts(self, app: &App, token: &str) -> bool {
        let challenge = json!({ "challengeToken": token, "code": "000000" });
        let at_browser_router = |path: &str| app.get(path).header("sec-fetch-site", "same-origin");
        let cookie = |name: &str| format!("{name}={token}");
        let answer = match self {
            Self::Header => app.get("/me").bearer(token).await,
            Self::HeaderAtModule => app.get("/auth/user/sessions").bearer(token).await,
            Self::HeaderAtBrowserRouter => at_browser_router("/web/auth/user/sessions").bearer(token).await,
            Self::SessionCookie => app.get("/me").header("cookie", &cookie(SESSION)).await,
            Self::SessionCookieAtModule => {
                at_browser_router("/web/auth/user/sessions").header("cookie", &cookie(SESSION)).await
            }
            Self::SessionCookieAtBearerRouter => {
                app.get("/auth/user/sessions").header("cookie", &cookie(SESSION)).await
            }
            Self::ChallengeCookie => {
                let call = app.post("/web/auth/two-factor-challenge").header("sec-fetch-site", "none");
                call.header("cookie", &cookie(CHALLENGE)).json(&json!({ "code": "000000" })).await
            }
            Self::ChallengeCookieAtBearerRouter => {
                let call = app.post("/auth/two-factor-challenge").header("cookie", &cookie(CHALLENGE));
                call.json(&json!({ "challengeToken": "x", "code": "000000" })).await
            }
            Self::RefreshBody => app.refresh(token).await,
            Self::ChallengeBody => app.post("/auth/two-factor-challenge").json(&challenge).await,
            Self::ChallengeBodyOfBrowserRouter => {
                let call = app.post("/web/auth/two-factor-challenge").header("sec-fetch-site", "none");
                call.json(&challenge).await
            }
            Self::Query => app.get(&format!("/me?access_token={token}&{SESSION}={token}")).await,
            Self::QueryAtModule => {
                at_browser_router(&format!("/web/auth/user/sessions?{SESSION}={token}&token={token}")).await
            }
            Self::OtherCookie => app.get("/me").header("cookie", &cookie("auth")).await,
        };
        self.judge(&answer, token)
    }

    fn judge(self, answer: &Answer, token: &str) -> bool {
        match (answer.status, answer.code()) {
            (200, _) | (422, "invalid_two_factor_code") | (401, "invalid_two_factor_code") => true,
            (401, "unauthenticated" | "invalid_refresh_token" | "invalid_challenge_token") => false,
            other => panic!("{self:?} {other:?} {token}"),
        }
    }
}

/// A user with a second factor, and the claims of every kind of token at once, in a session of each kind.
async fn claims_of_everything(app: &Arc<App>) -> [Value; 2] {
    let Enrolled { authenticator, tokens } = app.enrolled(EMAIL).await;
    let bearer = forge::claims(&tokens.refresh);
    let browser = Browser::new(app);
    browser.log_in(EMAIL).await;
    app.next_step();
    let code = json!({ "code": authenticator.code(app) });
    browser.post("/web/auth/two-factor-challenge", &code).await.expect(200);
    let mut everything = Value::Object(bearer);
    everything["n"] = json!(0);
    everything["rem"] = json!(false);
    // Not earlier than any epoch of the user.
    everything["ep"] = json!(9_999_999_999_999_u64);
    let mut in_browser = everything.clone();
    in_browser["sid"] = json!(browser.session_id());
    [everything, in_browser]
}

#[tokio::test]
async fn a_token_is_accepted_only_with_its_type_its_key_and_at_its_place() {
    let app = host::start().await;
    let sessions = claims_of_everything(&app).await;
    let (mut accepted, mut tried) = (Vec::new(), 0);
    for (index, session) in sessions.iter().enumerate() {
        for typ in KINDS {
            for signed_as in KINDS {
                for place in PLACES {
                    // A challenge survives five tries.
                    let mut claims = session.clone();
                    claims["jti"] = json!(format!("{typ} {signed_as} {place:?} {index}"));
                    let header = json!({ "alg": "HS256", "typ": typ }).to_string();
                    let token = forge::sign(&header, &claims.to_string(), key_of(signed_as));
                    tried += 1;
                    if place.accepts(&app, &token).await {
                        assert_eq!(
                            (Some(typ), signed_as),
                            (place.kind(), typ),
                            "{place:?} in session {index}"
                        );
                        accepted.push((place, index));
                    }
                }
            }
        }
    }
    assert_eq!(tried, 700);
    // Access and refresh tokens belong to the bearer session, cookies to the browser session, and a challenge to none.
    let expected = [
        (Place::Header, 0),
        (Place::HeaderAtModule, 0),
        (Place::RefreshBody, 0),
        (Place::ChallengeBody, 0),
        (Place::SessionCookie, 1),
        (Place::SessionCookieAtModule, 1),
        (Place::ChallengeCookie, 0),
        (Place::ChallengeCookie, 1),
        (Place::ChallengeBody, 1),
    ];
    assert_eq!(accepted.len(), expected.len(), "{accepted:?}");
    assert!(expected.iter().all(|place| accepted.contains(place)), "{accepted:?}");
}

/// The same with the tokens and cookies that the module itself has issued.
#[tokio::test]
async fn what_the_module_has_issued_opens_nothing_else() {
    let app = host::start().await;
    let Enrolled { authenticator, .. } = app.enrolled(EMAIL).await;
    let tokens = {
        let token = app.challenge_token(EMAIL).await;
        app.challenge(&token, &authenticator.code(&app)).await.expect(200).tokens()
    };
    app.next_step();
    let browser = Browser::new(&app);
    browser.log_in(EMAIL).await;
    let challenge_cookie = browser.cookie(CHALLENGE).unwrap();
    browser
        .post("/web/auth/two-factor-challenge", &json!({ "code": authenticator.code(&app) }))
        .await
        .expect(200);
    let other = Browser::new(&app);
    other.log_in(EMAIL).await;
    let fresh_challenge = other.cookie(CHALLENGE).unwrap();
    assert_ne!(fresh_challenge, challenge_cookie);
    let issued = [
        ("at+jwt", tokens.access),
        ("rt+jwt", tokens.refresh),
        ("2fa+jwt", app.challenge_token(EMAIL).await),
        ("sc+jwt", browser.session()),
        ("bc+jwt", fresh_challenge),
    ];
    for (kind, token) in &issued {
        assert_eq!(forge::part(token, 0)["typ"], *kind);
        for place in PLACES {
            let is_accepted = place.accepts(&app, token).await;
            assert_eq!(is_accepted, place.kind() == Some(*kind), "{kind} at {place:?}");
        }
    }
}

#[tokio::test]
async fn a_header_that_is_not_exactly_ours_makes_no_cookie() {
    let app = host::start().await;
    let browser = Browser::new(&app);
    browser.register(EMAIL).await;
    let claims = Value::Object(forge::claims(&browser.session())).to_string();
    let key = forge::derived(JWT_SECRET, "session-cookie");
    let cookie = |header: &str| forge::sign(header, &claims, key);
    // The forger of this test can make a cookie that works.
    browser.plant(SESSION, &cookie(r#"{"typ":"sc+jwt","alg":"HS256","kid":"x"}"#));
    assert!(browser.is_logged_in().await);
    for header in [
        r#"{"alg":"none","typ":"sc+jwt"}"#,
        r#"{"alg":"HS512","typ":"sc+jwt"}"#,
        r#"{"alg":"RS256","typ":"sc+jwt"}"#,
        r#"{"alg":"hs256","typ":"sc+jwt"}"#,
        r#"{"typ":"sc+jwt"}"#,
        r#"{"alg":"HS256"}"#,
        r#"{"alg":"HS256","typ":"JWT"}"#,
        r#"{"alg":"HS256","typ":"SC+JWT"}"#,
        r#"{"alg":"HS256","typ":"sc+jwt","crit":["x"]}"#,
        "x",
        "",
    ] {
        browser.plant(SESSION, &cookie(header));
        assert!(!browser.is_logged_in().await, "{header}");
    }
    let unsigned =
        format!("{}.{}.", forge::encode(r#"{"alg":"none","typ":"sc+jwt"}"#), forge::encode(&claims));
    browser.plant(SESSION, &unsigned);
    assert!(!browser.is_logged_in().await);
}

#[tokio::test]
async fn claims_that_are_not_exactly_ours_make_no_cookie() {
    let app = host::start().await;
    let (browser, stranger) = (Browser::new(&app), Browser::new(&app));
    browser.register(EMAIL).await;
    stranger.register("grace@example.com").await;
    let claims = forge::claims(&browser.session());
    let now = claims["iat"].as_u64().unwrap();
    let others_id = json!(stranger.session_id());
    let header = r#"{"alg":"HS256","typ":"sc+jwt"}"#;
    let key = forge::derived(JWT_SECRET, "session-cookie");
    for (name, value) in [
        ("sub", json!("2")),
        ("sub", json!(1)),
        ("sub", json!("")),
        ("sub", Value::Null),
        ("sid", others_id),
        ("sid", json!("unknown")),
        ("sid", json!("")),
        ("sid", Value::Null),
        // Numbers that were never issued.
        ("n", json!(1)),
        ("n", json!(u64::MAX)),
        ("n", json!(-1)),
        ("n", json!(0.5)),
        ("n", json!("0")),
        ("n", Value::Null),
        ("exp", json!(now)),
        ("exp", json!(0)),
        ("exp", json!(-1)),
        ("exp", json!("9999999999")),
        ("exp", Value::Null),
        ("iat", json!(now + 61)),
        ("iat", Value::Null),
    ] {
        let mut changed = claims.clone();
        changed.insert(name.to_owned(), value.clone());
        let thief = Browser::new(&app);
        thief.plant(SESSION, &forge::sign(header, &Value::Object(changed).to_string(), key));
        assert!(!thief.is_logged_in().await, "{name} {value}");
    }
    assert!(browser.is_logged_in().await && stranger.is_logged_in().await);
}
