//! A new user is made by its function, whose parameters are what cannot be null.

use axum_auth_module::user::NewUser;

fn new_user(name: String, email: String, password: String) -> NewUser {
    NewUser { name, email, password }
}

fn main() {
    let _ = new_user;
}
