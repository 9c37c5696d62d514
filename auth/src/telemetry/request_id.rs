//! The id that a proxy or a layer of the host has given to a request.

use super::span;
use std::sync::Arc;
use tracing::Instrument;

/// The maximum length. Ids that are used have about 40 characters.
const LONGEST: usize = 128;

tokio::task_local! {
    /// That of the request that the current task works for.
    static CURRENT: Option<RequestId>;
}

/// The id of a request: 1 to 128 visible ASCII characters. It is not a secret, and anybody can send any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestId(Arc<str>);

impl RequestId {
    /// The id in a header. `None` if it is empty, too long, or has a character that could disturb a log.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let is_valid = (1..=LONGEST).contains(&text.len()) && text.iter().all(u8::is_ascii_graphic);
        let text = str::from_utf8(text).ok().filter(|_| is_valid)?;
        Some(Self(text.into()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of the request that the current task works for.
    pub(crate) fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok().flatten()
    }

    /// The future of a request with this id.
    pub(crate) fn scope<F: Future>(id: Option<Self>, request: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(id, request)
    }
}

/// A part of a request that runs as a task of its own: in the request's span, and with its id.
pub(crate) fn part_of_request<F: Future>(part: F) -> impl Future<Output = F::Output> {
    CURRENT.scope(RequestId::current(), part.in_current_span())
}

/// Work that a request starts and does not wait for: in a span of its own, and with the id of the request.
pub(crate) fn started_by_request<F: Future>(what: &'static str, work: F) -> impl Future<Output = F::Output> {
    let id = RequestId::current();
    // The request's span ends with its response, whatever the work does.
    let request = tracing::Span::current();
    let span = span::background(what, id.as_ref().map(RequestId::as_str));
    span.follows_from(&request);
    CURRENT.scope(id, work.instrument(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_visible_ascii_characters() {
        let longest = "x".repeat(LONGEST);
        for valid in ["a", "4bf92f3577b34da6a3ce929d0e0e4736", "id:1/2~{}", &longest] {
            assert_eq!(RequestId::parse(valid.as_bytes()).as_ref().map(RequestId::as_str), Some(valid));
        }
        let too_long = "x".repeat(LONGEST + 1);
        for invalid in ["", "a b", "a\nb", "a\tb", "é", "\u{7f}", &too_long] {
            assert_eq!(RequestId::parse(invalid.as_bytes()), None, "{invalid:?}");
        }
    }
}
