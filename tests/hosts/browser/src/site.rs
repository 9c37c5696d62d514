//! The HTML that all pages share.

use axum::response::Html;

/// Text of users, such that browsers show it as text.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// `title` and `body` are HTML.
pub(crate) fn page(title: &str, body: &str) -> Html<String> {
    Html(format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>{title} – Notes</title>
<link rel=stylesheet href=/style.css><script src=/session.js defer></script>
<header><a href=/>Notes</a></header><main><h1>{title}</h1>{body}</main>"
    ))
}
