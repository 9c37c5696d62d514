use crate::host::{Account, App};
use axum::Router;
use axum::body::Body;
use axum::extract::{Form, Query};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum_auth_module::extract::{Browser, BrowserLogin, Remember, SetCookies, next_path};
use axum_auth_module::services::SecondFactor;
use axum_auth_module::{AuthError, CurrentUser, PageUser};
use serde::Deserialize;

fn pages() -> Router<App> {
    Router::new()
        .route("/", get(index))
        .route("/settings", get(settings))
        .route("/login", get(async || Html(LOGIN)).post(log_in))
        .route("/two-factor", get(async || Html(TWO_FACTOR)).post(second_factor))
        .route("/logout", post(log_out))
}

/// For everybody.
async fn index(user: Option<CurrentUser<Account>>) -> Html<&'static str> {
    Html(match user {
        Some(_) => "<form method=post action=/logout><button>Log out</button></form>",
        None => "<a href=/login>Log in</a>",
    })
}

/// For users. Everybody else is redirected to `/login?next=%2Fsettings`.
async fn settings(user: PageUser<Account>) -> String {
    format!("The settings of {}", user.name)
}

/// Without `action` a form is sent to the address of its page, so the parameter `next` stays.
const LOGIN: &str = "<form method=post>
    <label>E-mail address <input name=email type=email autocomplete=username required></label>
    <label>Password <input name=password type=password autocomplete=current-password required></label>
    <label><input name=remember type=checkbox> Stay logged in on this device</label>
    <button>Log in</button>
    </form>";

#[derive(Deserialize)]
struct Next {
    next: Option<String>,
}

#[derive(Deserialize)]
struct Login {
    email: String,
    password: String,
    /// A checkbox that is not checked is not sent.
    remember: Option<String>,
}

async fn log_in(
    browser: Browser<Account>,
    Query(query): Query<Next>,
    Form(form): Form<Login>,
) -> Result<Response, ErrorPage> {
    let remember = Remember::from(form.remember.is_some());
    let next = query.next.as_deref().and_then(next_path).unwrap_or("/");
    Ok(match browser.login(&form.email, &form.password, remember).await? {
        BrowserLogin::Session(cookies) => (cookies, Redirect::to(next)).into_response(),
        BrowserLogin::Challenge(cookies) => (cookies, Redirect::to("/two-factor")).into_response(),
        _ => return Err(AuthError::internal("a step of the login that this site does not have").into()),
    })
}

const TWO_FACTOR: &str = "<form method=post>
    <label>Code <input name=code inputmode=numeric autocomplete=one-time-code required></label>
    <button>Log in</button>
    </form>";

#[derive(Deserialize)]
struct Code {
    code: String,
}

async fn second_factor(
    browser: Browser<Account>,
    Form(form): Form<Code>,
) -> Result<(SetCookies, Redirect), ErrorPage> {
    Ok((browser.challenge(&SecondFactor::Code(form.code)).await?, Redirect::to("/")))
}

async fn log_out(browser: Browser<Account>) -> Result<(SetCookies, Redirect), ErrorPage> {
    Ok((browser.log_out().await?, Redirect::to("/")))
}

/// An error as a page. The handlers return it with `?`.
struct ErrorPage(AuthError);

impl From<AuthError> for ErrorPage {
    fn from(error: AuthError) -> Self {
        Self(error)
    }
}

impl IntoResponse for ErrorPage {
    fn into_response(self) -> Response {
        // A sentence for the user. It contains nothing that the user has typed.
        let page = format!("<h1>{}</h1><a href=/login>Log in</a>", self.0.code().detail());
        // The status, `Retry-After` and `Cache-Control` are those of the error, and its cause is logged.
        let mut response = self.0.into_response();
        *response.body_mut() = Body::from(page);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        response
    }
}

