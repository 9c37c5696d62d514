//! The snippets of `docs/guide/browsers.md`: they are compiled and run here, and compared with the page.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what cannot go on has failed, in what helps the tests as in the tests themselves"
)]
#![allow(dead_code, reason = "the `main` of the page's host")]

mod host;
mod page;
