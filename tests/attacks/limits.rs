//! The limits of attempts: each one at its edge, and clients that would like to be somebody else (ASVS 6.3.1; RFC 6585 §4;
//! RFC 7239 §8.1).

use super::target::{EVE, TOO_MANY, Target, attacks};
use crate::support::{App, Call, EMAIL, PASSWORD, addresses_of_profiles};
use axum_auth_module::store::MemoryStore;
use axum_auth_module::testing::MovableClock;
use std::sync::Arc;
use std::time::Duration;

attacks! {
    on_both_routers {
        each_limit_at_its_edge: 22,
        a_client_that_forges_the_header: 6,
        a_client_that_is_not_behind_a_proxy: 6,
        spellings_of_one_client: 14,
        spellings_of_one_account: 6,
        a_flood_of_new_keys: 2,
    }
}

/// A user with a client that no other user has.
struct User<'a> {
    target: &'a Target,
    email: String,
    client: String,
    access: String,
    reset_token: String,
}

impl<'a> User<'a> {
    async fn new(target: &'a Target, n: usize) -> Self {
        let (email, client) = (format!("user{n}@example.com"), format!("198.51.100.{n}"));
        let access = target.register(&email).await.access;
        let reset_token = target.reset_token(&email).await;
        // It was a call that counts.
        target.advance(60);
        Self { target, email, client, access, reset_token }
    }

    fn login(&self, password: &str) -> Call {
        self.target.login_call(&self.email, password)
    }

    fn reset(&self, token: &str) -> Call {
        self.target.reset(&self.email, token)
    }
}

