//! The cookies of browser sessions: reading and writing them (RFC 6265bis, specification §27.2).

use crate::client::BrowserCookies;
use crate::config::{BrowserOptions, SameSite};
use crate::core::SessionCookie;
use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use std::sync::Arc;
use std::time::Duration;

/// The cookies of one module.
pub(crate) struct Cookies<'a>(pub(crate) &'a BrowserOptions);

/// What a response does with the cookies of the browser.
#[derive(Clone, Default)]
pub(crate) struct CookieChanges {
    session: Option<Change>,
    others: Vec<(Other, Change)>,
}

/// A cookie beside that of the session.
#[derive(Clone, PartialEq, Eq)]
enum Other {
    Challenge,
    /// A visit to a provider, by the end of the cookie's name.
    Flow(Arc<str>),
    Newcomer,
    Link,
    Device,
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
        let changes = Self { session: Some(Change::Set(cookie.value, cookie.max_age)), others: Vec::new() };
        match cookie.device {
            Some(device) => changes.with(Other::Device, Change::Set(device.value, Some(device.max_age))),
            None => changes,
        }
    }

    /// The user must complete a step before a session starts.
    pub(crate) fn challenge(token: String, max_age: Duration) -> Self {
        Self::default().with(Other::Challenge, Change::Set(token, Some(max_age)))
    }

    /// The session has ended.
    pub(crate) fn logged_out() -> Self {
        Self { session: Some(Change::Expire), others: vec![(Other::Challenge, Change::Expire)] }
    }

    /// The session cookie is useless.
    pub(crate) fn expire_session(mut self) -> Self {
        self.session.get_or_insert(Change::Expire);
        self
    }

    /// The challenge of the browser is over if a session has started.
    pub(crate) fn after(self, sent: &BrowserCookies) -> Self {
        let has_started = matches!(self.session, Some(Change::Set(..)));
        let is_decided = self.others.iter().any(|(other, _)| *other == Other::Challenge);
        match has_started && sent.challenge.is_some() && !is_decided {
            true => self.with(Other::Challenge, Change::Expire),
            false => self,
        }
    }

    fn with(mut self, other: Other, change: Change) -> Self {
        self.others.push((other, change));
        self
    }
}

/// The cookies of providers.
#[cfg_attr(not(feature = "social-login"), allow(dead_code, reason = "providers alone have such cookies"))]
impl CookieChanges {
    /// A visit to a provider has begun. `name` is the end of the cookie's name.
    pub(crate) fn flow(self, name: &str, token: String, max_age: Duration) -> Self {
        self.with(Other::Flow(name.into()), Change::Set(token, Some(max_age)))
    }

    /// A visit to a provider is over.
    pub(crate) fn end_flow(self, name: &str) -> Self {
        self.with(Other::Flow(name.into()), Change::Expire)
    }

    /// A registration has begun.
    pub(crate) fn begin_newcomer(self, token: String, max_age: Duration) -> Self {
        self.with(Other::Newcomer, Change::Set(token, Some(max_age)))
    }

    /// An identity can be linked.
    pub(crate) fn link(self, token: String, max_age: Duration) -> Self {
        self.with(Other::Link, Change::Set(token, Some(max_age)))
    }

    /// An identity was linked, or cannot be any more.
    pub(crate) fn end_link(self) -> Self {
        self.with(Other::Link, Change::Expire)
    }
}

impl CookieChanges {
    /// These changes and others.
    pub(crate) fn and(mut self, more: Self) -> Self {
        self.others.extend(more.others);
        Self { session: more.session.or(self.session), others: self.others }
    }

    /// The device is not trusted any more.
    pub(crate) fn forget_device() -> Self {
        Self::default().with(Other::Device, Change::Expire)
    }

    /// A registration is complete.
    pub(crate) fn end_newcomer(self) -> Self {
        self.with(Other::Newcomer, Change::Expire)
    }
}

