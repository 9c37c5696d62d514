//! From the features' routes to one router.

use super::Problem;
use super::middleware::guard;
use crate::config::AuthConfig;
use crate::error::ErrorCode;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::ALLOW;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;

/// A path with what answers there. Features yield these and no routers: what is around a route is put around it here,
/// once and the same for all.
pub(crate) struct Route {
    path: &'static str,
    methods: MethodRouter,
    /// What `Allow` says, where axum's own list is not right.
    allow: Option<&'static str>,
}

impl Route {
    pub(crate) fn new(path: &'static str, methods: MethodRouter) -> Self {
        Self { path, methods, allow: None }
    }

    /// A path that takes `GET` and no `HEAD`, which axum otherwise serves with it: a `GET` that does something is not
    /// to be done by who asks for the head alone.
    pub(crate) fn get_without_head(path: &'static str, methods: MethodRouter) -> Self {
        Self { path, methods: methods.head(method_not_allowed), allow: Some("GET") }
    }
}

/// The router of these routes. A path that is not among them, a disabled feature's included, is the same 404 for every
/// method; a method that a path does not take is a 405 with `Allow`.
pub(crate) fn router(routes: Vec<Route>, config: &AuthConfig) -> Router {
    let add = |router: Router, Route { path, methods, allow }: Route| {
        let methods = methods
            .fallback(method_not_allowed)
            .layer(DefaultBodyLimit::max(config.body_limit))
            .layer(map_response(move |response| allowing(response, allow)))
            .layer(from_fn_with_state(config.clone(), guard));
        router.route(path, methods)
    };
    routes.into_iter().fold(Router::new(), add).fallback(not_found)
}

/// The answer with this `Allow`, if it is about methods and there is one to say.
async fn allowing(mut response: Response, allow: Option<&'static str>) -> Response {
    if let Some(allow) = allow.filter(|_| response.status() == StatusCode::METHOD_NOT_ALLOWED) {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    }
    response
}

async fn not_found() -> Response {
    Problem::from(ErrorCode::NotFound).into_response()
}

async fn method_not_allowed() -> Problem {
    ErrorCode::MethodNotAllowed.into()
}
