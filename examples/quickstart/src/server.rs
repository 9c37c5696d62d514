//! Serving until a signal arrives, and a graceful shutdown.

use crate::account::Account;
use axum::Router;
use axum_auth_module::AuthModule;
use axum_auth_module::sql::Database;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The time for requests and mails in progress after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// Prints its address, and that of the page with its mails, and serves until Ctrl-C or SIGTERM. Then it accepts no new connections, completes the requests in
/// progress and the mails that are being sent, and closes the database. What takes longer than [`GRACE`] is dropped.
///
/// # Errors
/// If the signal handlers cannot be installed, or the server fails.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    outbox: Option<String>,
    auth: &AuthModule<Account>,
    database: Database,
) -> io::Result<()> {
    let told_to_end = signals()?;
    // A script that reads this line can send requests and signals from now on. A closed standard output is not an error.
    let address = format!("http://{}", listener.local_addr()?);
    let _ = writeln!(io::stdout(), "listening on {address}");
    if let Some(outbox) = outbox {
        let _ = writeln!(io::stdout(), "the page, with the mails: {outbox}");
    }
    let (end, ending) = oneshot::channel::<()>();
    let told = async move {
        told_to_end.await;
        // The receiver is gone only if the server has ended by itself.
        let _ = end.send(());
    };
    let maintenance = tokio::spawn(maintained(auth.clone()));
    // The module needs the client's address for its limits.
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    let serving = async {
        axum::serve(listener, service).with_graceful_shutdown(told).await?;
        maintenance.abort();
        auth.background_work_finished().await;
        database.close().await;
        Ok(())
    };
    let patience = async {
        let _ = ending.await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        result = serving => result,
        () = patience => {
            tracing::warn!("some requests or mails did not end in time and were left behind");
            Ok(())
        }
    }
}

/// Does what is due also while nobody sends requests: accounts whose time is over are deleted.
async fn maintained(auth: AuthModule<Account>) {
    loop {
        tokio::time::sleep(auth.maintenance_interval()).await;
        if let Err(error) = auth.maintain().await {
            tracing::warn!(%error, "what is due could not be done");
        }
    }
}

/// Listens for the signals from now on. The returned future waits for the first one.
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

/// The returned future waits for Ctrl-C.
#[cfg(not(unix))]
fn signals() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