impl Cookies<'_> {
    /// The value of the session cookie.
    pub(crate) fn session(&self, headers: &HeaderMap) -> Option<Arc<str>> {
        self.read(headers).session
    }

    /// The module's cookies in a request. One does not count if two have its name, if a name differs only in case, or if the value has
    /// quotes: some program on the way may read these differently.
    pub(crate) fn read(&self, headers: &HeaderMap) -> BrowserCookies {
        let name = self.session_name();
        let [mut session, mut challenge, mut newcomer, mut link, mut device] = [const { Sent::Nothing }; 5];
        let mut flows: Vec<Flow<'_>> = Vec::new();
        // HTTP/2 splits the header into several (RFC 9113 §8.2.3).
        let lines = headers.get_all(COOKIE).iter();
        for pair in lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';')) {
            let mut halves = pair.splitn(2, |byte| *byte == b'=');
            let key = halves.next().unwrap_or_default().trim_ascii();
            let value = halves.next().unwrap_or_default().trim_ascii();
            let Some((start, end)) = key.split_at_checked(name.len()) else { continue };
            if !start.eq_ignore_ascii_case(name.as_bytes()) {
                continue;
            }
            let is_own = start == name.as_bytes();
            let is = |of: &str| end.eq_ignore_ascii_case(of.as_bytes());
            let (sent, of) = match end {
                b"" => (&mut session, ""),
                _ if is(CHALLENGE) => (&mut challenge, CHALLENGE),
                _ if is(NEWCOMER) => (&mut newcomer, NEWCOMER),
                _ if is(LINK) => (&mut link, LINK),
                _ if is(DEVICE) => (&mut device, DEVICE),
                _ => {
                    if let Some((before, name)) = end.split_at_checked(FLOW.len())
                        && before.eq_ignore_ascii_case(FLOW.as_bytes())
                        && flows.len() < MOST_FLOWS
                    {
                        flows.push(Flow { name, is_exact: is_own && before == FLOW.as_bytes(), value });
                    }
                    continue;
                }
            };
            sent.add(is_own && end == of.as_bytes(), value);
        }
        let is_alone = |flow: &&Flow<'_>| {
            flows.iter().filter(|other| other.name.eq_ignore_ascii_case(flow.name)).count() == 1
        };
        let flows = flows.iter().filter(is_alone).filter_map(Flow::pair);
        BrowserCookies {
            session: session.value(),
            challenge: challenge.value(),
            flows: flows.collect(),
            registration: newcomer.value(),
            link: link.value(),
            device: device.value(),
            ..BrowserCookies::default()
        }
    }

    /// The `Set-Cookie` headers of these changes.
    pub(crate) fn headers(&self, changes: CookieChanges) -> Vec<HeaderValue> {
        let same_site = self.0.same_site;
        let session =
            changes.session.map(|change| Self::header(&self.session_name(), change, &self.attributes()));
        let others = changes.others.into_iter().map(|(other, change)| {
            let (end, same_site) = match &other {
                Other::Challenge => (CHALLENGE.to_owned(), same_site),
                // These are needed when the browser comes back from another site, from a provider or out of a mail.
                Other::Flow(name) => (format!("{FLOW}{name}"), SameSite::Lax),
                Other::Newcomer => (NEWCOMER.to_owned(), SameSite::Lax),
                Other::Link => (LINK.to_owned(), SameSite::Lax),
                Other::Device => (DEVICE.to_owned(), SameSite::Lax),
            };
            Self::header(&format!("{}{end}", self.session_name()), change, &self.attributes_with(same_site))
        });
        session.into_iter().chain(others).flatten().collect()
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
    #[cfg(feature = "openapi")]
    pub(crate) fn challenge_name(&self) -> String {
        format!("{}{CHALLENGE}", self.session_name())
    }

    #[cfg(feature = "openapi")]
    /// A regular expression for the name and the attributes of every cookie that a response can set, with `between` for the value.
    pub(crate) fn pattern(&self, between: &str) -> String {
        let name = self.session_name();
        let [own, lax] = [self.attributes(), self.attributes_with(SameSite::Lax)];
        let others = format!("{name}({FLOW}[A-Za-z0-9_-]{{8}}|{NEWCOMER}|{LINK}|{DEVICE}){between}{lax}");
        format!("({name}({CHALLENGE})?{between}{own}|{others})")
    }

    /// The prefix makes browsers accept the cookie only with `Secure`, `Path=/` and `HttpOnly`, only from this host, and
    /// never from a script.
    const fn prefix(&self) -> &'static str {
        if self.0.is_insecure { "" } else { "__Host-Http-" }
    }

    /// The attributes of the session cookie and of the challenge cookie.
    pub(crate) fn attributes(&self) -> String {
        self.attributes_with(self.0.same_site)
    }

    fn attributes_with(&self, same_site: SameSite) -> String {
        let secure = if self.0.is_insecure { "" } else { "; Secure" };
        let same_site = match same_site {
            SameSite::Lax => "Lax",
            SameSite::Strict => "Strict",
        };
        format!("; Path=/; HttpOnly{secure}; SameSite={same_site}")
    }

    /// `None` only if the value is no value of a header, and no token is that.
    fn header(name: &str, change: Change, attributes: &str) -> Option<HeaderValue> {
        let (value, max_age) = match change {
            Change::Set(value, max_age) => (value, max_age),
            Change::Expire => (String::new(), Some(Duration::ZERO)),
        };
        let max_age = max_age.map_or_else(String::new, |age| format!("; Max-Age={}", age.as_secs()));
        let text = format!("{name}={value}{attributes}{max_age}");
        let mut header = HeaderValue::try_from(text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}

/// The ends of the names of cookies, after the name of the session cookie.
const CHALLENGE: &str = "-challenge";
const FLOW: &str = "-flow-";
const NEWCOMER: &str = "-registration";
const LINK: &str = "-link";
const DEVICE: &str = "-device";

/// How many flow cookies of a request are read at most.
const MOST_FLOWS: usize = 64;

/// A flow cookie of a request.
struct Flow<'a> {
    /// The end of the name.
    name: &'a [u8],
    /// Whether the rest of the name is written as the module writes it.
    is_exact: bool,
    value: &'a [u8],
}

