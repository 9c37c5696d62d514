//! What operators see of the calls of providers and actions: a span and a measurement.

use crate::actions::ActionError;
use crate::error::AuthError;
use crate::provider::{Intercepted, Interceptor, ProviderError, ProviderMethod};
use crate::telemetry::{measure, span};
use std::time::{Duration, Instant};
use tracing::{Instrument, Span};

/// Each call has a span and is measured.
#[derive(Clone, Copy)]
pub(crate) struct Watch;

impl Watch {
    /// The provider, whose calls are watched.
    pub(crate) fn over<P>(provider: P) -> Intercepted<P, Self> {
        Intercepted { provider, around: Self }
    }
}

impl Interceptor for Watch {
    async fn around<T: Send, E: ProviderError>(
        &self,
        method: ProviderMethod,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        let measure =
            |time, outcome| measure::provider_time(time, method.provider(), method.method(), outcome);
        watched(span::provider(method.name()), measure, E::is_refusal, call).await
    }
}

/// A call of the host's action of this name.
pub(crate) async fn watch_action<T>(
    action: &'static str,
    call: impl Future<Output = Result<T, ActionError>>,
) -> Result<T, ActionError> {
    let measure = |time, outcome| measure::action_time(time, action, outcome);
    let is_refusal = |error: &ActionError| match error {
        ActionError::Internal(_) => false,
        ActionError::Refused(error) => !matches!(**error, AuthError::Internal(_) | AuthError::Unavailable(_)),
        _ => true,
    };
    watched(span::action(action), measure, is_refusal, call).await
}

async fn watched<T, E>(
    span: Span,
    measure: impl Fn(Duration, &'static str),
    is_refusal: impl Fn(&E) -> bool,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let mut ending = Ending { span, measure, began: Instant::now(), outcome: "cancelled" };
    let result = call.instrument(ending.span.clone()).await;
    ending.outcome = match &result {
        Ok(_) => "ok",
        Err(error) if is_refusal(error) => "refused",
        Err(_) => "error",
    };
    result
}

/// The end of a call. It comes also when nobody waits for the result any more.
struct Ending<M: Fn(Duration, &'static str)> {
    span: Span,
    measure: M,
    began: Instant,
    outcome: &'static str,
}

impl<M: Fn(Duration, &'static str)> Drop for Ending<M> {
    fn drop(&mut self) {
        self.span.record("outcome", self.outcome);
        (self.measure)(self.began.elapsed(), self.outcome);
    }
}
