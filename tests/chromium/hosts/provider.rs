//! The quickstart's demonstration provider at an address of its own, and what people do on its page.

#[path = "../../../examples/quickstart/src/demo_provider/mod.rs"]
mod demo;

use crate::browser::{Browser, Role};
use axum::{Router, serve};
use axum_auth_module::social::SocialProvider;
use demo::{CLIENT_ID, CLIENT_SECRET, DemoProvider, NAME, PATH, name_of};
use http::Request;
use http::header::{CONTENT_TYPE, LOCATION};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::net::TcpListener;

/// A provider that is another site than `localhost` and all names below it. It must know where it sends people back to before it
/// serves, and its client must know before that where it is.
pub(crate) struct Provider(TcpListener);

impl Provider {
    pub(crate) async fn new() -> Self {
        Self(TcpListener::bind(("127.0.0.2", 0)).await.expect("a free port"))
    }

    fn issuer(&self) -> String {
        format!("http://{}{PATH}", name_of(self.0.local_addr().expect("an address")))
    }

    /// It, as a host in this process configures it.
    pub(crate) fn for_host(&self, redirect_uri: &str) -> SocialProvider {
        SocialProvider::oidc(NAME, self.issuer(), CLIENT_ID, redirect_uri).client_secret(CLIENT_SECRET)
    }

    /// It, as the environment of an example has it. The quickstart takes a second one with the prefix `OIDC2`.
    pub(crate) fn for_example(&self, prefix: &str, name: &str) -> [(String, String); 4] {
        let (issuer, name) = (self.issuer(), name.to_owned());
        let values = [
            ("NAME", name),
            ("ISSUER", issuer),
            ("CLIENT_ID", CLIENT_ID.into()),
            ("CLIENT_SECRET", CLIENT_SECRET.into()),
        ];
        values.map(|(variable, value)| (format!("{prefix}_{variable}"), value))
    }

    /// Sends people back to these addresses, for as long as the runtime of the test lives.
    pub(crate) fn serve(self, redirect_uris: impl Into<Vec<String>>) {
        let provider = DemoProvider::new(self.0.local_addr().expect("an address"), redirect_uris.into());
        let app = Router::new().nest(PATH, provider.expect("random bytes").router());
        tokio::spawn(async move { serve(self.0, app).await });
    }
}

/// Consents on the page that the provider shows, as the person whom the page suggests: Ada Lovelace, whose address
/// `ada@example.com` is verified.
pub(crate) async fn consent(browser: &Browser) {
    browser.page().main().press("Continue").await;
}

/// Consents as somebody else with the address `<subject>@example.com`.
pub(crate) async fn consent_as(browser: &Browser, subject: &str, name: &str) {
    let main = browser.page().main();
    main.fill("Subject", subject).await;
    main.fill("Name", name).await;
    main.fill("E-mail address", &format!("{subject}@example.com")).await;
    main.press("Continue").await;
}

/// Consents as Ada in place of the browser that shows the page, which stays there. Returns where the provider leads back to.
pub(crate) async fn callback(browser: &Browser) -> String {
    browser.page().main().find(Role::Button, "Continue").await;
    let address = browser.address().await;
    let (page, carried) = address.split_once('?').expect("what the client asks for");
    let typed = "decision=allow&subject=ada&name=Ada+Lovelace&email=ada%40example.com&email_verified=true";
    let request = Request::post(page).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    let request = request.body(format!("{carried}&{typed}")).expect("a request");
    let response =
        Client::builder(TokioExecutor::new()).build_http().request(request).await.expect("a response");
    response.headers()[LOCATION].to_str().expect("an address").to_owned()
}
