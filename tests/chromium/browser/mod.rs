//! A browser with a profile of its own, and its tabs.

mod accessibility;
mod authenticators;
mod commands;
pub(crate) mod directory;
mod driver;
mod evidence;
mod keyboard;
mod looks;
mod page;
mod refusal;
mod role;
pub(crate) mod wait;

pub(crate) use authenticators::{Device, Kind};
pub(crate) use driver::Options;
pub(crate) use looks::Look;
pub(crate) use page::Page;
pub(crate) use role::Role;

use directory::Directory;
use driver::Driver;
use fantoccini::Client;
use fantoccini::wd::WindowHandle;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;

/// A Chromium. Its methods act on the current tab, and panic if the browser does not do what they say.
pub(crate) struct Browser {
    client: Client,
    driver: Driver,
    profile: Directory,
    options: Options,
}

/// Runs a test with a new browser. If the test fails, what the browser shows is kept; see [`evidence`].
pub(crate) async fn run(test: impl AsyncFnOnce(&mut Browser)) {
    run_with(Options::default(), test).await;
}

/// [`run`] with options.
pub(crate) async fn run_with(options: Options, test: impl AsyncFnOnce(&mut Browser)) {
    let mut browser = Browser::start(options).await;
    let result = AssertUnwindSafe(test(&mut browser)).catch_unwind().await;
    if result.is_err() {
        browser.keep_evidence().await;
    }
    browser.end().await;
    if let Err(panic) = result {
        resume_unwind(panic);
    }
}

impl Browser {
    async fn start(options: Options) -> Self {
        let profile = Directory::new();
        let driver = Driver::start(&profile);
        let client = driver.browser(&profile, &options).await;
        Self { client, driver, profile, options }
    }

    async fn end(self) {
        // A browser that has crashed cannot be closed.
        let _ = self.client.close().await;
    }

    /// Closes the browser with all its windows and starts it again with the same profile.
    pub(crate) async fn restart(&mut self) {
        self.client.clone().close().await.expect("the browser ends");
        self.client = self.driver.browser(&self.profile, &self.options).await;
    }

    pub(crate) async fn open(&self, url: &str) {
        self.client.goto(url).await.unwrap_or_else(|error| panic!("{url}: {error}"));
    }

    pub(crate) async fn reload(&self) {
        self.client.refresh().await.expect("the page can be loaded again");
    }

    /// Goes back to the page before.
    pub(crate) async fn back(&self) {
        self.client.back().await.expect("a page before this one");
    }

    /// The address of the current page.
    pub(crate) async fn address(&self) -> String {
        self.client.current_url().await.expect("an address").into()
    }

    pub(crate) async fn tab(&self) -> WindowHandle {
        self.client.window().await.expect("a tab")
    }

    /// Opens a tab, which becomes the current one.
    pub(crate) async fn new_tab(&self, url: &str) -> WindowHandle {
        let tab = self.client.new_window(true).await.expect("a new tab").handle;
        self.switch_to(&tab).await;
        self.open(url).await;
        tab
    }

    pub(crate) async fn switch_to(&self, tab: &WindowHandle) {
        self.client.switch_to_window(tab.clone()).await.expect("a tab that is open");
    }

    /// Makes a frame of the current page, counted from 0, the current page.
    pub(crate) async fn enter_frame(&self, number: u16) {
        self.client.enter_frame(number).await.expect("a frame");
    }

    /// The messages in the console since the last call.
    pub(crate) async fn console(&self) -> Vec<String> {
        commands::console(&self.client).await
    }

    /// What a person sees on the current page.
    pub(crate) fn page(&self) -> Page<'_> {
        Page::new(&self.client)
    }

    /// Runs the body of a function in the page. It can use `arguments` and `return`.
    pub(crate) async fn script(&self, body: &str, arguments: Vec<Value>) -> Value {
        let result = self.client.execute(body, arguments).await;
        result.unwrap_or_else(|error| panic!("{body}\n{error}"))
    }

    /// Runs the body of an async function in the page and returns `{"value": …}`, or `{"error": "…"}` if it throws.
    pub(crate) async fn async_script(&self, body: &str, arguments: Vec<Value>) -> Value {
        let wrapped = format!(
            "const done = arguments[arguments.length - 1];
             (async (...arguments) => {{ {body} }})(...arguments)
               .then(value => done({{ value: value ?? null }}), error => done({{ error: String(error) }}));"
        );
        let result = self.client.execute_async(&wrapped, arguments).await;
        result.unwrap_or_else(|error| panic!("{body}\n{error}"))
    }

    /// A command of the DevTools protocol to the current tab.
    pub(crate) async fn devtools(&self, method: &str, parameters: Value) -> Value {
        commands::devtools(&self.client, method, parameters).await
    }

    /// The text in the clipboard.
    pub(crate) async fn clipboard(&self) -> String {
        // People paste without being asked; scripts need a permission.
        let origin = self.client.current_url().await.expect("an address").origin().ascii_serialization();
        let granted = json!({ "origin": origin, "permissions": ["clipboardReadWrite"] });
        self.devtools("Browser.grantPermissions", granted).await;
        let text = self.async_script("return await navigator.clipboard.readText()", Vec::new()).await;
        text["value"].as_str().unwrap_or_else(|| panic!("the clipboard: {text}")).to_owned()
    }

    /// Where downloads are saved.
    pub(crate) fn downloads(&self) -> PathBuf {
        self.profile.path().join("downloads")
    }

    /// All cookies of the profile whose names start with this, also those that scripts cannot read.
    pub(crate) async fn cookies(&self, prefix: &str) -> Vec<Value> {
        let cookies = self.devtools("Storage.getCookies", json!({})).await;
        let cookies = cookies["cookies"].as_array().expect("a list").iter();
        cookies.filter(|cookie| cookie["name"].as_str().unwrap().starts_with(prefix)).cloned().collect()
    }
}
