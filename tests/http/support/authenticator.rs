//! An authenticator app that shares no code with the library: RFC 6238 over HMAC-SHA-1 and a reader of QR codes. And
//! what its owner does with it.

use super::{App, Call, PASSWORD, Tokens};
use axum_auth_module::clock::Clock;
use axum_auth_module::config::{RateLimit, RateLimits};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Method;
use serde_json::json;
use sha1::Sha1;
use std::time::UNIX_EPOCH;

/// Length of a time step in seconds.
const STEP: u64 = 30;

/// An app that was set up with one secret.
#[derive(Clone)]
pub(crate) struct Authenticator(Vec<u8>);

impl Authenticator {
    /// Takes a secret as it is typed in: base32 without padding (RFC 4648 §6).
    pub(crate) fn new(secret_key: &str) -> Self {
        let (mut secret, mut buffer, mut bits) = (Vec::new(), 0_usize, 0);
        for letter in secret_key.chars() {
            let value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(letter).expect("a letter of base32");
            (buffer, bits) = ((buffer << 5 | value) & 0xfff, bits + 5);
            if bits >= 8 {
                bits -= 8;
                secret.push(u8::try_from((buffer >> bits) & 0xff).unwrap());
            }
        }
        Self(secret)
    }

    /// The six digits of a time step (RFC 4226 §5.3).
    fn code_of(&self, step: u64) -> String {
        let mac = Hmac::<Sha1>::new_from_slice(&self.0).unwrap().chain_update(step.to_be_bytes());
        let mac = mac.finalize().into_bytes();
        let offset = usize::from(mac[19] & 0xf);
        let number = u32::from_be_bytes(mac[offset..offset + 4].try_into().unwrap()) & 0x7fff_ffff;
        format!("{:06}", number % 1_000_000)
    }

    /// What the app shows now.
    pub(crate) fn code(&self, app: &App) -> String {
        self.code_in(app, 0)
    }

    /// What the app shows in so many steps, or showed so many steps ago.
    pub(crate) fn code_in(&self, app: &App, steps: i64) -> String {
        self.code_of(step_of(app).checked_add_signed(steps).unwrap())
    }

    /// A code that the app neither shows now nor near it.
    pub(crate) fn wrong_code(&self, app: &App) -> String {
        let near: Vec<_> = (-25..=25).map(|steps| self.code_in(app, steps)).collect();
        (0..).map(|number| format!("{number:06}")).find(|code| !near.contains(code)).unwrap()
    }
}

fn step_of(app: &App) -> u64 {
    app.clock.now().duration_since(UNIX_EPOCH).unwrap().as_secs() / STEP
}

/// What a scanner reads from a QR code in SVG. The picture is drawn from its dark rectangles (`Mx yhwvh…`).
pub(crate) fn scanned(svg: &str) -> String {
    let numbers = |text: &str| -> Vec<usize> {
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
    };
    let side = numbers(svg.split_once("width=").unwrap().1)[0];
    let path = svg.split_once(" d=\"").unwrap().1.split_once('"').unwrap().0;
    let mut dark = vec![vec![false; side]; side];
    for rectangle in path.split('M').skip(1) {
        let [x, y, width, height] = numbers(rectangle)[..4] else { panic!("{rectangle}") };
        dark[y..y + height].iter_mut().for_each(|row| row[x..x + width].fill(true));
    }
    let mut picture = rqrr::PreparedImage::prepare_from_bitmap(side, side, |x, y| dark[y][x]);
    let codes = picture.detect_grids();
    assert_eq!(codes.len(), 1, "one QR code");
    codes[0].decode().unwrap().1
}

/// Limits of wrong codes and of two-factor routes that are not in the way of what a test is about.
pub(crate) fn no_code_limits() -> RateLimits {
    let mut limits = RateLimits::default();
    limits.two_factor = RateLimit::per_seconds(1000, 60);
    limits.two_factor_long = RateLimit::per_seconds(1000, 60);
    limits.two_factor_calls = RateLimit::per_seconds(1000, 60);
    limits.known_client_long = RateLimit::per_seconds(1000, 60);
    limits.consecutive_failures = RateLimit::per_seconds(1000, 60);
    limits
}

