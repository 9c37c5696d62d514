//! The server, and its end.

use crate::Account;
use axum::Router;
use axum_auth_module::AuthModule;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

/// The time for requests and mails in progress after the signal.
const GRACE: Duration = Duration::from_secs(20);

/// Serves until the future ends. Then no connections are accepted, and the requests and mails in progress are completed within [`GRACE`].
/// Their spans end with them, so the traces are exported after this function returns.
pub(crate) async fn until(
    told_to_end: impl Future<Output = ()> + Send + 'static,
    listener: TcpListener,
    app: Router,
    auth: &AuthModule<Account>,
) -> io::Result<()> {
    let (end, ending) = oneshot::channel::<()>();
    let told = async move {
        told_to_end.await;
        tracing::info!("ending");
        // The receiver is gone only if the server has ended by itself.
        let _gone = end.send(());
    };
    // The rate limits go by the clients' addresses.
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    let serving = async {
        axum::serve(listener, service).with_graceful_shutdown(told).await?;
        auth.background_work_finished().await;
        Ok(())
    };
    let patience = async {
        let _gone = ending.await;
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

/// Listens for Ctrl-C and SIGTERM from now on. The returned future waits for the first one.
pub(crate) fn signals() -> io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
