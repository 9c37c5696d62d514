//! HTTP/1.1 as far as a generator needs it: requests as bytes, and a parser of responses that copies nothing it need not copy.

use std::borrow::Cow;
use std::fmt::Write;

/// The most bytes that the head of a response may have.
const LONGEST_HEAD: usize = 64 * 1024;

/// What clients send with each request.
const COMMON: &str = "user-agent: load\r\naccept: */*\r\n";

/// Where the requests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl {
    /// `127.0.0.1:3000`, for the connection and for `Host`.
    pub(crate) authority: String,
    /// What every path begins with; empty or `/app`.
    pub(crate) prefix: String,
}

impl BaseUrl {
    /// Reads `http://host:port/prefix`.
    ///
    /// # Errors
    /// A sentence about what is wrong.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        let Some(rest) = url.strip_prefix("http://") else {
            return Err(format!("`{url}` does not begin with `http://`: the generator has no TLS"));
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if authority.is_empty() || authority.contains(['@', '?', '#']) || path.contains(['?', '#']) {
            return Err(format!("`{url}` is not a URL as `http://127.0.0.1:3000`"));
        }
        let authority = match authority.rsplit_once(':') {
            Some((_, port)) if port.parse::<u16>().is_ok() => authority.to_owned(),
            _ => format!("{authority}:80"),
        };
        let path = path.trim_end_matches('/');
        let prefix = if path.is_empty() { String::new() } else { format!("/{path}") };
        Ok(Self { authority, prefix })
    }

    /// The bytes of a request. `headers` are complete lines, each with its `\r\n`.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
        let Self { authority, prefix } = self;
        let mut text = format!("{method} {prefix}{path} HTTP/1.1\r\nhost: {authority}\r\n{COMMON}{headers}");
        if method != "GET" {
            let length = body.len();
            // A `String` takes everything.
            let _ = write!(text, "content-type: application/json\r\ncontent-length: {length}\r\n");
        }
        text.push_str("\r\n");
        text.push_str(body);
        text.into_bytes()
    }
}

/// A complete response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    /// The cookies of `Set-Cookie` as a request sends them: `name=value; name=value`.
    pub(crate) cookies: String,
    /// Whether the server closes the connection after it.
    pub(crate) closes: bool,
    pub(crate) body: Cow<'a, [u8]>,
    /// How many bytes it took.
    pub(crate) length: usize,
}

/// The first response in `bytes`, or `None` if more bytes are needed.
///
/// # Errors
/// A sentence about what is wrong with it.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Response<'_>>, String> {
    let Some(end) = find(bytes, b"\r\n\r\n") else {
        return if bytes.len() > LONGEST_HEAD { Err("the head has no end".to_owned()) } else { Ok(None) };
    };
    let (head, rest) = bytes.split_at(end + 4);
    let head = std::str::from_utf8(head).map_err(|_| "the head is not text".to_owned())?;
    let mut lines = head.split("\r\n");
    let status_line = lines.next().unwrap_or_default();
    let status = status_line.strip_prefix("HTTP/1.").and_then(|line| line.get(2..5)?.parse().ok());
    let Some(status) = status else { return Err(format!("`{status_line}` is not a status line")) };
    let (mut content_length, mut chunked, mut closes) = (None, false, status_line.starts_with("HTTP/1.0"));
    let mut cookies = String::new();
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            let length: Result<usize, _> = value.parse();
            content_length = Some(length.map_err(|_| format!("content-length: {value}"))?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            chunked = value.eq_ignore_ascii_case("chunked");
        } else if name.eq_ignore_ascii_case("connection") {
            closes = value.eq_ignore_ascii_case("close");
        } else if name.eq_ignore_ascii_case("set-cookie") {
            let separator = if cookies.is_empty() { "" } else { "; " };
            cookies.push_str(separator);
            cookies.push_str(value.split(';').next().unwrap_or_default());
        }
    }
    let body = match content_length {
        _ if chunked => match dechunk(rest)? {
            Some((body, length)) => (Cow::Owned(body), length),
            None => return Ok(None),
        },
        _ if status == 204 || status == 304 => (Cow::Borrowed(&[][..]), 0),
        Some(length) => match rest.get(..length) {
            Some(body) => (Cow::Borrowed(body), length),
            None => return Ok(None),
        },
        None => return Err(format!("a response {status} without `content-length`")),
    };
    Ok(Some(Response { status, cookies, closes, body: body.0, length: head.len() + body.1 }))
}

