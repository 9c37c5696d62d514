//! `/basket`: what a visitor is about to buy. It is in the visit, so it is empty after the next login.

use crate::Account;
use crate::visit::{VisitData, Visits};
use axum::Json;
use axum::extract::State;
use axum_auth_module::error::FieldErrors;
use axum_auth_module::extract::WithBody;
use axum_auth_module::{AuthError, Claims};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The longest name of an article, in bytes.
const LONGEST: usize = 100;
/// How many articles a basket has at most, so that it stays small in memory.
const MOST: usize = 100;

/// How many there are of each article.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Basket(BTreeMap<String, u32>);

impl VisitData for Basket {
    const KEY: &'static str = "basket";
}

#[derive(Deserialize)]
pub(crate) struct Line {
    article: String,
    number: u32,
}

impl Basket {
    fn add(&mut self, Line { article, number }: Line) -> Result<(), AuthError> {
        let is_new = !self.0.contains_key(&article);
        if article.is_empty() || article.len() > LONGEST || (is_new && self.0.len() >= MOST) {
            let detail = "The basket is full, or there is no such article.";
            return Err(FieldErrors::one("article", "invalid", detail).into());
        }
        let there = self.0.entry(article).or_default();
        *there = there.saturating_add(number);
        Ok(())
    }
}

pub(crate) async fn show(
    claims: Claims<Account>,
    State(visits): State<Visits>,
) -> Result<Json<Basket>, AuthError> {
    visits.read(&claims).await.map(Json)
}

pub(crate) async fn add(
    State(visits): State<Visits>,
    WithBody(claims, Json(line)): WithBody<Claims<Account>, Json<Line>>,
) -> Result<Json<Basket>, AuthError> {
    visits.change(&claims, |basket: &mut Basket| basket.add(line)).await.map(Json)
}

pub(crate) async fn empty(
    claims: Claims<Account>,
    State(visits): State<Visits>,
) -> Result<Json<Basket>, AuthError> {
    let emptied = visits.change(&claims, |basket: &mut Basket| {
        *basket = Basket::default();
        Ok(())
    });
    emptied.await.map(Json)
}
