//! A user record is a struct with named fields.

use axum_auth_module::AuthUser;

#[derive(Clone, AuthUser)]
struct Tuple(i64, String);

#[derive(Clone, AuthUser)]
struct Unit;

#[derive(Clone, AuthUser)]
enum Choice {
    Guest,
    Member { id: i64 },
}

#[derive(Clone, Copy, AuthUser)]
union Overlap {
    id: i64,
}

fn user<U: AuthUser>() {}

fn main() {
    user::<Tuple>();
    user::<Unit>();
    user::<Choice>();
    user::<Overlap>();
}
