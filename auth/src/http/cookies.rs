//! The cookies of browser sessions: reading and writing them (RFC 6265bis, specification §27.2).

use crate::client::BrowserCookies;
use crate::config::{BrowserOptions, SameSite};
use crate::core::SessionCookie;
use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use std::time::Duration;

/// The cookies of one module.
pub(crate) struct Cookies<'a>(pub(crate) &'a BrowserOptions);

/// What a response does with the cookies of the browser.
#[derive(Clone, Default)]
pub(crate) struct CookieChanges {
    session: Option<Change>,
    challenge: Option<Change>,
}

#[derive(Clone)]
enum Change {
    /// A new value, and how long the browser keeps it; `None`: until it closes.
    Set(String, Option<Duration>),
    Expire,
}

impl CookieChanges {
    /// A session has started or continues.
    pub(crate) fn session(cookie: SessionCookie) -> Self {
        Self { session: Some(Change::Set(cookie.value, cookie.max_age)), challenge: None }
    }

    /// The second factor is asked for.
    pub(crate) fn challenge(token: String, max_age: Duration) -> Self {
        Self { session: None, challenge: Some(Change::Set(token, Some(max_age))) }
    }

    /// The session has ended.
    pub(crate) fn logged_out() -> Self {
        Self { session: Some(Change::Expire), challenge: Some(Change::Expire) }
    }

    /// The session cookie is useless.
    pub(crate) fn expire_session(mut self) -> Self {
        self.session.get_or_insert(Change::Expire);
        self
    }

    /// The challenge of the browser is over if a session has started.
    pub(crate) fn after(mut self, sent: &BrowserCookies) -> Self {
        if matches!(self.session, Some(Change::Set(..))) && sent.challenge.is_some() {
            self.challenge.get_or_insert(Change::Expire);
        }
        self
    }
}

