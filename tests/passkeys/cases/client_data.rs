//! Changes to `clientDataJSON`, in both ceremonies.

use super::{Case, both, in_client_data};
use serde_json::Value;

/// Documents in which `TYPE`, `OTHER` and `CHALLENGE` stand for the ceremony, the other ceremony, and the challenge.
const DOCUMENTS: &[(&str, &str)] = &[
    ("members-in-another-order", r#"{"origin":"https://example.com","challenge":"CHALLENGE","type":"TYPE"}"#),
    (
        "member-of-a-later-version",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","other":{"a":[1]}}"#,
    ),
    ("escapes", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"\u0068ttps:\/\/example.com"}"#),
    (
        "white-space",
        " {\n\"type\":\"TYPE\" ,\t\"challenge\":\"CHALLENGE\",\"origin\":\"https://example.com\"} \n",
    ),
    (
        "type-of-the-other-ceremony",
        r#"{"type":"OTHER","challenge":"CHALLENGE","origin":"https://example.com"}"#,
    ),
    (
        "type-in-capitals",
        r#"{"type":"WEBAUTHN.CREATE","challenge":"CHALLENGE","origin":"https://example.com"}"#,
    ),
    ("type-of-payments", r#"{"type":"payment.get","challenge":"CHALLENGE","origin":"https://example.com"}"#),
    ("type-missing", r#"{"challenge":"CHALLENGE","origin":"https://example.com"}"#),
    (
        "challenge-of-another-ceremony",
        r#"{"type":"TYPE","challenge":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","origin":"https://example.com"}"#,
    ),
    ("challenge-with-padding", r#"{"type":"TYPE","challenge":"CHALLENGE=","origin":"https://example.com"}"#),
    ("challenge-longer", r#"{"type":"TYPE","challenge":"CHALLENGEAAAA","origin":"https://example.com"}"#),
    ("challenge-empty", r#"{"type":"TYPE","challenge":"","origin":"https://example.com"}"#),
    ("challenge-null", r#"{"type":"TYPE","challenge":null,"origin":"https://example.com"}"#),
    ("challenge-missing", r#"{"type":"TYPE","origin":"https://example.com"}"#),
    (
        "origin-of-another-port",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com:8443"}"#,
    ),
    ("origin-with-the-port", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com:443"}"#),
    ("origin-in-capitals", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://Example.com"}"#),
    ("origin-with-slash", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com/"}"#),
    ("origin-with-dot", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com."}"#),
    (
        "origin-with-suffix",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com.evil.test"}"#,
    ),
    ("origin-with-prefix", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://evilexample.com"}"#),
    (
        "origin-of-a-sibling",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://sibling.example.com"}"#,
    ),
    ("origin-without-tls", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"http://example.com"}"#),
    ("origin-null", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"null"}"#),
    ("origin-empty", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":""}"#),
    ("origin-list", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":["https://example.com"]}"#),
    ("origin-missing", r#"{"type":"TYPE","challenge":"CHALLENGE"}"#),
    (
        "cross-origin",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","crossOrigin":true}"#,
    ),
    (
        "cross-origin-text",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","crossOrigin":"true"}"#,
    ),
    (
        "cross-origin-null",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","crossOrigin":null}"#,
    ),
    (
        "top-origin",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","crossOrigin":true,"topOrigin":"https://evil.test"}"#,
    ),
    (
        "top-origin-alone",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","crossOrigin":false,"topOrigin":"https://evil.test"}"#,
    ),
    (
        "token-binding-supported",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","tokenBinding":{"status":"supported"}}"#,
    ),
    (
        "token-binding-unknown",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","tokenBinding":{"status":"other"}}"#,
    ),
    (
        "token-binding-text",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","tokenBinding":"text"}"#,
    ),
    (
        "origin-twice-evil-first",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://evil.test","origin":"https://example.com"}"#,
    ),
    (
        "origin-twice-evil-last",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","origin":"https://evil.test"}"#,
    ),
    (
        "other-member-twice",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","a":1,"a":1}"#,
    ),
    ("something-follows", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com"} {}"#),
    ("trailing-comma", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com",}"#),
    (
        "lone-surrogate",
        r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","a":"\ud800"}"#,
    ),
    ("huge-number", r#"{"type":"TYPE","challenge":"CHALLENGE","origin":"https://example.com","a":1e999}"#),
    ("array", r#"["TYPE","CHALLENGE","https://example.com"]"#),
    ("empty", ""),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &(name, template) in DOCUMENTS {
        cases.extend(both(name, &in_client_data(move |document| *document = filled(template, document))));
    }
    let marks = |count: usize| {
        in_client_data(move |document| *document = [&b"\xef\xbb\xbf".repeat(count)[..], document].concat())
    };
    cases.extend(both("byte-order-mark", &marks(1)));
    cases.extend(both("two-byte-order-marks", &marks(2)));
    let nested = |depth: usize| in_client_data(move |document| nest(document, depth));
    cases.extend(both("nested-100-deep", &nested(100)));
    cases.extend(both("nested-1000-deep", &nested(1000)));
    cases.extend(both("not-utf-8", &in_client_data(|document| add(document, b",\"a\":\"\xff\"}"))));
    cases.extend(both("zero-byte-at-the-end", &in_client_data(|document| document.push(0))));
    cases
}

fn filled(template: &str, document: &[u8]) -> Vec<u8> {
    let document: Value = serde_json::from_slice(document).expect("the document of the passkey");
    let [ceremony, challenge] = ["type", "challenge"].map(|name| document[name].as_str().unwrap_or_default());
    let other = if ceremony == "webauthn.get" { "webauthn.create" } else { "webauthn.get" };
    template.replace("TYPE", ceremony).replace("OTHER", other).replace("CHALLENGE", challenge).into_bytes()
}

/// Puts this in the place of the brace at the end.
fn add(document: &mut Vec<u8>, end: &[u8]) {
    document.pop();
    document.extend(end);
}

fn nest(document: &mut Vec<u8>, depth: usize) {
    add(document, format!(",\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth)).as_bytes());
}
