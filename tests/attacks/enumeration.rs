//! Whether an address has an account, and in which state: answers that are alike in status, headers and body (ASVS 6.3.8). The
//! time that they take is not measured here.

use super::target::{EVE, INVALID_CREDENTIALS, INVALID_RESET_TOKEN, NOT_FOUND, TOO_MANY, Target, attacks};
use crate::support::{EMAIL, PASSWORD, Tokens, forge, visible};

attacks! {
    on_both_routers {
        logins: 10,
        reset_requests: 8,
        resets: 7,
        lockouts: 7,
        sessions_of_others: 7,
        what_is_switched_off: 8,
    }
}

/// An address in each state that an account can be in.
const STATES: [&str; 7] = [
    "unknown@example.com",
    "inactive@example.com",
    "gone@example.com",
    "passwordless@example.com",
    "malformed@example.com",
    "absurd@example.com",
    "enrolled@example.com",
];

async fn with_accounts(target: &Target) {
    target.register(EMAIL).await;
    target.enrolled("enrolled@example.com").await;
    for email in &STATES[1..6] {
        target.register(email).await;
    }
    let change = |email: &str, change: fn(&mut crate::support::Account)| {
        assert!(target.users.update(email, change));
    };
    change("inactive@example.com", |user| user.active = false);
    change("passwordless@example.com", |user| user.password.clear());
    change("malformed@example.com", |user| user.password = "not a hash at all".to_owned());
    change("absurd@example.com", |user| user.password = user.password.replacen("$04$", "$31$", 1));
    target.users.remove("gone@example.com");
}

async fn logins() -> Target {
    let target = Target::without_limits().await;
    with_accounts(&target).await;
    let wrong = target.login_call(EMAIL, "another password").await;
    for email in STATES {
        let password = if email.starts_with("enrolled") { "another password" } else { PASSWORD };
        let call = target.login_call(email, password);
        let answer = target.refuses(email, call, INVALID_CREDENTIALS).await;
        assert_eq!(visible(&answer), visible(&wrong), "{email}");
    }
    for password in ["x", &"x".repeat(60_000), &format!("{PASSWORD}\0")] {
        let call = target.login_call(EMAIL, password);
        let answer = target.refuses(password.len(), call, INVALID_CREDENTIALS).await;
        assert_eq!(visible(&answer), visible(&wrong), "{}", password.len());
    }
    target.serves("the right one", target.login_call(EMAIL, PASSWORD), 200).await;
    target
}

async fn reset_requests() -> Target {
    let target = Target::without_limits().await;
    with_accounts(&target).await;
    let known = target.serves("a known address", target.forgot(EMAIL), 200).await;
    for email in STATES.iter().chain([&"ada@example.org"]) {
        let answer = target.shrugs_off(email, target.forgot(email), 200).await;
        assert_eq!(visible(&answer), visible(&known), "{email}");
    }
    target
}

async fn resets() -> Target {
    let target = Target::without_limits().await;
    with_accounts(&target).await;
    let token = target.reset_token(EMAIL).await;
    let wrong = target.reset(EMAIL, &"0".repeat(64)).await;
    for email in STATES {
        let answer = target.refuses(email, target.reset(email, &token), INVALID_RESET_TOKEN).await;
        assert_eq!(visible(&answer), visible(&wrong), "{email}");
    }
    target.serves("the right address", target.reset(EMAIL, &token), 200).await;
    target
}

/// The number of attempts, and what comes after them.
async fn lockouts() -> Target {
    let target = Target::start().await;
    with_accounts(&target).await;
    let attempts = async |email: &str, client: &str| {
        for n in 0..5 {
            let call = target.login_call(email, "another password").from(client);
            target.serves(format!("attempt {n} of {email}"), call, 401).await;
        }
    };
    attempts(EMAIL, "198.51.100.100").await;
    let locked = target.login_call(EMAIL, PASSWORD).from("198.51.100.100").await;
    for (n, email) in STATES.iter().enumerate() {
        let client = format!("198.51.100.{n}");
        attempts(email, &client).await;
        let answer = target.refuses(email, target.login_call(email, PASSWORD).from(&client), TOO_MANY).await;
        assert_eq!(visible(&answer), visible(&locked), "{email}");
    }
    target
}

/// The id of another user's session cannot be told from one that does not exist.
async fn sessions_of_others() -> Target {
    let target = Target::without_limits().await;
    let (own, eve) = (target.confirmed_session(EMAIL).await, target.register(EVE).await);
    let (ended, other) = (target.login(EMAIL).await, target.login(EMAIL).await);
    target.log_out(&ended.access).await.expect(200);
    let id = |tokens: &Tokens| forge::claims(&tokens.access)["sid"].as_str().unwrap().to_owned();
    let delete = |id: &str| target.delete(&format!("/auth/user/sessions/{id}")).bearer(&own.access);
    let unknown = delete("00000000-0000-4000-8000-000000000000").await;
    for id in [id(&eve), id(&ended), "x".to_owned(), "1".to_owned(), "%00".to_owned(), "%2e%2e".to_owned(), {
        "x".repeat(4_000)
    }] {
        let answer = target.refuses(&id, delete(&id), NOT_FOUND).await;
        assert_eq!(visible(&answer), visible(&unknown), "{id}");
    }
    target.serves("one's own", delete(&id(&other)), 200).await;
    target.serves("Eve's goes on", target.get("/me").bearer(&eve.access), 200).await;
    target
}

/// A route of a feature that is off is one that does not exist, with every method.
async fn what_is_switched_off() -> Target {
    let app = crate::support::App::start().await;
    let target = Target::on(app);
    let access = target.register(EMAIL).await.access;
    for (method, path) in [
        ("POST", "/auth/forgot-password"),
        ("POST", "/auth/reset-password"),
        ("PUT", "/auth/user/password"),
        ("GET", "/auth/user/two-factor-qr-code"),
    ] {
        for method in [method, "OPTIONS"] {
            let call = |path: &str| target.request(method.parse().unwrap(), path).bearer(&access);
            let answer = target.refuses(path, call(path), NOT_FOUND).await;
            assert_eq!(visible(&answer), visible(&call("/auth/nonsense").await), "{method} {path}");
        }
    }
    target.serves("one that is on", target.confirm(&access, PASSWORD), 200).await;
    target
}
