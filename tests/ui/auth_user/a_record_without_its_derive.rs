//! Without `#[derive(AuthUser)]` there is one error, where the module's users are given. Nothing follows from it: not in the
//! state, not in the handlers and not in the router.

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::sql::SqlUsers;
use axum_auth_module::{AuthConfig, AuthModule, Claims, CurrentUser, StandardActions, VerifiedUser, auth_module};
use sqlx::MySqlPool;

#[derive(Clone, sqlx::FromRow)]
struct Account {
    id: String,
    name: String,
    email: String,
    password: String,
}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

async fn me(CurrentUser(account): CurrentUser<Account>) -> String {
    account.name
}

async fn greeting(account: Option<VerifiedUser<Account>>) -> String {
    account.map_or_else(|| "Hello".to_owned(), |account| format!("Hello {}", account.name))
}

async fn id(claims: Claims<Account>) -> String {
    claims.user_id().to_owned()
}

fn app(config: AuthConfig, pool: MySqlPool) -> Router {
    let auth = auth_module! {
        config: config,
        features: [REGISTRATION, UPDATE_PASSWORDS],
        user_repo: SqlUsers::<Account>::new(pool),
        actions: StandardActions,
    };
    let greeting = Router::new().route("/", get(greeting)).route("/me", get(me)).route("/id", get(id));
    greeting.nest("/auth", auth.router()).with_state(App { auth })
}

fn main() {
    let _ = app;
}
