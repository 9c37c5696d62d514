//! Signs in with providers that say what no provider would say. The first byte says what the rest of the input is: a document of a
//! provider (`b` to `g` below), which begins with three digits and a space if its status is another one than 200; an ID token (`j`); or
//! the claims of one (`l` to `p`), after a line with its header, which can be empty. Everything else is as a provider writes it, and ID
//! tokens are signed with the right key.
//!
//! No response is a failure of the server, and no error has a secret in it. Who gets a session, and for which address there is a new
//! account, is what an own reading of the input finds; what is right and plain is never refused.

#![no_main]

mod host;
mod oidc;

use host::providers::{
    ACME, APPLE, CANARY, CLIENT, Document, GITHUB, GOOGLE, MICROSOFT, NUMBER, SUBJECT, claims, header,
    signed, tokens,
};
use host::{ADA, Answer, GRACE, Host, claims as claims_of, post, with_host};
use libfuzzer_sys::fuzz_target;
use oidc::{Person, Way, github_person, read};
use serde_json::{Value, json};

/// What the library refuses unread, in bytes.
const TOO_LONG: usize = 16 * 1024;

/// A sign-in.
struct SignIn {
    way: Way,
    /// What an app has from the provider.
    id_token: Option<String>,
    /// Whom the provider names.
    named: Option<Person>,
    /// Whether nobody could find another person in it, or none.
    is_plain: bool,
}

/// How many rows there are.
fn counts(host: &Host) -> [usize; 3] {
    let rows = host.tables.rows();
    [rows.users.len(), rows.sessions.len(), rows.identities.len()]
}

/// The address of the user whose session this is.
fn signed_in(host: &Host, answer: &Answer) -> Option<String> {
    let user: usize = claims_of(answer.json()["accessToken"].as_str()?)["sub"].as_str()?.parse().ok()?;
    Some(host.tables.rows().users[user - 1].email.clone())
}

impl SignIn {
    fn on_the_web(
        provider: &'static str,
        issuer: &'static str,
        named: Option<Person>,
        is_plain: bool,
    ) -> Self {
        Self { way: Way { provider, issuer, is_native: false }, id_token: None, named, is_plain }
    }

    fn happens(&self, host: &Host) {
        let before = counts(host);
        let provider = self.way.provider;
        let answer = match &self.id_token {
            Some(id_token) => {
                let [flow_token, ..] = host.visit(self.way.visit());
                let body = json!({ "flowToken": flow_token, "idToken": id_token });
                host.send_to_broken(post(&format!("/bearer/oauth/{provider}/id-token"), None, &body))
            }
            None => {
                let [flow_token, state, nonce] = host.visit(self.way.visit());
                // GitHub has no nonce.
                let code = if nonce.is_empty() { "code" } else { nonce };
                let body =
                    json!({ "flowToken": flow_token, "state": state, "code": code, "iss": self.way.issuer });
                host.send_to_broken(post(&format!("/bearer/oauth/{provider}/callback"), None, &body))
            }
        };
        self.is_right(host, &answer, before);
    }

    fn is_right(&self, host: &Host, answer: &Answer, before: [usize; 3]) {
        let (code, text) = (answer.code(), answer.text());
        let is_refused = ["provider_refused", "provider_unavailable"].contains(&&*code);
        assert!(answer.status < 500 || is_refused, "{text}");
        if answer.status >= 400 {
            assert!(!text.contains(CANARY), "{text}");
            assert_eq!(counts(host), before, "{text}");
        }
        if is_refused {
            return assert!(self.named.is_none() || !self.is_plain, "{text}");
        }
        let named = self.named.as_ref();
        let Person { issuer, subject, email } = named.unwrap_or_else(|| panic!("nobody is named: {text}"));
        let user = signed_in(host, answer);
        if [(ACME, SUBJECT), (GITHUB, &NUMBER.to_string())].contains(&(*issuer, subject)) {
            return assert_eq!(user.as_deref(), Some(ADA), "{text}");
        }
        let Some((email, runs_mailbox)) = email else {
            return assert_eq!(code, "provider_email_unverified");
        };
        if code == "provider_email_unverified" {
            return assert!(!is_plain_address(email), "{email}");
        }
        let email = email.to_ascii_lowercase();
        match [ADA, GRACE].contains(&&*email) {
            true if *runs_mailbox => assert_eq!(user, Some(email), "{text}"),
            true => assert_eq!(code, "account_exists", "{text}"),
            false => {
                assert_eq!(counts(host)[0], before[0] + usize::from(user.is_some()), "{text}");
                let asked = answer.json()["email"].as_str().map(str::to_owned);
                assert_eq!(user.or(asked), Some(email), "{text}");
            }
        }
    }
}

