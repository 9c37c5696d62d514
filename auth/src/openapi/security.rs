//! What requests must carry, as security schemes.

use super::upper_camel;
use crate::config::AuthConfig;
use crate::endpoint::{Credential, Endpoint, EndpointMethod, RouterKind};
use crate::error::ErrorCode;
use crate::http::Cookies;
use serde_json::{Map, Value, json};

/// The security schemes of a document.
pub(super) struct Security<'a> {
    name: &'a str,
    config: &'a AuthConfig,
    schemes: Map<String, Value>,
}

impl<'a> Security<'a> {
    pub(super) fn new(config: &'a AuthConfig, name: &'a str) -> Self {
        Self { name, config, schemes: Map::new() }
    }

    pub(super) fn into_components(self) -> Map<String, Value> {
        self.schemes
    }

    /// The alternatives of which a request must fulfil one; an empty list if nothing is required.
    pub(super) fn requirements(&mut self, endpoint: &Endpoint, router: RouterKind) -> Value {
        let cookies = Cookies(&self.config.browser);
        let mut always = Map::new();
        if router == RouterKind::Browser && endpoint.method != EndpointMethod::Get {
            let description = "Browsers send this header by themselves: the page must have the origin of the request, or one \
                that the application allows. `Sec-Fetch-Site: same-origin` works too.";
            self.require(&mut always, "Origin", key("header", "Origin", description));
        }
        let continues_a_login = endpoint.body.fields().iter().any(|field| field.kind.is_challenge_token())
            || endpoint.own_errors.contains(&ErrorCode::InvalidChallengeToken);
        if router == RouterKind::Browser && continues_a_login {
            let description = "A login has set it that requires a second factor.";
            self.require(&mut always, "Challenge", key("cookie", &cookies.challenge_name(), description));
        }
        let mut with_session = always.clone();
        let credential = endpoint.credential_on(router);
        if credential != Credential::NotRequired {
            match router {
                RouterKind::Bearer => {
                    let bearer = json!({
                        "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                        "description": "The access token of a session.",
                    });
                    self.require(&mut with_session, "Bearer", bearer);
                }
                RouterKind::Browser => {
                    let cookie = key("cookie", &cookies.session_name(), "The cookie of a session.");
                    self.require(&mut with_session, "Session", cookie);
                }
            }
        }
        match credential {
            Credential::NotRequired if always.is_empty() => json!([]),
            Credential::NotRequired => json!([always]),
            Credential::Optional => json!([always, with_session]),
            Credential::Session
            | Credential::RecentConfirmation
            | Credential::ConfirmationWithoutPassword => json!([with_session]),
        }
    }

    /// Adds a scheme to what a request must fulfil together.
    fn require(&mut self, to: &mut Map<String, Value>, scheme: &str, definition: Value) {
        let name = format!("{}{}", self.name, upper_camel(scheme));
        to.insert(name.clone(), json!([]));
        self.schemes.insert(name, definition);
    }
}

fn key(place: &str, name: &str, description: &str) -> Value {
    json!({ "type": "apiKey", "in": place, "name": name, "description": description })
}
