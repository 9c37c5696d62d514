//! What the mails say.

use super::sink::{Manner, Sink};
use super::{ADA, Seen, TOKEN, links, over_smtp, reset, verify};
use crate::error::BoxError;
use crate::mail::{
    EmailVerificationMail, MailContent, MailDelivery, MailTemplates, PasswordResetMail, StandardTemplates,
};
use mail_parser::MessageParser;
use std::time::{Duration, UNIX_EPOCH};

/// The first line of the standard mail to somebody of this name, and its HTML.
fn greeting(name: &str) -> (String, String) {
    let content = standard(name, Duration::from_secs(3600));
    (content.text.lines().next().unwrap().to_owned(), content.html)
}

fn standard(name: &str, valid_for: Duration) -> MailContent {
    let written = StandardTemplates.password_reset(&PasswordResetMail {
        app_name: "R&D",
        name,
        email: ADA,
        link: "https://example.com/?a=1&b=2",
        token: TOKEN,
        expires_at: UNIX_EPOCH,
        valid_for,
    });
    written.unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_name_that_could_be_a_message_is_not_repeated() {
    for name in ["Ada", "Zoë O'Neil", "J.R.R. Tolkien", "Dr. Who", "  Ada  ", "王小明"] {
        assert_eq!(greeting(name).0, format!("Hello {},", name.trim()));
    }
    let long = "You have won! ".repeat(5);
    for name in ["", "  ", "evil.example", "see www.evil.example", "http://evil", "a@b.co", "A\nB", &long] {
        assert_eq!(greeting(name).0, "Hello,", "{name}");
    }
}

#[test]
fn html_is_escaped() {
    let (_, html) = greeting("\"Ada\" & 'Co'");
    for escaped in
        ["Hello &quot;Ada&quot; &amp; &#39;Co&#39;,", "R&amp;D", "href=\"https://example.com/?a=1&amp;b=2\""]
    {
        assert!(html.contains(escaped), "{html}");
    }
}

#[test]
fn lives_are_said_in_words() {
    let minute = 60;
    for (seconds, words) in [
        (0, "1 minute."),
        (61, "1 minute."),
        (3599, "60 minutes."),
        (2 * 60 * minute, "2 hours."),
        (24 * 60 * minute, "24 hours."),
        (3 * 24 * 60 * minute, "3 days."),
    ] {
        let text = standard("Ada", Duration::from_secs(seconds)).text;
        assert!(text.contains(&format!("for {words}")), "{text}");
    }
}

#[tokio::test]
async fn a_host_replaces_what_it_wants() {
    struct Own;
    impl MailTemplates for Own {
        fn email_verification(&self, mail: &EmailVerificationMail<'_>) -> Result<MailContent, BoxError> {
            let text = format!("{} {} {}", mail.app_name, mail.email, mail.valid_for.as_secs());
            Ok(MailContent { subject: "Grüße".to_owned(), html: text.clone(), text })
        }
    }
    let sink = Sink::start(Manner::Accept).await;
    let mail = over_smtp(&sink.url()).templates(Own).app_name("Büro").build().unwrap();
    reset(&mail, ADA, "Ada").await.unwrap();
    verify(&mail, ADA, "7").await.unwrap();
    let seen: Vec<_> = sink.mails().iter().map(|mail| Seen::read(&mail.data())).collect();
    assert_eq!(seen[0].subject, "Reset your Büro password");
    assert!(seen[0].text.contains("your Büro account"), "{}", seen[0].text);
    assert_eq!(seen[1].subject, "Grüße");
    assert_eq!(seen[1].text.trim_end(), "Büro ada@example.org 3600");
}

#[tokio::test]
async fn subjects_are_the_hosts_own_when_it_says_so() {
    let sink = Sink::start(Manner::Accept).await;
    let mail = over_smtp(&sink.url())
        .password_reset_subject("Your new\r\nBcc: eve@example.net\r\npassword")
        .email_verification_subject("Is this you?")
        .build()
        .unwrap();
    reset(&mail, ADA, "Ada").await.unwrap();
    verify(&mail, ADA, "7").await.unwrap();
    let seen: Vec<_> = sink.mails().iter().map(|mail| Seen::read(&mail.data())).collect();
    assert_eq!(seen[0].subject, "Your new  Bcc: eve@example.net  password");
    assert!(seen[0].header("Bcc").is_empty());
    assert_eq!(seen[1].subject, "Is this you?");
}

#[tokio::test]
async fn a_sender_without_a_name_lends_its_domain() {
    let sink = Sink::start(Manner::Accept).await;
    let mail = MailDelivery::smtp(sink.url(), "no-reply@example.com", links()).build().unwrap();
    reset(&mail, ADA, "Ada").await.unwrap();
    assert_eq!(Seen::read(&sink.mails()[0].data()).subject, "Reset your example.com password");
}

#[tokio::test]
async fn a_sender_may_have_any_name() {
    let sink = Sink::start(Manner::Accept).await;
    for (sender, name) in [
        ("Example, Inc. <a@example.com>", "Example, Inc."),
        ("\"Example, Inc.\" <a@example.com>", "Example, Inc."),
        ("Grüße <a@example.com>", "Grüße"),
    ] {
        let mail = MailDelivery::smtp(sink.url(), sender, links()).build().unwrap();
        reset(&mail, ADA, "Ada").await.unwrap();
        let data = sink.mails().pop().unwrap().data();
        let from = MessageParser::default().parse(&data).unwrap().from().cloned().unwrap().into_list();
        let [mailbox] = &from[..] else { panic!("{from:?}") };
        assert_eq!((mailbox.name(), mailbox.address()), (Some(name), Some("a@example.com")));
    }
}

#[tokio::test]
async fn a_template_that_fails_sends_nothing() {
    struct Broken;
    impl MailTemplates for Broken {
        fn password_reset(&self, _: &PasswordResetMail<'_>) -> Result<MailContent, BoxError> {
            Err("no such template".into())
        }
    }
    let sink = Sink::start(Manner::Accept).await;
    let mail = over_smtp(&sink.url()).templates(Broken).build().unwrap();
    let error = reset(&mail, ADA, "Ada").await.unwrap_err();
    assert_eq!(error.to_string(), "a mail template failed: no such template");
    assert!(sink.commands().is_empty());
}
