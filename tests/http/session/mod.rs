//! Login, logout and refresh.

mod login;
mod logout;
mod refresh;
