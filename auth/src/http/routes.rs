//! From the features' routes to one router.

use super::Problem;
use super::guard::guard;
use crate::config::AuthConfig;
use crate::error::ErrorCode;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::ALLOW;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;

/// A path with what answers there. Features yield these and no routers: what is around a route is put around it here,
/// once and the same for all.
pub(crate) struct Route {
    path: &'static str,
    methods: MethodRouter,
}

impl Route {
    pub(crate) fn new(path: &'static str, methods: MethodRouter) -> Self {
        Self { path, methods }
    }
}

/// The router of these routes. A path that is not among them, a disabled feature's included, is the same 404 for every
/// method; a method that a path does not take is a 405 with `Allow`.
pub(crate) fn router(routes: Vec<Route>, config: &AuthConfig) -> Router {
    let add = |router: Router, Route { path, methods }: Route| {
        let methods = methods
            .fallback(method_not_allowed)
            .layer(DefaultBodyLimit::max(config.body_limit))
            .layer(from_fn_with_state(config.clone(), guard));
        router.route(path, methods)
    };
    routes.into_iter().fold(Router::new(), add).fallback(not_found)
}

/// A `GET` that does something is not to be done by a `HEAD`, which axum otherwise serves with it.
pub(crate) fn no_head<S: Clone + Send + Sync + 'static>(methods: MethodRouter<S>) -> MethodRouter<S> {
    methods.head(async || ([(ALLOW, "GET")], method_not_allowed().await))
}

async fn not_found() -> Response {
    Problem::from(ErrorCode::NotFound).into_response()
}

async fn method_not_allowed() -> Problem {
    ErrorCode::MethodNotAllowed.into()
}
