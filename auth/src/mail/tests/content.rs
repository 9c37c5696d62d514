//! What the mails say.

use super::sink::{Manner, Sink};
use super::{
    ADA, Seen, TOKEN, deliver_reset, deliver_verification, expires_at, over_smtp, reset, resets,
    verifications,
};
use crate::delivery::{
    AccountDeletionKind, AccountDeletionMessage, AddressChanged, Delivers, EmailChangeMessage,
    EmailChangePurpose, EmailLoginMessage, EmailLoginPurpose, EmailVerificationMessage, InvitationMessage,
    Notice, PasswordResetMessage, PasswordResetReason, VerificationData,
};
use crate::languages::Language;
use crate::mail::{MailContent, MailContext, Mailer, mails};
use mail_parser::MessageParser;
use std::time::Duration;

fn standard(name: &str, valid_for: Duration) -> MailContent {
    standard_to(&reset_of(name, true, Language::english()), valid_for)
}

fn reset_of(name: &str, email_verified: bool, language: Language) -> PasswordResetMessage {
    let (email, name, token) = (ADA.to_owned(), name.to_owned(), TOKEN.to_owned());
    let reason = PasswordResetReason::Requested;
    PasswordResetMessage { email, name, email_verified, token, reason, expires_at: expires_at(), language }
}

fn standard_to(message: &PasswordResetMessage, valid_for: Duration) -> MailContent {
    let (link, language) = ("https://example.com/?a=1&b=2", &message.language);
    mails::password_reset(&MailContext { app_name: "R&D", message, link, valid_for, language })
}

/// Whoever registers a stranger's address, or takes over a session, chooses the name that the owner of the mailbox would read.
#[test]
fn no_mail_has_the_name_of_the_user() {
    for (name, is_verified) in
        [("Ada", true), ("Your account is locked, call 0900 123456", true), ("Ada", false)]
    {
        let message = reset_of(name, is_verified, Language::english());
        let MailContent { subject, text, html } = standard_to(&message, Duration::from_secs(3600));
        assert!(text.starts_with("Hello,\n") && html.contains("<p>Hello,</p>"), "{text}");
        assert!(![subject, text, html].iter().any(|part| part.contains(name)), "{name}");
    }
}

#[tokio::test]
async fn a_previous_address_is_told_without_a_link() {
    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).app_name("R&D").build().unwrap();
    let notice = || Notice::from(AddressChanged::new(ADA.to_owned(), expires_at()));
    mailer.notices().deliver(notice()).await.unwrap();
    let own = mailer.notices().template(|mail| {
        let text = format!("{} {}", mail.app_name, mail.notice.recipient());
        Ok(MailContent { subject: "Umzug".to_owned(), html: text.clone(), text })
    });
    own.deliver(notice()).await.unwrap();
    let mails = sink.mails();
    assert!(mails.iter().all(|mail| mail.to == [ADA]));
    let seen: Vec<_> = mails.iter().map(|mail| Seen::read(&mail.data())).collect();
    assert_eq!(seen[0].subject, "The e-mail address of your R&D account has changed");
    assert!(seen[0].text.starts_with("Hello,\n") && !seen[0].text.contains("http"), "{}", seen[0].text);
    assert!(
        seen[0].html.contains("your R&amp;D account") && !seen[0].html.contains("href"),
        "{}",
        seen[0].html
    );
    assert_eq!((seen[1].subject.as_str(), seen[1].text.trim_end()), ("Umzug", &*format!("R&D {ADA}")));
    let standard = mailer.notices().template(|mail| Ok(mail.standard())).subject("Umzug");
    standard.deliver(notice()).await.unwrap();
    let third = Seen::read(&sink.mails()[2].data());
    assert_eq!((third.subject.as_str(), third.text), ("Umzug", seen[0].text.clone()));
}

#[test]
fn html_is_escaped() {
    let html = standard("Ada", Duration::from_secs(3600)).html;
    for escaped in ["R&amp;D", "href=\"https://example.com/?a=1&amp;b=2\""] {
        assert!(html.contains(escaped), "{html}");
    }
}

