//! What is exported of requests. `tests/export.rs` tests the program and the export over HTTP.

mod personal_data;
mod recording;
mod traces;

use super::{module, router, telemetry};
