//! A second factor with one-time codes, each of which is accepted once.

use crate::login::signed_in;
use crate::tokens::now;
use crate::{Host, Subject, User};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use totp_rs::{Builder, Secret};

#[derive(Clone)]
pub(crate) struct SecondFactor {
    secret: [u8; 20],
    pub(crate) confirmed: bool,
    /// The step of the newest code that was accepted.
    last_step: u64,
}

#[derive(Deserialize)]
pub(crate) struct Code {
    code: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Challenge {
    challenge_token: String,
    code: String,
}

impl SecondFactor {
    fn accept(&mut self, code: &str) -> bool {
        let secret = Secret::from(self.secret.to_vec());
        let Ok(totp) = Builder::new().with_secret(secret).with_skew(1).build() else { return false };
        match totp.check(code, now()) {
            Some(step) if step > self.last_step => {
                self.last_step = step;
                true
            }
            _ => false,
        }
    }
}

pub(crate) async fn enable(
    State(host): State<Arc<Host>>,
    Subject(id): Subject,
) -> Result<Json<Value>, StatusCode> {
    let mut secret = [0; 20];
    getrandom::fill(&mut secret).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    change(&host, id, |user| {
        user.two_factor = Some(SecondFactor { secret, confirmed: false, last_step: 0 });
        Ok(())
    })?;
    Ok(Json(json!({ "message": "Confirm it with a code." })))
}

pub(crate) async fn secret_key(
    State(host): State<Arc<Host>>,
    Subject(id): Subject,
) -> Result<Json<Value>, StatusCode> {
    let factor = host.user(id)?.two_factor.ok_or(StatusCode::CONFLICT)?;
    Ok(Json(json!({ "secretKey": Secret::from(factor.secret.to_vec()).to_base32() })))
}

pub(crate) async fn confirm(
    State(host): State<Arc<Host>>,
    Subject(id): Subject,
    Json(Code { code }): Json<Code>,
) -> Result<Json<Value>, StatusCode> {
    change(&host, id, |user| {
        let factor = user.two_factor.as_mut().ok_or(StatusCode::CONFLICT)?;
        factor.confirmed = factor.accept(&code);
        if factor.confirmed { Ok(()) } else { Err(StatusCode::UNPROCESSABLE_ENTITY) }
    })?;
    Ok(Json(signed_in(&host, id)?))
}

pub(crate) async fn challenge(
    State(host): State<Arc<Host>>,
    Json(Challenge { challenge_token, code }): Json<Challenge>,
) -> Result<Json<Value>, StatusCode> {
    let id = host.keys.challenge.verify(&challenge_token)?;
    let accepted = |factor: &mut SecondFactor| factor.accept(&code);
    change(&host, id, |user| {
        user.two_factor.as_mut().is_some_and(accepted).then_some(()).ok_or(StatusCode::UNPROCESSABLE_ENTITY)
    })?;
    Ok(Json(signed_in(&host, id)?))
}

fn change<T>(
    host: &Host,
    id: u64,
    change: impl FnOnce(&mut User) -> Result<T, StatusCode>,
) -> Result<T, StatusCode> {
    change(host.users_mut().by_id.get_mut(&id).ok_or(StatusCode::UNAUTHORIZED)?)
}
