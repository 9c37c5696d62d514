//! A browser without JavaScript: it keeps cookies, follows redirects, and sends forms as they are in the page.

use crate::html::{Tag, tags};
use crate::site::Site;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use std::collections::BTreeMap;

/// The password of every account in these tests.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A browser with one window.
pub(crate) struct Browser<'a> {
    site: &'a Site,
    client: Client,
    cookies: BTreeMap<String, Cookie>,
    pub(crate) page: Page,
}

pub(crate) struct Cookie {
    value: String,
    is_persistent: bool,
}

/// What the window shows.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) status: u16,
    /// The path and query in the address bar.
    pub(crate) address: String,
    pub(crate) headers: HeaderMap,
    pub(crate) html: String,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(site: &'a Site) -> Self {
        let client = Client::builder().redirect(Policy::none()).user_agent("Test <browser>").build().unwrap();
        Self { site, client, cookies: BTreeMap::new(), page: Page::default() }
    }

    /// The browser's cookies at this site: a site that has started again.
    pub(crate) fn with_cookies(site: &'a Site, cookies: BTreeMap<String, Cookie>) -> Self {
        Self { cookies, ..Self::new(site) }
    }

    pub(crate) fn into_cookies(self) -> BTreeMap<String, Cookie> {
        self.cookies
    }

    /// Opens an address that the visitor has typed, or followed from a mail.
    pub(crate) async fn open(&mut self, address: &str) {
        self.request(Method::GET, address, None, "none").await;
    }

    /// Fills in the form with this id and sends it. Fields that are not named keep their values.
    pub(crate) async fn send(&mut self, form: &str, entered: &[(&str, &str)]) {
        let form = self.page.form(form);
        self.request(Method::POST, &form.action, Some(form.body(entered)), "same-origin").await;
    }

    /// The form is sent from a page of another site, which the browser tells.
    pub(crate) async fn send_from_elsewhere(&mut self, form: &str, entered: &[(&str, &str)]) {
        let form = self.page.form(form);
        self.request(Method::POST, &form.action, Some(form.body(entered)), "cross-site").await;
    }

    /// Posts to an address.
    pub(crate) async fn post(&mut self, address: &str, body: &str) {
        self.request(Method::POST, address, Some(body.to_owned()), "same-origin").await;
    }

    /// Closes all windows: the cookies without a lifetime are gone.
    pub(crate) fn close(&mut self) {
        self.cookies.retain(|_, cookie| cookie.is_persistent);
    }

    pub(crate) fn has_cookie(&self, name: &str) -> bool {
        self.cookies.contains_key(name)
    }

    /// Registers an account, and shows the page after it.
    pub(crate) async fn register(&mut self, email: &str) {
        self.open("/register").await;
        let entered =
            [("name", "Ada"), ("email", email), ("password", PASSWORD), ("passwordConfirmation", PASSWORD)];
        self.send("register", &entered).await;
        assert_eq!(self.page.address, "/email-verification?notice=registered", "{}", self.page.html);
    }

    /// Logs in, and shows the page after it.
    pub(crate) async fn log_in(&mut self, email: &str, password: &str) {
        self.open("/login").await;
        self.send("login", &[("email", email), ("password", password)]).await;
    }

    /// Verifies the address of the user who is logged in, and has no other verification mail.
    pub(crate) async fn verify_email(&mut self) {
        self.open("/email-verification").await;
        self.send("verification", &[]).await;
        self.open(&self.site.link("email-verification", 1).await).await;
        self.send("verify", &[]).await;
        assert_eq!(self.page.text("notice"), "Your e-mail address is verified.");
    }

    /// Confirms the password on the page that is shown.
    pub(crate) async fn confirm_password(&mut self) {
        assert_eq!(self.page.text_of("h1"), "Confirm that it is you");
        self.send("confirm-password", &[("currentPassword", PASSWORD)]).await;
    }

    async fn request(&mut self, method: Method, address: &str, body: Option<String>, site: &str) {
        let (mut method, mut address, mut body) = (method, address.to_owned(), body);
        for _ in 0..10 {
            let cookies: Vec<_> =
                self.cookies.iter().map(|(name, cookie)| format!("{name}={}", cookie.value)).collect();
            let mut request = self.client.request(method, format!("{}{address}", self.site.url));
            request = request.header("cookie", cookies.join("; ")).header("sec-fetch-site", site);
            if let Some(body) = body {
                let origin = if site == "cross-site" { "https://evil.example" } else { &self.site.url };
                request = request.header("origin", origin);
                request = request.header("content-type", "application/x-www-form-urlencoded").body(body);
            }
            let response = request.send().await.expect("a response");
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            self.store_cookies(&headers);
            if status != 303 {
                let html = response.text().await.expect("text");
                self.page = Page { status, address, headers, html };
                return;
            }
            address = headers["location"].to_str().unwrap().to_owned();
            (method, body) = (Method::GET, None);
        }
        panic!("too many redirects: {address}");
    }

    fn store_cookies(&mut self, headers: &HeaderMap) {
        for cookie in headers.get_all("set-cookie") {
            let mut parts = cookie.to_str().unwrap().split("; ");
            let (name, value) = parts.next().unwrap().split_once('=').unwrap();
            let attributes: Vec<_> = parts.collect();
            for attribute in ["Path=/", "HttpOnly", "Secure", "SameSite=Lax"] {
                assert!(attributes.contains(&attribute), "{cookie:?}");
            }
            let max_age = attributes.iter().find_map(|attribute| attribute.strip_prefix("Max-Age="));
            if max_age == Some("0") {
                self.cookies.remove(name);
            } else {
                let cookie = Cookie { value: value.to_owned(), is_persistent: max_age.is_some() };
                self.cookies.insert(name.to_owned(), cookie);
            }
        }
    }
}

