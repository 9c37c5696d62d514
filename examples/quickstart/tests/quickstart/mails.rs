//! Password resets and the verification of addresses, by mail.

use crate::host::{Directory, Host, PASSWORD, PATIENCE, log, login, registration};
use crate::outbox::{link, mail, mail_that_is, mails, parameter};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc;
use std::thread;

const NEW_PASSWORD: &str = "battery staple";

#[tokio::test]
async fn a_lost_password_is_reset_with_the_token_of_a_mail() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let registered = host.post("/auth/register", registration("ada@example.com")).await;

    let known = host.post("/auth/forgot-password", json!({ "email": "Ada@example.com" })).await;
    let unknown = host.post("/auth/forgot-password", json!({ "email": "eve@example.com" })).await;
    assert_eq!((known.status, &known), (200, &unknown), "the response tells nobody who has an account");
    let mail = mail(&directory, 1).await;
    assert!(mail.contains("\r\nTo: ada@example.com\r\n"), "{mail}");
    let link = link(&mail);
    assert!(link.starts_with(&format!("{}/#/reset-password?", host.page())), "{link}");
    assert_eq!(parameter(link, "email"), "ada%40example.com");

    let reset = json!({
        "email": "ada@example.com", "token": parameter(link, "token"),
        "password": NEW_PASSWORD, "passwordConfirmation": NEW_PASSWORD,
    });
    assert_eq!(host.post("/auth/reset-password", reset.clone()).await.status, 200);
    let again = host.post("/auth/reset-password", reset).await;
    assert_eq!((again.status, again.text("code")), (422, "invalid_reset_token"));
    assert_eq!(host.get_as(registered.text("accessToken"), "/me").await.status, 401, "every session ended");
    assert_eq!(host.post("/auth/login", login("ada@example.com", PASSWORD)).await.status, 401);
    assert_eq!(host.post("/auth/login", login("ada@example.com", NEW_PASSWORD)).await.status, 200);

    let told = mail_that_is(&directory, "security-notice; kind=AccountReclaimed").await;
    assert!(told.contains("\r\nTo: ada@example.com\r\n"), "{told}");
    let mails = mails(&directory);
    assert_eq!(mails.len(), 2, "nobody is written to who has no account");
    let mode = std::fs::metadata(&mails[0]).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let token = parameter(link, "token");
    assert!(!log(&directory).contains(token), "the token is in the log");
}

#[tokio::test]
async fn an_address_is_verified_by_the_link_of_a_mail() {
    let directory = Directory::new();
    let host = Host::start(&directory, &[]);
    let registered = host.post("/auth/register", registration("ada@example.com")).await;
    let token = registered.text("accessToken");

    let sent = host.post_as(token, "/auth/email/verification-notification").await;
    assert_eq!(sent.status, 200);
    assert_eq!(sent.body.as_object().map(serde_json::Map::len), Some(1), "a message and no link: {sent:?}");
    let mail = mail(&directory, 1).await;
    let link = link(&mail);
    assert_eq!(host.follow_as("", link).await.status, 401);
    assert_eq!(host.follow_as(token, link).await.status, 200);
    assert_eq!(host.follow_as(token, link).await.status, 200, "also when it is verified already");

    let again = host.post_as(token, "/auth/email/verification-notification").await;
    assert_eq!(again.status, 200);
    assert_ne!(again.text("message"), sent.text("message"), "there is nothing to verify any more");
    assert_eq!(mails(&directory).len(), 1);
}

/// An SMTP server for one mail. It sends the envelope and the lines through the channel.
fn smtp_server() -> (u16, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let (send, received) = mpsc::channel();
    thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a connection");
        let (mut response, mut lines) =
            (stream.try_clone().expect("a stream"), BufReader::new(stream).lines().map_while(Result::ok));
        let mut text = String::new();
        response.write_all(b"220 mail.example.com\r\n").expect("sent");
        while let Some(command) = lines.next() {
            let reply = match command.split([' ', ':']).next() {
                Some("DATA") => {
                    response.write_all(b"354 go on\r\n").expect("sent");
                    lines.by_ref().take_while(|line| line != ".").for_each(|line| text += &(line + "\n"));
                    "250 taken"
                }
                Some("QUIT") => "221 bye",
                _ => "250 ok",
            };
            text += &(command + "\n");
            response.write_all(format!("{reply}\r\n").as_bytes()).expect("sent");
            if reply == "250 taken" {
                let _ = send.send(text.clone());
            }
        }
    });
    (port, received)
}

#[tokio::test]
async fn with_an_smtp_server_mails_are_sent() {
    let (port, received) = smtp_server();
    let directory = Directory::new();
    let host = Host::start(
        &directory,
        &[
            ("SMTP_URL", &format!("smtp://127.0.0.1:{port}")),
            ("MAIL_FROM", "Example <no-reply@example.com>"),
            ("PUBLIC_URL", "https://example.com/"),
        ],
    );
    host.post("/auth/register", registration("ada@example.com")).await;
    assert_eq!(host.post("/auth/forgot-password", json!({ "email": "ada@example.com" })).await.status, 200);
    let mail = received.recv_timeout(PATIENCE).expect("a mail");
    for expected in [
        "MAIL FROM:<no-reply@example.com>",
        "RCPT TO:<ada@example.com>",
        "From: Example <no-reply@example.com>",
        "https://example.com/#/reset-password?email=",
    ] {
        assert!(mail.contains(expected), "{expected} is missing in\n{mail}");
    }
    assert!(mails(&directory).is_empty());
}
