//! The code of the pages in `docs/guide`, a module for each page. `tests/architecture/guide.rs` compares the two.

#![allow(missing_docs, reason = "the pages say what each item is")]

pub mod deploying;
