//! What all pages share.

mod assets;
mod errors;
mod form;
mod htmx;
mod next;
mod notice;
mod page;

pub(crate) use assets::{HtmxFile, SCRIPT, script, security_headers, style};
pub(crate) use errors::FormErrors;
pub(crate) use form::{Field, PostForm};
pub(crate) use htmx::respond;
pub(crate) use next::{HOME, Next};
pub(crate) use notice::Notice;
pub(crate) use page::Page;
