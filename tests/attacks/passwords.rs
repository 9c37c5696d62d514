//! What counts as the right password, what is accepted as a new one, and stored hashes that nobody can verify (ASVS 6.2.1,
//! 6.2.8, 6.2.9, 11.4.2; NIST SP 800-63B-4 §3.1.1).

use super::target::{INCORRECT_PASSWORD, INVALID_CREDENTIALS, Target, attacks};
use crate::reset_passwords::reset_password::NEW;
use crate::support::{Call, EMAIL, PASSWORD};
use serde_json::{Value, json};

attacks! {
    on_both_routers {
        passwords_that_are_almost_the_right_one: 30,
        the_end_of_the_longest_password: 6,
        letters_that_look_the_same: 4,
        new_passwords: 39,
        a_hash_that_cannot_be_verified: 14,
        a_current_password_that_is_not_shown: 5,
    }
}

async fn passwords_that_are_almost_the_right_one() -> Target {
    let target = Target::without_limits().await;
    let access = target.register(EMAIL).await.access;
    for almost in [
        PASSWORD.to_uppercase(),
        PASSWORD.to_owned() + " ",
        format!(" {PASSWORD}"),
        format!("{PASSWORD}\n"),
        format!("{PASSWORD}\0"),
        format!("{PASSWORD}\0{PASSWORD}"),
        PASSWORD[1..].to_owned(),
        PASSWORD[..PASSWORD.len() - 1].to_owned(),
        PASSWORD.repeat(2),
        target.users.by_email(EMAIL).unwrap().password,
    ] {
        target.refuses("login", target.login_call(EMAIL, &almost), INVALID_CREDENTIALS).await;
        target.refuses("confirmation", target.confirm(&access, &almost), INCORRECT_PASSWORD).await;
        let call = target.change_password_to(&access, &almost, NEW);
        target.refuses("change", call, INCORRECT_PASSWORD).await;
    }
    target.serves("login", target.login_call(EMAIL, PASSWORD), 200).await;
    target.serves("confirmation", target.confirm(&access, PASSWORD), 200).await;
    target.serves("change", target.change_password(&access), 200).await;
    target
}

/// A registration with this password.
fn register(
    target: &Target,
    email: &str,
    password: impl Into<Value>,
    confirmation: impl Into<Value>,
) -> Call {
    let body = json!({
        "name": "Ada", "email": email, "password": password.into(), "passwordConfirmation": confirmation.into(),
    });
    target.post("/auth/register").json(&body)
}

/// bcrypt reads 72 bytes.
async fn the_end_of_the_longest_password() -> Target {
    let target = Target::without_limits().await;
    let longest = "0123456789ab".repeat(6);
    target.serves("72 bytes", register(&target, EMAIL, longest.clone(), longest.clone()), 201).await;
    for wrong in [
        format!("{longest}x"),
        format!("{longest}\0"),
        format!("{longest}{longest}"),
        longest[..71].to_owned(),
        format!("{}x", &longest[..71]),
        // The longest that a body can hold.
        "0123456789ab".repeat(5_000),
    ] {
        target.refuses(wrong.len(), target.login_call(EMAIL, &wrong), INVALID_CREDENTIALS).await;
    }
    target.serves("the password", target.login_call(EMAIL, &longest), 200).await;
    target
}

/// The composed and the decomposed form of a letter are different passwords, as the documentation of `Password` says.
async fn letters_that_look_the_same() -> Target {
    let target = Target::without_limits().await;
    for (email, (stored, similar)) in [EMAIL, "b@example.com", "c@example.com", "d@example.com"].iter().zip([
        ("pass\u{e9}word", "passe\u{301}word"),
        ("passe\u{301}word", "pass\u{e9}word"),
        ("\u{212b}ngstr\u{f6}m", "\u{c5}ngstr\u{f6}m"),
        ("passwords", "p\u{430}sswords"),
    ]) {
        target.serves("registration", register(&target, email, stored, stored), 201).await;
        target.refuses(similar, target.login_call(email, similar), INVALID_CREDENTIALS).await;
        target.serves(stored, target.login_call(email, stored), 200).await;
    }
    target
}

