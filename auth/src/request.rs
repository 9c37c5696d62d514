//! The request that the current task works for.

use crate::client::Visitor;
use crate::languages::Language;
use crate::telemetry::{RequestId, span};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use tracing::Instrument;

tokio::task_local! {
    static CURRENT: Arc<RequestContext>;
}

/// What all code that works for a request may know about it, without an argument. A task of its own gets it from
/// [`part_of_request`] or [`started_by_request`].
#[derive(Clone, Default)]
pub(crate) struct RequestContext {
    /// The id that a proxy or a layer of the host has given to the request.
    pub(crate) id: Option<RequestId>,
    /// The language that was negotiated with the client.
    pub(crate) language: Option<Language>,
    /// The client, and how it keeps its session.
    pub(crate) visitor: Visitor,
    /// When the request has arrived. `None` outside of requests.
    pub(crate) began: Option<SystemTime>,
    /// Set while a request that took too long is dropped.
    has_timed_out: bool,
    /// Whether the store has not responded to the request.
    store_is_gone: Arc<AtomicBool>,
}

impl RequestContext {
    /// The context of a request of this client that has arrived now, in the language that was negotiated around it.
    pub(crate) fn new(id: Option<RequestId>, visitor: Visitor, began: SystemTime) -> Self {
        let language = Self::read(|current| current.language.clone());
        Self { id, language, visitor, began: Some(began), ..Self::default() }
    }

    /// The current context, in another language.
    pub(crate) fn in_language(language: Language) -> Self {
        Self { language: Some(language), ..Self::copy() }
    }

    /// A context like the one of the current task, which is empty outside of requests.
    fn copy() -> Self {
        Self::read(Clone::clone)
    }

    /// A part of the context of the current task.
    pub(crate) fn read<T>(part: impl Fn(&Self) -> T) -> T {
        CURRENT.try_with(|current| part(current)).unwrap_or_else(|_outside| part(&Self::default()))
    }

    /// Whether the store has not responded to the request. The request does not wait for it again.
    pub(crate) fn store_is_gone() -> bool {
        Self::read(|current| current.store_is_gone.load(Ordering::Relaxed))
    }

    /// The store has not responded to the request.
    pub(crate) fn set_store_is_gone() {
        Self::read(|current| current.store_is_gone.store(true, Ordering::Relaxed));
    }

    /// Runs a future in this context.
    pub(crate) fn scope<F: Future>(self, run: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(Arc::new(self), run)
    }

    /// Runs the destructors of a request that took too long.
    pub(crate) fn timed_out(drop: impl FnOnce()) {
        CURRENT.sync_scope(Arc::new(Self { has_timed_out: true, ..Self::copy() }), drop);
    }

    /// Whether the request is dropped because it took too long. That is no failure by the user.
    pub(crate) fn has_timed_out() -> bool {
        Self::read(|current| current.has_timed_out)
    }
}

impl Language {
    /// The language of the request that the current task works for. Outside of requests it is English.
    pub(crate) fn of_request() -> Self {
        RequestContext::read(|current| current.language.clone()).unwrap_or_default()
    }
}

/// A part of a request that runs as a task of its own: in the context and the span of the request.
pub(crate) fn part_of_request<F: Future>(part: F) -> impl Future<Output = F::Output> {
    let context = CURRENT.try_with(Arc::clone).unwrap_or_default();
    CURRENT.scope(context, part.in_current_span())
}

/// Work that a request starts and does not wait for: in the context of the request, and in a span of its own. The work waits for the
/// store even if the request does not any more.
pub(crate) fn started_by_request<F: Future>(what: &'static str, work: F) -> impl Future<Output = F::Output> {
    let context = RequestContext { store_is_gone: Arc::default(), ..RequestContext::copy() };
    // The request's span ends with its response, whatever the work does.
    let request = tracing::Span::current();
    let span = span::background(what, context.id.as_ref().map(RequestId::as_str));
    span.follows_from(&request);
    context.scope(work.instrument(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_has_the_context_of_the_request_that_starts_it() {
        let language = || async { Language::of_request().tag().to_owned() };
        assert_eq!(language().await, "en");
        let tasks = RequestContext::in_language(Language::german()).scope(async {
            let part = tokio::spawn(part_of_request(language())).await.unwrap();
            let work = tokio::spawn(started_by_request("a test", language())).await.unwrap();
            (part, work)
        });
        assert_eq!(tasks.await, ("de".to_owned(), "de".to_owned()));
        assert_eq!(tokio::spawn(part_of_request(language())).await.unwrap(), "en");
    }

    #[tokio::test]
    async fn only_the_destructors_of_a_request_that_took_too_long_see_that_it_did() {
        RequestContext::default()
            .scope(async {
                assert!(!RequestContext::has_timed_out());
                RequestContext::timed_out(|| assert!(RequestContext::has_timed_out()));
                assert!(!RequestContext::has_timed_out());
            })
            .await;
    }
}