#[test]
fn durations_are_written_in_words() {
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
async fn a_mail_is_in_the_language_of_its_message() {
    let german = reset_of("Ada Lovelace", true, Language::german());
    let mail = standard_to(&german, Duration::from_secs(3 * 24 * 3600));
    assert_eq!(mail.subject, "Neues Passwort für R&D");
    assert!(mail.text.starts_with("Guten Tag,\n"), "{}", mail.text);
    assert!(mail.text.contains("gilt 3 Tage") && mail.text.contains("Ihr Konto bei R&D"), "{}", mail.text);
    assert!(mail.html.contains("<html lang=\"de\">") && mail.html.contains(">Neues Passwort wählen</a>"));
    assert!(mail.html.contains("Ihr Konto bei R&amp;D") && !mail.html.contains("R&D"), "{}", mail.html);
    for (seconds, words) in [(1, "1 Minute."), (3600, "60 Minuten."), (7200, "2 Stunden.")] {
        let text = standard_to(&german, Duration::from_secs(seconds)).text;
        assert!(text.contains(&format!("gilt {words}")), "{text}");
    }

    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).app_name("R&D").build().unwrap();
    let data = VerificationData::new("7".to_owned(), "ab12".to_owned(), "cd34".to_owned(), 1_800_003_600);
    let (email, name, language) = (ADA.to_owned(), "Ada".to_owned(), Language::german());
    let message = EmailVerificationMessage { email, name, data, expires_at: expires_at(), language };
    verifications(&mailer).deliver(message).await.unwrap();
    let mut notice = AddressChanged::new(ADA.to_owned(), expires_at());
    notice.language = Language::german();
    mailer.notices().deliver(notice.clone().into()).await.unwrap();
    let own = mailer.notices().template(|mail| {
        let text = mail.language.to_string();
        Ok(MailContent { subject: text.clone(), html: text.clone(), text })
    });
    own.deliver(notice.into()).await.unwrap();
    let seen: Vec<_> = sink.mails().iter().map(|mail| Seen::read(&mail.data())).collect();
    assert_eq!(seen[0].subject, "Bestätigen Sie Ihre E-Mail-Adresse für R&D");
    assert!(seen[0].text.starts_with("Guten Tag,\n"), "{}", seen[0].text);
    assert!(seen[0].text.contains("Der Link gilt 60 Minuten."), "{}", seen[0].text);
    assert_eq!(seen[1].subject, "Die E-Mail-Adresse Ihres Kontos bei R&D wurde geändert");
    assert!(seen[1].html.contains("wenden Sie sich an R&amp;D:"), "{}", seen[1].html);
    assert_eq!(seen[2].subject, "de");
}

#[test]
fn a_value_in_a_mail_is_no_placeholder() {
    let message = reset_of("{app}", true, Language::english());
    let link = "https://example.com/{time}";
    let language = &message.language;
    let hour = Duration::from_secs(3600);
    let context = MailContext { app_name: "{time}", message: &message, link, valid_for: hour, language };
    let text = mails::password_reset(&context).text;
    assert!(text.contains("your {time} account"), "{text}");
    assert!(text.contains("https://example.com/{time}\n") && text.contains("for 60 minutes."), "{text}");
}

#[tokio::test]
async fn a_host_replaces_what_it_wants() {
    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).app_name("Büro").build().unwrap();
    let own = verifications(&mailer).template(|mail| {
        let text = format!("{} {} {}", mail.app_name, mail.message.email, mail.valid_for.as_secs());
        Ok(MailContent { subject: "Grüße".to_owned(), html: text.clone(), text })
    });
    reset(&mailer, ADA, "Ada").await.unwrap();
    deliver_verification(&own, ADA, "7").await.unwrap();
    let seen: Vec<_> = sink.mails().iter().map(|mail| Seen::read(&mail.data())).collect();
    assert_eq!(seen[0].subject, "Reset your Büro password");
    assert!(seen[0].text.contains("your Büro account"), "{}", seen[0].text);
    assert_eq!(seen[1].subject, "Grüße");
    assert_eq!(seen[1].text.trim_end(), "Büro ada@example.org 3600");
}

#[tokio::test]
async fn subjects_are_the_hosts_own_when_it_says_so() {
    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).build().unwrap();
    let resets = resets(&mailer).subject("Your new\r\nBcc: eve@example.net\r\npassword");
    deliver_reset(&resets, ADA, "Ada").await.unwrap();
    deliver_verification(&verifications(&mailer).subject("Is this you?"), ADA, "7").await.unwrap();
    let seen: Vec<_> = sink.mails().iter().map(|mail| Seen::read(&mail.data())).collect();
    assert_eq!(seen[0].subject, "Your new  Bcc: eve@example.net  password");
    assert!(seen[0].header("Bcc").is_empty());
    assert_eq!(seen[1].subject, "Is this you?");
}

