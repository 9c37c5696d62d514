//! Over SMTP: what arrives, and what becomes of a server that does not take it.

use super::sink::{Manner, Sink};
use super::{
    ADA, LOGIN_URL, SENDER, Seen, TOKEN, deliver_reset, login_message, over_smtp, reset, resets, verify,
};
use crate::delivery::{Delivers, EmailLoginPurpose};
use crate::languages::Language;
use crate::mail::{MailContent, Mailer};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_reset_arrives_with_both_parts() {
    let sink = Sink::start(Manner::Accept).await;
    let mail = over_smtp(&sink.url()).build().unwrap();
    reset(&mail, ADA, "Ada").await.unwrap();

    let [received] = &sink.mails()[..] else { panic!("not one mail") };
    assert_eq!(received.from, "no-reply@mail.example.com");
    assert_eq!(received.to, [ADA]);
    let seen = Seen::read(&received.data());
    assert_eq!(seen.header("From"), [SENDER]);
    assert_eq!(seen.header("To"), [ADA]);
    assert_eq!(seen.header("Subject"), ["Reset your Example password"]);
    assert_eq!(seen.header("Auto-Submitted"), ["auto-generated"]);
    assert_eq!(seen.header("Date").len(), 1);
    assert!(seen.header("Message-ID")[0].ends_with("@mail.example.com>"));
    assert!(seen.header("Content-Type")[0].starts_with("multipart/alternative;"));

    let link = format!("https://example.com/reset-password?token={TOKEN}&email=ada%40example.org");
    assert!(seen.text.starts_with("Hello,\n"), "{}", seen.text);
    assert!(seen.text.lines().any(|line| line == link), "{}", seen.text);
    assert!(seen.text.contains("60 minutes"), "{}", seen.text);
    assert!(seen.html.contains(&format!("<a href=\"{}\">", link.replace('&', "&amp;"))), "{}", seen.html);
}

#[tokio::test]
async fn a_verification_arrives_with_its_link() {
    let sink = Sink::start(Manner::Accept).await;
    let mail = over_smtp(&sink.url()).build().unwrap();
    verify(&mail, ADA, "a/ü?&=#").await.unwrap();

    let seen = Seen::read(&sink.mails()[0].data());
    let link = "https://example.com/verify/a%2F%C3%BC%3F%26%3D%23/ab12?signature=cd34&expires=1800003600";
    assert!(seen.text.lines().any(|line| line == link), "{}", seen.text);
    assert_eq!(seen.subject, "Confirm your e-mail address for Example");
}

#[tokio::test]
async fn a_code_arrives_in_two_groups_with_its_link_and_nothing_that_a_stranger_chooses() {
    use EmailLoginPurpose::{Confirmation, Login, Registration};

    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).app_name("R&D").build().unwrap();
    let delivery = mailer.email_login(LOGIN_URL).unwrap();
    let (english, german) = (Language::english(), Language::german());
    for (purpose, language, subject) in [
        (Login, &english, "Sign in to R&D"),
        (Registration, &english, "Your new account at R&D"),
        (Confirmation, &english, "Your code for R&D"),
        (Login, &german, "Anmelden bei R&D"),
        (Registration, &german, "Ihr neues Konto bei R&D"),
        (Confirmation, &german, "Ihr Code für R&D"),
    ] {
        delivery.deliver(login_message(purpose, language.clone())).await.unwrap();
        let received = sink.mails().pop().unwrap();
        assert_eq!(received.to, [ADA]);
        let seen = Seen::read(&received.data());
        assert_eq!(seen.subject, subject);
        for part in [&seen.text, &seen.html] {
            assert!(part.contains("1234 5678") && part.contains("192.0.2.7"), "{part}");
            assert!(part.contains("2027-01-15 08:00 UTC") && !part.contains("evil.example"), "{part}");
            let link = format!("https://example.com/login#token={TOKEN}");
            assert_eq!(part.contains(&link), purpose != Confirmation, "{part}");
        }
        let minutes = if *language == german { "10 Minuten" } else { "10 minutes" };
        assert!(seen.text.contains(minutes), "{}", seen.text);
    }
}

