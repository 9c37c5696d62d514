//! What the mails of security notices say, and the header by which mails are told apart.

use super::sink::{Manner, Sink};
use super::{ADA, Seen, deliver_verification, expires_at, over_smtp, reset, verifications};
use crate::delivery::{AddressChanged, Delivers, Notice, SecurityNoticeKind, SecurityNoticeMessage};
use crate::languages::Language;
use std::collections::BTreeSet;
use std::time::Duration;

/// A notice of something that a client has done whose browser has a link for a name.
fn notice(kind: SecurityNoticeKind, language: Language) -> SecurityNoticeMessage {
    SecurityNoticeMessage {
        kind,
        email: ADA.to_owned(),
        name: "Call 0900 123456".to_owned(),
        at: expires_at(),
        client: "203.0.113.9".parse().ok(),
        user_agent: Some("Firefox/1 (Windows) http://evil.example <b>".to_owned()),
        is_last_of_day: false,
        token: kind.has_link().then(|| "fl1.a-b_c".to_owned()),
        expires_at: expires_at() + Duration::from_secs(7 * 86_400),
        language,
    }
}

#[tokio::test]
async fn each_kind_says_what_happened_when_and_from_where_and_has_one_link_at_most() {
    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).app_name("R&D").build().unwrap();
    let delivery = mailer.security_notice("https://example.com/secure#token={token}").unwrap();
    let (mut subjects, mut texts) = (BTreeSet::new(), BTreeSet::new());
    for language in [Language::english(), Language::german()] {
        for kind in SecurityNoticeKind::ALL {
            delivery.deliver(notice(*kind, language.clone())).await.unwrap();
            let data = sink.mails().last().unwrap().data();
            let mail = Seen::read(&data);
            assert_eq!(mail.header("X-Auth-Message"), [format!("security-notice; kind={kind:?}")]);
            let links: Vec<_> = mail.text.matches("https://").collect();
            assert_eq!(links.len(), usize::from(kind.has_link()), "{}", mail.text);
            assert_eq!(mail.html.matches("href").count(), links.len(), "{}", mail.html);
            let has_it = mail.text.contains("https://example.com/secure#token=fl1.a-b_c\n");
            assert_eq!(has_it, kind.has_link(), "{}", mail.text);
            assert!(mail.text.contains("2027-01-15 09:00 UTC"), "{}", mail.text);
            assert!(mail.text.contains("203.0.113.9 (Firefox, Windows)"), "{}", mail.text);
            for part in [&mail.subject, &mail.text, &mail.html] {
                assert!(!part.contains("evil") && !part.contains("0900") && !part.contains('{'), "{part}");
            }
            subjects.insert(mail.subject);
            texts.insert(mail.text);
        }
    }
    let all = 2 * SecurityNoticeKind::ALL.len();
    assert_eq!((subjects.len(), texts.len()), (all, all));
}

#[tokio::test]
async fn what_an_administrator_has_done_has_no_client_and_the_last_of_a_day_says_so() {
    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).app_name("R&D").build().unwrap();
    let delivery = mailer.security_notice("https://example.com/secure#token={token}").unwrap();
    let removed = notice(SecurityNoticeKind::PasswordRemoved, Language::english());
    delivery.deliver(SecurityNoticeMessage { client: None, user_agent: None, ..removed }).await.unwrap();
    let text = Seen::read(&sink.mails().last().unwrap().data()).text;
    assert!(text.contains("That was on 2027-01-15 09:00 UTC.") && !text.contains("address"), "{text}");
    let sign_in = notice(SecurityNoticeKind::NewSignIn, Language::english());
    delivery.deliver(SecurityNoticeMessage { is_last_of_day: true, ..sign_in }).await.unwrap();
    let text = Seen::read(&sink.mails().last().unwrap().data()).text;
    assert!(text.contains("Further ones will not be mailed until tomorrow."), "{text}");
}

/// Also with a template and a subject of the host.
#[tokio::test]
async fn every_mail_says_in_a_header_what_it_is() {
    let sink = Sink::start(Manner::Accept).await;
    let mailer = over_smtp(&sink.url()).build().unwrap();
    reset(&mailer, ADA, "Ada").await.unwrap();
    deliver_verification(&verifications(&mailer).subject("Umzug"), ADA, "7").await.unwrap();
    let notice = Notice::from(AddressChanged::new(ADA.to_owned(), expires_at()));
    mailer.notices().deliver(notice).await.unwrap();
    let labels: Vec<_> = sink
        .mails()
        .iter()
        .flat_map(|mail| {
            Seen::read(&mail.data())
                .header("X-Auth-Message")
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(
        labels,
        ["password-reset; kind=Requested", "email-verification", "notice; kind=AddressChanged"]
    );
}
