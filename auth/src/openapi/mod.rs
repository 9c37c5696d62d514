//! OpenAPI 3.1 of a module (cargo feature `openapi`): [`AuthModule::openapi`].
//!
//! Everything in the document comes from the declarations in [`endpoint`](crate::endpoint), which the routers check, and from
//! the module's configuration.

mod document;
mod operation;
mod problem;
mod schema;
mod security;

pub use document::{Document, NameTaken};

use crate::config::AuthConfig;
use crate::endpoint::{Endpoint, RouterKind};
use crate::languages::Messages;
use crate::module::AuthModule;
use crate::user::AuthUser;
use operation::operation;
use schema::Schemas;
use security::Security;
use serde_json::{Map, Value, json};

/// A description of a module, which is being put together: [`AuthModule::openapi`].
///
/// It contains the routers that were named, and of these the endpoints of the enabled features.
#[derive(Debug)]
#[must_use]
pub struct OpenApi<'a> {
    config: &'a AuthConfig,
    endpoints: &'a [Endpoint],
    trusts_devices: bool,
    has_browsers: bool,
    messages: Option<&'a Messages>,
    name: String,
    routers: Vec<(RouterKind, String)>,
}

impl<U: AuthUser> AuthModule<U> {
    /// The module's OpenAPI 3.1 document (cargo feature `openapi`): the endpoints of the enabled features with every body,
    /// response, error code, header and limit, as this module is configured. Say where the routers are nested:
    ///
    /// ```
    /// # use axum_auth_module::{AuthModule, AuthUser};
    /// use axum::http::header::CONTENT_TYPE;
    /// use axum::routing::get;
    ///
    /// # fn app<U: AuthUser>(auth: AuthModule<U>) -> axum::Router {
    /// let document = auth.openapi().router("/auth").browser_router("/web/auth").build().to_json();
    /// axum::Router::new()
    ///     .nest("/auth", auth.router())
    ///     .nest("/web/auth", auth.browser_router())
    ///     .route("/openapi.json", get(async || ([(CONTENT_TYPE, "application/json")], document)))
    /// # }
    /// ```
    ///
    /// A host with a document of its own adds this one to it, with [`Document::merge_into`] or with the crate that it uses:
    ///
    /// ```
    /// # use axum_auth_module::{AuthModule, AuthUser};
    /// # fn add<U: AuthUser>(auth: AuthModule<U>) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut document = serde_json::json!({
    ///     "openapi": "3.1.0",
    ///     "info": { "title": "My shop", "version": "7" },
    ///     "paths": { "/articles": { "get": { "responses": { "200": { "description": "all articles" } } } } },
    /// });
    /// auth.openapi().router("/auth").build().merge_into(&mut document)?;
    /// // utoipa: my_document.merge(serde_json::from_value(auth.openapi().router("/auth").build().into())?);
    /// # Ok(()) }
    /// ```
    pub fn openapi(&self) -> OpenApi<'_> {
        let core = self.core();
        OpenApi {
            config: &core.config,
            endpoints: self.endpoints(),
            trusts_devices: core.trusts_devices(),
            has_browsers: core.has_browsers,
            messages: core.messages.as_ref(),
            name: "auth".to_owned(),
            routers: Vec::new(),
        }
    }
}

impl OpenApi<'_> {
    /// Adds the endpoints of [`AuthModule::router`], which the host nests at this path: `/auth`. The path may have parameters,
    /// as in axum: `/{tenant}/auth`.
    pub fn router(self, path: impl Into<String>) -> Self {
        self.with(RouterKind::Bearer, path.into())
    }

    /// Adds the endpoints of [`AuthModule::browser_router`], which the host nests at this path: `/web/auth`. Without the
    /// feature BROWSER_SESSIONS it has none.
    pub fn browser_router(self, path: impl Into<String>) -> Self {
        self.with(RouterKind::Browser, path.into())
    }

    /// What the names of the operations, schemas, security schemes and tags begin with, in ASCII letters and digits; other
    /// characters are left out. Two modules in one document need two names. Default: `auth`, as in `authLogin` and
    /// `AuthSignedIn`.
    pub fn name(self, name: &str) -> Self {
        Self { name: name.chars().filter(char::is_ascii_alphanumeric).collect(), ..self }
    }

    fn with(mut self, router: RouterKind, path: String) -> Self {
        if router == RouterKind::Bearer || self.has_browsers {
            self.routers.push((router, path));
        }
        self
    }

    /// The document.
    #[must_use]
    pub fn build(&self) -> Document {
        let mut paths = Map::new();
        let mut schemas = Schemas::new(self.config, self.trusts_devices, &self.name);
        let mut security = Security::new(self.config, &self.name);
        for (router, prefix) in &self.routers {
            for endpoint in self.endpoints.iter().filter(|endpoint| endpoint.is_on(*router)) {
                let path = format!("{}{}", prefix.trim_end_matches('/'), endpoint.path);
                let operation = operation(self, (endpoint, *router, &path), &mut schemas, &mut security);
                let methods = paths.entry(path).or_insert_with(|| json!({}));
                if let Value::Object(methods) = methods {
                    methods.insert(endpoint.method.as_str().to_ascii_lowercase(), operation);
                }
            }
        }
        Document::new(json!({
            "openapi": "3.1.0",
            "info": {
                "title": format!("{}: authentication", self.config.app_name),
                "version": env!("CARGO_PKG_VERSION"),
            },
            "paths": paths,
            "components": { "schemas": schemas.into_components(), "securitySchemes": security.into_components() },
            "tags": self.tags(),
        }))
    }

    /// The tag of an endpoint: its feature.
    fn tag(&self, endpoint: &Endpoint) -> String {
        format!("{}: {}", self.name, endpoint.feature.map_or("login", |feature| feature.value()))
    }

    /// The tags of all endpoints, in the order of the endpoints.
    fn tags(&self) -> Vec<Value> {
        let mut tags: Vec<Value> = Vec::new();
        let is_here = |endpoint: &&Endpoint| self.routers.iter().any(|(router, _)| endpoint.is_on(*router));
        for endpoint in self.endpoints.iter().filter(is_here) {
            let tag = json!({ "name": self.tag(endpoint) });
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        tags
    }

    /// Whether a login can ask for a second factor: only if an endpoint continues it.
    fn has_challenges(&self) -> bool {
        self.endpoints
            .iter()
            .any(|endpoint| endpoint.body.fields().iter().any(|field| field.kind.is_challenge_token()))
    }
}

/// Adds a member to an object.
fn set(object: &mut Value, member: &str, value: Value) {
    if let Value::Object(members) = object {
        members.insert(member.to_owned(), value);
    }
}

/// `two-factor code` and `twoFactorCode` in upper camel case: `TwoFactorCode`.
fn upper_camel(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
        })
        .collect()
}
