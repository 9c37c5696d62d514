//! When the body of a request arrives: with its head, or later.

use axum::body::{Body, BodyDataStream, Bytes, HttpBody};
use axum::extract::Request;
use futures_util::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

/// Whether somebody had to wait for the body of a request. What was checked before may then no longer be true.
#[derive(Clone, Default)]
pub(crate) struct Arrival(Arc<AtomicBool>);

impl Arrival {
    /// The request with a body that records whether somebody has to wait for it.
    pub(crate) fn of(request: Request) -> (Request, Self) {
        let arrival = Self::default();
        let recording = arrival.clone();
        let request = request
            .map(|body| Body::from_stream(Recording { body: body.into_data_stream(), arrival: recording }));
        (request, arrival)
    }

    /// Whether a part of the body had not arrived when it was first asked for.
    pub(crate) fn was_late(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

struct Recording {
    body: BodyDataStream,
    arrival: Arrival,
}

impl Stream for Recording {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // The server reports the end of a body later than its last byte. Nobody has to wait for it.
        if HttpBody::is_end_stream(&self.body) {
            return Poll::Ready(None);
        }
        let polled = Pin::new(&mut self.body).poll_next(context);
        if polled.is_pending() {
            self.arrival.0.store(true, Ordering::Relaxed);
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use std::convert::Infallible;

    async fn was_late(body: Body) -> bool {
        let (request, arrival) = Arrival::of(Request::new(body));
        assert_eq!(axum::body::to_bytes(request.into_body(), 100).await.unwrap(), "{}");
        arrival.was_late()
    }

    #[tokio::test]
    async fn a_body_that_was_waited_for_was_late() {
        assert!(!was_late(Body::from("{}")).await);
        let parts = ["{", "}"].map(Ok::<_, Infallible>);
        assert!(!was_late(Body::from_stream(stream::iter(parts))).await);
        let later = stream::once(async {
            tokio::task::yield_now().await;
            Ok::<_, Infallible>("{}")
        });
        assert!(was_late(Body::from_stream(later)).await);
    }
}
