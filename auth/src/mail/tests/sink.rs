//! An SMTP server that keeps what it is sent, or misbehaves.

use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with its clients.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Manner {
    /// Takes every mail.
    Accept,
    /// Takes every mail of those who log in.
    AskForLogin,
    /// Refuses who logs in, and quotes the password.
    RefuseLogin,
    /// Refuses at RCPT, and quotes the address.
    RefuseRecipient,
    /// Refuses after DATA, and quotes the link.
    RefuseMail,
    /// Says nothing, ever.
    Hang,
    /// Takes DATA and says nothing after the mail.
    HangAfterMail,
    /// Hangs up in the middle.
    HangUp,
    /// Speaks another protocol.
    Babble,
}

/// A mail as it came.
#[derive(Clone, Default)]
pub(super) struct Received {
    pub(super) from: String,
    pub(super) to: Vec<String>,
    /// Every line as it came over the wire.
    pub(super) wire: Vec<String>,
}

impl Received {
    /// The mail without what SMTP puts before its dots (RFC 5321 §4.5.2).
    pub(super) fn data(&self) -> Vec<u8> {
        let line = |line: &String| format!("{}\r\n", line.strip_prefix('.').unwrap_or(line));
        self.wire.iter().map(line).collect::<String>().into_bytes()
    }
}

/// The server. It ends with the test's runtime.
#[derive(Clone)]
pub(super) struct Sink {
    pub(super) address: String,
    commands: Arc<Mutex<Vec<String>>>,
    mails: Arc<Mutex<Vec<Received>>>,
}

impl Sink {
    pub(super) async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let sink = Self { address, commands: Arc::default(), mails: Arc::default() };
        let server = sink.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = server.clone();
                // An error is a client that is gone.
                tokio::spawn(async move { server.serve(client, manner).await.ok() });
            }
        });
        sink
    }

    pub(super) fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Every command so far, of all clients.
    pub(super) fn commands(&self) -> Vec<String> {
        self.commands.lock().unwrap().clone()
    }

    pub(super) fn mails(&self) -> Vec<Received> {
        self.mails.lock().unwrap().clone()
    }

    async fn serve(&self, client: TcpStream, manner: Manner) -> std::io::Result<()> {
        let (reader, mut writer) = client.into_split();
        let mut lines = BufReader::new(reader).lines();
        let greeting = match manner {
            Manner::Hang => "",
            Manner::Babble => "HTTP/1.1 400 Bad Request\r\n",
            _ => "220 sink.example ESMTP\r\n",
        };
        writer.write_all(greeting.as_bytes()).await?;
        let mut mail = Received::default();
        while let Some(command) = lines.next_line().await? {
            self.commands.lock().unwrap().push(command.clone());
            let (verb, argument) = command.split_at(command.find([' ', ':']).unwrap_or(command.len()));
            let answer = match (verb, manner) {
                (_, Manner::Hang) => continue,
                ("EHLO", Manner::AskForLogin | Manner::RefuseLogin) => {
                    "250-sink.example\r\n250 AUTH PLAIN".to_owned()
                }
                ("EHLO", _) => "250-sink.example\r\n250 SIZE 1000000".to_owned(),
                ("AUTH", Manner::RefuseLogin) => format!("535 5.7.8 hunter2 is wrong, and so is {argument}"),
                ("AUTH", _) => "235 2.7.0 welcome".to_owned(),
                ("MAIL", Manner::HangUp) => return Ok(()),
                ("MAIL", _) => answer_to(&mut mail.from, argument),
                ("RCPT", Manner::RefuseRecipient) => format!("550 5.1.1 nobody here is called {argument}"),
                ("RCPT", _) => {
                    mail.to.push(String::new());
                    answer_to(mail.to.last_mut().unwrap(), argument)
                }
                ("DATA", _) => {
                    writer.write_all(b"354 go on\r\n").await?;
                    while let Some(line) = lines.next_line().await?.filter(|line| line != ".") {
                        mail.wire.push(line);
                    }
                    let mail = std::mem::take(&mut mail);
                    match manner {
                        Manner::HangAfterMail => continue,
                        Manner::RefuseMail => {
                            let link = mail.wire.iter().find(|line| line.contains("token=")).unwrap();
                            format!("554 5.7.1 this is spam: {link}")
                        }
                        _ => {
                            self.mails.lock().unwrap().push(mail);
                            "250 2.0.0 taken".to_owned()
                        }
                    }
                }
                ("QUIT", _) => "221 2.0.0 bye".to_owned(),
                _ => "500 5.5.2 what?".to_owned(),
            };
            writer.write_all(format!("{answer}\r\n").as_bytes()).await?;
        }
        Ok(())
    }
}

/// Keeps the address in `FROM:<…>` or `TO:<…>`.
fn answer_to(kept: &mut String, argument: &str) -> String {
    let (_, address) = argument.split_once('<').unwrap_or_default();
    *kept = address.trim_end_matches('>').to_owned();
    "250 2.1.0 fine".to_owned()
}