impl Cookies<'_> {
    /// The value of the session cookie.
    pub(crate) fn session(&self, headers: &HeaderMap) -> Option<String> {
        value(headers, &self.session_name())
    }

    /// The value of the challenge cookie.
    pub(crate) fn challenge(&self, headers: &HeaderMap) -> Option<String> {
        value(headers, &self.challenge_name())
    }

    /// The `Set-Cookie` headers of these changes.
    pub(crate) fn headers(&self, changes: CookieChanges) -> Vec<HeaderValue> {
        let session = changes.session.map(|change| self.header(&self.session_name(), change));
        let challenge = changes.challenge.map(|change| self.header(&self.challenge_name(), change));
        session.into_iter().chain(challenge).flatten().collect()
    }

    /// Adds the `Set-Cookie` headers of these changes.
    pub(crate) fn apply(&self, changes: CookieChanges, headers: &mut HeaderMap) {
        for header in self.headers(changes) {
            headers.append(SET_COOKIE, header);
        }
    }

    /// The name of the session cookie.
    pub(crate) fn session_name(&self) -> String {
        format!("{}{}", self.prefix(), self.0.name)
    }

    /// The name of the challenge cookie.
    pub(crate) fn challenge_name(&self) -> String {
        format!("{}{}-challenge", self.prefix(), self.0.name)
    }

    /// The prefix makes browsers accept the cookie only with `Secure`, `Path=/` and `HttpOnly`, only from this host, and
    /// never from a script.
    const fn prefix(&self) -> &'static str {
        if self.0.is_insecure { "" } else { "__Host-Http-" }
    }

    /// The attributes that every cookie has.
    pub(crate) fn attributes(&self) -> String {
        let secure = if self.0.is_insecure { "" } else { "; Secure" };
        let same_site = match self.0.same_site {
            SameSite::Lax => "Lax",
            SameSite::Strict => "Strict",
        };
        format!("; Path=/; HttpOnly{secure}; SameSite={same_site}")
    }

    /// `None` only if the value is no value of a header, and no token is that.
    fn header(&self, name: &str, change: Change) -> Option<HeaderValue> {
        let (value, max_age) = match change {
            Change::Set(value, max_age) => (value, max_age),
            Change::Expire => (String::new(), Some(Duration::ZERO)),
        };
        let max_age = max_age.map_or_else(String::new, |age| format!("; Max-Age={}", age.as_secs()));
        let text = format!("{name}={value}{}{max_age}", self.attributes());
        let mut header = HeaderValue::try_from(text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}

/// The value of the cookie with this name. There is none if two cookies have the name, if a name differs only in case, or if
/// the value has quotes: some program on the way may read these differently.
fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    // HTTP/2 splits the header into several (RFC 9113 §8.2.3).
    let pairs = headers.get_all(COOKIE).iter().flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    let mut found = pairs.filter_map(|pair| {
        let mut halves = pair.splitn(2, |byte| *byte == b'=');
        let key = halves.next()?.trim_ascii();
        key.eq_ignore_ascii_case(name.as_bytes())
            .then(|| (key, halves.next().unwrap_or_default().trim_ascii()))
    });
    let (Some((key, value)), None) = (found.next(), found.next()) else { return None };
    if key != name.as_bytes() || value.is_empty() || value.contains(&b'"') {
        return None;
    }
    String::from_utf8(value.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cookie::Cookie;
    use proptest::prelude::*;

    const NAME: &str = "__Host-Http-auth";

    fn headers(lines: &[String]) -> HeaderMap {
        let lines = lines.iter().map(|line| (COOKIE, HeaderValue::from_bytes(line.as_bytes()).unwrap()));
        lines.collect()
    }

    /// What the crate `cookie` reads, and our rules about names and quotes.
    fn expected(lines: &[String]) -> Option<String> {
        let mut values = Vec::new();
        for piece in lines.iter().flat_map(|line| line.split(';')) {
            match Cookie::parse(piece) {
                Ok(cookie) if cookie.name().eq_ignore_ascii_case(NAME) => {
                    values.push((cookie.name() == NAME, cookie.value().to_owned()));
                }
                // A name without a value.
                Err(_) if piece.trim().eq_ignore_ascii_case(NAME) => values.push((true, String::new())),
                Ok(_) | Err(_) => {}
            }
        }
        match &values[..] {
            [(true, value)] if !value.is_empty() && !value.contains('"') => Some(value.clone()),
            _ => None,
        }
    }

    /// A piece of a `Cookie` header.
    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => Just(NAME.to_owned()),
            4 => Just("=".to_owned()),
            4 => Just(";".to_owned()),
            2 => Just("; ".to_owned()),
            1 => Just("__host-http-auth".to_owned()),
            1 => Just("__HOST-HTTP-AUTH".to_owned()),
            1 => Just("\"".to_owned()),
            1 => Just(" ".to_owned()),
            1 => Just("\t".to_owned()),
            3 => "[a-zA-Z0-9._-]{1,8}",
            1 => "[!-~äöü€]{1,4}",
        ]
    }

    fn cookie_headers() -> impl Strategy<Value = Vec<String>> {
        let line = prop::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat());
        prop::collection::vec(line, 0..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn the_reader_reads_what_the_crate_reads(lines in cookie_headers()) {
            prop_assert_eq!(value(&headers(&lines), NAME), expected(&lines));
        }

        /// Other cookies do not matter, wherever they are.
        #[test]
        fn the_reader_reads_what_the_crate_writes(
            octets in "[!#-+.-:<-\\[\\]-~-]{1,200}",
            others in prop::collection::vec(("[a-z_]{1,8}", "[!#-+.-:<-\\[\\]-~-]{0,20}"), 0..4),
            at in 0_usize..4,
        ) {
            let mut pairs: Vec<_> = others.iter().map(|(name, value)| Cookie::new(name, value).to_string()).collect();
            pairs.insert(at.min(pairs.len()), Cookie::new(NAME, &octets).to_string());
            let one_line = value(&headers(&[pairs.join("; ")]), NAME);
            prop_assert_eq!(one_line.as_ref(), Some(&octets));
            prop_assert_eq!(value(&headers(&pairs), NAME), one_line);
        }

        #[test]
        fn the_crate_reads_what_the_writer_writes(
            name in "[a-z0-9-]{1,32}",
            token in "[A-Za-z0-9_.-]{1,900}",
            max_age in prop::option::of(0_u64..400 * 86_400),
            (is_insecure, is_strict, is_challenge) in any::<(bool, bool, bool)>(),
        ) {
            let same_site = if is_strict { SameSite::Strict } else { SameSite::Lax };
            let options = BrowserOptions::default().name(&name).same_site(same_site);
            let options = if is_insecure { options.insecure_for_development() } else { options };
            let cookies = Cookies(&options);
            let change = Change::Set(token.clone(), max_age.map(Duration::from_secs));
            let changes = match is_challenge {
                true => CookieChanges { session: None, challenge: Some(change) },
                false => CookieChanges { session: Some(change), challenge: None },
            };
            let mut response = HeaderMap::new();
            cookies.apply(changes, &mut response);
            let written: Vec<_> = response.get_all(SET_COOKIE).iter().collect();
            prop_assert_eq!(written.len(), 1);
            let header = written[0];
            prop_assert!(header.is_sensitive());
            let read = Cookie::parse(header.to_str().unwrap()).unwrap();
            let prefix = if is_insecure { "" } else { "__Host-Http-" };
            let suffix = if is_challenge { "-challenge" } else { "" };
            prop_assert_eq!(read.name(), format!("{prefix}{name}{suffix}"));
            prop_assert_eq!(read.value(), &token);
            prop_assert_eq!((read.path(), read.domain()), (Some("/"), None));
            prop_assert_eq!((read.http_only(), read.secure()), (Some(true), (!is_insecure).then_some(true)));
            let expected = if is_strict { cookie::SameSite::Strict } else { cookie::SameSite::Lax };
            prop_assert_eq!(read.same_site(), Some(expected));
            let seconds = read.max_age().map(cookie::time::Duration::whole_seconds);
            prop_assert_eq!(seconds, max_age.map(|age| i64::try_from(age).unwrap()));
            prop_assert!(read.expires().is_none() && read.partitioned().is_none());
            // And the browser sends it back.
            let request = headers(&[Cookie::new(read.name(), read.value()).to_string()]);
            let returned = if is_challenge { cookies.challenge(&request) } else { cookies.session(&request) };
            prop_assert_eq!(returned, Some(token));
        }
    }

    #[test]
    fn an_expired_cookie_has_no_value_and_no_age() {
        let options = BrowserOptions::default();
        let expired = Cookies(&options).headers(CookieChanges::logged_out());
        for (header, name) in expired.iter().zip(["__Host-Http-auth", "__Host-Http-auth-challenge"]) {
            let read = Cookie::parse(header.to_str().unwrap()).unwrap();
            assert_eq!((read.name(), read.value()), (name, ""));
            assert_eq!(read.max_age().map(cookie::time::Duration::whole_seconds), Some(0));
        }
        assert_eq!(expired.len(), 2);
    }
}