/// New passwords, at the three routes that set one.
async fn new_passwords() -> Target {
    let target = Target::without_limits().await;
    let access = target.register(EMAIL).await.access;
    let token = target.reset_token(EMAIL).await;
    let calls = |password: &Value, confirmation: &Value| {
        let with = |mut body: Value| {
            body["password"] = password.clone();
            body["passwordConfirmation"] = confirmation.clone();
            body
        };
        let update = target.put("/auth/user/password").bearer(&access);
        let reset = target.post("/auth/reset-password");
        [
            target.post("/auth/register").json(&with(json!({ "name": "Eve", "email": "eve@example.com" }))),
            update.json(&with(json!({ "currentPassword": PASSWORD }))),
            reset.json(&with(json!({ "email": EMAIL, "token": token }))),
        ]
    };
    let (long, umlauts) = ("x".repeat(73), "\u{fc}".repeat(37));
    for (password, confirmation, errors) in [
        (json!("1234567"), json!("1234567"), &["password: too_short"][..]),
        (json!("\u{fc}\u{fc}\u{fc}\u{fc}"), json!("\u{fc}\u{fc}\u{fc}\u{fc}"), &["password: too_short"]),
        (json!(long), json!(long), &["password: too_long"]),
        (json!(umlauts), json!(umlauts), &["password: too_long"]),
        (json!("x".repeat(60_000)), json!("x".repeat(2_000)), {
            &["password: too_long", "passwordConfirmation: mismatch"]
        }),
        (json!("1234567\0 and more"), json!("1234567\0 and more"), &["password: invalid"]),
        (json!(""), json!(""), &["password: required"]),
        (json!(NEW), json!("another password"), &["passwordConfirmation: mismatch"]),
        (json!(NEW), json!(NEW.to_uppercase()), &["passwordConfirmation: mismatch"]),
        (json!(NEW), json!(null), &["passwordConfirmation: required"]),
        (json!(NEW), json!(12_345_678), &["passwordConfirmation: wrong_type"]),
        (json!(NEW), json!(true), &["passwordConfirmation: wrong_type"]),
        (json!([NEW]), json!(NEW), &["password: wrong_type"]),
    ] {
        for call in calls(&password, &confirmation) {
            target.refuses_fields(format!("{errors:?}"), call, errors).await;
        }
    }
    assert_eq!(target.users.all().len(), 1);
    let [register, update, _] = calls(&json!(NEW), &json!(NEW));
    target.serves("registration", register, 201).await;
    target.serves("change", update, 200).await;
    // It has ended what was pending.
    let token = target.reset_token(EMAIL).await;
    target.serves("reset", target.reset(EMAIL, &token), 200).await;
    target
}

async fn a_hash_that_cannot_be_verified() -> Target {
    let target = Target::without_limits().await;
    target.register(EMAIL).await;
    let stored = target.users.by_email(EMAIL).unwrap().password;
    let rest = "c2l4dGVlbiBvY3RldHMhIQ$lwpsz5FDzDBggTsWeyDMMH1kucveiY2Cik0O7I9SzW4";
    for hash in [
        String::new(),
        "not a hash at all".to_owned(),
        PASSWORD.to_owned(),
        stored[..40].to_owned(),
        format!("{stored}A"),
        format!("{stored} "),
        stored.replacen("$2b$", "$2z$", 1),
        stored.replacen("$04$", "$31$", 1),
        stored.replacen("$04$", "$99$", 1),
        stored.replacen("$04$", "$-1$", 1),
        format!("$argon2id$v=19$m=4294967295,t=1,p=1${rest}"),
        format!("$scrypt$ln=40,r=8,p=1${rest}"),
        format!("$pbkdf2-sha256$i=4294967295${rest}"),
        format!("$unknown${rest}"),
    ] {
        target.users.update(EMAIL, |user| user.password = hash.clone());
        target.refuses(&hash, target.login_call(EMAIL, PASSWORD), INVALID_CREDENTIALS).await;
        assert_eq!(target.users.by_email(EMAIL).unwrap().password, hash, "nothing was written");
    }
    target.users.update(EMAIL, |user| user.password = stored);
    target.serves("the stored hash", target.login_call(EMAIL, PASSWORD), 200).await;
    target
}

async fn a_current_password_that_is_not_shown() -> Target {
    let target = Target::without_limits().await;
    let access = target.register(EMAIL).await.access;
    let change = |current: Value| {
        let body = json!({ "currentPassword": current, "password": NEW, "passwordConfirmation": NEW });
        target.put("/auth/user/password").bearer(&access).json(&body)
    };
    for (current, error) in [
        (json!(null), "currentPassword: required"),
        (json!(""), "currentPassword: required"),
        (json!([PASSWORD]), "currentPassword: wrong_type"),
        (json!({ "$ne": "" }), "currentPassword: wrong_type"),
        (json!(true), "currentPassword: wrong_type"),
    ] {
        target.refuses_fields(&current, change(current.clone()), &[error]).await;
    }
    target.serves("the password", change(json!(PASSWORD)), 200).await;
    target
}
