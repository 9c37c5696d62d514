//! Every token at every place where another one belongs (RFC 8725 §3.11 and §3.12; ASVS 9.2.2, 9.2.3).

use super::target::{
    EVE, INVALID_CHALLENGE, INVALID_FLOW_TOKEN, INVALID_LINK, INVALID_MAIL_TOKEN, INVALID_REFRESH_TOKEN,
    INVALID_RESET_TOKEN, Refusal, Target, UNAUTHENTICATED, attacks,
};
use crate::email_login::{begin, flow_of, with_code};
use crate::invitations;
use crate::passwordless_registration::{registration_token, with_name};
use crate::reset_passwords::reset_password::NEW;
use crate::service_tokens;
use crate::support::passkeys;
use crate::support::places::Place;
use crate::support::routers::{CHALLENGE_COOKIE, SESSION_COOKIE};
use crate::support::{Call, EMAIL, PASSWORD, forge};
use axum_auth_module::AuthConfig;
use axum_auth_module::delivery::{
    EmailChangeMessage, EmailLoginMessage, SecurityNoticeMessage, VerificationData,
};
use serde_json::{Value, json};

attacks! {
    on_the_bearer_router {
        every_token_at_every_place_of_another: 462,
        an_access_token_outside_of_its_header: 13,
        the_tokens_of_another_module: 9,
    }
}

const GRACE: &str = "grace@example.com";

