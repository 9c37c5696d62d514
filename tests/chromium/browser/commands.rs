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
    method: Method,
    path: String,
    body: Option<Value>,
}

impl WebDriverCompatibleCommand for Command {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (self.method.clone(), self.body.as_ref().map(Value::to_string))
    }
}

async fn issue(client: &Client, method: Method, path: &str, body: Option<Value>) -> Value {
    let result = client.issue_cmd(Command { method, path: path.to_owned(), body }).await;
    result.unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(super) async fn get(client: &Client, path: &str) -> Value {
    issue(client, Method::GET, path, None).await
}

pub(super) async fn post(client: &Client, path: &str, body: Value) -> Value {
    issue(client, Method::POST, path, Some(body)).await
}

pub(super) async fn delete(client: &Client, path: &str) {
    issue(client, Method::DELETE, path, None).await;
}

/// A command of the DevTools protocol to the current tab.
pub(crate) async fn devtools(client: &Client, method: &str, parameters: Value) -> Value {
    post(client, "goog/cdp/execute", json!({ "cmd": method, "params": parameters })).await
}

/// The messages in the browser's console since the last call: those of scripts, of refused requests and of the policy.
pub(crate) async fn console(client: &Client) -> Vec<String> {
    let entries = post(client, "se/log", json!({ "type": "browser" })).await;
    let text = |entry: &Value| {
        format!("{} {}", entry["level"].as_str().unwrap(), entry["message"].as_str().unwrap())
    };
    entries.as_array().expect("a list").iter().map(text).collect()
}

/// An element's role and name, as assistive technology sees them. `None` if the page does not have it any more.
pub(crate) async fn role_and_name(client: &Client, element: &Element) -> Option<(String, String)> {
    let id = String::from(element.element_id());
    let of_element = |what| Command { method: Method::GET, path: format!("element/{id}/{what}"), body: None };
    let role = client.issue_cmd(of_element("computedrole")).await.ok()?;
    let name = client.issue_cmd(of_element("computedlabel")).await.ok()?;
    Some((role.as_str()?.to_owned(), name.as_str()?.to_owned()))
}
