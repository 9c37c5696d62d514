//! Tokens that are almost ours (RFC 8725 §2 and §3; ASVS 9.1.1, 9.1.2, 9.1.3, 9.2.1).
//!
//! The forger of the tests knows the secrets, so that nothing is wrong with a token but what the table says.

use super::target::{INVALID_CHALLENGE, INVALID_REFRESH_TOKEN, Refusal, Target, UNAUTHENTICATED, attacks};
use crate::support::forge::{self, JWT_SECRET, REFRESH_SECRET};
use crate::support::{Call, EMAIL};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value, json};
use sha2::{Sha384, Sha512};
use std::collections::BTreeSet;

attacks! {
    on_the_bearer_router {
        headers: 81,
        signatures: 30,
        claims_of_an_access_token: 30,
        claims_of_a_refresh_token: 12,
        shapes: 51,
        two_logins_within_a_second: 1,
    }
}

/// A token of each kind that a client keeps, and the place where it belongs.
struct Kind {
    typ: &'static str,
    key: Vec<u8>,
    refusal: Refusal,
    token: String,
    recovery_code: String,
}

impl Kind {
    /// The three of one user. With a challenge goes a right recovery code: only the token is wrong.
    async fn all(target: &Target) -> [Self; 3] {
        let enrolled = target.enrolled(EMAIL).await;
        let recovery_code = target.recovery_codes(&enrolled.tokens.access).await.remove(0);
        let challenge = target.challenge_token(EMAIL).await;
        let kind = |typ, key: &[u8], refusal, token| Self {
            typ,
            key: key.to_vec(),
            refusal,
            token,
            recovery_code: recovery_code.clone(),
        };
        [
            kind("at+jwt", JWT_SECRET.as_bytes(), UNAUTHENTICATED, enrolled.tokens.access),
            kind("2fa+jwt", &forge::derived(JWT_SECRET, "challenge"), INVALID_CHALLENGE, challenge),
            // Its control comes last: it replaces the access token.
            kind("rt+jwt", REFRESH_SECRET.as_bytes(), INVALID_REFRESH_TOKEN, enrolled.tokens.refresh),
        ]
    }

    /// The request to which such a token belongs, with this one.
    fn call(&self, target: &Target, token: &str) -> Call {
        match self.typ {
            "at+jwt" => target.get("/me").bearer(token),
            "rt+jwt" => target.refresh_call(token),
            _ => target.challenge_by_recovery_code(token, &self.recovery_code),
        }
    }

