//! What the hosts of the load bench read from the environment: `LISTEN`, `DATABASE_URL`, `BCRYPT_COST` and `END_WITH_INPUT`.

use std::error::Error;
use std::io::{self, Read, Write};
use std::{process, thread};
use tokio::net::TcpListener;

/// The number of database connections of each host, which is sqlx's default.
#[allow(dead_code, reason = "one host has no database")]
pub(crate) const DATABASE_CONNECTIONS: u32 = 10;

/// Listens at `LISTEN`, by default on a free port of this machine, and prints the address.
pub(crate) async fn listener() -> Result<TcpListener, Box<dyn Error + Send + Sync>> {
    if variable("END_WITH_INPUT").is_some() {
        thread::spawn(end_with_input);
    }
    let address = variable("LISTEN").unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let listener = TcpListener::bind(address).await?;
    writeln!(io::stdout(), "http://{}", listener.local_addr()?)?;
    Ok(listener)
}

/// `BCRYPT_COST`, by default 10.
pub(crate) fn bcrypt_cost() -> Result<u32, Box<dyn Error + Send + Sync>> {
    variable("BCRYPT_COST").map_or(Ok(10), |cost| Ok(cost.parse()?))
}

/// `DATABASE_URL`.
#[allow(dead_code, reason = "one host has no database")]
pub(crate) fn database_url() -> Option<String> {
    variable("DATABASE_URL")
}

/// Ends the process when standard input is closed, which happens also when the program that started it is killed.
fn end_with_input() {
    let _ = io::stdin().read_to_end(&mut Vec::new());
    process::exit(0);
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
