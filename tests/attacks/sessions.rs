//! Sessions that have ended, spent refresh tokens, ages, and cookies (RFC 9700 §4.14.2; ASVS 7.2.4, 7.3, 7.4).

use super::target::{INVALID_REFRESH_TOKEN, Target, UNAUTHENTICATED, attacks};
use crate::reset_passwords::reset_password::NEW;
use crate::support::routers::SESSION_COOKIE;
use crate::support::{Call, EMAIL, PASSWORD, Tokens, forge};
use serde_json::{Value, json};
use std::time::{Duration, UNIX_EPOCH};

attacks! {
    on_both_routers {
        tokens_after_the_session_has_ended: 24,
        a_session_that_is_too_old: 4,
    }
    on_the_bearer_router {
        refresh_tokens_after_the_session_has_ended: 5,
        a_refresh_token_that_was_used: 5,
        a_refresh_token_that_is_too_old: 3,
        a_session_that_is_refreshed_for_ever: 2,
        cookies: 14,
        requests_of_other_origins: 20,
    }
}

/// A request that ends a session.
type End = (&'static str, fn(&Target, &Ending) -> Call);

const ENDS: [End; 5] = [
    ("logout", |target, ending| target.log_out(&ending.ends.access)),
    ("revocation", |target, ending| {
        let id = forge::claims(&ending.ends.access)["sid"].as_str().unwrap().to_owned();
        target.delete(&format!("/auth/user/sessions/{id}")).bearer(&ending.other.access)
    }),
    ("revocation of all others", |target, ending| {
        target.delete("/auth/user/sessions").bearer(&ending.other.access)
    }),
    ("change of the password", |target, ending| target.change_password(&ending.other.access)),
    ("reset", |target, ending| target.reset(&ending.email, &ending.reset_token)),
];

/// A user with a session that ends, and another one.
struct Ending {
    email: String,
    ends: Tokens,
    other: Tokens,
    reset_token: String,
}

impl Ending {
    async fn new(target: &Target, n: usize) -> Self {
        let email = format!("user{n}@example.com");
        let (ends, other) = (target.register(&email).await, target.login(&email).await);
        for tokens in [&ends, &other] {
            target.confirm_password(&tokens.access).await;
        }
        let reset_token = target.reset_token(&email).await;
        Self { email, ends, other, reset_token }
    }
}

async fn tokens_after_the_session_has_ended() -> Target {
    let target = Target::without_limits().await;
    for (n, (what, end)) in ENDS.into_iter().enumerate() {
        let ending = Ending::new(&target, n).await;
        let access = &ending.ends.access;
        let paths = ["/me", "/claims", "/confirmed", "/auth/user/confirmed-password-status"];
        for path in paths {
            target.serves(path, target.get(path).bearer(access), 200).await;
        }
        target.serves(what, end(&target, &ending), 200).await;
        for path in paths {
            target
                .refuses(format!("{path} after {what}"), target.get(path).bearer(access), UNAUTHENTICATED)
                .await;
        }
        if what == "logout" {
            target.serves("the other one", target.get("/me").bearer(&ending.other.access), 200).await;
            // Eight days later it is as dead.
            target.clock.advance(Duration::from_secs(8 * 24 * 3600));
            for path in paths {
                target.refuses(path, target.get(path).bearer(access), UNAUTHENTICATED).await;
            }
        }
    }
    target
}

async fn refresh_tokens_after_the_session_has_ended() -> Target {
    let target = Target::without_limits().await;
    for (n, (what, end)) in ENDS.into_iter().enumerate() {
        let ending = Ending::new(&target, n).await;
        target.serves(what, end(&target, &ending), 200).await;
        target.refuses(what, target.refresh_call(&ending.ends.refresh), INVALID_REFRESH_TOKEN).await;
    }
    target
}

async fn a_refresh_token_that_was_used() -> Target {
    let target = Target::start().await;
    let (first, other) = (target.register(EMAIL).await, target.login(EMAIL).await);
    let second = target.serves("first use", target.refresh_call(&first.refresh), 200).await.tokens();
    target.clock.advance(Duration::from_millis(9_999));
    target.serves("in the grace", target.refresh_call(&first.refresh), 200).await;
    let third = target.serves("its successor", target.refresh_call(&second.refresh), 200).await.tokens();
    target.advance(11);
    let reused = (401, "refresh_token_reused");
    target.refuses("after the grace", target.refresh_call(&first.refresh), reused).await;
    // Nobody can tell the thief from the owner: the session is over for both.
    for tokens in [&second, &third] {
        target.refuses("a successor", target.refresh_call(&tokens.refresh), INVALID_REFRESH_TOKEN).await;
        target
            .refuses("its access token", target.get("/claims").bearer(&tokens.access), UNAUTHENTICATED)
            .await;
    }
    target.serves("another session", target.refresh_call(&other.refresh), 200).await;
    target
}

async fn a_refresh_token_that_is_too_old() -> Target {
    let target = Target::start().await;
    let (tokens, week) = (target.register(EMAIL).await, Duration::from_secs(7 * 24 * 3600));
    let expires = forge::claims(&tokens.refresh)["exp"].as_u64().unwrap();
    target.clock.set(UNIX_EPOCH + Duration::from_secs(expires) - Duration::from_millis(1));
    let next = target.serves("just in time", target.refresh_call(&tokens.refresh), 200).await.tokens();
    target.clock.advance(week + Duration::from_secs(1));
    target.refuses("a week and a second", target.refresh_call(&next.refresh), INVALID_REFRESH_TOKEN).await;
    target.refuses("its access token", target.get("/me").bearer(&next.access), UNAUTHENTICATED).await;
    let mut claims = forge::claims(&next.refresh);
    claims["exp"] = json!(9_999_999_999_u64);
    let claims = Value::Object(claims).to_string();
    let later = forge::sign(r#"{"alg":"HS256","typ":"rt+jwt"}"#, &claims, forge::REFRESH_SECRET);
    // The row knows when the session ends, whatever the token says.
    target.refuses("with a later end", target.refresh_call(&later), INVALID_REFRESH_TOKEN).await;
    target
}

async fn a_session_that_is_refreshed_for_ever() -> Target {
    let target = Target::start().await;
    let mut tokens = target.register(EMAIL).await;
    for day in 1..30 {
        target.advance(24 * 3600);
        tokens =
            target.serves(format!("day {day}"), target.refresh_call(&tokens.refresh), 200).await.tokens();
    }
    target.advance(24 * 3600);
    target.refuses("day 30", target.refresh_call(&tokens.refresh), INVALID_REFRESH_TOKEN).await;
    target.refuses("its access token", target.get("/me").bearer(&tokens.access), UNAUTHENTICATED).await;
    target
}

/// The shorter lifetimes are those of browsers: 8 hours without use, 24 hours at most.
async fn a_session_that_is_too_old() -> Target {
    let target = Target::without_limits().await;
    let idle = target.register(EMAIL).await;
    target.serves("new", target.get("/me").bearer(&idle.access), 200).await;
    target.advance(8 * 3600 + 1);
    for path in ["/me", "/claims", "/confirmed", "/auth/user/confirmed-password-status"] {
        target.refuses(path, target.get(path).bearer(&idle.access), UNAUTHENTICATED).await;
    }
    target.serves("a new session", target.login_call(EMAIL, PASSWORD), 200).await;
    target
}

/// A session cookie in quotation marks, beside another session cookie, or beside an `Authorization` header.
async fn cookies() -> Target {
    let target = Target::without_limits().await;
    let bearer = target.register(EMAIL).await;
    let cookie = cookie(&target).await;
    let me = |cookies: &str| target.get("/me").header("cookie", cookies);
    let pair = format!("{SESSION_COOKIE}={cookie}");
    for (what, call) in [
        ("twice", me(&format!("{pair}; {pair}"))),
        ("a second one", me(&format!("{pair}; {SESSION_COOKIE}=x"))),
        ("one before it", me(&format!("{SESSION_COOKIE}=x; {pair}"))),
        ("in two lines", me(&pair).header("cookie", &pair)),
        ("quoted", me(&format!("{SESSION_COOKIE}=\"{cookie}\""))),
        ("name in lower case", me(&pair.to_lowercase().replace(&cookie.to_lowercase(), &cookie))),
        ("name without prefix", me(&format!("auth={cookie}"))),
        ("name with the other prefix", me(&format!("__Secure-auth={cookie}"))),
        ("percent-encoded", me(&pair.replace('.', "%2E"))),
        ("shortened", me(&pair[..pair.len() - 1])),
        ("longer", me(&format!("{pair}A"))),
        ("an access token", me(&format!("{SESSION_COOKIE}={}", bearer.access))),
        ("beside an invalid bearer token", me(&pair).bearer("x")),
        ("as a bearer token", target.get("/me").bearer(&cookie)),
    ] {
        target.refuses(what, call, UNAUTHENTICATED).await;
    }
    target.serves("the cookie", me(&pair), 200).await;
    target.serves("beside another one", me(&format!("theme=dark; {pair}; x=y")), 200).await;
    target
}

/// The session cookie of a login.
async fn cookie(target: &Target) -> String {
    let login = target.post("/web/auth/login").header("sec-fetch-site", "same-origin");
    let login = login.json(&json!({ "email": EMAIL, "password": PASSWORD })).await.expect(200);
    login.tokens().access
}

/// What a page of another origin makes a browser send: the cookie goes along, and does not count.
async fn requests_of_other_origins() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    let pair = format!("{SESSION_COOKIE}={}", cookie(&target).await);
    let own = format!("http://{}", target.address);
    let change = || {
        let body = json!({ "currentPassword": PASSWORD, "password": NEW, "passwordConfirmation": NEW });
        target.put("/web/auth/user/password").header("cookie", &pair).json(&body)
    };
    let login = || {
        let body = json!({ "email": EMAIL, "password": PASSWORD });
        target.post("/web/auth/login").json(&body)
    };
    let forged: [&[(&str, &str)]; 10] = [
        &[],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "SAME-ORIGIN")],
        &[("sec-fetch-site", "same-origin, cross-site")],
        &[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "same-origin")],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("origin", "http://127.0.0.1.evil.example")],
        &[("sec-fetch-site", "cross-site"), ("origin", &own)],
    ];
    for headers in forged {
        for call in [change(), login()] {
            let call = headers.iter().fold(call, |call, (name, value)| call.header(name, value));
            target.refuses(format!("{headers:?}"), call, (403, "cross_origin_request")).await;
        }
    }
    target.serves("own origin", login().header("origin", &own), 200).await;
    target.serves("own page", change().header("sec-fetch-site", "same-origin"), 200).await;
    target
}
