//! Makes credentials of passkeys, valid ones and wrong ones, and writes what this library and passki say about each: a line of JSON for a
//! credential. `tests/passkeys/run` gives the lines to `judge.mjs`.

mod cases;
mod change;
mod host;
mod peer;
mod refusals;

use axum_auth_module::BoxError;
use cases::{Case, Ceremony};
use change::encoded;
use host::{Host, ID, ORIGINS};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    // ring makes no RSA keys.
    for case in cases::all(include_bytes!("../http/passkeys/rsa-of-tests.der")) {
        println!("{}", line(case).await?);
    }
    Ok(())
}

/// What `judge.mjs` reads about this case.
async fn line(mut case: Case) -> Result<Value, BoxError> {
    let host = Host::new(case.user_verification).await?;
    let of_registration = case.ceremony == Ceremony::Registration;
    let begun = host.registration_options().await;
    let options = &begun["options"];
    let change = if of_registration { &case.change } else { &case.before };
    let (text, key) = change.registered(&mut case.passkey, options);
    let registered = host.register(&begun, &text).await;
    let by_passki = peer::registration(&text, options, case.user_verification);
    let mut line = json!({
        "name": case.name(),
        "ceremony": case.ceremony.name(),
        "origins": ORIGINS,
        "rpId": ID,
        "userVerification": case.user_verification,
    });
    if of_registration {
        line["credential"] = text.into();
        line["challenge"] = options["challenge"].clone();
        line["ours"] = registered.into();
        line["passki"] = verdict(by_passki.map(drop)).into();
        return Ok(line);
    }
    assert_eq!(registered, ACCEPTED, "{}: the passkey is registered", case.name());
    let stored =
        by_passki.unwrap_or_else(|why| panic!("{}: passki registers the passkey: {why}", case.name()));
    let begun = host.login_options().await;
    let options = &begun["options"];
    let text = case.change.proven(&mut case.passkey, options);
    line["ours"] = host.sign_in(&begun, &text).await.into();
    line["passki"] = verdict(peer::authentication(&text, options, case.user_verification, &stored)).into();
    line["credential"] = text.into();
    line["challenge"] = options["challenge"].clone();
    line["stored"] = json!({
        "id": case.passkey.credential_id(),
        "publicKey": encoded(&key),
        "counter": stored.counter,
    });
    Ok(line)
}

const ACCEPTED: &str = "accepted";

fn verdict(result: Result<(), String>) -> String {
    match result {
        Ok(()) => ACCEPTED.to_owned(),
        Err(why) => format!("refused: {why}"),
    }
}
