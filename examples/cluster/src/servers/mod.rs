//! The servers as processes of their own, which can be killed, frozen and started again.

mod directory;
mod instance;
mod postgres;
mod process;
mod programs;
mod redis;

pub(crate) use directory::Directory;
pub use instance::Instance;
pub use postgres::Postgres;
pub(crate) use programs::Programs;
pub use redis::Redis;

use std::io;
use std::net::TcpListener;

/// A free port of 127.0.0.1 below those that systems give to outgoing connections, so that it is still free when the
/// server is started again.
///
/// # Errors
/// If there is none.
fn free_port() -> io::Result<u16> {
    for _ in 0..200 {
        let mut random = [0; 2];
        getrandom::fill(&mut random)?;
        let port = 12_000 + u16::from_le_bytes(random) % 18_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(io::Error::other("there is no free port on 127.0.0.1"))
}