#[tokio::test]
async fn a_name_can_neither_add_headers_nor_markup() {
    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).build().unwrap();
    let delivery = resets(&mailer).template(|mail| {
        let name = &mail.message.name;
        let html = crate::mail::escape_html(name);
        Ok(MailContent { subject: format!("For {name}"), text: name.clone(), html })
    });
    let name = "Zoë \"Q\" <b>O'Neil & Co</b>\r\nBcc: eve@example.net\r\n\r\nA body of my own";
    deliver_reset(&delivery, ADA, name).await.unwrap();

    let [received] = &sink.mails()[..] else { panic!("not one mail") };
    assert_eq!(received.to, [ADA]);
    let seen = Seen::read(&received.data());
    assert!(seen.header("Bcc").is_empty());
    assert_eq!(seen.header("Subject").len(), 1);
    assert_eq!(seen.subject, format!("For {}", name.replace(['\r', '\n'], " ")));
    assert_eq!(seen.text.trim_end(), name.replace("\r\n", "\n"));
    assert!(
        seen.html.starts_with("Zoë &quot;Q&quot; &lt;b&gt;O&#39;Neil &amp; Co&lt;/b&gt;"),
        "{}",
        seen.html
    );
}

#[tokio::test]
async fn no_line_ends_the_mail_early() {
    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).build().unwrap();
    const LINES: [&str; 4] = [".", "..", ".hidden", "last"];
    for line_break in ["\n", "\r\n", "\r"] {
        let delivery = resets(&mailer).template(move |_| {
            let text = LINES.join(line_break);
            Ok(MailContent { subject: ".".to_owned(), html: text.clone(), text })
        });
        deliver_reset(&delivery, ADA, "Ada").await.unwrap();
        let received = sink.mails().pop().unwrap();
        assert!(received.wire.iter().any(|line| line == "..hidden"));
        assert!(received.wire.iter().all(|line| !line.contains('\r')));
        let seen = Seen::read(&received.data());
        assert_eq!(seen.text.trim_end(), LINES.join("\n"));
        assert_eq!(seen.html.trim_end(), LINES.join("\n"));
    }
    assert_eq!(sink.mails().len(), 3);
}

#[tokio::test]
async fn a_link_is_in_one_piece_unless_a_line_is_too_long() {
    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).build().unwrap();
    for length in [900, 998, 999, 5000] {
        let delivery = resets(&mailer).template(move |mail| {
            let text = format!("{}\n{}\n", mail.link, "x".repeat(length));
            Ok(MailContent { subject: "A link".to_owned(), html: text.clone(), text })
        });
        deliver_reset(&delivery, ADA, "Ada").await.unwrap();
        let received = sink.mails().pop().unwrap();
        assert!(received.wire.iter().all(|line| line.len() <= 998), "{length}");
        assert_eq!(received.wire.iter().any(|line| line.contains(TOKEN)), length <= 998, "{length}");
        let seen = Seen::read(&received.data());
        assert!(seen.text.contains(&format!("token={TOKEN}&email")), "{}", seen.text);
        assert!(seen.text.contains(&"x".repeat(length)) && seen.html == seen.text, "{}", seen.text);
    }
}

#[tokio::test]
async fn a_stored_address_is_one_address_or_none() {
    let sink = Sink::start(Manner::Accept).await;
    let mail = over_smtp(&sink.url()).build().unwrap();
    for stored in [
        "ada@example.org, eve@example.net",
        "ada@example.org>\r\nRCPT TO:<eve@example.net",
        "\"ada\r\nRCPT TO:<eve@example.net>\r\n\"@example.org",
        "Ada <ada@example.org>",
        "ada@example.org\0",
        "",
    ] {
        assert!(reset(&mail, stored, "Ada").await.is_err(), "{stored:?}");
    }
    assert!(sink.commands().is_empty());
    reset(&mail, "Ada.L@Example.org", "Ada").await.unwrap();
    assert_eq!(sink.mails()[0].to, ["Ada.L@Example.org"]);
}

