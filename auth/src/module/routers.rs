//! The routers of a module, and what a host leaves out of them.

use super::AuthModule;
use crate::config::ConfigError;
use crate::core::Core;
use crate::endpoint::{Endpoint, RouterKind};
use crate::http::{self, Document, Route};
use crate::telemetry::log;
use axum::Router;
use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The routes of a module, and the routers that they make.
pub(super) struct Routers {
    core: Core,
    routes: Vec<Route>,
    bearer: Router,
    browser: Router,
    well_known: Router,
    declared: Declared,
    /// Of two calls at once that leave paths out, one waits.
    leaving_out: Mutex<()>,
}

/// The endpoints that are on a router, and what they are after a path was left out. The list only grows, so that the module can lend it.
struct Declared {
    endpoints: Vec<Endpoint>,
    later: OnceLock<Box<Declared>>,
}

impl Declared {
    const fn new(endpoints: Vec<Endpoint>) -> Self {
        Self { endpoints, later: OnceLock::new() }
    }

    fn newest(&self) -> &Self {
        let mut newest = self;
        while let Some(later) = newest.later.get() {
            newest = later;
        }
        newest
    }
}

impl Routers {
    pub(super) fn new(routes: Vec<Route>, documents: &[Document], core: &Core) -> Self {
        let browser_routes = if core.has_browsers { routes.as_slice() } else { &[] };
        let browser = http::router(RouterKind::Browser, browser_routes, core);
        let bearer = http::router(RouterKind::Bearer, &routes, core);
        let well_known = http::documents(documents);
        let declared = Declared::new(routes.iter().map(|route| route.endpoint).collect());
        let (core, leaving_out) = (core.clone(), Mutex::default());
        Self { core, routes, bearer, browser, well_known, declared, leaving_out }
    }

    /// Whether an endpoint is on a router that the module has.
    fn has(&self, kind: RouterKind, endpoint: &Endpoint) -> bool {
        (kind == RouterKind::Bearer || self.core.has_browsers) && endpoint.is_on(kind)
    }

    /// A router without these paths.
    fn without(&self, kind: RouterKind, paths: &BTreeSet<String>) -> Result<Router, ConfigError> {
        let routes = self.routes.iter().filter(|route| self.has(kind, &route.endpoint));
        let known: BTreeSet<_> = routes.clone().map(|route| route.endpoint.path).collect();
        if let Some(path) = paths.iter().find(|path| !known.contains(path.as_str())) {
            let option = match kind {
                RouterKind::Bearer => "router_without",
                RouterKind::Browser => "browser_router_without",
            };
            return Err(ConfigError::one(option, unknown(path, &known)));
        }
        let is_kept = |route: &&Route| !paths.contains(route.endpoint.path);
        let router = http::router(kind, &routes.filter(is_kept).cloned().collect::<Vec<_>>(), &self.core);
        self.leave_out(kind, paths);
        Ok(router)
    }

    /// The endpoints are not on this router any more.
    fn leave_out(&self, kind: RouterKind, paths: &BTreeSet<String>) {
        let _one_at_a_time = self.leaving_out.lock().unwrap_or_else(PoisonError::into_inner);
        let other = match kind {
            RouterKind::Bearer => RouterKind::Browser,
            RouterKind::Browser => RouterKind::Bearer,
        };
        let newest = self.declared.newest();
        let remaining = newest.endpoints.iter().filter_map(|endpoint| match paths.contains(endpoint.path) {
            false => Some(*endpoint),
            true => self.has(other, endpoint).then(|| endpoint.only_on(other)),
        });
        newest.later.get_or_init(|| Box::new(Declared::new(remaining.collect())));
    }

    fn endpoints(&self) -> &[Endpoint] {
        &self.declared.newest().endpoints
    }
}

fn owned(paths: impl IntoIterator<Item = impl AsRef<str>>) -> BTreeSet<String> {
    paths.into_iter().map(|path| path.as_ref().to_owned()).collect()
}

/// Why a path cannot be left out.
fn unknown(path: &str, known: &BTreeSet<&'static str>) -> String {
    match known.iter().min_by_key(|known| strsim::damerau_levenshtein(known, path)) {
        Some(nearest) => format!("there is no route `{path}` on this router; did you mean `{nearest}`?"),
        None => format!("there is no route `{path}`, because BROWSER_SESSIONS is not enabled"),
    }
}

impl<U> AuthModule<U> {
    /// The bearer router: the module's routes for clients that keep tokens. The host nests it where it wants.
    ///
    /// Nest it: `.nest("/auth", auth.router())`. Every response below `/auth` is then the module's, including the 404 of
    /// an unknown route. All other paths stay the host's.
    pub fn router<S>(&self) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
    {
        self.inner.routers.bearer.clone().with_state(())
    }

