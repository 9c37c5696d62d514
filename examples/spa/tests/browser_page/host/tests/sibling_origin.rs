use crate::host::{Account, App, add_note, notes};
use axum::Router;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Method};
use axum::routing::get;
use axum_auth_module::AuthModule;
use axum_auth_module::config::{AuthConfigBuilder, BrowserOptions};
use sqlx::SqlitePool;
use std::time::Duration;
use tower_http::cors::CorsLayer;

/// The origin of the pages: scheme, host and port, and no `/` at the end.
const FRONT_END: &str = "https://app.example.com";

/// For the module: requests of these pages count, although they come from another origin.
fn with_front_end(config: AuthConfigBuilder) -> AuthConfigBuilder {
    config.browser(BrowserOptions::default().allowed_origins([FRONT_END]))
}

/// For the browser: the scripts of these pages may send cookies and read responses.
fn cors() -> CorsLayer {
    CorsLayer::new()
        // This one origin: with credentials, browsers do not accept `*`.
        .allow_origin(HeaderValue::from_static(FRONT_END))
        .allow_credentials(true)
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers([CONTENT_TYPE])
        // Otherwise scripts cannot read how long they have to wait after a 429.
        .expose_headers([RETRY_AFTER])
        // How long the browser remembers these answers.
        .max_age(Duration::from_secs(600))
}

fn router(auth: AuthModule<Account>, pool: SqlitePool) -> Router {
    Router::new()
        .nest("/auth", auth.browser_router())
        .route("/api/notes", get(notes).post(add_note))
        // A layer is for the routes above it.
        .layer(cors())
        .with_state(App { auth, pool })
}

#[cfg(test)]
mod tests {
    use super::{router, with_front_end};
    use crate::host::App;
    use crate::host::tests::{json_body, registration, send, state};
    use axum::Router;
    use axum::body::Body;
    use axum::http::{HeaderMap, Request};
    use axum_auth_module::testing;

    async fn api() -> Router {
        let App { auth, pool } = state(with_front_end(testing::config())).await;
        router(auth, pool)
    }

    fn allows(headers: &HeaderMap) -> bool {
        let value = |name: &str| headers.get(name).map(|value| value.to_str().unwrap());
        value("access-control-allow-origin") == Some("https://app.example.com")
            && value("access-control-allow-credentials") == Some("true")
    }

    #[tokio::test]
    async fn the_layer_responds_to_preflights_for_the_module_and_for_the_host() {
        let api = api().await;
        for (method, path) in
            [("POST", "/auth/login"), ("PUT", "/auth/user/password"), ("POST", "/api/notes")]
        {
            let preflight = Request::options(path)
                .header("origin", "https://app.example.com")
                .header("sec-fetch-site", "same-site")
                .header("access-control-request-method", method)
                .header("access-control-request-headers", "content-type");
            let (status, headers, _) = send(&api, preflight.body(Body::empty()).unwrap()).await;
            assert_eq!(status, 200, "{path}");
            assert!(allows(&headers), "{headers:?}");
            assert!(headers["access-control-allow-methods"].to_str().unwrap().contains(method));
            assert_eq!(headers["access-control-allow-headers"], "content-type");
        }
    }

    #[tokio::test]
    async fn pages_of_the_front_end_and_no_others_log_in() {
        let api = api().await;
        let register = |origin: &str| {
            let request = Request::post("/auth/register").header("host", "api.example.com");
            let request = request.header("origin", origin).header("sec-fetch-site", "same-site");
            json_body(request, &registration())
        };
        let (status, headers, _) = send(&api, register("https://evil.example.com")).await;
        assert_eq!(status, 403);
        assert!(!headers.contains_key("set-cookie"));
        let (status, headers, _) = send(&api, register("https://app.example.com")).await;
        assert_eq!(status, 201);
        assert!(headers.contains_key("set-cookie") && allows(&headers), "{headers:?}");
        assert_eq!(headers["access-control-expose-headers"], "retry-after");
        assert_eq!(headers["cross-origin-resource-policy"], "same-site");
    }

    #[tokio::test]
    async fn scripts_can_read_errors() {
        let unauthenticated = Request::get("/api/notes").header("origin", "https://app.example.com");
        let (status, headers, _) = send(&api().await, unauthenticated.body(Body::empty()).unwrap()).await;
        assert_eq!(status, 401);
        assert!(allows(&headers), "{headers:?}");
    }
}