impl Page {
    /// The element with this id.
    pub(crate) fn element(&self, id: &str) -> Option<Tag<'_>> {
        tags(&self.html).into_iter().find(|tag| tag.attribute("id") == Some(id))
    }

    /// The text of the element with this id.
    pub(crate) fn text(&self, id: &str) -> String {
        self.element(id).unwrap_or_else(|| panic!("no #{id} in {}", self.html)).text()
    }

    /// The text of the first element with this name.
    pub(crate) fn text_of(&self, name: &str) -> String {
        let tag = tags(&self.html).into_iter().find(|tag| tag.name == name);
        tag.unwrap_or_else(|| panic!("no <{name}> in {}", self.html)).text()
    }

    /// The value in the field with this id.
    pub(crate) fn value(&self, id: &str) -> String {
        let field = self.element(id).unwrap_or_else(|| panic!("no #{id} in {}", self.html));
        field.attribute("value").unwrap_or_default().to_owned()
    }

    fn form(&self, id: &str) -> Form {
        let form =
            self.element(&format!("{id}-form")).unwrap_or_else(|| panic!("no form {id} in {}", self.html));
        assert_eq!(form.attribute("method"), Some("post"));
        let inputs = tags(form.inner());
        let is_sent = |input: &&Tag<'_>| {
            input.name == "input"
                && (input.attribute("type") != Some("checkbox") || input.attribute("checked").is_some())
        };
        let value = |input: &Tag<'_>| {
            let name = input.attribute("name")?.to_owned();
            Some((name, input.attribute("value").unwrap_or_default().to_owned()))
        };
        let names = inputs.iter().filter_map(|input| input.attribute("name")).map(str::to_owned).collect();
        Form {
            action: form.attribute("action").expect("an action").to_owned(),
            names,
            values: inputs.iter().filter(is_sent).filter_map(value).collect(),
        }
    }
}

/// A form of a page.
struct Form {
    action: String,
    names: Vec<String>,
    values: BTreeMap<String, String>,
}

impl Form {
    fn body(&self, entered: &[(&str, &str)]) -> String {
        let mut values = self.values.clone();
        for (name, value) in entered {
            assert!(self.names.iter().any(|known| known == name), "the form has no field {name}");
            values.insert((*name).to_owned(), (*value).to_owned());
        }
        let pair = |(name, value): (&String, &String)| {
            format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))
        };
        values.iter().map(pair).collect::<Vec<_>>().join("&")
    }
}
