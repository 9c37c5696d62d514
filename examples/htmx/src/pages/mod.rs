//! The pages. Each file begins with the page's address and has its template and its handlers.

pub(crate) mod challenge;
pub(crate) mod confirmation;
pub(crate) mod login;
pub(crate) mod notes;
pub(crate) mod registration;
pub(crate) mod sessions;
pub(crate) mod two_factor;
