//! Follows a verification link whose path and query, after `/email/verify/`, are the input.
//!
//! No response is a failure of the server. An address is verified by all four parts of the link that was made for it, for its
//! user, and by nothing else.

#![no_main]

mod host;

use axum::http::Uri;
use host::{ADA, GRACE, Host, with_host};
use libfuzzer_sys::fuzz_target;
use percent_encoding::percent_decode_str;

fn decoded(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}

/// Whether the parts are those of the link.
fn is_right(host: &Host, uri: &Uri) -> bool {
    let path = uri.path().strip_prefix("/bearer/email/verify/").unwrap_or_default();
    let path: Vec<_> = path.split('/').map(decoded).collect();
    let query = uri.query().unwrap_or_default().replace('+', " ");
    let pairs: Vec<_> = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    let once = |name: &str| {
        let named: Vec<_> = pairs.iter().filter(|(key, _)| decoded(key) == name.as_bytes()).collect();
        named.len() == 1 && decoded(named[0].1) == host.known(name).as_bytes()
    };
    path == [host.known("id").as_bytes(), host.known("hash").as_bytes()]
        && once("signature")
        && once("expires")
}

fuzz_target!(|input: &[u8]| {
    with_host(|host| {
        let path = [b"/bearer/email/verify/", host.filled(input).as_slice()].concat();
        let Ok(uri) = Uri::try_from(path) else { return };
        let uri_text = uri.to_string();
        let follow = |token| host.get(&uri_text, "authorization", &format!("Bearer {}", host.known(token)));
        assert_ne!(follow("grace_access").status, 200);
        let answer = follow("access");
        assert_eq!(answer.status == 200, is_right(host, &uri), "{}", answer.text());
        let mut rows = host.tables.rows();
        assert_eq!(rows.user(ADA).email_verified_at.is_some(), answer.status == 200);
        assert!(rows.user(GRACE).email_verified_at.is_none());
    });
});