    fn header(&self) -> String {
        format!(r#"{{"alg":"HS256","typ":"{}"}}"#, self.typ)
    }

    /// The token with another header and the right signature.
    fn with_header(&self, header: &str) -> String {
        forge::sign(header, &Value::Object(forge::claims(&self.token)).to_string(), &self.key)
    }

    fn parts(&self) -> [&str; 3] {
        self.token.split('.').collect::<Vec<_>>().try_into().unwrap()
    }
}

/// `TYP` stands for the right type.
const HEADERS: [&str; 27] = [
    r#"{"alg":"none","typ":"TYP"}"#,
    r#"{"alg":"None","typ":"TYP"}"#,
    r#"{"alg":"NONE","typ":"TYP"}"#,
    r#"{"alg":"nOnE","typ":"TYP"}"#,
    r#"{"alg":"","typ":"TYP"}"#,
    r#"{"alg":"hs256","typ":"TYP"}"#,
    r#"{"alg":"HS384","typ":"TYP"}"#,
    r#"{"alg":"HS512","typ":"TYP"}"#,
    r#"{"alg":"RS256","typ":"TYP"}"#,
    r#"{"alg":"PS256","typ":"TYP"}"#,
    r#"{"alg":"ES256","typ":"TYP"}"#,
    r#"{"alg":"EdDSA","typ":"TYP"}"#,
    r#"{"alg":["HS256"],"typ":"TYP"}"#,
    r#"{"alg":null,"typ":"TYP"}"#,
    r#"{"alg":256,"typ":"TYP"}"#,
    r#"{"typ":"TYP"}"#,
    r#"{"alg":"HS256"}"#,
    r#"{"alg":"HS256","typ":"JWT"}"#,
    r#"{"alg":"HS256","typ":""}"#,
    r#"{"alg":"HS256","typ":1}"#,
    r#"{"alg":"HS256","typ":"application/TYP"}"#,
    r#"{"alg":"HS256","typ":"TYP","crit":["exp"]}"#,
    r#"{"alg":"HS256","typ":"TYP","crit":[]}"#,
    r#"{"alg":"HS256","typ":"TYP","alg":"none"}"#,
    r#"{"alg":"HS256","typ":"JWT","typ":"TYP"}"#,
    r#"["HS256","TYP"]"#,
    "",
];

async fn headers() -> Target {
    let target = Target::without_limits().await;
    for kind in Kind::all(&target).await {
        for header in HEADERS {
            let header = header.replace("TYP", kind.typ);
            let token = kind.with_header(&header);
            target.refuses(&header, kind.call(&target, &token), kind.refusal).await;
        }
        let token = kind.with_header(&kind.header());
        target.serves("the right header", kind.call(&target, &token), 200).await;
    }
    target
}

/// A token whose signature is of the longer HMACs.
fn with_longer_hmac(header: &str, claims: &str, key: &[u8]) -> [String; 2] {
    let message =
        |alg: &str| format!("{}.{}", forge::encode(&header.replace("HS256", alg)), forge::encode(claims));
    let (short, long) = (message("HS384"), message("HS512"));
    let of_384 = Hmac::<Sha384>::new_from_slice(key).unwrap().chain_update(&short).finalize().into_bytes();
    let of_512 = Hmac::<Sha512>::new_from_slice(key).unwrap().chain_update(&long).finalize().into_bytes();
    [
        format!("{short}.{}", URL_SAFE_NO_PAD.encode(of_384)),
        format!("{long}.{}", URL_SAFE_NO_PAD.encode(of_512)),
    ]
}

async fn signatures() -> Target {
    let target = Target::without_limits().await;
    for kind in Kind::all(&target).await {
        let claims = Value::Object(forge::claims(&kind.token)).to_string();
        let [head, body, signature] = kind.parts();
        let signed = |key: &[u8]| forge::sign(&kind.header(), &claims, key);
        let [of_384, of_512] = with_longer_hmac(&kind.header(), &claims, &kind.key);
        let other_key = if kind.typ == "rt+jwt" { JWT_SECRET } else { REFRESH_SECRET };
        for (what, token) in [
            ("an HMAC of 384 bits", of_384),
            ("an HMAC of 512 bits", of_512),
            ("the key of another kind of token", signed(other_key.as_bytes())),
            ("a key derived for something else", signed(&forge::derived(JWT_SECRET, "generation"))),
            ("the encryption key", signed(b"thirty-two bytes for tests only!")),
            ("an empty key", signed(b"")),
            ("the key with a newline", signed(&[&kind.key, b"\n".as_slice()].concat())),
            ("no signature", format!("{head}.{body}.")),
            ("the signature of other claims", {
                format!(
                    "{head}.{}.{signature}",
                    forge::encode(&claims.replace("\"sub\":\"1\"", "\"sub\":\"2\""))
                )
            }),
            ("the signature as padding", format!("{head}.{body}.{}", "A".repeat(43))),
        ] {
            target.refuses(format!("{what}: {}", kind.typ), kind.call(&target, &token), kind.refusal).await;
        }
        target.serves("the right key", kind.call(&target, &signed(&kind.key)), 200).await;
    }
    target
}

/// The token with one claim changed or taken away, and the right signature.
fn with_claim(kind: &Kind, name: &str, value: Option<Value>) -> String {
    let mut claims: Map<String, Value> = forge::claims(&kind.token);
    match value {
        Some(value) => drop(claims.insert(name.to_owned(), value)),
        None => drop(claims.remove(name)),
    }
    forge::sign(&kind.header(), &Value::Object(claims).to_string(), &kind.key)
}

async fn claims_of_an_access_token() -> Target {
    let target = Target::without_limits().await;
    let [kind, ..] = Kind::all(&target).await;
    let now = forge::claims(&kind.token)["iat"].as_u64().unwrap();
    for (name, value) in [
        ("exp", None),
        ("exp", Some(json!((now + 600).to_string()))),
        ("exp", Some(json!(9_999_999_999.5))),
        ("exp", Some(json!(1e300))),
        ("exp", Some(json!(-1))),
        ("exp", Some(json!(0))),
        ("exp", Some(json!(now))),
        ("exp", Some(json!(null))),
        ("exp", Some(json!(true))),
        ("exp", Some(json!([now + 600]))),
        ("iat", None),
        ("iat", Some(json!(now + 3600))),
        ("iat", Some(json!("now"))),
        ("nbf", Some(json!(now + 3600))),
        ("nbf", Some(json!("now"))),
        ("sub", None),
        ("sub", Some(json!(1))),
        ("sub", Some(json!("2"))),
        ("sub", Some(json!("999999"))),
        ("sub", Some(json!("01"))),
        ("sub", Some(json!("1 "))),
        ("sub", Some(json!(""))),
        ("sub", Some(json!(["1"]))),
        ("sid", None),
        ("sid", Some(json!(1))),
        ("sid", Some(json!("00000000-0000-4000-8000-000000000000"))),
        ("jti", None),
        ("gen", None),
        ("gen", Some(json!("x"))),
        ("gen", Some(json!(null))),
    ] {
        let token = with_claim(&kind, name, value.clone());
        target.refuses(format!("{name}: {value:?}"), kind.call(&target, &token), UNAUTHENTICATED).await;
    }
    let unchanged = with_claim(&kind, "sub", Some(json!("1")));
    target.serves("the right claims", kind.call(&target, &unchanged), 200).await;
    target
}

async fn claims_of_a_refresh_token() -> Target {
    let target = Target::without_limits().await;
    let [_, _, kind] = Kind::all(&target).await;
    let now = forge::claims(&kind.token)["iat"].as_u64().unwrap();
    for (name, value) in [
        ("exp", None),
        ("exp", Some(json!(now - 3600))),
        ("iat", Some(json!(now + 3600))),
        ("sub", Some(json!("2"))),
        ("sub", None),
        ("sid", None),
        ("sid", Some(json!("x"))),
        ("gen", Some(json!("x"))),
        ("jti", None),
        ("rotation", None),
        ("rotation", Some(json!(-1))),
        ("rotation", Some(json!("0"))),
    ] {
        let token = with_claim(&kind, name, value.clone());
        target.refuses(format!("{name}: {value:?}"), kind.call(&target, &token), kind.refusal).await;
    }
    let unchanged = with_claim(&kind, "sub", Some(json!("1")));
    target.serves("the right claims", kind.call(&target, &unchanged), 200).await;
    target
}

async fn shapes() -> Target {
    let target = Target::without_limits().await;
    for kind in Kind::all(&target).await {
        let [head, body, signature] = kind.parts();
        for token in [
            "x".to_owned(),
            ".".to_owned(),
            "..".to_owned(),
            "null".to_owned(),
            head.to_owned(),
            format!("{head}.{body}"),
            format!("{head}.{body}.{signature}."),
            format!("{head}.{body}.{signature}.{signature}"),
            format!("{head}.{body}.{signature}.{head}.{body}"),
            format!("{head}.{body}.{signature}="),
            format!("{head}.{body}.{}", &signature[..20]),
            format!("{head}.{body}.{signature}A"),
            format!("{head}..{signature}"),
            format!(".{body}.{signature}"),
            format!("{head}.{body}.{}", signature.to_uppercase()),
            kind.token.replace('.', ". "),
            "x".repeat(60_000),
        ] {
            let shown: String = token.chars().take(40).collect();
            target
                .refuses(format!("{shown} as {}", kind.typ), kind.call(&target, &token), kind.refusal)
                .await;
        }
        target.serves("the token itself", kind.call(&target, &kind.token), 200).await;
    }
    target
}

async fn two_logins_within_a_second() -> Target {
    let target = Target::start().await;
    let logins = [target.register(EMAIL).await, target.login(EMAIL).await, target.login(EMAIL).await];
    for tokens in &logins {
        target.serves("each works", target.get("/me").bearer(&tokens.access), 200).await;
    }
    let tokens: BTreeSet<_> = logins.iter().flat_map(|tokens| [&tokens.access, &tokens.refresh]).collect();
    target.withstands("all tokens are different", tokens.len() == 6);
    target
}
