//! The verification notification and its link.

mod links;
mod notification;
