//! Hosts that compile and hosts that do not, with the compiler's messages; see `ui/README.md`.

// Only a whole crate can deny these; `ui/passing/a_host_that_denies_every_lint.rs` denies the others.
#![deny(future_incompatible)]
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
mod no_foreign_names;
mod passing;
mod stderr;
mod suggested_fixes_compile;
mod suite;
