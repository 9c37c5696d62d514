//! Two instances of one host on PostgreSQL and Redis, behind one address. One command starts all of it:
//!
//! ```sh
//! cargo run -p cluster    # until Ctrl-C
//! ```
//!
//! `host/` is what a host in production consists of. Everything else stands for what surrounds it there: `servers/` starts
//! a PostgreSQL, a Redis and the instances as processes in a temporary directory, and `balancer.rs` is the address. The programs
//! of PostgreSQL and Redis must be installed. `tests/soak` kills and freezes these servers while clients send requests.

#[cfg(not(unix))]
compile_error!("this example sends signals to processes, as Unix has them");

mod balancer;
mod cluster;
pub mod host;
mod servers;

pub use balancer::Balancer;
pub use cluster::{Cluster, Settings};
pub use servers::{Instance, Postgres, Redis};
