//! Changes what the session repository and the store return, and uses the session.
//!
//! Each line of the input is a name and a value. `id`, `user`, `kind`, `state`, `created`, `used`, `expires`, `client` and
//! `agent` are fields of the row of Ada's session, `cookie` means the row of her browser's session instead; times are Unix
//! seconds. `value` is what the store has for every key, and `number` the same as a number; `full` and `taken` are what it says
//! of every counter.
//!
//! Nothing panics. A row whose id, user or state was changed, or that has expired, is no session; and whatever is stored, nobody
//! is taken for somebody else.

#![no_main]

mod host;

use axum_auth_module::repository::{SessionKind, SessionRecord};
use axum_auth_module::store::{Slot, Window};
use host::{ADA, Answer, GRACE, Host, PASSWORD, Rows, SESSION_COOKIE, now, post, with_host};
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time so many seconds after 1970, or before it.
fn time(seconds: &str) -> Option<SystemTime> {
    let seconds: i64 = seconds.parse().ok()?;
    let distance = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
}

fn change(row: &mut SessionRecord, name: &str, value: &str) {
    let set_time = |slot: &mut SystemTime| *slot = time(value).unwrap_or(*slot);
    match name {
        "id" => row.id = value.to_owned(),
        "user" => row.user_id = value.to_owned(),
        "kind" => row.kind = SessionKind::parse(value).unwrap_or(row.kind),
        "state" => row.state = value.into(),
        "created" => set_time(&mut row.created_at),
        "used" => set_time(&mut row.last_used_at),
        "expires" => set_time(&mut row.expires_at),
        "client" => row.client = Some(value.to_owned()),
        "agent" => row.user_agent = Some(value.to_owned()),
        _ => {}
    }
}

fn change_store(rows: &mut Rows, name: &str, value: &str) {
    let number = value.parse().ok();
    match name {
        "value" => rows.every_value = Some(value.as_bytes().to_vec()),
        "number" => rows.every_value = number.map(|number: u64| number.to_be_bytes().to_vec()),
        "full" => {
            rows.every_slot = number.map(|seconds| Slot::Full { retry_after: Duration::from_secs(seconds) })
        }
        "taken" => rows.every_slot = number.map(|window| Slot::Taken { window: Window::new(window) }),
        _ => {}
    }
}

/// A request with the credential of the changed session, which is Ada's.
fn ada(host: &Host, in_browser: bool, path: &str) -> Answer {
    let (header, value) = match in_browser {
        true => ("cookie", format!("{SESSION_COOKIE}={}", host.known("cookie"))),
        false => ("authorization", format!("Bearer {}", host.known("access"))),
    };
    host.get(path, header, &value)
}

/// The lists of sessions have nobody else's: the changed row is where it was, or nowhere.
fn lists(host: &Host, in_browser: bool, me: &Answer) {
    let path = if in_browser { "/browser/user/sessions" } else { "/bearer/user/sessions" };
    let list = ada(host, in_browser, path);
    assert_eq!(list.status, me.status);
    if me.status == 200 {
        are_all_of(&list, &[host.known("sid"), host.known("cookie_sid")]);
    }
    if in_browser {
        let session = ada(host, in_browser, "/browser/session").json();
        assert_eq!(session["authenticated"], me.status == 200);
    }
    let token = format!("Bearer {}", host.known("grace_access"));
    are_all_of(&host.get("/bearer/user/sessions", "authorization", &token), &[host.known("grace_sid")]);
}

fn are_all_of(list: &Answer, ids: &[&str]) {
    let list = list.json();
    for session in list["sessions"].as_array().unwrap() {
        assert!(ids.iter().any(|id| session["id"] == *id), "{list}");
    }
}

/// The answers that depend on the store, and can be a failure.
fn second_step(host: &Host) {
    let login = |password| {
        let body = json!({ "email": GRACE, "password": password });
        let answer = host.send_to_broken(post("/bearer/login", None, &body));
        assert!(answer.status != 200 || answer.json()["twoFactor"] == true, "{}", answer.text());
        answer
    };
    assert_ne!(login("wrong horse battery").status, 200);
    login(PASSWORD);
    for (proof, code) in
        [("code", "wrong"), ("recoveryCode", "wrong"), ("recoveryCode", host.known("recovery_code"))]
    {
        let body = json!({ "challengeToken": host.known("challenge"), proof: code });
        let answer = host.send_to_broken(post("/bearer/two-factor-challenge", None, &body));
        assert!(code != "wrong" || answer.status != 200);
    }
}

fuzz_target!(|input: &[u8]| {
    with_host(|host| {
        let text = host.filled_text(input);
        let lines: Vec<_> = text.lines().filter_map(|line| line.split_once(' ')).collect();
        let in_browser = lines.iter().any(|(name, _)| *name == "cookie");
        let sid = host.known(if in_browser { "cookie_sid" } else { "sid" });
        let before = host.tables.rows().sessions[sid].clone();
        let mut row = before.clone();
        for (name, value) in lines {
            change(&mut row, name, value);
            change_store(&mut host.tables.rows(), name, value);
        }
        host.tables.rows().sessions.insert(sid.to_owned(), row.clone());
        let is_same = (&row.id, &row.user_id, &row.state) == (&before.id, &before.user_id, &before.state);
        let is_session = is_same && row.expires_at > now();

        let me = ada(host, in_browser, "/me");
        assert!(is_session || me.status == 401, "{}", me.text());
        assert!(row != before || me.status == 200, "{}", me.text());
        assert!(me.status != 200 || me.text() == ADA);
        let claims = ada(host, in_browser, "/claims");
        assert_eq!(claims.status, me.status);
        assert!(claims.status != 200 || claims.text() == host.known("id"));
        lists(host, in_browser, &me);
        let refreshed = host.post("/bearer/refresh", None, &json!({ "refreshToken": host.known("refresh") }));
        assert!(in_browser || is_session || refreshed.status == 401);
        let is_store_changed = {
            let rows = host.tables.rows();
            rows.every_value.is_some() || rows.every_slot.is_some()
        };
        if is_store_changed {
            second_step(host);
        }
    });
});
