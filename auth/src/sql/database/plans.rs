//! What EXPLAIN says, for the tests.

use std::sync::{Arc, Mutex, PoisonError};

/// What EXPLAIN has said about the statements that were run.
#[derive(Clone, Default)]
pub(in crate::sql) struct Plans(Arc<Mutex<Vec<Plan>>>);

/// A statement, and the steps in which the database runs it.
pub(in crate::sql) type Plan = (String, Vec<String>);

impl Plans {
    pub(in crate::sql) fn push(&self, sql: String, steps: Vec<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((sql, steps));
    }

    pub(in crate::sql) fn take(&self) -> Vec<Plan> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