/// What an attacker has of one user, by name.
struct Loot {
    tokens: Vec<(&'static str, String)>,
    link: VerificationData,
    /// The second factor is right at every place: only the token is wrong.
    recovery_code: String,
    /// The codes of mails, likewise.
    login_code: String,
    confirmation_code: String,
    /// The session in which the mailbox is confirmed.
    session_of_eve: String,
    /// The session in which another address is confirmed.
    session_of_grace: String,
    passkeys: Passkeys,
}

/// What a user with passkeys has begun: the flow tokens, and what the authenticator has responded.
struct Passkeys {
    session: String,
    challenge: String,
    /// The name of the token, the flow token and the credential.
    begun: [(&'static str, String, Value); 4],
}

const LOGIN: &str = "flow token of a login with a passkey";
const ADDITION: &str = "flow token of a new passkey";
const CONFIRMATION: &str = "flow token of a confirmation with a passkey";
const AT_CHALLENGE: &str = "flow token of a challenge with a passkey";

impl Passkeys {
    async fn of(target: &Target) -> Self {
        let email = "pat@example.com";
        let (mut passkey, mut other) = (passkeys::passkey(), passkeys::passkey());
        let session = passkeys::with_second_factor(target, email, &mut passkey).await.tokens.access;
        let challenge = target.challenge_token(email).await;
        let options = |path: &'static str| target.passkey_options(path, Some(&session));
        let login = target.passkey_options("/auth/passkeys/login/options", None).await;
        let addition = options("/auth/user/passkeys/options").await;
        let confirmation = options("/auth/user/confirm-passkey/options").await;
        let at_challenge = target.post("/auth/two-factor-challenge/passkey-options");
        let at_challenge = at_challenge.challenge(&challenge, json!({})).await.expect(200).body;
        let mut proven = |name, begun: &Value| (name, flow(begun), passkey.sign_in(&begun["options"]));
        let begun = [
            proven(LOGIN, &login),
            (ADDITION, flow(&addition), other.register(&addition["options"])),
            proven(CONFIRMATION, &confirmation),
            proven(AT_CHALLENGE, &at_challenge),
        ];
        Self { session, challenge, begun }
    }

    /// The body of a request with the credential that belongs to this token, and another token.
    fn body(&self, name: &str, token: &str) -> Value {
        let (.., credential) = self.begun.iter().find(|(known, ..)| *known == name).unwrap();
        json!({ "flowToken": token, "credential": credential })
    }
}

fn flow(begun: &Value) -> String {
    begun["flowToken"].as_str().unwrap().to_owned()
}

/// A user whose address has changed once, and who has asked for a third one: the session, and the tokens of the mails.
async fn moving(target: &Target) -> (String, [String; 3]) {
    let own = target.confirmed_session(GRACE).await.access;
    target.verify_address(GRACE);
    let own = target.change_password(&own).await.expect(200).tokens().access;
    let notice = target.outbox.next::<SecurityNoticeMessage>().await.token.unwrap();
    let tokens = |mail: EmailChangeMessage| mail.token.unwrap();
    let ask = async |access: &str, email: &str| {
        target.confirm(access, NEW).await.expect(200);
        let call = target.post("/auth/user/email-change").bearer(access);
        call.json(&json!({ "email": email })).await.expect(200);
        tokens(target.outbox.next().await)
    };
    let first = ask(&own, "hopper@example.com").await;
    let call = target.post("/auth/user/email-change/confirm").bearer(&own);
    let own = call.json(&json!({ "token": first })).await.expect(200).tokens().access;
    let revert = tokens(target.outbox.next().await);
    let change = ask(&own, "murray@example.com").await;
    (own, [change, revert, notice])
}

impl Loot {
    fn token(&self, name: &str) -> &str {
        self.tokens.iter().find(|(known, _)| *known == name).map(|(_, token)| token.as_str()).unwrap()
    }

    async fn of(target: &Target) -> Self {
        let enrolled = target.enrolled(EMAIL).await;
        let session_of_eve = target.register(EVE).await.access;
        target.verify_address(EVE);
        let login = begin(target, EVE).await;
        let confirmation = target.post("/auth/user/confirm-email").bearer(&session_of_eve).await.expect(200);
        let confirmation_code = target.outbox.next::<EmailLoginMessage>().await.code.unwrap();
        let registration = registration_token(target, "newcomer@example.org").await;
        let login_code = login.code().to_owned();
        let access = &enrolled.tokens.access;
        let recovery_code = target.recovery_codes(access).await.remove(0);
        let challenge = target.challenge_token(EMAIL).await;
        let by_browser = |path: &str| target.post(path).header("sec-fetch-site", "same-origin");
        let password = json!({ "email": EMAIL, "password": PASSWORD });
        let browser_challenge =
            by_browser("/web/auth/login").json(&password).await.expect(200).challenge().unwrap();
        let body = json!({ "code": enrolled.authenticator.code(target) });
        let answer = by_browser("/web/auth/two-factor-challenge").json(&body);
        let cookie = format!("{CHALLENGE_COOKIE}={browser_challenge}");
        let session = answer.header("cookie", &cookie).await.expect(200).tokens().access;
        let browser_challenge =
            by_browser("/web/auth/login").json(&password).await.expect(200).challenge().unwrap();
        let link = target.link(access).await;
        let (session_of_grace, [change, revert, notice]) = moving(target).await;
        invitations::created(target, "invited@example.com").await;
        let invited = target.users.by_email("invited@example.com").unwrap().id;
        let invitation = invitations::invited(target, invited).await.token.unwrap();
        let passkeys = Passkeys::of(target).await;
        let of_passkeys = passkeys.begun.iter().map(|(name, token, _)| (*name, token.clone()));
        let mut tokens = vec![
            ("access token", access.clone()),
            ("refresh token", enrolled.tokens.refresh.clone()),
            ("challenge token", challenge),
            ("session cookie", session),
            ("challenge cookie", browser_challenge),
            ("reset token", target.reset_token(EVE).await),
            ("hash of a link", link.hash.clone()),
            ("signature of a link", link.signature.clone()),
            ("recovery code", recovery_code.clone()),
            ("flow token of a sign-in", login.flow),
            ("flow token of a confirmation", flow_of(&confirmation)),
            ("registration token", registration),
            ("token for a new address", change),
            ("token of a previous address", revert),
            ("token of a notice", notice),
            ("token of an invitation", invitation),
            ("token for another service", service_tokens::token(target, &enrolled.tokens).await),
            ("id of the token", forge::claims(access)["jti"].as_str().unwrap().to_owned()),
        ];
        tokens.extend(of_passkeys);
        Self {
            tokens,
            link,
            recovery_code,
            login_code,
            confirmation_code,
            session_of_eve,
            session_of_grace,
            passkeys,
        }
    }
}

/// A place where one of the tokens belongs.
struct Spot {
    name: &'static str,
    takes: &'static str,
    call: fn(&Target, &Loot, &str) -> Call,
    refusal: Refusal,
}

/// In an order in which each control leaves the next ones what they need.
const SPOTS: [Spot; 22] = [
    Spot {
        name: "GET /me",
        takes: "access token",
        call: |target, _, token| target.get("/me").bearer(token),
        refusal: UNAUTHENTICATED,
    },
    Spot {
        name: "GET /claims",
        takes: "access token",
        call: |target, _, token| target.get("/claims").bearer(token),
        refusal: UNAUTHENTICATED,
    },
    Spot {
        name: "POST /user/confirm-password",
        takes: "access token",
        call: |target, _, token| target.confirm(token, PASSWORD),
        refusal: UNAUTHENTICATED,
    },
    Spot {
        name: "GET /user/two-factor-recovery-codes",
        takes: "access token",
        call: |target, _, token| target.get("/auth/user/two-factor-recovery-codes").bearer(token),
        refusal: UNAUTHENTICATED,
    },
    Spot {
        name: "the session cookie",
        takes: "session cookie",
        call: |target, _, token| target.get("/me").header("cookie", &format!("{SESSION_COOKIE}={token}")),
        refusal: UNAUTHENTICATED,
    },
    Spot {
        name: "the hash of a link",
        takes: "hash of a link",
        call: |target, loot, token| {
            let VerificationData { signature, expires, .. } = &loot.link;
            let path = format!("/auth/email/verify/1/{token}?signature={signature}&expires={expires}");
            target.get(&path).bearer(loot.token("access token"))
        },
        refusal: INVALID_LINK,
    },
    Spot {
        name: "the signature of a link",
        takes: "signature of a link",
        call: |target, loot, token| {
            let VerificationData { hash, expires, .. } = &loot.link;
            let path = format!("/auth/email/verify/1/{hash}?signature={token}&expires={expires}");
            target.get(&path).bearer(loot.token("access token"))
        },
        refusal: INVALID_LINK,
    },
    Spot {
        name: "POST /user/confirm-email/verify",
        takes: "flow token of a confirmation",
        call: |target, loot, token| {
            let call = target.post("/auth/user/confirm-email/verify").bearer(&loot.session_of_eve);
            call.json(&json!({ "flowToken": token, "code": loot.confirmation_code }))
        },
        refusal: INVALID_FLOW_TOKEN,
    },
    Spot {
        name: "POST /login/email/verify",
        takes: "flow token of a sign-in",
        call: |target, loot, token| with_code(target, token, &loot.login_code),
        refusal: INVALID_FLOW_TOKEN,
    },
    Spot {
        name: "POST /register/passwordless",
        takes: "registration token",
        call: |target, _, token| with_name(target, token),
        refusal: INVALID_FLOW_TOKEN,
    },
    Spot {
        name: "POST /passkeys/login",
        takes: LOGIN,
        call: |target, loot, token| target.passkey_login(&loot.passkeys.body(LOGIN, token)),
        refusal: INVALID_FLOW_TOKEN,
    },
    Spot {
        name: "POST /user/passkeys",
        takes: ADDITION,
        call: |target, loot, token| {
            let call = target.post("/auth/user/passkeys").bearer(&loot.passkeys.session);
            call.json(&loot.passkeys.body(ADDITION, token))
        },
        refusal: INVALID_FLOW_TOKEN,
    },
    Spot {
        name: "POST /user/confirm-passkey",
        takes: CONFIRMATION,
        call: |target, loot, token| {
            let call = target.post("/auth/user/confirm-passkey").bearer(&loot.passkeys.session);
            call.json(&loot.passkeys.body(CONFIRMATION, token))
        },
        refusal: INVALID_FLOW_TOKEN,
    },
    Spot {
        name: "POST /two-factor-challenge with a passkey",
        takes: AT_CHALLENGE,
        call: |target, loot, token| {
            let body = loot.passkeys.body(AT_CHALLENGE, token);
            target.post("/auth/two-factor-challenge").challenge(&loot.passkeys.challenge, body)
        },
        refusal: INVALID_FLOW_TOKEN,
    },
    Spot {
        name: "POST /user/email-change/confirm",
        takes: "token for a new address",
        call: |target, loot, token| {
            let call = target.post("/auth/user/email-change/confirm").bearer(&loot.session_of_grace);
            call.json(&json!({ "token": token }))
        },
        refusal: INVALID_MAIL_TOKEN,
    },
    Spot {
        name: "POST /account/secure",
        takes: "token of a notice",
        call: |target, _, token| target.post("/auth/account/secure").json(&json!({ "token": token })),
        refusal: INVALID_MAIL_TOKEN,
    },
    Spot {
        name: "POST /invitation/accept",
        takes: "token of an invitation",
        call: |target, _, token| invitations::accept(target, token, NEW),
        refusal: INVALID_MAIL_TOKEN,
    },
    Spot {
        name: "POST /email/revert",
        takes: "token of a previous address",
        call: |target, _, token| target.post("/auth/email/revert").json(&json!({ "token": token })),
        refusal: INVALID_MAIL_TOKEN,
    },
    Spot {
        name: "POST /reset-password",
        takes: "reset token",
        call: |target, _, token| target.reset(EVE, token),
        refusal: INVALID_RESET_TOKEN,
    },
    Spot {
        name: "POST /two-factor-challenge",
        takes: "challenge token",
        call: |target, loot, token| target.challenge_by_recovery_code(token, &loot.recovery_code),
        refusal: INVALID_CHALLENGE,
    },
    Spot {
        name: "POST /refresh",
        takes: "refresh token",
        call: |target, _, token| target.refresh_call(token),
        refusal: INVALID_REFRESH_TOKEN,
    },
    Spot {
        name: "POST /logout",
        takes: "access token",
        call: |target, _, token| target.log_out(token),
        refusal: UNAUTHENTICATED,
    },
];

async fn every_token_at_every_place_of_another() -> Target {
    let target = Target::without_limits().await;
    let loot = Loot::of(&target).await;
    for Spot { name, takes, call, refusal } in SPOTS {
        for (token, text) in loot.tokens.iter().filter(|(token, _)| *token != takes) {
            target.refuses(format!("the {token} at {name}"), call(&target, &loot, text), refusal).await;
        }
    }
    for Spot { name, takes, call, .. } in SPOTS {
        let status = if ["registration token", ADDITION].contains(&takes) { 201 } else { 200 };
        target.serves(name, call(&target, &loot, loot.token(takes)), status).await;
    }
    target
}

async fn an_access_token_outside_of_its_header() -> Target {
    let target = Target::start().await;
    let token = target.register(EMAIL).await.access;
    let me = || target.get("/me");
    let authorization = |value: &str| me().header("authorization", value);
    for (place, call) in [
        ("the query", target.get(&format!("/me?access_token={token}"))),
        ("the query of a route of the module", {
            target.get(&format!("/auth/user/confirmed-password-status?access_token={token}"))
        }),
        ("a cookie", me().header("cookie", &format!("access_token={token}"))),
        ("the body", target.post("/auth/logout").json(&json!({ "accessToken": token }))),
        ("a header of its own", me().header("x-access-token", &token)),
        ("no scheme", authorization(&token)),
        ("the scheme alone", authorization("Bearer")),
        ("the scheme Basic", authorization(&format!("Basic {token}"))),
        ("no space", authorization(&format!("Bearer{token}"))),
        ("a colon", authorization(&format!("Bearer: {token}"))),
        ("quotes", authorization(&format!("Bearer \"{token}\""))),
        ("two headers", me().bearer(&token).bearer(&token)),
        ("a second header", me().bearer("x").bearer(&token)),
    ] {
        target.refuses(place, call, UNAUTHENTICATED).await;
    }
    target.serves("its header", me().bearer(&token), 200).await;
    target.serves("the scheme in other letters", authorization(&format!("bearer {token}")), 200).await;
    target
}

/// Two services of one company: the same users and the same time, and secrets of their own.
async fn the_tokens_of_another_module() -> Target {
    let place = Place::memory();
    let target = Target::on(place.start_with(|config| config.bcrypt_cost(10)).await);
    let tokens = target.register(EMAIL).await;
    let clock = place.clock.clone();
    let with_other_secrets = |_| {
        let (jwt, refresh) = ("a secret that only another module has", "and the other one that it has, too");
        let key = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
        AuthConfig::builder(jwt, refresh, key).bcrypt_cost(10).clock(clock).relying_party(passkeys::site())
    };
    let other = Target::on(place.start_with(with_other_secrets).await);
    let theirs = other.login(EMAIL).await;
    let their_link = other.link(&theirs.access).await.path("/auth");
    let [of_eve, session_of_eve] = [other.register(EVE).await, target.login(EVE).await];
    other.verify_address(EVE);
    let their_login = begin(&other, EVE).await;
    let confirmation = other.post("/auth/user/confirm-email").bearer(&of_eve.access).await.expect(200);
    let code = other.outbox.next::<EmailLoginMessage>().await.code.unwrap();
    let body = json!({ "flowToken": flow_of(&confirmation), "code": code });
    let their_registration = registration_token(&other, "newcomer@example.org").await;
    for (token, call, refusal) in [
        ("access token", target.get("/me").bearer(&theirs.access), UNAUTHENTICATED),
        ("access token without its user", target.get("/claims").bearer(&theirs.access), UNAUTHENTICATED),
        ("access token at the module", target.log_out(&theirs.access), UNAUTHENTICATED),
        ("refresh token", target.refresh_call(&theirs.refresh), INVALID_REFRESH_TOKEN),
        ("link", target.get(&their_link).bearer(&tokens.access), INVALID_LINK),
        (
            "flow token of a sign-in",
            with_code(&target, &their_login.flow, their_login.code()),
            INVALID_FLOW_TOKEN,
        ),
        (
            "flow token of a confirmation",
            target.post("/auth/user/confirm-email/verify").bearer(&session_of_eve.access).json(&body),
            INVALID_FLOW_TOKEN,
        ),
        ("registration token", with_name(&target, &their_registration), INVALID_FLOW_TOKEN),
        ("link with its token", target.get(&their_link).bearer(&theirs.access), UNAUTHENTICATED),
    ] {
        target.refuses(token, call, refusal).await;
    }
    other.serves("their own token", other.get("/me").bearer(&theirs.access), 200).await;
    target.serves("own token", target.get("/me").bearer(&tokens.access), 200).await;
    let own = target.link(&tokens.access).await.path("/auth");
    target.serves("own link", target.get(&own).bearer(&tokens.access), 200).await;
    let login = begin(&target, EVE).await;
    target.serves("own flow", with_code(&target, &login.flow, login.code()), 200).await;
    target
}
