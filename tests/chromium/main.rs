//! The module in a real Chromium, used as a person would use it: by labels, roles and visible text.
//!
//! Each test has a browser with a profile of its own and hosts on free ports of this machine. Names below `localhost` lead to
//! this machine, and Chromium treats them like HTTPS. `app.example.localhost` and `evil.example.localhost` are the same
//! site; `evil.other.localhost` is another one.
//!
//! `tests/chromium/run` builds and runs everything. If a test fails, what its browser shows is kept in
//! `target/screenshots/failures`.

mod attacks;
mod browser;
mod cookies;
mod gallery;
mod hosts;
mod htmx;
mod pages;
mod quickstart;
mod spa;
