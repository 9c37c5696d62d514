//! Two instances of one host on PostgreSQL and Redis, behind one address. One command starts all of it:
//!
//! ```sh
//! cargo run -p cluster                                # until Ctrl-C
//! cargo run -p cluster -- soak --seed 1 --minutes 10  # a soak test of it, with servers that are killed and frozen
//! ```
//!
//! `host/` is what a host in production consists of. Everything else stands for what surrounds it there: `servers/` starts
//! a PostgreSQL, a Redis and the instances as processes in a temporary directory, `balancer.rs` is the address, and `soak/`
//! the clients, the failures, and the auditor. The programs of PostgreSQL and Redis must be installed.

#[cfg(not(unix))]
compile_error!("this example sends signals to processes, as Unix has them");

mod arguments;
mod balancer;
mod cluster;
mod host;
mod servers;
mod soak;

use arguments::Command;
use axum_auth_module::BoxError;
use cluster::Cluster;
use std::io::{self, Write};
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let done = match arguments::read(std::env::args().skip(1)) {
        Ok(Command::Cluster) => cluster().await,
        Ok(Command::Instance) => host::run().await.map(|()| ExitCode::SUCCESS),
        Ok(Command::Soak(options)) => soak::run(options).await,
        Err(error) => Err(error.into()),
    };
    done.unwrap_or_else(|error| {
        // `eprintln!` would panic if standard error is closed; the exit code is enough then.
        let _ = writeln!(io::stderr(), "{error}");
        ExitCode::FAILURE
    })
}

/// Starts the cluster and waits for a signal.
async fn cluster() -> Result<ExitCode, BoxError> {
    let told_to_end = host::signals()?;
    let mut cluster = Cluster::start(&cluster::Settings::default()).await?;
    let [first, second] = cluster.addresses();
    let _ = writeln!(
        io::stdout(),
        "listening on http://{}\n  instances   http://{first} and http://{second}\n  PostgreSQL  port {}\n  Redis       \
         port {}\n  logs, mails {}\nCtrl-C ends all of it and deletes the directory.",
        cluster.balancer.address(),
        cluster.postgres.port(),
        cluster.redis.port(),
        cluster.directory().display(),
    );
    told_to_end.await;
    cluster.stop().await;
    Ok(ExitCode::SUCCESS)
}
