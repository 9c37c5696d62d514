//! The cluster as a program. `cluster instance` is one instance; the cluster starts these.

use axum_auth_module::BoxError;
use cluster::{Cluster, Settings, host};
use std::io::{self, Write};
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => cluster().await,
        ["instance"] => host::run().await,
        _ => Err("usage: cluster\n\nIt takes no arguments, and serves until Ctrl-C.".into()),
    };
    let Err(error) = done else { return ExitCode::SUCCESS };
    // `eprintln!` would panic if standard error is closed; the exit code is enough then.
    let _ = writeln!(io::stderr(), "{error}");
    ExitCode::FAILURE
}

/// Starts the cluster and waits for a signal.
async fn cluster() -> Result<(), BoxError> {
    let told_to_end = host::signals()?;
    let mut cluster = Cluster::start(&Settings::default()).await?;
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
    Ok(())
}