#[tokio::test]
async fn a_sender_without_a_name_lends_its_domain() {
    let sink = Sink::start(Manner::Accept).await;
    let mail = Mailer::smtp(sink.url(), "no-reply@example.com").build().unwrap();
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
        let mail = Mailer::smtp(sink.url(), sender).build().unwrap();
        reset(&mail, ADA, "Ada").await.unwrap();
        let data = sink.mails().pop().unwrap().data();
        let from = MessageParser::default().parse(&data).unwrap().from().cloned().unwrap().into_list();
        let [mailbox] = &from[..] else { panic!("{from:?}") };
        assert_eq!((mailbox.name(), mailbox.address()), (Some(name), Some("a@example.com")));
    }
}

#[tokio::test]
async fn a_template_that_fails_sends_nothing() {
    let sink = Sink::start(Manner::Accept).await;
    let broken =
        resets(&over_smtp(&sink.url()).build().unwrap()).template(|_| Err("no such template".into()));
    let error = deliver_reset(&broken, ADA, "Ada").await.unwrap_err();
    assert_eq!(error.to_string(), "a mail template failed: no such template");
    assert!(sink.commands().is_empty());
}

/// A message about a change of the address, by a client whose browser has a link for a name.
fn change(purpose: EmailChangePurpose, token: Option<&str>, language: Language) -> EmailChangeMessage {
    EmailChangeMessage {
        email: ADA.to_owned(),
        purpose,
        token: token.map(str::to_owned),
        client: "203.0.113.9".parse().ok(),
        user_agent: Some("http://evil.example".to_owned()),
        requested_at: expires_at(),
        expires_at: expires_at() + Duration::from_secs(3600),
        language,
    }
}

/// Each says when something was done and from where; a mail with a token has one link, to the page of its purpose.
#[tokio::test]
async fn each_mail_about_a_changed_address_says_when_and_from_where_and_has_one_link_at_most() {
    use EmailChangePurpose::{Changed, Confirm, NotReverted, Reverted, Taken};

    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).app_name("R&D").build().unwrap();
    let delivery = mailer.email_change("https://example.com/{page}#token={token}").unwrap();
    let mut subjects = std::collections::BTreeSet::new();
    for language in [Language::english(), Language::german()] {
        for (purpose, page) in [
            (Confirm, Some("email-change")),
            (Taken, None),
            (Changed, Some("revert")),
            (Changed, None),
            (Reverted, None),
            (NotReverted, None),
        ] {
            let message = change(purpose, page.map(|_| "a+b"), language.clone());
            delivery.deliver(message).await.unwrap();
            let mail = Seen::read(&sink.mails().last().unwrap().data());
            assert_eq!(mail.header("X-Auth-Message"), [format!("email-change; kind={purpose:?}")]);
            let links: Vec<_> = mail.text.matches("https://").collect();
            assert_eq!(links.len(), usize::from(page.is_some()), "{}", mail.text);
            let link = page.map(|page| format!("https://example.com/{page}#token=a%2Bb"));
            assert!(link.is_none_or(|link| mail.text.contains(&link)), "{}", mail.text);
            assert!(mail.text.contains("203.0.113.9") && mail.text.contains("2027-"), "{}", mail.text);
            assert!(!mail.text.contains("evil") && !mail.html.contains("evil"));
            assert_eq!(mail.html.matches("href").count(), links.len(), "{}", mail.html);
            subjects.insert(mail.subject);
        }
    }
    assert_eq!(subjects.len(), 2 * 5, "a subject for each purpose, in each language: {subjects:?}");
}

