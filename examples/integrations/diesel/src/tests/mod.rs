//! The adapters in the library's suites, the host over HTTP, and what the host compiles.
//!
//! The tests use the PostgreSQL at `POSTGRES_URL`, by default at `postgres://postgres@127.0.0.1:5432`. Without one they are skipped with a
//! line on stderr, and fail if the variable `CI` is set.

mod conformance;
mod dependencies;
mod http;
mod postgres;

use super::{database, module, router};