/// A user with two-factor on.
pub(crate) struct Enrolled {
    /// A session that has confirmed the password.
    pub(crate) tokens: Tokens,
    pub(crate) authenticator: Authenticator,
}

impl App {
    /// A new user in a session that has confirmed the password.
    pub(crate) async fn confirmed_session(&self, email: &str) -> Tokens {
        let tokens = self.register(email).await;
        self.confirm_password(&tokens.access).await;
        tokens
    }

    /// A new user who has switched two-factor on. The code that did it is of the step before.
    pub(crate) async fn enrolled(&self, email: &str) -> Enrolled {
        let tokens = self.confirmed_session(email).await;
        self.enable(&tokens.access).await.expect(200);
        let authenticator = self.authenticator(&tokens.access).await;
        let answer = self.confirm_two_factor(&tokens.access, &authenticator.code(self)).await;
        let tokens = answer.expect(200).tokens();
        self.next_step();
        Enrolled { tokens, authenticator }
    }

    /// Marks the address as verified, behind the module's back.
    pub(crate) fn verify_address(&self, email: &str) {
        self.users.update(email, |user| user.email_verified_at = Some(UNIX_EPOCH));
    }

    /// Lets time pass until authenticator apps show the next code.
    pub(crate) fn next_step(&self) {
        self.advance(STEP);
    }

    pub(crate) fn enable(&self, access: &str) -> Call {
        self.post("/auth/user/two-factor-authentication").bearer(access)
    }

    pub(crate) fn disable(&self, access: &str) -> Call {
        self.request(Method::DELETE, "/auth/user/two-factor-authentication").bearer(access)
    }

    pub(crate) fn confirm_two_factor(&self, access: &str, code: &str) -> Call {
        let call = self.post("/auth/user/confirmed-two-factor-authentication").bearer(access);
        call.json(&json!({ "code": code }))
    }

    /// An app that is set up with the secret key that the module shows.
    pub(crate) async fn authenticator(&self, access: &str) -> Authenticator {
        let answer = self.get("/auth/user/two-factor-secret-key").bearer(access).await.expect(200);
        Authenticator::new(answer.body["secretKey"].as_str().unwrap())
    }

    pub(crate) async fn recovery_codes(&self, access: &str) -> Vec<String> {
        let answer = self.get("/auth/user/two-factor-recovery-codes").bearer(access).await.expect(200);
        serde_json::from_value(answer.body).unwrap()
    }

    /// The challenge token that a right password is answered with.
    pub(crate) async fn challenge_token(&self, email: &str) -> String {
        self.login_call(email, PASSWORD).await.expect(200).challenge().expect("a challenge")
    }

    pub(crate) fn challenge(&self, token: &str, code: &str) -> Call {
        self.post("/auth/two-factor-challenge").challenge(token, json!({ "code": code }))
    }

    pub(crate) fn challenge_by_recovery_code(&self, token: &str, recovery_code: &str) -> Call {
        self.post("/auth/two-factor-challenge").challenge(token, json!({ "recoveryCode": recovery_code }))
    }

    /// Whether a login with the password alone begins a session.
    pub(crate) async fn logs_in_by_password_alone(&self, email: &str) -> bool {
        let answer = self.login_call(email, PASSWORD).await.expect(200);
        assert_eq!(answer.body["twoFactor"].as_bool(), Some(answer.session().is_none()));
        !answer.body["twoFactor"].as_bool().unwrap()
    }
}

/// RFC 6238, appendix B, the rows of SHA-1. The eight digits there end in the six that we show.
#[test]
fn the_codes_are_those_of_the_rfc() {
    let authenticator = Authenticator::new("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    assert_eq!(authenticator.0, b"12345678901234567890");
    for (time, code) in [
        (59, "94287082"),
        (1_111_111_109, "07081804"),
        (1_111_111_111, "14050471"),
        (1_234_567_890, "89005924"),
        (2_000_000_000, "69279037"),
        (20_000_000_000_u64, "65353130"),
    ] {
        assert_eq!(authenticator.code_of(time / STEP), code[2..]);
    }
}