impl Flow<'_> {
    /// The end of the name, and the value.
    fn pair(&self) -> Option<(Arc<str>, Arc<str>)> {
        let mut sent = Sent::Nothing;
        sent.add(self.is_exact && !self.name.is_empty(), self.value);
        Some((std::str::from_utf8(self.name).ok()?.into(), sent.value()?))
    }
}

/// What a request has of one cookie.
enum Sent {
    Nothing,
    Value(Arc<str>),
    /// Something that programs read in different ways.
    Unclear,
}

impl Sent {
    fn add(&mut self, is_exact: bool, value: &[u8]) {
        let text = std::str::from_utf8(value).ok().filter(|text| !text.is_empty() && !text.contains('"'));
        *self = match (&self, text) {
            (Self::Nothing, Some(text)) if is_exact => Self::Value(text.into()),
            _ => Self::Unclear,
        };
    }

    fn value(self) -> Option<Arc<str>> {
        match self {
            Self::Value(value) => Some(value),
            Self::Nothing | Self::Unclear => None,
        }
    }
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

    fn session(headers: &HeaderMap) -> Option<String> {
        let session = Cookies(&BrowserOptions::default()).session(headers);
        session.map(|value| value.to_string())
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
            prop_assert_eq!(session(&headers(&lines)), expected(&lines));
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
            let one_line = session(&headers(&[pairs.join("; ")]));
            prop_assert_eq!(one_line.as_ref(), Some(&octets));
            prop_assert_eq!(session(&headers(&pairs)), one_line);
        }