    /// The browser router: these routes for browsers, which keep a session cookie that no script can read. Nest it beside
    /// [`router`](Self::router) or instead of it, at a path of its own. Without the feature BROWSER_SESSIONS all its responses are 404,
    /// and the log says so when the router is made.
    ///
    /// ```
    /// # use axum_auth_module::{AuthModule, AuthUser};
    /// # fn app<U: AuthUser>(auth: AuthModule<U>) -> axum::Router {
    /// axum::Router::new().nest("/web/auth", auth.browser_router()).nest("/auth", auth.router())
    /// # }
    /// ```
    ///
    /// A request from a page of another origin is refused with 403 `cross_origin_request`
    /// ([`BrowserOptions::allowed_origins`](crate::config::BrowserOptions::allowed_origins)).
    pub fn browser_router<S>(&self) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
    {
        if !self.inner.core.has_browsers {
            log::browser_router_has_no_routes();
        }
        self.inner.routers.browser.clone().with_state(())
    }

    /// The documents below `/.well-known/` of the host's root that other programs look for: with PASSKEYS the other sites that may use the
    /// passkeys (`webauthn`) and the pages on which users manage them (`passkey-endpoints`), as far as the option `relying_party` has them;
    /// with SERVICE_TOKENS the public keys (`jwks.json`). Merge the router into the host's root. `webauthn` must be served by the host of
    /// the relying party's id, which can be another server than the application. Without these features the router has no routes.
    ///
    /// ```
    /// use axum_auth_module::{AuthModule, AuthUser};
    ///
    /// fn app<U: AuthUser>(auth: AuthModule<U>) -> axum::Router {
    ///     axum::Router::new().nest("/auth", auth.router()).merge(auth.well_known())
    /// }
    /// ```
    pub fn well_known<S>(&self) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
    {
        self.inner.routers.well_known.clone().with_state(())
    }

    /// The bearer router without some paths, for a host that has handlers of its own there, over the module's
    /// [services](crate::services). A path is left out with all its methods. From then on [`endpoints`](Self::endpoints) and
    /// [`openapi`](Self::openapi) leave it out, too.
    ///
    /// ```
    /// use axum::routing::post;
    /// use axum_auth_module::config::ConfigError;
    /// # use axum_auth_module::{AuthModule, AuthUser};
    /// # async fn register_with_an_invitation() {}
    ///
    /// fn app<U: AuthUser>(auth: AuthModule<U>) -> Result<axum::Router, ConfigError> {
    ///     Ok(axum::Router::new()
    ///         .route("/auth/register", post(register_with_an_invitation))
    ///         .nest("/auth", auth.router_without(["/register"])?))
    /// }
    /// ```
    ///
    /// # Errors
    /// When the router has no such path, for example because its feature is not enabled.
    pub fn router_without<S>(
        &self,
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Router<S>, ConfigError>
    where
        S: Clone + Send + Sync + 'static,
    {
        Ok(self.inner.routers.without(RouterKind::Bearer, &owned(paths))?.with_state(()))
    }

    /// The browser router without some paths. The host's handlers there take [`Browser`](crate::Browser), which checks the origin of the
    /// request and keeps the session in the cookie.
    ///
    /// ```
    /// use axum::routing::post;
    /// use axum_auth_module::config::ConfigError;
    /// # use axum_auth_module::{AuthModule, AuthUser};
    /// # async fn register_with_an_invitation() {}
    ///
    /// fn app<U: AuthUser>(auth: AuthModule<U>) -> Result<axum::Router, ConfigError> {
    ///     Ok(axum::Router::new()
    ///         .route("/web/auth/register", post(register_with_an_invitation))
    ///         .nest("/web/auth", auth.browser_router_without(["/register"])?))
    /// }
    /// ```
    ///
    /// # Errors
    /// When the router has no such path, for example because a feature is not enabled.
    pub fn browser_router_without<S>(
        &self,
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Router<S>, ConfigError>
    where
        S: Clone + Send + Sync + 'static,
    {
        Ok(self.inner.routers.without(RouterKind::Browser, &owned(paths))?.with_state(()))
    }

    /// The declarations of all endpoints that the two routers serve. A path that was left out of a router ([`router_without`](Self::router_without)) is not among
    /// that router's.
    ///
    /// ```
    /// # use axum_auth_module::{AuthModule, AuthUser};
    /// # fn list<U: AuthUser>(auth: AuthModule<U>) {
    /// for endpoint in auth.endpoints() {
    ///     println!("{} {}: {}", endpoint.method.as_str(), endpoint.path, endpoint.summary);
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn endpoints(&self) -> &[Endpoint] {
        self.inner.routers.endpoints()
    }
}
