//! Serving until somebody says that it is enough.

use axum::Router;
use sqlx::SqlitePool;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// How long requests that are under way may still take.
const GRACE: Duration = Duration::from_secs(5);

/// Says where it listens and serves until Ctrl-C or SIGTERM. Then nothing new is taken, what is under way is answered,
/// and the database is closed; what takes longer than [`GRACE`] is left behind.
///
/// # Errors
/// When the signals cannot be waited for, or the server fails.
pub(crate) async fn serve(listener: TcpListener, app: Router, pool: SqlitePool) -> io::Result<()> {
    let told_to_end = signals()?;
    // Whoever reads this line may send requests and signals. That nobody reads is no reason to stop.
    let _ = writeln!(io::stdout(), "listening on http://{}", listener.local_addr()?);
    let (end, ending) = oneshot::channel::<()>();
    let told = async move {
        told_to_end.await;
        // The receiver is gone only when serving has ended by itself.
        let _ = end.send(());
    };
    // The module's limits are for each client, so it has to know the client's address.
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    let serving = async {
        axum::serve(listener, service).with_graceful_shutdown(told).await?;
        pool.close().await;
        Ok(())
    };
    let patience = async {
        let _ = ending.await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        result = serving => result,
        () = patience => {
            tracing::warn!("some requests did not end in time and were left behind");
            Ok(())
        }
    }
}

/// Listens for the signals from now on; the answer waits for the first one.
#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Listens for Ctrl-C; the answer waits for it.
#[cfg(not(unix))]
fn signals() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
