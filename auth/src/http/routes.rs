//! Builds the router from the features' routes.

use super::Problem;
use super::guard::{Guard, RouteHandler};
use super::languages::in_language_of_request;
use super::middleware::{not_embeddable, same_origin};
use crate::core::Core;
use crate::endpoint::{Endpoint, EndpointMethod, RouterKind};
use crate::error::ErrorCode;
use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::http::header::ALLOW;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use futures_util::FutureExt;
use std::pin::Pin;
use std::sync::Arc;

/// An endpoint and its handler. Features return these instead of a `Router`, so that what surrounds every handler is added
/// in one place.
#[derive(Clone)]
pub(crate) struct Route {
    pub(crate) endpoint: Endpoint,
    handler: RouteHandler,
}

impl Endpoint {
    /// The endpoint with the handler that serves it.
    pub(crate) fn handled_by<H, T, S>(self, handler: H, service: &Arc<S>) -> Route
    where
        H: Handler<T, Arc<S>>,
        T: 'static,
        S: Send + Sync + 'static,
    {
        let service = Arc::clone(service);
        let call = move |request| handler.clone().call(request, Arc::clone(&service)).boxed();
        Route { endpoint: self, handler: Arc::new(call) }
    }
}

impl Route {
    /// The handler with the checks that precede it, for its method.
    fn guarded(self, kind: RouterKind, core: &Core) -> MethodRouter {
        let filter = match self.endpoint.method {
            EndpointMethod::Get => MethodFilter::GET,
            EndpointMethod::Post => MethodFilter::POST,
            EndpointMethod::Put => MethodFilter::PUT,
            EndpointMethod::Delete => MethodFilter::DELETE,
        };
        let Self { endpoint, handler } = self;
        let guard = Arc::new(Guard { core: core.clone(), endpoint, router: kind, handler });
        on(filter, move |request: Request| in_box(|| guard.run(request)))
    }
}

/// A future in a box of its own. axum's box for the handler's future is small then. Both are filled by a copy of the whole future otherwise,
/// which has kilobytes: here the future is made where it stays.
fn in_box<F: Future>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::into_pin(Box::write(Box::new_uninit(), make()))
}

/// A router of those of the routes that it has. Every other path, including one of a disabled feature, returns the same 404
/// for every method. A method that a path does not allow returns a 405 with `Allow`.
pub(crate) fn router(kind: RouterKind, routes: &[Route], core: &Core) -> Router {
    let mut paths: Vec<(&'static str, MethodRouter, bool)> = Vec::new();
    for route in routes.iter().filter(|route| route.endpoint.is_on(kind)).cloned() {
        let endpoint = route.endpoint;
        let guarded = route.guarded(kind, core);
        match paths.iter_mut().find(|(path, ..)| *path == endpoint.path) {
            Some((_, methods, _)) => *methods = std::mem::take(methods).merge(guarded),
            None => paths.push((endpoint.path, guarded, endpoint.serves_head)),
        }
    }
    let add = |router: Router, (path, methods, serves_head): (&'static str, MethodRouter, bool)| {
        // axum routes HEAD to the handler of GET, and then lists it in `Allow`.
        let methods = match serves_head {
            true => methods.fallback(method_not_allowed),
            false => methods.on(MethodFilter::HEAD, only_get).fallback(only_get),
        };
        let methods = match kind {
            RouterKind::Bearer => methods,
            RouterKind::Browser => methods.layer(from_fn_with_state(core.clone(), same_origin)),
        };
        router.route(path, methods)
    };
    let router = paths.into_iter().fold(no_routes(), add);
    let router = match kind {
        RouterKind::Bearer => router,
        RouterKind::Browser => router.layer(from_fn_with_state(core.clone(), not_embeddable)),
    };
    match &core.messages {
        Some(messages) => router.layer(from_fn_with_state(messages.clone(), in_language_of_request)),
        None => router,
    }
}

/// A router whose only response is 404. That is its fallback, so a host can have routes of its own below the module's path.
fn no_routes() -> Router {
    Router::new().fallback(not_found)
}

async fn not_found() -> Response {
    Problem::from(ErrorCode::NotFound).into_response()
}

/// axum adds `Allow` with the methods of the path.
pub(super) async fn method_not_allowed() -> Problem {
    ErrorCode::MethodNotAllowed.into()
}

/// A 405 whose `Allow` lists GET alone. axum would list HEAD, too.
async fn only_get() -> impl IntoResponse {
    ([(ALLOW, "GET")], Problem::from(ErrorCode::MethodNotAllowed))
}
