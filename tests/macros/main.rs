//! Hosts that compile and hosts that do not, with the compiler's messages; see `ui/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed expectation is a failed test, and the texts are files of this package"
)]

mod error_gallery;
mod every_feature;
mod first_hour;
mod fixtures;
mod messages_page;
mod no_foreign_names;
mod passing;
mod stderr;
mod suggested_fixes_compile;
mod suite;