#[cfg(test)]
mod tests {
    use super::pages;
    use crate::host::tests::{cookie, registered, request, send, state};
    use axum::Router;
    use axum::body::Body;
    use axum::http::header::{CONTENT_TYPE, LOCATION, SET_COOKIE};
    use axum::http::request::Builder;
    use axum::http::{HeaderMap, Request, StatusCode};
    use axum_auth_module::testing;

    async fn site() -> Router {
        let app = state(testing::config()).await;
        let router = pages().nest("/auth", app.auth.browser_router()).with_state(app);
        registered(&router).await;
        router
    }

    fn form(request: Builder, fields: &str) -> Request<Body> {
        request
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(fields.to_owned()))
            .unwrap()
    }

    async fn log_in(site: &Router, path: &str, password: &str) -> (StatusCode, HeaderMap, String) {
        let fields = format!("email=ada%40example.com&password={password}&remember=on");
        send(site, form(request("POST", path), &fields)).await
    }

    #[tokio::test]
    async fn a_visitor_logs_in_and_returns_to_the_page() {
        let site = site().await;
        let (status, headers, _) =
            send(&site, request("GET", "/settings").body(Body::empty()).unwrap()).await;
        assert_eq!((status.as_u16(), &headers[LOCATION]), (303, &"/login?next=%2Fsettings".parse().unwrap()));
        let (status, headers, _) = log_in(&site, "/login?next=%2Fsettings", "correct+horse").await;
        assert_eq!((status.as_u16(), &headers[LOCATION]), (303, &"/settings".parse().unwrap()));
        assert!(headers[SET_COOKIE].to_str().unwrap().contains("Max-Age"), "remembered");
        let cookie = cookie(&headers);
        let get = |path| request("GET", path).header("cookie", &cookie).body(Body::empty()).unwrap();
        assert_eq!(send(&site, get("/settings")).await.2, "The settings of Ada");
        assert!(send(&site, get("/")).await.2.contains("Log out"));
        let (status, headers, _) =
            send(&site, form(request("POST", "/logout").header("cookie", &cookie), "")).await;
        assert_eq!(status, 303);
        assert!(
            headers.get_all(SET_COOKIE).iter().all(|cookie| cookie.to_str().unwrap().contains("Max-Age=0"))
        );
        assert!(send(&site, get("/")).await.2.contains("Log in"));
    }

    #[tokio::test]
    async fn a_login_leads_to_no_other_site() {
        let site = site().await;
        for next in ["//evil.example", "https://evil.example", "%2F%2Fevil.example", "/%5Cevil.example"] {
            let (_, headers, _) = log_in(&site, &format!("/login?next={next}"), "correct+horse").await;
            assert_eq!(headers[LOCATION], "/", "{next}");
        }
    }

    #[tokio::test]
    async fn an_error_is_a_page_with_its_status() {
        let site = site().await;
        let (status, headers, body) = log_in(&site, "/login", "wrong").await;
        assert_eq!(
            (status.as_u16(), &headers[CONTENT_TYPE]),
            (401, &"text/html; charset=utf-8".parse().unwrap())
        );
        assert!(body.contains("<h1>") && !body.contains("invalid_credentials"), "{body}");
        let (status, _, body) = send(&site, form(request("POST", "/two-factor"), "code=123456")).await;
        assert_eq!(status, 401, "{body}");
        for _ in 0..5 {
            log_in(&site, "/login", "wrong").await;
        }
        let (status, headers, _) = log_in(&site, "/login", "wrong").await;
        assert_eq!(status, 429);
        assert!(headers.contains_key("retry-after"));
    }

    #[tokio::test]
    async fn a_form_of_another_site_logs_nobody_in() {
        let elsewhere = Request::post("/login").header("sec-fetch-site", "cross-site");
        let fields = "email=ada%40example.com&password=correct+horse";
        let (status, headers, _) = send(&site().await, form(elsewhere, fields)).await;
        assert_eq!(status, 403);
        assert!(!headers.contains_key(SET_COOKIE));
    }
}
