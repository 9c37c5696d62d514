//! Times on the pages.

use chrono::{DateTime, Utc};
use maud::{Markup, html};
use std::time::SystemTime;

/// A time in UTC: `27 November 2026, 10:06 UTC`.
pub(crate) fn time(time: SystemTime) -> Markup {
    let format = |format| DateTime::<Utc>::from(time).format(format).to_string();
    html! { time datetime=(format("%Y-%m-%dT%H:%M:%SZ")) { (format("%-d %B %Y, %H:%M UTC")) } }
}
