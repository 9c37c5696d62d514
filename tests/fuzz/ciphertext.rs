//! Stores the two lines of the input as a user's encrypted two-factor secret and recovery codes, and logs in.
//!
//! The first byte says more. `g`: the record is Grace's, with her second factor in force. `p`: it is hers, and its secret is not
//! confirmed. `s` and `u`: the same two, and the lines are not the encrypted texts but what is encrypted, with the right key.
//! Anything else: the record is Ada's, to whom Grace's texts do not belong, with a second factor in force.
//!
//! A field that cannot be read is 500 `internal_error` where it is needed. It never opens anything, and a second factor that is
//! in force is never taken for none.

#![no_main]

mod host;

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use host::{ADA, Answer, ENCRYPTION_KEY, GRACE, Host, PASSWORD, now, of, post, request, with_host};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

/// What the input has made of a user's record.
struct Stored<'a> {
    host: &'a Host,
    email: &'static str,
    secret: String,
    codes: String,
}

impl Stored<'_> {
    fn is_secret_right(&self) -> bool {
        self.email == GRACE && self.secret == self.host.known("secret")
    }

    fn are_codes_right(&self) -> bool {
        self.email == GRACE && self.codes == self.host.known("codes")
    }

    /// The answer, which can say that the host's data is broken.
    fn answer(&self, method: &str, path: &str, token: Option<&str>, body: &Value) -> Answer {
        let answer = match (method, token) {
            ("GET", Some(token)) => {
                let request = request("GET", path).header("authorization", format!("Bearer {token}"));
                self.host.send_to_broken(of(request, Default::default()))
            }
            _ => self.host.send_to_broken(post(path, token, body)),
        };
        let is_failure = answer.status >= 500;
        assert!(!is_failure || (answer.status, answer.code().as_str()) == (500, "internal_error"));
        answer
    }

    /// The second step is asked for, and only right data passes it. What is encrypted with the right key may be right.
    fn in_force(&self, login: &Answer, is_sealed: bool) {
        let login = match login.status {
            200 => login.json(),
            _ => return assert_eq!(login.status, 500),
        };
        assert_eq!(login["twoFactor"], true);
        assert!(login["accessToken"].is_null() && login["refreshToken"].is_null());
        let challenge = |proof: &str, code: &str| {
            let body = json!({ "challengeToken": login["challengeToken"], proof: code });
            self.answer("POST", "/bearer/two-factor-challenge", None, &body).status
        };
        // With the right secret this could be the right code.
        if !self.is_secret_right() {
            let status = challenge("code", "123456");
            assert!(status == 500 || is_sealed);
        }
        let status = challenge("recoveryCode", self.host.known("recovery_code"));
        assert!(status == if self.are_codes_right() { 200 } else { 500 } || is_sealed);
    }

    /// The password is enough, and what the user is shown is right or not there.
    fn not_in_force(&self, login: &Answer, is_sealed: bool) {
        assert_eq!(login.status, 200);
        let login = login.json();
        let token = login["accessToken"].as_str().expect("a token");
        let is_as_expected = |path, is_right| {
            let status = self.answer("GET", path, Some(token), &Value::Null).status;
            status == if is_right { 200 } else { 500 } || is_sealed
        };
        for path in ["/bearer/user/two-factor-secret-key", "/bearer/user/two-factor-qr-code"] {
            assert!(is_as_expected(path, self.is_secret_right()));
        }
        assert!(is_as_expected("/bearer/user/two-factor-recovery-codes", self.are_codes_right()));
        let post = |path, body| self.answer("POST", path, Some(token), &body).status;
        if !self.is_secret_right() {
            let confirmed =
                post("/bearer/user/confirmed-two-factor-authentication", json!({ "code": "123456" }));
            assert!(confirmed == 500 || is_sealed);
        }
        post("/bearer/user/two-factor-recovery-codes", json!({}));
        // A new secret replaces everything.
        assert_eq!(post("/bearer/user/two-factor-authentication", json!({})), 200);
    }
}

/// What the library would store in this field of Grace's record.
fn sealed(host: &Host, field: &str, document: &str) -> String {
    let key_id = host.known("secret").split('.').nth(1).unwrap_or_default();
    let parts = ["v1", key_id, "2", field];
    let bound: Vec<u8> = parts
        .iter()
        .flat_map(|part| [&(part.len() as u64).to_be_bytes(), part.as_bytes()].concat())
        .collect();
    let payload = Payload { msg: document.as_bytes(), aad: &bound };
    let encrypted = Aes256Gcm::new(ENCRYPTION_KEY.into()).encrypt(&Nonce::from([7; 12]), payload).unwrap();
    format!("v1.{key_id}.{}", URL_SAFE_NO_PAD.encode([[7; 12].as_slice(), &encrypted].concat()))
}

fuzz_target!(|input: &[u8]| {
    with_host(|host| {
        let Some((kind, fields)) = input.split_first() else { return };
        let fields = host.filled_text(fields);
        let (secret, codes) = fields.split_once('\n').unwrap_or((&fields, ""));
        let email = if matches!(kind, b'g' | b'p' | b's' | b'u') { GRACE } else { ADA };
        let (is_sealed, is_in_force) = (matches!(kind, b's' | b'u'), !matches!(kind, b'p' | b'u'));
        let (secret, codes) = match is_sealed {
            true => (sealed(host, "twoFactorSecret", secret), sealed(host, "twoFactorRecoveryCodes", codes)),
            false => (secret.to_owned(), codes.to_owned()),
        };
        let stored = Stored { host, email, secret, codes };
        {
            let mut rows = host.tables.rows();
            let user = rows.user(email);
            user.two_factor_secret = Some(stored.secret.clone());
            user.two_factor_recovery_codes = Some(stored.codes.clone());
            user.two_factor_confirmed_at = is_in_force.then(now);
        }
        let credentials = json!({ "email": email, "password": PASSWORD });
        let login = stored.answer("POST", "/bearer/login", None, &credentials);
        match is_in_force {
            true => stored.in_force(&login, is_sealed),
            false => stored.not_in_force(&login, is_sealed),
        }
    });
});