fn is_plain_address(email: &str) -> bool {
    let name = email.strip_suffix("@example.com").unwrap_or_default();
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The status and the rest of a document.
fn reply(input: &[u8]) -> (u16, &[u8]) {
    let status = input.split_first_chunk::<4>().and_then(|([status @ .., blank], rest)| {
        let status: u16 = std::str::from_utf8(status).ok()?.parse().ok()?;
        ((200..600).contains(&status) && *blank == b' ').then_some((status, rest))
    });
    status.unwrap_or((200, input))
}

/// Signs in at `ACME`, with another document of it than usually.
fn document(host: &Host, document: Document, input: &[u8]) {
    let (status, body) = reply(input);
    let (said, is_plain) = read(body);
    host.net.replies().insert(document, (status, body.to_vec()));
    let [.., nonce] = host.visit("acme");
    let mut of_token = claims(ACME, CLIENT, nonce);
    let (is_right, is_plain) = match document {
        Document::Metadata => (oidc::is_right_metadata(&said), is_plain && oidc::has_plain_endpoints(&said)),
        Document::Keys => (oidc::is_right_set(&said, host.known("x")), is_plain),
        Document::Tokens => (oidc::are_right_tokens(&said, host.known("acme_id_token")), is_plain),
        _ => {
            // Somebody whom nobody knows, without an address.
            (of_token["sub"], of_token["email"]) = ("eve".into(), Value::Null);
            let id_token = signed(&header(), of_token.to_string().as_bytes());
            host.net.replies().insert(Document::Tokens, (200, tokens(&id_token).to_string().into()));
            (said["sub"] == "eve", is_plain)
        }
    };
    let address = if document == Document::UserInfo { &said } else { &of_token };
    let mut sign_in = SignIn::on_the_web("acme", ACME, None, is_plain);
    sign_in.named = sign_in.way.person(&of_token, address).filter(|_| is_right && status == 200);
    match document {
        // They are kept.
        Document::Metadata | Document::Keys => host.in_a_new_process(|| sign_in.happens(host)),
        _ => sign_in.happens(host),
    }
}

/// Signs in at GitHub, with another account, or with other addresses.
fn github(host: &Host, document: Document, input: &[u8]) {
    let (status, body) = reply(input);
    let said: Value = serde_json::from_slice(body).unwrap_or_default();
    let is_plain = said.to_string().as_bytes() == body;
    host.net.replies().insert(document, (status, body.to_vec()));
    let is_forbidden = document == Document::GitHubEmails && [403, 404].contains(&status);
    let named = match document {
        Document::GitHubUser => github_person(&said, &json!([])),
        _ if is_forbidden => github_person(&json!({ "id": 8 }), &json!([])),
        _ => github_person(&json!({ "id": 8 }), &said),
    };
    if document == Document::GitHubEmails {
        host.net.replies().insert(Document::GitHubUser, (200, b"{\"id\":8}".to_vec()));
    } else {
        host.net.replies().insert(Document::GitHubEmails, (200, b"[]".to_vec()));
    }
    let named = named.filter(|_| status == 200 || is_forbidden);
    SignIn::on_the_web("github", GITHUB, named, is_plain).happens(host);
}

/// Signs in at `ACME` with this ID token.
fn id_token(host: &Host, token: &str) {
    host.net.replies().insert(Document::Tokens, (200, tokens(token).to_string().into()));
    let mut sign_in = SignIn::on_the_web("acme", ACME, None, true);
    let right: Value = serde_json::from_str(host.known("acme_claims")).unwrap();
    sign_in.named = sign_in.way.person(&right, &right).filter(|_| token == host.known("acme_id_token"));
    sign_in.happens(host);
}

/// Signs in this way with an ID token of this header and these claims.
fn signed_claims(host: &Host, way: Way, input: &[u8]) {
    let mut lines = input.splitn(2, |byte| *byte == b'\n');
    let (first, second) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let usual = header();
    let first = if first.is_empty() { &usual } else { first };
    let ((header, is_plain_header), (claims, is_plain_claims)) = (read(first), read(second));
    let token = signed(first, second);
    host.net.replies().insert(Document::Tokens, (200, tokens(&token).to_string().into()));
    let [.., nonce] = host.visit(way.visit());
    // Without an address in the ID token, it is that of UserInfo, if there is one.
    let has_user_info = way.issuer == ACME && !way.is_native && !claims["email"].is_string();
    let user_info = json!({ "sub": SUBJECT, "email": "eve@example.com", "email_verified": true });
    let address = if has_user_info { &user_info } else { &claims };
    let is_right = oidc::is_right_header(&header)
        && way.is_right(&claims, nonce)
        && (!has_user_info || claims["sub"] == SUBJECT);
    let named = way.person(&claims, address).filter(|_| is_right);
    let is_plain = is_plain_header && is_plain_claims && token.len() <= TOO_LONG;
    SignIn { way, id_token: way.is_native.then_some(token), named, is_plain }.happens(host);
}

fuzz_target!(|input: &[u8]| {
    let Some((what, rest)) = input.split_first() else { return };
    let way = |provider, issuer, is_native| Way { provider, issuer, is_native };
    with_host(|host| {
        let input = host.filled(rest);
        match what {
            b'b' => document(host, Document::Metadata, &input),
            b'c' => document(host, Document::Keys, &input),
            b'd' => document(host, Document::Tokens, &input),
            b'e' => document(host, Document::UserInfo, &input),
            b'f' => github(host, Document::GitHubUser, &input),
            b'g' => github(host, Document::GitHubEmails, &input),
            b'j' => id_token(host, &String::from_utf8_lossy(&input)),
            b'l' => signed_claims(host, way("acme", ACME, false), &input),
            b'm' => signed_claims(host, way("google", GOOGLE, false), &input),
            b'n' => signed_claims(host, way("microsoft", MICROSOFT, false), &input),
            b'o' => signed_claims(host, way("acme", ACME, true), &input),
            b'p' => signed_claims(host, way("apple", APPLE, true), &input),
            _ => {}
        }
    });
});
