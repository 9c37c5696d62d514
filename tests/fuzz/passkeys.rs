//! Answers the options of the routes of passkeys with what no browser and no authenticator would write. The first byte says what
//! the rest of the input is (`a` to `f` below); everything else is as a browser writes it, and the passkey has signed all of it.
//!
//! No response is a failure of the server, and what is refused is `invalid_passkey`, which changes nothing. Somebody logs in, and a
//! passkey is added, only if an own reading of the input finds all that it must say; an input without anything unusual does so. A
//! flow token counts once.

#![no_main]

mod host;
mod webauthn;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use host::{ADA, Answer, Host, ORIGIN, RELYING_PARTY, now, with_host};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use webauthn::{
    AuthenticatorData, BACKUP_ELIGIBLE, attested, is_plain_client_data, is_right_client_data, is_right_key,
};

/// Which part of an answer the input is.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    ClientData,
    AuthenticatorData,
    Key,
    AttestationObject,
}

/// Sends the body. What was refused has changed nothing, and what was not cannot be sent again.
fn is_accepted(host: &Host, path: &str, body: &Value, count: impl Fn(&Host) -> usize) -> bool {
    let before = count(host);
    let access = host.known("access");
    let send = || -> Answer { host.post(path, Some(access), body) };
    let answer = send();
    let is_accepted = answer.status < 300;
    if is_accepted {
        assert_eq!(send().code(), "invalid_flow_token", "again");
    } else {
        assert_eq!(answer.code(), "invalid_passkey");
    }
    assert_eq!(count(host), before + usize::from(is_accepted), "{}", answer.text());
    is_accepted
}

/// Logs in with Ada's passkey, which signs the input.
fn log_in(host: &Host, part: Part, input: &[u8]) {
    let mut passkeys = host.passkeys.borrow_mut();
    let login = passkeys.login.clone();
    let (mut client_data, mut data) = (Vec::new(), Vec::new());
    let credential = passkeys.added.sign_in_altered(&login.options, |client, authenticator| {
        let altered = if part == Part::ClientData { &mut *client } else { &mut *authenticator };
        altered.clear();
        altered.extend(input);
        (client_data, data) = (client.clone(), authenticator.clone());
    });
    let sessions = |host: &Host| host.tables.rows().sessions.len();
    let is_accepted = is_accepted(host, "/bearer/passkeys/login", &login.body(credential), sessions);

    let is_right_page = is_right_client_data(&client_data, "webauthn.get", login.challenge(), ORIGIN);
    let read = AuthenticatorData::read(&data, RELYING_PARTY);
    // The passkey has said that it can be backed up.
    let read = read.filter(|read| read.new.is_none() && read.flags & BACKUP_ELIGIBLE != 0);
    let is_right = is_right_page && read.is_some();
    assert!(is_right || !is_accepted, "a login");
    let is_plain = match part {
        Part::ClientData => is_plain_client_data(&client_data),
        _ => read.is_some_and(|read| read.is_plain()),
    };
    assert!(is_accepted || !(is_right && is_plain), "no login");
}

/// Adds another passkey to Ada's account.
fn add(host: &Host, part: Part, input: &[u8]) {
    let mut passkeys = host.passkeys.borrow_mut();
    let addition = passkeys.addition.clone();
    let made = host.known_bytes("new_key");
    let mut client_data = Vec::new();
    let mut credential = passkeys.new.register_altered(&addition.options, |client, authenticator| {
        match part {
            Part::ClientData => *client = input.to_vec(),
            Part::AuthenticatorData => *authenticator = input.to_vec(),
            Part::Key => {
                authenticator.truncate(authenticator.len() - made.len());
                authenticator.extend(input);
            }
            Part::AttestationObject => {}
        }
        client_data.clone_from(client);
    });
    if part == Part::AttestationObject {
        credential["response"]["attestationObject"] = URL_SAFE_NO_PAD.encode(input).into();
    }
    let object = credential["response"]["attestationObject"].as_str().unwrap();
    let object = URL_SAFE_NO_PAD.decode(object).unwrap();
    host.tables.rows().user(ADA).email_verified_at = Some(now());
    let rows = |host: &Host| host.tables.rows().passkeys.len();
    let is_accepted = is_accepted(host, "/bearer/user/passkeys", &addition.body(credential), rows);

    let challenge = addition.challenge();
    let is_right_page = is_right_client_data(&client_data, "webauthn.create", challenge, ORIGIN);
    let read = attested(&object).and_then(|data| AuthenticatorData::read(data, RELYING_PARTY));
    let new = read.and_then(|read| read.new).filter(|(id, _)| *id == host.known_bytes("new_id"));
    let is_right = is_right_page && new.is_some_and(|(_, key)| is_right_key(key, made));
    assert!(is_right || !is_accepted, "a new passkey");
    if is_accepted {
        let rows = host.tables.rows();
        let row = rows.passkeys.last().map(|row| (&row.credential_id[..], &row.public_key[..]));
        assert_eq!(row, new, "what is stored");
    } else {
        let is_as_made = object == host.known_bytes("new_object");
        assert!(!(is_right && is_as_made && is_plain_client_data(&client_data)), "no new passkey");
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((what, rest)) = input.split_first() else { return };
    with_host(|host| {
        let input = host.filled(rest);
        match what {
            b'a' => log_in(host, Part::ClientData, &input),
            b'b' => log_in(host, Part::AuthenticatorData, &input),
            b'c' => add(host, Part::ClientData, &input),
            b'd' => add(host, Part::AuthenticatorData, &input),
            b'e' => add(host, Part::Key, &input),
            b'f' => add(host, Part::AttestationObject, &input),
            _ => {}
        }
    });
});