/// The body in chunks (RFC 9112 §7.1) and how many bytes it took, or `None` if more bytes are needed.
fn dechunk(bytes: &[u8]) -> Result<Option<(Vec<u8>, usize)>, String> {
    let (mut body, mut rest) = (Vec::new(), bytes);
    loop {
        let Some(end) = find(rest, b"\r\n") else { return Ok(None) };
        let (line, after) = rest.split_at(end);
        let size = std::str::from_utf8(line).ok().and_then(|line| line.split(';').next());
        let size = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
        let size = size.ok_or_else(|| "a chunk without a size".to_owned())?;
        let after = after.get(2..).unwrap_or_default();
        let (Some(chunk), Some(next)) = (after.get(..size), after.get(size + 2..)) else { return Ok(None) };
        // No server sends trailers unasked.
        rest = next;
        if size == 0 {
            return Ok(Some((body, bytes.len() - rest.len())));
        }
        body.extend_from_slice(chunk);
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// The value of a field of a JSON object that is a string without escapes, as tokens are. It is not a parser of JSON, which
/// would cost the generator more than the rest of a request.
pub(crate) fn json_string<'a>(body: &'a [u8], name: &str) -> Option<&'a str> {
    let body = std::str::from_utf8(body).ok()?;
    let after = body.split_once(&format!("\"{name}\""))?.1;
    let value = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    value.split_once('"').map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::{BaseUrl, Response, json_string, parse};
    use std::borrow::Cow;

    const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nSet-Cookie: id=a=b; Path=/\r\n\
                        set-cookie: x=y\r\ncontent-length: 13\r\n\r\n{\"id\": \"one\"}";

    #[test]
    fn a_response_is_complete_only_with_its_last_byte() {
        for end in 0..OK.len() {
            assert_eq!(parse(&OK[..end]), Ok(None), "after {end} bytes");
        }
        // The next response can be in the buffer already.
        for bytes in [OK.to_vec(), [OK, b"HTTP/1.1 4"].concat()] {
            let response = parse(&bytes).unwrap().unwrap();
            assert_eq!((response.status, response.length, response.closes), (200, OK.len(), false));
            assert_eq!(response.cookies, "id=a=b; x=y");
            assert_eq!(json_string(&response.body, "id"), Some("one"));
        }
    }

    #[test]
    fn a_chunked_response_is_complete_only_with_its_last_byte() {
        let bytes = b"HTTP/1.1 401 Unauthorized\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n\
                      3;name=value\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n";
        for end in 0..bytes.len() {
            assert_eq!(parse(&bytes[..end]), Ok(None), "after {end} bytes");
        }
        let body = Cow::Owned(b"abc0123456789".to_vec());
        let expected =
            Response { status: 401, cookies: String::new(), closes: true, body, length: bytes.len() };
        assert_eq!(parse(bytes), Ok(Some(expected)));
    }

    #[test]
    fn a_response_without_a_body_needs_no_length() {
        assert_eq!(parse(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap().unwrap().length, 27);
    }

    #[test]
    fn what_is_no_response_is_an_error() {
        for bytes in [
            "SSH-2.0-OpenSSH_9.2\r\n\r\n",
            "HTTP/1.1 two\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nhello\r\n",
        ] {
            assert!(parse(bytes.as_bytes()).is_err(), "{bytes}");
        }
        assert!(parse(&[b'x'; 100_000]).is_err());
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let body =
            br#"{"twoFactor":false,"accessTokenLifetime":900,"accessToken":"abc","refreshToken" : "def"}"#;
        assert_eq!(json_string(body, "accessToken"), Some("abc"));
        assert_eq!(json_string(body, "refreshToken"), Some("def"));
        assert_eq!(json_string(body, "twoFactor"), None);
        assert_eq!(json_string(body, "challengeToken"), None);
    }

    #[test]
    fn a_url_has_an_authority_and_perhaps_a_prefix() {
        let url = |authority: &str, prefix: &str| {
            Ok(BaseUrl { authority: authority.into(), prefix: prefix.into() })
        };
        assert_eq!(BaseUrl::parse("http://127.0.0.1:3000"), url("127.0.0.1:3000", ""));
        assert_eq!(BaseUrl::parse("http://localhost/app/"), url("localhost:80", "/app"));
        assert_eq!(BaseUrl::parse("http://[::1]:3000/"), url("[::1]:3000", ""));
        for wrong in ["https://example.com", "localhost:3000", "http://", "http://a?b", "http://u:p@host"] {
            assert!(BaseUrl::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_request_says_how_long_its_body_is() {
        let url = BaseUrl::parse("http://host:1/app").unwrap();
        let request = url.request("POST", "/login", "cookie: a=b\r\n", "{}");
        let expected = "POST /app/login HTTP/1.1\r\nhost: host:1\r\nuser-agent: load\r\naccept: */*\r\ncookie: a=b\r\n\
                        content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(String::from_utf8(request).unwrap(), expected);
        assert!(url.request("GET", "/", "", "").ends_with(b"accept: */*\r\n\r\n"));
    }
}
