//! Stores the input as a user's password hash, and logs in with a wrong password and with the right one.
//!
//! The wrong one never succeeds. No hash makes the library panic or fail, and none keeps it busy for long: what needs too
//! much work or memory is refused. After a login, which may store another hash, the same password still logs in.

#![no_main]

mod host;

use host::{ADA, Host, PASSWORD};
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::json;
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// What one verification may take: the library allows the work of bcrypt with cost 16, which takes some ten seconds here.
const LONGEST: Duration = Duration::from_secs(45);
/// A hash that takes longer is verified once, and not kept: its offspring would take as long.
const LONG: Duration = Duration::from_millis(25);

const WRONG: &str = "wrong horse battery";

thread_local! {
    static HOST: RefCell<Host> = RefCell::new(host());
}

fn host() -> Host {
    Host::configured(|config| {
        let config = config.password_memory(1024).request_timeout(2 * LONGEST);
        config.password_pepper("a pepper for tests, known to everybody")
    })
}

fn log_in(host: &Host, password: &str) -> u16 {
    host.post("/bearer/login", None, &json!({ "email": ADA, "password": password })).status
}

fuzz_target!(|input: &[u8]| -> Corpus {
    HOST.with_borrow_mut(|host| {
        host.restart();
        host.tables.rows().user(ADA).password = host.filled_text(input);
        let began = Instant::now();
        assert_eq!(log_in(host, WRONG), 401);
        let taken = began.elapsed();
        assert!(taken < LONGEST, "{taken:?}");
        if taken > LONG {
            // From now on this host would take as long for every password, so that nobody learns whose hash is so dear.
            *host = self::host();
            return Corpus::Reject;
        }
        let status = log_in(host, PASSWORD);
        assert!(matches!(status, 200 | 401));
        if status == 200 {
            assert_eq!(log_in(host, PASSWORD), 200);
            assert_eq!(log_in(host, WRONG), 401);
        }
        Corpus::Keep
    })
});
