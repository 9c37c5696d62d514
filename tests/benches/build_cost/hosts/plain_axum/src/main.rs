//! What `cargo bench --manifest-path tests/benches/Cargo.toml --bench build_cost` compiles: a host that has written its registration, login,
//! refresh and logout itself, over axum, bcrypt and jsonwebtoken. It does a fraction of what the library does.

mod accounts;
mod handlers;
mod refused;
mod tokens;

use accounts::Accounts;
use axum::Router;
use axum::routing::{get, post};
use handlers::CurrentUser;
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{env, io};
use tokens::Keys;
use tokio::net::TcpListener;

#[derive(Clone, Default)]
struct Account {
    id: u64,
    #[allow(dead_code, reason = "the other hosts have it, too")]
    name: String,
    email: String,
    password: String,
}

/// What the routes work with.
struct App {
    accounts: Mutex<Accounts>,
    keys: Keys,
    bcrypt_cost: u32,
    /// What is verified for an address that nobody has, so that the time does not tell.
    nobodys_hash: String,
}

impl App {
    fn new(access: &[u8], refresh: &[u8], bcrypt_cost: u32) -> Result<Self, Box<dyn Error>> {
        let nobodys_hash = bcrypt::hash(getrandom::u64()?.to_string(), bcrypt_cost)?;
        let accounts = Mutex::default();
        Ok(Self { accounts, keys: Keys::new(access, refresh), bcrypt_cost, nobodys_hash })
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn me(CurrentUser(account): CurrentUser) -> String {
    account.email
}

fn router(app: App) -> Router {
    let auth = Router::new()
        .route("/register", post(handlers::register))
        .route("/login", post(handlers::login))
        .route("/refresh", post(handlers::refresh))
        .route("/logout", post(handlers::logout));
    Router::new().route("/me", get(me)).nest("/auth", auth).with_state(Arc::new(app))
}

/// A secret of the environment, 32 bytes at least.
fn secret(variable: &str) -> Result<String, Box<dyn Error>> {
    let secret = env::var(variable).map_err(|error| format!("{variable}: {error}"))?;
    if secret.len() < 32 {
        return Err(io::Error::other(format!("{variable} is shorter than 32 bytes")).into());
    }
    Ok(secret)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let app = App::new(secret("AUTH_JWT_SECRET")?.as_bytes(), secret("AUTH_REFRESH_SECRET")?.as_bytes(), 12)?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, router(app)).await?;
    Ok(())
}

#[cfg(test)]
#[path = "../../../../../hosts/drive.rs"]
mod drive;

#[cfg(test)]
mod tests;
