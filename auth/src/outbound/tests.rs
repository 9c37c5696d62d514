//! What every client is held to.

use super::*;
use crate::testing::{Fault, Faults, ProviderMethod};
use axum::http::HeaderValue;
use std::future::pending;
use std::sync::Arc;

/// A client of a host that keeps to no limit.
#[derive(Clone, Default)]
struct Careless {
    hangs: bool,
    length: usize,
    encodings: &'static [&'static str],
}

#[async_trait]
impl HttpClient for Careless {
    async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        if self.hangs {
            pending::<()>().await;
        }
        let mut response = Response::new(Bytes::from(vec![b'a'; self.length]));
        for encoding in self.encodings {
            response.headers_mut().append(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        Ok(response)
    }
}

async fn result(client: impl HttpClient) -> Result<usize, HttpError> {
    let response = exchange(&client, Request::new(Bytes::new()), Duration::from_secs(2)).await;
    response.map(|response| response.body().len())
}

#[tokio::test(start_paused = true)]
async fn a_client_of_the_host_is_held_to_the_limits() {
    let usual = Careless { length: MAX_RESPONSE, ..Careless::default() };
    assert_eq!(result(usual.clone()).await.unwrap(), MAX_RESPONSE);
    assert!(result(Careless { encodings: &["identity", "Identity"], ..usual.clone() }).await.is_ok());
    for careless in [
        Careless { hangs: true, ..usual.clone() },
        Careless { length: MAX_RESPONSE + 1, ..usual.clone() },
        Careless { encodings: &["gzip"], ..usual.clone() },
        Careless { encodings: &["identity", "br"], ..usual.clone() },
        Careless { encodings: &["identity, zstd"], ..usual },
    ] {
        assert!(matches!(result(careless).await, Err(HttpError::Failed(_))));
    }
}

#[tokio::test]
async fn a_fault_says_whether_something_was_sent() {
    let faults = Faults::new();
    let client = Arc::new(faults.over(Careless::default()));
    for (fault, is_certain) in
        [(Fault::IsUnavailable, true), (Fault::Fails, false), (Fault::FailsAfterwards, false)]
    {
        faults.next(ProviderMethod::HttpSend, fault);
        let error = result(Arc::clone(&client)).await.unwrap_err();
        assert_eq!(matches!(error, HttpError::NotSent(_)), is_certain, "{fault:?}");
    }
    assert_eq!(result(client).await.unwrap(), 0);
    assert_eq!(faults.calls().len(), 4);
}
