//! The program, and a browser that sends requests to it.

use reqwest::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, RequestBuilder, StatusCode, redirect};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{fs, process};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, handshake::client::Request};

/// The program with a database of its own.
pub(crate) struct Site {
    program: Child,
    directory: PathBuf,
    pub(crate) origin: String,
}

impl Site {
    pub(crate) fn start(test: &str) -> Self {
        let directory =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("host-browser-{test}-{}", process::id()));
        fs::create_dir_all(&directory).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_host-browser"))
            .current_dir(&directory)
            .env("LISTEN", "127.0.0.1:0")
            .env("AUTH_JWT_SECRET", "c2VjcmV0LWZvci10aGUtdGVzdC1vZi1hY2Nlc3MtdG9rZW5z")
            .env("AUTH_REFRESH_SECRET", "c2VjcmV0LWZvci10aGUtdGVzdC1vZi1yZWZyZXNoLXRva2Vucw==")
            .env("AUTH_ENCRYPTION_KEY", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut origin = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut origin).unwrap();
        assert!(origin.starts_with("http://"), "the program has not started: {origin:?}");
        Self { program, directory, origin: origin.trim().to_owned() }
    }

    pub(crate) fn browser(&self) -> Browser {
        let client = Client::builder().redirect(redirect::Policy::none()).build().unwrap();
        Browser { client, origin: self.origin.clone(), cookies: BTreeMap::new() }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// The page that sends a request, as the browser describes it.
#[derive(Clone, Copy)]
pub(crate) enum From {
    SamePage,
    /// A page of another site, in a current browser.
    OtherSite,
    /// A page of another site, in a browser that sends no `Sec-Fetch-Site`.
    OtherSiteInOldBrowser,
}

const OTHER_SITE: &str = "https://evil.example";

impl From {
    fn headers(self, origin: &str) -> Vec<(&'static str, String)> {
        match self {
            Self::SamePage => {
                vec![("origin", origin.to_owned()), ("sec-fetch-site", "same-origin".to_owned())]
            }
            Self::OtherSite => {
                vec![("origin", OTHER_SITE.to_owned()), ("sec-fetch-site", "cross-site".to_owned())]
            }
            Self::OtherSiteInOldBrowser => vec![("origin", OTHER_SITE.to_owned())],
        }
    }
}

pub(crate) struct Browser {
    client: Client,
    origin: String,
    pub(crate) cookies: BTreeMap<String, String>,
}

pub(crate) struct Page {
    pub(crate) status: StatusCode,
    pub(crate) content_type: String,
    pub(crate) location: String,
    pub(crate) set_cookies: Vec<String>,
    pub(crate) body: String,
}

impl Page {
    pub(crate) fn redirects_to(&self, path: &str) -> bool {
        self.status == StatusCode::SEE_OTHER && self.location == path
    }

    /// The response is a page in the style of the site.
    pub(crate) fn is_of_the_site(&self) -> bool {
        self.content_type == "text/html; charset=utf-8"
            && self.body.contains("<header><a href=/>Notes</a></header>")
    }
}

impl Browser {
    pub(crate) async fn get(&mut self, path: &str) -> Page {
        let request = self.client.get(format!("{}{path}", self.origin)).header("sec-fetch-site", "none");
        self.send(request).await
    }

    /// Sends a form of a page of the site.
    pub(crate) async fn submit(&mut self, path: &str, form: &str) -> Page {
        self.submit_from(From::SamePage, path, form).await
    }

    pub(crate) async fn submit_from(&mut self, from: From, path: &str, form: &str) -> Page {
        let mut request = self.client.post(format!("{}{path}", self.origin)).body(form.to_owned());
        request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        for (name, value) in from.headers(&self.origin) {
            request = request.header(name, value);
        }
        self.send(request).await
    }

    async fn send(&mut self, request: RequestBuilder) -> Page {
        let response = request.header(COOKIE, self.cookie_header()).send().await.unwrap();
        let text = |name| response.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
        let set_cookies =
            response.headers().get_all(SET_COOKIE).iter().map(|value| value.to_str().unwrap().to_owned());
        let page = Page {
            status: response.status(),
            content_type: text(CONTENT_TYPE),
            location: text(LOCATION),
            set_cookies: set_cookies.collect(),
            body: String::new(),
        };
        for cookie in &page.set_cookies {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            if cookie.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        Page { body: response.text().await.unwrap(), ..page }
    }

    fn cookie_header(&self) -> String {
        self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    /// Opens the WebSocket, sends a text, and returns what comes back. The error is the status of the refusal.
    pub(crate) async fn echo(&self, from: From, text: &str) -> Result<String, u16> {
        use futures_util::{SinkExt, StreamExt};
        let url = format!("{}/live", self.origin.replace("http://", "ws://"));
        let mut request: Request = url.into_client_request().unwrap();
        request.headers_mut().insert(COOKIE, self.cookie_header().parse().unwrap());
        for (name, value) in from.headers(&self.origin) {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let mut socket = match tokio_tungstenite::connect_async(request).await {
            Ok((socket, _)) => socket,
            Err(tungstenite::Error::Http(response)) => return Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        };
        socket.send(text.into()).await.unwrap();
        Ok(socket.next().await.unwrap().unwrap().into_text().unwrap().to_string())
    }
}