        #[test]
        fn the_crate_reads_what_the_writer_writes(
            name in "[a-z0-9-]{1,32}",
            token in "[A-Za-z0-9_.-]{1,900}",
            max_age in prop::option::of(0_u64..400 * 86_400),
            (is_insecure, is_strict) in any::<(bool, bool)>(),
            (suffix, is_lax) in prop_oneof![
                Just(("", false)), Just((CHALLENGE, false)), Just((NEWCOMER, true)), Just((LINK, true)),
                Just((DEVICE, true)), Just(("-flow-AbCd_-09", true)),
            ],
        ) {
            let same_site = if is_strict { SameSite::Strict } else { SameSite::Lax };
            let options = BrowserOptions::default().name(&name).same_site(same_site);
            let options = if is_insecure { options.insecure_for_development() } else { options };
            let cookies = Cookies(&options);
            let change = Change::Set(token.clone(), max_age.map(Duration::from_secs));
            let none = CookieChanges::default();
            let changes = match suffix {
                "" => CookieChanges { session: Some(change), ..none },
                CHALLENGE => none.with(Other::Challenge, change),
                NEWCOMER => none.with(Other::Newcomer, change),
                LINK => none.with(Other::Link, change),
                DEVICE => none.with(Other::Device, change),
                flow => none.with(Other::Flow(flow.strip_prefix(FLOW).unwrap().into()), change),
            };
            let mut response = HeaderMap::new();
            cookies.apply(changes, &mut response);
            let written: Vec<_> = response.get_all(SET_COOKIE).iter().collect();
            prop_assert_eq!(written.len(), 1);
            let header = written[0];
            prop_assert!(header.is_sensitive());
            let read = Cookie::parse(header.to_str().unwrap()).unwrap();
            let prefix = if is_insecure { "" } else { "__Host-Http-" };
            prop_assert_eq!(read.name(), format!("{prefix}{name}{suffix}"));
            prop_assert_eq!(read.value(), &token);
            prop_assert_eq!((read.path(), read.domain()), (Some("/"), None));
            prop_assert_eq!((read.http_only(), read.secure()), (Some(true), (!is_insecure).then_some(true)));
            let expected = if is_strict && !is_lax { cookie::SameSite::Strict } else { cookie::SameSite::Lax };
            prop_assert_eq!(read.same_site(), Some(expected));
            let seconds = read.max_age().map(cookie::time::Duration::whole_seconds);
            prop_assert_eq!(seconds, max_age.map(|age| i64::try_from(age).unwrap()));
            prop_assert!(read.expires().is_none() && read.partitioned().is_none());
            // And the browser sends it back.
            let request = headers(&[Cookie::new(read.name(), read.value()).to_string()]);
            let BrowserCookies { session, challenge, flows, registration, link, device, .. } =
                cookies.read(&request);
            let flow = flows.first().map(|(name, value)| (format!("{FLOW}{name}"), value.to_string()));
            let others = [
                ("", session), (CHALLENGE, challenge), (NEWCOMER, registration), (LINK, link), (DEVICE, device),
            ];
            let others = others.into_iter().filter_map(|(end, value)| Some((end.to_owned(), value?.to_string())));
            prop_assert_eq!(Vec::from_iter(others.chain(flow)), [(suffix.to_owned(), token)]);
        }
    }

    #[test]
    fn a_flow_cookie_counts_only_if_its_name_is_clear() {
        let read = |line: &str| {
            let line = line.replace('#', NAME);
            let flows = Cookies(&BrowserOptions::default()).read(&headers(&[line])).flows;
            flows.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
        };
        assert_eq!(read("#-flow-aaaaaaaa=1; #-flow-bbbbbbbb=2"), ["aaaaaaaa=1", "bbbbbbbb=2"]);
        assert_eq!(read("#-flow-aaaaaaaa=1; #-flow-aaaaaaaa=2; #-flow-b=3"), ["b=3"]);
        for unclear in [
            "#-flow-=1",
            "#-FLOW-aaaaaaaa=1",
            "#-flow-a=1; #-flow-A=2",
            "#-flow-a=\"1\"",
            "#-flow-a",
            "x#-flow-a=1",
        ] {
            assert_eq!(read(unclear), [""; 0], "{unclear}");
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
