//! What `cargo bench --manifest-path tests/benches/Cargo.toml --bench build_cost` compiles: axum with one route, to which an application adds everything
//! else.

use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use std::error::Error;
use tokio::net::TcpListener;

#[derive(Default, Serialize)]
struct Account {
    name: String,
}

async fn me() -> Json<Account> {
    Json(Account::default())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, Router::new().route("/me", get(me))).await?;
    Ok(())
}
