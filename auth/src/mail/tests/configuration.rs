//! Valid and invalid options.

use super::{RESET_URL, SENDER, VERIFICATION_URL, over_smtp};
use crate::config::ConfigError;
use crate::mail::Mailer;
use std::time::Duration;

/// The options that are wrong.
fn wrong<T>(built: Result<T, ConfigError>) -> Vec<String> {
    let error = built.err().map(|error| error.problems().to_vec()).unwrap_or_default();
    error.into_iter().map(|problem| problem.option.into_owned()).collect()
}

#[test]
fn all_problems_are_reported_at_once() {
    let built = Mailer::smtp("localhost", "nobody").timeout(Duration::ZERO).build();
    assert_eq!(wrong(built), ["smtp_url", "sender", "timeout"]);
}

/// The mails of a builder are those of the mailer that it builds.
#[test]
fn a_mail_builds_its_mailer() {
    let (good, bad) = (over_smtp("smtp://localhost"), Mailer::smtp("localhost", "nobody"));
    assert_eq!(wrong(good.password_reset(RESET_URL)), [""; 0]);
    assert_eq!(wrong(good.email_verification(VERIFICATION_URL)), [""; 0]);
    assert_eq!(wrong(good.password_reset("/reset")), wrong(good.build().unwrap().password_reset("/reset")));
    assert_eq!(wrong(bad.password_reset(RESET_URL)), ["smtp_url", "sender"]);
    assert_eq!(wrong(bad.email_verification(VERIFICATION_URL)), ["smtp_url", "sender"]);
}

#[test]
fn urls_of_servers() {
    for good in [
        "smtps://user:password@smtp.example.com",
        "smtps://user:password@smtp.example.com:4465?tls=required",
        "smtp://user:p%40ss@smtp.example.com:587?tls=required",
        "smtp://smtp.example.com",
        "smtp://mailpit:1025?tls=none",
        "smtp://localhost:1025",
        "smtp://[::1]:1025",
        "smtp://127.0.0.1/front.example",
    ] {
        assert_eq!(wrong(over_smtp(good).build()), [""; 0], "{good}");
    }
    for bad in [
        "",
        "hunter2",
        "user:hunter2@smtp.example.com",
        "hunter2://smtp.example.com",
        "smtp://",
        "smtp://hunter2@smtp.example.com",
        "smtp://:hunter2@smtp.example.com",
        "smtp://user:%ff@smtp.example.com?hunter2",
        "smtp://user:hunter2@smtp.example.com:99999",
        "smtp://user:hunter2@smtp.example.com?tls=opportunistic",
        "smtp://user:hunter2@smtp.example.com?tls=none&tls=required",
        "smtp://user:hunter2@smtp.example.com?timeout=1",
        "smtps://user:hunter2@smtp.example.com?tls=none",
        "https://user:hunter2@smtp.example.com",
    ] {
        let error = over_smtp(bad).build().err().unwrap_or_else(|| panic!("{bad}")).to_string();
        assert!(!error.contains("hunter2") && error.contains("smtp_url"), "{error}");
    }
}

#[test]
fn senders() {
    for good in [
        "a@example.com",
        "Example <a@example.com>",
        "\"Example, Inc.\" <a@example.com>",
        "Bücher <a@example.com>",
        "dev@localhost",
    ] {
        assert_eq!(wrong(Mailer::files("outbox", good).build()), [""; 0], "{good}");
    }
    for bad in [
        "",
        "Example",
        "Example <>",
        "a@example.com, b@example.com",
        "A <a@example.com>, B <b@example.com>",
        "A <a@example.com> junk",
        "a@exämple.com",
        "A\r\nBcc: b@example.com <a@example.com>",
        "A <a@example.com>\r\nBcc: b@example.com",
    ] {
        assert_eq!(wrong(Mailer::files("outbox", bad).build()), ["sender"], "{bad}");
    }
}

fn mailer() -> Mailer {
    Mailer::files("outbox", SENDER).build().unwrap()
}

/// What is wrong with a template for the link of a reset.
fn reset_url(template: &str) -> Option<String> {
    let error = mailer().password_reset(template).err()?;
    assert!(error.problems().iter().all(|problem| problem.option == "reset_url"), "{error}");
    Some(error.problems().iter().map(|problem| problem.message.clone()).collect())
}

#[test]
fn templates_of_links() {
    for good in [
        "https://example.com/reset/{token}",
        "http://localhost:3000/reset#token={token}&email={email}&again={token}",
        "example-app://reset?token={token}",
    ] {
        assert_eq!(reset_url(good), None, "{good}");
    }
    for (bad, message) in [
        ("https://example.com/reset", "it lacks {token}"),
        ("https://example.com/{token}/{tokn}", "`{tokn}` is not among {token}, {email}"),
        ("https://example.com/{token", "a `{` is not closed"),
        ("https://example.com/{token}}", "'}' is not allowed in a URL; percent-encode it"),
        ("https://example.com/{token} ", "' ' is not allowed in a URL; percent-encode it"),
        ("https://example.com/ü/{token}", "'ü' is not allowed in a URL; percent-encode it"),
        ("/reset/{token}", "expected an absolute URL: https://example.com/…"),
        ("javascript:{token}", "expected an absolute URL: https://example.com/…"),
    ] {
        assert_eq!(reset_url(bad).as_deref(), Some(message), "{bad}");
    }
}

#[test]
fn a_verification_link_needs_all_its_parts() {
    let error = mailer().email_verification("https://example.com/{id}?signature={signature}").err().unwrap();
    let [problem] = error.problems() else { panic!("{error}") };
    assert_eq!((&*problem.option, &*problem.message), ("verification_url", "it lacks {hash}, {expires}"));
}