/// What a delivery says that fails, and that it does so in time.
async fn failure(mail: &Mailer) -> String {
    let start = Instant::now();
    let error = reset(mail, ADA, "Ada").await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    for said in [format!("{error}"), format!("{error:?}")] {
        assert!(![TOKEN, ADA, "%40", "hunter2"].iter().any(|secret| said.contains(secret)), "{said}");
    }
    error.to_string()
}

#[tokio::test]
async fn what_a_server_refuses_is_an_error_with_its_codes_alone() {
    for (manner, user, codes) in [
        (Manner::RefuseRecipient, "", "550 5.1.1"),
        (Manner::RefuseMail, "", "554 5.7.1"),
        (Manner::RefuseLogin, "mailer:hunter2@", "535 5.7.8"),
    ] {
        let sink = Sink::start(manner).await;
        let mail = over_smtp(&format!("smtp://{user}{}", sink.address)).build().unwrap();
        assert_eq!(failure(&mail).await, format!("the mail server refused with {codes}"));
        assert!(sink.mails().is_empty());
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up_in_time() {
    for manner in [Manner::Hang, Manner::HangAfterMail] {
        let sink = Sink::start(manner).await;
        let mail = over_smtp(&sink.url()).timeout(Duration::from_millis(300)).build().unwrap();
        assert_eq!(failure(&mail).await, "the mail server took longer than 300ms");
    }
}

#[tokio::test]
async fn a_server_that_hangs_up_or_babbles_or_is_not_there_is_an_error() {
    for manner in [Manner::HangUp, Manner::Babble] {
        let sink = Sink::start(manner).await;
        let mail = over_smtp(&sink.url()).build().unwrap();
        assert_eq!(failure(&mail).await, "the mail server's reply is not SMTP, or it closed the connection");
    }
    let mail = over_smtp("smtp://127.0.0.1:1").build().unwrap();
    assert!(failure(&mail).await.starts_with("the mail server cannot be used: Connection error"));
}

#[tokio::test]
async fn user_and_password_are_decoded() {
    let sink = Sink::start(Manner::AskForLogin).await;
    let url = format!("smtp://mailer%40example.com:hunter2%2F%C3%BC@{}/front.example", sink.address);
    reset(&over_smtp(&url).build().unwrap(), ADA, "Ada").await.unwrap();
    let login = STANDARD.encode("\0mailer@example.com\0hunter2/ü");
    assert_eq!(sink.commands()[..2], ["EHLO front.example".to_owned(), format!("AUTH PLAIN {login}")]);
    assert_eq!(sink.mails().len(), 1);
}

#[tokio::test]
async fn without_the_encryption_that_is_required_nothing_is_said() {
    let sink = Sink::start(Manner::AskForLogin).await;
    let url = format!("smtp://mailer:hunter2@{}?tls=required", sink.address);
    let said = failure(&over_smtp(&url).build().unwrap()).await;
    assert!(said.contains("STARTTLS is not supported"), "{said}");
    assert!(sink.commands().iter().all(|command| command.starts_with("EHLO") || command == "QUIT"));

    let url = format!("smtps://mailer:hunter2@{}", sink.address);
    let mail = over_smtp(&url).timeout(Duration::from_millis(300)).build().unwrap();
    failure(&mail).await;
    assert!(sink.mails().is_empty());
}

#[tokio::test]
async fn mails_at_once_do_not_mix() {
    let sink = Sink::start(Manner::Accept).await;
    let mail = over_smtp(&sink.url()).build().unwrap();
    let users: Vec<_> = (0..20).map(|number| format!("user{number}@example.org")).collect();
    futures_util::future::try_join_all(users.iter().map(|user| reset(&mail, user, "Ada"))).await.unwrap();
    let mut received: Vec<_> = sink.mails().into_iter().map(|mail| mail.to.concat()).collect();
    let mut sent = users;
    received.sort();
    sent.sort();
    assert_eq!(received, sent);
}
