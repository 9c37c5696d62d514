//! What the tests find in the responses of the browser router: `Set-Cookie` headers (specification §27.2), and tokens where
//! none may be (§27.1).

use super::forge::encode;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

/// Browsers accept at least 4 KiB; the module promises less than one, and a little more for the tokens of providers.
fn length(name: &str) -> usize {
    match name {
        name if name.ends_with("-challenge") => 1536,
        name if name.ends_with("-registration") => 3072,
        name if name.ends_with("-link") => 2048,
        _ => 1024,
    }
}

/// A `Set-Cookie` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetCookie {
    pub(crate) name: String,
    pub(crate) value: String,
    /// What follows the value, in the order of the header.
    pub(crate) attributes: Vec<String>,
}

impl SetCookie {
    pub(crate) fn parse(line: &str) -> Self {
        let mut parts = line.split("; ").map(str::to_owned);
        let pair = parts.next().unwrap();
        let (name, value) = pair.split_once('=').expect("a name and a value");
        Self { name: name.to_owned(), value: value.to_owned(), attributes: parts.collect() }
    }

    /// Whether the header deletes the cookie.
    pub(crate) fn is_expired(&self) -> bool {
        self.max_age() == Some(0)
    }

    /// For how many seconds the browser keeps the cookie. `None`: until it closes.
    pub(crate) fn max_age(&self) -> Option<u64> {
        let ages = self.attributes.iter().filter_map(|attribute| attribute.strip_prefix("Max-Age="));
        let ages: Vec<_> = ages.map(|age| age.parse().expect("whole seconds")).collect();
        assert!(ages.len() <= 1, "{self:?}");
        ages.first().copied()
    }

    /// No script can read the cookie, no other host gets it, and no other host can set it.
    pub(crate) fn keeps_the_promises(&self) {
        let Self { name, value, attributes } = self;
        let is_short = name.len() + value.len() < length(name);
        assert!(is_short, "{name} has {} bytes", value.len());
        let is_token = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        assert!(is_token, "{name}={value}");
        // Without the prefix it is a cookie of `insecure_for_development`.
        let secure = if name.starts_with("__Host-Http-") { &["Secure"][..] } else { &[] };
        let same_site = match attributes.iter().any(|attribute| attribute == "SameSite=Strict") {
            true => "SameSite=Strict",
            false => "SameSite=Lax",
        };
        let mut promised = [&["Path=/", "HttpOnly"], secure, &[same_site]].concat();
        let max_age = self.max_age().map(|age| format!("Max-Age={age}"));
        promised.extend(max_age.as_deref());
        assert_eq!(*attributes, promised, "{name}");
        assert_eq!(value.is_empty(), self.is_expired(), "{name}");
        if name.ends_with("-challenge") {
            // 600 s: what restores an account that is going to be deleted.
            assert!(matches!(self.max_age(), Some(0 | 300 | 600)), "{self:?}");
        }
    }
}

/// The JWTs in a text, whatever is around them.
pub(crate) fn jwts(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.split(|c| !is_part(c)).filter(|word| is_jwt(word)).collect()
}

/// Whether a text is of the form of a JWT: a header and claims, both objects in base64url, and anything as the signature.
fn is_jwt(text: &str) -> bool {
    let is_object = |part: &str| {
        let bytes = URL_SAFE_NO_PAD.decode(part);
        bytes.is_ok_and(|bytes| serde_json::from_slice::<Value>(&bytes).is_ok_and(|part| part.is_object()))
    };
    let parts: Vec<_> = text.trim_matches('.').split('.').collect();
    parts.windows(2).any(|parts| parts.iter().all(|part| is_object(part)))
}

/// The names of all members, at any depth.
pub(crate) fn member_names(body: &Value) -> Vec<&str> {
    match body {
        Value::Object(members) => {
            let of_member = |(name, value)| [vec![<String as AsRef<str>>::as_ref(name)], member_names(value)];
            members.iter().flat_map(of_member).flatten().collect()
        }
        Value::Array(values) => values.iter().flat_map(member_names).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn tokens_are_found_wherever_they_are() {
    let token = format!("{}.{}.c2ln", encode(r#"{"alg":"HS256"}"#), encode(r#"{"sub":"1"}"#));
    for text in [
        token.clone(),
        format!(r#"{{"message":"Your token is {token}."}}"#),
        format!(r#"[{{"a":["{token}"]}}]"#),
        format!("https://example.com/?token={token}&x=y"),
        format!("Bearer {token}"),
        token.replace(".c2ln", "."),
    ] {
        assert_eq!(jwts(&text).len(), 1, "{text}");
    }
    for text in ["", "a.b.c", "x", "example.com", "192.0.2.1", "eyJ9.eyJ9.x", &encode(r#"{"alg":"HS256"}"#)] {
        assert!(jwts(text).is_empty(), "{text}");
    }
}

#[test]
fn members_are_found_at_any_depth() {
    let body = serde_json::json!({ "a": [{ "accessToken": 1 }], "b": { "c": { "refreshToken": null } } });
    assert_eq!(member_names(&body), ["a", "accessToken", "b", "c", "refreshToken"]);
}

#[test]
fn a_cookie_without_a_promised_attribute_is_found() {
    let good = "__Host-Http-auth=a.b.c; Path=/; HttpOnly; Secure; SameSite=Lax";
    SetCookie::parse(good).keeps_the_promises();
    SetCookie::parse(&format!("{good}; Max-Age=60")).keeps_the_promises();
    SetCookie::parse("auth=a.b.c; Path=/; HttpOnly; SameSite=Lax").keeps_the_promises();
    for bad in [
        good.replace("; HttpOnly", ""),
        good.replace("; Secure", ""),
        good.replace("; SameSite=Lax", ""),
        good.replace("Lax", "None"),
        good.replace("Path=/", "Path=/web"),
        format!("{good}; Domain=example.com"),
        format!("{good}; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
        format!("{good}; Max-Age=0"),
        good.replace("a.b.c", ""),
        good.replace("a.b.c", "\"a.b.c\""),
        good.replace("a.b.c", &"x".repeat(1024)),
        good.replace("auth=", "auth-challenge="),
    ] {
        let checked = std::panic::catch_unwind(|| SetCookie::parse(&bad).keeps_the_promises());
        assert!(checked.is_err(), "{bad}");
    }
}
