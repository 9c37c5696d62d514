//! The snippets of `docs/guide/browsers.md` and `docs/guide/pages-with-forms.md`: they are compiled and run here, and compared with
//! the pages.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what cannot go on has failed, in what helps the tests as in the tests themselves"
)]
#![allow(dead_code, reason = "the `main` of the page's host")]

mod host;
mod page;