/// The mail about a scheduled deletion says until when it can be cancelled, and has one link. The others have none.
#[tokio::test]
async fn each_mail_about_a_deletion_says_what_has_happened() {
    use AccountDeletionKind::{Cancelled, Done, Scheduled};

    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).app_name("R&D").build().unwrap();
    let delivery = mailer.account_deletion("https://example.com/restore#token={token}").unwrap();
    let mut subjects = std::collections::BTreeSet::new();
    for language in [Language::english(), Language::german()] {
        for (kind, token) in [(Scheduled, Some("a+b")), (Cancelled, None), (Done, None)] {
            let message = AccountDeletionMessage {
                email: ADA.to_owned(),
                kind,
                token: token.map(str::to_owned),
                client: "203.0.113.9".parse().ok(),
                user_agent: Some("http://evil.example".to_owned()),
                at: expires_at(),
                deletes_at: expires_at() + Duration::from_secs(14 * 86_400),
                expires_at: expires_at() + Duration::from_secs(14 * 86_400),
                language: language.clone(),
            };
            delivery.deliver(message).await.unwrap();
            let mail = Seen::read(&sink.mails().last().unwrap().data());
            assert_eq!(mail.header("X-Auth-Message"), [format!("account-deletion; kind={kind:?}")]);
            let has_link = mail.text.contains("https://example.com/restore#token=a%2Bb");
            assert_eq!(
                (has_link, mail.html.matches("href").count()),
                (token.is_some(), usize::from(has_link))
            );
            assert_eq!(mail.text.contains("203.0.113.9"), kind != Done, "{}", mail.text);
            assert!(!mail.text.contains("evil") && !mail.text.contains('{'), "{}", mail.text);
            subjects.insert(mail.subject);
        }
    }
    assert_eq!(subjects.len(), 2 * 3, "{subjects:?}");
}

/// With a token the link is the page that asks for a password, and without one the login page. A URL that does not fit sends nothing.
#[tokio::test]
async fn the_mail_of_an_invitation_has_one_link_which_fits() {
    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).app_name("R&D").build().unwrap();
    let (page, login) = ("https://example.com/invitation#token={token}", "https://example.com/login");
    let mut subjects = std::collections::BTreeSet::new();
    for language in [Language::english(), Language::german()] {
        for (url, token, link) in [
            (page, Some("a+b"), Some("https://example.com/invitation#token=a%2Bb")),
            (login, None, Some(login)),
            (login, Some("a+b"), None),
            (page, None, None),
        ] {
            let message = InvitationMessage {
                email: ADA.to_owned(),
                name: "http://evil.example".to_owned(),
                token: token.map(str::to_owned),
                expires_at: expires_at(),
                language: language.clone(),
            };
            let before = sink.mails().len();
            let sent = mailer.invitation(url).unwrap().deliver(message).await;
            let Some(link) = link else {
                let error = sent.unwrap_err().to_string();
                assert!(error.contains("`invitation_url`"), "{error}");
                assert_eq!(sink.mails().len(), before);
                continue;
            };
            sent.unwrap();
            let mail = Seen::read(&sink.mails().last().unwrap().data());
            assert_eq!(mail.header("X-Auth-Message"), ["invitation"]);
            assert!(mail.text.contains(link) && mail.html.matches("href").count() == 1, "{}", mail.text);
            assert!(!mail.text.contains("evil") && !mail.text.contains('{'), "{}", mail.text);
            subjects.insert((mail.subject, mail.text));
        }
    }
    assert_eq!(subjects.len(), 4, "{subjects:?}");
    assert!(mailer.invitation("https://example.com/{tokn}").is_err());
}

#[test]
fn a_way_back_that_nobody_has_asked_for_says_why_it_comes() {
    let mut subjects = std::collections::BTreeSet::new();
    for language in [Language::english(), Language::german()] {
        let reasons = [PasswordResetReason::PasswordRemoved, PasswordResetReason::LockedDown];
        let asked = standard_to(&reset_of("Ada", true, language.clone()), Duration::from_secs(3600)).text;
        for reason in reasons {
            let message = PasswordResetMessage { reason, ..reset_of("Ada", true, language.clone()) };
            let mail = standard_to(&message, Duration::from_secs(3600));
            assert!(mail.text.contains("https://example.com/") && mail.text != asked, "{}", mail.text);
            subjects.insert(mail.text);
        }
        for purpose in [EmailLoginPurpose::PasswordRemoved, EmailLoginPurpose::LockedDown] {
            let message = EmailLoginMessage {
                email: ADA.to_owned(),
                name: Some("Ada".to_owned()),
                email_verified: true,
                purpose,
                code: None,
                token: None,
                client: None,
                user_agent: None,
                requested_at: expires_at(),
                expires_at: expires_at(),
                language: language.clone(),
            };
            let context = MailContext {
                app_name: "R&D",
                message: &message,
                link: "",
                valid_for: Duration::ZERO,
                language: &language,
            };
            let mail = mails::email_login(&context);
            assert!(!mail.text.contains("http") && !mail.html.contains("href"), "{}", mail.text);
            subjects.insert(mail.text);
        }
    }
    assert_eq!(subjects.len(), 8);
}
