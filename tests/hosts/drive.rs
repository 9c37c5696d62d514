//! A client for these hosts: a session from registration to logout.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use tower::ServiceExt;

pub(crate) type Error = Box<dyn std::error::Error>;

/// Registers, logs in, requests `/me`, refreshes and logs out. The error has the unexpected responses.
pub(crate) async fn whole_session(app: Router) -> Result<(), Error> {
    let (email, password) = ("ada@example.com", "correct horse battery");
    let registration =
        json!({ "name": "Ada", "email": email, "password": password, "passwordConfirmation": password });
    let (registered, _) = post(&app, "/auth/register", "", &registration).await?;
    let login = json!({ "email": email, "password": password });
    let (logged_in, tokens) = post(&app, "/auth/login", "", &login).await?;
    let who = me(&app, &token(&tokens, "accessToken")?).await?;

    let old = json!({ "refreshToken": token(&tokens, "refreshToken")? });
    let (refreshed, tokens) = post(&app, "/auth/refresh", "", &old).await?;
    let access = token(&tokens, "accessToken")?;
    let (logged_out, _) = post(&app, "/auth/logout", &access, &Value::Null).await?;
    let (after, _) = me(&app, &access).await?;
    match (registered, logged_in, who, refreshed, logged_out, after) {
        (201, 200, (200, who), 200, 200, 401) if who == email => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn token(tokens: &Value, which: &str) -> Result<String, Error> {
    Ok(tokens.get(which).and_then(Value::as_str).ok_or(format!("no {which}"))?.to_owned())
}

async fn me(app: &Router, token: &str) -> Result<(u16, String), Error> {
    let request = Request::get("/me").header("authorization", format!("Bearer {token}"));
    send(app, request.body(Body::empty())?).await
}

async fn post(app: &Router, path: &str, token: &str, body: &Value) -> Result<(u16, Value), Error> {
    let request = Request::post(path)
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/json")
        .body(body.to_string().into())?;
    let (status, text) = send(app, request).await?;
    Ok((status, serde_json::from_str(&text)?))
}

async fn send(app: &Router, request: Request<Body>) -> Result<(u16, String), Error> {
    let response = app.clone().oneshot(request).await?;
    let status = response.status().as_u16();
    Ok((status, String::from_utf8(to_bytes(response.into_body(), 65_536).await?.to_vec())?))
}

/// Whether the program that runs contains code for one-time codes and for QR codes. Its symbols name the crates.
#[cfg(test)]
#[allow(dead_code, reason = "not every host that includes this file looks at its symbols")]
pub(crate) fn contains_second_factor() -> Result<(bool, bool), Error> {
    let program = std::fs::read(std::env::current_exe()?)?;
    let contains = |name: &str| {
        // A symbol has the length before the name, which this file must not contain itself.
        let symbol = format!("{}{name}", name.len());
        program.windows(symbol.len()).any(|window| window == symbol.as_bytes())
    };
    Ok((contains("totp_rs"), contains("qrcode")))
}
