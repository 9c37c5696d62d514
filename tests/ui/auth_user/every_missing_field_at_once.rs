//! One message reports all missing fields, as lines to paste. The host uses the record as a user, which causes no
//! further error.

use axum_auth_module::AuthUser;
use axum_auth_module::user::UserId;

#[derive(Clone, Default, AuthUser)]
struct Account {
    id: i64,
    email: String,
    password_hash: String,
}

fn greeting<U: AuthUser>(user: &U) -> String {
    format!("{}: {}", user.id().to_text(), user.name())
}

fn main() {
    let account = Account { id: 1, ..Account::default() };
    let id: &i64 = account.id();
    println!("{id} {}", greeting(&account));
}
