//! Health, and the end of an instance.

use super::account::Account;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum_auth_module::AuthModule;
use axum_auth_module::sql::Database;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// How long an instance still accepts connections after the signal. Longer than the balancer needs to see that
/// `/healthz` is 503: a client that sends a request to an instance with a closed port gets an error.
const NOTICE: Duration = Duration::from_secs(1);

/// The time for requests and mails in progress after that.
const GRACE: Duration = Duration::from_secs(20);

/// Whether the instance is to get requests.
#[derive(Clone)]
pub(super) struct Health {
    database: Database,
    is_ending: Arc<AtomicBool>,
}

impl Health {
    pub(super) fn new(database: Database) -> Self {
        Self { database, is_ending: Arc::default() }
    }
}

/// `GET /healthz`: 200 if the instance accepts requests. Redis is not asked: without it, access tokens and refreshes
/// still work.
pub(super) async fn healthz(
    State(health): State<Health>,
) -> Result<&'static str, (StatusCode, &'static str)> {
    if health.is_ending.load(Ordering::Relaxed) {
        return Err((StatusCode::SERVICE_UNAVAILABLE, "ending\n"));
    }
    health.database.ping().await.map(|()| "ok\n").map_err(|error| {
        tracing::error!(%error, "the database does not respond");
        (StatusCode::SERVICE_UNAVAILABLE, "the database does not respond\n")
    })
}

/// Serves until Ctrl-C or SIGTERM. Then `/healthz` is 503 for [`NOTICE`], so that the balancer sends no more requests;
/// after that no connections are accepted, and the requests and mails in progress are completed within [`GRACE`].
///
/// # Errors
/// If the signal handlers cannot be installed, or the server fails.
pub(super) async fn serve(
    listener: TcpListener,
    app: Router,
    auth: &AuthModule<Account>,
    health: Health,
) -> io::Result<()> {
    let told_to_end = signals()?;
    tracing::info!(address = %listener.local_addr()?, "listening");
    let (end, ending) = oneshot::channel::<()>();
    let told = async move {
        told_to_end.await;
        tracing::info!("ending");
        health.is_ending.store(true, Ordering::Relaxed);
        tokio::time::sleep(NOTICE).await;
        // The receiver is gone only if the server has ended by itself.
        let _ = end.send(());
    };
    // The peer is the balancer. The module reads the client's address from its `X-Forwarded-For`.
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    let serving = async {
        axum::serve(listener, service).with_graceful_shutdown(told).await?;
        auth.background_work_finished().await;
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

/// Listens for the signals from now on. The returned future waits for the first one.
///
/// # Errors
/// If a signal handler cannot be installed.
pub fn signals() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