/// A limit: so many attempts in so many seconds are answered with a status of their own.
struct Limited {
    name: &'static str,
    attempts: usize,
    seconds: u64,
    status: u16,
    attempt: fn(&User<'_>, usize) -> Call,
    /// What must wait for the end of the window, although nothing is wrong with it.
    right: fn(&User<'_>) -> Call,
}

const LIMITS: [Limited; 11] = [
    Limited {
        name: "login, account and client",
        attempts: 5,
        seconds: 60,
        status: 401,
        attempt: |user, _| user.login("wrong").from(&user.client),
        right: |user| user.login(PASSWORD).from(&user.client),
    },
    Limited {
        name: "login, account",
        attempts: 30,
        seconds: 3600,
        status: 401,
        attempt: |user, n| user.login("wrong").from(&format!("203.0.113.{n}")),
        right: |user| user.login(PASSWORD).from(&user.client),
    },
    Limited {
        name: "login, client",
        attempts: 60,
        seconds: 60,
        status: 401,
        attempt: |user, n| {
            user.target.login_call(&format!("nobody{n}@example.com"), "wrong").from(&user.client)
        },
        right: |user| user.login(PASSWORD).from(&user.client),
    },
    Limited {
        name: "confirmation",
        attempts: 5,
        seconds: 60,
        status: 422,
        attempt: |user, _| user.target.confirm(&user.access, "wrong").from(&user.client),
        right: |user| user.target.confirm(&user.access, PASSWORD).from(&user.client),
    },
    Limited {
        name: "confirmation, account",
        attempts: 30,
        seconds: 3600,
        status: 422,
        attempt: |user, n| user.target.confirm(&user.access, "wrong").from(&format!("203.0.113.{n}")),
        right: |user| user.target.confirm(&user.access, PASSWORD),
    },
    Limited {
        name: "change of the password",
        attempts: 5,
        seconds: 60,
        status: 422,
        attempt: |user, _| {
            let call = user.target.change_password_to(&user.access, "wrong", PASSWORD);
            call.from(&user.client)
        },
        right: |user| user.target.change_password(&user.access).from(&user.client),
    },
    Limited {
        name: "reset, address and client",
        attempts: 5,
        seconds: 60,
        status: 422,
        attempt: |user, _| user.reset("wrong").from(&user.client),
        right: |user| user.reset(&user.reset_token).from(&user.client),
    },
    Limited {
        name: "reset, client",
        attempts: 20,
        seconds: 60,
        status: 422,
        attempt: |user, n| user.target.reset(&format!("nobody{n}@example.com"), "wrong").from(&user.client),
        right: |user| user.reset(&user.reset_token).from(&user.client),
    },
    Limited {
        name: "forgotten password, address",
        attempts: 3,
        seconds: 60,
        status: 200,
        attempt: |user, n| user.target.forgot(&user.email).from(&format!("203.0.113.{n}")),
        right: |user| user.target.forgot(&user.email),
    },
    Limited {
        name: "verification link, account",
        attempts: 6,
        seconds: 60,
        status: 200,
        attempt: |user, n| user.target.notify(&user.access).from(&format!("203.0.113.{n}")),
        right: |user| user.target.notify(&user.access),
    },
    Limited {
        name: "change of the address, account",
        attempts: 10,
        seconds: 3600,
        status: 200,
        attempt: |user, n| user.target.move_to(&user.access, &format!("new{n}@example.com")),
        right: |user| user.target.move_to(&user.access, "late@example.com"),
    },
];

async fn each_limit_at_its_edge() -> Target {
    // An access token that lasts longer than each window.
    let app = App::with_everything_and(
        |config| config.access_token_lifetime(Duration::from_secs(7200)),
        addresses_of_profiles,
    );
    let target = Target::on(app.await);
    for (n, Limited { name, attempts, seconds, status, attempt, right }) in LIMITS.into_iter().enumerate() {
        let user = User::new(&target, n).await;
        for n in 0..attempts {
            target.serves(format!("{name}, attempt {n}"), attempt(&user, n), status).await;
        }
        let refused = target.refuses(name, attempt(&user, attempts), TOO_MANY).await;
        assert_eq!(refused.header("retry-after"), Some(seconds.to_string().as_str()), "{name}");
        target.advance(seconds - 1);
        target.refuses(format!("{name}, what is right"), right(&user), TOO_MANY).await;
        target.advance(1);
        target.serves(format!("{name}, in the next window"), right(&user), 200).await;
    }
    target
}

/// Behind a trusted proxy, what the client itself has written stands left of its address and is not looked at.
async fn a_client_that_forges_the_header() -> Target {
    let target = Target::start().await;
    target.register(EMAIL).await;
    for n in 0..5 {
        target
            .serves(format!("guess {n}"), target.login_call(EMAIL, "wrong").from("203.0.113.66"), 401)
            .await;
    }
    for forged in ["192.0.2.50", "127.0.0.1", "unknown", "\u{e9}", "192.0.2.50, 192.0.2.51,", "2001:db8::1"] {
        let call = target.login_call(EMAIL, PASSWORD).from(&format!("{forged}, 203.0.113.66"));
        target.refuses(forged, call, TOO_MANY).await;
    }
    target.serves("another client", target.login_call(EMAIL, PASSWORD).from("203.0.113.67"), 200).await;
    target
}

/// A peer that is no trusted proxy cannot choose its address, whatever headers it sends.
async fn a_client_that_is_not_behind_a_proxy() -> Target {
    let app = App::with_everything_and(|config| config.trusted_proxies([]), |module| module);
    let target = Target::on(app.await);
    target.register(EMAIL).await;
    target.register(EVE).await;
    for n in 0..5 {
        let call = target.login_call(EMAIL, "wrong").from(&format!("203.0.113.{n}"));
        target.serves(format!("guess {n}"), call, 401).await;
    }
    for header in
        ["x-forwarded-for", "forwarded", "x-real-ip", "x-client-ip", "cf-connecting-ip", "true-client-ip"]
    {
        let value = if header == "forwarded" { "for=203.0.113.77" } else { "203.0.113.77" };
        let call = target.login_call(EMAIL, PASSWORD);
        let call = if header == "x-forwarded-for" { call.from(value) } else { call.header(header, value) };
        target.refuses(header, call, TOO_MANY).await;
    }
    target.serves("another account", target.login_call(EVE, PASSWORD), 200).await;
    target
}

/// An IPv6 network of 64 bits is one client, however an address of it is written; so is an IPv4 address.
async fn spellings_of_one_client() -> Target {
    let target = Target::start().await;
    target.register(EMAIL).await;
    for (client, spellings, another) in [
        (
            "2001:db8:1:2::1",
            [
                "2001:db8:1:2::2",
                "2001:db8:1:2:ffff:ffff:ffff:ffff",
                "2001:0DB8:0001:0002:0000:0000:0000:0001",
                "[2001:db8:1:2::1]:443",
                "[2001:db8:1:2::9]",
                "2001:db8:1:2::1%eth0",
                " 2001:db8:1:2::1 ",
            ],
            "2001:db8:1:3::1",
        ),
        (
            "203.0.113.5",
            [
                "203.0.113.5:4711",
                "203.0.113.5:1",
                "::ffff:203.0.113.5",
                "::FFFF:cb00:7105",
                "[::ffff:203.0.113.5]:80",
                " 203.0.113.5",
                "192.0.2.99,203.0.113.5",
            ],
            "203.0.113.6",
        ),
    ] {
        for n in 0..5 {
            let call = target.login_call(EMAIL, "wrong").from(client);
            target.serves(format!("guess {n} of {client}"), call, 401).await;
        }
        for spelling in spellings {
            target.refuses(spelling, target.login_call(EMAIL, PASSWORD).from(spelling), TOO_MANY).await;
        }
        target.serves(another, target.login_call(EMAIL, PASSWORD).from(another), 200).await;
    }
    target
}

/// One count, whatever spelling of the address a guess comes with, and whether there is such an account or not.
async fn spellings_of_one_account() -> Target {
    let target = Target::start().await;
    target.register(EMAIL).await;
    for name in ["ada", "nobody"] {
        let spellings = [
            format!("{name}@example.com"),
            format!("{name}@EXAMPLE.com").to_uppercase(),
            format!(" {name}@example.com"),
            format!("{name}@example.com\t"),
            format!("{name}@Example.Com"),
        ];
        for spelling in &spellings {
            target.serves(spelling, target.login_call(spelling, "wrong"), 401).await;
        }
        for spelling in &spellings[..3] {
            target.refuses(spelling, target.login_call(spelling, PASSWORD), TOO_MANY).await;
        }
    }
    target
}

/// Memory for keys is bounded, and new keys do not push out a counter that has reached its limit.
async fn a_flood_of_new_keys() -> Target {
    let clock = MovableClock::new();
    let store = MemoryStore::with(Arc::new(clock.clone()), 120);
    let app = App::with_everything_and(|config| config.clock(clock), |module| module.store(store));
    let target = Target::on(app.await);
    target.register(EMAIL).await;
    let login = || target.login_call(EMAIL, PASSWORD).from("203.0.113.66");
    for n in 0..5 {
        let call = target.login_call(EMAIL, "wrong").from("203.0.113.66");
        target.serves(format!("guess {n}"), call, 401).await;
    }
    target.refuses("before the flood", login(), TOO_MANY).await;
    for n in 0..450 {
        let client = format!("198.18.{}.{}", n / 250, n % 250);
        let call = target.login_call(&format!("nobody{n}@example.com"), "wrong").from(&client);
        call.await.refused(401, "invalid_credentials");
    }
    target.refuses("after the flood", login(), TOO_MANY).await;
    target.serves("another client", target.login_call(EMAIL, PASSWORD).from("203.0.113.67"), 200).await;
    target
}
