//! Types of the host are checked by the compiler, which reports each once, at the type.

use axum_auth_module::AuthUser;
use std::time::SystemTime;

type Bytes = Vec<u8>;

#[derive(Clone)]
struct FullName {
    first: String,
    last: String,
}

#[derive(Clone)]
struct Sealed(Vec<u8>);

#[derive(Clone)]
struct Moment(u64);

#[derive(Clone, AuthUser)]
struct Account {
    id: i64,
    name: FullName,
    email: Bytes,
    password: String,
    email_verified_at: Moment,
    two_factor_secret: Sealed,
    two_factor_recovery_codes: Option<Sealed>,
    two_factor_confirmed_at: Option<Moment>,
    password_confirmed_at: Option<SystemTime>,
}

fn main() {}
