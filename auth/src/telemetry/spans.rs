//! The table of the spans. No other file calls tracing's macros for spans.

use super::TARGET;

/// A span of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span {
    /// The name: `auth.request`.
    pub name: &'static str,
    /// `info` or `debug`.
    pub level: &'static str,
    /// The names of the fields.
    pub fields: &'static [&'static str],
    /// What it covers.
    pub covers: &'static str,
}

macro_rules! level {
    (info) => {
        tracing::Level::INFO
    };
    (debug) => {
        tracing::Level::DEBUG
    };
}

/// Generates [`Span::ALL`] and the functions of `span` from one list.
///
/// A row is: level, function with the fields that are known at its beginning, then those that are recorded later, name, what it
/// covers.
macro_rules! spans {
    ($($level:ident $function:ident($($field:ident: $type:ty),*) [$($later:ident),*] $name:literal $covers:literal;)*) => {
        impl Span {
            /// All spans.
            pub const ALL: &'static [Self] = &[$(Self {
                name: $name,
                level: stringify!($level),
                fields: &[$(stringify!($field),)* $(stringify!($later)),*],
                covers: $covers,
            }),*];
        }

        /// Creates the spans.
        pub(crate) mod span {
            use super::*;

            $(
                #[doc = concat!("`", $name, "`: ", $covers, ".")]
                pub(crate) fn $function($($field: $type),*) -> tracing::Span {
                    tracing::span!(
                        target: TARGET,
                        level!($level),
                        $name,
                        $($field = $field,)*
                        $($later = tracing::field::Empty,)*
                    )
                }
            )*
        }
    };
}

spans! {
    info request(method: &str, path: &str, router: &str, request_id: Option<&str>) [status, code] "auth.request"
        "a request to a route of the library: `path` is that of the route, without where the host nests it; `status` and, of an error, `code` are recorded at its end";
    debug provider(method: &str) [outcome] "auth.provider"
        "a call of a repository, the store, a delivery or the HTTP client: `method` is `users.save`, and `outcome` `ok`, `refused` (the provider works and says no), `error` or, if nobody waited for its end, `cancelled`";
    debug action(action: &str) [outcome] "auth.action"
        "a call of an action of the host, with the same outcomes";
    debug event_sink(event: &str) [] "auth.event-sink"
        "a call of `EventSink::handle`";
    debug password() [] "auth.password"
        "waiting for a password to be hashed or verified, and the computation";
    debug background(what: &str, request_id: Option<&str>) [] "auth.background"
        "work that a request has started and that no response waits for; it follows from the request's span";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_span_has_its_own_name() {
        let names: std::collections::HashSet<_> = Span::ALL.iter().map(|span| span.name).collect();
        assert_eq!(names.len(), Span::ALL.len());
        assert!(names.iter().all(|name| name.starts_with("auth.")));
    }
}
