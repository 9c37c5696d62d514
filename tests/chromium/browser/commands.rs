//! Commands that WebDriver leaves to vendors, or that fantoccini does not have.

use fantoccini::Client;
use fantoccini::elements::Element;
use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

/// A command to a path below the session.
#[derive(Debug)]
struct Command {
    path: String,
    body: Option<Value>,
}

impl WebDriverCompatibleCommand for Command {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        match &self.body {
            Some(body) => (Method::POST, Some(body.to_string())),
            None => (Method::GET, None),
        }
    }
}

/// A command of the DevTools protocol to the current tab.
pub(crate) async fn devtools(client: &Client, method: &str, parameters: Value) -> Value {
    let body = Some(json!({ "cmd": method, "params": parameters }));
    let result = client.issue_cmd(Command { path: "goog/cdp/execute".to_owned(), body }).await;
    result.unwrap_or_else(|error| panic!("{method}: {error}"))
}

/// The messages in the browser's console since the last call: those of scripts, of refused requests and of the policy.
pub(crate) async fn console(client: &Client) -> Vec<String> {
    let body = Some(json!({ "type": "browser" }));
    let entries = client.issue_cmd(Command { path: "se/log".to_owned(), body }).await;
    let entries = entries.unwrap_or_else(|error| panic!("the console: {error}"));
    let text = |entry: &Value| {
        format!("{} {}", entry["level"].as_str().unwrap(), entry["message"].as_str().unwrap())
    };
    entries.as_array().expect("a list").iter().map(text).collect()
}

/// An element's role and name, as assistive technology sees them. `None` if the page does not have it any more.
pub(crate) async fn role_and_name(client: &Client, element: &Element) -> Option<(String, String)> {
    let id = String::from(element.element_id());
    let role =
        client.issue_cmd(Command { path: format!("element/{id}/computedrole"), body: None }).await.ok()?;
    let name =
        client.issue_cmd(Command { path: format!("element/{id}/computedlabel"), body: None }).await.ok()?;
    Some((role.as_str()?.to_owned(), name.as_str()?.to_owned()))
}
