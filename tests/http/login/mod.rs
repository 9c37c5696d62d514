//! Login, logout and refresh.

mod credentials;
mod logout;
mod refresh;
mod stored_hashes;
